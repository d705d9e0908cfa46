"""Common networks for images: convolutional and residual networks, MLP-Mixers and vision transformers."""

from typing import Any

from igbtheory.layers.activation import Activation
from igbtheory.layers.attention import Attention
from igbtheory.layers.convolution import Conv2d
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm
from igbtheory.layers.residual import Residual
from igbtheory.layers.spatial_pools import Flatten, GlobalAvgPool
from igbtheory.layers.token_mixing import TokenMixing
from igbtheory.layers.tokens import ClassToken, FirstToken, PatchEmbedding, PositionEmbedding
from igbtheory.networks.network import Network, Norm, norm_named, repeated


def cnn(  # noqa: PLR0913 - the contract of the public name
    depth: int,
    activation: Any = "relu",
    *,
    kernel: int = 3,
    padding: str = "zeros",
    norm: Norm | None = None,
    pool: Layer | None = None,
    end: Layer | None = None,
    sigma_w2: Any = 2.0,
    sigma_b2: Any = 0.0,
) -> Network:
    """Return a convolutional network: `depth` times Conv2d, norm, activation, pool; then `end` and the output Dense.

    kernel, padding: options of every convolution. sigma_w2, sigma_b2: variances of every convolution and of the output
    Dense. norm: None, "batch", "layer" or "rms". pool: a layer such as AvgPool2d(2). end: Flatten() by default, or
    GlobalAvgPool().

    depth, activation: number of convolutions, and what follows each, as in `Activation`.

    >>> net = igb.cnn(2, "relu", pool=igb.AvgPool2d(2))
    >>> images = igb.gaussian_images(10, channels=3, height=8, width=8)
    >>> print(f"{net.predict(images).gamma:.3f}")
    8.681
    """
    hidden = (
        Conv2d(kernel, padding=padding, sigma_w2=sigma_w2, sigma_b2=sigma_b2),
        *norm_named(norm, None),
        Activation(activation),
        *(() if pool is None else (pool,)),
    )
    return Network(*repeated(hidden, depth), Flatten() if end is None else end, Dense(sigma_w2, sigma_b2))


def resnet(
    depth: int,
    activation: Any = "relu",
    *,
    kernel: int = 3,
    padding: str = "zeros",
    norm: Norm | None = "batch",
    pool: Layer | None = None,
    sigma_w2: Any = 2.0,
) -> Network:
    """Return a residual network on images: a convolution and `depth` blocks phi(X + norm(conv(phi(norm(conv(X)))))).

    GlobalAvgPool and Dense follow. kernel, padding, sigma_w2: options of every convolution. norm: None, "batch",
    "layer" or "rms". pool: a layer after every block. Source: He et al. 2016, Deep residual learning for image
    recognition.

    depth, activation: number of blocks, and the activation in them, as in `Activation`.

    >>> igb.resnet(1).layers[:2]
    (Conv2d(3, sigma_w2=2.0), BatchNorm())
    """
    convolution, phi = Conv2d(kernel, padding=padding, sigma_w2=sigma_w2), Activation(activation)
    normed = (convolution, *norm_named(norm, None))
    block = (Residual(*normed, phi, *normed), phi, *(() if pool is None else (pool,)))
    return Network(*normed, phi, *repeated(block, depth), GlobalAvgPool(), Dense(1.0))


def mixer(depth: int, activation: Any = "gelu", *, patch: int = 4, sigma_w2: Any = 1.0) -> Network:
    """Return an MLP-Mixer on images: `depth` blocks that mix the tokens and then the channels, each after a LayerNorm.

    GlobalAvgPool and Dense follow. patch: side of a patch in pixels. sigma_w2: variance of all weights. The hidden
    layer that mixes the tokens has as many units as there are tokens. Source: Tolstikhin et al. 2021.

    depth, activation: number of blocks, and the activation of their perceptrons, as in `Activation`.

    >>> igb.mixer(1, patch=2).layers[0]
    PatchEmbedding(2, sigma_w2=1.0)
    """
    phi, dense, mixing = Activation(activation), Dense(sigma_w2), TokenMixing(sigma_w2=sigma_w2)
    embedding = PatchEmbedding(patch, sigma_w2)
    block = (
        Residual(LayerNorm(), mixing, phi, mixing),
        Residual(LayerNorm(), dense, phi, dense),
    )
    return Network(embedding, *repeated(block, depth), LayerNorm(), GlobalAvgPool(), dense)


def vit(
    depth: int,
    activation: Any = "gelu",
    *,
    patch: int = 4,
    heads: int = 4,
    sigma_w2: Any = 1.0,
    class_variance: Any = 1.0,
    position_variance: Any = 1.0,
) -> Network:
    """Return a vision transformer on images: `depth` blocks of attention and a perceptron, each after a LayerNorm.

    patch: side of a patch in pixels. sigma_w2: variance of all weights. class_variance, position_variance: variances of
    the class token, from which the output is computed, and of the position embedding. Source: Dosovitskiy et al. 2021.

    depth, activation: number of blocks, and the activation of their perceptrons, as in `Activation`. heads: number of
    heads of each attention.

    >>> igb.vit(1, patch=2, heads=2).layers[:3]
    (PatchEmbedding(2, sigma_w2=1.0), ClassToken(1.0), PositionEmbedding(1.0))
    """
    phi, dense = Activation(activation), Dense(sigma_w2)
    embedding = (PatchEmbedding(patch, sigma_w2), ClassToken(class_variance), PositionEmbedding(position_variance))
    block = (
        Residual(LayerNorm(), Attention(heads, sigma_w2, sigma_w2), dense),
        Residual(LayerNorm(), dense, phi, dense),
    )
    return Network(*embedding, *repeated(block, depth), LayerNorm(), FirstToken(), dense)
