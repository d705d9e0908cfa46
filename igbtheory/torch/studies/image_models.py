"""Small models of images for the papers' experiments: they train in milliseconds a step. Weights N(0, 2/fan-in)."""

from typing import Any, final

import torch
from torch import nn

from igbtheory.torch.studies.tasks import SIDE


def cnn(shape: tuple[int, int, int], classes: int, *, activation: Any = nn.ReLU, pool: Any = nn.MaxPool2d) -> Any:
    """Return two convolutions, each with an activation and a pool, and a linear layer. shape: of an image."""
    channels, height, width = shape
    blocks = [nn.Conv2d(channels, 16, 3, padding=1), activation(), pool(2)]
    blocks += [nn.Conv2d(16, 32, 3, padding=1), activation(), pool(2), nn.Flatten()]
    return _drawn(nn.Sequential(*blocks, nn.Linear(32 * (height // SIDE) * (width // SIDE), classes)))


@final
class _Sum(nn.Module):  # type: ignore[misc]  # PyTorch is not installed for every check
    """The sum of a branch and of what it reads."""

    def __init__(self, *branch: Any) -> None:
        super().__init__()
        self.branch = nn.Sequential(*branch)

    def forward(self, x: Any) -> Any:
        return x + self.branch(x)


@final
class _Moved(nn.Module):  # type: ignore[misc]  # PyTorch is not installed for every check
    """Exchange the last two axes."""

    def forward(self, x: Any) -> Any:
        return x.transpose(1, 2)


@final
class _Mean(nn.Module):  # type: ignore[misc]  # PyTorch is not installed for every check
    """The mean over the tokens (n, tokens, features)."""

    def forward(self, x: Any) -> Any:
        return x.mean(dim=1)


def resnet(shape: tuple[int, int, int], classes: int, *, after: bool = False, blocks: int = 3) -> Any:
    """Return residual blocks of two convolutions of 16 channels, with BatchNorm before ReLU or after it."""

    def normed(inputs: int, stride: int = 1) -> list[Any]:
        behind = [nn.BatchNorm2d(16), nn.ReLU()]
        return [nn.Conv2d(inputs, 16, 3, stride, padding=1), *(behind[::-1] if after else behind)]

    body = [_Sum(*normed(16), *normed(16)) for _ in range(blocks)]
    ending = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, classes)]
    return _drawn(nn.Sequential(*normed(shape[0], 2), *body, *ending))


def _patches(shape: tuple[int, int, int]) -> tuple[list[Any], int]:
    """Return the layers that make tokens of 32 features from patches, and the number of tokens, about 16."""
    channels, height, width = shape
    size = max(2, min(height, width) // SIDE)
    return [nn.Conv2d(channels, 32, size, size), nn.Flatten(2), _Moved()], (height // size) * (width // size)


def mixer(shape: tuple[int, int, int], classes: int, *, after: bool = False, blocks: int = 2) -> Any:
    """Return an MLP-Mixer, whose perceptrons have LayerNorm before ReLU or after it."""
    layers, tokens = _patches(shape)

    def perceptron(size: int) -> list[Any]:
        behind = [nn.LayerNorm(64), nn.ReLU()]
        return [nn.Linear(size, 64), *(behind[::-1] if after else behind), nn.Linear(64, size)]

    for _ in range(blocks):
        layers += [_Sum(_Moved(), *perceptron(tokens), _Moved()), _Sum(*perceptron(32))]
    return _drawn(nn.Sequential(*layers, _Mean(), nn.Linear(32, classes)))


def vit(shape: tuple[int, int, int], classes: int, *, scale: float = 1.0, blocks: int = 2) -> Any:
    """Return a vision transformer with PyTorch's initialisation, all weights of which are multiplied by a number."""
    layers, _ = _patches(shape)
    layers += [nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True, norm_first=True) for _ in range(blocks)]
    model = nn.Sequential(*layers, _Mean(), nn.Linear(32, classes))
    with torch.no_grad():
        for weights in model.parameters():
            if weights.ndim > 1:
                weights.mul_(scale)
    return model


def _drawn(model: Any) -> Any:
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            nn.init.normal_(module.weight, 0.0, (2 / module.weight[0].numel()) ** 0.5)
            nn.init.zeros_(module.bias)
    return model
