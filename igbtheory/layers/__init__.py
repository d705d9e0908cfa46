"""Layers: one file a rule, each with three faces (law, kernel, samples).

The rules: `dense`, `activation`, `batchnorm`, `layernorm` (and RMSNorm), `groupnorm`, `pooling`, `dropout`, `residual`.
What flows through them: `node`, from a base (`gaussian`, `normalised`) or a `recipe`. The rest serves BatchNorm behind
an activation: in the law `share`, on given data `normalised_pairs` and `batch_kernel`.
"""

from igbtheory.averages.state import Pairs
from igbtheory.layers.activation import Activation
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.dense import Dense
from igbtheory.layers.dropout import Dropout
from igbtheory.layers.gaussian import Gaussian, GaussianPairs
from igbtheory.layers.groupnorm import GroupNorm
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.layers.node import KernelNode, LawNode
from igbtheory.layers.pooling import AvgPool, MaxPool
from igbtheory.layers.residual import Residual

__all__ = [
    "Activation",
    "AvgPool",
    "BatchNorm",
    "Dense",
    "Dropout",
    "Gaussian",
    "GaussianPairs",
    "GroupNorm",
    "KernelNode",
    "LawNode",
    "Layer",
    "LayerNorm",
    "MaxPool",
    "Pairs",
    "RMSNorm",
    "Residual",
]
