"""Closed forms: the rules of the layers, run on SymPy expressions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from igbtheory.activations.moments import Moments
from igbtheory.derivation.form import simplified
from igbtheory.derivation.nodes import FormalGaussian, formal
from igbtheory.derivation.result import BEFORE, CHAINED, Chained, Derivation, DerivedLayer
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Dense, Gaussian, LawNode, Layer, Residual
from igbtheory.layers.batchnorm import batch_of
from igbtheory.layers.chain import each
from igbtheory.numbers.symbolic import SYMBOLIC

__all__ = ["Chained", "Derivation", "DerivedLayer", "derive"]


def derive(layers: Sequence[Layer], inputs: Any) -> Derivation:
    """Formulas for Gaussian `inputs`; beyond two hidden layers in terms of the layer before.

    TypeError: a data set. ValueError: a sweep, or a layer whose rule has no formula.
    """
    _refuse_others(layers, inputs)
    node = formal(LawNode(SYMBOLIC, Gaussian(inputs.moments(SYMBOLIC))))
    blocks = sum(isinstance(layer, Dense | Residual) for layer in layers)
    found: list[DerivedLayer] = []
    symbols: list[tuple[Any, Any]] = []
    before: dict[Any, Any] = {}
    for layer in layers:
        node = formal(layer.law(node))
        if not isinstance(layer, Dense | Residual):
            continue
        x = node.averaged()
        found.append(DerivedLayer(*(simplified(part).xreplace(before) for part in (x.var_mu, x.var_chi))))
        if blocks > CHAINED + 1 and len(found) < blocks:
            symbols.append((_symbol("mu", len(found)), _symbol("chi", len(found))))
            before = dict(zip(BEFORE, symbols[-1], strict=True))
            shared = sp.Integer(0) if found[-1].var_mu == 0 else BEFORE[0]
            node = LawNode(SYMBOLIC, FormalGaussian(Moments(0, shared, BEFORE[1])))
    return Derivation(tuple(found), tuple(symbols))


def _symbol(name: str, layer: int) -> Any:
    return sp.Symbol(f"v_{name}_{layer}", positive=True)


def _refuse_others(layers: Sequence[Layer], inputs: Any) -> None:
    if not isinstance(inputs, GaussianInputs):
        raise TypeError(
            f"expected GaussianInputs to derive for, got {type(inputs).__name__}; predict(X) takes data sets"
        )
    batch_of(layers)
    values = [getattr(layer, name, 0) for layer in each(layers) for name in ("sigma_w2", "sigma_b2", "scale")]
    if any(map(np.ndim, [inputs.shift, inputs.variance, *values])):
        raise ValueError("expected one network to derive, got a sweep; pass SymPy symbols, and substitute later")
