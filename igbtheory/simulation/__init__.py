"""Ensembles of finite networks, and their comparison with the theory of infinite width."""

from igbtheory.simulation.comparison import Comparison
from igbtheory.simulation.kolmogorov import KolmogorovSmirnov
from igbtheory.simulation.result import Simulation, simulate
from igbtheory.simulation.rows import Row

__all__ = ["Comparison", "KolmogorovSmirnov", "Row", "Simulation", "simulate"]
