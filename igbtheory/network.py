"""Networks: composition of layers, and the prediction that follows."""

import warnings
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.guesses import DatasetGuessLaw
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Activation, Dense, KernelNode, LawNode, Layer, Pairs
from igbtheory.numbers import FLOAT64, Kind, Multiprecision
from igbtheory.prediction import PerLayer, Prediction
from igbtheory.printing import layers_latex, layers_text

if TYPE_CHECKING:
    from igbtheory.simulation import Simulation

BLOCK = 2**20
"""Entries of the kernel of a data set held at once."""
LARGEST = 30_000
"""Data of a given set at most: the time grows with the square."""
PROMISED = 1e-10
"""Relative error beyond which a prediction in double precision warns."""


class AccuracyWarning(UserWarning):
    """A prediction whose estimated error is larger than promised."""


@final
@dataclass(frozen=True, init=False, repr=False)
class Network:
    """A network: layers from the input to the output Dense.

    Source: bias-and-trainability-slides (Y) and where-you-place-the-norm, Eqs. 1 to 3, for the composition.
    """

    layers: tuple[Layer, ...]

    def __init__(self, *layers: Layer) -> None:
        for layer in layers:
            if not isinstance(layer, Layer):
                raise TypeError(f"expected layers such as Dense(2.0) or Activation('relu'), got {layer!r}")
        if not layers or not isinstance(layers[-1], Dense):
            last = repr(layers[-1]) if layers else "no layer"
            raise ValueError(
                f"expected a network whose last layer is Dense, got {last}: guesses compare Gaussian outputs; "
                "append Dense()"
            )
        object.__setattr__(self, "layers", layers)

    def predict(self, inputs: Any = None, *, digits: int | None = None) -> Prediction:
        """Prediction in infinite width for Gaussian inputs (default: N(0, 1)), or for the very data set `inputs`.

        inputs: GaussianInputs, or an array of shape (n_samples, n_features), which is never standardised silently.
        digits: significant digits of multiprecision arithmetic; None is double precision.
        """
        n = FLOAT64 if digits is None else Multiprecision(checks.whole("digits", digits, 2))
        inputs = GaussianInputs() if inputs is None else inputs
        prediction = self._law(n, inputs) if isinstance(inputs, GaussianInputs) else self._kernel(n, inputs)
        error = float(np.max(prediction.error, initial=0.0))
        promised = max(PROMISED if digits is None else 10.0**-digits, 10 * n.epsilon * len(self.layers))
        if not error <= promised:
            message = (
                f"the estimated relative error is {error:.1g}, more than {promised:.1g}: see Prediction.error; "
                "predict(digits=30) computes with more digits"
            )
            warnings.warn(message, AccuracyWarning, stacklevel=2)
        return prediction

    def simulate(
        self,
        networks: int = 1000,
        width: int = 1000,
        samples: int = 2000,
        seed: int = 0,
        inputs: Any = None,
        *,
        workers: int | None = None,
        progress: bool = False,
    ) -> "Simulation":
        """Ensemble of finite networks with this architecture: see `igbtheory.simulation.simulate`."""
        from igbtheory.simulation import simulate  # noqa: PLC0415 - not every user simulates

        inputs = GaussianInputs() if inputs is None else inputs
        return simulate(self, networks, width, samples, seed, inputs, workers=workers, progress=progress)

    def _law(self, n: Kind, inputs: GaussianInputs) -> Prediction:
        node = LawNode(n, inputs.moments(n))
        found: list[tuple[Any, Any, Any]] = []
        with np.errstate(all="ignore"):  # what leaves the range of the numbers is refused below
            for layer in self.layers:
                node = layer.law(node)
                if isinstance(layer, Dense):
                    found.append((node.base.var_mu, node.base.var_chi, node.base.error))
        var_mu, var_chi, error = map(_stacked, zip(*found, strict=True))
        var_mu, var_chi = np.broadcast_arrays(var_mu, var_chi)
        _refuse_lost(var_mu + var_chi)
        return Prediction(PerLayer(n, var_mu, var_chi, error))

    def _kernel(self, n: Kind, inputs: Any) -> Prediction:
        data = n.number(self._before_dense(checks.data_set(inputs)))
        if len(data) > LARGEST:
            raise ValueError(
                f"expected at most {LARGEST} data, got {len(data)}: their kernel has the square of entries; predict "
                f"on a subsample, for example X[np.random.default_rng(0).choice({len(data)}, {LARGEST}, replace=False)]"
            )
        rows = max(1, BLOCK // len(data))
        starts = range(0, len(data), rows)
        sums = sum((_sums(self._pairs(n, data, slice(i, i + rows))) for i in starts), start=np.zeros(()))
        q_ab, q, error = sums[0] / len(data) ** 2, sums[1] / len(data), sums[2].astype(float) / len(starts)
        var_chi = np.maximum(q - q_ab, 0)
        error = error * np.asarray(n.ratio(q, var_chi), dtype=float)
        variance = float(sums[3, -1]) / len(data) ** 2
        law = DatasetGuessLaw(len(data), variance, partial(self._output_kernel, data))
        return Prediction(PerLayer(n, q_ab, var_chi, error), law)

    def _before_dense(self, data: Any) -> Any:
        """The data after the layers in front of the first Dense, which have no weights."""
        for layer in takewhile(lambda layer: not isinstance(layer, Dense), self.layers):
            data = layer.samples(data, np.random.default_rng(0), data.shape[1])
        return data

    def _pairs(self, n: Kind, data: Any, rows: slice) -> list[Pairs]:
        """Kernel after every Dense, for the pairs of the data in `rows` with all data."""
        features = data.shape[1]
        q = (data * data).sum(axis=1) / features
        q_ab = data[rows] @ data.T / features
        own = np.arange(len(q_ab))
        q_ab[own, rows.start + own] = q[rows]  # exactly, since asin at c = 1 makes much of little
        node = KernelNode(n, Pairs(q[rows, None], q[None, :], q_ab, n.epsilon))
        first = next(i for i, layer in enumerate(self.layers) if isinstance(layer, Dense))
        node = self.layers[first].kernel(node)
        _refuse_silent(node.base.q_a, rows.start)
        found = [node.base]
        for layer in self.layers[first + 1 :]:
            node = layer.kernel(node)
            if isinstance(layer, Dense):
                found.append(node.base)
        return found

    def _output_kernel(self, data: Any) -> NDArray[np.float64]:
        return np.asarray(self._pairs(FLOAT64, data.astype(float), slice(0, len(data)))[-1].q_ab)

    def __repr__(self) -> str:
        return f"Network({layers_text(self.layers)})"

    def _repr_latex_(self) -> str:
        return layers_latex(self.layers)


def mlp(depth: int, activation: Any = "relu", *, sigma_w2: Any = 2.0, sigma_b2: Any = 0.0) -> Network:
    """Multilayer perceptron: `depth` times Dense and activation, then the output Dense.

    depth: hidden layers, at least 1; sigma_w2, sigma_b2: variances, numbers or arrays for a sweep (not per layer).
    """
    dense = Dense(sigma_w2, sigma_b2)
    return Network(*(dense, Activation(activation)) * checks.whole("depth", depth, 1), dense)


def _refuse_lost(q: NDArray[Any]) -> None:
    """Refuse a network some of whose variances q, shape (dense layers, *sweep), are zero or out of range."""
    lost = ~((q > 0) & np.isfinite(q.astype(float)))
    layers = np.flatnonzero(lost.reshape(len(q), -1).any(axis=1))
    if layers.size:
        values = np.ravel(q[layers[0]])[np.ravel(lost[layers[0]])]
        raise ValueError(
            f"the variance after Dense layer {layers[0] + 1} of {len(q)} is {float(values[0])}, so its outputs tie or "
            "are out of range; use a sigma_w2 nearer to the critical one (2.0 for relu), sigma_b2 > 0, or digits=30"
        )


def _refuse_silent(q: NDArray[Any], start: int) -> None:
    """Refuse data whose first pre-activations have no variance, numbered from `start`."""
    silent = np.flatnonzero(np.ravel(q) == 0)
    if silent.size:
        raise ValueError(
            f"datum {start + silent[0]} is all zeros and there are no biases, so its outputs tie exactly; "
            "remove it, shift the data, or set sigma_b2 > 0"
        )


def _stacked(values: tuple[Any, ...]) -> NDArray[Any]:
    if not any(map(np.ndim, values)):
        return np.array(values)
    shape = np.broadcast_shapes(*map(np.shape, values))
    return np.stack([np.broadcast_to(value, shape) for value in values])


def _sums(pairs: list[Pairs]) -> NDArray[Any]:
    """Sums over a block, shape (4, dense layers): q_ab, q_aa, error, asin(c_ab)/(2 pi)."""
    return np.array([[part.q_ab.sum(), part.q_a.sum(), part.error, _arcsines(part)] for part in pairs]).T


def _arcsines(pairs: Pairs) -> Any:
    c = (pairs.q_ab / (pairs.q_a * pairs.q_b) ** 0.5).astype(float)
    return np.arcsin(np.clip(c, -1, 1)).sum() / (2 * np.pi)
