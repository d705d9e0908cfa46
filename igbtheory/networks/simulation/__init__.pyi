from igbtheory.networks.simulation.comparison import Comparison as Comparison
from igbtheory.networks.simulation.ensemble import outputs as outputs
from igbtheory.networks.simulation.estimates import LayerEstimates as LayerEstimates
from igbtheory.networks.simulation.kolmogorov import KolmogorovSmirnov as KolmogorovSmirnov
from igbtheory.networks.simulation.result import Simulation as Simulation
from igbtheory.networks.simulation.result import simulate as simulate
from igbtheory.networks.simulation.rows import Row as Row

__all__: tuple[str, ...]
