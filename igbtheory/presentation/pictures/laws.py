"""Pictures of laws of guesses: densities, probabilities of counts, and histograms of draws and simulations."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from igbtheory.guesses.bias_of_guesses import gamma_of_variance
from igbtheory.guesses.share_of_class_0 import GuessLaw
from igbtheory.presentation.pictures.marks import (
    BINS,
    density,
    edges_of,
    guesses_axis,
    histogram,
    panel_edges,
    places,
    predicted,
    reach,
)
from igbtheory.presentation.pictures.pen import Pen
from igbtheory.presentation.pictures.style import GREY, LIMIT, LOGARITHMIC, SERIES, WIDTHS

if TYPE_CHECKING:
    from igbtheory.guesses import AccuracyBounds
    from igbtheory.guesses.finite import FiniteGuessLaw
    from igbtheory.guesses.own_shares import SharesComparison
    from igbtheory.guesses.sampled import SampledLaw
    from igbtheory.networks.control import Drawn
    from igbtheory.networks.simulation import Simulation
    from igbtheory.theory.derivation import Derivation
    from igbtheory.torch import Measurement

NUMBERS, FEWEST, MOST = 10_000, 100, 2000
"""Number of shares to draw from a law without a formula, and the smallest and largest number of its draws."""
BESIDE = 0.12
"""Distance between the places at which two results stand, where neighbours are 1 apart."""
COUNTS = 401
"""Largest number of counts whose probabilities are drawn."""


def some(values: Any) -> Any:
    """Return the distinct values, ascending, but at most as many as there are kinds of lines."""
    distinct = np.unique(values)
    return (
        distinct
        if len(distinct) <= len(SERIES)
        else distinct[np.linspace(0, len(distinct) - 1, len(SERIES)).astype(int)]
    )


def guess_law(axes: Any, law: GuessLaw, pen: Pen) -> None:
    """Draw the density of G0 for some gammas of a sweep, or for a single one with the distribution function.

    Of networks of unlike gammas it is one density, and of outputs at data a histogram of draws.
    """
    if not law.source.independent:
        _histogram(axes, law, pen)
        return
    if not hasattr(law.source, "gamma"):
        _varied(axes, law, pen)
        return
    gammas = some(law.gamma)
    for gamma in gammas:
        density(axes, gamma, **pen.curve(f"$\\gamma$ = {gamma:.4g}", several=len(gammas) > 1))
    peak = max((gamma**-0.5 for gamma in gammas if 0 < gamma < 1), default=1.0)
    guesses_axis(axes, 1.3 * max(peak, 2.3))
    half = reach(float(np.max(law.std())))
    axes.set_xlim(0.5 - half, 0.5 + half)
    if len(gammas) == 1 and pen.alone:
        atoms = {0: ": all mass at 1/2", np.inf: ": half of the mass at 0, half at 1"}
        pen.title = f"$\\gamma$ = {gammas[0]:.4g}{atoms.get(gammas[0], '')}"
        _distribution(axes.twinx(), GuessLaw(gammas[0]))


def _distribution(axes: Any, law: GuessLaw) -> None:
    colour, g = WIDTHS[1], places(law) if 0 < law.gamma < np.inf else np.array([0, 0.5, 1])
    steps = "default" if len(g) > 3 else "steps-post"
    axes.plot([0, *g], [0, *law.cdf(g)], color=colour, lw=0.9, ls="--", drawstyle=steps)
    axes.set(ylim=(0, 1))
    axes.set_ylabel("probability of at most $g$ (dashed)", color=colour)
    axes.tick_params(axis="y", colors=colour)
    axes.spines["right"].set(visible=True, color=colour)


def _varied(axes: Any, law: GuessLaw, pen: Pen) -> None:
    """Draw the density of G0 at finite width."""
    g = places(GuessLaw(float(gamma_of_variance(law.var()))))
    axes.plot(g, law.pdf(g), **pen.curve("finite width"))
    guesses_axis(axes, 1.3 * max(float(np.median(law.pdf(g))), 2.3))


def derivation(axes: Any, derived: "Derivation", pen: Pen) -> None:
    """Draw the density of G0. TypeError: gamma contains symbols."""
    guess_law(axes, GuessLaw(derived.value()), pen)


def count_law(axes: Any, law: "FiniteGuessLaw", pen: Pen) -> None:
    """Draw the probabilities of the counts, or of some of them as a line if there are many."""
    half = reach(float(np.max(law.std())) / law.D) * law.D
    low, high = max(0, np.ceil(0.5 * law.D - half)), min(law.D, np.floor(0.5 * law.D + half))
    k = np.unique(np.linspace(low, high, COUNTS).round())
    gamma = np.ravel(np.nan if law.coupled else getattr(law.source, "gamma", np.nan))
    shown = some(gamma)
    columns = [int(np.argmax((gamma == one) | np.isnan(one))) for one in shown]
    probabilities = np.reshape(law.pmf(k.reshape(-1, *[1] * np.ndim(law.mean()))), (len(k), -1))[:, columns]
    for one, values in zip(shown, probabilities.T, strict=True):
        label = "" if np.isnan(one) else f"$\\gamma$ = {one:.3g}"
        if high - low >= len(k):
            axes.plot(k, values, **pen.curve(label, several=len(shown) > 1))
        elif len(shown) > 1 or not pen.alone:
            axes.stairs(values, [*(k - 0.5), high + 0.5], **pen.curve(label, several=len(shown) > 1))
        else:
            axes.stairs(values, [*(k - 0.5), high + 0.5], fill=True, **pen.area(label))
    top, middle = probabilities.max(), probabilities[len(k) // 2].min()
    axes.set(xlim=(low - 0.5, high + 0.5), ylim=(0, 1.15 * top), ylabel="probability")
    if top > LOGARITHMIC * middle > 0:
        axes.set(yscale="log", ylim=(middle / 3, 3 * top))
    axes.set_xlabel(f"data given to class 0, $k$ of $D$ = {law.D:,}")
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    if len(shown) == 1 and not np.isnan(shown[0]):
        pen.title = f"$\\gamma$ = {shown[0]:.3g}"


def _histogram(axes: Any, law: GuessLaw, pen: Pen) -> None:
    """Draw the histogram of draws of G0 from outputs at data, with bars of one standard error."""
    half = reach(float(np.hypot(law.std(), law.mean() - 0.5)))
    draws = law.rvs(MOST, 0)
    histogram(axes, draws, edges_of(0.5 - half, 0.5 + half, law.source.size, 2 * BINS), **pen.area(f"{MOST} draws"))
    guesses_axis(axes, low=0.5 - half)


def simulation(axes: Any, ensemble: "Simulation", pen: Pen) -> None:
    """Draw the histogram of G0 of finite networks, and the predicted law."""
    law = ensemble.network.predict(ensemble.inputs).G0
    edges = panel_edges(ensemble.G0, ensemble.samples, law)
    histogram(axes, ensemble.G0, edges, **pen.area(f"finite networks, width {ensemble.width}"))
    if pen.alone:
        predicted(axes, law, ensemble.samples, edges)
    guesses_axis(axes, low=edges[0])


def own_shares(axes: Any, beside: "SharesComparison", pen: Pen) -> None:
    """Draw the histogram of the shares of networks of your own, and that of draws of the law."""
    both, bins = np.concatenate([beside.shares, beside.drawn]), min(BINS, max(2, int(len(beside.shares) ** 0.5)))
    low, high = both.min(), both.max()
    edges = np.linspace(low, high, bins + 1) if beside.D is None else edges_of(low, high, beside.D, bins)
    histogram(axes, beside.shares, edges, **pen.area("own networks"))
    if pen.alone:
        _stairs(axes, beside.drawn, edges, **pen.curve("theory"))
        pen.title = f"{len(beside.shares)} networks, p = {beside.pvalue:.2g}"
    what = "class 0" if beside.n_classes == 2 else "the favoured class"
    axes.set(xlim=(edges[0], edges[-1]), ylim=(0, None), xlabel=f"share of {what}", ylabel="density")


def measurement(axes: Any, models: "Measurement", pen: Pen) -> None:
    """Draw the histogram of the share of class 0 and, for more than two classes, of the largest share."""
    edges = edges_of(0, 1, models.samples, min(BINS, max(2, int(models.networks**0.5))))
    histogram(axes, models.G0, edges, **pen.area("label 0" if models.multi_label else "class 0"))
    if models.n_classes > 2 and pen.alone:
        _stairs(axes, models.majorities, edges, **pen.curve("largest share"))
    if pen.alone:
        axes.axvline(1 / (2 if models.multi_label else models.n_classes), color=GREY, lw=0.9, ls=":")
    guesses_axis(axes)


def drawn(axes: Any, ensemble: "Drawn", pen: Pen) -> None:
    """Draw the weighted histogram of G0 in its window, with bars of one standard error."""
    low, high = ensemble.window
    edges = edges_of(low, high, len(ensemble.data), min(BINS, max(1, int(len(ensemble.G0) ** 0.5))))
    heights, errors = (np.histogram(ensemble.G0, edges, weights=ensemble.weights**power)[0] for power in (1, 2))
    wide, centres = np.diff(edges), (edges[:-1] + edges[1:]) / 2
    if pen.alone:
        axes.axvspan(low, high, color="#F0F0F0", lw=0)
    axes.bar(centres, heights / wide, wide, **pen.area("drawn networks"))
    axes.errorbar(centres, heights / wide, np.sqrt(errors) / wide, fmt="none", ecolor=WIDTHS[1], elinewidth=0.8)
    guesses_axis(axes)
    axes.set_ylabel("density given the window")


def class_law(axes: Any, law: Any, pen: Pen) -> None:
    """Draw histograms of the share of one class and of the largest share, or for a sweep the standard deviation."""
    size = getattr(law, "D", getattr(law.source, "size", np.inf))
    gamma = getattr(law.source, "gamma", 0.0)
    what = "mean probability" if hasattr(law, "temperature") else "share"
    if np.ndim(gamma):
        order = np.argsort(np.ravel(gamma))
        axes.plot(
            np.ravel(gamma)[order], np.ravel(law.std() / law.total)[order], **pen.curve(f"{law.n_classes} classes")
        )
        axes.set(xlabel="bias ratio $\\gamma$", ylabel=f"standard deviation of the {what} of a class")
        axes.set_ylim(0, None)
        return
    draws = law.rvs(draws_of(law.n_classes), 0) / law.total
    high = 1.0 if draws.max() > 0.5 else 1.1 * draws.max()
    edges = np.linspace(0, high, BINS + 1) if np.isinf(size) else edges_of(0, high, size, BINS)
    if pen.alone:
        _stairs(axes, draws, edges, fill=True, **pen.area(f"{what} of a class"))
        axes.axvline(1 / law.n_classes, color=GREY, lw=0.9, ls=":", label=f"1/{law.n_classes}")
    _stairs(axes, draws.max(axis=-1), edges, **pen.curve(f"largest {what}"))
    axes.set(xlim=(0, high), xlabel=f"{what} of the data" if what == "share" else what, ylabel="density")
    pen.title, pen.above = f"{law.n_classes} classes, {len(draws)} draws", True


def draws_of(n_classes: int) -> int:
    """Return the number of draws that show the law of this many classes."""
    return int(np.clip(NUMBERS // n_classes, FEWEST, MOST))


def _stairs(axes: Any, draws: Any, edges: Any, **how: Any) -> None:
    axes.stairs(np.histogram(draws, edges, density=True)[0], edges, **how)


def sampled(axes: Any, law: "SampledLaw", pen: Pen) -> None:
    """Draw the histogram of draws of a number with its quantiles, or draws of several numbers by their places."""
    if law.draws.ndim > 1:
        by_place(axes, law.draws.reshape(len(law.draws), -1), "place of the number in a draw", pen)
        axes.set_ylabel("number drawn")
        return
    edges = np.histogram_bin_edges(law.draws, min(BINS, max(2, int(len(law.draws) ** 0.5))))
    histogram(axes, law.draws, edges, **pen.area(f"{len(law.draws)} draws"))
    for p, dashes in ((0.1, ":"), (0.5, "-"), (0.9, "--")) if pen.alone else ():
        x = law.ppf(p).value
        axes.axvline(x, color=LIMIT, lw=1, ls=dashes, label=f"{p:.0%} below {x:.3g}")
    axes.set(xlabel="number drawn", ylabel="density")
    pen.above = True


def by_place(axes: Any, draws: Any, where: str, pen: Pen) -> None:
    """Draw the mean of the draws at every place, with its standard error, and their middle 80 %.

    Several results stand beside each other at a place.
    """
    at = np.arange(1, draws.shape[1] + 1) + BESIDE * pen.number
    low, high = np.quantile(draws, [0.1, 0.9], axis=0)
    thin = len(at) >= 30 or not pen.alone
    axes.vlines(at, low, high, lw=1.5 if thin else 5, **pen.range("80 % of networks"))
    errors = draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
    axes.errorbar(at, draws.mean(axis=0), errors, ms=3, elinewidth=1, capsize=2, **pen.points("mean"))
    axes.set_xlabel(where)
    pen.places = len(at)


def accuracy(axes: Any, bounds: "AccuracyBounds", pen: Pen) -> None:
    """Draw the histograms of both bounds."""
    edges = np.linspace(0, 1, 2 * BINS + 1)
    tight, loose = (f"{name} bound, mean {getattr(bounds, name).mean().value:.3g}" for name in ("tight", "loose"))
    _stairs(axes, bounds.tight.draws, edges, fill=True, **pen.area(tight))
    if pen.alone:
        _stairs(axes, bounds.loose.draws, edges, **pen.curve(loose))
    axes.set(xlim=(0, 1), xlabel="largest accuracy at initialisation", ylabel="density")
    pen.title, pen.above = f"{len(bounds.tight.draws)} draws", True
