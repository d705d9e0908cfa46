"""Pictures of a few numbers: estimates with their intervals, factors, and numbers by the rank of a class."""

from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.guesses import ClassGuessLaw
from igbtheory.presentation.pictures.laws import BESIDE, by_place, draws_of
from igbtheory.presentation.pictures.marks import BINS, density, guesses_axis, histogram, level
from igbtheory.presentation.pictures.pen import Pen
from igbtheory.presentation.pictures.style import GREY, WIDTHS

if TYPE_CHECKING:
    from igbtheory.guesses.inference import GammaComparison, GammaEstimate
    from igbtheory.guesses.sampled import Estimate
    from igbtheory.networks.losses import LossAtStart
    from igbtheory.phases import ClassGradients, FixedPoint, Thresholds

FACTORS = {
    "slope_q": "$\\partial q'/\\partial q$",
    "slope_c": "$\\partial c'/\\partial c$",
    "chi_1": "$\\chi_1$",
    "chi_tilde_1": "$\\tilde\\chi_1$",
    "factor": "squared\ngradient",
}
LEAST_TOP = 2.2
"""Least height of an axis of densities of shares, which may have poles."""
RANKS = "class, the favoured one of each network first"


def estimate(axes: Any, estimated: "Estimate", pen: Pen) -> None:
    """Draw the values with their standard errors."""
    values, errors = np.ravel(estimated.value), np.ravel(estimated.error)
    look = {"ms": 3.2, "elinewidth": 1, "capsize": 2, **pen.points("estimate")}
    axes.errorbar(np.arange(1, len(values) + 1) + BESIDE * pen.number, values, errors, **look)
    axes.set(xlabel="number", ylabel="estimate with its standard error")
    pen.places = len(values)


def gamma_estimate(axes: Any, estimated: "GammaEstimate", pen: Pen) -> None:
    """Draw the observed guesses as a histogram, and their law at the estimate and at the ends of its interval."""
    shares = estimated.observed.shares()
    n_classes = 2 if shares.ndim == 1 else shares.shape[1]
    edges = np.linspace(0, 1, min(BINS, max(4, int(estimated.networks**0.5))) + 1)
    shown = shares if n_classes == 2 else shares.max(axis=1)
    histogram(axes, shown, edges, **pen.area(f"{estimated.networks} networks", several=True))
    top = max(LEAST_TOP, 1.3 * axes.get_ylim()[1])
    low, value, high = (_number(gamma) for gamma in (estimated.low, estimated.gamma, estimated.high))
    gammas = {f"$\\gamma_\\mathrm{{guess}}$ = {value}": estimated.gamma}
    if pen.alone:
        gammas |= {
            f"low end of {100 * estimated.level:.4g} %: {low}": estimated.low,
            f"high end: {high}": estimated.high,
        }
    for label, gamma in gammas.items():
        if n_classes == 2:
            density(axes, gamma, **pen.curve(label, several=True))
        else:
            largest = ClassGuessLaw(gamma, n_classes).rvs(draws_of(n_classes), 0).max(axis=-1)
            axes.stairs(np.histogram(largest, edges, density=True)[0], edges, **pen.curve(label, several=True))
    guesses_axis(axes, top)
    pen.above = True
    if n_classes > 2:
        axes.set(xlabel="largest share of a class", ylabel="density")


def _number(gamma: float) -> str:
    return f"{gamma:.3g}" if np.isfinite(gamma) else "$\\infty$"


def gamma_comparison(axes: Any, compared: "GammaComparison", pen: Pen) -> None:
    """Draw the ratio of the gammas with its interval, below those that are there."""
    _interval(axes, compared.ratio, compared, pen)
    axes.set(xlabel="ratio of the bias ratios of the guesses, $\\gamma_1/\\gamma_2$")
    pen.title = f"test that it is 1: p = {compared.pvalue:.3g}"


def _interval(axes: Any, value: float, interval: Any, pen: Pen) -> None:
    """Draw a positive number with its interval on a logarithmic axis, with arrows for ends at 0 and infinity.

    Several intervals stand below each other.
    """
    ends = np.array([interval.low, value, interval.high])
    positive = ends[(ends > 0) & np.isfinite(ends)]
    low, high = min(positive.min(initial=1.0), 1.0) / 3, max(positive.max(initial=1.0), 1.0) * 3
    left, middle, right = np.clip(ends, low, high)
    points = pen.points(f"estimate {value:.4g}")
    color = WIDTHS[1] if pen.alone and pen.color is None else points["color"]
    text = f"{100 * interval.level:.4g} % interval" if pen.alone else ""
    axes.plot([left, right], [-pen.number, -pen.number], color=color, lw=1.6, label=text)
    for x, inside, sign in ((left, interval.low > 0, "<"), (right, interval.high < np.inf, ">")):
        axes.plot([x], [-pen.number], "|" if inside else sign, ms=10, mew=1.6, color=color, clip_on=False)
    if not np.isnan(value):
        axes.plot([middle], [-pen.number], clip_on=False, **points)
    if pen.number == 0:
        axes.axvline(1, color=GREY, lw=0.7, zorder=0)
    axes.set(xscale="log", xlim=(low / 1.5, high * 1.5), ylim=(-pen.number - 1, 1), yticks=[], ylabel="interval")


def fixed_point(axes: Any, point: "FixedPoint", pen: Pen) -> None:
    """Draw the factors of a layer at the fixed point, and the line 1 above which differences grow."""
    factors = [getattr(point, name) for name in FACTORS]
    axes.plot(range(len(factors)), factors, **pen.points(f"$q$ = {point.q:.4g}"))
    if pen.number == 0:
        level(axes, 1)
    axes.set_xticks(range(len(factors)), FACTORS.values())
    pen.title = f"$q$ = {point.q:.4g}, $c$ = {point.c:.4g}, {'attracts' if point.stable else 'repels'}"
    axes.set(xlabel="at the fixed point", ylabel="factor of a layer", xlim=(-0.5, len(factors) - 0.5))
    axes.set_ylim(1.1 * np.nanmin([0, *factors]), 1.15 * np.nanmax([1, *factors]))


def thresholds(axes: Any, limits: "Thresholds", pen: Pen) -> None:
    """Draw both thresholds at every given variance of the units."""
    for size, name in ((9, "forward"), (5, "backward")):
        values = np.ravel(getattr(limits, name))
        axes.plot(np.arange(1, len(values) + 1), values, ms=size, mfc="none", **pen.points(name, several=True))
    axes.set(xlabel="variance of the units, in the order given", ylabel="variance of the weights $\\sigma_w^2$")
    axes.set_ylim(0, None)
    pen.places = len(values)


def loss(axes: Any, at_start: "LossAtStart", pen: Pen) -> None:
    """Draw the mean gradient at the logit of every class; descent lowers a logit if its gradient is positive."""
    if pen.number == 0:
        axes.axhline(0, color=GREY, lw=0.7, zorder=0)
    by_place(axes, at_start.gradient.draws, RANKS, pen)
    axes.set_ylabel("mean gradient at the logit")
    pen.title = repr(at_start.loss)


def class_gradients(axes: Any, gradients: "ClassGradients", pen: Pen) -> None:
    """Draw the squared gradient at the logits for the data of every class, from draws."""
    by_place(axes, gradients.rvs(draws_of(gradients.n_classes), 0), RANKS, pen)
    if pen.alone:
        axes.axhline(gradients.mean, color=GREY, lw=0.7, zorder=0)
    axes.set(ylabel="squared gradient $E\\,(p - e_k)^2$", ylim=(0, None))
