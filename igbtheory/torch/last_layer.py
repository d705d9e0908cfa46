"""The last linear layer of a PyTorch model, for fixed inputs to it."""

from collections.abc import Callable
from functools import partial
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from igbtheory.foundations.labels import guesses
from igbtheory.torch.data import labelled_data, moved
from igbtheory.torch.initialisers import Variance, variance
from igbtheory.torch.models import checked_model
from igbtheory.torch.outputs import beside_zero
from igbtheory.torch.passes import outputs_of, stream
from igbtheory.torch.tracing import copied

Array = NDArray[np.float64]
SINGLE = 1e-4
"""Relative size of products of orthogonal rows that rounding in single precision explains."""
IMPROBABLE = 1e-9
"""Weights are of no normal law if chance makes their test statistic so rarely: a study draws thousands of heads."""
LEAST_TESTED, MOST_TESTED = 3, 5000
"""Numbers of weights between which SciPy has an accurate p-value."""
Draw = Callable[[np.random.Generator], Array]


@final
class LastLayer:
    """The parameters of the last linear layer, and its inputs at the data.

    name: of the layer. parameters: weights and, as a last column, biases, which change here first; `keep` writes them
    into the model. inputs: at every datum; in front of biases there is a 1.
    """

    def __init__(self, model: Any, data: Any, output: str | int | None = None) -> None:
        (other,) = copied([checked_model(model)])
        for module in other.modules():
            if isinstance(module, nn.modules.dropout._DropoutNd):  # noqa: SLF001 - the common class of all
                module.eval()  # alone: in evaluation mode BatchNorm would have other statistics
        calls: list[tuple[str, torch.Tensor, torch.Tensor]] = []
        for name, module in other.named_modules():
            if isinstance(module, nn.Linear):
                module.register_forward_hook(partial(_called, calls, name))
        batch = moved(labelled_data(data)[0], other.parameters())
        with torch.no_grad(), stream(0, 0):
            outputs = outputs_of(other, batch, 0, (len(batch), None), output)
        rows = ((name, _inputs_of(outputs, x, y)) for name, x, y in calls)
        last = [(name, x) for name, x in rows if x is not None]
        if not last:
            raise ValueError(
                "expected a model that ends in a linear layer with one row of outputs for each datum or token, got "
                "another; return the outputs of such a layer"
            )
        self.name, inputs = last[-1]
        self.module = model.get_submodule(self.name)
        self.inputs, self.parameters = _numbers(inputs), self._own()
        if not _numbers(self.module.weight).any():
            raise ValueError(f"expected a last layer with random weights, got zeros in {self.name!r}; initialise it")
        if self.module.bias is None:
            mean = self.inputs.mean(axis=0)
            length = np.linalg.norm(mean)  # 0 for data and their negatives: then no shift is possible
            self.direction: Array = mean / length if length else mean
        else:
            self.inputs = np.column_stack([self.inputs, np.ones(len(self.inputs))])
            self.direction = np.eye(self.inputs.shape[1])[-1]

    def outputs(self) -> Array:
        """Return the outputs at the data in double precision, (n_samples, classes)."""
        outputs: Array = beside_zero(self.inputs @ self.parameters.T)
        return outputs

    def redraw(self, seed: int, wanted: Callable[[Array], bool], tries: int) -> int:
        """Draw the parameters anew until the outputs are as wanted; return the number of draws, or 0 if all miss."""
        before, rng = self.parameters, np.random.default_rng(seed)
        fan_out, fan_in = self.module.weight.shape
        blocks = [part for part in (before[:, :fan_in], before[:, fan_in:]) if part.any()]
        draws = [self._initialiser(part, fan_in, fan_out) for part in blocks]
        rest = before[:, sum(part.shape[1] for part in blocks) :]  # biases of 0 stay
        for i in range(tries):
            self.parameters = np.hstack([*(draw(rng) for draw in draws), rest])
            if wanted(self.outputs()):
                return i + 1
        self.parameters = before
        return 0

    def _initialiser(self, numbers: Array, fan_in: int, fan_out: int) -> Draw:
        """Return a function that draws weights or biases anew. ValueError: their law is not known."""
        if length := _length_if_orthogonal(numbers):
            return partial(_orthogonal, numbers.shape, length)
        law = variance([torch.from_numpy(numbers)], fan_in, fan_out)
        if not law.uniform and not _may_be_normal(numbers):
            raise ValueError(
                f"expected weights of {self.name!r} from a known initialiser, to draw them anew, got another law; pass "
                "shares, for which the biases move alone, or initialise it by torch.nn.init.xavier_normal_"
            )
        return partial(_independent, numbers.shape, law)

    def slopes(self) -> Array:
        """Return the change of an output at every datum for a shift of 1: see `shift`."""
        slopes: Array = self.inputs @ self.direction
        if slopes.min() <= 0:
            raise ValueError(
                f"expected biases in {self.name!r}, or inputs to it that have a common direction, got neither; give it "
                "biases"
            )
        return slopes

    def shift(self, shifts: Array) -> None:
        """Shift the outputs of the classes by the biases, or, without biases, along the mean of the inputs."""
        shifts = shifts if len(self.parameters) > 1 else shifts[:1] - shifts[1:]
        self.parameters = self.parameters + np.multiply.outer(shifts, self.direction)

    def keep(self) -> float:
        """Write the parameters into the model, and return the length of their change over their own length."""
        before, values = self._own(), torch.from_numpy(self.parameters)
        with torch.no_grad():
            self.module.weight.copy_(values[:, : self.module.in_features])
            if self.module.bias is not None:
                self.module.bias.copy_(values[:, -1])
        return float(np.linalg.norm(self.parameters - before) / np.linalg.norm(before))

    def _own(self) -> Array:
        """Return the parameters that the model has."""
        return np.column_stack([_numbers(part) for part in (self.module.weight, self.module.bias) if part is not None])


def _called(calls: list[tuple[str, torch.Tensor, torch.Tensor]], name: str, module: nn.Linear, x: Any, _: Any) -> None:
    """Note the inputs and outputs of a linear layer, without what hooks of the user make of the outputs."""
    calls.append((name, x[0].detach(), functional.linear(x[0], module.weight, module.bias).detach()))


def _inputs_of(outputs: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor | None:
    """Return what a linear layer read to give these outputs, a row for each datum; None if it is another layer.

    x, y: its inputs and outputs. It may act on all tokens if the outputs are those at one token of each datum.
    """
    if y.shape == outputs.shape:
        return x if np.array_equal(guesses(_numbers(y)), guesses(_numbers(outputs))) else None
    if y.ndim != outputs.ndim + 1 or y.shape[::2] != outputs.shape:
        return None
    chosen = (y == outputs[:, None]).all(dim=-1)
    return x[torch.arange(len(x)), chosen.int().argmax(dim=1)] if bool(chosen.any(dim=1).all()) else None


def _numbers(values: torch.Tensor) -> Array:
    numbers: Array = values.detach().double().cpu().numpy()
    return numbers


def _independent(shape: tuple[int, ...], law: Variance, rng: np.random.Generator) -> Array:
    """Return an array of random numbers from a law, normal if it is not known to be uniform."""
    deviation = np.sqrt(law.value)
    if law.uniform:
        return rng.uniform(-np.sqrt(3) * deviation, np.sqrt(3) * deviation, shape)
    return np.asarray(deviation * rng.standard_normal(shape))


def _may_be_normal(numbers: Array) -> bool:
    """Return whether the test of Shapiro and Wilk lets the numbers pass as draws of one normal law."""
    from scipy import stats  # noqa: PLC0415 - loading it takes as long as an explanation, which does not need it

    flat = numbers.ravel()[:MOST_TESTED]
    return flat.size < LEAST_TESTED or bool(stats.shapiro(flat).pvalue > IMPROBABLE)


def _length_if_orthogonal(numbers: Array) -> float:
    """Return the length of the rows, or of the columns if there are fewer, if they are orthogonal, else 0."""
    short = numbers if numbers.shape[0] <= numbers.shape[1] else numbers.T
    products = short @ short.T
    square = products[0, 0]
    orthogonal = np.allclose(products, square * np.eye(len(short)), atol=SINGLE * square)
    random = len(short) > 1 and numbers.all()  # an identity is not drawn
    return float(np.sqrt(square)) if random and orthogonal else 0.0


def _orthogonal(shape: tuple[int, ...], length: float, rng: np.random.Generator) -> Array:
    """Return random orthogonal rows of this length, or columns if there are fewer."""
    basis, triangle = np.linalg.qr(rng.standard_normal((max(shape), min(shape))))
    basis = length * basis * np.sign(np.diagonal(triangle))  # without the signs the law is not invariant to rotations
    return np.asarray(basis if shape[0] > shape[1] else basis.T)
