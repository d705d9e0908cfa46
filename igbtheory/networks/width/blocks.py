"""What stands in front of every Dense of a network whose expansion in 1/width is known: norms and an activation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from igbtheory.layers.activation import USUAL, phi_of
from igbtheory.layers.chain import segments
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
    (front, first), *others = segments(layers)
    if front:
        raise _unknown(front[0], "in front of the first Dense")
    return [_block(hidden) for hidden, _ in others], [first, *(dense for _, dense in others)]


def _block(hidden: Sequence[Layer]) -> Block:
    """Return the block of the layers between two Dense."""
    before, phi, behind = None, None, None
    for layer in hidden:
        norm = layer if isinstance(layer, LayerNorm | RMSNorm) else None
        if behind or not (norm or phi_of(layer)):
            raise _unknown(layer, "there")
        if (outer := phi_of(layer)) is not None:
            _refuse_jumps(outer)
            phi = outer if phi is None else composed(outer, phi)
        elif before or phi:
            behind = norm
        else:
            before = norm
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
