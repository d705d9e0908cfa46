"""The table of the numbers in a figure, read from its artists, so that it contains exactly what is drawn."""

from collections.abc import Iterator
from typing import Any, NamedTuple, final

import numpy as np
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch


@final
class Row(NamedTuple):
    """A drawn point: its panel, series and kind, its place, the ends of its error bar or bin, its value on a map."""

    panel: int
    title: str
    series: str
    kind: str
    x: float | str = ""
    y: float | str = ""
    x_low: float | str = ""
    x_high: float | str = ""
    y_low: float | str = ""
    y_high: float | str = ""
    value: float | str = ""


def rows(figure: Figure) -> Iterator[Row]:
    """Yield the rows of all panels in the order in which these were made."""
    for panel, axes in enumerate(figure.axes):
        for series, kind, places in _artists(axes):
            for place in places:
                numbers = {name: float(number) for name, number in place.items()}
                yield Row(panel, axes.get_title(), series, kind, **numbers)


def _artists(axes: Any) -> Iterator[tuple[str, str, Iterator[dict[str, Any]]]]:
    held = {id(part) for container in axes.containers for part in _parts(container)}
    for container in axes.containers:
        match container:
            case ErrorbarContainer():
                yield _name(container), "points", _with_errors(container)
            case BarContainer():
                yield _name(container), "bars", _bars(container)
    for line in axes.lines:
        if id(line) not in held:
            yield _name(line), *_line(axes, line)
    for patch in axes.patches:
        if isinstance(patch, StepPatch):
            yield _name(patch), "steps", _steps(patch)
    for collection in axes.collections:
        match collection:
            case ContourSet():
                yield _name(collection), "contour", _contours(collection)
            case QuadMesh():
                yield _name(collection), "map", _mesh(collection)
            case PolyCollection():
                yield _name(collection), "region", _outline(collection)


def _name(artist: Any) -> str:
    """Return the label of an artist, without the underscore that hides a label from legends."""
    return str(artist.get_label()).removeprefix("_")


def _parts(container: Any) -> Iterator[Any]:
    """Yield the artists of a container."""
    for part in container:
        yield from part if isinstance(part, tuple | list) else (part,)


def _line(axes: Any, line: Any) -> tuple[str, Iterator[dict[str, Any]]]:
    """Return the kind of a line, and its points; a guide, a line across the whole panel, has one coordinate only."""
    x, y = line.get_xdata(orig=False), line.get_ydata(orig=False)
    if line.get_transform() == axes.get_xaxis_transform(which="grid"):
        return "guide", iter([{"x": x[0]}])
    if line.get_transform() == axes.get_yaxis_transform(which="grid"):
        return "guide", iter([{"y": y[0]}])
    kind = "points" if line.get_linestyle() == "None" else "line"
    return kind, ({"x": a, "y": b} for a, b in zip(x, y, strict=True))


def _with_errors(container: Any) -> Iterator[dict[str, Any]]:
    line, _, bars = container
    segments = bars[0].get_segments()
    places = [(s[:, 0].mean(), s[:, 1].mean()) for s in segments] if line is None else line.get_xydata()
    for (x, y), segment in zip(places, segments, strict=True):
        yield {"x": x, "y": y, "y_low": segment[0][1], "y_high": segment[1][1]}


def _bars(container: Any) -> Iterator[dict[str, Any]]:
    for bar in container:
        left = bar.get_x()
        yield {"y": bar.get_height(), "x_low": left, "x_high": left + bar.get_width()}


def _steps(patch: Any) -> Iterator[dict[str, Any]]:
    values, edges, _ = patch.get_data()
    for value, low, high in zip(values, edges, edges[1:], strict=False):
        yield {"y": value, "x_low": low, "x_high": high}


def _contours(contours: Any) -> Iterator[dict[str, Any]]:
    for level, path in zip(contours.levels, contours.get_paths(), strict=True):
        for x, y in path.vertices:
            yield {"x": x, "y": y, "value": level}


def _mesh(mesh: Any) -> Iterator[dict[str, Any]]:
    """Yield the points of a map with interpolated shades, or its cells."""
    corners, values = np.asarray(mesh.get_coordinates()), np.ma.filled(mesh.get_array(), np.nan)
    if values.shape == corners.shape[:2]:
        for (x, y), value in zip(corners.reshape(-1, 2), values.ravel(), strict=True):
            yield {"x": x, "y": y, "value": value}
        return
    lows, highs = corners[:-1, :-1].reshape(-1, 2), corners[1:, 1:].reshape(-1, 2)
    for low, high, value in zip(lows, highs, values.ravel(), strict=True):
        yield {"x_low": low[0], "x_high": high[0], "y_low": low[1], "y_high": high[1], "value": value}


def _outline(collection: Any) -> Iterator[dict[str, Any]]:
    for path in collection.get_paths():
        for x, y in path.vertices:
            yield {"x": x, "y": y}
