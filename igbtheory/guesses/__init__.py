"""The law of G0, the fraction of a data set that an untrained network gives to class 0.

`GuessLaw` is that law for infinitely many data, `FiniteGuessLaw` the law of the count among D data. Their
methods are spelled as in scipy.stats; both depend on the network through gamma = var_mu / var_chi alone.
"""

from igbtheory.guesses.binary import GuessLaw
from igbtheory.guesses.dataset import DatasetGuessLaw
from igbtheory.guesses.finite import FiniteGuessLaw

__all__ = ["DatasetGuessLaw", "FiniteGuessLaw", "GuessLaw"]
