"""The bias ratio of equal layers at a symbolic depth: a closed form, or the leading term at large depth."""

from dataclasses import dataclass
from typing import Any, final

import sympy as sp

from igbtheory.theory.derivation.form import simplified
from igbtheory.theory.derivation.states import THETA, C, Q, Rule, S, V

ORDERS = 4
"""Order up to which the change of the angle over a layer is expanded in the angle."""


@final
@dataclass(frozen=True)
class AtDepth:
    """The bias ratio gamma at a symbolic depth. exact: True for gamma itself, False for its leading term.

    depth, gamma: the symbol of the depth, and the formula.

    >>> import sympy
    >>> L = sympy.Symbol("L", positive=True)
    >>> print(igb.mlp(2, "linear", sigma_w2=1, sigma_b2=1).derive().at_depth(L).gamma)
    L + 1
    """

    depth: Any
    gamma: Any
    exact: bool

    def __str__(self) -> str:
        return f"gamma = {self.gamma}" if self.exact else f"gamma ~ {self.gamma} for {self.depth} -> oo"


def at_depth(layers: Any, depth: Any) -> AtDepth:
    """Return gamma for a network of `depth` hidden layers, in which the equal layers at the end are repeated.

    ValueError: there are no equal layers, or the recursion has neither a closed solution nor a known leading term.
    """
    last = layers[-1]
    if not last.rule.symbols or last.var_mu == 0:
        return AtDepth(depth, last.gamma, exact=True)
    start = first_equal(layers) - 1
    if start > len(layers) - 2 or not layers[start - 1].explicit:
        raise ValueError("expected equal hidden layers, and at least three; derive mlp(3, ...) and ask it")
    gamma = _affine(last.rule, layers[start - 1], depth + 1 - start)
    if gamma is not None:
        return AtDepth(depth, gamma, exact=True)
    return AtDepth(depth, _leading(last.rule, depth), exact=False)


def first_equal(layers: Any) -> int:
    """Return the number, from 1, of the first layer from which on all layers apply the last rule to the one before."""
    first = len(layers)
    while first > 2 and layers[first - 2].rule == layers[-1].rule and layers[first - 2].before == first - 2:
        first -= 1
    return first


def _affine(rule: Rule, first: Any, steps: Any) -> Any:
    """Return gamma after `steps` layers if each variance follows v' = a v + b, else None."""
    variances = []
    for part, symbol, start in zip(rule.local, (V, S), (first.var_mu, first.var_chi), strict=True):
        whole = sp.cancel(part)
        grown = sp.Poly(whole, symbol) if whole.is_polynomial(symbol) else None
        if grown is None or grown.degree() > 1 or grown.free_symbols_in_domain & {V, S}:
            return None
        a, b = grown.coeff_monomial(symbol), grown.coeff_monomial(1)
        # the sum of the geometric series b (1 + a + a^2 + ...)
        total = steps if a == 1 else (a**steps - 1) / (a - 1)
        variances.append(a**steps * start + b * total)
    return simplified(variances[0] / variances[1])


def _leading(rule: Rule, depth: Any) -> Any:
    """Return the leading term of gamma if the distance of two data decreases as a power of the depth.

    theta is the angle between two data. A layer that maps it to theta - a theta^(k + 1) + ... leads to
    theta ~ (k a depth)^(-1/k) and gamma = c/(1 - c) ~ 2/theta^2.
    """
    c = (rule.var_mu / (rule.var_mu + rule.var_chi)).xreplace({V: C * Q, S: Q - C * Q})
    # of a norm or a homogeneous activation q cancels, and the next c depends on theta alone
    c = sp.simplify(c.xreplace({C: sp.cos(THETA)}))
    if c.free_symbols != {THETA} or c.atoms(sp.Function) - c.atoms(sp.sin, sp.cos, sp.acos):
        raise _refused()
    # the chord of theta, which has a series at 0; acos has none at c = 1
    sine = sp.series(sp.sqrt(2 * (1 - c)), THETA, 0, ORDERS).removeO()  # 2 sin(theta/2) after the layer
    decrease = sp.expand(sp.series(2 * sp.sin(THETA / 2), THETA, 0, ORDERS).removeO() - sine)
    terms = sp.Poly(decrease, THETA).as_dict() if decrease.is_polynomial(THETA) and decrease != 0 else {}
    power = min((power for (power,) in terms), default=0)
    if power < 2 or not terms[(power,)].is_positive:
        raise _refused()
    k, a = power - 1, terms[(power,)]
    return sp.simplify(2 * (k * a * depth) ** sp.Rational(2, k))


def _refused() -> ValueError:
    return ValueError(
        "expected a recursion with a closed solution, or one in which the distance of two data decreases as a power of "
        "the depth, got another one; use derive() of a given depth, or phases.verdict for the limit of gamma"
    )
