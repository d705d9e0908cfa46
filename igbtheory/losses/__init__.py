"""Losses at initialisation: what they ask of a network that favours some classes before it has learned anything."""

from igbtheory.losses.loss import Blurry, CrossEntropy, Focal, Loss, PiecewiseZero, usual_losses
from igbtheory.losses.start import LossAtStart, losses_table, measured, predicted, simulated

__all__ = [
    "Blurry",
    "CrossEntropy",
    "Focal",
    "Loss",
    "LossAtStart",
    "PiecewiseZero",
    "losses_table",
    "measured",
    "predicted",
    "simulated",
    "usual_losses",
]
