"""Maxima of batch-normalised units: the rules of single units, closed forms, other coordinates, limits, simulation."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import betainc, ndtr

import igbtheory as igb
from igbtheory.averages import batched, maxima, spherical
from igbtheory.averages.batched_pair import covariance
from igbtheory.averages.caps import cap, dependence
from igbtheory.averages.lengths import moments_with_eps
from igbtheory.averages.panels import orders
from igbtheory.averages.sphere import Sphere
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64, Multiprecision

EXACT = 1e-12  # of the variance: ten times less than promised, a hundred times more than seen
PROMISE = 1e-11
Z = 5.5  # below it chance keeps all draws of this file but for one in a million


def sphere(name: str, size: int, offset: float = 0.0, *, proxy: bool = False) -> Sphere:
    return Sphere(FLOAT64, function_of(name), size, proxy, offset)


@pytest.mark.parametrize("size", [3, 4, 5, 6, 9, 30, 200])
@pytest.mark.parametrize("name", ["relu", "tanh", "linear", "step", "hardtanh", "abs"])
def test_of_one_unit_it_is_what_the_other_rule_finds(name: str, size: int) -> None:
    _, variance, within, _ = spherical.moments(FLOAT64, function_of(name), size)
    found = covariance(sphere(name, size), 1, orders(FLOAT64)[1])
    assert found == pytest.approx(within, abs=EXACT * variance)


@pytest.mark.parametrize("size", [5, 6, 12])
@pytest.mark.parametrize("name", ["relu", "tanh", "step"])
def test_of_one_proxy_too(name: str, size: int) -> None:
    _, variance, within, _ = spherical.moments(FLOAT64, function_of(name), size, "proxy")
    found = covariance(sphere(name, size, proxy=True), 1, orders(FLOAT64)[1])
    # at n = 5 the square falls like the distance from the right angle, which rounding moves
    assert found == pytest.approx(within, abs=PROMISE * variance)


@pytest.mark.parametrize("share", [1e-12, 0.01, 1.0])
@pytest.mark.parametrize(
    ("name", "size"), [("relu", 2), ("relu", 4), ("relu", 50), ("step", 8), ("tanh", 2), ("gelu", 3), ("tanh", 8)]
)
def test_of_one_unit_with_eps_it_is_an_average_over_lengths(name: str, size: int, share: float) -> None:
    mean, variance, within, _ = moments_with_eps(FLOAT64, function_of(name), size, 1.0, share)
    unit = sphere(name, size, size * share)
    order = orders(FLOAT64)[1]
    found = batched.of_order(unit, 1, order)
    assert found[0] == pytest.approx(mean, rel=EXACT, abs=1e-15)
    assert found[1] == pytest.approx(variance, rel=EXACT)
    # in batches of three the two data are nearly on a circle, which eps rounds
    assert covariance(unit, 1, order) == pytest.approx(within, abs=(PROMISE if size == 3 else EXACT) * variance)


@pytest.mark.parametrize("size", [3, 4, 8, 100])
def test_caps_of_the_sphere_are_incomplete_beta_functions(size: int) -> None:
    t = np.linspace(0, 6 / np.sqrt(size), 40) % (np.pi / 2)
    expected = betainc((size - 2) / 2, 0.5, np.cos(t) ** 2) / 2
    # cos^2 near 1 has lost what the beta function makes of the other end
    np.testing.assert_allclose(cap(sphere("x", size), t), expected, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("offset", [1e-9, 0.1, 30.0])
def test_caps_of_batches_of_two_are_gaussian_tails(offset: float) -> None:
    t = np.arctan(np.linspace(0, 6, 40) / np.sqrt(offset))
    expected = ndtr(-np.sqrt(offset) * np.tan(t))
    np.testing.assert_allclose(cap(sphere("x", 2, offset), t), expected, rtol=1e-11, atol=1e-14)


def of_arcs(unit: Sphere, a: float, b: float) -> float:
    """P(t_a <= a, t_b <= b) by the share of every circle about the centre of the disk that lies in both half planes."""
    x, y, apart = np.sin(a), np.sin(b), np.arccos(-1 / unit.free)

    def share(s: float) -> float:
        first, second = (np.arccos(np.clip(z / np.sin(s), -1, 1)) for z in (x, y))
        both = max(0.0, min(first + second - apart, 2 * first, 2 * second))
        both += max(0.0, first + second + apart - 2 * np.pi)
        return float(1 - (first + second) / np.pi + both / (2 * np.pi))

    def density(s: float) -> float:
        tail = np.cos(s) ** (unit.free - 2) * np.exp(-unit.offset / 2 * np.tan(s) ** 2)
        return float(tail * ((unit.free - 2) * np.tan(s) + unit.offset * np.tan(s) / np.cos(s) ** 2))

    corner = np.hypot(x, (y - x * np.cos(apart)) / np.sin(apart))
    ends = sorted({1e-9, abs(a), abs(b), np.arcsin(min(corner, 1.0)), np.pi / 2 - 1e-9})
    return sum(quad(lambda s: density(s) * share(s), *pair, epsabs=1e-13)[0] for pair in pairwise(ends))


@pytest.mark.parametrize(("size", "offset"), [(3, 0.5), (4, 0.01), (6, 0.3), (20, 5.0)])
def test_two_data_by_arcs_of_circles(size: int, offset: float) -> None:
    unit = sphere("x", size, offset)
    angles = np.array([(0.3, 0.5), (0.2, -0.6), (-0.4, -0.1), (0.9, 0.7), (-0.8, 1.0), (0.05, 0.0)])
    a, b = angles.T
    caps = cap(unit, a), cap(unit, b)
    below = [np.where(t < 0, c, 1 - c) for t, c in zip((a, b), caps, strict=True)]
    expected = [of_arcs(unit, *pair) for pair in angles]
    # what quad promises
    np.testing.assert_allclose(below[0] * below[1] + dependence(unit, a, b, caps), expected, atol=1e-11)


@pytest.mark.parametrize("share", [1e-10, 1e-5, 0.1, 3.0])
@pytest.mark.parametrize("m", [2, 3, 9])
def test_batches_of_two_have_opposite_values(m: int, share: float) -> None:
    """Of z = (g, -g) and relu: largest and smallest g of the units, of which one is above and one below 0."""
    root = np.sqrt(2 * share)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    ends = np.concatenate([[0.0], root * 2.0 ** np.arange(-4, max(0, 1 - np.log2(root))), np.arange(1.0, 10)])
    ends = np.unique(np.minimum(ends, 9.5))
    half = np.diff(ends)[:, None] / 2
    g, weights = (ends[:-1, None] + half * (1 + nodes)).ravel(), (half * weights).ravel()
    value = g / np.sqrt(g * g + root * root)
    law = weights * np.exp(-g * g / 2) / np.sqrt(2 * np.pi)
    first, second = (m * (law * ndtr(g) ** (m - 1)) @ value**k for k in (1, 2))
    product = (law * value) @ (1 - ndtr(-g)[:, None] - ndtr(-g)) ** (m - 2) @ (law * value) * m * (m - 1)
    found = batched.with_eps(FLOAT64, function_of("relu"), m, 2, 1.0, share)
    assert found.mean == pytest.approx(first, rel=EXACT)
    # the square of the mean is subtracted here
    assert found.var_chi == pytest.approx(second - first**2, rel=PROMISE)
    assert found.within == pytest.approx(product - first**2, abs=PROMISE * found.var_chi)


@pytest.mark.parametrize("size", [2, 3, 4, 8, 1000])
@pytest.mark.parametrize("name", ["relu", "step"])
@pytest.mark.parametrize("m", [2, 10])
def test_a_small_eps_changes_little(name: str, size: int, m: int) -> None:
    share, phi = 1e-9, function_of(name)
    plain, found = batched.moments(FLOAT64, phi, m, size, "exact"), batched.with_eps(FLOAT64, phi, m, size, 1.0, share)
    # in batches of two |B| = 1/sqrt(1 + o/g^2), with a mean of 1 - sqrt(pi o/2): elsewhere E 1/s^2, or a logarithm
    change = 20 * (np.sqrt(share) if size == 2 else 30 * share)
    assert [found.mean, found.var_chi, found.within] == pytest.approx(
        [plain.mean, plain.var_chi, plain.within], abs=change
    )
    assert found.mean <= plain.mean * (1 + EXACT)


@pytest.mark.parametrize("size", [2, 3, 8])
def test_a_large_eps_leaves_gaussian_units(size: int) -> None:
    """Of two units the largest is half of sum and distance."""
    share, r = 1e8, -1 / (size - 1)
    found = batched.with_eps(FLOAT64, function_of("x"), 2, size, 1.0, share)
    scale = np.sqrt((size - 1) / (size * share))
    mean, _, variance, _ = maxima.moments(FLOAT64, None, 2, 0.0, 0.0, 1.0)
    assert found.mean / scale == pytest.approx(mean, rel=20 / share)
    assert found.var_chi / scale**2 == pytest.approx(variance, rel=20 / share)
    within = r / 2 + (np.sqrt(1 - r * r) + r * np.arcsin(r) - 1) / np.pi
    assert found.within / scale**2 == pytest.approx(within, abs=20 / share)


@pytest.mark.parametrize("share", [1e-5, 0.01, 1.0])
@pytest.mark.parametrize("m", [2, 100])
@pytest.mark.parametrize("size", [3, 8, 1000])
@pytest.mark.parametrize("name", ["relu", "x"])
def test_digits_are_as_promised(name: str, size: int, m: int, share: float) -> None:
    found = batched.with_eps(FLOAT64, function_of(name), m, size, 1.0, share)
    assert found.error < PROMISE
    assert -1 / (size - 1) <= found.within / found.var_chi <= 0


@pytest.mark.parametrize(
    ("name", "m", "size", "law", "eps"),
    [
        ("relu", 2, 8, "proxy", 0.0),
        ("x", 3, 5, "proxy", 0.0),
        ("tanh", 4, 12, "proxy", 0.0),
        ("relu", 2, 8, "exact", 0.3),
        ("tanh", 3, 3, "exact", 0.1),
        ("where(x > 1/2, 1, 0)", 5, 4, "exact", 1e-3),
    ],
)
def test_draws_of_the_layer_agree(name: str, m: int, size: int, law: str, eps: float) -> None:
    phi, rng, variance = function_of(name), np.random.default_rng(2), 1.7
    norm = igb.BatchNorm(size, law=law, eps=eps)
    z = np.sqrt(variance) * rng.standard_normal((60_000 * size, m))
    x = phi(FLOAT64, norm.samples(z, rng, m).max(axis=1)).reshape(-1, size)
    found = (
        batched.with_eps(FLOAT64, phi, m, size, variance, eps) if eps else batched.moments(FLOAT64, phi, m, size, law)
    )
    deviations = x - found.mean
    squares = np.square(deviations)
    pairs = (deviations.sum(axis=1) ** 2 - squares.sum(axis=1)) / (size * (size - 1))
    for sample, value in ((deviations.mean(axis=1), 0), (squares.mean(axis=1), found.var_chi), (pairs, found.within)):
        assert abs(sample.mean() - value) < Z * sample.std() / np.sqrt(len(sample))


def test_more_digits_confirm_the_largest_proxy() -> None:
    exact, found = (batched.moments(n, function_of("relu"), 3, 8, "proxy") for n in (Multiprecision(20), FLOAT64))
    assert [found.mean, found.var_chi] == pytest.approx([float(exact.mean), float(exact.var_chi)], rel=EXACT)


def test_what_has_no_rule_is_refused() -> None:
    relu = function_of("relu")
    with pytest.raises(ValueError, match="predict without `digits`"):
        batched.with_eps(Multiprecision(20), relu, 2, 8, 1.0, 0.1)
    with pytest.raises(ValueError, match="second moment is infinite"):
        batched.moments(FLOAT64, function_of("x**2"), 2, 6, "proxy")
    with pytest.raises(ValueError, match='expected law="exact"'):
        igb.Network(
            igb.Dense(), igb.BatchNorm(8, law="proxy", eps=0.1), igb.MaxPool(2), igb.Activation("relu"), igb.Dense()
        ).predict()


@pytest.mark.parametrize("share", [1e-12, 1e-5, 0.1, 10.0])
@pytest.mark.parametrize(("name", "m"), [("x", 2), ("relu", 2), ("tanh", 5), ("x", 20), ("step", 30)])
def test_batches_of_two_by_either_rule(name: str, m: int, share: float) -> None:
    phi = function_of(name)
    found = batched.with_eps(FLOAT64, phi, m, 2, 1.0, share)
    unit = Sphere(FLOAT64, phi, 2, proxy=False, offset=2 * share)
    mean, variance, _ = batched.of_order(unit, m, orders(FLOAT64)[1])
    # beside a right angle the other rule rounds cosines of the size sqrt(share)
    tolerance = EXACT + 1e-16 / np.sqrt(share)
    assert found.mean == pytest.approx(mean, rel=tolerance)
    assert found.var_chi == pytest.approx(variance, abs=tolerance * (mean**2 + variance))
    assert found.error < PROMISE


@pytest.mark.parametrize("share", [1e-12, 1e-5, 0.1, 10.0])
def test_the_larger_of_two_in_batches_of_two(share: float) -> None:
    # max(b, c) max(-b, -c) = ((b - c)^2 - (b + c)^2)/4 = -b c, of mean 0
    found = batched.with_eps(FLOAT64, function_of("x"), 2, 2, 1.0, share)
    assert found.within == pytest.approx(-(found.mean**2), rel=EXACT)


@pytest.mark.parametrize("m", [2, 3, 20, 100])
@pytest.mark.parametrize("size", [3, 4, 7, 8, 50, 1000])
def test_both_maxima_are_negative_with_the_probability_of_an_orthant(size: int, m: int) -> None:
    # P(B_1 < 0, B_2 < 0) = 1/4 + asin(r)/(2 pi) of any rotation-invariant pair, r = -1/(n - 1)
    found = batched.moments(FLOAT64, function_of("step"), m, size, "exact")
    both = (0.25 + np.arcsin(-1 / (size - 1)) / (2 * np.pi)) ** m
    assert found.within == pytest.approx(both - 0.25**m, abs=EXACT * found.var_chi)
    assert found.var_chi == pytest.approx(0.5**m * (1 - 0.5**m), rel=EXACT)


@pytest.mark.parametrize(
    ("name", "m", "size"), [("relu", 2, 4), ("x", 3, 3), ("tanh", 2, 8), ("step", 5, 5), ("elu", 4, 6)]
)
def test_draws_agree(name: str, m: int, size: int) -> None:
    phi, rng = function_of(name), np.random.default_rng(1)
    h = rng.standard_normal((60_000, m, size))
    h -= h.mean(axis=2, keepdims=True)
    x = phi(FLOAT64, (h / np.sqrt(np.square(h).mean(axis=2, keepdims=True))).max(axis=1))
    found = batched.moments(FLOAT64, phi, m, size, "exact")
    deviations = x - found.mean
    pairs = (deviations.sum(axis=1) ** 2 - np.square(deviations).sum(axis=1)) / (size * (size - 1))
    assert abs(pairs.mean() - found.within) < Z * pairs.std() / np.sqrt(len(pairs))


@pytest.mark.parametrize("m", [2, 100, 10**6])
@pytest.mark.parametrize("size", [3, 4, 16, 500])
def test_the_sum_over_a_batch_has_a_variance(size: int, m: int) -> None:
    found = batched.moments(FLOAT64, function_of("relu"), m, size, "exact")
    tolerance = 4 * found.error
    assert -1 / (size - 1) - tolerance <= found.within / found.var_chi <= tolerance
    assert found.error < (1e-11 if m <= 100 else 1e-4)


def test_the_law_of_guesses_behind_maxima_agrees_with_simulation() -> None:
    net = igb.Network(igb.Dense(2.0), igb.BatchNorm(4), igb.MaxPool(2), igb.Activation("relu"), igb.Dense(2.0))
    comparison = net.simulate(networks=300, width=24, samples=48, seed=2, workers=1).compare(workers=1)
    assert comparison.agrees()
    p = net.predict()
    law = p.G0.finite(48)
    k = np.arange(49)
    assert law.pmf(k).sum() == pytest.approx(1, rel=1e-12)
    independent = igb.GuessLaw(p.gamma).finite(48).var()
    assert law.var() < independent, "a batch balances its own guesses"


@pytest.mark.parametrize("name", ["relu", "tanh", "step"])
def test_more_digits_confirm_the_largest_in_batches_of_two(name: str) -> None:
    exact, found = (
        batched.with_eps(n, function_of(name), 5, 2, n.number(1), n.number(0.1)) for n in (Multiprecision(20), FLOAT64)
    )
    assert [found.mean, found.var_chi] == pytest.approx([float(exact.mean), float(exact.var_chi)], rel=EXACT)
