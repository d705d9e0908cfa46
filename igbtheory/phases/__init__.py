"""Phases: where guessing bias meets trainability."""

from igbtheory.phases.gradients import Gradients, gradients
from igbtheory.phases.gradients_table import TradeOff, trade_off
from igbtheory.phases.per_class import ClassGradients, class_gradients
from igbtheory.phases.residual_limit import ResidualLimit, residual_limit

__all__ = [
    "ClassGradients",
    "Gradients",
    "ResidualLimit",
    "TradeOff",
    "class_gradients",
    "gradients",
    "residual_limit",
    "trade_off",
]
