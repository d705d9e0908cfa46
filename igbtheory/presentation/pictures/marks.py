"""Parts of many pictures: points, lines, densities of G0, and histograms of G0 over finite networks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.ticker import FixedLocator, MaxNLocator

from igbtheory.guesses.bias_of_guesses import gamma_of_variance, with_itself
from igbtheory.guesses.share_of_class_0 import GuessLaw
from igbtheory.presentation.pictures.over_widths import OverWidths
from igbtheory.presentation.pictures.style import BARS, GREY, LIMIT, MARKERS, SERIES, THEORY

ERRORS = "#5B8DB0"
BINS = 20
"""Largest number of bins; few networks get fewer, the square root of their number."""
DRAWS = 40_000
"""Draws that show the law of G0 on a given data set; each is used as G0 and as 1 - G0."""
FEW = 12
"""Largest number of places that an axis labels one by one, so that the labels do not touch."""
NARROW = 0.06
"""Standard deviation of G0 below which a panel shows only the neighbourhood of 1/2: that of 70 tosses of a coin."""
GUESSES, GAMMA = "fraction given to class 0, $G_0$", "bias ratio $\\gamma$"
OF_GUESSES = "bias ratio of the guesses, $\\gamma_\\mathrm{guess}$"
"""Name of gamma_guess, where it is not gamma."""
EXTRAPOLATED = "extrapolated"
"""Label of points that no networks have: the limit of infinite width of those that were simulated."""
PALE = (0.7, 0.5, 0.3)
"""Part of white in the colour of every width, the narrowest first."""
DEVIATION = "(simulated \N{MINUS SIGN} theory) / standard error"


@final
@dataclass(frozen=True)
class Curve:
    """A quantity in theory over x, and of finite networks at the places `at`."""

    label: str
    x: Any
    theory: Any
    at: Any
    simulated: OverWidths


def points(axes: Any, x: Any, y: Any, error: Any, marker: str = "o", **how: Any) -> None:
    """Draw points with error bars."""
    axes.errorbar(x, y, error, fmt=marker, **{"ms": 3.2, "lw": 0, "elinewidth": 1, "capsize": 2, **how})


def theory(axes: Any, number: int, x: Any, y: Any, label: str, **how: Any) -> None:
    """Draw line number `number` of the theory."""
    axes.plot(x, y, label=label, **SERIES[number], **how)


def simulated(axes: Any, number: int, x: Any, y: Any, error: Any, label: str, **how: Any) -> None:
    """Draw simulated networks as points with error bars, in the colour of line number `number` of the theory.

    label: begins with an underscore if the legend has such a marker already; then only the table shows the label.
    """
    how |= {"color": SERIES[number]["color"], "mfc": "white", "label": label, "zorder": 3}
    points(axes, x, y, error, MARKERS[number], **how)


def extrapolated(axes: Any, number: int, x: Any, over_widths: OverWidths, of: str = "", **how: Any) -> None:
    """Draw networks of every width as small points, the narrower the paler, and their extrapolation as large ones.

    All have the colour of line number `number` of the theory. of: "", or the name of this line if the legend has such
    markers already; then only the table shows their labels.
    """
    start, end = ("_", f": {of}") if of else ("", "")
    colour, marker = np.array(to_rgb(SERIES[number]["color"])), MARKERS[number]
    for pale, width, value, error in zip(
        PALE, over_widths.widths, over_widths.values, over_widths.errors, strict=False
    ):
        shade = tuple(pale + (1 - pale) * colour)
        points(axes, x, value, error, marker, color=shade, label=f"{start}width {width}{end}", zorder=2.5, ms=2, **how)
    simulated(axes, number, x, over_widths.values[-1], over_widths.errors[-1], f"{start}{EXTRAPOLATED}{end}", **how)


def curves(axes: Any, lines: Iterable[Curve], *, key: bool = True, **how: Any) -> None:
    """Draw the curves: theory as lines, and finite networks of every width and their extrapolation as points.

    key: whether the legend has the points of the first curve; how: the look of the points.
    """
    for number, curve in enumerate(lines):
        theory(axes, number, curve.x, curve.theory, curve.label)
        extrapolated(axes, number, curve.at, curve.simulated, "" if key and number == 0 else curve.label, **how)


def gaps(values: Any) -> Any:
    """Return the values with NaN, a gap on a logarithmic axis, in place of those that are not positive."""
    return np.where(np.asarray(values) > 0, values, np.nan)


def density(axes: Any, gamma: float, **how: Any) -> None:
    """Draw the density of G0 for infinitely many data, or vertical lines at point masses (gamma 0 and inf)."""
    if gamma in {0, np.inf}:
        for place in [0.5] if gamma == 0 else [0.0, 1.0]:
            axes.axvline(place, **how, clip_on=False)
            how["label"] = None
        return
    law = GuessLaw(gamma)
    g = places(law)
    axes.plot(g, law.pdf(g), **how)


def places(law: GuessLaw) -> Any:
    """Return places in (0, 1) that are dense near 0 and 1, where the density has poles, and where its mass is."""
    ends = (1 - np.cos(np.linspace(0, np.pi, 803))) / 2
    return np.union1d(ends, law.ppf(np.linspace(0, 1, 401)))[1:-1]


def guesses_axis(axes: Any, top: float | None = None, low: float = 0.0) -> None:
    """Set the limits and labels of a panel that shows a density of G0, from `low` to 1 - low."""
    axes.set(xlim=(low, 1 - low), ylim=(0, top), xlabel=GUESSES, ylabel="density $f_{G_0}$")


def places_axis(axes: Any, count: int) -> None:
    """Label the horizontal axis with the places from 1 to count."""
    axes.set_xlim(0.5, count + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True) if count > FEW else FixedLocator(range(1, count + 1)))


def level(axes: Any, y: float) -> None:
    """Draw a thin horizontal line across the panel."""
    axes.axhline(y, color=GREY, lw=0.7, zorder=0, label="_level")


def bands(span: Callable[..., Any]) -> None:
    """Draw bands of one and of two standard errors around 0; span: axvspan or axhspan of a panel."""
    for inner, grey in ((2, "#F0F0F0"), (1, "#E0E0E0")):
        span(-inner, inner, color=grey, lw=0)


def legend_above(axes: Any, title: str, columns: int = 2, **how: Any) -> None:
    """Put the legend of a panel between its title and the panel, where it hides nothing."""
    anchor = (0.5, 1.0)
    axes.legend(loc="lower center", bbox_to_anchor=anchor, ncols=columns, title=title, borderaxespad=0.2, **how)


def panel(axes: Any, shares: Any, samples: int, law: Any) -> None:
    """Draw the histogram of G0 of finite networks with bars of one standard error, and the predicted law."""
    edges = panel_edges(shares, samples, law)
    histogram(axes, shares, edges)
    predicted(axes, law, samples, edges)
    axes.set_xlim(edges[0], edges[-1])
    axes.locator_params(nbins=5)


def panel_edges(shares: Any, samples: int, law: Any) -> Any:
    """Return the edges of the bins of the shares of finite networks, where the law has its mass."""
    independent = law.source.independent  # given the weights, as Gaussian data are
    half = reach(float(np.sqrt(with_itself(law.var(), samples))) if independent else law.std())
    return edges_of(0.5 - half, 0.5 + half, samples, min(BINS, int(len(shares) ** 0.5)))


def predicted(axes: Any, law: Any, samples: int, edges: Any) -> None:
    """Draw the predicted law: its density, and binned for as many data as were simulated, or a histogram of draws."""
    if law.source.independent:
        _formula(axes, law, samples, edges)
    else:
        drawn = law.rvs(DRAWS, 0)
        heights = np.histogram(np.concatenate([drawn, 1 - drawn]), edges)[0] / (2 * DRAWS * np.diff(edges))
        axes.stairs(heights, edges, color=THEORY, lw=1.3, label="theory of this data set")


def reach(spread: float) -> float:
    """Return half the range of a panel around 1/2 for the law of G0 with this standard deviation."""
    return 4 * spread if 0 < spread < NARROW else 0.5


def histogram(
    axes: Any, shares: Any, edges: Any, label: str = "finite networks", color: Any = BARS, **look: Any
) -> None:
    """Draw the histogram of the shares, a density, with bars of one standard error; look: of the bars."""
    heights, errors = binned(shares, edges)
    axes.bar(edges[:-1], heights, np.diff(edges), align="edge", color=color, label=label, **look)
    centres = (edges[:-1] + edges[1:]) / 2
    label, ecolor = "_finite networks, standard error", ERRORS if color == BARS else color
    axes.errorbar(centres, heights, errors, fmt="none", ecolor=ecolor, elinewidth=0.9, label=label)


def binned(shares: Any, edges: Any) -> tuple[Any, Any]:
    """Return the part of the shares in every bin over its width, and its binomial standard error."""
    counts, _ = np.histogram(shares, edges)
    width = len(shares) * np.diff(edges)
    return counts / width, np.sqrt(counts * (1 - counts / len(shares))) / width


def _formula(axes: Any, law: Any, size: int, edges: Any) -> None:
    """Draw the predicted law for `size` data, binned, and the density for infinitely many data."""
    counts = np.arange(size + 1)
    heights = np.histogram(counts / size, edges, weights=law.finite(size).pmf(counts))[0] / np.diff(edges)
    axes.stairs(heights, edges, color=LIMIT, lw=1.3, ls="--", label="theory, as many data as simulated")
    top = 1.35 * max(heights.max(), axes.get_ylim()[1] / 1.05)
    label = "theory, infinitely many data"
    gamma = getattr(law.source, "gamma", 0.0 if law.var() == 0 else None)
    if gamma is None:
        g = places(GuessLaw(float(gamma_of_variance(law.var()))))
        axes.plot(g, law.pdf(g), color=THEORY, label=label)
    else:
        density(axes, gamma, color=THEORY, label=label)
    axes.set_ylim(0, top)


def edges_of(low: float, high: float, size: float, bins: int) -> Any:
    """Return the edges of bins from low to high, of nearly equal width and halfway between fractions k/size."""
    first, last = np.ceil(low * size), np.floor(high * size)
    return (np.unique(np.round(np.linspace(first, last + 1, bins + 1))) - 0.5) / size
