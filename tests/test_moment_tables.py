"""Tables of an octave of q against closed forms, against panels, and where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igbtheory import mlp
from igbtheory.averages import moment_tables, panels
from igbtheory.averages.gaussian import moments
from igbtheory.averages.state import Moments
from igbtheory.formulas import FUNCTIONS, function_of
from igbtheory.numbers import FLOAT64

variances = st.floats(-9.9, 9.9).map(lambda exponent: 2.0**exponent)
ratios = st.floats(-9, 9).map(lambda exponent: 10.0**exponent)


def has_table(name: str) -> bool:
    point = np.array([[0.0], [0.3], [0.7]])
    return bool(moment_tables.fill(function_of(name), point, np.zeros((4, 1)))[0])


TABLED = [name for name in FUNCTIONS if function_of(name).pieces.kinks and has_table(name)]
FORMULAS = [
    "x*exp(-abs(x))",
    "max(0, x)/(1 + max(0, x))",
    "log(1 + abs(x))",
    "max(0, x - 1)/(1 + abs(x))",
    "max(x, tanh(x))",
]
"""Formulas whose slopes no closed form smoothes."""


def filled(name: str, q: float, ratio: float) -> tuple[np.ndarray, bool]:
    """Mean, var_mu, var_chi and error by a table, and whether it knows them."""
    found = np.zeros((4, 1))
    known = moment_tables.fill(
        function_of(name), np.array([[0.0], [q * ratio / (1 + ratio)], [q / (1 + ratio)]]), found
    )
    return found[:, 0], bool(known[0])


@pytest.mark.parametrize("name", ["relu", "abs", "leaky_relu"])
@given(q=variances, ratio=ratios)
@settings(max_examples=30)
def test_tables_err_by_no_more_than_they_say(name: str, q: float, ratio: float) -> None:
    found, known = filled(name, q, ratio)
    exact = moments(FLOAT64, function_of(name), 1, Moments(0, q * ratio / (1 + ratio), q / (1 + ratio)))
    if name != "abs":  # phi' of an even phi jumps by so much that no table is exact at c = 0
        assert known
    if known:
        shared, error = exact.mean**2 + exact.var_mu, found[3] + exact.error
        assert abs(found[0] ** 2 + found[1] - shared) <= error * shared
        assert abs(found[2] - exact.var_chi) <= error * exact.var_chi


@pytest.mark.parametrize("name", TABLED + FORMULAS)
@given(q=variances, ratio=ratios)
@settings(max_examples=10)
def test_tables_and_panels_agree(name: str, q: float, ratio: float) -> None:
    found, known = filled(name, q, ratio)
    if known:
        mean, var_mu, var_chi, error = panels.moments(
            FLOAT64, function_of(name), 0.0, np.float64(q * ratio / (1 + ratio)), np.float64(q / (1 + ratio))
        )
        error, shared = error + found[3], mean**2 + var_mu
        # below 1e-22 of the second moment a product of means is what rounding leaves of zero
        assert abs(found[0] ** 2 + found[1] - shared) <= error * shared + 1e-22 * (shared + var_chi)
        assert abs(found[2] - var_chi) <= error * var_chi


def test_most_kinked_activations_of_the_catalogue_have_a_table() -> None:
    assert {"elu", "selu", "celu", "relu6", "hardswish", "hardsigmoid", "hardtanh", "softsign"} <= set(TABLED)


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_with_kinks_have_a_table(name: str) -> None:
    assert has_table(name)


@pytest.mark.parametrize(
    "name",
    [
        "where(x > 1, 1, 0)",  # jumps
        "where(x > 0, exp(x), 1 + x)",  # grows too fast
        "tanh",  # has no kinks, and a Hermite series
        "sqrt(abs(x))",  # its slope has no second moment
        "sin(20*x)*abs(x)",  # oscillates
        "max(x - 1, 0) + max(x - 1.001, 0)",  # its K1 varies over a thousandth
    ],
)
def test_formulas_that_one_series_does_not_hold_have_no_table(name: str) -> None:
    assert not has_table(name)


def test_slopes_of_no_size_have_no_table() -> None:
    """The kink is 38 standard deviations away: K1 is zero."""
    assert not filled("max(x - 30, 0)", 0.6, 0.5)[1]


def test_sweeps_find_what_single_points_find() -> None:
    """Points of several octaves, of mean 0 and others, in one array and one by one."""
    phi = function_of("elu")
    q = np.geomspace(0.01, 30, 40)
    together = moments(FLOAT64, phi, 1, Moments(np.where(q < 1, 0, 0.1), 0.3 * q, 0.7 * q))
    for i, value in enumerate(q):
        alone = moments(FLOAT64, phi, 1, Moments(0 if value < 1 else 0.1, 0.3 * value, 0.7 * value))
        assert (alone.mean, alone.var_mu, alone.var_chi) == pytest.approx(
            (together.mean[i], together.var_mu[i], together.var_chi[i]), rel=1e-15
        )


@pytest.mark.parametrize("name", ["elu", "hardswish", "softsign"])
def test_deep_normalised_networks_agree_with_more_digits(name: str) -> None:
    """Four layers of a table in double precision, panels in 15 digits."""
    net = mlp(2, name, norm="layer", placement="before")
    exact = net.predict(digits=15)
    assert float(net.predict().gamma) == pytest.approx(float(exact.gamma), rel=1e-13)
