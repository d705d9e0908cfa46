"""Pictures of a few numbers: estimates with their intervals, factors, and numbers by the rank of a class."""

from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.presentation.pictures.laws import by_place, draws_of
from igbtheory.presentation.pictures.marks import OF_GUESSES, level, places_axis, points
from igbtheory.presentation.pictures.style import GREY, SERIES, THEORY, WIDTHS

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
RANKS = "class, the favoured one of each network first"


def estimate(axes: Any, estimated: "Estimate") -> None:
    """Draw the values with their standard errors."""
    values, errors = np.ravel(estimated.value), np.ravel(estimated.error)
    points(axes, np.arange(1, len(values) + 1), values, errors, color=THEORY)
    axes.set(xlabel="number", ylabel="estimate with its standard error")
    places_axis(axes, len(values))


def gamma_estimate(axes: Any, estimated: "GammaEstimate") -> None:
    """Draw gamma, which is that of the guesses, with its interval."""
    _interval(axes, estimated.gamma, estimated)
    axes.set(xlabel=OF_GUESSES, title=f"{estimated.networks} networks")


def gamma_comparison(axes: Any, compared: "GammaComparison") -> None:
    """Draw the ratio of the gammas with its interval."""
    _interval(axes, compared.ratio, compared)
    axes.set(
        xlabel="ratio of the bias ratios of the guesses, $\\gamma_1/\\gamma_2$",
        title=f"test that it is 1: p = {compared.pvalue:.3g}",
    )


def _interval(axes: Any, value: float, interval: Any) -> None:
    """Draw a positive number with its interval on a logarithmic axis, with arrows for ends at 0 and infinity."""
    ends = np.array([interval.low, value, interval.high])
    positive = ends[(ends > 0) & np.isfinite(ends)]
    low, high = min(positive.min(initial=1.0), 1.0) / 3, max(positive.max(initial=1.0), 1.0) * 3
    left, middle, right = np.clip(ends, low, high)
    axes.plot([left, right], [0, 0], color=WIDTHS[1], lw=1.6, label=f"{100 * interval.level:.4g} % interval")
    for x, inside, sign in ((left, interval.low > 0, "<"), (right, interval.high < np.inf, ">")):
        axes.plot([x], [0], "|" if inside else sign, ms=10, mew=1.6, color=WIDTHS[1], clip_on=False)
    if not np.isnan(value):
        axes.plot([middle], [0], "o", color=THEORY, label=f"estimate {value:.4g}", clip_on=False)
    axes.axvline(1, color=GREY, lw=0.7, zorder=0)
    axes.set(xscale="log", xlim=(low / 1.5, high * 1.5), ylim=(-1, 1), yticks=[], ylabel="interval")
    axes.legend(loc="upper right")


def fixed_point(axes: Any, point: "FixedPoint") -> None:
    """Draw the factors of a layer at the fixed point, and the line 1 above which differences grow."""
    factors = {label: getattr(point, name) for name, label in FACTORS.items() if np.isfinite(getattr(point, name))}
    axes.plot(range(len(factors)), list(factors.values()), "o", color=THEORY)
    level(axes, 1)
    axes.set_xticks(range(len(factors)), list(factors))
    said = "attracts" if point.stable else "repels"
    axes.set(
        xlabel="at the fixed point",
        ylabel="factor of a layer",
        title=f"$q$ = {point.q:.4g}, $c$ = {point.c:.4g}, {said}",
    )
    axes.set(
        xlim=(-0.5, len(factors) - 0.5), ylim=(min(0, *factors.values(), 0) * 1.1, 1.15 * max(1, *factors.values()))
    )


def thresholds(axes: Any, limits: "Thresholds") -> None:
    """Draw both thresholds at every given variance of the units."""
    for number, name in enumerate(("forward", "backward")):
        values = np.ravel(getattr(limits, name))
        how = {"color": SERIES[number]["color"], "ms": 9 - 4 * number, "mfc": "none"}
        axes.plot(np.arange(1, len(values) + 1), values, "os"[number], label=name, **how)
    axes.set(xlabel="variance of the units, in the order given", ylabel="variance of the weights $\\sigma_w^2$")
    axes.set_ylim(0, None)
    places_axis(axes, len(values))
    axes.legend(loc="best")


def loss(axes: Any, at_start: "LossAtStart") -> None:
    """Draw the mean gradient at the logit of every class; descent lowers a logit if its gradient is positive."""
    axes.axhline(0, color=GREY, lw=0.7, zorder=0)
    by_place(axes, at_start.gradient.draws, RANKS)
    axes.set(ylabel="mean gradient at the logit", title=repr(at_start.loss))


def class_gradients(axes: Any, gradients: "ClassGradients") -> None:
    """Draw the squared gradient at the logits for the data of every class, from draws."""
    by_place(axes, gradients.rvs(draws_of(gradients.n_classes), 0), RANKS)
    axes.axhline(gradients.mean, color=GREY, lw=0.7, zorder=0)
    axes.set(ylabel="squared gradient $E\\,(p - e_k)^2$", ylim=(0, None))
