"""Networks of finite width by an expansion in 1/width: one pass over the layers, without random numbers.

`blocks` has the layers that are known, `units` averages over the units of a layer, `gram` makes of them the mean and
the noise of their Gram matrix, and `coordinates` passes the law of the kernel of two data through the layers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, final

import numpy as np

from igbtheory.guesses.bias_of_guesses import gamma_of_variance
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.mathematics.averages.maximum import IDENTITY
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.simulation.estimates import TIED
from igbtheory.networks.width.blocks import Block, DoesNotHoldError, Norm, blocks
from igbtheory.networks.width.coordinates import Array, Pair
from igbtheory.networks.width.data_set import of_data
from igbtheory.networks.width.gram import gram, noise
from igbtheory.networks.width.units import units
from igbtheory.theory.data_set import on_data_set

if TYPE_CHECKING:
    from igbtheory.guesses.varied import VariedOutputs
    from igbtheory.layers.dense import Dense
    from igbtheory.theory.prediction import Prediction

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
"""Gauss-Hermite quadrature over y."""
LARGEST_ERROR, LARGEST_OF_GAMMA = 0.1, 0.5
"""Largest estimated relative errors of Var(G0) and of gamma, beyond which exact chains of pairs serve better."""
BOTH_SIGNS = 2.0, 0.5
"""Largest standard deviations of y and of its part of a network, relative to its mean: cosines below 0 must be rare."""
ROUNDED = 1e-12
"""Largest mean cosine, and standard deviation of y over the networks, that are rounding errors of 0."""
NEARLY = 0.05
"""Largest mean of y above 0 that is taken for 0: centred data have mean cosines slightly below 0."""
SMALL = 0.01
"""Largest eps of a norm, relative to the mean square that it is added to, whose fluctuations may be neglected."""


@final
@dataclass(frozen=True, eq=False)
class Expansion:
    """Moments and guesses of networks of finite width, to first order in 1/width; arrays with an entry for every Dense.

    var_mu, var_chi: of an output. var_g0: Var(G0) if outputs read what this Dense reads. error, moments_error: sizes of
    the second order, as relative errors of var_g0, and of var_mu, var_chi and gamma. spread: the variance of log gamma
    over the networks, at the output.
    """

    var_mu: Array
    var_chi: Array
    var_g0: Array
    error: Array
    moments_error: Array
    spread: float

    @property
    def gamma(self) -> Array:
        """The bias ratio var_mu/var_chi."""
        return self.var_mu / self.var_chi

    @property
    def gamma_guess(self) -> Array:
        """The bias ratio of the guesses, the gamma whose law of G0 has this variance."""
        return np.asarray(gamma_of_variance(self.var_g0))

    def source(self) -> "VariedOutputs":
        """Return the source of the law of G0: Phi(sqrt(gamma) U), log gamma normal over the networks.

        The mean of log gamma is the one at which the variance of G0 is var_g0.
        """
        from igbtheory.guesses.varied import VariedOutputs  # noqa: PLC0415 - not every user needs the law

        return VariedOutputs(float(self.var_g0[-1]), self.spread)


@np.errstate(all="ignore")  # what is no number is refused
def expand(layers: Sequence[Layer], widths: Sequence[int], inputs: Any, features: int | None) -> Expansion:
    """Return the expansion of a network on Gaussian inputs, or on a data set of vectors.

    widths: what the second and later Dense layers read. features: what the first one reads of Gaussian inputs; None for
    the first width. On a data set all pairs count, a datum with itself included, as in `predict`.
    DoesNotHoldError: the noise of a layer is not known, or the expansion is too inaccurate.
    """
    if isinstance(inputs, GaussianInputs):
        pairs, ties = _passed(layers, of_inputs(inputs, features or widths[0]), widths)
        rows = _moments(pairs)
    else:
        start = of_data(inputs)
        pairs, ties = _passed(layers, start, widths)
        limit = _moments(_passed(layers, start, [inf] * len(widths))[0])
        rows = _on_data(_moments(pairs), limit, on_data_set(layers, FLOAT64, inputs))
    spread = _spread(pairs[-1])
    for name, size, most in (("Var(G0)", rows[3, -1], LARGEST_ERROR), ("gamma", rows[4, -1], LARGEST_OF_GAMMA)):
        if not size < most:
            raise DoesNotHoldError(f"the expansion may miss {name} by {size:.0%}, more than {most:.0%}")
    if ties > TIED:
        raise DoesNotHoldError(
            f"the expansion knows no ties, and all units of a layer may be 0 at {ties:.2g} of the data"
        )
    var_mu, var_chi, var_g0, error, moments_error = rows
    # two data that tie count 1/4, and are left out
    error = error + np.where(var_g0 > 0, ties / (4 * var_g0), 0.0)
    return Expansion(var_mu, var_chi, var_g0, error, moments_error, spread)


def _passed(layers: Sequence[Layer], start: Pair, widths: Sequence[float]) -> tuple[list[Pair], float]:
    """Return the Gram matrices behind every Dense, and the share of data at which outputs tie, as no unit is left."""
    hidden, (first, *denses) = blocks(layers)
    pairs, ties = [_weighted(start, first)], 0.0
    for block, dense, width in zip(hidden, denses, widths, strict=True):
        units_behind, dead = behind(pairs[-1], block, width)
        pairs.append(_weighted(units_behind, dense))
        ties = 0.0 if dense.sigma_b2 else ties + dead
    return pairs, ties


def _on_data(rows: Array, limit: Array, exact: "Prediction") -> Array:
    """Return the moments on given data: those in infinite width, and what the width adds to the expansion.

    The expansion takes data for normal in log K and y, of which their pairs are far: what it says of infinite width,
    `limit`, differs from the exact prediction by terms that no width makes small, and they are in `rows`, too. What
    the width adds has about their relative error, beside that of the second order in 1/width. To the moments it is of
    the right order alone, since to those of linear networks a width adds nothing in truth: all of it counts as error.
    """
    layers, equal = exact.per_layer, 1 / len(exact.inputs)
    predicted = np.array([layers.var_mu, layers.var_chi, layers.variance])

    def of_all(of_others: Array) -> Array:
        """Return the moments with the pairs of a datum with itself among the pairs."""
        var_mu, var_chi, var_g0 = of_others
        return np.array([var_mu + equal * var_chi, (1 - equal) * var_chi, (1 - equal) * var_g0 + equal / 4])

    taken = of_all(limit[:3])
    added = of_all(rows[:3]) - taken
    share = np.abs(added / predicted)
    of_moments = abs(np.log(taken[:2].sum(axis=0) / predicted[:2].sum(axis=0))) + abs(np.log(taken[1] / predicted[1]))
    of_g0 = abs(taken[2] / predicted[2] - 1) + of_moments
    error = abs(rows[3] - limit[3]) + of_g0 * share[2] + layers.error
    moments_error = abs(rows[4] - limit[4]) + np.maximum(of_moments, 1) * share[:2].sum(axis=0) + layers.error
    return np.array([*predicted + added, error, moments_error])


def of_inputs(inputs: GaussianInputs, features: int) -> Pair:
    """Return the Gram matrix of two Gaussian data, whose features are independent units."""
    x = units(IDENTITY, float(inputs.shift), 0.0, float(inputs.variance))
    of = gram(x)
    wide = Pair(float(np.log(of.q[0])), float(np.log(of.apart[0] / of.together[0])))
    return wide.plus(noise(x, of, None), 1 / features)


def behind(pair: Pair, block: Block, width: float) -> tuple[Pair, float]:
    """Return the Gram matrix of the `width` units behind a block, and the share of data at which all of them are 0."""
    if pair.y > NEARLY:
        raise DoesNotHoldError(f"the expansion needs cosines above 0, got a mean cosine of {pair.c:.2g}")
    q = pair.q if block.before is None else _scale(pair.q, block.before)
    try:
        x = units(block.phi, 0.0, q * max(pair.c, 0.0), q * min(pair.less, 1.0))
    except ValueError as error:
        raise DoesNotHoldError(f"the expansion has no averages of {block.phi.name!r}: {error}") from None
    dead = x.mean(x.given(np.where(x.phi == 0, 1.0, 0.0))) ** width
    x = x.centred if block.behind and block.behind.centres else x
    of = gram(x)
    made = of if block.before is None else of.scaled
    made_of_units = pair.through(made.q, made.apart, made.together).plus(noise(x, of, block.before), 1 / width)
    if block.behind is not None:
        made_of_units = made_of_units.normalised(_scale(made_of_units.q, block.behind))
    return made_of_units, dead


def _scale(q: float, norm: Norm) -> float:
    """Return the mean square behind a norm. DoesNotHoldError: eps is not small."""
    if norm.eps > SMALL * q:
        raise DoesNotHoldError(f"the expansion needs a norm with eps far below the mean square {q:.2g}, got {norm!r}")
    return float(q / (q + norm.eps))


def _weighted(pair: Pair, dense: "Dense") -> Pair:
    """Return the pair behind a Dense. DoesNotHoldError: it has no weights, or networks differ too much."""
    if not dense.sigma_w2:
        raise DoesNotHoldError(f"the expansion needs outputs that differ between data, got {dense!r}")
    weighted = pair.weighted(float(dense.sigma_w2), float(dense.sigma_b2))
    if not weighted.turns + abs(weighted.bent[1]) < 1:
        raise DoesNotHoldError(
            f"the expansion needs a moderate spread over the networks, got the standard deviations "
            f"{weighted.of_log_q**0.5:.2g} of log K_aa and {weighted.of_y**0.5:.2g} of log((1 - c)/(1 + c))"
        )
    return weighted


def _moments(pairs: Sequence[Pair]) -> Array:
    """Return rows var_mu, var_chi, Var(G0), and the errors of Var(G0) and of the moments, at every Dense."""
    return np.array([_at(pair) for pair in pairs]).T


def _at(pair: Pair) -> tuple[float, ...]:
    """Return var_mu, var_chi, Var(G0), and the relative errors of Var(G0) and of the moments.

    s = (log K_aa + log K_bb)/2, d = (log K_aa - log K_bb)/2 and y are normal. Var(G0) = E arcsin(c)/(2 pi) = 1/4 - E
    arctan(e^(y/2))/pi, var_mu = E e^s c, var_chi = E e^s (cosh d - c), and e^s shifts the mean of y by its covariance.
    """
    joint, apart, c = pair.network + pair.datum, pair.datum[0, 0] / 2, pair.c
    y = pair.y + np.sqrt(pair.of_y) * NODES
    shifted = y + joint[0, 1]
    scale = pair.q * np.exp((joint[0, 0] - apart) / 2)
    var_mu = scale * (WEIGHTS @ -np.tanh(shifted / 2))
    var_chi = scale * (WEIGHTS @ (2 / (1 + np.exp(-shifted))) + np.expm1(apart / 2))
    var_g0 = 0.25 - WEIGHTS @ np.arctan(np.exp(y / 2)) / np.pi
    if c < ROUNDED:  # without a bias, which no width adds
        # what order 1/width adds to log q holds at the cosine 0, and changes with the squares of the drawn cosines
        var_mu, var_g0 = (var_mu, var_g0) if abs(c) > ROUNDED else (0.0, 0.0)
        return var_mu, var_chi, var_g0, 0.0, abs(pair.drift[0]) * (WEIGHTS @ np.tanh(y / 2) ** 2)
    # errors of the means of y and log gamma; the numbers were chosen on 242 random networks, whose errors they cover
    second = 1.5 * (3 * pair.turns + abs(pair.bent[1])) ** 2 + 0.2 * pair.drift[1] ** 2 + pair.skew
    slope = WEIGHTS @ (1 / np.cosh(y / 2)) / (4 * np.pi)  # -d Var(G0)/dy
    of_log_gamma = ((1 + c) / 2 * second + (1 - c) / 4 * pair.drift[0] ** 2) / c
    return var_mu, var_chi, var_g0, slope * second / var_g0, np.expm1(of_log_gamma)


def _spread(pair: Pair) -> float:
    """Return the variance of log gamma over the networks. DoesNotHoldError: some networks have cosines below 0.

    The part of y that all pairs of a network share gives d log gamma = -(1 + c)/(2 c) dy. The parts of the pairs make
    the variance of an output over the data differ: with the kernel (1 - c) (delta_ab + rho_ab), rho = -(1 + c)/2 dy,
    the mean of squares of Gaussian outputs has the relative variance 2 E rho^2 over the weights.
    """
    of_networks, c = pair.network[1, 1], pair.c
    if c < ROUNDED and of_networks < ROUNDED**2:  # an odd activation without biases: cosines have a symmetric law
        return 0.0
    of_pairs, network = BOTH_SIGNS
    if pair.of_y > (of_pairs * pair.y) ** 2 or of_networks > (network * pair.y) ** 2:
        raise DoesNotHoldError(
            f"the expansion needs cosines above 0, got the mean {c:.2g} with the standard deviation "
            f"{(1 - c * c) / 2 * pair.of_y**0.5:.2g} over pairs of data"
        )
    return float(((1 + c) / 2) ** 2 * (of_networks / c**2 + 2 * pair.pair))
