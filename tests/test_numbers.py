"""Kinds of number: every function agrees with mpmath, and what a user writes is what is meant."""

import platform
import subprocess
import sys
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from igbtheory.mathematics.numbers import FLOAT64, Kind, Multiprecision

ELEMENTARY = (
    *("sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "sech", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "softplus"),
)
DOMAINS = {"log": (0.1, 9), "sqrt": (0.1, 9), "asin": (-1, 1), "acos": (-1, 1), "atanh": (-0.9, 0.9), "acosh": (1, 9)}


@pytest.mark.parametrize("name", ELEMENTARY)
def test_elementary_functions_of_both_kinds_agree(name: str) -> None:
    n = Multiprecision(30)
    x = np.linspace(*DOMAINS.get(name, (-0.95, 5)), 23)
    exact = getattr(n, name)(n.number(x)).astype(float)
    # a few units in the last place; the argument of tan and log near their zeros is exact, so no more
    assert np.allclose(getattr(FLOAT64, name)(x), exact, rtol=4e-15, atol=1e-16)


@given(st.floats(1e-12, 3.2))
def test_sin_minus_t_cos_keeps_its_digits(t: float) -> None:
    n = Multiprecision(30)
    assert float(n.sin_minus_t_cos(n.number(t))) == pytest.approx(FLOAT64.sin_minus_t_cos(t), rel=1e-14)


def test_sin_minus_t_cos_at_a_small_angle_is_its_series() -> None:
    n = Multiprecision(30)
    t = n.number("1e-20")
    assert abs(n.sin_minus_t_cos(t) / (t**3 / 3) - 1) < 1e-35


@pytest.mark.parametrize("n", [FLOAT64, Multiprecision(40)], ids=["float64", "40 digits"])
@pytest.mark.parametrize("order", [3, 13, 30])
def test_legendre_rule_is_exact_for_its_degree(n: Kind, order: int) -> None:
    nodes, weights = n.legendre(order)
    for degree in range(0, 2 * order, 2):
        assert abs(float((weights * nodes**degree).sum() * (degree + 1) / 2 - 1)) < 50 * n.epsilon * order


def test_legendre_weights_are_right_to_the_last_digit() -> None:
    _, exact = Multiprecision(30).legendre(17)
    assert np.max(np.abs(FLOAT64.legendre(17)[1] / exact.astype(float) - 1)) < 3e-16


@pytest.mark.parametrize("value", [0.1, "0.1", Fraction(1, 10), np.float64(0.1)])
def test_a_float_means_the_decimal_it_prints(value: Any) -> None:
    n = Multiprecision(50)
    assert abs(n.number(value) * 10 - 1) < 1e-60


def test_a_context_of_its_own_leaves_the_global_one_alone() -> None:
    before = mpmath.mp.dps
    Multiprecision(70).exp(Multiprecision(70).number(1))
    assert mpmath.mp.dps == before


@pytest.mark.parametrize("n", [FLOAT64, Multiprecision(20)], ids=["float64", "20 digits"])
def test_ratio_knows_infinity_and_nothing(n: Kind) -> None:
    assert float(n.ratio(n.number(1), n.number(0))) == np.inf
    assert np.isnan(float(n.ratio(n.number(0), n.number(0))))


@pytest.mark.parametrize("n", [FLOAT64, Multiprecision(20)], ids=["float64", "20 digits"])
def test_hermite_table_is_orthonormal(n: Kind) -> None:
    step = 0.125
    table = n.hermite(12, 120, step)
    z = n.number(np.arange(120) * step)
    for k, polynomial in ((2, (z * z - 1) / n.sqrt(n.number(2))), (3, (z**3 - 3 * z) / n.sqrt(n.number(6)))):
        products = 2 * n.times(table[k % 2 :: 2], polynomial)
        expected = np.arange(k % 2, 12, 2) == k
        assert np.max(np.abs(products.astype(float) - expected)) < 1e-14


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other libraries of C do not learn how much to keep")
def test_freed_arrays_leave_their_memory_to_the_next_ones() -> None:
    program = """
import resource
import numpy as np
import igbtheory.mathematics.numbers.float64
def faults():
    x = np.ones(2**18)  # of 2 MiB, 512 pages
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        y, z = x + 1, x * 2
        del y, z
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout  # noqa: S603
    assert int(printed) < 512  # not the pages of a single array
