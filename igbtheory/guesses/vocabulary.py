"""What an untrained language model predicts first: the shares of tokens, and the entropy and the loss of its softmax.

The logits of V tokens at one position are O_v = sqrt(q) z_v. With S the sum of their exponentials, the label of a new
model is any token, so that the expected loss is E log S, and its softmax has the expected entropy

    E log S - sum_v E p_v O_v = E log S - q (1 - sum_v E p_v^2)

by integration by parts. With L(s) = E exp(-exp(s + O)), both follow from integrals over s of L(s)^V.
Tied weights: the output of token v is the product of the embedding of v and the units of the last layer, which contain
the embedding of the token that is read. Its logit has the mean sqrt(q) lift, lift^2 = share of the embedding x width.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit

from igbtheory.foundations import checks
from igbtheory.foundations.result import Result
from igbtheory.foundations.text import measured
from igbtheory.guesses.arguments import MOST_TOKENS, checked_classes
from igbtheory.guesses.outputs_at_data import guesses_of_many
from igbtheory.guesses.sampled import SampledLaw, checked_draws
from igbtheory.guesses.several import ClassGuessLaw
from igbtheory.mathematics.numerics.log_normal import LogNormalLaplace

RANKS = 1000
"""Largest number of shares that are kept of a draw; the others are those of rare tokens."""
NUMBERS = 2**27
"""Number of logits that are drawn by default, in a few seconds."""
FEWEST, MOST = 8, 200
"""Smallest and largest number of networks that are drawn by default."""
ALMOST = 1 - 2**-53
"""Largest share below 1."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(64)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
"""Gauss-Hermite quadrature over the logit of the token that is read."""

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Vocabulary(Result):
    """First predictions of a language model with a vocabulary of `size` tokens, at `positions` tokens.

    ranked: the law of the shares of the positions that the tokens get, in descending order, at most 1000. guessed: that
    of the number of tokens that are predicted at least once. effective: that of exp(H), H the entropy of the shares of
    the positions that the tokens get: so many tokens, predicted equally often, would have the same entropy. copied:
    that of the share of the positions at which the token that is read is predicted, None if it is not known. loss,
    entropy: expected ones of the softmax at one position. q: variance of a logit over weights and data. lift: mean
    logit of the token that is read, over sqrt(q); 0 without tied weights. width: number of units that the output reads,
    None for infinitely many: in d units, the correlations of positions scatter by 1/sqrt(d), and fewer tokens are
    predicted.

    size, positions: numbers of tokens of the vocabulary and of the text.

    >>> words = igb.mlp(1, "relu").predict().vocabulary(1000)
    >>> print(f"{words.perplexity:.0f}")
    372
    """

    size: int
    positions: int
    q: float
    lift: float
    loss: float
    entropy: float
    ranked: SampledLaw
    guessed: SampledLaw
    effective: SampledLaw
    copied: SampledLaw | None = None
    width: int | None = None

    @property
    def perplexity(self) -> float:
        """The exponential of the entropy of the softmax: the number of equally likely tokens with the same entropy."""
        return float(np.exp(self.entropy))

    def largest(self) -> SampledLaw:
        """Return the law of the share of the positions that the favoured token gets."""
        return SampledLaw(self.ranked.draws[:, 0])

    def never(self) -> SampledLaw:
        """Return the law of the share of the vocabulary that is predicted at no position.

        Source: the authors' code IGB_LLMs, as for `effective` and `never_by_chance`.
        """
        return SampledLaw(1 - self.guessed.draws / self.size)

    @property
    def never_by_chance(self) -> float:
        """Its mean (1 - 1/K)^D if each of D positions predicts any of K tokens with equal probability."""
        return float(np.exp(self.positions * np.log1p(-1 / self.size)))

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers, and the means of the laws with their errors."""
        names = ("size", "positions", "width", "q", "lift", "loss", "entropy", "perplexity", "never_by_chance")
        laws = {"largest": self.largest(), "guessed": self.guessed, "effective": self.effective, "never": self.never()}
        laws |= {"ranked": self.ranked} | ({} if self.copied is None else {"copied": self.copied})
        means = {name: law.mean().to_dict() for name, law in laws.items()}
        return {**{name: getattr(self, name) for name in names}, "even_loss": float(np.log(self.size)), **means}

    def __str__(self) -> str:
        laws = (self.largest(), self.guessed, self.effective, self.never())
        largest, guessed, effective, never = (measured(**law.mean().to_dict()) for law in laws)
        copied = [] if self.copied is None else [measured(**self.copied.mean().to_dict())]
        width = "infinitely wide" if self.width is None else f"of width {self.width}"
        return "\n".join(
            [
                f"vocabulary  {self.size} tokens, {self.positions} positions",
                f"networks    {len(self.guessed.draws)} drawn, {width}",
                f"largest     {largest} of the positions predict the favoured token; even: {1 / self.size:.3g}",
                f"guessed     {guessed} tokens are predicted at least once",
                f"effective   {effective} tokens, predicted equally often, have the entropy of these predictions",
                f"never       {never} of the tokens are predicted nowhere; by chance: {self.never_by_chance:.4g}",
                *(f"copied      {share} of the positions predict the token that they read" for share in copied),
                f"loss        {self.loss:.6g} expected; log {self.size} = {np.log(self.size):.6g}",
                f"entropy     {self.entropy:.6g} of one prediction, perplexity {self.perplexity:.6g}",
            ]
        )

    def __repr__(self) -> str:
        return f"Vocabulary({self.size} tokens, {self.positions} positions)"


@final
@dataclass(frozen=True)
class Tied:
    """Tied weights of a model of d = `width` units, whose last units are e + r, the embedding e read there.

    shares: those of e in the variance of e + r, at each position. With a share a, the logit of the token that is read
    is e (e + r)/|e + r|. In standard deviations of the others it is sqrt(a d) times

        1 + (1 - a/2) (|e|^2 - 1) + (1 - a) e r - (1 - a) (|r|^2 - 1)/2

    to first order in the scatter of |e|^2, r e and |r|^2 around 1, 0 and 1, of variances 2/d, (1/a - 1)/d and 2/d.
    """

    width: int
    shares: Array

    @property
    def lifts(self) -> Array:
        """The mean logit of the token that is read at each position, over the standard deviation of the others."""
        return np.sqrt(self.shares * self.width)

    @property
    def factors(self) -> Array:
        """The standard deviation that e r gives this logit: the factor of the others' noise in it."""
        return (1.0 - self.shares) ** 1.5

    def lifted(self, ids: NDArray[np.intp], rng: np.random.Generator) -> Array:
        """Return draws of this logit without e r; |e|^2 is the same wherever the token is read."""
        embeddings, others = rng.standard_normal(int(ids.max()) + 1)[ids], rng.standard_normal(ids.size)
        scatter = (2.0 - self.shares) * embeddings - (1.0 - self.shares) * others
        return np.asarray(self.lifts * (1.0 + scatter / np.sqrt(2.0 * self.width)))

    @property
    def deviations(self) -> Array:
        """The standard deviation of this logit."""
        scatter = ((2.0 - self.shares) ** 2 + (1.0 - self.shares) ** 2) / (2.0 * self.width)
        return np.sqrt(self.factors**2 + self.lifts**2 * scatter)


def at_random_positions(
    law: ClassGuessLaw, q: float, positions: Any, draws: int | None, rng: np.random.Generator
) -> Vocabulary:
    """Return the first predictions at independent positions, from the law of the shares of infinitely many.

    q: variance of a logit. draws: number of networks; None: as many as take a few seconds.
    """
    count = checks.whole("positions", positions, 1)
    ranked, guessed, effective = [], [], []
    for _ in range(count_of(draws, law.n_classes * 32)):  # a share takes less time than 32 logits
        shares = law.rvs((), rng)
        ranked.append(_first(shares))
        guessed.append(-np.expm1(count * np.log1p(-np.minimum(shares, ALMOST))).sum())
        effective.append(_effective(rng.multinomial(count, shares / shares.sum()) / count))
    loss, entropy = first_softmax(q, law.n_classes)
    laws = [SampledLaw(np.array(values)) for values in (ranked, guessed, effective)]
    return Vocabulary(law.n_classes, count, q, 0.0, loss, entropy, laws[0], laws[1], laws[2])


def at_given_positions(
    roots: Iterable[Array],
    size: int,
    ids: NDArray[np.intp] | None,
    tied: Tied | None,
    rng: np.random.Generator,
    width: int | None = None,
) -> Vocabulary:
    """Return the first predictions at given positions, which read the tokens `ids`, or None if that is not known.

    roots: of every network, a matrix L such that L L^T is the covariance of a logit at the positions.
    """
    ranked, guessed, effective, copied, q = [], [], [], [], []
    for root in roots:
        positions, variances = len(root), np.square(root).sum(axis=1)
        if tied is None or ids is None:
            guesses = guesses_of_many(root, size, rng)
        else:
            lifted = np.sqrt(variances) * tied.lifted(ids, rng)
            guesses = guesses_of_many(root, size, rng, (ids, tied.factors, lifted))
        shares = np.bincount(guesses, minlength=size) / positions
        ranked.append(_first(shares))
        guessed.append(float(np.count_nonzero(shares)))
        effective.append(_effective(shares))
        copied.append(np.nan if ids is None else np.mean(guesses == ids))
        q.append(variances.mean())
    # the variance of a logit hardly depends on the position, and the softmax is a smooth function of it
    logit = float(np.mean(q))
    loss, entropy = first_softmax(logit, size, tied)
    laws = [SampledLaw(np.array(values)) for values in (ranked, guessed, effective)]
    again = None if ids is None else SampledLaw(np.array(copied))
    lift = 0.0 if tied is None else float(tied.lifts.mean())
    return Vocabulary(size, positions, logit, lift, loss, entropy, laws[0], laws[1], laws[2], again, width)


def checked_size(size: Any, ids: NDArray[np.intp] | None) -> int:
    """Return the number of tokens of a vocabulary; refuse one that lacks an id that is read."""
    tokens = checked_classes(size, MOST_TOKENS)
    if ids is not None and ids.max() >= tokens:
        raise ValueError(
            f"expected ids of tokens below {tokens}, the size of the vocabulary, got {ids.max()}; pass "
            f"size={ids.max() + 1} or more"
        )
    return tokens


def first_softmax(q: float, size: int, tied: Tied | None = None) -> tuple[float, float]:
    """Return the expected loss and the expected entropy of the softmax at one position.

    The loss is that of a label other than the token that is read. With tied weights, the sum over the other tokens is
    taken as its geometric mean, from which that of many tokens hardly differs.
    """
    if q == 0.0:
        return float(np.log(size)), float(np.log(size))
    laplace = LogNormalLaplace(float(np.sqrt(q)))
    s = -laplace.nodes
    log_l, _, log_square = laplace(s)
    with np.errstate(under="ignore"):
        log_sum = laplace.step * float(np.sum(np.exp(-np.exp(s)) - np.exp(size * log_l)))
        together = size * laplace.step * float(np.sum(np.exp(log_square + (size - 1) * log_l)))
    weighed = q * (1.0 - together)
    if tied is None:
        return log_sum, log_sum - weighed
    read = np.sqrt(q) * (tied.lifts[:, None] + tied.deviations[:, None] * NODES)
    p, log_total = expit(read - log_sum), np.logaddexp(read, log_sum)
    entropies = log_total - (1.0 - p) * weighed - p * read
    return float(np.mean(log_total @ WEIGHTS)), float(np.mean(entropies @ WEIGHTS))


def count_of(draws: int | None, numbers: int) -> int:
    """Return the number of networks to draw; numbers: that one network takes."""
    return int(np.clip(NUMBERS // numbers, FEWEST, MOST)) if draws is None else checked_draws(draws)


def _effective(shares: Array) -> float:
    """Return the exponential of the entropy of shares."""
    return float(np.exp(entr(shares).sum()))


def _first(shares: Array) -> Array:
    """Return the largest shares, in descending order."""
    count = min(RANKS, shares.size)
    return -np.sort(-np.partition(shares, -count)[-count:])
