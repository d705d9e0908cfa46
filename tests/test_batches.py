"""Units normalised over batches: their moments in general, and their kernels on given data."""

import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from repeated import every_second, slow
from scipy import special
from scipy.integrate import quad
from scipy.special import gammaln

import igbtheory as igb
from igbtheory.layers.batches import homogeneous_kernel
from igbtheory.layers.batches import law as batch_normalised
from igbtheory.layers.batches.homogeneous_kernel import second_moments
from igbtheory.layers.batches.scales import Batches, approximate, effective_rank
from igbtheory.mathematics.averages.constant_batches import probability
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import FUNCTIONS, function_of
from igbtheory.mathematics.numbers import FLOAT64, Multiprecision
from igbtheory.mathematics.numerics.exchangeable import counts_above

# moments: closed forms, another quadrature, more digits, simulated batches

TIGHT = 1e-13
"""Relative error allowed to double precision: rounding of a few hundred terms adds up to 1e-15 to 1e-14."""
SIGMAS = 5.5
"""Standard errors: 60 comparisons exceed them by chance less than once in a hundred thousand."""
Parts = tuple[Any, Any, Any, Any]
SIZES = [2, 3, 4, 5, 8, 64, 100, 10**4, 10**6]
STEP = "where(x > 1/2, 1, 0)"
CLIP = "min(max(x, -1), 1)"


def moments(n: Any, phi: Any, size: int, law: str = "exact") -> Parts:
    """Mean and variance of one unit, covariance of two data of a batch, and the error."""
    found = batch_normalised.moments(n, phi, 1, size, law)
    return found.mean, found.var_chi, found.within, found.error


def moments_with_eps(n: Any, phi: Any, size: int, variance: Any, eps: Any) -> Parts:
    found = batch_normalised.moments(n, phi, 1, size, "exact", variance, eps)
    return found.mean, found.var_chi, found.within, found.error


@pytest.mark.parametrize("size", SIZES)
def test_a_batch_has_mean_square_one_and_sum_zero(size: int) -> None:
    mean, variance, within, error = moments(FLOAT64, function_of("x"), size)
    assert mean == 0
    assert variance == pytest.approx(1, rel=TIGHT)
    assert within == pytest.approx(-1 / (size - 1), abs=TIGHT)
    assert error < TIGHT


def test_the_error_counts_what_two_rules_say_of_two_data() -> None:
    """Of this wave, they differ by 3.6e-13 in the covariance of two data, and by 4e-15 in mean and variance."""
    assert moments(FLOAT64, function_of("sin(5*x)"), 4)[3] > 1e-13


@pytest.mark.parametrize("size", [3, 8, 100])
def test_the_general_route_gives_the_covariance_of_the_identity(size: int) -> None:
    within = moments(FLOAT64, replace(function_of("x"), closed=None), size)[2]
    assert within == pytest.approx(-1 / (size - 1), abs=TIGHT)


@pytest.mark.parametrize(("size", "gamma"), [(2, 1), (4, 0.6), (8, 0.519287833827893), (10**9, 1 / (np.pi - 1))])
def test_gamma_of_relu(size: int, gamma: float) -> None:
    mean, variance, _, _ = moments(FLOAT64, function_of("relu"), size)
    # of all data, and of 1e9 of them up to a few times 1/size
    assert mean**2 / variance == pytest.approx(gamma, rel=1e-8 if size > 10**8 else 1e-12)


@pytest.mark.parametrize("name", ["relu", "tanh", STEP, "exp(x)"])
def test_large_batches_are_gaussian(name: str) -> None:
    phi = function_of(name)
    exact = quad(
        lambda x: float(phi(FLOAT64, np.float64(x))) * np.exp(-x * x / 2), -12, 12, points=[0, 0.5], limit=200
    )[0]
    # the law differs from the Gaussian by terms of the order 1/n
    assert moments(FLOAT64, phi, 10**7)[0] == pytest.approx(exact / np.sqrt(2 * np.pi), abs=1e-6)


@pytest.mark.parametrize("size", every_second([5, 6, 8, 64, 10**6, 10**4]))
def test_the_proxy_has_the_moments_of_the_paper(size: int) -> None:
    """Eqs. 47 and 57: variance n/(n - 4), mean of relu (n pi)^-1/2 Gamma((n-1)/2)/Gamma((n-2)/2) n/(n-3)."""
    with mpmath.workdps(30):
        ratio = mpmath.gammaprod([mpmath.mpf(size - 1) / 2], [mpmath.mpf(size - 2) / 2])
        mean = float(ratio / mpmath.sqrt(size * mpmath.pi) * size / (size - 3))
    # at n = 5 the square falls like the distance from the right angle, which rounding moves
    tolerance = 1e-12
    assert moments(FLOAT64, function_of("x"), size, "proxy")[1] == pytest.approx(size / (size - 4), rel=tolerance)
    assert moments(FLOAT64, function_of("relu"), size, "proxy")[0] == pytest.approx(mean, rel=tolerance)


@pytest.mark.parametrize("law", ["exact", "proxy"])
@pytest.mark.parametrize("name", ["relu", slow("tanh"), STEP, CLIP])
def test_moments_are_integrals_of_the_density(name: str, law: str) -> None:
    """Eq. 49 for the proxy; B^2/(n - 1) ~ Beta(1/2, (n - 2)/2) for the exact law."""
    size, phi = 8, function_of(name)
    end = np.sqrt(size - 1) if law == "exact" else np.inf

    def density(b: float) -> float:
        return float(
            (1 - b * b / (size - 1)) ** (size / 2 - 2) if law == "exact" else (1 + b * b / size) ** -(size / 2 - 0.5)
        )

    def integral(f: Any) -> float:
        ends = (
            [-end, -30.0, -5.0, -1.0, 0.0, 0.5, 1.0, 5.0, 30.0, end] if law == "proxy" else [-end, -1, 0, 0.5, 1, end]
        )
        return sum(quad(f, a, b, epsabs=1e-14)[0] for a, b in pairwise(ends))

    mass = integral(density)
    first, second = (
        integral(lambda b, k=k: density(b) * float(phi(FLOAT64, np.float64(b))) ** k) / mass for k in (1, 2)
    )
    mean, variance, _, _ = moments(FLOAT64, phi, size, law)
    # what quad promises
    assert mean == pytest.approx(first, abs=1e-11)
    assert variance == pytest.approx(second - first**2, rel=1e-11)


@pytest.mark.parametrize("size", [2, 3, 4, 8])
@pytest.mark.parametrize("name", ["relu", "abs"])
def test_closed_forms_agree_with_the_general_route(name: str, size: int) -> None:
    phi = function_of(name)
    closed, general = (moments(FLOAT64, f, size) for f in (phi, replace(phi, closed=None)))
    assert closed[:3] == pytest.approx(general[:3], rel=TIGHT, abs=1e-15)


def drawn(name: str, batches: Any) -> Any:
    return np.asarray(function_of(name)(FLOAT64, batches))


def same(found: tuple[Any, ...], first: Any, second: Any) -> None:
    """Mean, variance and covariance agree with simulated pairs of values."""
    mean, variance, covariance = (float(x) for x in found[:3])
    samples = ((first, mean), ((first - mean) ** 2, variance), ((first - mean) * (second - mean), covariance))
    for sample, value in samples:
        spread = sample.std() / np.sqrt(len(sample))
        assert abs(sample.mean() - value) <= SIGMAS * spread + 1e-12, (sample.mean(), value, spread)


@pytest.mark.parametrize("size", [2, slow(3), 4, slow(8)])
@pytest.mark.parametrize("name", ["relu", "tanh", CLIP])
def test_simulated_batches(name: str, size: int) -> None:
    z = 3 + 2 * np.random.default_rng(size).standard_normal((200_000, size))
    deviation = z - z.mean(axis=1, keepdims=True)
    square = (deviation**2).mean(axis=1, keepdims=True)
    same(moments(FLOAT64, function_of(name), size), *drawn(name, deviation / np.sqrt(square))[:, :2].T)
    with_eps = drawn(name, deviation / np.sqrt(square + 1.5))[:, :2].T
    same(moments_with_eps(FLOAT64, function_of(name), size, 4.0, 1.5), *with_eps)


@pytest.mark.parametrize("size", [8, slow(12)])
@pytest.mark.parametrize("name", ["tanh", CLIP, STEP])
def test_simulated_proxies(name: str, size: int) -> None:
    z = np.random.default_rng(size).standard_normal((200_000, size))
    others = [np.delete(z, k, axis=1) for k in (0, 1)]
    pair = [(z[:, k] - o.mean(axis=1)) / o.std(axis=1) for k, o in enumerate(others)]
    same(moments(FLOAT64, function_of(name), size, "proxy"), *(drawn(name, b) for b in pair))


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("name", ["relu", "tanh", CLIP])
def test_more_digits_confirm_double_precision(name: str, size: int) -> None:
    exact, found = (moments(n, function_of(name), size) for n in (Multiprecision(20), FLOAT64))
    assert found[:3] == pytest.approx([float(x) for x in exact[:3]], rel=TIGHT)


@pytest.mark.slow  # seconds of many digits: test_more_digits_confirm_double_precision always runs
def test_more_digits_confirm_large_batches_and_eps() -> None:
    many, (relu, tanh) = Multiprecision(15), map(function_of, ("relu", "tanh"))
    pairs = (
        (moments(many, relu, 10**6), moments(FLOAT64, relu, 10**6)),
        (moments_with_eps(many, tanh, 4, "0.7", "0.1"), moments_with_eps(FLOAT64, tanh, 4, 0.7, 0.1)),
    )
    for exact, found in pairs:
        # the covariance is rounded as the variance is
        assert found[:3] == pytest.approx([float(x) for x in exact[:3]], rel=TIGHT, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "size", "law"),
    [("relu", 4, "proxy"), ("x**2 + x", 6, "proxy"), ("exp(x)", 99, "proxy")],
)
def test_what_has_no_second_moment_is_refused(name: str, size: int, law: str) -> None:
    with pytest.raises(ValueError, match='use law="exact"'):
        moments(FLOAT64, function_of(name), size, law)
    assert np.isfinite(moments(FLOAT64, function_of(name), size)[1])


@pytest.mark.parametrize("size", [2, 3, 4, 8, 65])
@pytest.mark.parametrize("eps", every_second([1e-5, 0.1, 1e4]))
@pytest.mark.parametrize("name", ["relu", slow("abs"), "x**3"])
def test_homogeneous_functions_have_one_law_at_all_lengths(name: str, eps: float, size: int) -> None:
    """Given the length of a batch the moments are those at eps = 0 times powers of the scale."""
    phi, offset, free = function_of(name), size * eps, size - 1

    def mean_power(power: int) -> float:
        """Mean of the power of x/sqrt(x^2 + offset), x chi-distributed."""

        def weighted(x: float) -> float:
            law = np.exp((free - 1) * np.log(x) - x * x / 2 - (free / 2 - 1) * np.log(2) - gammaln(free / 2))
            return float(law * (x / np.hypot(x, np.sqrt(offset))) ** power)

        ends = sorted({1e-12, *(np.sqrt(offset) * 10.0 ** np.arange(-2, 3)), 1.0, np.sqrt(free), np.sqrt(free) + 12})
        return sum(quad(weighted, *pair, epsabs=1e-14)[0] for pair in pairwise(x for x in ends if x < 25))

    mean, variance, within, _ = moments(FLOAT64, phi, size)
    p = int(phi.degree)  # type: ignore[arg-type]
    first, second = mean_power(p), mean_power(2 * p)
    expected = (mean * first, *(part * second + mean**2 * (second - first**2) for part in (variance, within)))
    found = moments_with_eps(FLOAT64, phi, size, 1.0, eps)
    size_of = expected[1] + expected[0] ** 2
    assert found[0] == pytest.approx(expected[0], abs=1e-10 * np.sqrt(size_of))  # what quad promises
    assert found[1:3] == pytest.approx(expected[1:3], abs=1e-10 * size_of)


@pytest.mark.parametrize("eps", [0.1, 20.0])
def test_four_data_with_eps_by_a_plain_sum_over_lengths(eps: float) -> None:
    """In a batch of four a unit is uniform on (-sqrt(3), sqrt(3)) for eps = 0, whatever the variance of its batch."""
    x, weights = np.polynomial.legendre.leggauss(60)
    root = 4 * (1 + x)  # 4 times the variance is chi-squared of three degrees of freedom
    of_root = weights * 4 * root**2 * np.exp(-(root**2) / 2) * np.sqrt(2 / np.pi)
    ends = np.sqrt(3) * np.concatenate([x - 1, x + 1]) / 2
    unit = ends * (root / np.sqrt(root**2 + 4 * eps))[:, None]
    phi = np.where(unit > 0, unit, np.expm1(np.minimum(unit, 0)))
    mean, square = (of_root @ (phi**power @ np.tile(weights, 2)) / 4 for power in (1, 2))
    found = moments_with_eps(FLOAT64, function_of("elu"), 4, 1.0, eps)
    assert found[0] == pytest.approx(mean, rel=1e-10)  # the mean is a thousandth of the deviation where eps is large
    assert found[1] == pytest.approx(square - mean**2, rel=1e-12)


def test_the_larger_of_two_units_of_four_data_with_eps() -> None:
    """Given both lengths, units are uniform on (-a, a) and (-b, b), b < a: the larger one has mean a/4 + b^2/(12 a)."""
    x, weights = np.polynomial.legendre.leggauss(100)
    root, eps = 4 * (1 + x), 200.0
    of_root = weights * 4 * root**2 * np.exp(-(root**2) / 2) * np.sqrt(2 / np.pi)
    end = np.sqrt(3) * root / np.sqrt(root**2 + 4 * eps)
    a, b = np.maximum.outer(end, end), np.minimum.outer(end, end)
    found = batch_normalised.moments(FLOAT64, function_of("linear"), 2, 4, "exact", 1.0, eps)
    assert found.mean == pytest.approx(of_root @ (a / 4 + b**2 / (12 * a)) @ of_root, rel=1e-7)


@pytest.mark.parametrize(("mean", "share"), [(0.0, 1.0), (-0.5, 0.0), (0.5, 0.0)])
def test_opposite_units_have_one_size_where_they_have_no_mean(mean: float, share: float) -> None:
    assert probability(FLOAT64, function_of("abs"), 1, 2, Moments(mean, 0.0, 1.0, within=-1.0)) == share


def test_functions_that_grow_too_fast_for_large_batches_are_refused() -> None:
    with pytest.raises(ValueError, match="grows too fast"):
        moments(FLOAT64, function_of("exp(x**2/4)"), 10**7)


@pytest.mark.parametrize("name", ["tanh", "gelu", CLIP])
def test_large_batches_by_a_plain_sum_over_lengths_and_angles(name: str) -> None:
    size, offset, phi = 100_000, 1.0, function_of(name)
    root = np.sqrt(size - 1)
    nodes, weights = np.polynomial.legendre.leggauss(30)

    def panels(ends: Any) -> tuple[Any, Any]:
        half = np.diff(ends) / 2
        return (ends[:-1, None] + half[:, None] * (1 + nodes)).ravel(), (half[:, None] * weights).ravel()

    # the kinks of CLIP lie at whole b, up to the scale, which is one to 5e-6
    angle, of_angle = panels(np.arange(-13, 14) / root)
    of_angle = of_angle * np.exp((size - 3) / 2 * np.log1p(-(np.sin(angle) ** 2)))
    length, of_length = panels(np.arange(-9.0, 10.0))
    of_length = of_length * np.exp((size - 2) * np.log1p(length / root) - length * (root + length / 2))
    scale = (root + length) / np.hypot(root + length, np.sqrt(offset))
    values = phi(FLOAT64, scale[:, None] * root * np.sin(angle))
    both = np.multiply.outer(of_length, of_angle) / (of_length.sum() * of_angle.sum())
    mean = (both * values).sum()
    found = moments_with_eps(FLOAT64, phi, size, 1.0, offset / size)
    tolerance = TIGHT if name != CLIP else 1e-9  # of panels that a kink enters by 5e-6
    assert found[1] == pytest.approx((both * (values - mean) ** 2).sum(), rel=tolerance)


@pytest.mark.parametrize("eps", [0.0, 1e-5])
@pytest.mark.parametrize("size", [4, slow(8), slow(70)])
def test_what_oscillates_beyond_the_reach_of_a_batch_is_served(size: int, eps: float) -> None:
    z = np.random.default_rng(size).standard_normal((200_000, size))
    deviation = z - z.mean(axis=1, keepdims=True)
    values = np.sin(5 * deviation / np.sqrt((deviation**2).mean(axis=1, keepdims=True) + eps))
    phi = function_of("sin(5*x)")
    found = moments_with_eps(FLOAT64, phi, size, 1.0, eps) if eps else moments(FLOAT64, phi, size)
    same(found, *values[:, :2].T)


@pytest.mark.parametrize(
    ("name", "m", "size", "law", "eps"),
    [
        ("relu", 2, 8, "proxy", 0.0),
        ("x", 3, 5, "proxy", 0.0),
        ("tanh", 2, 2, "exact", 0.3),
        ("tanh", 2, 8, "exact", 0.0),
        ("relu", 2, 8, "exact", 0.3),
        ("where(x > 1/2, 1, 0)", 5, 4, "exact", 1e-3),
    ],
)
def test_maxima_are_those_of_draws_of_the_layer(name: str, m: int, size: int, law: str, eps: float) -> None:
    phi, rng, variance = function_of(name), np.random.default_rng(2), 1.7
    z = np.sqrt(variance) * rng.standard_normal((60_000 * size, m))
    x = np.asarray(phi(FLOAT64, igb.BatchNorm(size, law=law, eps=eps).samples(z, rng, m).max(axis=1)))[::size]
    if eps:
        found = batch_normalised.moments(FLOAT64, phi, m, size, "exact", variance, eps)
    else:
        found = batch_normalised.moments(FLOAT64, phi, m, size, law)
    for sample, value in ((x - found.mean, 0), ((x - found.mean) ** 2, found.var_chi)):
        assert abs(sample.mean() - value) < SIGMAS * sample.std() / np.sqrt(len(sample))


@pytest.mark.parametrize("m", [2, 3, 20, 100])
@pytest.mark.parametrize("size", [3, 4, 50, 1000])
def test_a_maximum_is_negative_where_all_units_are(size: int, m: int) -> None:
    found = batch_normalised.moments(FLOAT64, function_of("step"), m, size, "exact")
    assert found.var_chi == pytest.approx(0.5**m * (1 - 0.5**m), rel=1e-12)
    assert found.error < 1e-10  # a probability of 2^-100 is found


@pytest.mark.parametrize("share", every_second([1e-12, 1e-5, 0.1, 10.0]))
def test_the_larger_of_two_in_batches_of_two(share: float) -> None:
    # max(b, c) max(-b, -c) = ((b - c)^2 - (b + c)^2)/4 = -b c, of mean 0
    found = batch_normalised.moments(FLOAT64, function_of("x"), 2, 2, "exact", 1.0, share)
    assert found.within == pytest.approx(-(found.mean**2), rel=1e-11)


@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_large_eps_leaves_the_larger_of_two_gaussian_units(size: int) -> None:
    share = 1e8
    found = batch_normalised.moments(FLOAT64, function_of("x"), 2, size, "exact", 1.0, share)
    scale = np.sqrt((size - 1) / (size * share))
    assert found.mean / scale == pytest.approx(1 / np.sqrt(np.pi), rel=20 / share)
    assert found.var_chi / scale**2 == pytest.approx(1 - 1 / np.pi, rel=20 / share)


@pytest.mark.slow  # as above
def test_more_digits_confirm_the_largest_of_several() -> None:
    for of in ((3, 8, "proxy"), (5, 2, "exact", 1, "0.1")):
        exact, found = (batch_normalised.moments(n, function_of("relu"), *of) for n in (Multiprecision(20), FLOAT64))
        assert [found.mean, found.var_chi] == pytest.approx([float(exact.mean), float(exact.var_chi)], rel=1e-12)


def test_what_has_no_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="predict without `digits`"):
        batch_normalised.moments(Multiprecision(20), function_of("relu"), 2, 8, "exact", 1.0, 0.1)


@pytest.mark.slow  # maxima with eps take seconds, and those of the exact law are drawn above
@pytest.mark.usefixtures("few_draws")
def test_the_proxy_with_eps_in_front_of_a_maximum_is_drawn() -> None:
    """A tiny eps changes nothing, and without it there is a rule."""
    drawn, exact = (
        igb.Network(
            igb.Dense(), igb.BatchNorm(8, law="proxy", eps=eps), igb.MaxPool(2), igb.Activation("relu"), igb.Dense()
        )
        for eps in (1e-12, 0.0)
    )
    with pytest.warns(igb.EstimateWarning):
        found = drawn.predict()
    assert abs(found.var_mu / exact.predict().var_mu - 1) < found.error < 0.05


# given data: exact kernels against drawn vectors; exchangeable values of a batch within bounds

NAMES = [None, "linear", "relu", "abs", "leaky_relu", "squared_relu"]
DRAWS = 20_000
DIGITS = 2e-15
"""Some last digits of a probability."""
FIVE = 5.0
"""Standard errors beyond which none of some 4000 entries drawn here, with fixed seeds, lies but once in 400 times."""


def function(name: str | None) -> Any:
    return None if name is None else FUNCTIONS[name]


def kernel(size: int, rank: int, seed: int = 0) -> Any:
    data = np.random.default_rng(seed).standard_normal((size, rank))
    return data @ data.T / rank


def z_scores(name: str | None, covariance: Any, size: int, eps: float, found: Any) -> Any:
    """Deviations of `found` from the mean over drawn and normalised Gaussian vectors, in standard errors."""
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-12 * values[-1]
    draws = np.random.default_rng(1).standard_normal((DRAWS, kept.sum()))
    x = draws @ (vectors[:, kept] * np.sqrt(values[kept])).T
    for start in range(0, x.shape[1], size):
        part = x[:, start : start + size]
        part -= part.mean(axis=1, keepdims=True)
        part /= np.sqrt(np.square(part).mean(axis=1, keepdims=True) + eps)
    f = x if name is None else FUNCTIONS[name](FLOAT64, x)
    mean, square = f.T @ f / DRAWS, np.square(f).T @ np.square(f) / DRAWS
    # at rank 1 nothing is random, and both sides err by the rounding of a correlation of 1
    return np.abs(found - mean) / (np.sqrt(np.maximum(square - mean**2, 0) / DRAWS) + 1e-7)


@pytest.mark.parametrize("name", [None, slow("leaky_relu"), "relu", slow("squared_relu")])
@pytest.mark.parametrize(("data", "size"), [(8, 4), (6, 2)])
@pytest.mark.parametrize(("rank", "eps"), [(1, 0.0), slow((2, 0.0)), slow((5, 0.0)), (2, 0.3)])
def test_the_exact_kernel_is_that_of_drawn_vectors(
    name: str | None, data: int, size: int, rank: int, eps: float
) -> None:
    covariance = kernel(data, rank)
    found, error = second_moments(function(name), Batches(covariance, size, eps))
    assert z_scores(name, covariance, size, eps, found).max() < FIVE
    assert error < 1e-11
    assert np.abs(found - found.T).max() < 1e-13  # one matrix product for both halves, but for its rounding


@pytest.mark.parametrize("eps", [0.0, 0.3])
@pytest.mark.parametrize(("name", "rank", "least"), [("relu", 8, 1e-6), ("squared_relu", 4, 1e-5), (None, 20, 1e-8)])
def test_short_rules_of_large_batches_are_the_long_ones(
    name: str | None, rank: int, least: float, eps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    covariance = kernel(30, rank)
    exact, _ = second_moments(function(name), Batches(covariance, 30, eps))
    monkeypatch.setattr(homogeneous_kernel, "LARGE", 30)
    found, error = second_moments(function(name), Batches(covariance, 30, eps))
    root = np.sqrt(np.diagonal(exact))
    assert np.max(np.abs(found - exact) / np.outer(root, root)) < error < least


@pytest.mark.parametrize("rank", [1, 2, 40])
def test_normalised_data_have_mean_zero_and_mean_square_one(rank: int) -> None:
    found, _ = second_moments(None, Batches(kernel(12, rank), 12))
    # 12 additions of numbers of order 1
    assert np.trace(found) == pytest.approx(12, abs=1e-12)
    assert found.sum(axis=1) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(("q", "q_ab"), [(1.0, 0.3), (2.0, 0.0), (1.0, -0.05)])
def test_exchangeable_data_have_the_arc_cosine_kernel(q: float, q_ab: float) -> None:
    """The scale of exchangeable data is independent of their direction, so that it drops out altogether."""
    size = 12
    batches = Batches(np.full((size, size), q_ab) + (q - q_ab) * np.eye(size), size)
    found, error = second_moments(FUNCTIONS["relu"], batches)
    c = -1 / (size - 1)
    theta = np.arccos(c)
    expected = (np.sin(theta) + (np.pi - theta) * c) / (2 * np.pi)
    # rounding of an integral of positive terms
    assert np.diagonal(found) == pytest.approx(0.5, abs=1e-13)
    assert found[~np.eye(size, dtype=bool)] == pytest.approx(expected, abs=1e-13)
    assert error < 1e-12


@pytest.mark.parametrize("c", [0.0, slow(0.4), -0.9, slow(0.999), 1.0])
def test_pairs_of_batches_of_two_are_signs(c: float) -> None:
    """A batch of two becomes (1, -1) or (-1, 1): the product of two such signs has the mean (2/pi) asin c."""
    root = np.array([[0.5, 0], [-0.5, 0], [0.5 * c, 0.5 * np.sqrt(1 - c * c)], [-0.5 * c, -0.5 * np.sqrt(1 - c * c)]])
    found, error = second_moments(None, Batches(root @ root.T, 2))
    # asin 1 keeps half of the digits of its argument, which is a rounded product here
    tolerance = 1e-7 if c == 1 else 1e-12
    assert found[0, 2] == pytest.approx(2 / np.pi * np.arcsin(c), abs=tolerance)
    assert error < tolerance


@pytest.mark.parametrize("size", [2, 5, 10])
def test_signs_do_not_see_the_scale_of_a_batch(size: int) -> None:
    """Behind BatchNorm the kernel of sign is (2/pi) asin of the correlation of the centred data, in any batches."""
    data = np.random.default_rng(7).standard_normal((10, 30))
    net = igb.Network(igb.Dense(1.0), igb.BatchNorm(size), igb.Activation("sign"), igb.Dense(1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)  # in batches of two c = -1, whose rounding has a root
        found = net.predict(data)
    centred = (data.reshape(-1, size, 30) - data.reshape(-1, size, 30).mean(axis=1, keepdims=True)).reshape(10, 30)
    c = centred @ centred.T / np.outer(*[np.linalg.norm(centred, axis=1)] * 2)
    np.fill_diagonal(c, 1)  # asin makes much of a last digit there
    expected = np.mean(2 / np.pi * np.arcsin(np.clip(c, -1, 1)))
    assert abs(found.var_mu - expected) <= found.error + 1e-15
    assert found.error < (1e-6 if size == 2 else 1e-12)


def test_the_approximation_errs_by_the_inverse_of_the_effective_rank() -> None:
    errors, ranks = [], []
    for features in (10, 50, 500):
        covariance = kernel(60, features)
        exact, _ = second_moments(None, Batches(covariance, 60))
        errors.append(np.abs(approximate(covariance, 60) - exact).max())
        ranks.append(effective_rank(covariance, 60))
    assert np.all(np.diff(ranks) > 0)
    # the correction of order 1/rank has a factor of order 1
    assert np.all(np.array(errors) * ranks < 10)
    assert errors[-1] < errors[0] / 10


def test_the_approximation_is_the_centred_and_scaled_kernel() -> None:
    data = np.random.default_rng(4).standard_normal((12, 6))
    normalised = np.concatenate([part - part.mean(axis=0) for part in (data[:4], data[4:8], data[8:])])
    for rows in (slice(0, 4), slice(4, 8), slice(8, 12)):
        normalised[rows] /= np.sqrt(np.square(normalised[rows]).sum(axis=1).mean() + 0.2)
    assert approximate(data @ data.T, 4, 0.2) == pytest.approx(normalised @ normalised.T, abs=1e-13)


def test_a_wide_batch_needs_no_correction() -> None:
    found, _ = second_moments(None, Batches(np.eye(4), 4))
    # orthonormal data: rank 3, exactly exchangeable
    assert found == pytest.approx(approximate(np.eye(4), 4), abs=1e-13)
    assert effective_rank(np.eye(4), 4) == pytest.approx(3)


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_equal_data_gives_zeros(name: str | None) -> None:
    data = np.random.default_rng(2).standard_normal((6, 3))
    data[:3] = data[0]
    found, error = second_moments(function(name), Batches(data @ data.T, 3))
    assert not found[:3].any()
    assert not found[:, :3].any()
    others, _ = second_moments(function(name), Batches((data @ data.T)[3:, 3:], 3))
    assert found[3:, 3:] == pytest.approx(others, abs=1e-12)
    assert error < 1e-12
    assert not approximate(data @ data.T, 3)[:3].any()


def test_a_common_part_of_the_data_costs_digits_and_the_error_says_so() -> None:
    data = np.random.default_rng(3).standard_normal((6, 4))
    plain, _ = second_moments(FUNCTIONS["relu"], Batches(data @ data.T, 6))
    found, error = second_moments(FUNCTIONS["relu"], Batches(data @ data.T + 1e6, 6))
    assert 1e-13 < np.abs(found - plain).max() < error < 1e-8  # 1e6 rounds by 1e-10, of which two rules see more


# values of a batch that are exchangeable


def test_the_kink_of_two_opposite_values_is_met() -> None:
    t = np.asarray([0.0, 1e-9, 0.3, 5.0])
    np.testing.assert_allclose(counts_above(2, -1.0, t)[:, 2], special.erf(t / np.sqrt(2.0)), rtol=0.0, atol=DIGITS)


@pytest.mark.parametrize("rho", [-1.0, -0.9, -0.2, 0.3, 6.0])
@pytest.mark.parametrize("size", every_second([7, 10, 11, 64]))
def test_given_what_is_shared_two_data_have_their_own_law(rho: float, size: int) -> None:
    t = np.asarray([0.0, 1e-4, 0.5, 1.7, 4.0, 8.0])
    rho = rho / (size - 1)
    k = np.arange(size + 1)
    table, pairs = counts_above(size, rho, t), counts_above(2, rho, t)
    np.testing.assert_allclose(table @ k, size * special.ndtr(t), rtol=DIGITS)
    np.testing.assert_allclose(table @ (k * (k - 1.0)), size * (size - 1) * pairs[:, 2], rtol=DIGITS)


@pytest.mark.parametrize(
    ("size", "rho"), [(2, -1.0), slow((3, -0.3)), slow((7, 0.9999)), (11, -0.05), slow((50, 0.05)), (1000, 0.3)]
)
def test_all_values_of_a_batch_are_positive_with_the_probability_of_an_integral(size: int, rho: float) -> None:
    """E_v Phi((t + sqrt(rho) v)/sqrt(1 - rho))^n, for rho < 0 with the imaginary root, by mpmath."""
    t = 0.7
    if rho == -1.0:  # two opposite values: both are positive where one lies within t
        expected = special.erf(t / np.sqrt(2))
    else:
        own, common = mpmath.sqrt(1 - mpmath.mpf(rho)), mpmath.sqrt(mpmath.mpf(rho))

        def density(v: Any) -> Any:
            return mpmath.npdf(v) * (mpmath.erfc(-(t + common * v) / own / mpmath.sqrt(2)) / 2) ** size

        expected = float(mpmath.re(mpmath.quad(density, [-20, -9, -3, -t - 0.1, -t, -t + 0.1, 3, 9, 20])))
    assert counts_above(size, rho, np.asarray([t]))[0, -1] == pytest.approx(expected, abs=1e-13)
