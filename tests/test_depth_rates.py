"""Rules behind the phases and the verdicts: fixed points of the variance, courses that are extrapolated, spacings."""

from itertools import pairwise

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.phases.block import block_of
from igbtheory.phases.depth_rates import Rate, kept
from igbtheory.phases.diagram import near_zero
from igbtheory.phases.variance import Variance, variances


@pytest.mark.parametrize(
    ("name", "sigma_w2", "sigma_b2", "ends"),
    [
        ("erf", 4.0, 0.1, 1),
        ("relu", 3.0, 0.1, 1),
        ("squared_relu", 0.5, 0.0, 3),  # from above the one in the middle, q grows faster than exponentially
    ],
)
def test_variances_attract_and_repel_in_turn(name: str, sigma_w2: float, sigma_b2: float, ends: int) -> None:
    stable = [at.stable for at in variances(block_of(name), igb.Dense(sigma_w2, sigma_b2))]
    assert len(stable) == ends
    assert all(one != next_one for one, next_one in pairwise(stable))


def test_values_near_zero_are_cubes_in_equal_steps() -> None:
    values = near_zero(0.4, 5)
    assert values[-1] == 0.4
    assert np.diff(np.cbrt([0.0, *values])) == pytest.approx(np.full(5, np.cbrt(0.4) / 5), rel=1e-12)


def test_a_course_is_extrapolated_to_the_value_it_keeps() -> None:
    assert kept(3 - 0.5 ** np.arange(10.0)).limit == pytest.approx(3, rel=1e-12)  # a geometric series
    assert kept(np.full(3, 0.7)).limit == 0.7
    for course in (1.1 ** np.arange(10.0), np.arange(1.0, 9.0)):
        assert np.isnan(kept(course).limit)


@pytest.mark.parametrize("activation", ["softplus", "elu"])
def test_gamma_grows_without_bound_where_the_slope_nears_1_slowly(activation: str) -> None:
    rate = igb.phases.classify(activation, 2.0, 0.0).rate
    assert (rate.form, rate.limit) == ("undecided", np.inf)


def test_steps_of_equal_height_are_a_line_from_afar() -> None:
    assert igb.phases.classify("floor(x)", 1.0, 0.0).rate == Rate("power", 1.0, limit=np.inf)


def test_a_variance_that_falls_like_a_power_is_not_said_to_fall_by_a_factor() -> None:
    assert str(Variance(0.0, 1.0, 1.0, stable=True)) == "vanishes, slower than exponentially"
    assert str(Variance(0.0, 0.5, 0.5, stable=True)) == "vanishes, faster than exponentially"
