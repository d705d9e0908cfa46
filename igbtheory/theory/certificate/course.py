"""Passage of balls through a network, repeated with more bits until the result is narrow enough."""

from collections.abc import Sequence
from typing import Any

from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import LawNode, Passage
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.nodes import ProvenGaussian, law
from igbtheory.theory.certificate.proven_panels import TooWideError
from igbtheory.theory.certificate.result import NAMES, Certificate, CertifiedLayers, accuracy
from igbtheory.theory.exact import refuse_inexact

GUARD = 30
"""Additional bits at the first attempt: relu of up to ten hidden layers and tanh of a hundred need no second one."""
MOST_BITS = 200_000
"""Largest number of bits: six times those of the 10,000 digits that may be asked for."""
MARGIN = 16
"""Additional bits at later attempts, beyond those that were missing."""


def certify(layers: Sequence[Layer], inputs: Any, digits: int) -> Certificate:
    """Return a certificate for Gaussian `inputs` with relative radii below 10^-digits."""
    refuse_inexact(layers, inputs, "certify")
    wanted = (digits + 1) * 3.3219280948873626
    bits = GUARD + int(wanted)
    while bits <= MOST_BITS:
        try:
            certificate = _enclosed(layers, inputs, digits, Certified(bits))
        except TooWideError:
            bits *= 2
            continue
        if certificate.holds():
            return certificate
        right = min(accuracy(getattr(certificate, name)) for name in NAMES)
        if right > 0:
            bits += int(wanted - right) + MARGIN
        else:  # every layer takes about as many bits as the first ones took
            gammas = certificate.per_layer.gamma
            lasting = sum(accuracy(ball) > 0 for ball in gammas)
            bits = bits * len(gammas) // max(lasting, 1) + int(wanted) + MARGIN
    raise ValueError(
        f"expected balls of {digits} digits with at most {MOST_BITS} bits of working precision, got wider ones: they "
        "widen from layer to layer; certify fewer layers, or use predict(digits=30), which estimates its error"
    )


def _enclosed(layers: Sequence[Layer], inputs: GaussianInputs, digits: int, n: Certified) -> Certificate:
    """Return the certificate, however wide, computed with the precision of n."""
    with n.precision():
        passage = Passage(applied=law)
        node = LawNode(n, ProvenGaussian(inputs.moments(n)), passage=passage)
        moments = [behind.averaged() for behind in passage.listed(layers, node)]
    _refuse_silent(moments)
    return Certificate(digits, CertifiedLayers(n, [x.var_mu for x in moments], [x.var_chi for x in moments]))


def _refuse_silent(moments: list[Any]) -> None:
    """Raise ValueError if all outputs tie."""
    for i, x in enumerate(moments):
        if x.var_mu.is_zero() and x.var_chi.is_zero():
            raise ValueError(
                f"the variance after Dense layer {i + 1} of {len(moments)} is 0, so its outputs tie; use sigma_b2 > 0, "
                "sigma_w2 > 0 or inputs that vary"
            )
