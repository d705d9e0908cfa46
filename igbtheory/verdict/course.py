"""The course of the moments over depth, layer by layer, as far as the numbers carry them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function
from igbtheory.inputs import GaussianInputs
from igbtheory.layers import Dense, Gaussian, LawNode
from igbtheory.numbers import FLOAT64
from igbtheory.prediction import PerLayer, Prediction
from igbtheory.verdict.limit import by_map
from igbtheory.verdict.tendency import Tendency, by_tail

SAME, TIMES = 1e-13, 3
"""Relative change of both variances below which, so many layers in succession, they have reached their limit."""
STILL = 1e-10
"""Relative change of q in a layer below which the next gamma is a function of gamma alone."""
ROUNDING = 1e-24
"""Bias ratio that rounding leaves of 0: the square of the relative error 1e-12 of a mean."""
LARGE = 1e7
"""Bias ratio beyond which a course has shown all that the map of gamma could."""


@final
@dataclass(frozen=True)
class Course:
    """Moments after every Dense: entry d belongs to the output of mlp(d, phi), entry 0 to the first Dense.

    prediction: that of the deepest network reached; stopped: why it is not the one asked for, or "";
    still: depth from which the moments no longer change, or None.
    """

    phi: Function
    dense: Dense
    prediction: Prediction
    stopped: str
    still: int | None

    @property
    def reached(self) -> int:
        """Depth of the deepest network within the range of the numbers."""
        return len(self.gamma) - 1

    @property
    def gamma(self) -> NDArray[np.float64]:
        """Bias ratio, shape (reached + 1,)."""
        return np.asarray(self.prediction.per_layer.gamma)

    @cached_property
    def q(self) -> NDArray[np.float64]:
        """Second moment var_mu + var_chi of the pre-activations, shape (reached + 1,)."""
        return np.asarray(self.prediction.per_layer.var_mu + self.prediction.per_layer.var_chi)

    @cached_property
    def q_tendency(self) -> Tendency:
        """Where q goes with depth."""
        return by_tail(self.q[1:][self.q[1:] > np.finfo(float).tiny])  # below, numbers lose their digits

    @cached_property
    def tendency(self) -> Tendency:
        """Where gamma goes with depth.

        Where q stands still, or phi is homogeneous and there are no biases, gamma follows a map of its own: its fixed
        point is the limit. Otherwise the tail of the course decides.
        """
        gamma = self.gamma[1:]
        seen = gamma[(gamma > 0) & np.isfinite(gamma)]
        if gamma.max() <= ROUNDING:
            return Tendency("stays 0", 0.0, 0.0)
        if not seen.size:
            return Tendency("undecided")
        if seen[-1] < LARGE and (self._has_no_scale or abs(self.q[-1] - self.q[-2]) <= STILL * self.q[-1]):
            return by_map(self.following, float(seen[-1]), STILL)
        return by_tail(seen)

    @property
    def _has_no_scale(self) -> bool:
        return self.phi.degree is not None and self.dense.sigma_b2 == 0

    def following(self, gamma: Any) -> Any:
        """Bias ratio one layer after the bias ratio `gamma`, an array, at the last q (at q = 1 where none matters)."""
        q = 1.0 if self._has_no_scale else self.q[-1]
        base = Moments(0, q * (gamma / (1 + gamma)), q / (1 + gamma))
        with np.errstate(all="ignore"):
            after = self.dense.law(LawNode(FLOAT64, Gaussian(base)).then(self.phi)).averaged()
        return after.var_mu / after.var_chi

    def first_beyond(self, level: float) -> int | None:
        """Smallest depth at which gamma exceeds `level`, None where it never does."""
        found = np.flatnonzero(self.gamma[1:] > level)
        return int(found[0]) + 1 if found.size else None


def course(phi: Function, dense: Dense, inputs: GaussianInputs, depth: int) -> Course:
    """Course down to `depth`, or to where q leaves the range of the numbers.

    ValueError: the data do not vary after the first Dense, or nothing is left after the first activation.
    """
    found: list[Moments] = []
    stopped = ""
    try:
        with np.errstate(all="ignore"):  # what leaves the range of the numbers is reported below
            for base in islice(_bases(phi, dense, inputs), depth + 1):
                q = base.var_mu + base.var_chi
                if not 0 < q < np.inf:
                    size = "vanishes" if q == 0 else "is too large for the numbers"
                    stopped = f"the variance q of the pre-activations {size} at depth {len(found)}"
                    break
                found.append(base)
                if _stands(found):
                    break
    except ValueError as error:  # quadrature refuses a formula that it cannot resolve at this q
        stopped = str(error)
        if len(found) < 2:
            raise
    if not found or not found[0].var_chi > 0:
        raise ValueError("expected data that vary after the first Dense; use sigma_w2 > 0 and a variance > 0")
    if len(found) < 2:
        raise ValueError(f"{phi.name!r} leaves nothing to guess by: {stopped}")
    still = len(found) - 1 if not stopped and len(found) <= depth else None
    found += found[-1:] * (0 if stopped else depth + 1 - len(found))
    names = ("var_mu", "var_chi", "error", "covariance")
    columns = (np.array([getattr(base, name) for base in found], float) for name in names)
    return Course(phi, dense, Prediction(PerLayer(FLOAT64, *columns)), stopped, still)


def _bases(phi: Function, dense: Dense, inputs: GaussianInputs) -> Iterator[Moments]:
    """Moments after every Dense of an endless network: one layer at a time, where `predict` does all or nothing."""
    node = dense.law(LawNode(FLOAT64, Gaussian(inputs.moments(FLOAT64))))
    while True:
        yield node.averaged()
        node = dense.law(node.then(phi))


def _stands(found: list[Moments]) -> bool:
    """Whether the last layers have the same moments."""
    last = np.array([(base.var_mu, base.var_chi) for base in found[-TIMES - 1 :]], float)
    return len(last) > TIMES and bool(np.all(np.abs(np.diff(last, axis=0)) <= SAME * last[1:]))
