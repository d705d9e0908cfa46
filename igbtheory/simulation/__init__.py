"""Ensembles of finite networks, and their comparison with the theory of infinite width."""

from igbtheory.simulation.comparison import Comparison
from igbtheory.simulation.result import Simulation, simulate

__all__ = ["Comparison", "Simulation", "simulate"]
