"""Networks and predictions as text; repeated layers of a network are written once, with their number."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.layers import Layer
from igbtheory.layers.chain import each
from igbtheory.text import number, table

if TYPE_CHECKING:
    from igbtheory.prediction import Prediction

LONGEST_BLOCK = 12
SHOWN = 30
"""Layers shown in full; of a deeper network a selection."""
MOST_DIGITS = 307
"""Digits beyond which a double may be too coarse for an error."""
COLUMNS = ("var_mu", "var_chi", "gamma", "c")


def runs(layers: Sequence[Layer]) -> list[tuple[int, tuple[Layer, ...]]]:
    """Blocks of layers with the number of times each repeats, by the longest run at every place."""
    found: list[tuple[int, tuple[Layer, ...]]] = []
    place = 0
    while place < len(layers):
        candidates = ((_repeats(layers, place, size), size) for size in range(1, LONGEST_BLOCK + 1))
        count, size = max(((n, size) for n, size in candidates if n > 1), key=lambda r: r[0] * r[1], default=(1, 1))
        found.append((count, tuple(layers[place : place + size])))
        place += count * size
    return found


def _repeats(layers: Sequence[Layer], place: int, size: int) -> int:
    names, count = list(map(repr, layers)), 1  # layers with arrays do not compare
    while names[place + count * size : place + (count + 1) * size] == names[place : place + size]:
        count += 1
    return count


def layers_text(layers: Sequence[Layer]) -> str:
    """Layers as Python writes them: "*(Dense(2.0), Activation('relu')) * 20, Dense(2.0)"."""
    parts = []
    for count, block in runs(layers):
        inner = ", ".join(map(repr, block))
        parts.append(inner if count == 1 else f"*({inner}{',' * (len(block) == 1)}) * {count}")
    return ", ".join(parts)


def layers_latex(layers: Sequence[Layer]) -> str:
    """Layers as a chain of formulas for a notebook."""
    parts = []
    for count, block in runs(layers):
        inner = r" \to ".join(rf"\left[{layer.latex()}\right]" for layer in block)
        parts.append(inner if count == 1 else rf"\Big({inner}\Big)^{{{count}}}")
    return r"$\displaystyle x \to " + r" \to ".join(parts) + "$"


def prediction_dict(prediction: "Prediction") -> dict[str, Any]:
    """Return the moments of all layers and of G0."""
    law: Any = prediction.G0
    moments = {"mean": law.mean(), "var": law.var(), "std": law.std()}
    if prediction.dataset is None:
        moments["majority"] = law.majority()
    names = (*COLUMNS, "c_within", "error")
    rank = {} if np.isinf(prediction.effective_rank) else {"effective_rank": prediction.effective_rank}
    return {
        **{name: getattr(prediction, name) for name in (*names, "regime")},
        **rank,
        "G0": moments,
        "per_layer": {name: getattr(prediction.per_layer, name) for name in names},
    }


def prediction_columns(prediction: "Prediction") -> dict[str, Any]:
    """Return the moments after every Dense layer as columns, or those of the output for every network of a sweep."""
    names = (*COLUMNS, "c_within", "error")
    shape = np.shape(prediction.gamma)
    if not shape:
        layers = {name: getattr(prediction.per_layer, name) for name in names}
        return {"layer": np.arange(1, len(prediction.per_layer.var_mu) + 1), **layers}
    swept = {
        name: value
        for owner in (*each(prediction.layers), prediction.inputs)
        for name, value in {**vars(owner), **dict(getattr(owner, "parameters", ()))}.items()
        if np.ndim(value) and not isinstance(value, tuple)
    }
    output = {name: getattr(prediction, name) for name in (*names, "regime")}
    return {name: np.broadcast_to(value, shape).ravel() for name, value in {**swept, **output}.items()}


def prediction_text(prediction: "Prediction") -> str:
    """Return a table of the layers, and what follows for the guesses, of one network."""
    digits = getattr(prediction.per_layer.n, "digits", 15)
    law: Any = prediction.G0
    favoured = ""
    if prediction.dataset is None:
        favoured = f": on average the favoured class gets {law.majority():.2%} of the data"
    lines = [
        _layers(prediction),
        "",
        f"gamma   {number(prediction.gamma, digits)}",
        f"c       {number(prediction.c, digits)}",
        *_batches(prediction, digits),
        f"regime  {prediction.regime}{favoured}",
        f"G0      mean {law.mean():.6g}, standard deviation {law.std():.6g} over initialisations",
        f"error   {_error(float(prediction.error), digits)} (estimated, relative, of var_mu and var_chi)",
    ]
    if prediction.estimated:
        lines.append(f"drawn   {', '.join(map(repr, prediction.estimated))}: no exact rule, estimated from draws")
    return "\n".join(lines)


def _layers(prediction: "Prediction") -> str:
    depth = len(prediction.per_layer.var_mu)
    few = np.geomspace(1, depth, SHOWN).round().astype(int) - 1
    shown = range(depth) if depth <= SHOWN else np.unique(few)
    columns = [getattr(prediction.per_layer, name) for name in COLUMNS]
    rows = (["output" if i == depth - 1 else str(i + 1), *(number(column[i], 8) for column in columns)] for i in shown)
    return table(("layer", *COLUMNS), rows)


def _error(error: float, digits: int) -> str:
    """Return the estimated error, a double; where that is too coarse for so many digits, a bound."""
    return "below 1e-307" if not error and digits > MOST_DIGITS else f"{error:.1g}"


def _batches(prediction: "Prediction", digits: int) -> list[str]:
    """Return what BatchNorm adds: the correlation within a batch, and how far its rule is approximate on a data set."""
    lines = []
    if prediction.batch is not None and prediction.batch.size is not None:
        known = not np.isnan(float(prediction.c_within))
        c_within = number(prediction.c_within, digits) if known else "not known"
        lines.append(f"c       {c_within} within a batch of {prediction.batch.size}")
    if np.isfinite(prediction.effective_rank):
        lines.append(f"rank    {prediction.effective_rank:.3g}, effective: BatchNorm has no exact rule here, but draws")
    return lines
