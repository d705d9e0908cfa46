"""Closed forms: the rules of the layers, run on SymPy expressions."""

from collections.abc import Sequence
from typing import Any

import sympy as sp

from igbtheory.averages.state import Moments
from igbtheory.derivation.form import RULE, simplified
from igbtheory.derivation.nodes import FormalGaussian, formal
from igbtheory.derivation.result import BEFORE, CHAINED, Chained, Derivation, DerivedLayer
from igbtheory.exact import refuse_inexact
from igbtheory.layers import Gaussian, LawNode, Layer
from igbtheory.numbers.symbolic import SYMBOLIC

__all__ = ["Chained", "Derivation", "DerivedLayer", "derive"]

SHARED, TOTAL = (sp.Symbol(name, positive=True) for name in ("v_shared", "v_total"))
"""Covariance of two data, and variance, of a unit whose activation is averaged."""
WITHIN = sp.Symbol("v_within", real=True)
"""Covariance of two data of one batch."""


def derive(layers: Sequence[Layer], inputs: Any) -> Derivation:
    """Return the formulas for Gaussian `inputs`; beyond two hidden layers in terms of the layer before.

    TypeError: a data set. ValueError: a sweep, or a layer whose rule has no formula.
    """
    refuse_inexact(layers, inputs, "derive")
    node = formal(LawNode(SYMBOLIC, Gaussian(inputs.moments(SYMBOLIC))))
    chained = sum(layer.listed for layer in layers) > CHAINED + 1
    found: list[DerivedLayer] = []
    symbols: list[tuple[Any, Any]] = []
    before: tuple[Any, ...] = ()
    for layer in layers:
        node = formal(layer.law(node))
        if not layer.listed:
            continue
        x = node.averaged()
        found.append(
            DerivedLayer(
                *(_in_terms_of(simplified(part, RULE), before, chained=chained) for part in (x.var_mu, x.var_chi))
            )
        )
        symbols.append((_symbol("mu", len(found)), _symbol("chi", len(found))))
        if node.gaussian:
            node = LawNode(SYMBOLIC, FormalGaussian(_in_symbols(x, before)))
            before = symbols[-1] if chained else (found[-1].var_mu, found[-1].var_chi)
    return Derivation(tuple(found), tuple(symbols) if chained else ())


def _in_terms_of(rule: Any, before: tuple[Any, ...], *, chained: bool) -> Any:
    """Return a rule of a layer, in SHARED and TOTAL, in terms of the variances `before` it.

    In a chain the form in generic variances is found first, once for all equal layers.
    """
    if not before:
        return rule
    mu, chi = BEFORE if chained else before
    found = simplified(rule.xreplace({SHARED: mu, TOTAL: simplified(mu + chi)}))
    return found.xreplace(dict(zip(BEFORE, before, strict=True))) if chained else found


def _in_symbols(x: Moments, before: tuple[Any, Any]) -> Moments:
    """Moments of a Gaussian unit in symbols: formulas are shortest in the covariance and the variance of units."""
    shared = sp.Integer(0) if x.var_mu == 0 else SHARED
    spread = sp.Integer(0) if x.var_chi == 0 else TOTAL - shared
    within = None if x.within is None else sp.Integer(0) if x.within == 0 else WITHIN
    return Moments(0 if x.centred else _in_terms_of(x.mean, before, chained=False), shared, spread, within=within)


def _symbol(name: str, layer: int) -> Any:
    return sp.Symbol(f"v_{name}_{layer}", positive=True)
