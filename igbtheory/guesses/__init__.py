"""The laws of the guesses of untrained networks.

`GuessLaw` is the law of G0, the fraction of infinitely many data that goes to class 0. `FiniteGuessLaw` is the law of
the count among D data, and `BatchedGuessLaw` is that law if batch normalisation couples the data of a batch.
`DatasetGuessLaw` is the law of G0 on a given data set. `ClassGuessLaw`, `FiniteClassLaw`, `BatchedClassLaw` and
`DatasetClassLaw` are these four laws for several classes. `VariedGuessLaw` is the law of G0 where gamma differs from
network to network, as at finite width, and `DrawnGuessLaw` that of networks whose features are drawn, where outputs
tie. `SoftmaxLaw` and `DatasetSoftmaxLaw` are the laws of mean softmax probabilities. `RouterLaw` and
`DatasetRouterLaw` are the laws of the loads of experts, and `Vocabulary` has first predictions. `accuracy_bounds`
bounds the accuracy of guesses. Methods have the names of scipy.stats.

The folder `inference` goes the other way: from observed guesses to gamma.
A law is loaded when it is first used, since most predictions need only the first one or none.
"""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
