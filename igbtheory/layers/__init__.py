"""Layers, one file for each: `samples` defines a layer, `law` and `kernel` are optional exact knowledge.

A `node` flows through layers: a `base` (`gaussian`, `normalised`, or the one in `groupnorm`) and a function of it that
has not been averaged yet. `chain` puts layers in a row, `batches` finds their batches, `scaling` has the rules that
norms share, and `sums` adds independent nodes for `residual`. If a layer has no rule, `general` estimates one from
`draws` of units, on a given data set with `control_variates`. For BatchNorm behind a function there are `batch_square`
and `constant`; for a given data set `batch_kernel`, with exact integrals in `batch_kernel_homogeneous` and mean scales
in `batch_scales`. For images and sequences, `places` has the pairs of positions that a kernel holds, and `spatial` the
layers that average over them.
"""

from igbtheory.averages.state import Pairs
from igbtheory.layers.activation import Activation
from igbtheory.layers.attention import Attention
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.convolution import Conv1d, Conv2d, DepthwiseConv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.dropout import Dropout
from igbtheory.layers.gates import GEGLU, GLU, Gate, ReGLU, SwiGLU
from igbtheory.layers.gaussian import Gaussian, GaussianPairs
from igbtheory.layers.groupnorm import GroupNorm
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.layers.node import KernelNode, LawNode
from igbtheory.layers.pooling import AvgPool, MaxPool
from igbtheory.layers.residual import Residual
from igbtheory.layers.spatial_pools import AvgPool2d, Flatten, GlobalAvgPool, MaxPool2d
from igbtheory.layers.token_mixing import TokenMixing
from igbtheory.layers.tokens import ClassToken, FirstToken, PatchEmbedding, PositionEmbedding, Tokens

__all__ = [
    "GEGLU",
    "GLU",
    "Activation",
    "Attention",
    "AvgPool",
    "AvgPool2d",
    "BatchNorm",
    "ClassToken",
    "Conv1d",
    "Conv2d",
    "Dense",
    "DepthwiseConv2d",
    "Dropout",
    "FirstToken",
    "Flatten",
    "Gate",
    "Gaussian",
    "GaussianPairs",
    "GlobalAvgPool",
    "GroupNorm",
    "KernelNode",
    "LawNode",
    "Layer",
    "LayerNorm",
    "MaxPool",
    "MaxPool2d",
    "Pairs",
    "PatchEmbedding",
    "PositionEmbedding",
    "RMSNorm",
    "ReGLU",
    "Residual",
    "SwiGLU",
    "TokenMixing",
    "Tokens",
]
