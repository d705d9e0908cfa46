"""Design of networks: the value of one parameter that gives a network the target gamma."""

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.foundations.accuracy import AccuracyWarning
from igbtheory.foundations.given import data_set
from igbtheory.foundations.result import Result
from igbtheory.guesses.arguments import non_negative_number
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.mathematics.numerics.crossings import crossings
from igbtheory.networks.control.activation_shift import matched
from igbtheory.networks.control.family import Array, Family, family
from igbtheory.networks.network import PROMISED, Network, mlp
from igbtheory.theory.prediction import Prediction

EXTREME = 1e300
"""Gamma is clipped to the range from the inverse of this to this before its logarithm is taken."""


@final
@dataclass(frozen=True, eq=False)
class Design(Result):
    """Network with the gamma `target`.

    values: all values of the parameter `vary` that give this gamma, in ascending order. network, inputs, prediction:
    those for the smallest value. For vary="activation_shift" a value is a tuple with the constant of every activation.
    For vary="batch_size" it is the whole number with the nearest gamma.

    target, vary: as in `design`.

    >>> designed = igb.design(0, "activation_shift", depth=2, activation="gelu")
    >>> np.round(designed.value, 4)
    array([0.4607, 0.3641])
    """

    target: float
    vary: str
    values: tuple[Any, ...]
    network: Network
    inputs: Any
    prediction: Prediction

    @property
    def value(self) -> Any:
        """Smallest value that gives the target gamma."""
        return self.values[0]

    @property
    def miss(self) -> float:
        """Relative deviation of the predicted gamma from the target, or the predicted gamma if the target is 0."""
        gamma = float(self.prediction.gamma)
        return gamma / self.target - 1 if self.target else gamma

    def to_dict(self) -> dict[str, Any]:
        """Return the values of the parameter, the target gamma and the predicted gamma."""
        gamma = float(self.prediction.gamma)
        return {"vary": self.vary, "value": self.value, "values": self.values, "target": self.target, "gamma": gamma}

    def __str__(self) -> str:
        layers = np.ndim(self.value) > 0
        shown = enumerate(self.value if layers else self.values, 1)
        lines = [f"{f'hidden layer {i}: ' if layers else ''}{self.vary} = {value:.17g}" for i, value in shown]
        return "\n".join([*lines, "", f"gamma   {float(self.prediction.gamma):.15g}"])

    def __repr__(self) -> str:
        said = self.value if np.ndim(self.value) == 0 else f"{len(self.value)} shifts, first {self.value[0]}"
        others = f", {len(self.values)} values do" if len(self.values) > 1 else ""
        return f"Design({self.vary}={said}, gamma={float(self.prediction.gamma):.12g}{others})"


def design(target: float, vary: Any, *, inputs: Any = None, within: Any = None, **architecture: Any) -> Design:
    """Find the parameter of `igb.mlp(**architecture)` that gives gamma = `target`, with a relative error of 1e-10.

    vary: "sigma_w2", "sigma_b2", "shift" (of the inputs), "batch_size", "activation_shift" (activations phi - a, with a
    chosen at each layer so that gamma is the target after every hidden layer), or a function from a value to a Network.
    within: the range (low, high) that is scanned for values. inputs: GaussianInputs or a data set, as for `predict`.
    ValueError: no value gives the target; the message states the range of gamma.

    target: the gamma that is wanted. architecture: the other parameters of `mlp`.

    >>> print(f"{igb.design(1.0, 'shift', depth=1, activation='relu').value:.4f}")
    0.6997
    """
    target = non_negative_number("gamma", target)
    inputs = GaussianInputs() if inputs is None else inputs
    inputs = inputs if isinstance(inputs, GaussianInputs) else data_set(inputs)
    if isinstance(vary, str) and vary == "activation_shift":
        return _by_activation(target, inputs, within, architecture)
    if target == 0:
        raise ValueError(
            'expected gamma > 0, got 0; vary="activation_shift" can remove the bias, or see igb.Activation'
        )
    along = family(vary, inputs, within, architecture)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AccuracyWarning)  # the design's own prediction warns
        values = _values(along, target)
    network, inputs = along.at(values[0])
    return Design(target, along.name, values, network, inputs, network.predict(inputs))


def _by_activation(target: float, inputs: Any, within: Any, architecture: dict[str, Any]) -> Design:
    if within is not None or not isinstance(inputs, GaussianInputs):
        raise ValueError('expected Gaussian inputs and no range with vary="activation_shift", which has a closed form')
    network, shifts = matched(mlp(**architecture), inputs, target)
    return Design(target, "activation_shift", (shifts,), network, inputs, network.predict(inputs))


def _values(along: Family, target: float) -> tuple[Any, ...]:
    """Return all values of the family with gamma = target."""
    gammas = along.gammas(along.grid)
    finite = np.isfinite(gammas)
    if not finite.any():
        network, inputs = along.at(along.grid[0].item())
        gamma = network.predict(inputs).gamma  # its error, if there is one, gives the reason
        raise ValueError(f"gamma is {gamma} whatever {along.name} is, not {target:g}; pass other inputs")
    low, high = gammas[finite].min(), gammas[finite].max()
    if high - low <= PROMISED * high:
        raise ValueError(f"gamma is {low:.12g} whatever {along.name} is, not {target:g}; vary another parameter")
    heights = _height(gammas, target)
    values: list[Any] = _whole_values(along, heights, target) if along.whole else _roots(along, heights, target)
    if not values:
        at_low, at_high = (along.grid[finite][pick(gammas[finite])] for pick in (np.argmin, np.argmax))
        raise ValueError(
            f"no {along.name} from {along.grid[0]:g} to {along.grid[-1]:g} gives gamma = {target:g}: there it ranges "
            f"from {low:.6g} (at {at_low:.4g}) to {high:.6g} (at {at_high:.4g}); within=(low, high) scans elsewhere"
        )
    return tuple(values)


def _height(gamma: Any, target: float) -> Any:
    """Return the logarithm of gamma/target."""
    return np.log(np.clip(gamma, 1 / EXTREME, EXTREME) / target)


def _roots(along: Family, heights: Array, target: float) -> list[float]:
    """Return the values with gamma = target, without those at which gamma jumps over the target."""

    def height(values: Array) -> Array:
        return np.asarray(_height(along.gammas(values), target))

    places = crossings(height, along.grid, heights, np.zeros(1)).ravel()
    candidates = np.union1d(along.grid[heights == 0], places).tolist()
    return [place for place in candidates if abs(height(np.array([place]))[0]) <= PROMISED]


def _whole_values(along: Family, heights: Array, target: float) -> list[int]:
    """Return the whole number with the nearest gamma for each crossing of the target."""

    def height(size: int) -> float:
        return float(_height(along.gammas(np.array([size])), target)[0])

    nearest = []
    for i in np.flatnonzero(np.sign(heights[:-1]) * np.sign(heights[1:]) <= 0):
        low, high = (int(value) for value in along.grid[i : i + 2])
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if np.sign(height(middle)) == np.sign(heights[i]) else (low, middle)
        nearest.append(min((low, high), key=lambda size: abs(height(size))))
    return sorted(set(nearest))
