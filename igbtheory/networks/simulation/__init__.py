"""Ensembles of finite networks, and their comparison with the theory of infinite width."""

from igbtheory.networks.simulation.comparison import Comparison
from igbtheory.networks.simulation.ensemble import outputs
from igbtheory.networks.simulation.estimates import LayerEstimates
from igbtheory.networks.simulation.kolmogorov import KolmogorovSmirnov
from igbtheory.networks.simulation.result import Simulation, simulate
from igbtheory.networks.simulation.rows import Row

__all__ = ["Comparison", "KolmogorovSmirnov", "LayerEstimates", "Row", "Simulation", "outputs", "simulate"]
