"""Gradients class by class under cross-entropy at initialisation, which can vanish for the favoured class.

The gradient by the logits O of a datum of label k is p - e_k with p = softmax(O). Given the centres mu of the outputs,
the mean over the data of its squared norm is a single integral, by 1/S = int exp(-t S) dt for the sum S of exp(O).
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.guesses.centred import checked_centres
from igbtheory.mathematics.numerics.limits import BLOCK
from igbtheory.mathematics.numerics.log_normal import LogNormalLaplace
from igbtheory.theory.prediction import Prediction

MOST_CLASSES = 10_000
"""Largest number of classes: the gradients of one initialisation then take 1.5 seconds."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class ClassGradients(Result):
    """Law over initialisations of E_chi (p - e_k)^2, the squared gradient at the logits of the data of label k.

    The outputs are O_c = mu_c + sqrt(var_chi) z with mu_c ~ N(0, var_mu) whatever the label, which an untrained network
    does not know. The squared gradient of the loss by the units of layer l is this law times `Gradients.squared[l]`.
    With two classes it is 2 sigmoid(-Delta)^2, where Delta is the output of class k less the other output.
    Source: bias-meets-trainability-summary (gradients of the favoured class).

    var_mu, var_chi: variances of the outputs. n_classes: number of classes.

    >>> law = igb.phases.class_gradients(igb.mlp(2, "relu").predict())
    >>> law.rvs(4, random_state=0).shape
    (4, 2)
    """

    var_mu: float
    var_chi: float
    n_classes: int

    def given(self, centres: Any) -> Array:
        """Return the mean over the data of (p - e_k)^2 for every label k: centres and result (..., n_classes)."""
        mu = checked_centres(centres, self.n_classes)
        rows = mu.reshape(-1, self.n_classes)
        blocks = np.array_split(rows, 1 + rows.size * len(self._laplace.nodes) // BLOCK)
        return np.concatenate([self._given(part) for part in blocks]).reshape(mu.shape)

    def rvs(self, size: int = 1, random_state: Any = None) -> Array:
        """Return draws of initialisations, shape (size, n_classes): columns from the most to the least favoured class.

        random_state: None (fresh), an int (a seed) or a `numpy.random.Generator`.
        """
        rng = checks.generator(random_state)
        mu = np.sqrt(self.var_mu) * rng.standard_normal((checks.whole("size", size, 1), self.n_classes))
        return self.given(-np.sort(-mu, axis=1))

    def ppf(self, p: Any) -> Array:
        """Return the quantiles over initialisations for two classes, shape (*p, 2), the favoured class first."""
        if self.n_classes != 2:
            raise ValueError(f"expected two classes for quantiles, got {self.n_classes}; use rvs(size)")
        p = np.asarray(p, dtype=float)
        if not np.all((p > 0) & (p < 1)):
            raise ValueError(f"expected probabilities 0 < p < 1, got {p}; the law has no largest gap of two centres")
        # |mu_0 - mu_1|, half normal: the larger it is, the smaller the favoured gradient and the larger the other
        gaps = [np.sqrt(2 * self.var_mu) * scipy.special.ndtri((1 + q) / 2) for q in (1 - p, p)]
        favoured, other = (self.given(np.stack([gap / 2, -gap / 2], axis=-1)) for gap in gaps)
        return np.stack([favoured[..., 0], other[..., 1]], axis=-1)

    @property
    def mean(self) -> float:
        """Mean over initialisations, which is equal for all labels."""
        whole = ClassGradients(0.0, self.var_mu + self.var_chi, self.n_classes)
        return float(whole.given(np.zeros(self.n_classes))[0])

    @cached_property
    def _laplace(self) -> LogNormalLaplace:
        """Laplace transforms of exp(O); its nodes are s = -log t minus the largest centre."""
        return LogNormalLaplace(float(np.sqrt(self.var_chi)))

    def _given(self, mu: Array) -> Array:
        """Integrate prod_j L_j (sum_{j != k} (2 B_j - A_j^2) + (sum_{j != k} A_j)^2) over s, for rows of centres.

        L_j, L_j A_j and L_j B_j are the three means that `_laplace` returns at x_j = mu_j - s. Terms with B_j give
        E p_j^2, products A_i A_j give E p_i p_j, and nothing cancels.
        """
        log_l, log_a, log_b = self._laplace(mu[:, :, None] - mu.max(axis=1)[:, None, None] - self._laplace.nodes)
        first = np.exp(log_a - log_l)
        second = 2 * np.exp(log_b - log_l) - first * first
        others = [part.sum(axis=1, keepdims=True) - part for part in (first, second)]
        weights = self._laplace.step * np.exp(log_l.sum(axis=1, keepdims=True))
        return np.asarray((weights * (others[1] + others[0] ** 2)).sum(axis=2))


def class_gradients(prediction: Prediction, n_classes: int = 2) -> ClassGradients:
    """Return the law of the squared gradients class by class, from the variances of the output: see `ClassGradients`.

    prediction: for Gaussian inputs, one network, no sweep.

    n_classes: number of classes.

    >>> law = igb.phases.class_gradients(igb.mlp(2, "relu").predict())
    >>> print(f"{law.mean:.4f}")
    0.6971
    """
    if not isinstance(prediction, Prediction):
        raise TypeError(f"expected a Prediction, got {type(prediction).__name__}; pass net.predict()")
    if prediction.dataset is not None:
        raise ValueError("expected a prediction for Gaussian inputs, got one on a given data set; pass net.predict()")
    if np.ndim(prediction.gamma):
        raise ValueError("expected a prediction of one network, got a sweep; loop over its values")
    whole = checks.whole("n_classes", n_classes, 2, MOST_CLASSES)
    return ClassGradients(float(prediction.var_mu), float(prediction.var_chi), whole)
