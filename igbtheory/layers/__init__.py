"""Layers, one file for each: `samples` defines a layer, `law` and `kernel` are optional exact knowledge.

Most files hold one layer or a few of a kind. `layer` has their base class, and `general` estimates the law and the
kernel of a layer without exact rules. `chain` puts layers in a row, and `batch_sizes` finds the batches of a network.
`spatial` has the base classes of layers of images and sequences, and `blocks` computes their kernels in blocks. `few`
has the base class of layers with so few weights that they do not average out.
"""

from igbtheory.averages.state import Pairs
from igbtheory.layers.activation import Activation
from igbtheory.layers.attention import Attention
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.convolution import Conv1d, Conv2d, DepthwiseConv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.dropout import Dropout
from igbtheory.layers.gates import GEGLU, GLU, Gate, ReGLU, SwiGLU
from igbtheory.layers.groupnorm import GroupNorm
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.layers.pooling import AvgPool, MaxPool
from igbtheory.layers.residual import Residual
from igbtheory.layers.spatial_pools import AvgPool2d, Flatten, GlobalAvgPool, MaxPool2d
from igbtheory.layers.token_mixing import TokenMixing
from igbtheory.layers.tokens import ClassToken, FirstToken, PatchEmbedding, PositionEmbedding, Tokens
from igbtheory.nodes.gaussian import Gaussian, GaussianPairs
from igbtheory.nodes.node import KernelNode, LawNode

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
