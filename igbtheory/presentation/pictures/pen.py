"""What results share in axes: the only place that decides the colours, labels, legend and title of what they draw.

A result that is alone in axes draws all that explains it. If another one joins it, or if it has a label, it draws only
what can be compared, in the next colour, and all results have one legend.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

from matplotlib.axes import Axes

from igbtheory.presentation.pictures.marks import legend_above, places_axis
from igbtheory.presentation.pictures.style import BARS, MARKERS, SERIES

HELD = "_igbtheory_results"
"""Name under which axes hold what results have drawn into them, so that both have the same life."""
LETTERS = 60
"""Number of letters of labels from which a legend above a panel takes two columns, to be no wider than the panel."""
PALE = 0.4
"""Opacity of areas, so that two of them show through each other."""


@final
@dataclass
class Pen:
    """How one result is drawn.

    number: of the results that are in the axes already; alone: whether the picture shows no other result.
    """

    number: int
    alone: bool
    label: str | None
    color: Any
    linestyle: Any
    title: str = ""
    """The title of the picture if the result is alone in it."""
    above: bool = False
    """Whether the legend stands above the panel, where it hides nothing."""
    places: int = 0
    """Number of places that the horizontal axis counts, if it counts."""
    names: tuple[str, ...] = ()
    """Names of the places on the horizontal axis, if these have names."""
    takes_all: bool = False
    """Whether the picture leaves no room for other results."""
    _looks: int = 0

    def curve(self, quantity: str, *, several: bool = False) -> dict[str, Any]:
        """Return the colour, dashes and label of the next curve; several: whether the result has others to compare."""
        colours = self._looks if self.alone else self.number
        dashes = self.number + self.number // len(SERIES) + self._looks  # colours that come again have other dashes
        self._looks += 1
        color = SERIES[colours % len(SERIES)]["color"] if self.color is None else self.color
        linestyle = SERIES[dashes % len(SERIES)]["ls"] if self.linestyle is None else self.linestyle
        return {"color": color, "ls": linestyle, "label": self._label(quantity, several=several)}

    def points(self, quantity: str, *, several: bool = False) -> dict[str, Any]:
        """Return the colour, marker and label of the next points, without a line."""
        return {**self.curve(quantity, several=several), "ls": "none", "marker": self.marker}

    def area(self, quantity: str, *, several: bool = False) -> dict[str, Any]:
        """Return the colour, opacity and label of the next area or histogram."""
        if self.alone and self.color is None:
            return {"color": BARS, "label": quantity}
        look = self.curve(quantity, several=several)
        return {"color": look["color"], "label": look["label"], "alpha": PALE}

    def range(self, quantity: str) -> dict[str, Any]:
        """Return the colour and opacity of the lines around the next points, with a label if the legend needs one."""
        if self.alone:
            return self.area(quantity)
        look = self.curve(quantity)
        self._looks -= 1  # the points have the colour of their ranges
        return {"color": look["color"], "alpha": PALE}

    @property
    def marker(self) -> str:
        """The marker of the last curve."""
        return MARKERS[(self.number + self._looks - 1) % len(MARKERS)]

    def take_all(self, what: str) -> None:
        """Claim the axes for this result. ValueError: another one is there, or it has a label, a colour or dashes."""
        if self.number or (self.label, self.color, self.linestyle) != (None, None, None):
            raise ValueError(
                f"expected axes of its own for {what}, without a label, a colour and dashes; draw it with plot() or "
                "plot(ax) only"
            )
        self.takes_all = True

    def _label(self, quantity: str, *, several: bool) -> str:
        if self.label is None:
            return quantity
        return f"{self.label}: {quantity}" if several else self.label


@final
@dataclass
class Entry:
    """A result in axes: the function that draws it, its pen, and what it drew."""

    drawing: Callable[[Axes, Any, Pen], None]
    result: Any
    pen: Pen
    meaning: tuple[Any, ...] = ()
    artists: list[Any] = field(default_factory=list)
    heading: Any = None

    def shown(self, axes: Axes) -> bool:
        """Return whether the axes still show it, which `axes.clear()` ends."""
        return any(artist.axes is axes for artist in self.artists)

    def draw(self, axes: Axes) -> None:
        """Draw the result, and note what it drew and what the axes mean."""
        before = {id(part) for part in _contents(axes)}
        self.drawing(axes, self.result, self.pen)
        self.artists = [part for part in _contents(axes) if id(part) not in before]
        self.meaning = (axes.get_xlabel(), axes.get_ylabel(), self.pen.names)

    def erase(self, axes: Axes) -> None:
        """Remove what the result drew into the axes or beside them, and its title."""
        for artist in self.artists:
            artist.remove()
        gone = [container for container in axes.containers if not any(map(_has_axes, container.get_children()))]
        for container in gone:
            axes.containers.remove(container)
        if self.heading is not None:
            self.heading.set_text("")


def _contents(axes: Axes) -> list[Any]:
    """Return the artists of the axes, and the axes of the figure, which may share one side with them."""
    figure: Any = axes.get_figure()
    return [*axes.get_children(), *figure.axes]


def _has_axes(artist: Any) -> bool:
    return artist.axes is not None


Extent = tuple[str, tuple[float, float]]
"""The scale and the ends of an axis."""


def add(axes: Axes, drawing: Callable[[Axes, Any, Pen], None], result: Any, **look: Any) -> None:
    """Draw a result into axes, beside the results that are there; look: its label, color and linestyle, or None.

    ValueError: the axes show something that is not on the same axes as the result.
    """
    entries = [one for one in vars(axes).get(HELD, []) if one.shown(axes)]
    if entries and entries[0].pen.takes_all:
        raise ValueError("expected axes without a map, got one that fills them; draw this result into other axes")
    if len(entries) == 1 and entries[0].pen.alone:
        entries = [_again(axes, entries[0])]
    before = {name: _extent(axes, name) for name in "xy"}
    if entries:
        axes.set(xscale="linear", yscale="linear")  # the limits of the new one may suit no other scale
    new = Entry(drawing, result, Pen(len(entries), not entries and look["label"] is None, **look))
    new.draw(axes)
    if entries:
        if new.meaning != entries[0].meaning:
            new.erase(axes)
            axes.set(xlabel=entries[0].meaning[0], ylabel=entries[0].meaning[1])
            axes.set(**{f"{name}scale": scale for name, (scale, _) in before.items()})
            axes.set(**{f"{name}lim": limits for name, (_, limits) in before.items()})
            there, given = (" over ".join(one.meaning[1::-1]) for one in (entries[0], new))
            raise ValueError(f"expected {there}, which the axes show, got {given}; draw it into other axes")
        for name, extent in before.items():
            _widen(axes, name, extent)
    vars(axes)[HELD] = entries = [*entries, new]
    if places := max(one.pen.places for one in entries):
        places_axis(axes, places)
    _finish(axes, new.pen)


def _again(axes: Axes, entry: Entry) -> Entry:
    """Draw a result that was alone once more, as one of several."""
    entry.erase(axes)
    axes.set(xscale="linear", yscale="linear")  # as in new axes
    axes.relim()
    axes.autoscale()
    pen = Pen(0, alone=False, label=entry.pen.label, color=entry.pen.color, linestyle=entry.pen.linestyle)
    again = Entry(entry.drawing, entry.result, pen)
    again.draw(axes)
    return again


def _extent(axes: Axes, name: str) -> Extent:
    return getattr(axes, f"get_{name}scale")(), getattr(axes, f"get_{name}lim")()


def _widen(axes: Axes, name: str, before: Extent) -> None:
    """Widen an axis to what it showed before, and keep it logarithmic if it was or is now."""
    now = _extent(axes, name)
    logarithmic = "log" in {before[0], now[0]}
    ends = {end for _, limits in (before, now) for end in limits if end > 0 or not logarithmic}
    if len(ends) < 2:
        return
    if logarithmic:
        getattr(axes, f"set_{name}scale")("log", nonpositive="mask")
    if (min(ends), max(ends)) != _extent(axes, name)[1]:
        getattr(axes, f"set_{name}lim")(min(ends), max(ends))


def _finish(axes: Axes, pen: Pen) -> None:
    """Make the legend of all results, and the title of one that is alone; a map has its own."""
    if pen.takes_all:
        return
    labels = axes.get_legend_handles_labels()[1]
    title = pen.title if pen.alone else ""
    if pen.above and pen.alone:
        legend_above(axes, title, len(labels) if sum(map(len, labels)) < LETTERS else 2, columnspacing=1)
    elif len(labels) > 1 or pen.label is not None:
        axes.legend(loc="best")
    if title and not pen.above and not axes.get_title():  # the user's title stays
        vars(axes)[HELD][-1].heading = axes.set_title(title)
