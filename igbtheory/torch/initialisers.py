"""Variances of weights and biases: of a known initialiser, or measured over the weights."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod, sqrt
from typing import final

import torch
from torch import nn

from igbtheory.torch.few_numbers import drawn_numbers

GAINS = (1.0, 2.0, 25 / 9)
"""Squared gains of `torch.nn.init` for linear, relu and tanh."""
DEVIATIONS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001)
"""Standard deviations that authors of models choose."""
FAR = 4.0
"""An initialiser fits if its variance is at most this many standard errors from the measured one, which chance exceeds
with the probability 6e-5."""
OFF_CENTRE = 6.0
"""The mean of weights counts as 0 if it is at most this many standard errors from 0, which chance exceeds with the
probability 2e-9."""
MISSED = 30.0
"""The largest of n uniform numbers is below (1 - MISSED/n) times their bound with probability exp(-MISSED), 1e-13."""

AT_ONCE = 2**17
"""Number of weights that are summed at once: 1 MiB in double precision, which stays in the cache."""
ENOUGH = 2**16
"""Number of weights that tell an initialiser: the error of their variance is 0.6 %, and known ones differ by more."""


@final
@dataclass(frozen=True)
class Variance:
    """A variance, its standard error (0 if the initialiser is known), and the names of the initialisers that fit."""

    value: float
    error: float
    laws: tuple[str, ...]

    @property
    def uniform(self) -> bool:
        """Whether the first law that fits, which is then the only one, is uniform."""
        return self.laws[0].endswith("uniform")


def variance(
    draws: Sequence[torch.Tensor], fan_in: int, fan_out: int, usual: str = "", *, of_biases: bool = False
) -> Variance:
    """Return the variance of the entries of the `draws`, one tensor for every model.

    A uniform initialiser counts as known if its bound fits the largest entry, too. A normal initialiser counts as known
    if it is `usual`, or if no other known normal law has a different variance within FAR standard errors.
    of_biases: whether the draws are those of biases, which errors then say.
    ValueError: the draws are not random numbers of mean 0.
    """
    what = "biases" if of_biases else "weights"
    if draws[0].is_complex():
        raise ValueError("has complex weights: the theory needs real ones, such as their real and imaginary parts")
    flat = [*map(drawn_numbers, draws)]
    count = sum(map(len, flat))
    mean, square, fourth, largest = _moments(flat, count)
    if not largest:
        return Variance(0.0, 0.0, ("zeros",))
    if mean**2 * count > OFF_CENTRE**2 * square:
        raise ValueError(f"has {what} of the mean {mean:.3g}: the theory needs the mean 0")
    if len(flat) > 1 and all(torch.equal(flat[0], other) for other in flat[1:]):
        remedy = "biases that are equal, or drawn anew" if of_biases else "weights that are drawn anew"
        raise ValueError(f"has the same {what} in every model: the theory needs {remedy}")
    normal: dict[str, float] = {}
    for name, value in _known(fan_in, fan_out):
        uniform, below = name.endswith("uniform"), 1 - largest / sqrt(3 * value)
        # the variances of the squares of uniform and normal numbers are 4/5 and 2 squared variances
        if abs(square / value - 1) > FAR * sqrt((0.8 if uniform else 2.0) / count):
            continue
        if not uniform:
            normal[name] = value
        elif -1e-6 <= below <= MISSED / count:
            return Variance(value, 0.0, (name,))
    if len({f"{value:.9g}" for value in normal.values()}) == 1:
        return Variance(next(iter(normal.values())), 0.0, tuple(normal))
    if usual in normal:
        return Variance(normal[usual], 0.0, (usual,))
    deviation = sqrt(max(0.0, fourth - square**2) * count / (count - 1)) if count > 1 else square
    return Variance(square, deviation / sqrt(count), ("measured",))


def _moments(flat: Sequence[torch.Tensor], count: int) -> tuple[float, float, float, float]:
    """Return the means of numbers, of their squares and of their fourth powers, and the largest size."""
    sums, largest = torch.zeros(3, dtype=torch.double), 0.0
    for part in (part for tensor in flat for part in tensor.split(AT_ONCE)):
        x = part.double()
        squares = x.square()
        sums += torch.stack([x.sum(), squares.sum(), squares @ squares])
        least, most = map(float, part.aminmax())
        largest = max(largest, -least, most)
    mean, square, fourth = (sums / count).tolist()
    return mean, square, fourth, largest


def usual_initialiser(models: Sequence[nn.Module]) -> str:
    """Return the known initialiser that fits most weights, and decides where several do; "" if none."""
    laws: Counter[str] = Counter()
    for name, weight in models[0].named_parameters():
        if weight.ndim < len(("outputs", "inputs")):
            continue
        drawn = [drawn_numbers(model.get_parameter(name))[:ENOUGH] for model in models]
        with suppress(ValueError):  # such as equal numbers
            part = variance(drawn, prod(weight.shape[1:]), weight.shape[0] * prod(weight.shape[2:]))
            laws.update([] if part.error else part.laws)
    return laws.most_common(1)[0][0] if laws else ""


def _known(fan_in: int, fan_out: int) -> Iterator[tuple[str, float]]:
    """Yield the names and variances of known initialisers, PyTorch's default first."""
    yield "PyTorch's default, uniform", 1 / (3 * fan_in)
    for law in ("normal", "uniform"):
        for gain in GAINS:
            yield f"Kaiming by fan_in, gain^2 {gain:.3g}, {law}", gain / fan_in
            yield f"Kaiming by fan_out, gain^2 {gain:.3g}, {law}", gain / fan_out
            yield f"Xavier, gain^2 {gain:.3g}, {law}", 2 * gain / (fan_in + fan_out)
    for gain in GAINS:
        yield f"orthogonal, gain^2 {gain:.3g}", gain / max(fan_in, fan_out)
    for deviation in DEVIATIONS:
        yield f"normal, sd {deviation:g}", deviation**2
