"""Weights that a model uses once."""

from typing import final

import torch

from igbtheory.torch.few_numbers import drawn_numbers


@final
class FreshWeights:
    """The weights of the layers that were read, each of which must be drawn on its own."""

    def __init__(self) -> None:
        self._before: list[tuple[str, torch.Tensor]] = []
        self.embedding: torch.Tensor | None = None  # the weights of an embedding of ids
        self.tied = ""  # the name of the outputs that have these weights, too

    def add_output(self, weight: torch.Tensor, name: str) -> None:
        """Add weights of outputs for every token, which may be those of the embedding. ValueError: as of `add`."""
        if self.embedding is not None and torch.equal(self.embedding, weight):
            self.tied = name
        else:
            self.add(weight, name)

    def add(self, weight: torch.Tensor, name: str) -> None:
        """Add weights of a layer of this name. ValueError: they are used twice, or are equal to others."""
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
