"""The result of `Network.predict`: variances, bias ratio and regime after every layer, and the law of G0."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.accuracy import EstimateWarning
from igbtheory.foundations.saved import maker
from igbtheory.layers.chain import each, swept_of
from igbtheory.mathematics.numbers import Kind
from igbtheory.theory.guessing import Guessing
from igbtheory.theory.output_layer import Swept, of_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from igbtheory.guesses.outputs_at_data import KernelOutputs
    from igbtheory.guesses.source import Batches, GaussianOutputs
    from igbtheory.guesses.vocabulary import Vocabulary
    from igbtheory.layers.layer import Layer

UNIFORM = 1e-9
"""Largest distance of gamma from 1 at which the law of G0 counts as uniform, however large the error is."""
MANY = 2048
"""Number of data from which the guesses are not drawn to be printed: that would take longer than the prediction."""
COLUMNS = ("var_mu", "var_chi", "gamma", "gamma_guess", "c")
QUANTITIES = (*COLUMNS, "c_within", "error")
ARRAYS = ("var_mu", "var_chi", "error", "within", "variance", "variance_error")
"""The fields of `PerLayer` that have a row for every Dense layer."""


@final
@maker
@dataclass(frozen=True, eq=False)
class PerLayer:
    """Moments after every Dense layer, from the input to the output: arrays of shape (dense layers, *sweep).

    n: the kind of number. var_mu, var_chi: Var_W(mu) and Var_chi(Z). error: estimated relative error of var_mu and of
    var_chi; on a given data set the error of var_mu is relative to var_mu + var_chi. within: covariance of two data of
    one batch, equal to var_mu without batches. variance: Var(G0) of a linear layer that reads the same units, or None
    where gamma determines it, as on Gaussian inputs; variance_error: its standard error, None where it has that of the
    moments. A residual block counts as one Dense layer. left_out: number of Dense layers in front whose moments were
    not kept: all but the last of `predict(layers="last")`.

    >>> layers = igb.mlp(2, "relu").predict().per_layer
    >>> np.round(layers.var_mu, 4), np.round(layers.var_chi, 4)
    (array([0.    , 0.6366, 0.9875]), array([2.    , 1.3634, 1.0125]))
    """

    n: Kind
    var_mu: NDArray[Any]
    var_chi: NDArray[Any]
    error: NDArray[np.float64]
    within: NDArray[Any]
    variance: NDArray[np.float64] | None = None
    variance_error: NDArray[np.float64] | None = None
    left_out: int = 0

    @property
    def last(self) -> "PerLayer":
        """The moments of the last layer alone."""
        arrays = {name: value[-1:] for name, value in vars(self).items() if name in ARRAYS and value is not None}
        return replace(self, **arrays, left_out=self.left_out + len(self.var_mu) - 1)

    @cached_property
    def gamma(self) -> NDArray[Any]:
        """Bias ratio gamma = var_mu/var_chi; inf where only var_chi is 0, NaN where both are 0."""
        return np.asarray(self.n.ratio(self.var_mu, self.var_chi))

    @cached_property
    def gamma_guess(self) -> NDArray[Any]:
        """Bias ratio of the guesses: the gamma whose law of G0 has their variance. On Gaussian inputs it is gamma."""
        if self.variance is None:
            return self.gamma
        from igbtheory.guesses.bias_of_guesses import gamma_of_variance  # noqa: PLC0415 - loaded when it is used

        return np.asarray(gamma_of_variance(self.variance))

    @cached_property
    def c(self) -> NDArray[Any]:
        """Correlation c = var_mu/(var_mu + var_chi) of two data; if there are batches, of different batches."""
        return np.asarray(self.n.ratio(self.var_mu, self.var_mu + self.var_chi))

    @cached_property
    def c_within(self) -> NDArray[Any]:
        """Correlation of two data of one batch; equal to c without batches and in the limit of a full batch."""
        return np.asarray(self.n.ratio(self.within, self.var_mu + self.var_chi))

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.var_mu, self.var_chi, self.within)
        if self.var_mu.dtype != object:
            more = () if not self.left_out else (self.variance_error, self.left_out)
            return PerLayer, (self.n, self.var_mu, self.var_chi, self.error, self.within, self.variance, *more)
        # an mpmath number belongs to a context, so it is saved as text
        texts = tuple(np.frompyfunc(repr_digits, 1, 1)(part).tolist() for part in arrays)
        return per_layer_of_texts, (self.n, self.error, *texts, self.variance, *([self.left_out] * bool(self.left_out)))


def repr_digits(x: Any) -> str:
    """Return an mpmath number as text with enough digits to recover the number exactly."""
    return str(x.context.nstr(x, x.context._repr_digits))  # noqa: SLF001 - mpmath has no public name for it


@maker
def per_layer_of_texts(
    n: Kind,
    error: NDArray[np.float64],
    var_mu: Any,
    var_chi: Any,
    within: Any,
    variance: NDArray[np.float64] | None = None,
    left_out: int = 0,
) -> PerLayer:
    """Return the moments of kind n from texts that `repr_digits` wrote."""
    moments = n.number(var_mu), n.number(var_chi), error, n.number(within), variance
    return PerLayer(n, *moments, left_out=left_out)


@final
@dataclass(frozen=True)
class Batch:
    """Batches of the BatchNorm layers: `size` data, or None for the full batch.

    at(D) returns the prediction with batches of D data.
    """

    size: int | None
    at: "Callable[[int], Prediction]"


@final
@dataclass(frozen=True, repr=False, eq=False)
class Prediction(Guessing[Swept]):
    """Prediction for a network in infinite width: var_mu, var_chi, gamma, c, regime and G0 of the output layer.

    gamma_guess: the gamma whose law of G0 has the variance of the guesses. On Gaussian inputs it is gamma, also with
    batches, because G0 is the share of infinitely many data, of which nearly all pairs lie in different batches. On a
    data set it averages over all pairs of data; a datum paired with itself adds 1/(4 D) to the variance, so that
    gamma_guess is about pi/(2 D) without a bias.

    per_layer: these moments after every Dense layer. dataset: the outputs at a given data set, or None for Gaussian
    inputs. batch: the batches of the BatchNorm layers, or None. effective_rank: the smallest effective rank of a batch
    of given data to which BatchNorm was applied without an exact rule, by estimates from draws; inf if there is none.
    estimated: the layers without an exact rule in their place, which were estimated, mostly from draws; `error`
    includes the error of these estimates. layers, inputs: the network and its inputs, or () and None if unknown.
    method: how networks were drawn where the kernel of a data set is too large, and empty elsewhere.

    >>> prediction = igb.mlp(3, "relu").predict()
    >>> print(f"{prediction.gamma:.4f} {prediction.regime} {prediction.G0.majority():.0%}")
    1.5305 prejudiced 78%
    >>> np.round(prediction.per_layer.gamma, 4)
    array([0.    , 0.4669, 0.9752, 1.5305])
    """

    per_layer: PerLayer
    dataset: "KernelOutputs | None" = None
    batch: Batch | None = None
    effective_rank: float = float("inf")
    estimated: "tuple[Layer, ...]" = ()
    layers: "tuple[Layer, ...]" = ()
    inputs: Any = None
    method: str = ""

    gamma_guess = of_output("gamma_guess", "Bias ratio of the guesses: the gamma whose law of G0 has their variance.")
    c_within = of_output("c_within", "Correlation of an output for two data of one batch; equal to c without batches.")
    error = of_output(
        "error",
        "Estimated relative error of var_mu and var_chi; on a data set the error of var_mu is relative to their sum.",
    )

    @property
    def var_g0_error(self) -> float:
        """Standard error of the variance of G0, if networks were drawn: see `method`; else NaN."""
        errors = self.per_layer.variance_error
        return np.nan if errors is None else float(errors[-1])

    @property
    def regime(self) -> Any:
        """Regime of the guesses: "neutral" (G0 peaks at 1/2), "uniform" or "prejudiced" (G0 peaks at 0 and 1).

        It is neutral if gamma_guess < 1 and prejudiced if gamma_guess > 1; "uniform" means that gamma_guess differs
        from 1 by no more than the rounding error, and by 1e-9 at most. A sweep gives an array of texts. `G0.majority()`
        measures the bias by the share of the data that the favoured class gets.
        """
        gamma = np.asarray(self.gamma_guess, dtype=float)
        near = np.abs(gamma - 1) <= np.minimum(4 * self.error, UNIFORM)
        words = np.where(near, "uniform", np.where(gamma < 1, "neutral", np.where(gamma > 1, "prejudiced", "")))
        return str(words) if words.ndim == 0 else words

    @property
    def source(self) -> "KernelOutputs | GaussianOutputs":  # type: ignore[override] # known when it is used
        """The outputs from which the law of G0 follows."""
        return self.dataset or self._gaussian()

    def _gaussian(self, variances: tuple[float, float] | None = None) -> "GaussianOutputs":
        from igbtheory.guesses.source import GaussianOutputs  # noqa: PLC0415 - a law is loaded when it is used

        batches = None if self.batch is None else Counts(self, self.batch)
        return GaussianOutputs(np.asarray(self.gamma, dtype=float)[()], batches, variances)

    @property
    def outputs(self) -> "KernelOutputs | GaussianOutputs":
        """The outputs of several classes: at the data of a data set, or Gaussian with their variances."""
        variances = None if np.ndim(self.gamma) else (float(self.var_mu), float(self.var_chi))
        return self.dataset or self._gaussian(variances)

    def kernel(self) -> NDArray[np.float64]:
        """Return the kernel: the covariance over the weights of an output at two data, shape (n_samples, n_samples).

        If some weights do not average out in infinite width, it is the mean over kernels in which they are drawn.
        ValueError: the prediction is for Gaussian inputs, which have var_mu off the diagonal and var_mu + var_chi on
        it.
        """
        if self.dataset is None:
            raise ValueError("expected a prediction on a data set, got Gaussian inputs; pass data, as in predict(X)")
        kernels = self.dataset.kernel()
        return np.asarray(kernels.reshape(-1, *kernels.shape[-2:]).mean(axis=0))

    def vocabulary(
        self,
        size: int,
        *,
        tied: int | None = None,
        positions: int = 1000,
        draws: int | None = None,
        random_state: Any = 0,
    ) -> "Vocabulary":
        """Return the first predictions of a language model with a vocabulary of `size` tokens, up to 10^6.

        On a data set they are those at its positions, on Gaussian inputs those at `positions` independent ones. tied:
        the width of the model if the output has the weights of its Embedding; None: it has weights of its own. draws:
        number of networks; None: as many as take a few seconds. They hold in infinite width; `predict(width=d)` has the
        same of networks of d units, which predict fewer tokens.
        """
        from igbtheory.guesses import vocabulary  # noqa: PLC0415 - as above
        from igbtheory.theory.tied import ids_read, tied_weights  # noqa: PLC0415 - as above

        rng = checks.generator(random_state)
        ids = ids_read(self.layers, self.inputs)
        weights = tied_weights(self.layers, self.inputs, tied, ids)
        if self.dataset is None:
            return vocabulary.at_random_positions(
                self.guesses(size), float(self.var_mu + self.var_chi), positions, draws, rng
            )
        size = vocabulary.checked_size(size, ids)
        count = vocabulary.count_of(draws, size * self.dataset.size)
        roots = (self.dataset.root(rng) for _ in range(count))
        return vocabulary.at_given_positions(roots, size, ids, weights, rng)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain values, with the moments after every layer."""
        law: Any = self.G0
        moments = {"mean": law.mean(), "var": law.var(), "std": law.std()}
        if self.dataset is None:
            moments["majority"] = law.majority()
        rank = {} if np.isinf(self.effective_rank) else {"effective_rank": self.effective_rank}
        return {
            **{name: getattr(self, name) for name in (*QUANTITIES, "regime")},
            **rank,
            **({"method": self.method, "var_g0_error": self.var_g0_error} if self.method else {}),
            "G0": moments,
            "per_layer": {name: getattr(self.per_layer, name) for name in QUANTITIES},
        }

    def columns(self) -> dict[str, Any]:
        """Return a table with a row for every Dense layer, or for every network of a sweep.

        The rows of a sweep begin with its parameters, and the moments are those of the output.
        """
        shape = np.shape(self.gamma)
        if not shape:
            layers = {name: getattr(self.per_layer, name) for name in QUANTITIES}
            return {"layer": self.per_layer.left_out + np.arange(1, len(self.per_layer.var_mu) + 1), **layers}
        owners = [*each(self.layers), *([] if self.inputs is None else [self.inputs])]
        swept = {name: value for owner in owners for name, value in swept_of(owner).items() if np.ndim(value)}
        output = {name: getattr(self, name) for name in (*QUANTITIES, "regime")}
        return {name: np.broadcast_to(value, shape).ravel() for name, value in {**swept, **output}.items()}

    def __str__(self) -> str:
        if np.ndim(self.gamma):
            return repr(self)
        from igbtheory.foundations.text import layer_table, number  # noqa: PLC0415 - most predictions are not printed

        # elsewhere gamma_guess is gamma
        names = [name for name in COLUMNS if name != "gamma_guess" or self.dataset is not None]
        columns = [getattr(self.per_layer, name) for name in names]
        depth = len(self.per_layer.var_mu)
        layers = layer_table(names, depth, lambda i: (number(column[i], 8) for column in columns))
        return "\n".join([layers, "", *self._summary(number)])

    def _majority(self) -> str:
        """Return the mean share of the favoured class as text; on many data it is that of the law of gamma_guess."""
        from igbtheory.foundations.text import measured  # noqa: PLC0415 - most predictions are not printed
        from igbtheory.guesses.share_of_class_0 import GuessLaw  # noqa: PLC0415 - as above

        law: Any = self.G0
        if self.dataset is None:
            return f"{law.majority():.2%}"
        if self.dataset.size > MANY:
            return f"about {GuessLaw(float(self.gamma_guess)).majority():.0%}"
        share = law.majority()
        return f"{measured(100 * share.value, 100 * share.error)} %"

    def _summary(self, number: "Callable[[Any, int], str]") -> "Iterator[str]":
        """Yield the lines about the output and the guesses of one network."""
        digits = getattr(self.per_layer.n, "digits", 15)
        law: Any = self.G0
        yield f"gamma   {number(self.gamma, digits)}"
        if self.dataset is not None:
            yield f"gamma_guess {number(self.gamma_guess, digits)}"
        yield f"c       {number(self.c, digits)}"
        if self.batch is not None and self.batch.size is not None:
            c_within = "not known" if np.isnan(float(self.c_within)) else number(self.c_within, digits)
            yield f"c       {c_within} within a batch of {self.batch.size}"
        if np.isfinite(self.effective_rank):
            yield f"rank    {self.effective_rank:.3g}, effective: BatchNorm has no exact rule here, but draws"
        yield f"regime  {self.regime}: on average the favoured class gets {self._majority()} of the data"
        yield f"G0      mean {law.mean():.6g}, standard deviation {law.std():.6g} over initialisations"
        # with more than 307 digits the error may be smaller than all doubles
        error = f"{float(self.error):.1g}" if self.error else "below 1e-307"
        yield f"error   {error} (estimated, relative, of var_mu and var_chi)"
        if self.method:
            yield f"method  {self.method}"
        if self.estimated:
            yield f"no rule {', '.join(map(repr, self.estimated))}: estimated"
        if self.dataset is not None:
            from igbtheory.guesses.bias_of_guesses import MEANING  # noqa: PLC0415 - as above

            yield MEANING

    def __repr__(self) -> str:
        if np.ndim(self.gamma):
            gamma = np.asarray(self.gamma, dtype=float)
            return f"Prediction(sweep of shape {gamma.shape}, gamma from {gamma.min():.6g} to {gamma.max():.6g})"
        shown = (f"{name}={_text(getattr(self, name))}" for name in ("var_mu", "var_chi", "gamma", "c"))
        return f"Prediction({', '.join(shown)}, regime={self.regime!r})"

    def _repr_latex_(self) -> str:
        if np.ndim(self.gamma):
            return rf"$\text{{{self!r}}}$"
        values = rf"\mathrm{{Var}}_W(\mu) = {_text(self.var_mu)},\; \mathrm{{Var}}_\chi(O) = {_text(self.var_chi)}"
        return rf"$\displaystyle {values},\; \gamma = {_text(self.gamma)},\; c = {_text(self.c)}$"


@final
@dataclass(frozen=True)
class Counts:
    """The batches of D data; a full batch has all D data."""

    prediction: Prediction
    batch: Batch

    def __call__(self, D: int) -> "Batches":  # noqa: N803 - the papers' letter
        """Return the batches of D data."""
        from igbtheory.guesses.source import Batches  # noqa: PLC0415 - as above

        prediction, batch = self.prediction, self.batch
        complete = batch.size is not None and not np.isnan(np.asarray(prediction.c_within, dtype=float)).any()
        batched = prediction if complete else batch.at(batch.size or D)
        if len(batched.estimated) > len(prediction.estimated):
            message = (
                "the covariance of two data of one batch after these layers has no exact rule: it is estimated from "
                "draws, to about three digits"
            )
            warnings.warn(message, EstimateWarning, stacklevel=6)
        c: Any = batched.c
        return Batches(c, batched.c_within, batch.size or D)


def _text(value: Any) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)
