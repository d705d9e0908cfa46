"""Averages that stay unevaluated: SymPy functions whose digits come from quadrature."""

from typing import Any, final

import sympy as sp

from igbtheory.averages import gaussian
from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function
from igbtheory.numbers import Multiprecision

PARTS = ("mean", "var_mu", "var_chi")
_FUNCTIONS: dict[str, Function] = {}
"""Activations by the name that stands in an expression."""


@final
class GaussianAverage(sp.Function):  # type: ignore[misc]
    """Mean, Var_W of the mean, or mean variance of phi(M), M the largest of m Gaussian units; unevaluated.

    Arguments: which of the three, the activation's name, m, and mean, var_mu, var_chi of a unit. `evalf` computes it by
    quadrature to any number of digits.
    """

    nargs = 6

    @property
    def unit(self) -> tuple[str, str, int, Any, Any, Any]:
        """The arguments in Python's types."""
        part, name, m, mean, var_mu, var_chi = self.args
        return str(part), str(name), int(m), mean, var_mu, var_chi

    def _eval_is_extended_real(self) -> bool:
        return True

    def _eval_evalf(self, prec: int) -> Any:
        part, name, m, *numbers = self.unit
        values = [sp.N(x, int(prec * 0.30103) + 5) for x in numbers]
        if not all(value.is_Float or value.is_Integer for value in values):
            return None
        n = Multiprecision(max(int(prec * 0.30103), 15))
        mean, var_mu, var_chi = (n.number(str(value)) for value in values)
        h = Moments(0 if mean == 0 else mean, var_mu, var_chi)
        found = getattr(gaussian.moments(n, _FUNCTIONS[name], m, h), part)
        return sp.Float(str(found), int(prec * 0.30103))

    def _latex(self, printer: Any, **_: Any) -> str:
        part, name, m, mean, var_mu, var_chi = self.unit
        of = rf"\phi_{{\text{{{name}}}}}" + (rf"\left(\max_{{{m}}} h\right)" if m > 1 else "(h)")
        centre, shared, spread = map(printer.doprint, (mean, var_mu, var_chi))
        law = rf"h = {centre} + \sqrt{{{shared}}}\,u + \sqrt{{{spread}}}\,z"
        inner = {
            "mean": rf"\mathbb{{E}}\,{of}",
            "var_mu": rf"\mathrm{{Var}}_u\,\mathbb{{E}}_z\,{of}",
            "var_chi": rf"\mathbb{{E}}_u\,\mathrm{{Var}}_z\,{of}",
        }[part]
        return rf"\left[{inner}\right]_{{{law}}}"


def unevaluated(phi: Function, m: int, h: Moments) -> Moments:
    """Return the moments of phi(M) as unevaluated averages."""
    name = phi.name
    _FUNCTIONS[name] = phi
    mean, var_mu, var_chi = (sp.sympify(x) for x in (h.mean, h.var_mu, h.var_chi))
    parts = {
        part: GaussianAverage(sp.Symbol(part), sp.Symbol(name), sp.Integer(m), mean, var_mu, var_chi) for part in PARTS
    }
    if var_mu == 0:
        parts["var_mu"] = sp.Integer(0)
    if phi.parity < 0 and mean == 0 and m == 1:
        parts["mean"] = sp.Integer(0)
    return Moments(parts["mean"], parts["var_mu"], parts["var_chi"])
