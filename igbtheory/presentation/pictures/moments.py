"""Pictures of moments: over the layers, over the parameters of a sweep, and deviations of simulations."""

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.presentation.pictures.laws import some
from igbtheory.presentation.pictures.marks import DEVIATION, GAMMA, bands, gaps, level
from igbtheory.presentation.pictures.pen import Pen
from igbtheory.presentation.pictures.phase_maps import BIASES, WEIGHTS, gamma_map, whole_map
from igbtheory.presentation.pictures.style import LIMIT, LOGARITHMIC, THEORY

if TYPE_CHECKING:
    from igbtheory.networks.compare import NetworkComparison
    from igbtheory.networks.control import Design
    from igbtheory.networks.simulation import Comparison
    from igbtheory.networks.width.result import WidthPrediction
    from igbtheory.phases import Gradients
    from igbtheory.theory.certificate import Certificate
    from igbtheory.theory.prediction import Prediction
    from igbtheory.torch import Explanation

OF_GUESSES = "$\\gamma_\\mathrm{guess}$"
NAMES = {"gamma": "$\\gamma$", "var_mu": "$\\mathrm{Var}_W(\\mu)$", "var_chi": "$\\mathrm{Var}_\\chi(O)$"}
LAYER = "Dense layer (the last one is the output)"
PARAMETERS = {"sigma_w2": WEIGHTS, "sigma_b2": BIASES, "shift": "mean of the inputs", "variance": "variance of inputs"}
TITLE = 90
"""Number of characters of a line of a small title."""
DOTS = 30
"""Largest number of layers, or of points of a line, that have markers: more would hide the line."""


def prediction(axes: Any, predicted: "Prediction", pen: Pen) -> None:
    """Draw the bias ratios and both variances after every Dense, or gamma over one or two parameters of a sweep.

    Beside other results it is the bias ratio only, on a data set that of the guesses.
    """
    if np.ndim(predicted.gamma):
        _sweep(axes, predicted, pen)
        return
    names = NAMES if predicted.dataset is None else {"gamma_guess": OF_GUESSES, **NAMES}
    _moments(axes, {label: getattr(predicted.per_layer, name) for name, label in names.items()}, pen)


def networks(axes: Any, compared: "NetworkComparison", pen: Pen) -> None:
    """Draw gamma of the guesses after every Dense of the first network, and of the second."""
    both = {"first": compared.first, "second": compared.second}
    _over_layers(axes, {name: predicted.per_layer.gamma_guess for name, predicted in both.items()}, pen)
    axes.set_ylabel(OF_GUESSES)


def at_width(axes: Any, predicted: "WidthPrediction", pen: Pen) -> None:
    """Draw gamma, gamma of the guesses and both variances after every Dense at finite width, if above their errors.

    Beside other results it is gamma of the guesses only.
    """
    names, values = {"gamma_guess": OF_GUESSES, **NAMES}, vars(predicted.per_layer)
    lines = {
        label: np.where(values[name] >= values[f"{name}_error"], values[name], np.nan) for name, label in names.items()
    }
    _moments(axes, lines, pen)


def certificate(axes: Any, proven: "Certificate", pen: Pen) -> None:
    """Draw the centres of the balls of gamma and both variances after every Dense; the title states their radii."""
    layers = {label: getattr(proven.per_layer, name) for name, label in NAMES.items()}
    _moments(axes, {label: [float(ball.mid()) for ball in balls] for label, balls in layers.items()}, pen)
    widest = max(float(ball.rad()) for balls in layers.values() for ball in balls)
    pen.title = f"proven, with radii of at most {widest:.1g}"


def _moments(axes: Any, lines: dict[str, Any], pen: Pen) -> None:
    """Draw bias ratios and variances after every Dense, or beside other results the first line."""
    if pen.alone:
        _over_layers(axes, lines, pen)
        axes.set_ylabel("bias ratio and variances")
    else:
        name, line = next(iter(lines.items()))
        _over_layers(axes, {f"{name} = {_floats(line)[-1]:.4g} at the output": line}, pen)
        axes.set_ylabel(GAMMA)


def design(axes: Any, designed: "Design", pen: Pen) -> None:
    """Draw gamma after every Dense of the designed network, and the target."""
    _over_layers(axes, {"designed": designed.prediction.per_layer.gamma}, pen)
    if pen.alone:
        axes.axhline(designed.target, color=LIMIT, lw=1, ls="--", label=f"wanted: {designed.target:.4g}")
    shown = f"{designed.value:.6g}" if np.ndim(designed.value) == 0 else f"{designed.value[0]:.4g}, ..."
    pen.title = f"{designed.vary} = {shown}"
    axes.set_ylabel(GAMMA)


def explanation(axes: Any, explained: "Explanation", pen: Pen) -> None:
    """Draw the share of the favoured class behind every layer of a PyTorch model: theory as lines, measured points.

    The title says why a line ends, or has a gap. Beside other explanations of the same model it is the theory and what
    was measured.
    """
    name, places, stream = "favoured", np.arange(1, len(explained.names) + 1), ~np.array(explained.branch)
    columns = {key: 100 * values for key, values in explained.columns().items() if "favoured" in key}
    predicted = columns[f"predicted_{name}"]
    look = pen.curve("theory, infinite width", several=True)
    axes.plot(places[stream], predicted[stream], **look)
    axes.plot(places[~stream], predicted[~stream], "_", ms=10, color=look["color"], label="_theory")
    if pen.alone:
        axes.axhline(100 * explained.favoured.even, color=LIMIT, lw=0.7, ls=":", label="without a bias")
    if pen.alone and (narrow := columns.get(f"at_widths_{name}")) is not None:
        drawn = np.isfinite(narrow)
        axes.plot(places[drawn], narrow[drawn], color=look["color"], ls="--", label="theory, its own widths")
    errors = columns[f"{name}_error"]
    positions = explained.positions or ((),) * len(places)
    for there, marker, text in ((stream, "o", "measured"), (~stream, "D", "measured in a branch")):
        if there.any():
            dots = {**pen.points(text, several=True), "marker": marker, "ms": 3.2, "elinewidth": 1, "capsize": 2}
            colour = LIMIT if pen.alone and pen.color is None else dots["color"]
            axes.errorbar(places[there], columns[name][there], errors[there], **{**dots, "color": colour})
    pen.names = tuple(map(_tick, explained.names, explained.layers, positions))
    axes.set_xticks(places, pen.names, rotation=90, fontsize=7)
    axes.set(xlabel="behind the layer of the model", ylabel="% given to the favoured class")
    told = "\n".join(fill(sentence, TITLE) for sentence in explained.unpredicted())
    axes.set_title(told if pen.alone else "", fontsize=6, loc="left")


def _tick(name: str, layer: str, positions: tuple[int, ...]) -> str:
    """Return the name of a layer, its kind and the shape of its positions."""
    kind = layer.removeprefix("Activation('").partition("(")[0].partition("'")[0]
    told = [kind, " x ".join(map(str, positions))]
    return f"{name} ({', '.join(filter(None, told))})" if any(told) else name


def gradients(axes: Any, backward: "Gradients", pen: Pen) -> None:
    """Draw the squared gradient by the units behind every Dense, for some networks of a sweep."""
    squared = _floats(backward.squared)
    rows = squared.reshape(len(squared), -1)
    chosen = some(np.arange(rows.shape[1]))
    label = "network {} of the sweep" if rows.shape[1] > 1 else "squared gradient"
    _over_layers(axes, {label.format(i + 1): rows[:, i] for i in chosen}, pen)
    axes.set_ylabel("$E\\,(\\partial O/\\partial Z_l)^2$")


def _over_layers(axes: Any, lines: dict[str, Any], pen: Pen) -> None:
    """Draw lines over the Dense layers, on a logarithmic axis if their values differ much, and the level 1."""
    values = {label: _floats(line) for label, line in lines.items()}
    dots, scale = all(len(line) <= DOTS for line in values.values()), _scale(np.concatenate(list(values.values())))
    for label, line in values.items():
        at, shown, look = np.arange(1, len(line) + 1), _shown(line, scale), pen.curve(label, several=len(values) > 1)
        axes.plot(at, shown, marker=pen.marker if dots else None, ms=3.5, **look)
    if pen.number == 0:
        level(axes, 1)
    axes.set(xlabel=LAYER, yscale=scale)
    pen.places = max(map(len, values.values()))


def _scale(values: Any) -> str:
    """Return the scale of an axis for these values: logarithmic if the positive ones differ much."""
    positive = values[values > 0]
    return "log" if positive.size and positive.max() > LOGARITHMIC * positive.min() else "linear"


def _shown(values: Any, scale: str) -> Any:
    """Return the values, with gaps where an axis of this scale cannot show them."""
    return gaps(values) if scale == "log" else values


def _floats(values: Any) -> Any:
    """Return numbers of any kind as floats, NaN for those that are not finite."""
    floats = np.asarray(values, dtype=float)
    return np.where(np.isfinite(floats), floats, np.nan)


def _sweep(axes: Any, predicted: "Prediction", pen: Pen) -> None:
    shape = np.shape(predicted.gamma)
    parameters = [_parameter(predicted, i) for i in range(len(shape)) if shape[i] > 1]
    match parameters:
        case [(name, values)]:
            _line(axes, name, values, _floats(predicted.gamma).ravel(), pen)
        case [(first, _), (second, _)] if first != second:
            pen.take_all("a map")
            _map(axes, predicted, dict(parameters))
        case _:  # more parameters, or parameters without a name
            gamma = _floats(predicted.gamma).ravel()
            _line(axes, "network of the sweep", np.arange(1, len(gamma) + 1), gamma, pen, between=False)


def _parameter(predicted: "Prediction", axis: int) -> tuple[str, Any]:
    """Return the name and values of a parameter that varies along this axis only, or else the place on the axis."""
    shape = np.shape(predicted.gamma)
    for name, column in predicted.columns().items():
        if name == "var_mu":
            break
        values = np.moveaxis(_floats(column).reshape(shape), axis, 0).reshape(shape[axis], -1)
        if np.all(values == values[:, :1]) and np.any(values != values[0]):
            return name, values[:, 0]
    return f"place on axis {axis}", np.arange(1, shape[axis] + 1)


def _line(axes: Any, name: str, x: Any, gamma: Any, pen: Pen, *, between: bool = True) -> None:
    """Draw gamma over a parameter; between: whether a line leads from value to value."""
    order, scale = np.argsort(x), _scale(gamma)
    look = pen.curve(GAMMA) if between else pen.points(GAMMA)
    dots = {"marker": pen.marker} if len(x) <= DOTS or not between else {}
    axes.plot(x[order], _shown(gamma, scale)[order], ms=3, **{**look, **dots})
    if pen.number == 0:
        level(axes, 1)
    axes.set(xlabel=PARAMETERS.get(name, name), ylabel=GAMMA, xscale=_spacing(x), yscale=scale)


def _spacing(x: Any) -> str:
    """Return the scale of an axis, linear or log, on which these values are more evenly spaced."""
    if x.min() <= 0 or x.max() < LOGARITHMIC * x.min():
        return "linear"
    even, ratios = (np.median(part) - (part.min() + part.max()) / 2 for part in (x / x.max(), np.log(x)))
    return "log" if abs(ratios) < abs(even) * np.log(x.max() / x.min()) else "linear"


def _map(axes: Any, predicted: "Prediction", parameters: dict[str, Any]) -> None:
    """Draw gamma over two parameters, with the variance of the weights, or else the last one, to the right."""
    gamma, (below, right) = np.asarray(predicted.gamma, dtype=float).squeeze(), parameters
    if below == "sigma_w2":
        gamma, (right, below) = gamma.T, (below, right)
    x, y = parameters[right], parameters[below]
    across, up = np.argsort(x), np.argsort(y)
    shades = gamma_map(axes, x[across], y[up], gamma[np.ix_(up, across)])
    axes.set(xlabel=PARAMETERS.get(right, right), ylabel=PARAMETERS.get(below, below))
    axes.set(xscale=_spacing(x), yscale=_spacing(y))
    whole_map(axes, shades, f"{len(predicted.per_layer.var_mu) - 1} hidden layers")


def comparison(axes: Any, compared: "Comparison", pen: Pen) -> None:
    """Draw the deviation of every row from theory in standard errors, over the layers."""
    if pen.number == 0:
        bands(axes.axhspan)
        axes.axhline(0, color=THEORY, lw=0.9)
    depth = (len(compared.rows) - 2) // 2
    shown = {"var_mu": NAMES["var_mu"], "var_chi": NAMES["var_chi"], "gamma": "$\\gamma$", "Var(G0)": "Var($G_0$)"}
    for shift, (name, label) in zip((-0.15, -0.05, 0.05, 0.15), shown.items(), strict=True):
        z = np.array([row.z for row in compared.rows if row.name.partition("[")[0] == name])
        axes.plot(np.arange(depth + 1 - len(z), depth + 1) + shift, z, ms=4, **pen.points(label, several=True))
    most = max(4.0, 1.1 * max((abs(row.z) for row in compared.rows if np.isfinite(row.z)), default=0.0))
    axes.set(ylim=(-most, most), xlabel=LAYER, ylabel=DEVIATION)
    pen.places = depth
