"""Weights and added vectors that a model uses once."""

from typing import final

import torch

from igbtheory.layers.layer import Layer
from igbtheory.torch.few_numbers import drawn_numbers
from igbtheory.torch.path import Path, layers_of, vectors_held


@final
class FreshWeights:
    """The weights of the layers that were read, each of which must be drawn on its own."""

    def __init__(self) -> None:
        self._before: list[tuple[str, torch.Tensor]] = []
        self.embedding: torch.Tensor | None = None  # the weights of an embedding of ids
        self.tied = ""  # the name of the outputs that have these weights, too

    def add(self, weight: torch.Tensor, name: str) -> None:
        """Add weights of a layer of this name; those of the embedding again make it the outputs of a language model.

        ValueError: they are used twice, are equal to others, or stand behind such outputs.
        """
        if self.tied:
            raise ValueError(
                f"stands behind {self.tied!r}, which has the weights of the embedding: the theory needs independent "
                "ones there; draw them anew in every layer"
            )
        if self.embedding is not None and torch.equal(self.embedding, weight):
            self.tied = name
            return
        for other, weights_before in self._before:
            if (
                weights_before.shape != weight.shape
                or not bool(drawn_numbers(weight).any())
                or not torch.equal(drawn_numbers(weights_before), drawn_numbers(weight))
            ):
                continue
            if other == name:
                raise ValueError(
                    "stands in two places with the same weights: the theory needs independent ones; make a layer for "
                    "each place"
                )
            raise ValueError(
                f"has the same weights as {other!r}: the theory needs independent ones; draw them anew in every "
                "layer (copies, as nn.TransformerEncoder makes, start equal)"
            )
        self._before.append((name, weight))


class HeldError(ValueError):
    """A vector is added to units that hold it already, so that neither a layer nor draws of its own stand for it."""


@final
class FreshVectors:
    """The vectors that were added, with their layers: the same vector in two places is one layer there."""

    def __init__(self) -> None:
        self._before: list[tuple[torch.Tensor, Layer]] = []

    def layer_of(self, vector: torch.Tensor, layer: Layer, path: Path) -> Layer:
        """Return the layer that adds a vector to the units behind a path.

        ValueError: no weights have made these units independent of the vector, which was added to them before.
        """
        same = next((other for drawn, other in self._before if torch.equal(drawn, vector) and other == layer), None)
        if same is None:
            self._before.append((vector, layer))
            return layer
        if id(same) in vectors_held(layers_of(path)):
            raise HeldError("adds a vector again to units that hold it: the theory needs independent ones")
        return same
