"""Nodes of a graph that have no stream, with the reasons; those that steps compute from streams are drawn."""

from collections.abc import Iterable, Mapping
from typing import final

import torch
from torch import fx

from igbtheory.torch.computed import Piece, computed, piece_at
from igbtheory.torch.dataflow import Dataflow
from igbtheory.torch.path import Stream
from igbtheory.torch.rows import SUMS

NO_STREAM = "reads values that have no stream of their own"


@final
class Unread:
    """The nodes without a stream: refused ones, and those inside of pieces, which no layer has read yet.

    streams: of the nodes that were read, by their names. refused: nodes in words, and the reasons. pieces: by the names
    of their last steps.
    """

    def __init__(self, flow: Dataflow, streams: Mapping[str, Stream]) -> None:
        self.flow, self.streams = flow, streams
        self.refused: dict[fx.Node, tuple[str, str]] = {}
        self.pieces: dict[str, Piece] = {}
        self._inside: dict[fx.Node, tuple[str, str]] = {}  # steps of pieces in words, and why they have no layer

    @property
    def first(self) -> tuple[str, str] | None:
        """The first node that was refused, in words, and the reason; or that of a piece that no layer has read."""
        return next(iter((self.refused or self._inside).values()), None)

    def add(self, node: fx.Node, reason: str = NO_STREAM) -> None:
        """Add a node without a stream: the last step of a piece, or else refused, if it is the first one in its way."""
        try:
            piece = self._piece(node)
        except ValueError as error:  # random numbers
            piece, reason = None, str(error) if reason == NO_STREAM else reason
        if piece is not None:
            self.pieces[node.name] = piece
            self._inside[node] = self.flow.in_words(node), reason
        else:
            self.refuse(node, reason)

    def refuse(self, node: fx.Node, reason: str) -> None:
        """Add a node that is not drawn either, if it is the first one in its way."""
        if not self.refused or not any(part in {*self.refused, *self._inside} for part in self.flow.inputs(node)):
            self.refused[node] = self.flow.in_words(node), reason

    def read_later(self, steps: Iterable[fx.Node]) -> None:
        """Refuse steps no longer: they are parts of a function that was read."""
        for step in steps:
            self.refused.pop(step, None)
            self._inside.pop(step, None)
            self.pieces.pop(step.name, None)

    def end_in_front(self, node: fx.Node) -> bool:
        """Return whether pieces in front of a node end there: it has weights, is a sum, or makes the outputs."""
        pieces = [self.pieces[part.name] for part in self.flow.inputs(node) if part.name in self.pieces]
        if not pieces or node.target in SUMS or any(user.op == "output" for user in node.users):
            return True
        reads_data = any(piece.raw for piece in pieces) and self.flow.weighs(node)
        return reads_data or not self.flow.is_weightless(node)

    def stream(self, part: fx.Node, axis: int) -> Stream:
        """Return the stream behind a piece, the last step of which has its units on an axis.

        ValueError: the piece cannot be drawn; its first step is refused.
        """
        piece = self.pieces.pop(part.name)
        try:
            stream = computed(self.flow.named[part.name], piece, self.flow.values[part], axis)
        except ValueError:
            first = next(step for step in piece.steps if step in self._inside)  # why it has no layer
            self.refused[first] = self._inside[first]
            raise
        self._inside = {step: why for step, why in self._inside.items() if step not in piece.steps}
        return stream

    def _piece(self, node: fx.Node) -> Piece | None:
        """Return the steps by which a node is computed from independent streams, None if it is not."""
        flow = self.flow
        if flow.constants.reads_changed(node):
            return None
        between = piece_at(node, lambda part: self.streams.get(part.name), flow.inputs, flow.is_weightless)
        if between is None or not isinstance(flow.values[node], torch.Tensor):
            return None
        starts, steps = between
        others = {part: step for step in steps for part in step.all_input_nodes if part not in {*starts, *steps}}
        models = range(len(flow.models))
        constants = tuple({part: flow.constants.argument(part, i, at) for part, at in others.items()} for i in models)
        modules = flow.models if any(step.op == "call_module" for step in steps) else [flow.graph] * len(flow.models)
        return Piece(
            tuple(modules), tuple(starts), tuple(steps), tuple(self.streams[x.name] for x in starts), constants
        )
