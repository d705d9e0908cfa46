from igbtheory.networks.width.chain import Chain as Chain
from igbtheory.networks.width.chain import FreshDense as FreshDense
from igbtheory.networks.width.data import GaussianData as GaussianData
from igbtheory.networks.width.data import RandomData as RandomData
from igbtheory.networks.width.laws import Features as Features
from igbtheory.networks.width.laws import Kernels as Kernels
from igbtheory.networks.width.predicted import at_width as at_width
from igbtheory.networks.width.result import WidthPrediction as WidthPrediction

__all__: tuple[str, ...]
