from igbtheory.theory.gaussian_inputs import InBatches as InBatches
from igbtheory.theory.kernels import OutputKernel as OutputKernel

__all__: tuple[str, ...]
