"""Losses at initialisation over networks, by the rank of the class from the most to the least favoured one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.progress import counted
from igbtheory.foundations.result import Result
from igbtheory.foundations.text import table
from igbtheory.guesses.arguments import float64_array
from igbtheory.guesses.sampled import Estimate, SampledLaw, estimate
from igbtheory.networks.losses.loss import Loss, probabilities
from igbtheory.networks.losses.outputs import limit_outputs
from igbtheory.networks.simulation.ensemble import outputs as finite_outputs
from igbtheory.theory.prediction import Prediction

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False, repr=False)
class LossAtStart(Result):
    """Laws over initialisations of means over the data, for each class from the most to the least favoured one.

    probability: mean softmax probability of a class, which defines the order of the classes in every network.
    value: mean loss of the data of a class. silent: share of the data of a class that have no gradient.
    own: mean gradient at the logit of a class over its own data; if it is negative, descent raises the logit.
    gradient: mean gradient at the logit of a class over the data of all classes, equally many of each; the sum over
    classes is 0. Draws of each law have the shape (networks, n_classes).

    At initialisation a network knows no labels, so that the data of all classes have the same law.

    loss: the loss.

    >>> outputs = np.random.default_rng(0).standard_normal((20, 50, 4))
    >>> law = igb.losses.measured(outputs, igb.losses.CrossEntropy())
    >>> print(f"{law.steering().value:.1f}")
    1.0
    """

    loss: Loss
    probability: SampledLaw
    value: SampledLaw
    silent: SampledLaw
    own: SampledLaw
    gradient: SampledLaw

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.value.draws.shape[1])

    def steering(self) -> Estimate:
        """Return the share of initialisations in which descent lowers the logit of the favoured class."""
        raised = SampledLaw(self.gradient.draws[:, 0]).cdf(0.0)
        return Estimate(1.0 - raised.value, raised.error)

    def strength(self) -> Estimate:
        """Return the ratio of the mean gradient at the logit of the favoured class to that of cross-entropy.

        The gradient of cross-entropy is the mean probability of the favoured class less 1/n_classes. If the ratio is
        negative, descent raises the logit.
        """
        there, excess = self.gradient.draws[:, 0], self.probability.draws[:, 0] - 1.0 / self.n_classes
        ratio = there.mean() / excess.mean()
        return Estimate(float(ratio), float(estimate(there - ratio * excess).error / excess.mean()))

    def to_dict(self) -> dict[str, Any]:
        """Return the means and standard deviations for each class, from the most to the least favoured one."""
        contents: dict[str, Any] = {"loss": repr(self.loss)}
        for name in ("probability", "value", "silent", "own", "gradient"):
            law = getattr(self, name)
            contents[name] = {"mean": law.mean().to_dict(), "std": law.std().to_dict()}
        return {**contents, "strength": self.strength().to_dict(), "steering": self.steering().to_dict()}

    def __str__(self) -> str:
        return losses_table({repr(self.loss): self})

    def __repr__(self) -> str:
        return f"LossAtStart({self.loss!r}, {len(self.value.draws)} networks, {self.n_classes} classes)"


def predicted(
    prediction: Prediction,
    loss: Loss,
    n_classes: int,
    *,
    networks: int = 1000,
    samples: int = 1000,
    seed: int = 0,
) -> LossAtStart:
    """Return the loss at initialisation of infinitely wide networks, from draws of their outputs at `samples` data.

    prediction: for one network; if it is for a given data set, these data are used and `samples` is ignored. The laws
    include the scatter of means over so many data, as in a real evaluation.

    loss: an `igb.losses.Loss`. n_classes: number of outputs. networks: number of draws. samples: number of data
    in each. seed: the same seed gives the same numbers.

    >>> prediction = igb.mlp(3, "relu").predict()
    >>> law = igb.losses.predicted(prediction, igb.losses.CrossEntropy(), 4, networks=50, samples=50)
    >>> print(f"{law.probability.mean().value[0]:.1f}")
    0.5
    """
    return measured(drawn_outputs(prediction, n_classes, networks, samples, seed), loss)


def drawn_outputs(
    prediction: Prediction, n_classes: int, networks: int = 1000, samples: int = 1000, seed: int = 0
) -> Iterator[Array]:
    """Return an iterator over outputs of infinitely wide networks, (samples, n_classes) each; see `predicted`."""
    rng = np.random.default_rng(checks.whole("seed", seed, 0))
    draw, count = limit_outputs(prediction, n_classes, samples), checks.whole("networks", networks, 2)
    return (draw(rng) for _ in counted(range(count), count, "networks"))


def simulated(  # noqa: PLR0913 - the contract of the public name
    network: Any,
    loss: Loss,
    n_classes: int,
    *,
    networks: int = 200,
    width: int = 256,
    samples: int = 1000,
    seed: int = 0,
    inputs: Any = None,
) -> LossAtStart:
    """Return the loss at initialisation of finite networks, which are drawn as in `Network.simulate`.

    network, width, inputs: as in `simulate`. loss, n_classes, networks, samples, seed: as in `predicted`.

    >>> law = igb.losses.simulated(igb.mlp(1, "relu"), igb.losses.CrossEntropy(), 4, networks=20, width=50, samples=50)
    >>> law.probability.mean().value.shape
    (4,)
    """
    return measured(finite_outputs(network, n_classes, networks, width, samples, seed, inputs), loss)


def measured(outputs: Iterable[Any], loss: Loss) -> LossAtStart:
    """Return the loss at initialisation from the outputs, (n_samples, n_classes) each, of at least two networks.

    outputs: an iterable of arrays. loss: an `igb.losses.Loss`.

    >>> outputs = np.random.default_rng(0).standard_normal((20, 50, 4))
    >>> law = igb.losses.measured(outputs, igb.losses.Focal(2.0))
    >>> law.value.mean().value.shape
    (4,)
    """
    if not isinstance(loss, Loss):
        raise TypeError(f"expected a loss such as CrossEntropy() or PiecewiseZero(0.1), got {loss!r}")
    return each_measured(outputs, {"": loss})[""]


def each_measured(outputs: Iterable[Any], losses: Mapping[str, Loss]) -> dict[str, LossAtStart]:
    """Return `measured` for several losses by their names; each network is drawn once."""
    arrays = checks.several("outputs", outputs, "a list of arrays")
    rows = [_means(_checked(array), list(losses.values())) for array in arrays]
    if len(rows) < 2 or len({row.shape for row in rows}) > 1:
        raise ValueError(
            f"expected outputs of at least two networks with equally many classes, got {len(rows)} networks; pass more"
        )
    laws = np.stack(rows, axis=2)  # (losses, means, networks, n_classes)
    return {
        name: LossAtStart(loss, *map(SampledLaw, draws))
        for (name, loss), draws in zip(losses.items(), laws, strict=True)
    }


HEADS = (
    ("", "favoured:", "favoured:", "least:", "least:", "gradient at the", "descent"),
    ("loss", "loss", "no gradient", "loss", "no gradient", "favoured logit", "lowers it"),
)
"""The two lines of headings of a table of losses."""


def losses_table(laws: dict[str, LossAtStart]) -> str:
    """Return a table with a row for each named loss: its values for the favoured and the least favoured class.

    It has the mean loss of the data of the class, the share of them that have no gradient, and the share of networks in
    which descent lowers the favoured logit.
    """
    checks.of_kind("losses at the start by their names", laws, dict, "{'focal': igb.losses.predicted(...)}")
    return table(HEADS[0], [HEADS[1], *((name, *_cells(law)) for name, law in laws.items())])


def _cells(law: LossAtStart) -> list[str]:
    value, silent, gradient = (getattr(law, name).mean() for name in ("value", "silent", "gradient"))
    return [
        *(cell for i in (0, -1) for cell in (f"{value.value[i]:.4g}", f"{silent.value[i]:.1%}")),
        f"{gradient.value[0]:.3g} ± {gradient.error[0]:.1g}",
        f"{law.steering().value:.1%}",
    ]


def _checked(outputs: Any) -> Array:
    values = float64_array("outputs", outputs)
    if values.ndim != 2 or len(values) < 1 or values.shape[1] < 2:
        raise ValueError(
            f"expected outputs of shape (n_samples, n_classes), two classes or more, got shape {values.shape}"
        )
    if not np.all(np.isfinite(values)):
        raise ValueError(
            "expected finite outputs, got some that are not; in a simulation they overflow: scale the inputs or the "
            "variances down"
        )
    return values


def _means(outputs: Array, losses: Sequence[Loss]) -> Array:
    """Return the five means over the data of one network, (losses, 5, n_classes), the favoured class first."""
    p, log_odds = probabilities(outputs)
    rest = scipy.special.expit(-log_odds)
    means = np.stack([_means_of(loss, p, rest, log_odds) for loss in losses])
    return np.asarray(means[..., np.argsort(-means[0, 0], kind="stable")])


def _means_of(loss: Loss, p: Array, rest: Array, log_odds: Array) -> Array:
    """Return the five means of a loss, (5, n_classes), from the probabilities p, 1 - p and the log-odds of classes."""
    weight = loss.weight(log_odds)
    own_gradient = -weight * rest
    # the sum over labels k of weight_k (p_c - [c = k]); the term c = k is computed without cancellation
    others = (weight.sum(axis=1, keepdims=True) - weight) * p
    gradient = (others + own_gradient) / weight.shape[1]
    averaged = (p, loss.value(log_odds), loss.silent(log_odds), own_gradient, gradient)
    return np.array([values.mean(axis=0) for values in averaged])
