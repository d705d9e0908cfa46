"""Ensembles of finite networks: what the infinite-width theory is compared with."""

from igbtheory.simulation.comparison import Comparison
from igbtheory.simulation.ensemble import simulate
from igbtheory.simulation.result import Simulation

__all__ = ["Comparison", "Simulation", "simulate"]
