"""`igb derive`: the formulas of a network in infinite width."""

from dataclasses import replace
from typing import Any, Literal

from igbtheory.cli import output
from igbtheory.cli.options import GaussianCase, Layers

Parameter = Literal["sigma_w2", "sigma_b2", "batch_size", "pool", "shift", "variance"]


def derive(
    layers: Layers = None,
    /,
    case: GaussianCase = GaussianCase(),
    *,
    symbol: list[Parameter] | None = None,
    latex: bool = False,
) -> None:
    """Print the formulas of var_mu, var_chi, gamma, c and the density of G0, as SymPy reads them.

    Long formulas are in the symbols of the unit before a layer (v_mu_l, v_chi_l, their sum q_l, correlation c_l, angle
    theta_l), which the lines behind "where" define; averages without a closed form are integrals there. Formulas
    without symbols are followed by digits.

    Parameters
    ----------
    symbol
        A parameter that stays a symbol instead of its number; may be given several times.
    latex
        Print LaTeX, an align* environment.

    """
    case = replace(case.of(layers), **{name: _symbol(name) for name in symbol or []})
    values = case.values()
    if latex:
        output.show(case.network().derive(values).latex())
    else:
        case.answer(case.origin(values), case.drawn(lambda: case.network().derive(values)))


def _symbol(name: str) -> Any:
    import sympy  # noqa: PLC0415 - half a second that no other command pays

    whole = {"integer": True, "positive": True}
    short = {"batch_size": ("n", whole), "pool": ("m", whole), "shift": ("shift", {"real": True})}
    text, assumptions = short.get(name, (name, {"positive": True}))
    return sympy.Symbol(text, **assumptions)
