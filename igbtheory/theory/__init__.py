"""Predictions for layers in a row in infinite width: the law of Gaussian inputs, or the kernel of a given data set."""

from igbtheory.theory.data_set import on_data_set
from igbtheory.theory.gaussian_inputs import on_gaussian_inputs, stacked
from igbtheory.theory.kernels import OutputKernel
from igbtheory.theory.refusals import RANGE

__all__ = ["RANGE", "OutputKernel", "on_data_set", "on_gaussian_inputs", "stacked"]
