"""Rows of gates: units times a function of other units, from two halves of a layer or from two layers drawn alike."""

import operator
from typing import Any

import torch
from torch import nn

from igbtheory.layers.gates import GEGLU, GLU, ReGLU, SwiGLU
from igbtheory.layers.layer import Layer
from igbtheory.torch.rows.site import Site, reads

PRODUCTS = {operator.mul, operator.imul, torch.mul, torch.Tensor.mul_, "mul", "mul_", "__mul__", "__imul__"}
"""Functions and methods that multiply two paths through the network."""
GATES = {gate.activation: gate for gate in (GLU, ReGLU, GEGLU, SwiGLU)}


@reads(nn.GLU, axis=lambda module: module.dim)
def gated(_: Any, site: Site) -> list[Layer]:
    """Return GLU over the units."""
    if site.raw:
        raise ValueError("the theory has gates of units behind a layer with weights, got the data; put one in front")
    return [GLU()]
