"""The result of `Network.predict`: variances, bias ratio and regime, layer by layer, and the law of G0."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.accuracy import EstimateWarning
from igbtheory.numbers import Kind
from igbtheory.output_layer import OutputLayer, of_output

if TYPE_CHECKING:
    from collections.abc import Callable

    from igbtheory.guesses.dataset import DatasetGuessLaw
    from igbtheory.guesses.finite_batches import BatchedGuessLaw
    from igbtheory.guesses.several import ClassGuessLaw
    from igbtheory.guesses.several_dataset import DatasetClassLaw, DatasetSoftmaxLaw
    from igbtheory.guesses.share_of_class_0 import GuessLaw
    from igbtheory.guesses.softmax import SoftmaxLaw
    from igbtheory.layers import Layer

UNIFORM = 1e-9
"""Distance of gamma from 1 up to which the law of G0 counts as uniform, where the error allows no more."""


@final
@dataclass(frozen=True, eq=False)
class PerLayer:
    """Moments after every Dense layer, input side first: arrays of shape (dense layers, *sweep).

    var_mu = Var_W(mu), var_chi = Var_chi(Z); error = estimated relative error of either, on a given data set of var_mu
    against var_mu + var_chi; within = covariance of two data of one batch, var_mu without batches. A residual block
    counts as a Dense layer, with the stream behind it.
    """

    n: Kind
    var_mu: NDArray[Any]
    var_chi: NDArray[Any]
    error: NDArray[np.float64]
    within: NDArray[Any]

    @cached_property
    def gamma(self) -> NDArray[Any]:
        """Bias ratio gamma = var_mu/var_chi; inf where var_chi = 0, NaN where both are."""
        return np.asarray(self.n.ratio(self.var_mu, self.var_chi))

    @cached_property
    def c(self) -> NDArray[Any]:
        """Correlation c = var_mu/(var_mu + var_chi) of two data, of different batches if there are batches."""
        return np.asarray(self.n.ratio(self.var_mu, self.var_mu + self.var_chi))

    @cached_property
    def c_within(self) -> NDArray[Any]:
        """Correlation of two data of one batch; c without batches, and in the limit of a full batch."""
        return np.asarray(self.n.ratio(self.within, self.var_mu + self.var_chi))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.var_mu, self.var_chi, self.within)
        if self.var_mu.dtype != object:
            return PerLayer, (self.n, self.var_mu, self.var_chi, self.error, self.within)
        # numbers of mpmath belong to a context, which texts do not
        texts = tuple(np.frompyfunc(repr_digits, 1, 1)(part).tolist() for part in parts)
        return per_layer_of_texts, (self.n, self.error, *texts)


def repr_digits(x: Any) -> str:
    """Return a number of mpmath as a text of so many digits that reading it gives the same number."""
    return str(x.context.nstr(x, x.context._repr_digits))  # noqa: SLF001 - mpmath has no public name for it


def per_layer_of_texts(n: Kind, error: NDArray[np.float64], var_mu: Any, var_chi: Any, within: Any) -> PerLayer:
    """Return the moments whose numbers of kind n are given as texts."""
    return PerLayer(n, n.number(var_mu), n.number(var_chi), error, n.number(within))


@final
@dataclass(frozen=True)
class Batch:
    """Batches that a BatchNorm makes: `size` data, None for the full batch; at(D): the prediction with batches of D."""

    size: int | None
    at: "Callable[[int], Prediction]"


@final
@dataclass(frozen=True, repr=False, eq=False)
class Prediction(OutputLayer):
    """Prediction for a network in infinite width: var_mu, var_chi, gamma, c, regime and G0 of the output layer.

    per_layer: the same after every Dense layer. dataset: the law of G0 on a given data set, None for Gaussian inputs.
    batch: the batches of its BatchNorm layers, None where there are none. effective_rank: the smallest effective rank
    of a batch of given data whose BatchNorm has no exact rule and is estimated from draws; inf where all is exact.
    estimated: the layers that have no exact rule there and were estimated from draws; `error` counts them.
    layers, inputs: what was predicted; () and None where no network stands behind it.
    """

    per_layer: PerLayer
    dataset: "DatasetGuessLaw | None" = None
    batch: Batch | None = None
    effective_rank: float = float("inf")
    estimated: "tuple[Layer, ...]" = ()
    layers: "tuple[Layer, ...]" = ()
    inputs: Any = None

    c_within = of_output("c_within", "Correlation of an output at two data of one batch; without batches it is c.")
    error = of_output(
        "error", "Estimated relative error of var_mu and of var_chi; on a data set, of var_mu + var_chi for var_mu."
    )

    @property
    def regime(self) -> Any:
        """Regime "neutral" (gamma < 1: G0 peaks at 1/2), "uniform" (1) or "prejudiced" (gamma > 1: peaks at 0 and 1).

        "uniform" is gamma = 1 to within rounding, UNIFORM at most: a prediction with a larger error says on which side
        it lies. How deep: `G0.majority()`, the share of the data that the favoured class gets. Sweeps give an array.
        """
        gamma = np.asarray(self.gamma, dtype=float)
        near = np.abs(gamma - 1) <= np.minimum(4 * self.error, UNIFORM)
        words = np.where(near, "uniform", np.where(gamma < 1, "neutral", np.where(gamma > 1, "prejudiced", "")))
        return str(words) if words.ndim == 0 else words

    @cached_property
    def G0(self) -> "GuessLaw | DatasetGuessLaw":  # noqa: N802 - the papers' letter
        """Law of the fraction of data given to class 0."""
        from igbtheory.guesses.share_of_class_0 import GuessLaw  # noqa: PLC0415 - a law is loaded when it is asked for

        return self.dataset or GuessLaw(np.asarray(self.gamma, dtype=float)[()], self._counts)

    def guesses(self, n_classes: int) -> "ClassGuessLaw | DatasetClassLaw":
        """Law of the fractions of the data given to each of 2 to 1000 classes, whose outputs are independent."""
        if self.dataset is not None:
            from igbtheory.guesses.several_dataset import DatasetClassLaw  # noqa: PLC0415 - as above

            return DatasetClassLaw(self.dataset, n_classes)
        from igbtheory.guesses.several import ClassGuessLaw  # noqa: PLC0415 - as above

        return ClassGuessLaw(np.asarray(self.gamma, dtype=float)[()], n_classes, self._counts)

    def softmax(self, n_classes: int, temperature: float = 1.0) -> "SoftmaxLaw | DatasetSoftmaxLaw":
        """Law of the mean probability of each of 2 to 1000 classes over the data, by the outputs O/temperature."""
        if self.dataset is not None:
            from igbtheory.guesses.several_dataset import DatasetSoftmaxLaw  # noqa: PLC0415 - as above

            return DatasetSoftmaxLaw(self.dataset, n_classes, temperature)
        if np.ndim(self.gamma):
            raise ValueError(f"expected one network, got a sweep of shape {np.shape(self.gamma)}; loop over its values")
        from igbtheory.guesses.softmax import SoftmaxLaw  # noqa: PLC0415 - as above

        return SoftmaxLaw(float(self.var_mu), float(self.var_chi), n_classes, temperature)

    @property
    def _counts(self) -> "Callable[[int], BatchedGuessLaw] | None":
        return None if self.batch is None else Counts(self, self.batch)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain values, with all layers."""
        from igbtheory.printing import prediction_dict  # noqa: PLC0415 - most predictions are not printed

        return prediction_dict(self)

    def columns(self) -> dict[str, Any]:
        """Return a row for every Dense layer; of a sweep a row for every network: its parameters, then the output."""
        from igbtheory.printing import prediction_columns  # noqa: PLC0415 - as above

        return prediction_columns(self)

    def __str__(self) -> str:
        from igbtheory.printing import prediction_text  # noqa: PLC0415 - as above

        return repr(self) if np.ndim(self.gamma) else prediction_text(self)

    def __repr__(self) -> str:
        if np.ndim(self.gamma):
            gamma = np.asarray(self.gamma, dtype=float)
            return f"Prediction(sweep of shape {gamma.shape}, gamma from {gamma.min():.6g} to {gamma.max():.6g})"
        parts = (f"{name}={_text(getattr(self, name))}" for name in ("var_mu", "var_chi", "gamma", "c"))
        return f"Prediction({', '.join(parts)}, regime={self.regime!r})"

    def _repr_latex_(self) -> str:
        if np.ndim(self.gamma):
            return rf"$\text{{{self!r}}}$"
        values = rf"\mathrm{{Var}}_W(\mu) = {_text(self.var_mu)},\; \mathrm{{Var}}_\chi(O) = {_text(self.var_chi)}"
        return rf"$\displaystyle {values},\; \gamma = {_text(self.gamma)},\; c = {_text(self.c)}$"


@final
@dataclass(frozen=True)
class Counts:
    """Law of the count among D data, in their batches; a full batch has all D."""

    prediction: Prediction
    batch: Batch

    def __call__(self, D: int) -> "BatchedGuessLaw":  # noqa: N803 - the papers' letter
        """Return the law among D data."""
        from igbtheory.guesses.finite_batches import BatchedGuessLaw  # noqa: PLC0415 - as above

        prediction, batch = self.prediction, self.batch
        known = batch.size is not None and not np.isnan(np.asarray(prediction.c_within, dtype=float)).any()
        found = prediction if known else batch.at(batch.size or D)
        if len(found.estimated) > len(prediction.estimated):
            message = (
                "no exact rule gives the covariance of two data of one batch behind these layers: it is estimated from "
                "draws, with about three digits"
            )
            warnings.warn(message, EstimateWarning, stacklevel=4)
        return BatchedGuessLaw(found.c, found.c_within, D, batch.size or D)


def _text(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)
