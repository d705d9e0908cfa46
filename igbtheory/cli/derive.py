"""`igb derive`: the formulas of a network in infinite width."""

from dataclasses import replace
from typing import Any, Literal

from igbtheory.cli import output
from igbtheory.cli.options import GaussianCase

Parameter = Literal["sigma_w2", "sigma_b2", "batch_size", "shift", "variance"]


def derive(case: GaussianCase = GaussianCase(), *, symbol: list[Parameter] | None = None, latex: bool = False) -> None:
    """Print closed forms of var_mu, var_chi, gamma and c after every Dense layer, as SymPy writes them.

    What has no closed form stays GaussianAverage(part, phi, m, mean, v_mu, v_chi): the mean, var_mu or var_chi of phi
    of the largest of m Gaussian units with these moments. Formulas without symbols are followed by digits. With more
    than two hidden layers every layer is given in terms of the layer before (v_mu, v_chi), and the output by its
    digits.

    Parameters
    ----------
    case
        Which network, on which Gaussian inputs; data sets have no formulas.
    symbol
        A parameter that stays a symbol instead of its number; may be given several times.
    latex
        Print LaTeX, ready for an equation.

    """
    case = replace(case, **{name: _symbol(name) for name in symbol or []})
    values = case.values()
    found = case.network().derive(values)
    if latex:
        output.show(found.latex())
    else:
        case.answer(case.origin(values), found)


def _symbol(name: str) -> Any:
    import sympy  # noqa: PLC0415 - half a second that no other command pays

    short = {"batch_size": ("n", {"integer": True, "positive": True}), "shift": ("shift", {"real": True})}
    text, assumptions = short.get(name, (name, {"positive": True}))
    return sympy.Symbol(text, **assumptions)
