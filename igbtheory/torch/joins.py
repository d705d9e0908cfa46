"""Streams that join: sums, gates and products, and concatenations."""

from collections.abc import Sequence

import torch

from igbtheory.layers.activation import Activation, phi_of
from igbtheory.layers.chain import each
from igbtheory.layers.concatenation import Concat
from igbtheory.layers.layer import Layer
from igbtheory.layers.positions import Spread
from igbtheory.layers.product import Product
from igbtheory.layers.residual import Residual
from igbtheory.layers.tokens import ClassToken, Tokens
from igbtheory.torch.arrangement import arranged, part_of_units
from igbtheory.torch.entries import Entries
from igbtheory.torch.path import Path, Step, Stream, in_common, layers_of, vectors_held
from igbtheory.torch.rows.extra_layers import Zero
from igbtheory.torch.rows.gates import GATES
from igbtheory.torch.rows.positions import entries_variance
from igbtheory.torch.zero_branch import constant_behind

Origins = dict[Step, list[Stream]]
"""The streams that were put side by side, by the step that did so."""
UNLIKE = "the theory joins values that hold the same units at the same positions, got {} and {}; exchange the axes"


def added(name: str, one: Stream, other: Stream, tensor: tuple[int, ...], factor: float) -> Stream:
    """Return the sum of a stream and another one times a factor; a branch of one number at first adds this number.

    tensor: the shape of the sum.
    """
    one, other = _alike(name, one, other, tensor)
    common, apart = _apart(one, other)
    for way, kept, of_kept, of_way in ((apart[0], other, factor, 1.0), (apart[1], one, 1.0, factor)):
        if (constant := constant_behind(way)) is not None:
            return _moved_along(name, kept, of_kept, of_way * constant)
    _refuse_shared(apart)
    first, second = apart
    if len(first) > len(second) and factor == 1:
        first, second = second, first
    layer = Residual(*layers_of(second), scale=factor, shortcut=layers_of(first))
    return _joined(name, common, layer, (second, first), one)


def _moved_along(name: str, stream: Stream, factor: float, shift: float) -> Stream:
    """Return the stream of units times a factor plus a number."""
    if (factor, shift) == (1.0, 0.0):
        return stream
    if not factor and not shift:
        return stream.behind(name, [Zero(stream.entries.units, stream.entries.shape)], stream.entries)
    return stream.behind(name, [Activation(f"{factor!r}*x + ({shift!r})")], stream.entries)


def multiplied(name: str, one: Stream, other: Stream, tensor: tuple[int, ...]) -> Stream:
    """Return the product of two streams: a gate of the halves of one, or of two independent ones."""
    common, apart = _apart(one, other)
    halves = _gate_of_halves(name, common, apart, one, other)
    if halves is not None:
        return halves
    one, other = _alike(name, one, other, tensor)
    common, apart = _apart(one, other)
    for way, kept in zip(apart, (other, one), strict=True):
        if (constant := constant_behind(way)) is not None:
            return _moved_along(name, kept, constant, 0.0)
    value, gating = sorted(apart, key=lambda way: bool(way) and phi_of(way[-1].layer) is not None)
    gate = GATES.get(_function(gating))
    if gate is not None and len(value) == 1 and len(gating) == 2 and value[0].layer == gating[0].layer:
        # two layers that are drawn alike are the two halves of one layer
        first = Stream((*common, value[0]), one.entries, one.channels)
        return Stream((*first.path, Step(name, gate())), one.entries, one.channels)
    _refuse_shared(apart)
    shortcut, branch = sorted(apart, key=len)
    return _joined(name, common, Product(*layers_of(branch), shortcut=layers_of(shortcut)), (branch, shortcut), one)


def _function(path: Path) -> str:
    phi = phi_of(path[-1].layer) if path else None
    return phi.name if phi else ""


def _gate_of_halves(name: str, common: Path, apart: Sequence[Path], one: Stream, other: Stream) -> Stream | None:
    """Return the gate of one half of the units and a function of the other half, None if they are no halves."""
    value, gating = sorted(zip(apart, (one.entries, other.entries), strict=True), key=lambda way: len(way[0]))
    gate = GATES.get(_function(gating[0]))
    if (len(value[0]), len(gating[0])) != (0, 1) or not common:
        return None
    axis, (first, second) = one.entries.axis, (value[1], gating[1])
    if first.numbers.shape != second.numbers.shape or 2 * first.numbers.shape[axis] != first.units:
        return None
    units = torch.cat([first.unit, second.unit], dim=axis).sort(dim=axis).values.movedim(axis, -1)
    if not torch.equal(units, torch.arange(first.units).expand_as(units)):
        return None
    if gate is None or not torch.equal(first.positioned, second.positioned):
        raise ValueError(
            "the theory has gates of one half of the units and a function of the other half (GLU, ReGLU, GEGLU, "
            f"SwiGLU), got {_function(gating[0])!r}; take such a function"
        )
    if one.raw:
        raise ValueError("the theory has gates of units behind a layer with weights, got the data; put one in front")
    entries = first.renewed(axis, first.units // 2)
    return Stream((*common, Step(name, gate())), entries, one.channels // 2)


def concatenated(name: str, streams: Sequence[Stream], tensor: tuple[int, ...], axis: int, origins: Origins) -> Stream:
    """Return the streams side by side along an axis that holds units. The step is added to `origins`."""
    streams = [arranged_at(name, stream, axis, grid=True) for stream in streams]
    if len({stream.entries.shape for stream in streams}) > 1:
        raise ValueError(UNLIKE.format(*[stream.entries.shape for stream in streams][:2]))
    put = streams
    streams = _grown(streams, origins)
    shares = [stream.entries.units for stream in streams]
    common = in_common([stream.path for stream in streams])
    ways = [stream.path[len(common) :] for stream in streams]
    shape = streams[0].entries.shape
    layer = Concat(*(layers_of(way) for way in ways), shares=None if len({*shares}) == 1 else tuple(shares))
    channels = tuple(count for way in ways for step in way for count in step.channels)
    step = Step(name, layer, channels=channels)
    origins[step] = put
    return Stream((*common, step), Entries.laid_out(tensor, axis, shape), sum(stream.channels for stream in streams))


def _grown(streams: Sequence[Stream], origins: Origins) -> list[Stream]:
    """Return the streams in which one that begins with the concatenation of all others stands beside this one alone.

    In DenseNet, layers read what all layers before them made: behind x and f(x) comes g(x, f(x)).
    """
    *before, last = streams
    paths = [stream.path for stream in before]
    for i, step in enumerate(last.path):
        origin = origins.get(step, [])
        if [stream.path for stream in origin] == paths:
            units, channels = (sum(part) for part in zip(*((s.entries.units, s.channels) for s in before), strict=True))
            entries = Entries(before[0].entries.numbers, before[0].entries.shape, units)
            return [Stream(last.path[: i + 1], entries, channels), last]
    return [*streams]


def of_some(name: str, stream: Stream, origins: Origins) -> Stream:
    """Return the stream of those streams of several that were put side by side of which there are units."""
    entries, origin = stream.entries, origins.get(stream.path[-1], []) if stream.path else []
    taken, units = entries.numbers > 0, entries.unit
    chosen, moved, end, before = [], torch.zeros_like(units), 0, 0
    for other in origin:
        start, end = end, end + other.entries.units
        inside = taken & (start <= units) & (units < end)
        if bool(inside.any()):
            moved = torch.where(inside, units - start + before, moved)
            chosen.append(other)
            before += other.entries.units
    if len(chosen) == len(origin):
        return stream
    (first, *others), tensor = chosen, [*chosen[0].entries.numbers.shape]
    tensor[first.entries.axis] = before
    there = concatenated(name, chosen, tuple(tensor), first.entries.axis, origins) if others else first
    numbers = 1 + entries.positioned.long() * before + moved
    return Stream(there.path, Entries(torch.where(taken, numbers, 0), entries.shape, before), there.channels)


def with_tokens(name: str, stream: Stream, tokens: Sequence[torch.Tensor], tensor: tuple[int, ...]) -> Stream:
    """Return the stream with class tokens in front, the same for all data.

    tokens: tensors (data, tokens, units) in front of the others, one for every model. ValueError: several are the same.
    """
    rows = torch.stack([each[0] for each in tokens])
    if rows.shape[1] > 1 and bool(rows.any()) and len(rows[0].unique(dim=0)) < rows.shape[1]:
        raise ValueError("the theory has class tokens that are drawn on their own, got one in several places")
    stream = in_a_row(name, arranged_at(name, stream, 2, grid=True))
    reads = [entries_variance([each[None] for each in row]) for row in rows.transpose(0, 1).flip(0)]
    steps = (Step(name, ClassToken(read.value), {"variance": read}) for read in reads)
    return Stream((*stream.path, *steps), Entries.laid_out(tensor, 2, (tensor[1],)), stream.channels)


def in_a_row(name: str, stream: Stream) -> Stream:
    """Return the stream with the positions of images as tokens in a row."""
    entries = stream.entries
    if len(entries.shape) < len(("height", "width")):
        return stream
    return stream.behind(name, [Tokens()], Entries(entries.numbers, (entries.positions,), entries.units))


def arranged_at(name: str, stream: Stream, axis: int, *, grid: bool) -> Stream:
    """Return the stream with its units along an axis: see `arranged`. Some of the units of a layer are like all."""
    if not stream.raw:
        layers, entries = part_of_units(stream.entries, axis, stream.kinds)
        stream = stream.behind(name, layers, entries)
    layers, entries = arranged(stream.entries, axis, grid=grid, raw=stream.raw)
    return stream.behind(name, layers, entries)


def _alike(name: str, one: Stream, other: Stream, tensor: tuple[int, ...]) -> tuple[Stream, Stream]:
    """Return both streams with the same entries; one position may be spread over those of the other stream."""
    one, other = (
        Stream(s.path, Entries(s.entries.numbers.expand(tensor), s.entries.shape, s.entries.units), s.channels)
        for s in (one, other)
    )
    for stream in (one, other):
        entries = stream.entries
        row = entries.numbers.movedim(max(one, other, key=lambda s: s.entries.units).entries.axis, -1).flatten(0, -2)[0]
        if len(row.unique()) < len(row):
            raise ValueError(
                "the theory joins units one by one, got one that is joined to several; igb.measure does not need it"
            )
    if one.entries.same(other.entries):
        return one, other
    small, large = sorted((one, other), key=lambda s: s.entries.positions)
    if small.entries.positions == 1 < large.entries.positions and small.entries.units == large.entries.units:
        expected = large.entries.datum * small.entries.units + large.entries.unit + 1
        if torch.equal(expected, small.entries.numbers):
            spread = small.behind(name, [Spread(large.entries.shape)], large.entries)
            return (spread, large) if small is one else (large, spread)
    axis = large.entries.axis
    one, other = (arranged_at(name, s, axis, grid=True) for s in (one, other))
    if not one.entries.same(other.entries):
        raise ValueError(UNLIKE.format(one.entries.shape, other.entries.shape))
    return one, other


def _apart(one: Stream, other: Stream) -> tuple[Path, list[Path]]:
    """Return the steps that both paths have in front, and the rest of each."""
    common = in_common([one.path, other.path])
    return common, [stream.path[len(common) :] for stream in (one, other)]


def _refuse_shared(ways: Sequence[Path]) -> None:
    """Refuse ways that share weights or vectors, unless one ends in weights of its own, which make it independent."""
    weights = [{id(layer) for layer in each(layers_of(way)) if layer.weighs} for way in ways]
    held, of_other = (vectors_held(layers_of(way)) for way in ways)
    lasts = [next((step.layer for step in reversed(way) if step.layer.weighs), None) for way in ways]
    fresh = [
        last is not None and not last.inner and id(last) not in others
        for last, others in zip(lasts, reversed(weights), strict=True)
    ]
    if (weights[0] & weights[1] and not any(fresh)) or held & of_other:
        raise ValueError(
            "the theory joins streams that share no weights behind the place where they part, got two that do; "
            "igb.explain predicts the layers in front of it"
        )


def _joined(name: str, common: Path, layer: Layer, ways: Sequence[Path], like: Stream) -> Stream:
    channels = tuple(count for way in ways for step in way for count in step.channels)
    return Stream((*common, Step(name, layer, channels=channels)), like.entries, like.channels)
