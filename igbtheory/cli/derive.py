"""`igb derive`: the formulas of a network in infinite width."""

from dataclasses import replace
from typing import Any, Literal

from igbtheory.cli import output
from igbtheory.cli.options import Architecture, Gaussian

Parameter = Literal["sigma_w2", "sigma_b2", "batch_size", "shift", "variance"]
QUANTITIES = ("var_mu", "var_chi", "gamma", "c")


def derive(
    architecture: Architecture = Architecture(),  # noqa: B008 - frozen
    inputs: Gaussian = Gaussian(),  # noqa: B008 - frozen
    *,
    symbol: list[Parameter] | None = None,
    latex: bool = False,
    json: bool = False,
) -> None:
    """Print closed forms of var_mu, var_chi, gamma and c after every Dense layer, as SymPy writes them.

    What has no closed form stays GaussianAverage(part, phi, m, mean, v_mu, v_chi): the mean, var_mu or var_chi of phi
    of the largest of m Gaussian units with these moments. Formulas without symbols are followed by digits. With more
    than two hidden layers every layer is told in terms of the layer before (v_mu, v_chi), and the output by its digits.

    Parameters
    ----------
    architecture
        Which network.
    inputs
        On which Gaussian inputs; data sets have no formulas.
    symbol
        A parameter that stays a symbol instead of its number; may be given several times.
    latex
        Print LaTeX, ready for an equation.
    json
        Print JSON: every formula as text, with all layers.

    """
    symbols = symbol or []
    values = replace(inputs.values(), **_named(symbols, ("shift", "variance")))
    architecture = replace(architecture, **_named(symbols, ("sigma_w2", "sigma_b2", "batch_size")))
    found = architecture.network().derive(values)
    if latex:
        output.show(found.latex())
        return
    layers = [{name: str(getattr(layer, name)) for name in QUANTITIES[:2]} for layer in found.per_layer]
    whole = {name: str(getattr(found, name)) for name in QUANTITIES}
    origin = {"network": str(architecture), "inputs": _text(values)}
    if json:
        output.show_json({**origin, **whole, "latex": found.latex(), "per_layer": layers})
        return
    digits = {name: "" if found.chained else _digits(getattr(found, name)) for name in whole}
    lines = [f"{name} = {text}{digits[name]}" for name, text in whole.items()]
    rows = [f"layer {i}: {name} = {text}" for i, layer in enumerate(layers, 1) for name, text in layer.items()]
    output.show(*origin.values(), "", *(rows if found.chained else []), *([""] if found.chained else []), *lines)


def _digits(formula: Any) -> str:
    """Digits of a formula without symbols; a number that stands for itself needs none."""
    value = formula.evalf(15)
    return f" = {value}" if value.is_Float and not formula.is_Atom else ""


def _text(values: Any) -> str:
    parts = (f"{part:g}" if isinstance(part, float) else str(part) for part in (values.shift, values.variance))
    return f"Gaussian inputs N({', '.join(parts)})"


def _named(symbols: list[Parameter], names: tuple[str, ...]) -> dict[str, Any]:
    """Symbols for the parameters among `names`."""
    return {name: _symbol(name) for name in names if name in symbols}


def _symbol(name: str) -> Any:
    import sympy  # noqa: PLC0415 - half a second that no other command pays

    short = {"batch_size": ("n", {"integer": True, "positive": True}), "shift": ("shift", {"real": True})}
    text, assumptions = short.get(name, (name, {"positive": True}))
    return sympy.Symbol(text, **assumptions)
