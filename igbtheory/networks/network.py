"""Networks: layers in sequence, and what can be computed for them."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast, final, get_args, overload

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.accuracy import AccuracyWarning, EstimateWarning
from igbtheory.foundations.given import data_set, real_data
from igbtheory.layers.activation import Activation
from igbtheory.layers.batchnorm import BatchNorm
from igbtheory.layers.chain import each, functions
from igbtheory.layers.dense import Dense
from igbtheory.layers.few import is_few
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.layernorm import LayerNorm, RMSNorm
from igbtheory.layers.pooling import MaxPool
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers import FLOAT64, Kind, decimals
from igbtheory.mathematics.numbers.multiprecision import MOST_DIGITS
from igbtheory.theory.gaussian_inputs import on_gaussian_inputs
from igbtheory.theory.prediction import Prediction

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    from numpy.typing import NDArray

    from igbtheory.networks.losses import Loss
    from igbtheory.networks.simulation import Simulation
    from igbtheory.networks.training import Training
    from igbtheory.networks.width.predicted import Method
    from igbtheory.networks.width.result import WidthPrediction
    from igbtheory.theory.certificate import Certificate
    from igbtheory.theory.derivation import Derivation

NORMS = {"layer": LayerNorm, "rms": RMSNorm}
Norm = Literal["batch", "layer", "rms"]
Placement = Literal["before", "after"]
PLACEMENTS = get_args(Placement)
Kept = Literal["all", "last"]
"""Layers whose moments a prediction keeps."""
KEPT = get_args(Kept)
PROMISED = 1e-10
"""Largest estimated relative error of a prediction in double precision that gives no warning, as the documentation
says."""
LONGEST = 120.0
"""Longest time in seconds that a kernel may take, about: drawn networks then give three digits in a tenth of it."""
FARTHEST = 512.0
"""Distance from 0 up to which activations are searched for the reason of an error: 16 deviations of a variance 2^10."""


@final
@dataclass(frozen=True, init=False, repr=False)
class Network:
    """A network: layers from the input to the output Dense.

    widths: of a network that was read from a model, or of `gpt`, the numbers of units that its second and later layers
    with weights read, as `predict(width=...)` takes them; else empty.
    Source of the composition: bias-and-trainability-slides (Y) and where-you-place-the-norm, Eqs. 1 to 3.

    layers: from the input to the output Dense; or one text, as in the example.

    >>> net = igb.Network(igb.Dense(2.0), igb.Activation("relu"), igb.Dense(2.0))
    >>> net == igb.Network("Dense | relu | Dense")
    True
    >>> print(f"{net.predict().gamma:.4f}")
    0.4669
    """

    layers: tuple[Layer, ...]
    widths: tuple[int, ...] = field(default=(), compare=False)

    @overload
    def __init__(self, text: str, /) -> None: ...

    @overload
    def __init__(self, *layers: Layer, widths: Sequence[int] = ()) -> None: ...

    def __init__(self, *layers: Any, widths: Sequence[int] = ()) -> None:
        if len(layers) == 1 and isinstance(layers[0], str):
            layers = Network.read(layers[0]).layers
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
        object.__setattr__(self, "widths", tuple(widths))

    @property
    def output(self) -> Dense:
        """The last layer, whose units are the outputs."""
        return cast("Dense", self.layers[-1])

    @classmethod
    def read(cls, text: str) -> "Network":
        """Return the network that a text such as "Dense(2) | BatchNorm | relu | Dense(2)" describes.

        `igbtheory.networks.notation` explains the notation. ValueError: the text does not follow it.
        """
        from igbtheory.networks.notation import read_layers  # noqa: PLC0415 - most networks are not given as text

        return cls(*read_layers(text))

    @overload
    def predict(
        self, inputs: Any = None, *, digits: int | None = None, kind: Kind | None = None, layers: Kept = "all"
    ) -> Prediction: ...

    @overload
    def predict(
        self,
        inputs: Any = None,
        *,
        width: Any,
        features: int | None = None,
        method: "Method | None" = None,
        networks: int | None = None,
        seed: int | None = None,
    ) -> "WidthPrediction": ...

    def predict(  # noqa: PLR0913 - the contract of the public name
        self,
        inputs: Any = None,
        *,
        digits: int | None = None,
        kind: Kind | None = None,
        layers: Kept = "all",
        width: Any = None,
        features: int | None = None,
        method: "Method | None" = None,
        networks: int | None = None,
        seed: int | None = None,
    ) -> "Prediction | WidthPrediction":
        """Return the prediction in infinite width for Gaussian inputs (default: N(0, 1)) or for a data set.

        inputs: GaussianInputs, or an array of shape (n_samples, n_features), images (n_samples, channels, height,
        width) or sequences (n_samples, tokens, features), alone or in a pair (X, y), a Dataset or a DataLoader of
        PyTorch. Channels that come last by the shape are moved, which is logged. Data are never standardised silently.
        digits: significant digits, or None for double precision; they come from the balls of `certify` where it has
        rules, and from quadrature in multiprecision for sweeps, batches and data sets. kind: your own kind of number
        instead, see `igb.numbers.Kind`. layers: "last" keeps the moments of the output alone, so that a sweep
        over 250,000 networks takes 100 MB at any depth. width: predict networks of finite width instead; then
        `igbtheory.networks.width.predicted.at_width` explains features, method, networks and seed. Warns with
        AccuracyWarning if the estimated error is larger than promised, and with EstimateWarning if a layer without an
        exact rule was estimated from draws.
        """
        if kind is not None:
            checks.of_kind("a kind of number", kind, Kind, "an igb.numbers.Kind, or digits=30")
        n = kind or (FLOAT64 if digits is None else decimals(checks.whole("digits", digits, 2, MOST_DIGITS)))
        last = checks.known("layers", layers, KEPT) == KEPT[1]
        inputs = GaussianInputs() if inputs is None else inputs
        _refuse_symbols(self.layers, inputs)
        if width is not None:
            from igbtheory.networks.width.predicted import at_width  # noqa: PLC0415 - most are infinitely wide

            if n is not FLOAT64:
                given = f"digits={digits}" if kind is None else f"kind={kind!r}"
                raise ValueError(f"expected double precision at finite width, got {given}; leave it out")
            start = 0 if seed is None else seed
            return at_width(self, inputs, width, features=features, method=method, networks=networks, seed=start)
        of_width = {"features": features, "method": method, "networks": networks, "seed": seed}
        if given := ", ".join(name for name, value in of_width.items() if value is not None):
            raise TypeError(f"expected a width with {given}, got none; pass width=100")
        if isinstance(inputs, GaussianInputs):
            prediction = self._on_gaussian_inputs(n, inputs, balls=kind is None and digits is not None, last=last)
        else:
            prediction = self._on_data_set(n, data_set(inputs), last=last)
        error = float(np.max(prediction.error, initial=0.0))
        promised = max(PROMISED if digits is None else 10.0**-digits, 10 * n.epsilon * len(self.layers))
        if not error <= promised:
            message = f"the estimated relative error is {error:.1g}, more than {promised:.1g}: see Prediction.error; "
            drawn = prediction.estimated or prediction.method or np.isfinite(prediction.effective_rank)
            drawn = drawn or any(map(is_few, self.layers))
            category = EstimateWarning if drawn else AccuracyWarning
            warnings.warn(message + _why(self.layers, digits, prediction), category, stacklevel=2)
        return prediction

    def _on_gaussian_inputs(self, n: Kind, inputs: GaussianInputs, *, balls: bool, last: bool) -> Prediction:
        """Return the prediction in the kind n, computed with balls if they are wanted and have rules."""
        if balls:
            from igbtheory.theory.many_digits import in_balls  # noqa: PLC0415 - most want no digits

            if prediction := in_balls(self.layers, n, inputs):
                return _of_last(prediction) if last else prediction
        return on_gaussian_inputs(self.layers, n, inputs, last=last)

    def _on_data_set(self, n: Kind, data: Any, *, last: bool) -> Prediction:
        """Return the prediction from the kernel, or from drawn networks where the kernel of images is too large."""
        from igbtheory.theory.cost import refuse_long  # noqa: PLC0415 - Gaussian inputs need no kernel
        from igbtheory.theory.data_set import on_data_set  # noqa: PLC0415 - as above
        from igbtheory.theory.refusals import TooLargeError  # noqa: PLC0415 - as above

        try:
            if n is FLOAT64:
                refuse_long(self.layers, data, LONGEST)
            return on_data_set(self.layers, n, data, last=last)
        except TooLargeError:
            if n is not FLOAT64:
                raise
            from igbtheory.networks.width.limit import in_the_limit  # noqa: PLC0415 - most kernels are not too large

            prediction = in_the_limit(self.layers, real_data(data), self.widths)
            return _of_last(prediction) if last else prediction

    def kernel(self, X1: Any, X2: Any = None) -> "NDArray[np.float64]":  # noqa: N803 - as kernels are called elsewhere
        """Return the covariance over the weights of an output at a datum of X1 and one of X2, (len(X1), len(X2)).

        X2: by default X1. A datum of X2 that is equal to one of X1 is that datum, in one pass through the network:
        behind Dropout, the variance of its output, noise and all. Other pairs are of two data, each with noise of its
        own; so are equal data within one of the sets. Layers that act on whole batches, such as BatchNorm over the full
        batch, see both sets as one. Errors are those of `predict` on a data set.
        """
        from igbtheory.theory.data_set import union  # noqa: PLC0415 - as above

        if X2 is None:
            return self.predict(X1, layers="last").kernel()
        first, second = np.asarray(X1), np.asarray(X2)
        if first.shape[1:] != second.shape[1:]:
            raise ValueError(
                f"expected two data sets whose data have one shape, got {first.shape[1:]} and {second.shape[1:]}; "
                "pass data of one kind"
            )

        data, places = union(first, second)
        return self.predict(data, layers="last").kernel()[: len(first), places]

    def certify(self, digits: int = 15, *, inputs: Any = None) -> "Certificate":
        """Return balls in infinite width that provably contain gamma, var_mu, var_chi and c, of radii below 10^-digits.

        inputs: GaussianInputs, default N(0, 1). ValueError or TypeError: no proof is known for this network, see
        `igbtheory.theory.certificate`.
        """
        from igbtheory.theory.certificate import certify  # noqa: PLC0415 - not every user certifies

        inputs = GaussianInputs() if inputs is None else inputs
        _refuse_symbols(self.layers, inputs)
        return certify(self.layers, inputs, checks.whole("digits", digits, 2, MOST_DIGITS))

    def derive(self, inputs: Any = None) -> "Derivation":
        """Return formulas in infinite width: SymPy expressions for var_mu, var_chi, gamma, c and the density of G0.

        inputs: GaussianInputs, default N(0, 1). Parameters that are SymPy symbols stay symbols; numbers become exact.
        """
        from igbtheory.theory.derivation import derive  # noqa: PLC0415 - it loads SymPy

        return derive(self.layers, GaussianInputs() if inputs is None else inputs)

    def simulate(  # noqa: PLR0913 - the contract of the public name
        self,
        networks: int = 1000,
        width: int = 1000,
        samples: int | None = 2000,
        seed: int = 0,
        inputs: Any = None,
        *,
        workers: int | None = None,
        executor: "Executor | str | None" = None,
        store: "str | Path | None" = None,
        device: Any = None,
        progress: bool = False,
    ) -> "Simulation":
        """Return an ensemble of finite networks of this architecture; `igbtheory.simulate` explains the arguments."""
        from igbtheory.networks.simulation import simulate  # noqa: PLC0415 - not every user simulates

        inputs = GaussianInputs() if inputs is None else inputs
        _refuse_symbols(self.layers, inputs)
        run = partial(simulate, workers=workers, executor=executor, store=store, device=device, progress=progress)
        return run(self, networks, width, samples, seed, inputs)

    def train(  # noqa: PLR0913 - the contract of the public name
        self,
        inputs: Any,
        y: Any,
        *,
        loss: "str | Loss" = "mse",
        times: "Sequence[float] | NDArray[Any] | None" = None,
        draws: int = 2000,
        seed: int = 0,
        X_test: Any = None,  # noqa: N803 - as scikit-learn writes it
        y_test: Any = None,
        step: float | None = None,
        momentum: float = 0.0,
        scale: float = 1.0,
        weight_decay: float = 0.0,
        batch_size: int | None = None,
    ) -> "Training":
        """Return the law of the guesses over the time of training on a data set with labels y.

        `igb.training.train` explains the arguments.
        """
        from igbtheory.networks.training import train  # noqa: PLC0415 - not every user trains

        _refuse_symbols(self.layers, inputs)
        run = partial(train, loss=loss, times=times, draws=draws, seed=seed)
        run = partial(run, step=step, momentum=momentum, scale=scale, weight_decay=weight_decay, batch_size=batch_size)
        return run(self, inputs, y, X_test=X_test, y_test=y_test)

    def __repr__(self) -> str:
        from igbtheory.networks.printing import layers_text  # noqa: PLC0415 - most networks are not printed

        return f"Network({layers_text(self.layers)})"

    def _repr_latex_(self) -> str:
        from igbtheory.networks.printing import layers_latex  # noqa: PLC0415 - as above

        return layers_latex(self.layers)


def _of_last(prediction: Prediction) -> Prediction:
    """Return a prediction that keeps the moments of the output alone."""
    return replace(prediction, per_layer=prediction.per_layer.last)


def _refuse_symbols(layers: tuple[Layer, ...], inputs: Any) -> None:
    """Refuse parameters that are SymPy symbols, which only formulas can keep."""
    for owner in (*each(layers), *([inputs] if isinstance(inputs, GaussianInputs) else [])):
        for name, value in vars(owner).items():
            checks.numeric(name, value)


def _why(layers: tuple[Layer, ...], digits: int | None, prediction: Prediction) -> str:
    """Return the reason why the estimated error of a prediction is larger than promised, or a remedy."""
    if prediction.method:
        return prediction.method
    if prediction.estimated:
        named = ", ".join(map(repr, prediction.estimated))
        verbs = ("has", "was") if len(prediction.estimated) == 1 else ("have", "were")
        return f"{named} {verbs[0]} no exact rule in this place and {verbs[1]} estimated"
    if np.isfinite(prediction.effective_rank):
        return (
            f"BatchNorm has no exact rule for such data (effective_rank {prediction.effective_rank:.3g}): the effect "
            "of the scale of every single unit is estimated from draws"
        )
    if few := [repr(layer) for layer in layers if is_few(layer)]:
        return f"{', '.join(few)} {'has' if len(few) == 1 else 'have'} few weights, which are drawn"
    for phi in functions(layers):
        if difficulty := _difficulty(phi):
            return difficulty
    if digits is not None:
        return "one of its rules, such as BatchNorm on given data, is computed in double precision only"
    return "predict(digits=30) computes with more digits"


def _difficulty(phi: Function) -> str:
    """Return why averages of an activation are less accurate than others, or nothing."""
    from igbtheory.mathematics.averages.mesh import is_resolved, mesh  # noqa: PLC0415 - only a warning asks

    if phi.doubt:
        return f"{phi.name!r} is approximated by polynomials, as closely as its values allow; pass a formula"
    if not is_resolved(phi, FARTHEST):
        return f"{phi.name!r} varies too fast, or jumps too often, for quadrature by panels; a series replaces it"
    if mesh(phi, FARTHEST).doubt > 1:
        return (
            f"{phi.name!r} has a cusp, a kink at which its slope is singular: rules that use the slope keep this "
            "error, and more digits help little"
        )
    return ""


def mlp(  # noqa: PLR0913 - the contract of the public name
    depth: int,
    activation: Any = "relu",
    *,
    norm: Norm | None = None,
    placement: Placement = "before",
    pool: int | Layer | None = None,
    sigma_w2: Any = 2.0,
    sigma_b2: Any = 0.0,
    batch_size: int | None = None,
) -> Network:
    """Return a multilayer perceptron: `depth` hidden layers of Dense, norm, activation and pool, and the output Dense.

    depth: at least 1. activation: as in `Activation`, or a layer such as SwiGLU(). norm: None, "batch", "layer" or
    "rms", before the activation (placement="before") or after the activation and its pool ("after"). pool: an integer m
    for MaxPool(m), or a layer. batch_size: batch size of norm="batch", or None for the full batch.
    sigma_w2, sigma_b2: variances, numbers or arrays for a sweep (not one value for each layer).

    placement: where the norm stands, see `norm`.

    >>> net = igb.mlp(depth=3, activation="relu", norm="layer", placement="after")
    >>> print(f"{net.predict().gamma:.4f}")
    0.0000
    """
    dense = Dense(sigma_w2, sigma_b2)
    phi = _layer(activation, Activation)
    pooled = () if pool is None else (_layer(pool, lambda m: MaxPool(checks.whole("pool", m, 1))),)
    normed = norm_named(norm, batch_size)
    before = checks.known("placement", placement, PLACEMENTS) == PLACEMENTS[0]
    hidden = (dense, *normed, phi, *pooled) if before else (dense, phi, *pooled, *normed)
    return Network(*repeated(hidden, depth), dense)


def _layer(given: Any, made: Callable[[Any], Layer]) -> Layer:
    """Return a layer that was given, or the one that is made from what was given."""
    return given if isinstance(given, Layer) else made(given)


def repeated(block: tuple[Layer, ...], depth: Any) -> tuple[Layer, ...]:
    """Return the layers of a block, repeated `depth` times."""
    checks.numeric("depth", depth, "call derive().at_depth(L) of a network of some depth")
    return block * checks.whole("depth", depth, 1, checks.DEEPEST)


def norm_named(name: str | None, batch_size: int | None) -> tuple[Layer, ...]:
    """Return a tuple with the norm of that name, or () if the name is None."""
    if isinstance(name, Layer):
        raise TypeError(
            f"norm: expected batch, layer, rms or None, got {name!r}; write the layers one by one: Network(Dense(2.0), "
            f"{name!r}, Activation('relu'), Dense(2.0))"
        )
    if isinstance(name, str) and name == "batch":
        return (BatchNorm(batch_size),)
    if batch_size is not None:
        raise ValueError(f'expected batch_size with norm="batch" only, got batch_size={batch_size!r} and norm={name!r}')
    return () if name is None else (NORMS[checks.known("norm", name, ("batch", *NORMS))](),)
