"""Families of networks with one parameter, and their gammas."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.mathematics.numerics.crossings import tabulated
from igbtheory.networks.network import Network, mlp

Array = NDArray[np.float64]
Member = Callable[[Any], tuple[Network, Any]]
POINTS = 65
"""Number of values that are scanned."""
RANGES = {"sigma_w2": (1e-2, 1e2), "sigma_b2": (0.0, 1e4), "shift": (0.0, 1e4), "batch_size": (2.0, 1e4)}
"""Parameters that may be varied, with their default ranges."""
SMALLEST = 1e-6
"""Smallest positive value that is scanned in a range that starts at 0."""


@final
@dataclass(frozen=True)
class Family:
    """Family of networks with the parameter `name`. at(value) returns a network and its inputs.

    whole: whether the values are whole numbers. sweeps: whether at() takes an array of values and returns a sweep.
    """

    name: str
    at: Member
    grid: Array
    whole: bool = False
    sweeps: bool = True

    def gammas(self, values: Array) -> Array:
        """Return gamma at every value, or NaN for a network that leaves the range of double precision."""
        blocks = [values] if self.sweeps else [values[i : i + 1] for i in range(len(values))]
        return np.concatenate([tabulated(self._predicted, part) for part in blocks])

    def _predicted(self, values: Array) -> Any:
        one = int(values[0]) if self.whole else float(values[0])
        network, inputs = self.at(values if self.sweeps else one)
        return np.reshape(network.predict(inputs).gamma, -1)


def family(vary: Any, inputs: Any, within: Any, architecture: dict[str, Any]) -> Family:
    """Return the family with the parameter `vary` of `mlp(**architecture)`, or the family of networks vary(value)."""
    if callable(vary):
        if architecture:
            raise ValueError(f"expected no {', '.join(architecture)} beside a function that makes the network")
        if within is None:
            raise ValueError("expected within=(low, high), the range of values to scan for a function, got None")
        return Family(
            getattr(vary, "__name__", "value"), lambda v: (vary(v), inputs), _grid(*_range(within)), sweeps=False
        )
    if "depth" not in architecture:
        raise TypeError(f"expected the depth of the networks, got {', '.join(architecture) or 'none'}; pass depth=10")
    checks.known("parameter to vary", vary, (*RANGES, "activation_shift"))
    if vary in architecture:
        raise ValueError(f"expected no value of {vary}, which is to be found, got {architecture[vary]!r}")
    low, high = _range(RANGES[vary] if within is None else within)
    if vary != "shift" and low < 0:
        raise ValueError(f"expected within=(low, high) with low >= 0 for {vary}, got {within!r}")
    grid = _grid(low, high)
    sweeps = isinstance(inputs, GaussianInputs) and vary != "batch_size"
    if vary == "shift":
        return Family(vary, partial(_with_shift, mlp(**architecture), inputs), grid, sweeps=sweeps)
    whole = vary == "batch_size"
    grid = np.unique(np.round(grid)) if whole else grid
    return Family(vary, lambda value: (mlp(**architecture, **{vary: value}), inputs), grid, whole, sweeps)


def _with_shift(network: Network, inputs: Any, shift: Any) -> tuple[Network, Any]:
    """Return the network, and the inputs shifted by `shift`."""
    if isinstance(inputs, GaussianInputs):
        return network, GaussianInputs(inputs.shift + shift, inputs.variance)
    return network, inputs + shift


def _range(within: Any) -> tuple[float, float]:
    if np.shape(within) != (2,):
        raise ValueError(f"expected within=(low, high), got {within!r}")
    checks.finite("within", within)
    low, high = float(within[0]), float(within[1])
    if not low < high:
        raise ValueError(f"expected within=(low, high) with low < high, got {within!r}")
    return low, high


def _grid(low: float, high: float) -> Array:
    """Return the values to scan: with equal ratios if low >= 0, and with equal differences otherwise."""
    if low < 0:
        return np.linspace(low, high, POINTS)
    smallest = low or min(SMALLEST, SMALLEST * high)
    positive = np.geomspace(smallest, high, POINTS)
    return positive if low else np.append(0.0, positive)
