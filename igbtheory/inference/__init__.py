"""Inference of gamma from the guesses of observed networks, tests of no bias, and comparisons of architectures."""

from igbtheory.inference.comparison import GammaComparison, compare
from igbtheory.inference.gamma import GammaEstimate, infer

__all__ = ["GammaComparison", "GammaEstimate", "compare", "infer"]
