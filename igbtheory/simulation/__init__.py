"""Ensembles of finite networks, and their comparison with the theory of infinite width."""

from igbtheory.simulation.comparison import Comparison
from igbtheory.simulation.ensemble import simulate
from igbtheory.simulation.result import Simulation

__all__ = ["Comparison", "Simulation", "simulate"]
