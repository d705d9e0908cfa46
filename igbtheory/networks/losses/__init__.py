"""Losses at initialisation, and their gradients at the outputs of a network that favours some classes."""

from igbtheory.networks.losses.loss import Blurry, CrossEntropy, Focal, Loss, PiecewiseZero, usual_losses
from igbtheory.networks.losses.output_scale import output_scale
from igbtheory.networks.losses.start import LossAtStart, losses_table, measured, predicted, simulated

__all__ = [
    "Blurry",
    "CrossEntropy",
    "Focal",
    "Loss",
    "LossAtStart",
    "PiecewiseZero",
    "losses_table",
    "measured",
    "output_scale",
    "predicted",
    "simulated",
    "usual_losses",
]
