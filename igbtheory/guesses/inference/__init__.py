"""Inference of gamma from the guesses of observed networks, tests of no bias, and comparisons of architectures."""

from igbtheory.guesses.inference.comparison import GammaComparison, compare
from igbtheory.guesses.inference.gamma import GammaEstimate, infer
from igbtheory.guesses.inference.infinite_data import Scores
from igbtheory.guesses.inference.observed import Test
from igbtheory.guesses.inference.several_classes import Votes
from igbtheory.guesses.inference.two_classes import Counts

__all__ = ["Counts", "GammaComparison", "GammaEstimate", "Scores", "Test", "Votes", "compare", "infer"]
