"""The check that certificates and formulas have in common: Gaussian inputs, one network, layers with exact rules."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import each, swept
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer


def refuse_inexact(layers: Sequence[Layer], inputs: Any, verb: str) -> None:
    """Refuse data sets, sweeps and inconsistent batch sizes; `verb`: "certify" or "derive".

    "certify" also refuses layers from outside the package, because their laws may be estimates.
    """
    if not isinstance(inputs, GaussianInputs):
        raise TypeError(
            f"expected GaussianInputs to {verb} for, got {type(inputs).__name__}; use predict(X), which takes data sets"
        )
    for layer in each(layers):
        if verb == "certify" and not type(layer).__module__.startswith("igbtheory."):
            raise ValueError(
                f"expected layers of igbtheory to {verb}, got {layer!r}, whose rule may be an estimate; use predict(), "
                "which estimates its error"
            )
    batch_of(layers)
    if any(map(np.ndim, [inputs.shift, inputs.variance, *swept(layers)])):
        raise ValueError(
            f"expected one network on one law of inputs to {verb}, got a sweep; loop over its values, or derive() with "
            "SymPy symbols and substitute later"
        )
