"""All models whose reading is scored: how each is made, and data for it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import util
from typing import Any, final

import torch
from zoo import libraries
from zoo.tutorials import images, perceptrons, tokens

Make = Callable[[], Any]


@final
@dataclass(frozen=True)
class Example:
    """A model: its group, family and name, functions that make it and its data, and which of its outputs is read."""

    group: str
    family: str
    name: str
    make: Make
    data: Make
    output: int | None = None


def image(channels: int, size: int) -> Make:
    """Return a function that draws four images."""
    return lambda: torch.rand(4, channels, size, size, generator=torch.Generator().manual_seed(0))


def numbers(*shape: int) -> Make:
    """Return a function that draws four data of this shape."""
    return lambda: torch.randn(4, *shape, generator=torch.Generator().manual_seed(0))


def words(length: int, vocabulary: int = 100) -> Make:
    """Return a function that draws four texts of token numbers."""
    return lambda: torch.randint(1, vocabulary, (4, length), generator=torch.Generator().manual_seed(0))


TUTORIALS: dict[str, list[tuple[Any, Make]]] = {
    "perceptron": [
        (perceptrons.Quickstart, image(1, 28)),
        (perceptrons.Tabular, numbers(20)),
        (perceptrons.EntityEmbeddings, words(3, 10)),
        (perceptrons.SelfNormalising, numbers(20)),
        (perceptrons.OwnParameters, numbers(20)),
        (perceptrons.FunctionalNorms, numbers(20)),
        (perceptrons.TiedAutoencoder, image(1, 28)),
        (perceptrons.WideAndDeep, numbers(20)),
        (perceptrons.DictOutputs, numbers(20)),
        (perceptrons.Siamese, numbers(2, 1, 28, 28)),
        (perceptrons.FourierFeatures, numbers(2)),
    ],
    "gates": [
        (perceptrons.MixtureOfExperts, numbers(20)),
        (perceptrons.Gated, numbers(20)),
        (perceptrons.Highway, numbers(20)),
    ],
    "initialisers": [(perceptrons.Initialisers, numbers(64)), (perceptrons.FixedInitialisers, numbers(20))],
    "sets and graphs": [
        (perceptrons.DeepSets, numbers(8, 3)),
        (perceptrons.GraphConvolutions, numbers(6, 4)),
        (images.PointNet, numbers(3, 32)),
    ],
    "images": [
        (images.LeNet5, image(1, 32)),
        (images.MnistExample, image(1, 28)),
        (images.CifarTutorial, image(3, 32)),
        (images.VggStyle, image(3, 32)),
        (images.SqueezeExcite, image(3, 16)),
        (images.DepthwiseSeparable, image(3, 32)),
        (images.CifarResNet, image(3, 32)),
        (images.PreActivation, image(3, 16)),
        (images.Dense, image(3, 16)),
        (images.Inception, image(3, 32)),
        (images.GroupNorms, image(3, 16)),
        (images.Discriminator, image(3, 32)),
        (images.DuelingDQN, image(4, 84)),
        (images.TimeSeries, numbers(3, 32)),
    ],
    "images made": [(images.UNet, image(1, 16)), (images.VAE, image(1, 28))],
    "texts": [
        (tokens.MeanOfEmbeddings, words(12)),
        (tokens.Bag, words(12)),
        (tokens.TextCNN, words(12)),
        (tokens.TransformerClassifier, words(12)),
        (tokens.NanoGPT, words(12)),
    ],
    "recurrent": [(tokens.LSTMClassifier, words(12)), (tokens.GRUClassifier, numbers(12, 8))],
    "patches": [(tokens.ViT, image(1, 28)), (tokens.MlpMixer, image(1, 28))],
}
OUTPUTS = {"VAE": 1}
"""The output that is read of models with several: of the autoencoder the means of the code."""
QUICK = (
    *("Tabular", "OwnParameters", "DictOutputs", "Initialisers", "MnistExample", "DepthwiseSeparable", "TimeSeries"),
    *("GroupNorms", "ViT", "MlpMixer"),
)
"""Ten models of the tutorials, which need PyTorch alone."""


def examples() -> Iterator[Example]:
    """Yield all models; those of a library only if it is installed."""
    for family, rows in TUTORIALS.items():
        for make, data in rows:
            yield Example("tutorials", family, make.__name__, make, data, OUTPUTS.get(make.__name__))
    for name, rows_of in (
        ("torchvision", libraries.of_torchvision),
        ("timm", libraries.of_timm),
        ("transformers", libraries.of_transformers),
    ):
        if util.find_spec(name):
            for family, model, make, shape in rows_of():
                yield Example(name, family, model, make, image(*shape) if shape else words(8))
