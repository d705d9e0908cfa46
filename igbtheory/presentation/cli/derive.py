"""`igb derive`: the formulas of a network in infinite width."""

from dataclasses import replace
from typing import Any, Literal

from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import GaussianCase

Parameter = Literal["sigma_w2", "sigma_b2", "batch_size", "pool", "shift", "variance"]


def derive(
    case: GaussianCase = GaussianCase(),
    *,
    symbol: list[Parameter] | None = None,
    latex: bool = False,
) -> None:
    """Print the formulas of var_mu, var_chi, gamma, c and the density of G0, as SymPy reads them.

    Long formulas contain symbols for the unit before layer l: its variances v_mu_l and v_chi_l, their sum q_l, the
    correlation c_l and the angle theta_l. The lines after "where" define them. Averages without a closed form are
    integrals. A formula without symbols is followed by its value.

    ```
    igb derive --depth 2 --symbol sigma_w2
    igb derive --activation erf --depth 1 --latex
    ```

    Parameters
    ----------
    symbol
        A parameter that stays a symbol; may be repeated.
    latex
        Print LaTeX: an align* environment.

    """
    case = replace(case, **{name: _symbol(name) for name in symbol or []})
    if latex:
        output.show(case.network().derive(case.values()).latex())
    else:
        case.compute(lambda network, inputs: network.derive(inputs))


def _symbol(name: str) -> Any:
    import sympy  # noqa: PLC0415 - it takes half a second to load

    whole = {"integer": True, "positive": True}
    short = {"batch_size": ("n", whole), "pool": ("m", whole), "shift": ("shift", {"real": True})}
    text, assumptions = short.get(name, (name, {"positive": True}))
    return sympy.Symbol(text, **assumptions)
