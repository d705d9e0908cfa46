"""Compare predictions for PyTorch models with measurements: python benchmarks/models.py [NETWORKS [NAME ...]].

`igb.from_torch` reads every model, and `igb.measure` measures it, at three widths. The measured moments are divided by
those predicted at the same width, because PyTorch's default biases depend on the width. Extrapolated to infinite width,
the quotients must be 1.
"""

import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from scipy.special import ndtri
from torch import nn

import igbtheory as igb
from igbtheory.networks.simulation.estimates import mean, ratio_of_means
from igbtheory.networks.simulation.extrapolation import FACTORS, RICHARDSON

DIGITS = igb.standardised(igb.digits())[:96]
IMAGES = DIGITS[:24].reshape(-1, 1, 8, 8)
OUTPUTS = 100
"""Number of outputs of every model, each of which adds an estimate of the same moments."""
LEVEL = 1e-6
ROUNDING = 1e-4
"""Relative error of a prediction that is negligible beside the error of a measurement."""
Make = Callable[[int], Any]


class Add(nn.Module):  # type: ignore[misc] # PyTorch is an extra
    """The sum of a stream and its branch, passed through `after`."""

    def __init__(self, *branch: Any, after: Any = None) -> None:
        super().__init__()
        self.branch, self.after = nn.Sequential(*branch), after or nn.Identity()

    def forward(self, x: Any) -> Any:
        return self.after(x + self.branch(x))


class Mean(nn.Module):  # type: ignore[misc] # as above
    """Mean over the tokens."""

    def forward(self, x: Any) -> Any:
        return x.mean(1)


def drawn(model: Any, draw: Callable[[Any], Any]) -> Any:
    """Return the model with matrices drawn by a function and biases 0."""
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            draw(module.weight)
            nn.init.zeros_(module.bias)
    return model


def mlp(*between: Any, depth: int = 3, before: bool = True) -> Make:
    """Return a perceptron with modules before or behind each ReLU, which `between` makes for a width."""

    def make(width: int) -> Any:
        parts: list[Any] = []
        for i in range(depth):
            norms = [norm(width) for norm in between]
            parts += [nn.Linear(width if i else 64, width), *(norms if before else []), nn.ReLU()]
            parts += [] if before else norms
        return nn.Sequential(*parts, nn.Linear(width, OUTPUTS))

    return make


def he(w: Any) -> Any:
    """Draw normal weights by He's rule."""
    return nn.init.kaiming_normal_(w)


def lenet(width: int) -> Any:
    """Return a model of two convolutions, each with a pool behind it, and two linear layers."""
    return nn.Sequential(
        *(nn.Conv2d(1, width, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2)),
        *(nn.Conv2d(width, width, 3, padding=1), nn.Tanh(), nn.AvgPool2d(2)),
        *(nn.Flatten(), nn.Linear(4 * width, width), nn.Tanh(), nn.Linear(width, OUTPUTS)),
    )


def residual_images(width: int) -> Any:
    """Return a model of residual blocks of convolutions."""
    conv = [nn.Conv2d(width, width, 3, padding=1) for _ in range(4)]
    blocks = [Add(nn.ReLU(), conv[i], nn.ReLU(), conv[i + 1]) for i in (0, 2)]
    head = nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, OUTPUTS)
    return drawn(nn.Sequential(nn.Conv2d(1, width, 3, padding=1), *blocks, *head), he)


def residual(width: int) -> Any:
    """Return a residual perceptron with LayerNorm in front of every block."""
    blocks = [Add(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, width)) for _ in range(3)]
    return nn.Sequential(nn.Linear(64, width), *blocks, nn.LayerNorm(width), nn.Linear(width, OUTPUTS))


def tokens(width: int) -> Any:
    """Return a perceptron on the rows of an image as tokens, which are then averaged."""
    blocks = [Add(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, width)) for _ in range(2)]
    return nn.Sequential(nn.Linear(8, width), *blocks, Mean(), nn.Linear(width, OUTPUTS))


class ViT(nn.Module):  # type: ignore[misc] # as above
    """A vision transformer: patches, a class token, positions, and blocks of attention and a perceptron."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.patches = nn.Conv2d(1, width, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.places = nn.Parameter(torch.randn(1, 5, width))
        options: dict[str, Any] = {"dropout": 0.0, "activation": "gelu", "batch_first": True, "norm_first": True}
        self.blocks = nn.Sequential(*(nn.TransformerEncoderLayer(width, 4, width, **options) for _ in range(2)))
        self.head = nn.Linear(width, OUTPUTS)

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.places
        return self.head(self.blocks(x)[:, 0])


def encoder(width: int) -> Any:
    """Return a transformer on the rows of an image as tokens, with LayerNorm behind every sum."""
    options: dict[str, Any] = {"dropout": 0.0, "activation": "gelu", "batch_first": True}
    blocks = [nn.TransformerEncoderLayer(width, 4, 2 * width, **options) for _ in range(2)]
    return nn.Sequential(nn.Linear(8, width), *blocks, Mean(), nn.Linear(width, OUTPUTS))


class Down(nn.Module):  # type: ignore[misc] # as above
    """A block of a ResNet that halves the positions, as in torchvision."""

    def __init__(self, width: int, out: int) -> None:
        super().__init__()
        first, second = nn.Conv2d(width, out, 3, 2, 1, bias=False), nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.branch = nn.Sequential(first, nn.BatchNorm2d(out), nn.ReLU(), second, nn.BatchNorm2d(out))
        self.shortcut = nn.Sequential(nn.Conv2d(width, out, 1, 2, bias=False), nn.BatchNorm2d(out))

    def forward(self, x: Any) -> Any:
        return torch.relu(self.branch(x) + self.shortcut(x))


def resnet(width: int, *, train: bool = False) -> Any:
    """Return a ResNet as in torchvision: a stem, an overlapping pool, and blocks."""
    stem = nn.Conv2d(1, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    ends = nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, OUTPUTS)
    convs = [nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2)]
    norms = [nn.BatchNorm2d(width) for _ in range(2)]
    block = Add(convs[0], norms[0], nn.ReLU(), convs[1], norms[1], after=nn.ReLU())
    return nn.Sequential(*stem, block, Down(width, width), *ends).train(train)


class Mixer(nn.Module):  # type: ignore[misc] # as above
    """A mixer: patches, and a block that mixes the tokens and then the channels."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.patches, self.norm, self.head = nn.Conv2d(1, width, 2, 2), nn.LayerNorm(width), nn.Linear(width, OUTPUTS)
        self.tokens = nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Linear(16, 16))
        self.block = Add(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))

    def forward(self, x: Any) -> Any:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = self.block(x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2))
        return self.head(x.mean(1))


MODELS: dict[str, tuple[Make, Any, int]] = {
    "MLP, PyTorch's default": (mlp(), DIGITS, 64),
    "MLP, He": (lambda width: drawn(mlp()(width), he), DIGITS, 64),
    "MLP, Xavier": (lambda width: drawn(mlp()(width), nn.init.xavier_uniform_), DIGITS, 64),
    "MLP, orthogonal": (lambda width: drawn(mlp()(width), nn.init.orthogonal_), DIGITS, 64),
    "BatchNorm before ReLU": (mlp(nn.BatchNorm1d), DIGITS, 64),
    "BatchNorm behind ReLU": (mlp(nn.BatchNorm1d, depth=2, before=False), DIGITS[:32], 64),
    "BatchNorm, evaluation": (lambda width: mlp(nn.BatchNorm1d)(width).eval(), DIGITS, 64),
    "LayerNorm before ReLU": (mlp(nn.LayerNorm), DIGITS, 64),
    "LayerNorm behind ReLU": (mlp(nn.LayerNorm, before=False), DIGITS, 64),
    "RMSNorm behind ReLU": (mlp(nn.RMSNorm, before=False), DIGITS, 64),
    "residual MLP, LayerNorm": (residual, DIGITS, 64),
    "LeNet": (lenet, IMAGES, 16),
    "residual CNN": (residual_images, IMAGES, 16),
    "MLP on tokens": (tokens, DIGITS.reshape(-1, 8, 8), 64),
    "ResNet, evaluation": (resnet, IMAGES[:16], 16),
    "ResNet, training": (partial(resnet, train=True), IMAGES[:16], 16),
    "mixer": (Mixer, IMAGES[:8], 16),
    "ViT": (ViT, IMAGES, 32),
    "encoder": (encoder, DIGITS[:32].reshape(-1, 8, 8), 32),
    "Dropout": (mlp(lambda _: nn.Dropout(0.2)), DIGITS, 64),
}


def main(networks: int = 200, names: tuple[str, ...] = ()) -> None:
    """Print a line for each model: gamma, the deviation of the measured gamma, and the largest z-score."""
    warnings.simplefilter("ignore")
    threshold = -ndtri(LEVEL / (6 * len(MODELS)))
    print(f"  {'model':25} {'gamma':>9} {'width':>6}   {'off by':16} {'extrapolated':16} {'largest z':>9}")
    for name in names or MODELS:
        make, data, width = MODELS[name]
        quotients, gamma, doubts = [], 0.0, []
        for i, factor in enumerate(FACTORS):
            made = partial(make, factor * width)
            predicted = igb.from_torch(made, data).predict(data)
            found = igb.measure(made, data, networks, seed=i)
            gamma = float(predicted.gamma)
            doubts.append(min(float(predicted.error), 1.0))
            quotients.append(found.moments / [float(predicted.var_mu), float(predicted.var_chi)])
        a, b = np.moveaxis(np.array(quotients), -1, 0)
        parts = [*(mean(x, RICHARDSON) for x in (a, b)), ratio_of_means(a, b, RICHARDSON)]
        doubt = float(np.linalg.norm(RICHARDSON * doubts))  # the error of rules that are estimated from draws
        z = [float((value - 1) / np.hypot(error, doubt)) for value, error in parts]
        narrowest, limit = (
            f"{value - 1:+.1%} ± {error:.1%}" for value, error in (ratio_of_means(a[:1], b[:1], np.ones(1)), parts[2])
        )
        largest = max(map(abs, z))
        theory = f"   theory ± {doubts[0]:.1%}" if doubts[0] > ROUNDING else ""
        verdict = "" if largest < threshold else "   DEVIATES"
        numbers = f"{gamma:9.4g} {width:6d}   {narrowest:16} {limit:16} {largest:9.2f}"
        print(f"  {name:25} {numbers}{theory}{verdict}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 200, tuple(sys.argv[2:]))
