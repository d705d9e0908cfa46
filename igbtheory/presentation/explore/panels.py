"""The pictures of the page, each with a sentence that says what it shows."""

from dataclasses import dataclass
from functools import cache
from typing import Any, final

import numpy as np

from igbtheory.guesses.share_of_class_0 import GuessLaw
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.networks.simulation import Simulation
from igbtheory.networks.width.result import WidthPrediction
from igbtheory.phases import backward_line, gradients, no_edge_of_chaos
from igbtheory.presentation.explore import charts
from igbtheory.presentation.explore.settings import Settings
from igbtheory.presentation.pictures.marks import places
from igbtheory.presentation.pictures.style import GREY, LIMIT, REGIONS, THEORY
from igbtheory.theory.prediction import Prediction

DRAWS = 2000
"""Number of draws of G0 on a data set, where its law has no formula."""
INITIALISATIONS = 400
"""Number of draws of the shares of ten classes: means have errors of a twentieth of a standard deviation."""
CLASSES = 10
"""Number of classes of the picture of shares, as in the usual data sets of images."""
LARGE = 0.9
"""Share of the data for one class; the page says how many networks reach it."""
TALLEST = 4.0
"""Height of the axis for a density of G0 with poles."""
ALONG = 41
"""Points of the edge of chaos, which is drawn as straight lines between them."""
STEEP = 20.0
"""Bias ratio above which its axis is logarithmic."""
SMALLEST = 1e-9
"""Smallest variance of the biases on the edge of chaos: without biases some networks lie on it everywhere."""
TINY = 1e-6
"""Variance of the weights on the edge of chaos below which it counts as 0."""
WIDEST = 4.0, 0.5
"""Smallest ends of the axes of both variances."""
THEORETICAL, THEORETICAL_NARROW = "theory, infinite width", "theory, finite width"
WEIGHTS, BIASES = "variance of the weights σ<sub>w</sub>²", "variance of the biases σ<sub>b</sub>²"


@final
@dataclass(frozen=True)
class Panel:
    """A picture and the sentence below it, or the sentence alone if there is nothing to draw."""

    caption: str
    figure: dict[str, Any] | None = None


def beside(panel: Panel, pinned: Panel) -> Panel:
    """Return a panel with the theory of infinite width of a pinned network beside its own."""
    figure = charts.joined(panel.figure, pinned.figure) if panel.figure and pinned.figure else panel.figure
    return Panel(f"{panel.caption} Pinned: {pinned.caption}", figure)


def law(prediction: Prediction, narrow: WidthPrediction | None, finite: Simulation | None) -> Panel:
    """Return the density of G0, or on a data set a histogram of draws, with that of finite width and of networks."""
    guesses, gamma = prediction.G0, float(prediction.gamma_guess)
    if prediction.dataset is None:
        majority, often = float(guesses.majority()), 2 * float(guesses.cdf(1 - LARGE))
        x, y = ([0.5, 0.5], [0.0, TALLEST]) if gamma == 0 else (places(guesses), guesses.pdf(places(guesses)))
        top = TALLEST if gamma > 1 else max(1.5, 1.1 * float(np.max(y)))
        traces = [charts.line(x, y, THEORETICAL, mode="lines")]
    else:
        shares = guesses.rvs(DRAWS, 0)
        largest = np.maximum(shares, 1 - shares)
        majority, often = float(largest.mean()), float((largest >= LARGE).mean())
        centres, heights, _ = charts.histogram(shares)
        top = 1.1 * float(np.max(heights))
        traces = [charts.bars(centres, heights, THEORETICAL)]
    if narrow is not None:
        traces.append(_narrow_law(narrow))
    if finite is not None:
        traces.append(charts.points(*charts.histogram(finite.G0), f"finite networks, width {finite.width}"))
    shape = {"neutral": "one peak at 1/2", "prejudiced": "two peaks, at 0 and 1"}.get(str(prediction.regime), "uniform")
    if gamma == 0 or prediction.dataset is not None:  # on a data set gamma does not decide the shape
        shape = "all mass at 1/2" if gamma == 0 else f"{DRAWS} draws"
    symbol = "γ" if prediction.dataset is None else "γ of the guesses"
    caption = (
        f"{symbol} = {gamma:.4g}: {shape}. The favoured class gets {majority:.1%} of the data on average, and at least "
        f"{LARGE:.0%} in {often:.0%} of the networks."
    )
    axes: dict[str, Any] = {"xaxis": {"range": [0, 1]}, "yaxis": {"range": [0, top]}}
    return Panel(caption, charts.figure(traces, "fraction G₀ given to class 0", "density f<sub>G₀</sub>", **axes))


def _narrow_law(narrow: WidthPrediction) -> dict[str, Any]:
    """Return the density of G0 at finite width, or on a data set a histogram of draws as a line."""
    guesses: Any = narrow.G0
    if guesses.source.independent:
        g = places(GuessLaw(float(narrow.gamma_guess)))
        return charts.line(g, guesses.pdf(g), THEORETICAL_NARROW, mode="lines", line=charts.NARROW)
    centres, heights, _ = charts.histogram(guesses.rvs(DRAWS, 0))
    return charts.line(centres, heights, THEORETICAL_NARROW, mode="lines", line={**charts.NARROW, "shape": "hvh"})


def ratio(prediction: Prediction, narrow: WidthPrediction | None, finite: Simulation | None) -> Panel:
    """Return gamma after every Dense layer, in theory, in the theory of finite width and of finite networks."""
    gamma = np.asarray(prediction.per_layer.gamma, dtype=float)
    caption = f"γ goes from {gamma[0]:.4g} to {gamma[-1]:.4g} at the output."
    if narrow is not None:
        caption += f" At finite width it is {narrow.gamma:.4g} there, and {narrow.gamma_guess:.4g} of the guesses."
    layer, axis = np.arange(1, len(gamma) + 1), {"rangemode": "tozero"}
    if np.any(gamma[np.isfinite(gamma)] > STEEP):
        gamma, axis = np.where(gamma > 0, gamma, np.nan), _decades(gamma)
    traces = [charts.line(layer, gamma, THEORETICAL)]
    if narrow is not None:
        traces.append(charts.line(layer, narrow.per_layer.gamma, THEORETICAL_NARROW, line=charts.NARROW))
    if finite is not None:
        simulated = finite.per_layer
        traces.append(
            charts.points(layer, simulated.gamma, simulated.gamma_error, f"finite networks, width {finite.width}")
        )
    return Panel(caption, _over_layers(traces, "bias ratio γ", axis, level=1.0))


def correlation(prediction: Prediction) -> Panel:
    """Return the correlation of two data after every Dense layer."""
    c = np.asarray(prediction.per_layer.c, dtype=float)
    traces = [charts.line(np.arange(1, len(c) + 1), c, "")]
    caption = f"An output for two different data has the correlation c = {c[-1]:.4g}; at c = 1 all data look alike."
    return Panel(caption, _over_layers(traces, "correlation c", {"range": [min(0.0, *c) - 0.02, 1.03]}))


def growth(settings: Settings, inputs: Any) -> Panel:
    """Return the squared gradient by the units of every Dense layer, for given data at their mean square."""
    where = ""
    if settings.data is not None:
        if settings.norm == "batch":
            return Panel("Gradients behind a batch norm are known for Gaussian inputs only; choose those to see them.")
        inputs = GaussianInputs(variance=float(np.mean(inputs**2)))
        where = f", at a datum of the mean square {inputs.variance:.3g}"
    try:
        backward = gradients(settings.network(), inputs)
    except ValueError as reason:
        return Panel(f"No gradients: {reason}.")
    squared = np.asarray(backward.squared, dtype=float)
    traces = [charts.line(np.arange(1, len(squared) + 1), squared, "")]
    says = f"Going back by one layer multiplies squared gradients by {float(backward.growth):.4g} on average{where}."
    return Panel(says, _over_layers(traces, "E (∂O/∂Z<sub>l</sub>)²", _decades(squared)))


def place(settings: Settings) -> Panel:
    """Return the place of the network in the plane of both variances, with the backward threshold."""
    w2, b2 = (max(end, 1.25 * value) for end, value in zip(WIDEST, (settings.sigma_w2, settings.sigma_b2), strict=True))
    marker = {"color": LIMIT, "size": 13, "symbol": "diamond", "line": {"color": "white", "width": 1}}
    where = {"x": [settings.sigma_w2], "y": [settings.sigma_b2], "name": "this network"}
    traces = [{**where, "mode": "markers", "marker": marker, "cliponaxis": False}]
    try:
        biases, threshold = _threshold(settings.activation, settings.norm, settings.placement, settings.pool, b2)
    except ValueError as reason:
        says = f"No edge of chaos: {reason}."
    else:
        here = float(np.interp(settings.sigma_b2, biases, threshold))
        edge = _edge(settings.activation, settings.norm, settings.placement, settings.pool, settings.sigma_b2)
        says = (
            f"In deep networks with this variance of the biases gradients vanish left of {here:.3g} and explode right "
            f"of it{edge}."
        )
        if here < TINY:
            says = "Without biases the norm divides the variance of the weights out: all are on the edge of chaos."
        if not np.isfinite(here):
            says = "There is no edge of chaos at this variance of the biases."
        black = {"color": THEORY, "dash": "dash", "width": 2}
        shade = {"fill": "tozerox", "fillcolor": REGIONS[1]}
        traces.insert(0, charts.line(threshold, biases, "backward threshold", mode="lines", line=black, **shade))
    axes = {"xaxis": {"range": [0, w2]}, "yaxis": {"range": [0, b2]}}
    return Panel(says, charts.figure(traces, WEIGHTS, BIASES, **axes))


@cache
def _threshold(activation: str, norm: Any, placement: Any, pool: int | None, widest: float) -> Any:
    """Return sigma_b2 up to the widest, denser near 0, and sigma_w2 at which squared gradients keep their size."""
    biases = np.linspace(0, 1, ALONG) ** 2 * widest + SMALLEST
    return biases, backward_line(activation, biases, norm=norm, placement=placement, pool=pool)


@cache
def _edge(activation: str, norm: Any, placement: Any, pool: int | None, sigma_b2: float) -> str:
    """Return in words whether the threshold is an edge of chaos."""
    why = no_edge_of_chaos(activation, sigma_b2, norm=norm, placement=placement, pool=pool)
    return ": it is no edge of chaos, as the variance does not settle there" if why else ": it is the edge of chaos"


def classes(prediction: Prediction) -> Panel:
    """Return the mean shares of ten classes, the favoured one of each network first."""
    shares = prediction.guesses(CLASSES).ranked(INITIALISATIONS, 0).mean()
    ranks = np.arange(1, CLASSES + 1)
    error = {"type": "data", "array": charts.plain(shares.error), "color": THEORY, "thickness": 1, "width": 3}
    traces = [charts.bars(ranks, shares.value, "", error_y=error)]
    first = f"{shares.value[0]:.1%} ± {shares.error[0]:.1%}"
    caption = f"Of ten classes the favoured one gets {first} of the data; without bias each gets 10.0%."
    axes: dict[str, Any] = {"xaxis": {"dtick": 1}, "shapes": [_level(1 / CLASSES)], "bargap": 0.25}
    return Panel(caption, charts.figure(traces, "class, the favoured one first", "mean share of the data", **axes))


def _over_layers(traces: list[dict[str, Any]], y: str, axis: dict[str, Any], level: float | None = None) -> Any:
    shapes = [] if level is None else [_level(level)]
    xaxis = {"dtick": 1} if len(traces[0]["x"]) <= 10 else {"nticks": 8}
    return charts.figure(traces, "Dense layer, the output last", y, xaxis=xaxis, yaxis=axis, shapes=shapes)


def _decades(values: Any) -> dict[str, Any]:
    """Return a logarithmic axis of whole decades, which contains 0.1 to 10."""
    positive = values[np.isfinite(values) & (values > 0)]
    low, high = np.floor(np.log10(positive.min(initial=1.0)) - 0.1), np.ceil(np.log10(positive.max(initial=1.0)) + 0.1)
    return {"type": "log", "range": [low, high], "dtick": max(1, (high - low) // 5)}


def _level(y: float) -> dict[str, Any]:
    """Return a thin line across a picture."""
    line = {"color": GREY, "width": 1.2, "dash": "dot"}
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": line, "layer": "below"}
