"""The laws of the guesses of untrained networks: a source of outputs, and a statistic of them.

=====================  =============================================================================================
sources                outputs of networks
=====================  =============================================================================================
`GaussianOutputs`      of one bias ratio gamma, or of a sweep, also in `Batches` that batch normalisation couples
`VariedOutputs`        whose gamma differs from network to network, as at finite width
`KernelOutputs`        at given data, from their kernel, or from one kernel for each of some worlds
`FeatureOutputs`       of drawn networks at new data, from their features
`SimulatedOutputs`     of your own, as an array
=====================  =============================================================================================

=====================  =============================================================================================
statistics             what networks make of their outputs
=====================  =============================================================================================
`GuessLaw`             G0, the share of the data that class 0 gets
`ClassGuessLaw`        the shares of M classes, also in order
`SoftmaxLaw`           the mean softmax probabilities of M classes
`FiniteGuessLaw`       the count of class 0 among D data
`FiniteClassLaw`       the counts of M classes among D data
`RouterLaw`            the loads of experts
`Vocabulary`           first predictions of a language model
=====================  =============================================================================================

Each statistic works with each source, by formulas where there are some (`source.independent`), else by draws, with
errors; a new one is one file: see `law` and `source`. `accuracy_bounds` bounds the accuracy of guesses. Methods have
the names of scipy.stats.

The folder `inference` goes the other way: from observed guesses to gamma.
A law is loaded when it is first used, since most predictions need only the first one or none.
"""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
