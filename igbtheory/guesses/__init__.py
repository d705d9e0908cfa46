"""The law of G0, the fraction of a data set that an untrained network gives to class 0.

`GuessLaw` is that law for infinitely many data, `FiniteGuessLaw` the law of the count among D data. Their
methods are spelled as in scipy.stats; both depend on the network through gamma = var_mu / var_chi alone.
`BatchedGuessLaw` is the law of the count where batch normalisation couples the data of a batch. `ClassGuessLaw` and
`DatasetClassLaw` are the laws of the fractions of several classes, `FiniteClassLaw` and `BatchedClassLaw` those of
their counts, `SoftmaxLaw` and `DatasetSoftmaxLaw` those of their mean probabilities; `accuracy_bounds`
says which accuracy they allow.
"""

from igbtheory.guesses.accuracy import AccuracyBounds, accuracy_bound, accuracy_bounds, loose_accuracy_bound
from igbtheory.guesses.batches import BatchedGuessLaw
from igbtheory.guesses.binary import GuessLaw
from igbtheory.guesses.dataset import DatasetGuessLaw
from igbtheory.guesses.finite import FiniteGuessLaw
from igbtheory.guesses.several import ClassGuessLaw, FiniteClassLaw
from igbtheory.guesses.several_batches import BatchedClassLaw
from igbtheory.guesses.several_dataset import DatasetClassLaw
from igbtheory.guesses.softmax import SoftmaxLaw
from igbtheory.guesses.softmax_dataset import DatasetSoftmaxLaw

__all__ = [
    "AccuracyBounds",
    "BatchedClassLaw",
    "BatchedGuessLaw",
    "ClassGuessLaw",
    "DatasetClassLaw",
    "DatasetGuessLaw",
    "DatasetSoftmaxLaw",
    "FiniteClassLaw",
    "FiniteGuessLaw",
    "GuessLaw",
    "SoftmaxLaw",
    "accuracy_bound",
    "accuracy_bounds",
    "loose_accuracy_bound",
]
