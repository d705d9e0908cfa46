"""Layers: one file a layer; `samples` defines it, `law` and `kernel` are optional exact knowledge.

What flows through layers is a `node`: a `base` (`gaussian`, `normalised`, those of `groupnorm`) and the function of
it that is not averaged yet. `chain` puts layers in a row, `batches` says which batches they have, `scaling` holds what
norms have in common, and `sums` adds independent nodes for `residual`. Where a layer has no rule, `general` estimates
one from `draws` of units, on a given data set with `control_variates`. BatchNorm behind a function: `batch_square` and
`constant`; on a given data set: `batch_kernel`, exact in `batch_kernel_homogeneous`, by mean scales in `batch_scales`.
Images and sequences: `places` says which pairs of positions a kernel holds, `spatial` what layers make of them.
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
