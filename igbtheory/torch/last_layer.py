"""The last linear layer of a PyTorch model, for fixed inputs to it."""

import copy
from collections.abc import Callable
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from igbtheory.torch.data import checked_data, moved
from igbtheory.torch.initialisers import variance
from igbtheory.torch.models import checked_model
from igbtheory.torch.outputs import beside_zero, guesses
from igbtheory.torch.passes import outputs_of, stream

Array = NDArray[np.float64]


@final
class LastLayer:
    """The parameters of the last linear layer, and its inputs at the data.

    name: of the layer. weight, bias: its parameters, which change here first; `keep` writes them into the model.
    """

    def __init__(self, model: Any, data: Any, output: str | int | None = None) -> None:
        own = copy.deepcopy(checked_model(model))
        dropping = nn.modules.dropout._DropoutNd  # noqa: SLF001 - the common class of all
        random = [name for name, m in own.named_modules() if isinstance(m, dropping) and m.p and m.training]
        if random:
            raise ValueError(
                f"expected a model whose guesses follow from its weights, got Dropout ({random[0]!r}); call "
                "model.eval(), and model.train() afterwards"
            )
        seen: list[tuple[str, torch.Tensor, torch.Tensor]] = []
        for name, module in own.named_modules():
            if isinstance(module, nn.Linear):
                module.register_forward_hook(lambda _, x, y, name=name: seen.append((name, x[0].detach(), y.detach())))
        batch = moved(checked_data(data), own.parameters())
        with torch.no_grad(), stream(0, 0):
            outputs = outputs_of(own, batch.clone(), 0, (len(batch), None), output)
        told = guesses(_numbers(outputs))
        last = [(name, x) for name, x, y in seen if y.shape == outputs.shape and np.all(guesses(_numbers(y)) == told)]
        if not last:
            raise ValueError(
                "expected a model that ends in a linear layer with one row of outputs for each datum, got another"
            )
        self.name, inputs = last[-1]
        self.module = model.get_submodule(self.name)
        self.inputs = _numbers(inputs)
        self.weight = _numbers(self.module.weight)
        self.bias = None if self.module.bias is None else _numbers(self.module.bias)
        if not self.weight.any():
            raise ValueError(f"expected a last layer with random weights, got zeros in {self.name!r}; initialise it")

    def outputs(self) -> Array:
        """Return the outputs at the data in double precision, (n_samples, classes)."""
        return beside_zero(self.inputs @ self.weight.T + (0.0 if self.bias is None else self.bias))

    def redraw(self, seed: int, wanted: Callable[[Array], bool], tries: int) -> int:
        """Draw the parameters anew until the outputs are as wanted; return the number of draws, or 0 if all miss."""
        own, rng = (self.weight, self.bias), np.random.default_rng(seed)
        draw_weight = _drawing(self.weight, self.weight.shape)
        draw_bias = None if self.bias is None or not self.bias.any() else _drawing(self.bias, self.weight.shape)
        for i in range(tries):
            self.weight = draw_weight(rng)
            self.bias = draw_bias(rng) if draw_bias else own[1]
            if wanted(self.outputs()):
                return i + 1
        self.weight, self.bias = own
        return 0

    def slopes(self) -> Array:
        """Return what a shift of 1 adds to an output at every datum: see `shift`."""
        if self.bias is not None:
            return np.ones(len(self.inputs))
        found: Array = self.inputs @ self._direction()
        if found.min() <= 0:
            raise ValueError(
                f"expected biases in {self.name!r}, or inputs to it that have a common direction, got neither; give it "
                "biases"
            )
        return found

    def shift(self, shifts: Array) -> None:
        """Shift the outputs of the classes by the biases, or, without biases, along the mean of the inputs."""
        shifts = shifts if len(self.weight) > 1 else shifts[:1] - shifts[1:]
        if self.bias is not None:
            self.bias = self.bias + shifts
        else:
            self.weight = self.weight + np.multiply.outer(shifts, self._direction())

    def keep(self) -> float:
        """Write the parameters into the model, and return the length of their change over their own length."""
        squares = np.zeros(2)
        for parameter, values in ((self.module.weight, self.weight), (self.module.bias, self.bias)):
            if values is not None:
                before = _numbers(parameter)
                squares += np.sum((values - before) ** 2), np.sum(before**2)
                with torch.no_grad():
                    parameter.copy_(torch.from_numpy(values))
        return float(np.sqrt(squares[0] / squares[1]))

    def _direction(self) -> Array:
        mean: Array = self.inputs.mean(axis=0)
        return mean / np.linalg.norm(mean)


def _numbers(values: torch.Tensor) -> Array:
    found: Array = values.detach().double().cpu().numpy()
    return found


def _drawing(values: Array, fans: tuple[int, ...]) -> Callable[[np.random.Generator], Array]:
    """Return a function that draws numbers from the law of these values: uniform if it is known to be, else normal.

    fans: fan-out and fan-in of the layer.
    """
    law = variance([torch.from_numpy(values)], fans[1], fans[0])
    deviation = np.sqrt(law.value)
    if law.laws[0].endswith("uniform"):
        return lambda rng: rng.uniform(-np.sqrt(3) * deviation, np.sqrt(3) * deviation, values.shape)
    return lambda rng: deviation * rng.standard_normal(values.shape)
