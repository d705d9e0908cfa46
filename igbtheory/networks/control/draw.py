"""Initialisations drawn so that G0 lies in a window, with importance weights.

The weight of a network is P, the conditional probability that G0 lies in the window given all of its random numbers but
one: see `control.initialisation`. With these weights the networks have the law of unconditional networks, given that G0
lies in the window.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from igbtheory.foundations import checks
from igbtheory.foundations.accuracy import AccuracyWarning
from igbtheory.foundations.given import real_data
from igbtheory.foundations.result import Result
from igbtheory.foundations.text import table
from igbtheory.layers.chain import each
from igbtheory.layers.dropout import Noisy
from igbtheory.networks.control.initialisation import Array, Weights, initialisation
from igbtheory.networks.control.window import counts_within
from igbtheory.networks.network import Network

TRIES = 20
"""Largest number of tries for each requested network."""
SMALL = 0.1
"""Ratio of the effective sample to the number of requested networks below which a warning is given."""


@final
@dataclass(frozen=True, eq=False)
class Drawn(Result):
    """Networks with G0 in a window. G0, log_weights and weights, which sum to 1, have one entry for every network.

    The mean of f over initialisations with G0 in the window is sum(weights * f). tried: the number of tries. seeds: the
    numbers of the tries that gave a network. drawn(i): the matrices and biases of network i, drawn again from its seed.

    network, data, width, window, seed: as in `draw`. G0: shares of class 0. log_weights: logarithms of the
    weights, up to a constant.

    >>> drawn = igb.draw(igb.mlp(1, "relu"), igb.digits()[:50] / 16, (0.4, 0.6), networks=10, width=50)
    >>> print(f"{drawn.weights.sum():.3f}")
    1.000
    """

    network: Network
    data: Array
    width: int
    window: tuple[float, float]
    seed: int
    tried: int
    seeds: NDArray[np.int64]
    G0: Array
    log_weights: Array

    exported = ("tried", "effective", "probability", "probability_error", "log_probability", "G0", "weights")

    @cached_property
    def weights(self) -> Array:
        """Importance weights, which sum to 1."""
        return np.exp(self.log_weights - logsumexp(self.log_weights))

    @property
    def effective(self) -> float:
        """Effective sample size (sum w)^2 / sum w^2, from 1 to the number of networks."""
        return float(1 / np.sum(self.weights**2))

    @property
    def log_probability(self) -> float:
        """Logarithm of `probability`."""
        return float(logsumexp(self.log_weights) - np.log(self.tried))

    @property
    def probability(self) -> float:
        """Probability that an unconditional network has G0 in the window: the mean of P over all tries."""
        return float(np.exp(self.log_probability))

    @property
    def probability_error(self) -> float:
        """Standard error of `probability`, from the scatter of P over all tries."""
        second = self.probability * np.sum(self.weights * np.exp(self.log_weights))
        return float(np.sqrt(max(second - self.probability**2, 0.0) / max(self.tried - 1, 1)))

    def drawn(self, i: int) -> Weights:
        """Return matrix and biases of every Dense of network i, which computes x @ matrix + biases.

        The last Dense has two outputs.
        """
        counts = counts_within(self.window, len(self.data))
        network = initialisation(self.network, self.data, self.width, counts, (self.seed, int(self.seeds[i])))
        return network.weights

    def save(self, path: Any) -> None:
        """Write G0, the importance weights, and the matrices and biases of all networks to the .npz file `path`.

        matrix_2_0 and bias_2_0 belong to Dense 0 of network 2, which computes x @ matrix + bias.
        """
        arrays = {"G0": self.G0, "weights": self.weights}
        for i in range(len(self.G0)):
            for layer, (matrix, bias) in enumerate(self.drawn(i)):
                arrays |= {f"matrix_{i}_{layer}": matrix, f"bias_{i}_{layer}": bias}
        np.savez(path, allow_pickle=False, **arrays)

    def __str__(self) -> str:
        rows = ([str(i), f"{g:.6g}", f"{w:.4g}"] for i, (g, w) in enumerate(zip(self.G0, self.weights, strict=True)))
        return (
            f"{table(('network', 'G0', 'weight'), rows)}\n\n"
            f"effective sample {self.effective:.1f} of {len(self.G0)}\n"
            f"probability of the window {self.probability:.4g} ± {self.probability_error:.1g}"
        )

    def __repr__(self) -> str:
        low, high = self.window
        return (
            f"Drawn({len(self.G0)} networks with G0 from {low:g} to {high:g}, effective {self.effective:.1f}, "
            f"probability {self.probability:.3g} ± {self.probability_error:.1g})"
        )


def draw(network: Network, data: Any, window: Any, *, networks: int = 100, width: int = 1000, seed: int = 0) -> Drawn:
    """Draw initialisations of two classes whose G0 on the data lies in the `window` (low, high), ends included.

    data: (n_samples, n_features). width: the number of units of a hidden Dense. The result has importance weights, with
    which its law is exact. They differ much if the centre of the outputs alone can hardly bring G0 into the window, as
    in a network without bias: an AccuracyWarning is given if the effective sample is below a tenth of `networks`.
    Networks that cannot have G0 in the window are drawn again, with at most 20 tries for each requested network.
    ValueError: the window has no width or contains no share, the data have positions, a layer is Dropout, or no network
    was found.

    network: the network, with two classes. window: the smallest and the largest share of class 0. networks: number of
    networks to return. seed: the same seed gives the same networks.

    >>> drawn = igb.draw(igb.mlp(1, "relu"), igb.digits()[:50] / 16, (0.4, 0.6), networks=10, width=50)
    >>> bool(((0.4 <= drawn.G0) & (drawn.G0 <= 0.6)).all())
    True
    """
    checks.network(network)
    data = real_data(data)
    if data.ndim > 2:
        raise ValueError(
            f"expected vectors (n_samples, n_features), got data of shape {data.shape}: the weights of layers with "
            "positions are not kept; reshape them by NumPy, X.reshape(len(X), -1), for a network of Dense layers"
        )
    counts = counts_within(window, len(data))
    networks, width = checks.whole("networks", networks, 1), checks.whole("width", width, 1)
    seed = checks.whole("seed", seed, 0)
    if any(isinstance(layer, Noisy) for layer in each(network.layers)):
        raise ValueError("expected a network whose guesses depend only on its weights, got Dropout; leave it out")
    accepted: list[tuple[int, float, float]] = []
    tried = 0
    while len(accepted) < networks and tried < TRIES * networks:
        one = initialisation(network, data, width, counts, (seed, tried))
        if one.log_weight > -np.inf:
            accepted.append((tried, one.G0, one.log_weight))
        tried += 1
    low, high = float(window[0]), float(window[1])
    if not accepted:
        raise ValueError(
            f"none of {tried} networks can have G0 from {low:g} to {high:g} for any centre of the outputs: widen the "
            "window, or take a network with more bias, see igbtheory.design; data that are equal, or multiples of one "
            "datum, go together and allow few shares"
        )
    seeds, shares, logs = (np.array(part) for part in zip(*accepted, strict=True))
    drawn = Drawn(network, data, width, (low, high), seed, tried, seeds, shares, logs)
    if drawn.effective < SMALL * networks:
        message = (
            f"{len(accepted)} of {networks} networks were found in {tried} tries, and their effective sample is "
            f"{drawn.effective:.1f}: few networks have most of the weight; draw more networks, or widen the window"
        )
        warnings.warn(message, AccuracyWarning, stacklevel=2)
    return drawn
