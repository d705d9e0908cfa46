"""BatchNorm(n, eps) behind an activation: closed forms, counts of signs, other integrals, its limits, simulation."""

from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

import igbtheory as igb
from igbtheory import Activation, BatchNorm, Dense
from igbtheory.averages import moments
from igbtheory.averages.batches import share_of_batch, share_of_full_batch
from igbtheory.averages.batches.cells import fixed_sum, serves
from igbtheory.averages.batches.chamber import in_chamber
from igbtheory.averages.batches.given import RULES, given
from igbtheory.averages.batches.of_two import share_of_two
from igbtheory.averages.batches.shared import over_common
from igbtheory.averages.batches.tilted import tilted
from igbtheory.averages.batches.unit import unit_of
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.bisected import bisected
from igbtheory.numerics.exchangeable import counts_above

PROMISE = 1e-11
Z = 5.5  # below it chance keeps all draws of this file but for one in a million
STEP, RELU = function_of("step"), function_of("relu")
STILL = np.zeros(1)
ROUNDING = 1e-13  # of the expected values: sums of products to the power n


def of_identity(size: int, own: float, eps: float) -> float:
    """The mean for phi(x) = x: s^2 is own/n times a chi squared of n - 1 degrees of freedom."""
    with mpmath.workdps(30):
        shape, a = mpmath.mpf(size - 1) / 2, mpmath.mpf(size * eps / own) / 2
        # E a/(g + a) of a gamma variable g
        return float(1 - a**shape * mpmath.exp(a) * mpmath.gammainc(1 - shape, a))


@pytest.mark.parametrize("eps", [1e-5, 0.1, 30.0])
@pytest.mark.parametrize(
    ("size", "within"),
    [(2, 0.0), (2, -0.4), (3, 0.0), (3, -1 / 2), (5, -1 / 4), (6, -1 / 5), (8, 0.0), (8, 0.4), (8, -0.1), (8, -1 / 7)],
)
def test_of_the_identity_it_is_a_chi_squared(size: int, within: float, eps: float) -> None:
    found, error = share_of_batch(function_of("x"), size, 0.3, 1.0, within, eps)
    expected = of_identity(size, 1 - within, eps)
    assert found == pytest.approx(expected, rel=PROMISE)
    assert abs(found - expected) <= error * expected
    assert error < PROMISE


@pytest.mark.parametrize(
    ("size", "rho"), [(2, -0.5), (3, 0.0), (5, 0.3), (5, -1 / 4), (8, -1 / 7), (8, -0.05), (40, 0.6)]
)
@pytest.mark.parametrize("mean", [0.0, -0.7])
def test_of_signs_it_follows_their_counts(size: int, rho: float, mean: float) -> None:
    share = np.arange(size + 1) / size
    square = share * (1 - share)
    expected = float(counts_above(size, rho, np.array([mean]))[0] @ (square / (square + 0.1)))
    found, error = share_of_batch(STEP, size, mean, 1.0, rho, 0.1)
    assert abs(found - expected) <= (error + 1e-13) * expected
    assert error < PROMISE


@pytest.mark.parametrize("name", ["relu", "abs", "tanh", "gelu", "x**3 + x", "step"])
def test_batches_of_two_by_either_rule(name: str) -> None:
    phi = function_of(name)
    two, error = share_of_two(phi, 0.2, 0.8, 0.0, 0.05)
    assert two == pytest.approx(given(unit_of(phi, 0.2, np.sqrt(0.8), 3.0), 2, 0.05, RULES[1], STILL)[0], rel=PROMISE)
    assert error < PROMISE


def of_counts(size: int, common: float, own: float, eps: float) -> float:
    """The mean for a step at 0: a sum over the number k of data above it, given V by panels of the scale own/common."""
    positive = np.arange(1, size)
    square = positive * (size - positive) / size**2
    weights = special.comb(size, positive) * square / (square + eps)
    reach = min(12.0, 9 * common / own)
    ends = np.linspace(-reach, reach, 1 + int(4 * reach))
    x, of_x = np.polynomial.legendre.leggauss(20)
    a = (ends[:-1, None] + (ends[1] - ends[0]) * (1 + x) / 2).ravel()
    above, below = special.ndtr(a)[:, None], special.ndtr(-a)[:, None]
    given_v = (above**positive * below ** (size - positive)) @ weights
    density = stats.norm.pdf(a * own / common) * own / common
    return float(np.tile(of_x, len(ends) - 1) @ (given_v * density) * (ends[1] - ends[0]) / 2)


@pytest.mark.parametrize(("size", "eps"), [(3, 1e-8), (7, 1e-5), (30, 1e-2), (64, 1e-7)])
@pytest.mark.parametrize("own", [0.01, 0.07, 0.3, 1.0, 8.0])
def test_behind_large_biases_few_batches_see_the_step(size: int, eps: float, own: float) -> None:
    """Most batches are on one side of the step, or all but one datum."""
    expected = of_counts(size, 1.0, own, eps)
    found, error = share_of_batch(STEP, size, 0.0, 1 + own * own, 1.0, eps)
    assert abs(found - expected) <= (error + ROUNDING) * expected
    assert error < PROMISE


@pytest.mark.parametrize(
    ("name", "mean"),
    [("relu", 0.0), ("hardtanh", 0.0), ("leaky_relu", -0.5), ("tanh", 0.4), ("squared_relu", 0.0)],
)
@pytest.mark.parametrize(("common", "own"), [(2.0, 0.05), (0.3, 1.4), (0.0, 1.4)])
def test_a_common_part_of_batches_of_two_by_either_rule(name: str, mean: float, common: float, own: float) -> None:
    """The other rule has the common part in the centre of its two data, and bisects panels of that."""
    phi = function_of(name)
    expected, lost = share_of_two(phi, mean, common**2 + own**2, common**2, 1e-3)
    found, error = over_common(phi, 2, (mean, common, own), 1e-3)
    assert abs(found - expected) <= error + lost + ROUNDING * expected
    assert error < PROMISE * expected


def over_radii(square: Any, eps: float) -> Any:
    """Mean of x/(x + eps/square), x chi squared with three degrees of freedom."""
    a = eps / np.maximum(square, 1e-300)
    root = np.sqrt(a / 2)
    series = sum((-1) ** (k + 1) * special.factorial2(2 * k + 1) * np.maximum(a, 80) ** -k for k in range(1, 26))
    return np.where(a > 80, series, 1 - a * (1 - np.sqrt(np.pi) * root * special.erfcx(root)))


@pytest.mark.parametrize("slope", [0.0, 0.01, -1.0])
@pytest.mark.parametrize(
    ("common", "own", "eps"), [(1.4, 0.14, 1e-5), (4.5, 0.14, 1e-5), (0.3, 1.4, 0.1), (1.0, 0.05, 1)]
)
def test_three_rectified_data_are_an_integral_over_directions(
    slope: float, common: float, own: float, eps: float
) -> None:
    """By the angle of the deviations, of which symmetry leaves a sixth, and the height of their mean.

    Where a datum is 0 there is a kink in the height, which may be narrow: panels are bisected.
    """
    scale = np.sqrt(common**2 + own**2 / 3)

    def at(angle: Any, _: Any) -> Any:
        deviations = own * np.sqrt(2 / 3) * np.cos(angle.ravel() + 2 * np.pi / 3 * np.arange(3)[:, None])
        borders = np.full((1, angle.size), np.pi / 2)

        def at_height(height: Any, column: Any) -> Any:
            h = scale * np.sin(height) + np.cos(height) * deviations[:, None, column]
            square = np.where(h > 0, h, slope * h).var(axis=0)
            return np.cos(height) * over_radii(square, eps) / (4 * np.pi)

        ends = np.sort(np.concatenate([-borders, np.arctan(-deviations / scale), borders]), axis=0)
        return bisected(at_height, ends)[0].reshape(angle.shape)

    total, lost = bisected(at, np.linspace(0, np.pi / 3, 5)[:, None])
    expected = 6 * float(total[0])
    phi = function_of(f"where(x > 0, x, {slope}*x)")
    found, error = share_of_batch(phi, 3, 0.0, common**2 + own**2, common**2, eps)
    assert abs(found - expected) <= (error + ROUNDING) * expected + 6 * float(lost[0])
    assert error < PROMISE


@pytest.mark.parametrize("name", ["tanh", "gelu", "sin", "selu", "hardswish", "cos", "x**3"])
@pytest.mark.parametrize(("size", "within"), [(4, 0.0), (8, 0.1)])
def test_plain_cases_keep_the_promise(name: str, size: int, within: float) -> None:
    """Against simulation: five standard errors and a half."""
    phi, rng = function_of(name), np.random.default_rng(5)
    h = np.sqrt(within) * rng.standard_normal((100_000, 1)) + np.sqrt(2.0) * rng.standard_normal((100_000, size))
    square = phi(FLOAT64, h).var(axis=1)
    share = square / (square + 0.05)
    found, error = share_of_batch(phi, size, 0.0, 2 + within, within, 0.05)
    assert abs(share.mean() - found) < Z * stats.sem(share)
    assert error < PROMISE


@pytest.mark.parametrize("eps", [1e-12, 1e-5, 1e-2, 10.0])
def test_three_rectified_data_of_sum_zero_are_an_integral_over_an_angle(eps: float) -> None:
    """With h_i = r cos(angle + 2 pi i/3), r^2 exponential, s^2 = r^2 sigma^2(angle): E v/(v + a) is closed."""

    def at(angle: float) -> float:
        x = np.maximum(np.sqrt(2.0) * np.cos(angle + 2 * np.pi * np.arange(3) / 3), 0)
        a = eps / (x.var() * 1.0)  # h of variance 1: r^2/2 is exponential of mean 1
        return float(1 - a * special.exp1(a) * np.exp(a)) if a < 500 else float(1 / a)

    ends = np.linspace(0, 2 * np.pi, 13)
    expected = sum(integrate.quad(at, a, b, epsabs=1e-15)[0] for a, b in pairwise(ends)) / (2 * np.pi)
    found, error = share_of_batch(RELU, 3, 0.0, 1.0, -0.5, eps)
    assert abs(found - expected) <= (error + 1e-13) * expected
    assert error < PROMISE


@pytest.mark.parametrize("name", ["relu", "elu", "relu6", "x**3 + x"])
@pytest.mark.parametrize(("size", "eps"), [(3, 10.0), (4, 10.0), (5, 1.0)])
def test_few_data_of_a_fixed_sum_by_either_rule(name: str, size: int, eps: float) -> None:
    """Cells of the signs against a Fourier integral over the fixed sum, at eps where that is exact."""
    phi, own = function_of(name), float(np.sqrt(size / (size - 1)))
    expected, lost = tilted(phi, size, (0.0, float(np.sqrt(1 / (size - 1))), own), eps)
    assert serves(phi, size, 0.0, own)
    found, error = fixed_sum(phi, size, (0.0, own), eps)
    assert abs(found - expected) <= error + lost + 1e-13
    assert error < PROMISE
    assert share_of_batch(phi, size, 0.0, 1.0, -1 / (size - 1), eps)[0] == found


@pytest.mark.parametrize(
    ("name", "size", "mean"),
    [
        ("abs", 4, 0.0),  # two data at -x and two at x
        ("sin", 3, 0.0),  # sin(2 pi/3) = sin(-4 pi/3)
        ("where(x > 1, x - 1, 0)", 3, 0.0),  # dead batches
        ("relu", 3, -0.5),
        ("relu", 8, 0.0),
    ],
)
def test_batches_that_may_not_vary_and_larger_ones_are_no_cells(name: str, size: int, mean: float) -> None:
    assert not serves(function_of(name), size, mean, 1.2)


@pytest.mark.parametrize(
    ("name", "size", "within"), [("relu", 8, 0.0), ("relu", 8, 0.4), ("tanh", 9, -0.1), ("exp(x/2)", 10, -0.1)]
)
def test_a_large_eps_divides(name: str, size: int, within: float) -> None:
    phi, eps = function_of(name), 1e11
    own, pair = (moments.product(FLOAT64, phi, 1.0, 1.0, c, 0)[0] for c in (1.0, within))
    square = (size - 1) / size * (own - pair)
    found, error = share_of_batch(phi, size, 0.0, 1.0, within, eps)
    assert found == pytest.approx(square / eps, rel=2 * PROMISE)  # and E s^4/eps^2
    assert error < PROMISE


@pytest.mark.parametrize("within", [0.0, -1 / 9])
def test_a_small_eps_leaves_dead_batches_alone(within: float) -> None:
    dead = counts_above(10, within, np.zeros(1))[0, 0]
    found, error = share_of_batch(RELU, 10, 0.0, 1.0, within, 1e-8)
    # one datum alive, near 0, in 2^-10 of the batches: of the order of sqrt(eps)
    assert 1 - dead - 3e-4 <= found <= 1 - dead + error


def test_large_batches_are_the_full_batch() -> None:
    point = (0.1, 0.2, 0.8)
    expected, _ = share_of_full_batch(FLOAT64, RELU, point, 0.1)
    found = [share_of_batch(RELU, size, 0.1, 1.0, 0.2, 0.1)[0] for size in (100, 10_000)]
    gaps = (expected - np.array(found)) * [100, 10_000]
    np.testing.assert_allclose(gaps, gaps[-1], rtol=0.05)
    assert 0 < gaps[-1] < 2


@pytest.mark.parametrize("within", [0.0, -1 / 11])
def test_scales_of_a_homogeneous_activation_and_eps_cancel(within: float) -> None:
    one, error = share_of_batch(RELU, 12, 0.2, 1.0, within, 0.1)
    other, _ = share_of_batch(RELU, 12, 0.2 * 30, 900.0, 900.0 * within, 90.0)
    assert other == pytest.approx(one, rel=PROMISE)
    assert error < PROMISE


@pytest.mark.parametrize(
    ("name", "size", "mean", "within"),
    [("relu", 4, 0.0, -1 / 3), ("relu", 6, -0.5, 0.3), ("tanh", 8, 0.3, -0.1)],
)
def test_draws_agree(name: str, size: int, mean: float, within: float) -> None:
    phi, rng = function_of(name), np.random.default_rng(3)
    z = rng.standard_normal((200_000, size))
    common = np.sqrt(max(within + (1 - within) / size, 0)) * rng.standard_normal((len(z), 1))
    x = phi(FLOAT64, mean + common + np.sqrt(1 - within) * (z - z.mean(axis=1, keepdims=True)))
    share = x.var(axis=1) / (x.var(axis=1) + 0.1)
    found, _ = share_of_batch(phi, size, mean, 1.0, within, 0.1)
    assert abs(share.mean() - found) < Z * stats.sem(share)


def test_a_unit_that_does_not_vary_gives_nothing() -> None:
    assert share_of_batch(RELU, 8, -100.0, 1.0, 0.0, 0.1) == (0.0, 0.0)
    assert share_of_batch(RELU, 8, -100.0, 1.0, -1 / 7, 0.1) == (0.0, 0.0)
    assert share_of_batch(RELU, 8, 1.0, 1.0, 1.0, 0.1) == (0.0, 0.0)
    assert unit_of(function_of("x**3"), 0.0, 1.0, 3.0).features == pytest.approx([0], abs=1e-6)


def test_networks_agree_with_simulation() -> None:
    block = (Dense(2.0), Activation("relu"), BatchNorm(8, eps=0.1))
    net = igb.Network(*block, *block, Dense(2.0))
    p = net.predict()
    assert p.gamma == 0
    assert p.c_within == pytest.approx(-1 / 7, rel=1e-14)
    assert p.error < PROMISE
    assert net.simulate(networks=100, width=32, samples=48, seed=3, workers=1).compare(workers=1).agrees()


def test_the_law_of_a_finite_full_batch_knows_eps() -> None:
    net = igb.Network(Dense(2.0), Activation("relu"), BatchNorm(eps=0.1), Dense(2.0, 0.2))
    law, of_all = net.predict().G0.finite(64), net.predict()
    in_batches = igb.Network(Dense(2.0), Activation("relu"), BatchNorm(64, eps=0.1), Dense(2.0, 0.2)).predict()
    assert law.var() == pytest.approx(in_batches.G0.finite(64).var(), rel=1e-12)
    assert in_batches.var_chi == pytest.approx(of_all.var_chi, rel=2 / 64)  # they differ by the order 1/n


def test_a_sweep_is_its_points() -> None:
    def variances(sigma_w2: Any) -> Any:
        return igb.Network(Dense(sigma_w2), Activation("relu"), BatchNorm(6, eps=0.1), Dense(1.0)).predict().var_chi

    assert variances(np.array([0.5, 2.0])) == pytest.approx([variances(0.5), variances(2.0)], rel=1e-15)


@pytest.mark.parametrize(
    ("hidden", "options", "sentence"),
    [
        ((igb.GroupNorm(4), Activation("relu"), BatchNorm(eps=0.1)), {}, "use eps=0"),
        ((Activation("relu"), BatchNorm(4, eps=0.1)), {"digits": 20}, "without `digits`"),
    ],
)
def test_what_has_no_rule_is_refused(
    hidden: tuple[igb.layers.Layer, ...], options: dict[str, int], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        igb.Network(Dense(2.0), *hidden, Dense(2.0)).predict(**options)


@pytest.mark.parametrize("eps", [1e-10, 1e-12, 1e-14, 1e-20])
def test_kernels_narrower_than_a_table_of_phi(eps: float) -> None:
    """Against panels over ordered batches, which know no kernels; x^3 is nearly flat at 0, where data agree."""
    expected, lost = in_chamber(function_of("x**3"), 3, (0.0, 3**-0.5, 1.0), eps)
    found, error = share_of_batch(function_of("x**3"), 3, 0.0, 1.0, 0.0, eps)
    assert abs(found - expected) <= error + lost
    assert error + lost < PROMISE


def test_a_function_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"exp.*standard deviation 10.*smaller sigma_w2"):
        share_of_batch(function_of("exp(x)"), 5, 0.0, 100.0, 0.0, 10.0)


@pytest.mark.parametrize("eps", [1e-12, 1e-5, 1.0, 1e6])
@pytest.mark.parametrize("c", [1e-3, 0.5, 0.99, 1 - 1e-6])
def test_full_batches_of_squares_in_closed_form(c: float, eps: float) -> None:
    """V = 4 var_mu var_chi u^2 + 2 var_chi^2, and E r^2/(u^2 + r^2) = r sqrt(pi/2) exp(r^2/2) erfc(r/sqrt 2)."""
    with mpmath.workdps(40):
        mu, chi = mpmath.mpf(c), 1 - mpmath.mpf(c)
        r = mpmath.sqrt((2 * chi**2 + eps) / (4 * mu * chi))
        lost = eps / (2 * chi**2 + eps) * r * mpmath.sqrt(mpmath.pi / 2) * mpmath.exp(r**2 / 2)
        expected = float(1 - lost * mpmath.erfc(r / mpmath.sqrt(2)))
    found, error = share_of_full_batch(FLOAT64, function_of("x**2"), (0.0, c, 1 - c), eps)
    assert abs(found - expected) <= error * expected
    assert error < 1e-12


@pytest.mark.parametrize("eps", [1e-9, 1e-2])
@pytest.mark.parametrize("c", [0.5, 0.999])
def test_full_batches_of_signs_by_twenty_digits(c: float, eps: float) -> None:
    """V = p (1 - p) runs through all decades: p = Phi(u sqrt(var_mu/var_chi))."""
    with mpmath.workdps(20):
        slope = mpmath.sqrt(mpmath.mpf(c) / (1 - mpmath.mpf(c)))

        def lost(x: Any) -> Any:
            square = mpmath.ncdf(x) * mpmath.ncdf(-x)
            return eps / (square + eps) * mpmath.npdf(x / slope) / slope

        expected = float(1 - 2 * mpmath.quad(lost, [0, 2, 4, 5, 6, 7, 8, 10, 12, 20, 40, 12 * slope + 40]))
    found, error = share_of_full_batch(FLOAT64, STEP, (0.0, c, 1 - c), eps)
    assert abs(found - expected) <= (error + ROUNDING) * expected
    assert error < 1e-12
