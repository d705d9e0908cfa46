"""What stands in front of every Dense of a network whose expansion in 1/width is known: norms and an activation."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import final

from igbtheory.layers.activation import USUAL, Activation
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.mathematics.averages.maximum import IDENTITY
from igbtheory.mathematics.averages.mesh import UnresolvedError, mesh
from igbtheory.mathematics.formulas.function import Function, composed
from igbtheory.mathematics.numbers import FLOAT64

Norm = LayerNorm | RMSNorm


class DoesNotHoldError(ValueError):
    """Raised where the expansion in 1/width is not known or too inaccurate; an exact chain of pairs serves instead."""


@final
@dataclass(frozen=True)
class Block:
    """The layers between two Dense: a norm in front of the activation phi, or None, and one behind it, or None."""

    before: Norm | None
    phi: Function
    behind: Norm | None


def blocks(layers: Sequence[Layer]) -> tuple[list[Block], list[Dense]]:
    """Return the blocks between the Dense layers, and the Dense layers, one more than blocks.

    DoesNotHoldError: the noise of a layer is not known.
    """
    between: list[Block] = []
    denses: list[Dense] = []
    while layers:
        hidden = list(takewhile(lambda layer: not isinstance(layer, Dense), layers))
        dense, layers = layers[len(hidden)], layers[len(hidden) + 1 :]
        if denses:
            between.append(_block(hidden))
        elif hidden:
            raise _unknown(hidden[0], "in front of the first Dense")
        assert isinstance(dense, Dense)  # noqa: S101 - a network ends with one
        denses.append(dense)
    return between, denses


def _block(hidden: Sequence[Layer]) -> Block:
    """Return the block of the layers between two Dense."""
    before, phi, behind = None, None, None
    for layer in hidden:
        match layer:
            case LayerNorm() | RMSNorm() if before is None and phi is None:
                before = layer
            case Activation() if behind is None:
                _refuse_jumps(layer.phi)
                phi = layer.phi if phi is None else composed(layer.phi, phi)
            case LayerNorm() | RMSNorm() if behind is None:
                behind = layer
            case _:
                raise _unknown(layer, "there")
    return Block(before, phi or IDENTITY, behind)


def _refuse_jumps(phi: Function) -> None:
    """Raise DoesNotHoldError if phi jumps or its slope is singular: the noise then is not of order 1/width."""
    try:
        singular = mesh(phi, USUAL).doubt > 1
    except UnresolvedError as error:
        raise DoesNotHoldError(f"the expansion has no averages of {phi.name!r}: {error}") from None
    if singular or any(phi.pieces.jumps(FLOAT64)):
        raise DoesNotHoldError(f"the expansion needs a continuous activation with a bounded slope, got {phi.name!r}")


def _unknown(layer: Layer, where: str) -> DoesNotHoldError:
    return DoesNotHoldError(f"the expansion does not know the noise of {layer!r} {where}")
