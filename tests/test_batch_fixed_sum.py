"""Few data whose sum is fixed or nearly so, before a BatchNorm(n, eps): brute force, closed radii, another rule."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from igbtheory.averages.batches import share_of_batch
from igbtheory.averages.batches.cells import cleaves, cleft, fixed_sum
from igbtheory.averages.batches.chamber import in_chamber
from igbtheory.averages.batches.tilted import tilted
from igbtheory.averages.batches.unit import unit_of
from igbtheory.formulas import function_of
from igbtheory.numbers import FLOAT64
from igbtheory.numerics.bisected import bisected
from igbtheory.numerics.exchangeable import counts_above

PROMISE = 1e-11
BRUTE = 1e-13  # rounding of the sums of a brute-force grid
Z = 5.5  # below it chance keeps all draws of this file but for one in a million
SHIFTED = "max(x - 1/2, 0)"


def gauss(ends: Any) -> tuple[Any, Any]:
    """Nodes and weights of twenty Gauss points between all ends."""
    x, w = np.polynomial.legendre.leggauss(20)
    left, half = ends[:-1, None], np.diff(ends)[:, None] / 2
    return (left + half * (1 + x)).ravel(), (half * w).ravel()


def within_reach(ends: Any, largest: float) -> Any:
    return np.unique(ends[(ends >= 0) & (ends <= largest)])


def of_three(name: str, kinks: tuple[float, ...], q: float, eps: float, mean: float = 0.0, depth: int = 26) -> float:
    """The mean at three data by panels graded towards every angle and radius that matters, the same for every eps."""
    phi, total, graded = function_of(name), 0.0, 2.0 ** np.arange(-depth, 1.0)
    around = np.concatenate([-graded[::-1], [0], graded]) * np.pi / 12
    for angle, weight in zip(
        *gauss(within_reach(np.add.outer([0, np.pi / 6, np.pi / 3], around), np.pi / 3)), strict=True
    ):
        slopes = np.sqrt(q) * np.cos(angle + 2 * np.pi * np.arange(3) / 3)
        radii = np.array([(kink - mean) / slope for kink in kinks for slope in slopes])
        ends = [np.arange(0, 10.5, 0.5), graded, *(r + s * np.append(graded, 0) for r in radii for s in (-1, 1))]
        r, of_r = gauss(within_reach(np.concatenate(ends), 10.0))
        square = phi(FLOAT64, mean + slopes[:, None] * r).var(axis=0)
        total += weight * float(of_r @ (r * np.exp(-r * r / 2) * square / (square + eps)))
    return total * 3 / np.pi


@pytest.mark.parametrize("eps", [1e-8, 1e-4, 10.0])
@pytest.mark.parametrize(
    ("name", "kinks"), [(SHIFTED, (0.5,)), ("abs", (0.0,)), ("hardtanh", (-1.0, 1.0)), ("exp(-x**2)", ())]
)
def test_three_data_of_a_fixed_sum_by_brute_force(name: str, kinks: tuple[float, ...], eps: float) -> None:
    expected = of_three(name, kinks, 1.0, eps)
    found, error = share_of_batch(function_of(name), 3, 0.0, 1.0, -0.5, eps)
    assert abs(found - expected) <= (error + BRUTE) * expected
    assert error < PROMISE


def test_dead_batches_at_large_weights_by_brute_force() -> None:
    """A review found 4.3e-5 here under a promise of 2.1e-5."""
    q, eps = 56.88625109324049, 1.4398727154149576e-06
    expected = of_three(SHIFTED, (0.5,), q, eps)
    found, error = share_of_batch(function_of(SHIFTED), 3, 0.0, q, -q / 2, eps)
    assert abs(found - expected) <= (error + BRUTE) * expected
    assert error < PROMISE


@pytest.mark.parametrize(("name", "q"), [("sin", 1.0), ("sin", 5.0), ("cos", 5.0)])
def test_data_that_agree_far_from_the_mean_by_another_integral(name: str, q: float) -> None:
    """Two orthogonal deviations instead of angle and radius: sin is smooth, and a fine trapezoidal sum is exact."""
    phi, eps = function_of(name), 0.1
    step = 1 / 64
    z = np.arange(-9, 9, step)
    a, b = np.sqrt(1.5 * q) * z[:, None], np.sqrt(1.5 * q) * z
    h = [a / np.sqrt(2) + b / np.sqrt(6), -a / np.sqrt(2) + b / np.sqrt(6), 0 * a - b * np.sqrt(2 / 3)]
    square = np.array([phi(FLOAT64, x) for x in h]).var(axis=0)
    density = FLOAT64.npdf(z) * step
    expected = float(density @ (square / (square + eps)) @ density)
    found, error = share_of_batch(phi, 3, 0.0, q, -q / 2, eps)
    assert abs(found - expected) <= (error + BRUTE) * expected
    assert error < PROMISE


def of_four(phi: Callable[[Any], Any], eps: float) -> float:
    """The mean at four data of variance 1, phi(a x) = a phi(x): h = (a+b+c, a-b-c, b-a-c, c-a-b), a > b > |c|.

    The radius has a closed form: E r^2/(r^2 + t) = 1 - t + t sqrt(pi t/2) exp(t/2) erfc(sqrt(t/2)).
    """

    def at(c: float, b: float) -> float:
        h = np.array([1 + b + c, 1 - b - c, b - 1 - c, c - 1 - b])
        length = 1 + b * b + c * c
        square = phi(h).var() / length / 3  # the deviations have the variance 4/3 of own, and |h|^2 = 4 length
        t = eps / square if square > 0 else np.inf
        if t > 1e4:  # moments of r: cancelled digits otherwise
            value = 3 / t - 15 / t**2 + 105 / t**3 - 945 / t**4
        else:
            value = 1 - t * (1 - np.sqrt(np.pi * t / 2) * special.erfcx(np.sqrt(t / 2)))
        return float(value / length**1.5)

    def over(b: float) -> float:
        ends = sorted({-b, b, *(x for x in (b - 1, 1 - b) if abs(x) < b)})
        return float(sum(integrate.quad(at, low, high, (b,), epsabs=1e-15)[0] for low, high in pairwise(ends)))

    ends = [0.0, 1e-3, 1e-2, 0.1, 0.5, 1.0]
    return sum(integrate.quad(over, low, high, epsabs=1e-14)[0] for low, high in pairwise(ends)) * 6 / np.pi


@pytest.mark.parametrize("eps", [1e-4, 1.0])
@pytest.mark.parametrize("name", ["abs", "relu"])
def test_four_data_on_rays_in_closed_form(name: str, eps: float) -> None:
    expected = of_four(np.abs if name == "abs" else lambda x: np.maximum(x, 0), eps)
    found, error = in_chamber(function_of(name), 4, (0.0, 0.0, float(np.sqrt(4 / 3))), eps)
    assert abs(found - expected) <= error + 1e-12  # quad's own
    assert error < PROMISE * found


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_four_data_by_a_trapezoidal_sum(name: str) -> None:
    """A sum over three orthogonal deviations, exact to double precision at an eps this large."""
    phi, eps, step = function_of(name), 2.0, 1 / 8
    z = np.arange(-9, 9, step)
    a, b, c = (np.sqrt(1 / 3) * x for x in np.meshgrid(z, z, z, indexing="ij", sparse=True))
    square = np.array([phi(FLOAT64, x) for x in (a + b + c, a - b - c, b - a - c, c - a - b)]).var(axis=0)
    density = FLOAT64.npdf(z) * step
    expected = float(np.einsum("ijk,i,j,k", square / (square + eps), density, density, density, optimize=True))
    found, error = share_of_batch(phi, 4, 0.0, 1.0, -1 / 3, eps)
    assert abs(found - expected) <= (error + BRUTE) * expected
    assert error < PROMISE


@pytest.mark.parametrize(("name", "eps"), [(SHIFTED, 1e-4), ("sin", 1e-3)])
def test_draws_of_four_data_agree(name: str, eps: float) -> None:
    z = np.random.default_rng(5).standard_normal((1_000_000, 4))
    x = function_of(name)(FLOAT64, np.sqrt(4 / 3) * (z - z.mean(axis=1, keepdims=True)))
    share = x.var(axis=1) / (x.var(axis=1) + eps)
    found, error = share_of_batch(function_of(name), 4, 0.0, 1.0, -1 / 3, eps)
    assert abs(share.mean() - found) < Z * stats.sem(share)
    assert error < PROMISE


@pytest.mark.parametrize("name", ["relu", SHIFTED, "tanh"])
def test_three_data_of_a_sum_that_varies_by_either_rule(name: str) -> None:
    phi, free = function_of(name), 0.1
    scales = 0.0, float(np.sqrt(0.5 - free)), float(np.sqrt(1.5))
    expected, lost = tilted(phi, 3, scales, 0.1)
    found, error = share_of_batch(phi, 3, 0.0, 1 + free, free - 0.5, 0.1)
    assert abs(found - expected) <= error * found + lost
    assert lost < PROMISE
    assert error < PROMISE


@pytest.mark.parametrize("free", [1e-8, 1e-4])
def test_signs_of_three_data_of_a_sum_that_hardly_varies_follow_their_counts(free: float) -> None:
    square = np.array([0, 2, 2, 0]) / 9
    q, within = 1 + free, free - 0.5
    expected = float(counts_above(3, within / q, np.zeros(1))[0] @ (square / (square + 0.1)))
    found, error = share_of_batch(function_of("step"), 3, 0.0, q, within, 0.1)
    assert abs(found - expected) <= (error + 1e-12) * expected  # that of the counts
    assert error < PROMISE


def test_three_rectified_data_of_a_sum_that_hardly_varies_by_brute_force() -> None:
    """Means of a batch of either sign: on each side the mean given it is smooth at an eps this large."""
    spread, eps = 0.01, 0.1
    v, weights = gauss(np.array([0.0, 8.5]))
    given = [sum(of_three("relu", (0.0,), 1.0, eps, s * spread * x, depth=9) for s in (-1, 1)) for x in v]
    expected = float(weights * FLOAT64.npdf(v) @ np.array(given))
    found, error = share_of_batch(function_of("relu"), 3, 0.0, 1 + spread**2, spread**2 - 0.5, eps)
    assert abs(found - expected) <= (error + 1e-12) * expected  # that of twenty nodes
    assert error < PROMISE


@pytest.mark.parametrize(
    ("name", "size", "eps"),
    [("abs", 4, 1.0), ("relu", 3, 1e-2), ("tanh", 4, 1e-5), ("tanh", 3, 1e-6), ("sin", 4, 0.1)],
)
def test_an_imaginary_common_part_and_the_chamber_agree(name: str, size: int, eps: float) -> None:
    phi, own, common = function_of(name), float(np.sqrt(size / (size - 1))), float(np.sqrt(1 / (size - 1)))
    expected, error = in_chamber(phi, size, (0.0, 0.0, own), eps)
    found, lost = tilted(phi, size, (0.0, common, own), eps)
    assert abs(found - expected) <= error + lost
    assert lost < PROMISE


@pytest.mark.parametrize(("name", "size", "eps"), [("gelu", 6, 1e-5), ("x**3", 6, 1e-2), ("hardswish", 6, 1e-8)])
def test_an_imaginary_common_part_and_cells_agree(name: str, size: int, eps: float) -> None:
    """By x^3 data agree to the third order, and what is fitted at large t is a series in t^(-1/6)."""
    phi, own, common = function_of(name), float(np.sqrt(size / (size - 1))), float(np.sqrt(1 / (size - 1)))
    expected, error = fixed_sum(phi, size, (0.0, own), eps)
    found, lost = tilted(phi, size, (0.0, common, own), eps)
    assert abs(found - expected) <= error + lost
    assert max(error, lost) < PROMISE


@pytest.mark.parametrize("size", [5, 8, 40])
@pytest.mark.parametrize("eps", [1e-9, 1e-3])
def test_signs_of_a_fixed_sum_at_a_small_eps_follow_their_counts(size: int, eps: float) -> None:
    share = np.arange(size + 1) / size
    square = share * (1 - share)
    expected = float(counts_above(size, -1 / (size - 1), np.array([0.3]))[0] @ (square / (square + eps)))
    found, error = share_of_batch(function_of("step"), size, 0.3, 1.0, -1 / (size - 1), eps)
    assert abs(found - expected) <= (error + 1e-12) * expected  # that of the counts
    assert error < PROMISE


def test_two_stretches_of_one_value_are_one() -> None:
    """Batches that do not vary have all data inside [-1, 1], or outside of it on either side."""
    name, size, eps = "where(abs(x) > 1, 1, 0)", 6, 1e-3
    z = np.random.default_rng(11).standard_normal((1_000_000, size))
    x = function_of(name)(FLOAT64, np.sqrt(size / (size - 1)) * (z - z.mean(axis=1, keepdims=True)))
    share = x.var(axis=1) / (x.var(axis=1) + eps)
    found, error = share_of_batch(function_of(name), size, 0.0, 1.0, -1 / (size - 1), eps)
    assert abs(share.mean() - found) < Z * stats.sem(share)
    assert error < PROMISE


@pytest.mark.parametrize("name", ["hardtanh", "relu", "step", "where(abs(x - 1) < 1/2, 0, x)"])
def test_flat_parts_under_a_phase_are_integrals_of_plane_waves(name: str) -> None:
    unit, k = unit_of(function_of(name), 0.3, 1.2, 1.0), np.array([0.0, 0.7, 5.0, 60.0])
    found = unit.turned_masses(k)[1]
    expected = []
    for _, low, high in unit.flat:
        z, weights = gauss(np.linspace(max(low, -9.0), min(high, 9.0), 200))
        expected.append((weights * FLOAT64.npdf(z)) @ np.exp(1j * np.multiply.outer(z, k)))
    np.testing.assert_allclose(found, expected, atol=1e-14)  # rounding of 4000 nodes, and what lies beyond 9


def test_five_data_by_either_rule() -> None:
    phi, own, common = function_of("cos"), float(np.sqrt(5 / 4)), float(np.sqrt(1 / 4))
    expected, lost = tilted(phi, 5, (0.0, common, own), 1.0)
    found, error = cleft(phi, 5, (0.0, own), 1.0)
    assert abs(found - expected) <= error + lost
    assert cleaves(phi, 5, 0.0)
    assert error < 1e-9 * found  # a cleft takes more directions than there are


@pytest.mark.parametrize(("name", "size", "eps"), [("abs", 6, 1e-4), ("sin", 7, 1e-6), (SHIFTED, 7, 1e-5)])
def test_draws_of_more_data_agree(name: str, size: int, eps: float) -> None:
    z = np.random.default_rng(7).standard_normal((400_000, size))
    x = function_of(name)(FLOAT64, np.sqrt(size / (size - 1)) * (z - z.mean(axis=1, keepdims=True)))
    share = x.var(axis=1) / (x.var(axis=1) + eps)
    found, error = share_of_batch(function_of(name), size, 0.0, 1.0, -1 / (size - 1), eps)
    assert abs(share.mean() - found) < Z * stats.sem(share)
    assert error < PROMISE


def test_panels_follow_poles_in_every_column() -> None:
    width = np.array([1e-6, 1e-3, 1.0])
    found, error = bisected(lambda x, i: width[i] / (x * x + width[i] ** 2), np.array([[-1.0] * 3, [0.5] * 3]))
    expected = np.arctan(1 / width) + np.arctan(0.5 / width)
    np.testing.assert_allclose(found, expected, rtol=1e-13)  # rounding of a hundred panels
    assert np.all(error < 1e-12)
