"""Formulas with jumps without end, oscillations, poles that have a variance: a number with an error that covers it."""

import warnings

import numpy as np
import pytest
import scipy
from literature import FORMULAS

import igbtheory as igb
from igbtheory.formulas import function_of

LEFT = np.arange(-40, 40)
MASS = np.diff(scipy.special.ndtr(np.arange(-40, 1)))
MASS = np.concatenate([MASS, MASS[::-1]])
QUARTER = (
    2**-0.125 * scipy.special.gamma(3 / 8) / np.sqrt(np.pi),
    2**-0.25 * scipy.special.gamma(1 / 4) / np.sqrt(np.pi),
)
LOG = -(np.euler_gamma + np.log(2)) / 2
MOMENTS: dict[str, tuple[float, float, float]] = {
    "floor(x)": (-0.5, float(MASS @ LEFT**2), 1e-12),
    "ceil(x)**2": (float(MASS @ (LEFT + 1.0) ** 2), float(MASS @ (LEFT + 1.0) ** 4), 1e-12),
    "log(abs(x))": (LOG, np.pi**2 / 8 + LOG**2, 1e-12),
    "log(x**2)": (2 * LOG, np.pi**2 / 2 + 4 * LOG**2, 1e-12),
    "abs(x)**(-1/4)": (*QUARTER, 1e-12),
    "abs(sin(20*x))": (2 / np.pi, 0.5, 1e-5),
    "floor(200*x)/200 + 1": (0.9975, 0.0, 1e-2),
}
"""Mean, second moment (0: not known) under N(0, 1), and what the error may be."""
SINC = "sin(x)/x", float(np.sqrt(np.pi / 2) * scipy.special.erf(1 / np.sqrt(2)))


@pytest.mark.parametrize("formula", MOMENTS)
def test_moments_of_formulas_that_panels_do_not_resolve(formula: str) -> None:
    mean, second, allowed = MOMENTS[formula]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        found = igb.mlp(1, formula, sigma_w2=1.0).predict()
    assert found.error <= allowed
    assert abs(found.var_mu / mean**2 - 1) <= found.error + 1e-8 * (allowed > 1e-11)
    assert not second or abs(found.var_chi + found.var_mu - second) <= found.error * second + 1e-8 * (allowed > 1e-11)


def test_a_removable_singularity_is_none() -> None:
    formula, mean = SINC
    found = igb.mlp(1, formula, sigma_w2=1.0).predict()
    assert found.var_mu == pytest.approx(mean**2, rel=1e-12)
    assert function_of(formula)(igb.numbers.FLOAT64, np.zeros(1))[0] == pytest.approx(1.0)


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


@pytest.mark.parametrize("formula", list(FORMULAS)[3::14])
def test_formulas_of_the_literature_in_deep_networks(formula: str) -> None:
    """The whole list, against many digits: benchmarks/activations.py."""
    for depth in (1, 10, 100):
        assert igb.mlp(depth, formula, sigma_b2=0.1).predict().error < 1e-10
