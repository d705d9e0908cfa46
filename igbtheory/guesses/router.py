"""The law of the loads of experts at initialisation: a router sends every token to its `top` largest outputs.

The outputs are O_e = sqrt(gamma) U_e + Z_e in units of their spread over the tokens, with U_e drawn for the network and
Z_e for the token. The load of an expert is its share of the tokens, and the loads add up to `top`. Given U,

    load_e = int phi(x - sqrt(gamma) U_e) P(at most top - 1 others exceed x) dx.

For many experts the `top`-th largest output hardly varies over the tokens. Then load_e = Phi(sqrt(gamma) U_e - t), with
t such that the loads add up to `top`.

On given tokens, and at finite width, the outputs of an expert at all tokens are a Gaussian vector, and loads are counts
in draws of these vectors: so the outputs of experts are correlated over the tokens, and have unlike spreads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, final

import numpy as np
import scipy
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.text import measured
from igbtheory.guesses.arguments import MOST_NUMBERS, MOST_TOKENS, one_number
from igbtheory.guesses.centred import fractions
from igbtheory.guesses.law import Law, alike
from igbtheory.guesses.sampled import DRAWS, SampledLaw, estimate, linear
from igbtheory.guesses.source import GaussianOutputs, numbers_of
from igbtheory.mathematics.numerics.bivariate import both_below
from igbtheory.mathematics.numerics.limits import BLOCK, TINY

EXACT = 256
"""Largest number of experts times top whose loads are exact. Beyond it CV^2 of a threshold is off by up to 1 %: the
exact ones of 64 experts, top 6, take ten times as long."""
REACH, STEP = 9.0, 0.2
"""Reach and step of the trapezoidal rule in spreads of an output; the integrand is entire: errors are below 1e-12."""
FAR = 16.0
"""Distance from the top-th largest centre, in spreads, at which a load is 0 or 1 in double precision."""
HALVINGS = 60
"""Number of bisections of a threshold, after which its interval is a rounding error."""
CAPACITY, CAPACITIES = 1.25, (1.0, 1.25, 2.0)
"""Usual capacities of an expert, in units of its fair load: the default, and those that are printed."""
STARVED = 0.1
"""Load, in units of the fair load, below which an expert counts as starved."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False, repr=False)
class RouterLaw(Law):
    """Law of the loads of `experts` experts, of which every token takes the `top` with the largest outputs.

    source: the outputs of the experts at the tokens; a number is gamma of `GaussianOutputs`. Given a network, loads of
    infinitely many independent tokens are exact if experts times top is at most 256, or if top is 1. Loads of outputs
    at data are counted. If these are drawn from infinitely many, the deviations of the loads of a network from the fair
    load are multiplied by one factor, so that their mean square, CV^2, has no part from the scatter of the counts.
    Tokens that tie go to the first experts.

    experts, top: number of experts, and number of those that a token goes to.

    >>> law = igb.mlp(2, "relu").predict().router(experts=8, top=2)
    >>> print(f"{law.largest().mean().value:.3f}")
    2.723
    """

    source: Any
    experts: int
    top: int

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "experts", checks.whole("experts", self.experts, 2, MOST_TOKENS))
        object.__setattr__(self, "top", checks.whole("top", self.top, 1))
        if self.top >= self.experts:
            raise ValueError(
                f"expected top below the {self.experts} experts, got {self.top}: all experts would get all tokens; "
                f"take top={max(1, self.experts // 4)}, for example"
            )
        if self._swept:
            raise ValueError(f"gamma: expected one number, got a sweep of shape {self._swept}; loop over its values")

    @property
    def outputs(self) -> int:
        return self.experts

    @property
    def fair(self) -> float:
        """The fair load top/experts, which is the mean of a load."""
        return self.top / self.experts

    def of_outputs(self, outputs: Array, rng: np.random.Generator) -> Array:
        taken = np.argpartition(outputs, -self.top, axis=2)[:, :, -self.top :]
        taken[~outputs.any(axis=2)] = np.arange(self.top)
        cells = taken + self.experts * np.arange(outputs.shape[1])[:, None]
        counts = np.bincount(cells.ravel(), minlength=self.experts * outputs.shape[1]).reshape(-1, self.experts)
        tokens = len(outputs)
        return self._without_scatter(counts.astype(np.float64), tokens) if self._scatters else counts / tokens

    def of_gammas(self, gamma: Array, rng: np.random.Generator) -> Array:
        # where loads are exact, each expert needs the numbers of `top` counts at all nodes, about 200 of them
        blocks = 1 + gamma.size * self.experts * (self.top * 200 if self._exact else 1) // BLOCK
        u = rng.standard_normal((gamma.size, self.experts))
        split = zip(np.array_split(gamma, blocks), np.array_split(u, blocks), strict=True)
        return np.concatenate([self._given(*block) for block in split])

    def ranked(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the loads in units of the fair load, in descending order, arrays (experts,)."""
        return self._law(lambda loads: -np.sort(-loads, axis=1), draws, random_state)

    def cv2(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of CV^2, the variance of the loads of a network over the square of their mean."""
        return self._law(_cv2, draws, random_state)

    def largest(self, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the largest load, in units of the fair load."""
        return self._law(_largest, draws, random_state)

    def dropped(self, capacity: float = CAPACITY, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the share of choices that are dropped, because no expert takes more than its capacity.

        capacity: the most that an expert takes, in units of the fair load.
        """
        return self._law(partial(_dropped, checked_capacity(capacity)), draws, random_state)

    def starved(self, below: float = STARVED, draws: int = DRAWS, random_state: Any = 0) -> SampledLaw:
        """Return the law of the share of experts whose load is below this one, in units of the fair load."""
        return self._law(partial(_starved, checked_share(below)), draws, random_state)

    def mean(self) -> Any:
        """Return the fair load, and that of each expert, (experts,), where outputs tie."""
        return self.fair if self.source.alike else super().mean()

    def var(self, draws: int = DRAWS, random_state: Any = 0) -> Any:
        """Return the variance of a load, fair^2 times the mean of `cv2`, and that of each where outputs tie."""
        if not self.source.alike:
            return super().var(draws, random_state)
        return linear(self.cv2(draws, random_state).mean(), self.fair**2)

    def cov(self) -> Any:
        """Return the covariance matrix of the loads, shape (experts, experts)."""
        return alike(self.var(), self.experts) if self.source.alike else super().cov()

    def _law(self, function: Callable[[Array], Array], draws: int, random_state: Any) -> SampledLaw:
        return self._sampled(lambda loads: function(loads / self.fair), draws, random_state)

    def _given(self, gamma: Array, u: Array) -> Array:
        """Return the loads given gamma of the networks, and U of all experts, shape (draws, experts)."""
        torn = np.isposinf(gamma)
        if torn.all():
            return np.asarray(u >= np.partition(u, -self.top, axis=1)[:, [-self.top]], dtype=float)
        if not gamma.any():
            return np.full(u.shape, self.fair)
        centres = np.sqrt(gamma)[:, None] * u
        if self.top == 1:
            return fractions(centres)
        return (_of_top if self._exact else _of_threshold)(centres, self.top)

    @property
    def _exact(self) -> bool:
        return self.experts * self.top <= EXACT

    @property
    def _gamma(self) -> float:
        """The gamma of wide networks with Gaussian outputs, of which alone the limit of many experts is known."""
        if not isinstance(self.source, GaussianOutputs):
            raise TypeError(
                f"expected Gaussian outputs in infinite width, got {type(self.source).__name__}, of which many experts "
                "have no closed form; draw their loads instead: router.cv2().mean()"
            )
        return float(self.source.gamma)

    def of_many(self, above: Any) -> Any:
        """Return the load that this share of infinitely many experts exceeds, in its shape."""
        u = scipy.special.ndtri(1.0 - np.asarray(above, dtype=float))
        tau = scipy.special.ndtri(1.0 - self.fair)
        gamma = self._gamma
        if np.isposinf(gamma):
            return np.asarray(u > tau, dtype=float)[()]
        return scipy.special.ndtr(np.sqrt(gamma) * u - tau * np.sqrt(1.0 + gamma))

    def means(self, capacity: float = CAPACITY, below: float = STARVED) -> dict[str, float]:
        """Return the means of CV^2, of the largest load, and of the shares dropped and starved, for many experts.

        They are closed forms, which hold for infinitely many experts: at gamma = 0.86 CV^2 of 64 experts is 3 % smaller
        with top 6, and 16 % with top 1.
        """
        p, gamma, capacity, below = self.fair, self._gamma, checked_capacity(capacity), checked_share(below)
        tau = scipy.special.ndtri(1.0 - p) or TINY
        # the probability that two tokens take the same expert, less that of independent choices
        together = 2.0 * (
            scipy.special.owens_t(tau, 1.0) - scipy.special.owens_t(tau, 1.0 / np.sqrt(1.0 + 2.0 * gamma))
        )
        return {
            "cv2": float(together / p**2),
            "largest": float(self.of_many(-np.expm1(np.log(0.5) / self.experts)) / p),  # at the median of the largest U
            "dropped": _above(capacity, p, tau, gamma),
            "starved": float(scipy.special.ndtr(_latent(below * p, tau, gamma))),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of experts and of choices, and the means of the laws with their errors."""
        measures: dict[str, Callable[[Array], Array]] = {"cv2": _cv2, "largest": _largest}
        measures |= {f"dropped at {capacity:g}": partial(_dropped, capacity) for capacity in CAPACITIES}
        measures |= {"starved": partial(_starved, STARVED)}
        draws = min(DRAWS, MOST_NUMBERS // self.experts)
        law = self._law(lambda loads: np.stack([of(loads) for of in measures.values()], axis=1), draws, 0)
        columns = zip(measures, np.ascontiguousarray(law.draws.T), strict=True)
        means = {name: estimate(column, law.networks).to_dict() for name, column in columns}
        return {**numbers_of(self.source), **numbers_of(self), "fair": self.fair, **means}

    def __str__(self) -> str:
        means = {name: measured(**value) for name, value in self.to_dict().items() if isinstance(value, dict)}
        dropped = (
            f"dropped  {means[f'dropped at {capacity:g}']} of the choices if an expert takes {capacity:g} fair loads"
            for capacity in CAPACITIES
        )
        return "\n".join(
            [
                f"experts  {self.experts}, top {self.top}: the fair load is {self.fair:.4g} of the tokens",
                f"CV^2     {means['cv2']}, variance of the loads over the square of their mean",
                f"largest  {means['largest']} fair loads",
                *dropped,
                f"starved  {means['starved']} of the experts get less than {STARVED} of their fair load",
            ]
        )

    def _without_scatter(self, counts: Array, tokens: int) -> Array:
        """Return the loads of which so many tokens are a sample, from their counts, (draws, experts)."""
        apart = counts / tokens - self.fair
        even = self.experts * self.fair**2
        # two different tokens go to the same expert as often as the loads of infinitely many say
        pairs = (counts * (counts - 1.0)).sum(axis=1) / (tokens * (tokens - 1.0)) - even
        squares = np.square(apart).sum(axis=1)
        share = np.divide(pairs, squares, out=np.zeros_like(squares), where=squares > 0)
        return np.asarray(self.fair + np.sqrt(np.clip(share, 0.0, 1.0))[:, None] * apart)


def _cv2(loads: Array) -> Array:
    return np.asarray(loads.var(axis=1))


def _largest(loads: Array) -> Array:
    return np.asarray(loads.max(axis=1))


def _dropped(capacity: float, loads: Array) -> Array:
    return np.asarray(np.maximum(loads - capacity, 0.0).mean(axis=1))


def _starved(below: float, loads: Array) -> Array:
    return np.asarray((loads < below).mean(axis=1))


def checked_capacity(capacity: Any) -> float:
    """Return a capacity in units of the fair load as a float; refuse anything but one finite number above 0."""
    number = one_number("capacity", capacity)
    if not 0.0 < number < np.inf:
        raise ValueError(
            f"expected capacity > 0 in units of the fair load, got {number}; pass {CAPACITY}, or leave it out"
        )
    return number


def checked_share(below: Any) -> float:
    """Return the load below which an expert counts as starved; refuse anything but one number between 0 and 1."""
    number = one_number("below", below)
    if not 0.0 < number < 1.0:
        raise ValueError(f"expected 0 < below < 1 in units of the fair load, got {number}; pass {STARVED}")
    return number


def _of_top(centres: Array, top: int) -> Array:
    """Return the exact loads, shape (draws, experts), given the centres of the outputs."""
    experts = centres.shape[1]
    least = np.partition(centres, -top, axis=1)[:, [-top]]
    centres = np.clip(centres - least, -FAR, FAR)
    x = np.arange(centres.min() - REACH, centres.max() + REACH, STEP)
    z = x - centres[:, :, None]
    density, exceeds = np.exp(-0.5 * z * z), scipy.special.ndtr(-z)
    # the probabilities that 0, ..., top - 1 of the experts in front of each one exceed x
    none = np.zeros((len(centres), top, len(x)))
    none[:, 0] = 1.0
    in_front = [none]
    for expert in range(experts - 1):
        in_front.append(_with_one_more(in_front[-1], exceeds[:, expert, None]))
    loads, behind = np.empty(centres.shape), none
    for expert in reversed(range(experts)):
        at_most = (in_front[expert] * behind.cumsum(axis=1)[:, ::-1]).sum(axis=1)
        loads[:, expert] = (density[:, expert] * at_most).sum(axis=1)
        behind = _with_one_more(behind, exceeds[:, expert, None])
    return np.asarray(top * loads / loads.sum(axis=1, keepdims=True))


def _with_one_more(counts: Array, exceeds: Array) -> Array:
    """Return the probabilities of counts, (draws, counts, nodes), after one more expert exceeds x or not."""
    behind = counts * (1.0 - exceeds)
    behind[:, 1:] += counts[:, :-1] * exceeds
    return behind


def _of_threshold(centres: Array, top: int) -> Array:
    """Return the loads of experts that exceed a threshold, such that they add up to `top`."""
    low, high = centres.min(axis=1, keepdims=True) - REACH, centres.max(axis=1, keepdims=True) + REACH
    for _ in range(HALVINGS):
        t = (low + high) / 2
        many = scipy.special.ndtr(centres - t).sum(axis=1, keepdims=True) > top
        low, high = np.where(many, t, low), np.where(many, high, t)
    return np.asarray(scipy.special.ndtr(centres - t))


def _latent(load: float, tau: float, gamma: float) -> float:
    """Return the latent value u at which an expert has this load; -inf or inf where gamma is 0."""
    quantile = scipy.special.ndtri(load)
    if gamma == 0.0:
        return float(np.copysign(np.inf, tau + quantile))
    return float(tau * np.sqrt(1.0 + 1.0 / gamma) + quantile / np.sqrt(gamma))


def _above(capacity: float, p: float, tau: float, gamma: float) -> float:
    """Return E (load/p - capacity)_+ for a single expert of infinitely many."""
    if capacity * p >= 1.0 or gamma == 0.0:
        return max(0.0, 1.0 - capacity) if gamma == 0.0 else 0.0
    u = _latent(capacity * p, tau, gamma) or TINY
    if np.isposinf(gamma):
        return 1.0 - capacity * p
    # an output exceeds its threshold while U exceeds u: two normal variables of the correlation sqrt(c)
    c, root = np.sqrt(gamma / (1.0 + gamma)), 1.0 / np.sqrt(1.0 + gamma)
    both = both_below(np.array(-tau), np.array(-u), np.array((c * u - tau) / root), np.array((c * tau - u) / root))
    return max(0.0, float(both / p - capacity * scipy.special.ndtr(-u)))
