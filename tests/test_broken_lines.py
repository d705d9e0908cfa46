"""Piecewise linear functions of many kinks: against panels, and in more digits."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.mathematics.averages import broken_lines, quadrature
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.reader import read
from igbtheory.mathematics.formulas.tree import Tree, X, add, choice, mul, number
from igbtheory.numbers import FLOAT64, Multiprecision

ODD = "min(max(x, -1), 1) - 2*min(max(x, -1/7), 1/7) + x/3"
"""Odd lines whose means at variances of order 1 would have rounding errors."""


def zigzag(kinks: list[Fraction]) -> Tree:
    """Slopes 1, -1/2, 1, ... between the kinks, as a sum of absolute values."""
    rise = number(Fraction(3, 4))
    steps = (mul(rise if i % 2 else -rise, choice(t, t, -t)) for i, t in enumerate(add(X, number(-k)) for k in kinks))
    return add(mul(number(Fraction(1, 4)), X), *steps)


def flowing(found: Sequence[Any]) -> tuple[Any, Any]:
    """Mean^2 + var_mu and var_chi, of which errors are stated."""
    return found[0] ** 2 + found[1], found[2]


@pytest.mark.parametrize("point", [(0.0, 0.9, 0.4), (0.3, 1.1, 1e-9), (-0.2, 1e-7, 0.8)])
def test_few_kinks_are_what_panels_find(point: tuple[float, float, float]) -> None:
    phi = Function("zigzag", zigzag([Fraction(k, 3) for k in (-4, -1, 0, 1, 5)]))
    lines = broken_lines.lines(FLOAT64, phi)
    assert lines is not None
    found = broken_lines.moments(lines, *map(np.float64, point))
    panels = quadrature.moments(FLOAT64, phi, *map(np.float64, point))
    for one, other in zip(flowing(found), flowing(panels), strict=True):
        assert abs(one - other) <= (found[3] + panels[3]) * abs(other)
    assert found[3] < 1e-12


def test_many_kinks_state_their_error() -> None:
    """Multiprecision sees what double precision loses where the slopes cancel."""
    phi, n = Function("zigzag", zigzag([Fraction(k * k, 500) - 2 for k in range(1, 40, 9)])), Multiprecision(12)
    quick, slow = broken_lines.lines(FLOAT64, phi), broken_lines.lines(n, phi)
    assert quick is not None
    assert slow is not None
    point = np.array([0.0, 1.5, 1e-5])
    found, exact = broken_lines.moments(quick, *point), broken_lines.moments(slow, *n.number(point))
    for one, other in zip(flowing(found), flowing(exact), strict=True):
        assert abs(one - other) <= found[3] * abs(other)
    assert float(exact[3]) < 1e-15


def test_two_hundred_knots() -> None:
    phi = Function("zigzag", zigzag([Fraction(k, 40) - Fraction(5, 2) for k in range(200)]))
    found = igb.mlp(1, phi).predict()
    assert found.error < 1e-10
    assert len(phi.pieces.kinks) == 200


@pytest.mark.parametrize("mean", [0.0, -0.4])
@pytest.mark.parametrize("formula", [zigzag([Fraction(k, 3) for k in (-4, -1, 0, 1, 5)]), read(ODD)])
def test_many_variances_at_once_are_what_one_is(formula: Tree, mean: float) -> None:
    phi = Function("lines", formula)
    lines = broken_lines.lines(FLOAT64, phi)
    assert lines is not None
    scales = np.array([0.01, 0.3, 1.0, 20.0])
    average, variance, lost = lines.of_one_variance(mean, scales)
    for i, scale in enumerate(scales):
        other = broken_lines.moments(lines, np.float64(mean), np.float64(0), scale**2)
        assert phi.parity >= 0 or mean or average[i] == 0  # exactly
        assert average[i] == pytest.approx(other[0], rel=1e-12, abs=1e-15)
        assert abs(variance[i] / other[2] - 1) <= lost[i] + other[3]
    assert lost[1:].max() < 1e-11  # the slopes cancel where the variance is small
