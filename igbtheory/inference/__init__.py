"""Inference of gamma from the guesses of observed networks, tests of no bias, and comparisons of architectures."""

from igbtheory.inference.comparison import GammaComparison, compare
from igbtheory.inference.gamma import GammaEstimate, infer
from igbtheory.inference.infinite_data import Scores
from igbtheory.inference.several_classes import Votes
from igbtheory.inference.two_classes import Counts

__all__ = ["Counts", "GammaComparison", "GammaEstimate", "Scores", "Votes", "compare", "infer"]
