from igbtheory.theory.gaussian_inputs import InBatches as InBatches
from igbtheory.theory.kernels import Kept as Kept
from igbtheory.theory.kernels import OutputKernel as OutputKernel
from igbtheory.theory.prediction import Batch as Batch
from igbtheory.theory.prediction import Counts as Counts
from igbtheory.theory.prediction import PerLayer as PerLayer
from igbtheory.theory.prediction import Prediction as Prediction
from igbtheory.theory.prediction import per_layer_of_texts as per_layer_of_texts

__all__: tuple[str, ...]
