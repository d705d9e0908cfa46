"""Untrained PyTorch models: measure them, read them into the theory, explain and initialise them.

The folder `studies` trains them, and follows how they lose their bias. Importing this loads no PyTorch.
"""

from igbtheory.torch.ensemble import measure
from igbtheory.torch.explain import explain
from igbtheory.torch.explanation import Explanation
from igbtheory.torch.from_torch import from_torch
from igbtheory.torch.initialise import Initialised, initialise
from igbtheory.torch.result import Measurement

__all__ = ["Explanation", "Initialised", "Measurement", "explain", "from_torch", "initialise", "measure"]
