"""Pictures of a few numbers: estimates with their intervals, factors, and numbers by the rank of a class."""

from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.presentation.pictures.laws import by_place, draws_of
from igbtheory.presentation.pictures.marks import GAMMA, level, places_axis, points
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


def estimate(axes: Any, found: "Estimate") -> None:
    """Draw the values with their standard errors."""
    values, errors = np.ravel(found.value), np.ravel(found.error)
    points(axes, np.arange(1, len(values) + 1), values, errors, color=THEORY)
    axes.set(xlabel="number", ylabel="estimate with its standard error")
    places_axis(axes, len(values))


def gamma_estimate(axes: Any, found: "GammaEstimate") -> None:
    """Draw gamma with its interval."""
    _interval(axes, found.gamma, found)
    axes.set(xlabel=GAMMA, title=f"{found.networks} networks")


def gamma_comparison(axes: Any, found: "GammaComparison") -> None:
    """Draw the ratio of the gammas with its interval."""
    _interval(axes, found.ratio, found)
    axes.set(
        xlabel="ratio of the bias ratios, $\\gamma_1/\\gamma_2$", title=f"test that it is 1: p = {found.pvalue:.3g}"
    )


def _interval(axes: Any, value: float, found: Any) -> None:
    """Draw a positive number with its interval on a logarithmic axis, with arrows for ends at 0 and infinity."""
    ends = np.array([found.low, value, found.high])
    known = ends[(ends > 0) & np.isfinite(ends)]
    low, high = min(known.min(initial=1.0), 1.0) / 3, max(known.max(initial=1.0), 1.0) * 3
    left, middle, right = np.clip(ends, low, high)
    axes.plot([left, right], [0, 0], color=WIDTHS[1], lw=1.6, label=f"{100 * found.level:.4g} % interval")
    for x, inside, sign in ((left, found.low > 0, "<"), (right, found.high < np.inf, ">")):
        axes.plot([x], [0], "|" if inside else sign, ms=10, mew=1.6, color=WIDTHS[1], clip_on=False)
    if not np.isnan(value):
        axes.plot([middle], [0], "o", color=THEORY, label=f"estimate {value:.4g}", clip_on=False)
    axes.axvline(1, color=GREY, lw=0.7, zorder=0)
    axes.set(xscale="log", xlim=(low / 1.5, high * 1.5), ylim=(-1, 1), yticks=[], ylabel="interval")
    axes.legend(loc="upper right")


def fixed_point(axes: Any, found: "FixedPoint") -> None:
    """Draw the factors of a layer at the fixed point, and the line 1 above which differences grow."""
    known = {label: getattr(found, name) for name, label in FACTORS.items() if np.isfinite(getattr(found, name))}
    axes.plot(range(len(known)), list(known.values()), "o", color=THEORY)
    level(axes, 1)
    axes.set_xticks(range(len(known)), list(known))
    said = "attracts" if found.stable else "repels"
    axes.set(
        xlabel="at the fixed point",
        ylabel="factor of a layer",
        title=f"$q$ = {found.q:.4g}, $c$ = {found.c:.4g}, {said}",
    )
    axes.set(xlim=(-0.5, len(known) - 0.5), ylim=(min(0, *known.values(), 0) * 1.1, 1.15 * max(1, *known.values())))


def thresholds(axes: Any, found: "Thresholds") -> None:
    """Draw both thresholds at every given variance of the units."""
    for number, name in enumerate(("forward", "backward")):
        values = np.ravel(getattr(found, name))
        how = {"color": SERIES[number]["color"], "ms": 9 - 4 * number, "mfc": "none"}
        axes.plot(np.arange(1, len(values) + 1), values, "os"[number], label=name, **how)
    axes.set(xlabel="variance of the units, in the order given", ylabel="variance of the weights $\\sigma_w^2$")
    axes.set_ylim(0, None)
    places_axis(axes, len(values))
    axes.legend(loc="best")


def loss(axes: Any, found: "LossAtStart") -> None:
    """Draw the mean gradient at the logit of every class; descent lowers a logit if its gradient is positive."""
    axes.axhline(0, color=GREY, lw=0.7, zorder=0)
    by_place(axes, found.gradient.draws, RANKS)
    axes.set(ylabel="mean gradient at the logit", title=repr(found.loss))


def class_gradients(axes: Any, found: "ClassGradients") -> None:
    """Draw the squared gradient at the logits for the data of every class, from draws."""
    by_place(axes, found.rvs(draws_of(found.n_classes), 0), RANKS)
    axes.axhline(found.mean, color=GREY, lw=0.7, zorder=0)
    axes.set(ylabel="squared gradient $E\\,(p - e_k)^2$", ylim=(0, None))
