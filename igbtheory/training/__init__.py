"""How training absorbs the bias: the law of the guesses over time, in infinite width."""

from igbtheory.training.result import Training
from igbtheory.training.tangent import kernels
from igbtheory.training.train import train

__all__ = ["Training", "kernels", "train"]
