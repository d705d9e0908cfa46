"""The way through a network in balls, with more and more bits until the result is narrow enough."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from igbtheory.certificate.nodes import law, proven
from igbtheory.certificate.panels import TooWideError
from igbtheory.certificate.result import NAMES, Certificate, CertifiedLayers, accuracy
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Gaussian, LawNode, Layer
from igbtheory.layers.batchnorm import batch_of
from igbtheory.layers.chain import each
from igbtheory.numbers.certified import Certified

GUARD = 30
"""Bits more than the digits asked for, at first."""
MOST_BITS = 200_000
"""Bits at most."""
MARGIN = 16
"""Bits beyond those that were missing."""


def certify(layers: Sequence[Layer], inputs: Any, digits: int) -> Certificate:
    """Certificate for Gaussian `inputs`, of relative radii below 10^-digits."""
    _refuse_others(layers, inputs)
    wanted = (digits + 1) * 3.3219280948873626
    bits = GUARD + int(wanted)
    while bits <= MOST_BITS:
        try:
            found = _enclosed(layers, inputs, digits, Certified(bits))
        except TooWideError:
            bits *= 2
            continue
        if found.holds():
            return found
        right = min(accuracy(getattr(found, name)) for name in NAMES)
        bits = bits + int(wanted - right) + MARGIN if right > 0 else 2 * bits
    raise ValueError(
        f"expected balls of {digits} digits with at most {MOST_BITS} bits of working precision, got wider ones: they "
        "widen from layer to layer; certify fewer layers, or use predict(digits=30), which estimates its error"
    )


def _enclosed(layers: Sequence[Layer], inputs: GaussianInputs, digits: int, n: Certified) -> Certificate:
    """Certificate, however wide, with the precision of n."""
    found = []
    with n.precision():
        node = proven(LawNode(n, Gaussian(inputs.moments(n))))
        for layer in layers:
            node = law(layer, node)
            if layer.listed:
                found.append(node.averaged())
    _refuse_silent(found)
    return Certificate(digits, CertifiedLayers(n, [x.var_mu for x in found], [x.var_chi for x in found]))


def _refuse_others(layers: Sequence[Layer], inputs: Any) -> None:
    """Refuse data sets, sweeps and batches that disagree."""
    if not isinstance(inputs, GaussianInputs):
        raise TypeError(
            f"expected GaussianInputs, got {type(inputs).__name__}: kernels of given data sets are not certified; "
            "use predict(X, digits=30)"
        )
    batch_of(layers)
    values = [getattr(layer, name, 0) for layer in each(layers) for name in ("sigma_w2", "sigma_b2", "scale")]
    if any(map(np.ndim, [inputs.shift, inputs.variance, *values])):
        raise ValueError("expected one network on one law of inputs, got a sweep; loop over its values")


def _refuse_silent(found: list[Any]) -> None:
    """Refuse a network whose outputs all tie."""
    for i, x in enumerate(found):
        if x.var_mu.is_zero() and x.var_chi.is_zero():
            raise ValueError(
                f"the variance after Dense layer {i + 1} of {len(found)} is 0, so its outputs tie; use sigma_b2 > 0, "
                "sigma_w2 > 0 or inputs that vary"
            )
