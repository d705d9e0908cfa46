"""Formulas with jumps without end, oscillations, poles that have a variance: a number with an error that covers it."""

import warnings

import numpy as np
import pytest
import scipy
from literature import FORMULAS
from repeated import every_second, slow

import igbtheory as igb
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.numbers import FLOAT64

LEFT = np.arange(-40, 40)
MASS = np.diff(scipy.special.ndtr(np.arange(-40, 1)))
MASS = np.concatenate([MASS, MASS[::-1]])
ROUND = np.diff(scipy.special.ndtr(np.arange(-0.5, 40)))
QUARTER = (
    2**-0.125 * scipy.special.gamma(3 / 8) / np.sqrt(np.pi),
    2**-0.25 * scipy.special.gamma(1 / 4) / np.sqrt(np.pi),
)
EDGE = np.arccos(-0.9999)
NARROW = 2 * float(np.diff(scipy.special.ndtr([EDGE, 2 * np.pi - EDGE, 2 * np.pi + EDGE, 4 * np.pi - EDGE]))[::2].sum())
LOG = -(np.euler_gamma + np.log(2)) / 2
MOMENTS: dict[str, tuple[float, float, float]] = {
    "floor(x)": (-0.5, float(MASS @ LEFT**2), 1e-12),
    "relu(round(x))": (float(ROUND @ np.arange(40)), float(ROUND @ np.arange(40) ** 2), 1e-12),
    "where(cos(x) > -0.9999, 1, 2)": (1 + NARROW, 1 + 3 * NARROW, 1e-12),
    "abs(floor(x))": (float(MASS @ abs(LEFT)), float(MASS @ LEFT**2), 1e-12),
    "relu(sin(32*pi*x + 1))": (1 / np.pi, 1 / 4, 1e-10),
    "ceil(x)**2": (float(MASS @ (LEFT + 1.0) ** 2), float(MASS @ (LEFT + 1.0) ** 4), 1e-12),
    "x*sinh(2.9*x + 1/3)": (
        2.9 * np.exp(2.9**2 / 2) * np.cosh(1 / 3),
        ((1 + 4 * 2.9**2) * np.exp(2 * 2.9**2) * np.cosh(2 / 3) - 1) / 2,
        1e-12,
    ),
    "log(abs(x))": (LOG, np.pi**2 / 8 + LOG**2, 1e-12),
    "log(x**2)": (2 * LOG, np.pi**2 / 2 + 4 * LOG**2, 1e-12),
    "abs(x)**(-1/4)": (*QUARTER, 1e-12),
    "abs(sin(20*x))": (2 / np.pi, 0.5, 1e-11),
    "floor(20*x)/20 + 1": (0.975, 0.0, 1e-12),
    "sin(exp(x))": (0.50718984169180599, 0.47631122033975780, 1e-10),
    "atan(1/(x - 1))": (-0.46427999877806250, 0.80487542805203339, 1e-12),
}
"""Mean, second moment (0: not known) under N(0, 1), and what the error may be; the last two by mpmath."""
SINC = "sin(x)/x", float(np.sqrt(np.pi / 2) * scipy.special.erf(1 / np.sqrt(2)))


@pytest.mark.parametrize("formula", MOMENTS)
def test_moments_of_formulas_that_panels_do_not_resolve(formula: str) -> None:
    mean, second, allowed = MOMENTS[formula]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        found = igb.mlp(1, formula, sigma_w2=1.0).predict()
    assert found.error <= allowed
    assert abs(found.var_mu / mean**2 - 1) <= found.error
    assert not second or abs(found.var_chi + found.var_mu - second) <= found.error * second


@pytest.mark.parametrize(
    ("formula", "mean", "second"),
    [
        ("abs(sin(x))", 2 / np.pi, 1 / 2),
        slow(("relu(sin(5*x))", 1 / np.pi, 1 / 4)),
        ("mod(x, 1) - 1/4", 1 / 4, 1 / 12 + 1 / 16),
        ("sign(sin(x))", 0.0, 1.0),
    ],
)
def test_kinks_without_end_are_seen_far_from_0(formula: str, mean: float, second: float) -> None:
    """Over a wide Gaussian the average is that over a period."""
    found = igb.Network(igb.Dense(4000.0), igb.Activation(formula), igb.Dense(1.0)).predict()
    assert found.var_mu == pytest.approx(mean**2, rel=1e-9)
    assert found.var_mu + found.var_chi == pytest.approx(second, rel=1e-9)


def test_two_kinks_close_to_a_third_are_found() -> None:
    phi = function_of("min(x/40, abs(x - 1)**0.7)")
    near = [scipy.optimize.brentq(lambda d, s=s: (1 + s * d) / 40 - d**0.7, 1e-6, 0.1) for s in (-1, 1)]
    assert np.allclose([float(kink) for kink in phi.kinks if 0 < kink < 1.5], [1 - near[0], 1, 1 + near[1]], rtol=1e-12)


def test_kinks_without_end_keep_the_parity_of_the_formula() -> None:
    assert [function_of(phi).parity for phi in ("sign(sin(x))", "abs(sin(x))", "floor(x)")] == [-1, 1, 0]
    assert igb.mlp(3, "sign(sin(50*x))").predict().gamma == 0


def test_steps_of_two_data_are_those_of_their_fractions() -> None:
    """floor(y) = y - 1/2 + waves, of which a wide Gaussian averages all to 0."""
    net = igb.Network(igb.Dense(2.0, 0.1), igb.Activation("floor(2*x + 1/3)"), igb.Dense(1.0))
    found = net.predict()
    assert found.error < 1e-12
    assert found.var_mu == pytest.approx(1 / 36 + 0.4, rel=1e-12)
    assert found.var_mu + found.var_chi == pytest.approx(1 / 36 + 8.4 + 1 / 12, rel=1e-12)


@pytest.mark.slow
def test_a_singular_formula_on_a_data_set() -> None:
    """Cov(log|u|, log|v|) = asin(c)^2/2."""
    data = np.random.default_rng(1).standard_normal((6, 5))
    data[1] = data[0] + 1e-3 * data[2]  # almost the same datum
    with pytest.warns(igb.AccuracyWarning):
        found = igb.mlp(1, "log(abs(x))", sigma_w2=1.0).predict(data)
    assert found.dataset is not None
    kernel, q = found.dataset.kernel(), (data**2).mean(axis=1)
    c = np.clip(data @ data.T / 5 / np.sqrt(np.outer(q, q)), -1, 1)
    np.fill_diagonal(c, 1.0)
    means = LOG + np.log(q) / 2
    gap = np.abs(kernel - np.outer(means, means) - np.arcsin(c) ** 2 / 2) / np.sqrt(
        np.outer(np.diag(kernel), np.diag(kernel))
    )
    assert gap[2:].max() < 1e-12
    assert gap.max() <= found.error < 0.05


@pytest.mark.slow
def test_what_leaves_the_range_of_the_numbers_counts_as_missed() -> None:
    with pytest.warns(igb.AccuracyWarning):
        found = igb.Network(igb.Dense(1.0), igb.Activation("cos(exp(exp(x)))"), igb.Dense(1.0)).predict()
    assert 0.01 < found.error < 1
    with pytest.raises(ValueError, match=r"is infinite from x = .* by where"):
        igb.Activation("log(heaviside(x))")
    with pytest.raises(ValueError, match="outputs tie exactly"):
        igb.mlp(1, "floor(sigmoid(x - 1))").predict()


@pytest.mark.parametrize("formula", [slow("floor(3*x**2)"), slow("sin(exp(x))")])
def test_units_that_no_panel_resolves_are_drawn(formula: str) -> None:
    net = igb.Network(igb.Dense(2.0), igb.MaxPool(2), igb.Activation(formula), igb.Dense(1.0))
    with pytest.warns(igb.EstimateWarning):
        found = net.predict()
    z = np.random.default_rng(0).standard_normal((10**6, 2)).max(axis=1) * np.sqrt(2)
    second = (function_of(formula)(FLOAT64, z) ** 2).mean()
    # a million draws have standard errors up to 3e-3
    assert found.var_mu + found.var_chi == pytest.approx(second, rel=0.01)


@pytest.mark.slow
def test_a_cusp_beside_a_kink_on_a_data_set() -> None:
    """The kernels of a sum and of a difference add up to those of the parts, of which one has a closed form."""
    data = np.random.default_rng(2).standard_normal((60, 9))
    names = "abs(x)**0.7 + max(x - 1, 0)", "abs(x)**0.7 - max(x - 1, 0)", "abs(x)**0.7", "max(x - 1, 0)"
    found = [igb.mlp(1, phi, sigma_w2=1.0).predict(data) for phi in names]
    with_more, with_less, power, kinked = (one.dataset.kernel() for one in found if one.dataset)
    assert np.abs(with_more + with_less - 2 * (power + kinked)).max() < 1e-12
    assert max(one.error for one in found) < 1e-11


def test_slopes_of_a_formula_with_an_infinite_part_that_counts_nowhere() -> None:
    found = igb.mlp(1, "exp(log(relu(x))) + 1", sigma_w2=1.0).predict()
    assert found.var_mu == pytest.approx((1 + 1 / np.sqrt(2 * np.pi)) ** 2, rel=1e-10)


def test_a_removable_singularity_is_none() -> None:
    formula, mean = SINC
    found = igb.mlp(1, formula, sigma_w2=1.0).predict()
    assert found.var_mu == pytest.approx(mean**2, rel=1e-12)
    assert function_of(formula)(FLOAT64, np.zeros(1))[0] == pytest.approx(1.0)


def test_an_unresolved_formula_on_a_data_set() -> None:
    """E cos(a u^3) of equal variances is the same number at every pair that is independent."""
    data = np.array([[1.0, 0.0], [0.0, 1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        found, law = (
            igb.mlp(1, "cos(x**3)", sigma_w2=2.0).predict(data),
            igb.mlp(1, "cos(x**3)", sigma_w2=1.0).predict(),
        )
    shared, whole = law.var_mu * 2, (law.var_mu + law.var_chi) * 2
    assert found.var_mu == pytest.approx((whole + shared) / 2, rel=1e-6)


def test_every_formula_of_the_literature_is_read() -> None:
    assert len(FORMULAS) == 60
    for formula in FORMULAS:
        assert function_of(formula).name == formula


@pytest.mark.parametrize("formula", every_second(list(FORMULAS)[17::28]))
def test_formulas_of_the_literature_in_deep_networks(formula: str) -> None:
    """Run benchmarks/activations.py to compare the whole list with many digits."""
    for depth in (1, 10, 100):
        assert igb.mlp(depth, formula, sigma_b2=0.1).predict().error < 1e-10


@pytest.mark.parametrize(
    ("formula", "plain", "made"),
    [("floor(cos(x))", "where(cos(x) >= 0, 0, -1)", 1e-9), slow(("floor(3 - x**4)", "2 - floor(x**4)", 1e-6))],
)
@pytest.mark.filterwarnings("ignore::igbtheory.AccuracyWarning")
def test_values_that_rounding_makes_are_part_of_the_error(formula: str, plain: str, made: float) -> None:
    """The two differ at points alone: in double precision the first is another number near 0, where it is flat."""
    found, exact = (igb.mlp(1, name, sigma_b2=0.1).predict() for name in (formula, plain))
    difference = max(abs(getattr(found, name) / getattr(exact, name) - 1) for name in ("var_mu", "var_chi"))
    assert made < difference < found.error + exact.error
