"""Rows of gates: units times a function of other units, from two halves of a layer or from two layers drawn alike."""

import operator
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from igbtheory.layers.gates import GEGLU, GLU, ReGLU, SwiGLU
from igbtheory.layers.layer import Layer
from igbtheory.torch.rows.extra_layers import Halves, Second
from igbtheory.torch.rows.site import Site, reads

PRODUCTS = {operator.mul, operator.imul, torch.mul, "mul", "mul_"}
"""Functions and methods that multiply two paths through the network."""
GATES = {gate.activation: gate for gate in (GLU, ReGLU, GEGLU, SwiGLU)}


@reads(nn.GLU, functional.glu)
def gated(target: Any, site: Site) -> list[Layer]:
    """Return GLU over the units."""
    named = {"dim": target.dim} if isinstance(target, nn.GLU) else site.named
    _refuse_axis(site, named.get("dim", site.rest[0] if site.rest else -1))
    return [GLU()]


@reads(torch.chunk)
def halved(_: Any, site: Site) -> list[Layer]:
    """Return Halves over the units."""
    count, dim = (*site.rest, *site.named.values(), 0)[:2]
    if count != 2:
        raise ValueError(f"the theory has halves of the units, got {count} parts; make a layer for each part")
    _refuse_axis(site, dim)
    return [Halves()]


def _refuse_axis(site: Site, dim: int) -> None:
    if site.raw:
        raise ValueError("the theory has gates of units behind a layer with weights, got the data; put one in front")
    if dim % (1 + len(site.before)) != 1 + site.units:
        raise ValueError(f"the theory has gates of the units, got those of axis {dim}; exchange the axes")


def gate_of(stream: list[Layer], other: list[Layer]) -> list[Layer]:
    """Return the layers for the product of two paths, from where they part: a gate, or a layer and a gate.

    ValueError: the theory has no such gate.
    """
    gating = other if other and other[-1].function else stream
    value = stream if gating is other else other
    phi = gating[-1].function if gating else None
    gate, front = GATES.get(phi.name if phi else ""), gating[:-1]
    if gate is not None:
        halves = [layer for layer in (*front, *value) if isinstance(layer, Second)]
        if len(front) + len(value) == len(halves) == 1:
            return [gate()]
        # two layers that are drawn alike are the two halves of one layer
        if len(front) == len(value) == 1 and front == value and value[0].weighs:
            return [value[0], gate()]
    raise ValueError(
        "the theory has products of units and a function of others, from one layer or from two with the same variances "
        f"(GLU, ReGLU, GEGLU, SwiGLU), got {stream or 'a stream'} times {other}; leave it out, or take such a gate"
    )
