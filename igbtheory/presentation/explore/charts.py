"""The look of the pictures on the page: figures of Plotly as plain dictionaries, which the browser draws."""

from typing import Any

import numpy as np

from igbtheory.presentation.pictures.marks import BINS, ERRORS, binned
from igbtheory.presentation.pictures.style import BARS, GREY, LIMIT, SERIES

INK = "#222222"
PINNED = SERIES[3]["color"]
NARROW = {"color": INK, "width": 2, "dash": "dash"}
"""The line of the theory of finite width."""
RULE = "#E6E6E6"
"""Colour of the grid."""


def line(x: Any, y: Any, label: str, **how: Any) -> dict[str, Any]:
    """Return a line of theory, with markers if there are few points."""
    mode = "lines+markers" if len(x) <= 30 else "lines"
    colour = SERIES[1]["color"]
    return {"x": plain(x), "y": plain(y), "name": label, "mode": mode, "line": {"color": colour, "width": 2}, **how}


def bars(x: Any, y: Any, label: str, **how: Any) -> dict[str, Any]:
    """Return bars centred at x."""
    marker = {"color": BARS, "line": {"color": ERRORS, "width": 0.5}}
    return {"type": "bar", "x": plain(x), "y": plain(y), "name": label, "marker": marker, **how}


def histogram(shares: Any) -> tuple[Any, Any, Any]:
    """Return the centres of bins, the density of the shares in them, and its standard error."""
    edges = np.linspace(0, 1, BINS + 1)
    return (edges[:-1] + edges[1:]) / 2, *binned(shares, edges)


def points(x: Any, y: Any, error: Any, label: str) -> dict[str, Any]:
    """Return points with bars of one standard error."""
    errors = {"type": "data", "array": plain(error), "color": LIMIT, "thickness": 1.2, "width": 3}
    marker = {"color": LIMIT, "size": 6, "symbol": "circle-open", "line": {"width": 1.5}}
    return {"x": plain(x), "y": plain(y), "name": label, "error_y": errors, "mode": "markers", "marker": marker}


def figure(traces: list[dict[str, Any]], x: str, y: str, **axes: Any) -> dict[str, Any]:
    """Return the figure of the traces; axes: further entries of its layout, with the names of Plotly."""
    common = {
        "gridcolor": RULE,
        "linecolor": GREY,
        "ticks": "outside",
        "tickcolor": GREY,
        "zeroline": False,
        "exponentformat": "power",
    }
    layout = {
        "xaxis": {**common, "title": {"text": x, "standoff": 8}, "showgrid": False, **axes.get("xaxis", {})},
        "yaxis": {**common, "title": {"text": y, "standoff": 6}, "automargin": True, **axes.get("yaxis", {})},
        "margin": {"l": 58, "r": 12, "t": 12, "b": 46},
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": INK},
        "showlegend": sum(bool(trace.get("name")) for trace in traces) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "font": {"size": 12}},
        "paper_bgcolor": "white",
        "plot_bgcolor": "white",
        "bargap": 0,
        "hovermode": "closest",
        **{name: value for name, value in axes.items() if name not in {"xaxis", "yaxis"}},
    }
    return {"data": traces, "layout": layout}


def joined(shown: dict[str, Any], pinned: dict[str, Any]) -> dict[str, Any]:
    """Return a figure with the first trace of a pinned one that is no area beside its own, on axes that show both."""
    first = {**next(trace for trace in pinned["data"] if "fill" not in trace), "name": "pinned"}
    for part in ("line", "marker", "error_y"):
        if part in first:
            first[part] = {**first[part], "color": PINNED}
    if "line" in first:
        first["line"]["dash"] = "dot"
    if first.get("type") == "bar":
        first["opacity"] = 0.6
    there, layout = pinned["layout"], dict(shown["layout"])
    for name in ("xaxis", "yaxis"):
        layout[name] = _spanning(layout[name], there[name])
    named = [{**trace, "name": trace.get("name") or "this network"} for trace in shown["data"]]
    return {"data": [*named, first], "layout": {**layout, "showlegend": True}}


def _spanning(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return an axis that shows what both axes show; it is logarithmic if one of them is."""
    axis = other if other.get("type") == "log" and one.get("type") != "log" else one
    ranges = [each["range"] for each in (one, other) if "range" in each and each.get("type") == axis.get("type")]
    return {**axis, "range": [min(r[0] for r in ranges), max(r[1] for r in ranges)]} if ranges else axis


def plain(values: Any) -> list[float | None]:
    """Return the numbers for JSON, None for those that are not finite, where the picture has a gap."""
    return [float(f"{x:.6g}") if np.isfinite(x) else None for x in np.asarray(values, dtype=float)]
