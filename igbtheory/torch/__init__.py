"""The bias of real, untrained PyTorch models, measured. Importing this loads no PyTorch, measuring does."""

from igbtheory.torch.ensemble import measure
from igbtheory.torch.result import Measurement

__all__ = ["Measurement", "measure"]
