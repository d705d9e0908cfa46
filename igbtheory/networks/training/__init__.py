"""How training absorbs the bias: the law of the guesses over time, in infinite width."""

from igbtheory.networks.training.result import Training
from igbtheory.networks.training.tangent import kernels
from igbtheory.networks.training.train import train

__all__ = ["Training", "kernels", "train"]
