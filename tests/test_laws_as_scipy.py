"""The laws of guesses have the methods of frozen distributions of scipy.stats, with the same values."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest
from repeated import slow
from scipy import stats

import igbtheory as igb

METHODS = set(stats.uniform().__dir__()) & {
    *("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "rvs", "mean", "var", "std", "median", "moment"),
    *("stats", "entropy", "expect", "interval", "support"),
}
G = np.array([0.0, 1e-9, 0.01, 0.3, 0.5, 0.77, 1.0])
P = np.array([0.0, 1e-9, 0.01, 0.3, 0.5, 0.77, 1.0])


def squared(x: float) -> float:
    return x * x + 1


PAIRS: dict[str, tuple[Any, Any, float]] = {
    "uniform": (igb.GuessLaw(1.0), stats.uniform(), 1e-12),
    "coins": (igb.GuessLaw(0.0).finite(9), stats.binom(9, 0.5), 1e-12),
    "uniform counts": (igb.GuessLaw(1.0).finite(9), stats.randint(0, 10), 1e-12),
    "uniform counts in batches": (
        igb.GuessLaw(igb.guesses.Batches(0.5, 0.5, 3).outputs).finite(9),
        stats.randint(0, 10),
        1e-10,
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_values_are_those_of_scipy(name: str) -> None:
    ours, theirs, error = PAIRS[name]
    x = G if "counts" not in name and name != "coins" else np.arange(-1.0, 11.0)
    for method in ("cdf", "sf", "logcdf", "logsf", *(("pmf", "logpmf") if hasattr(ours, "pmf") else ("pdf", "logpdf"))):
        np.testing.assert_allclose(getattr(ours, method)(x), getattr(theirs, method)(x), rtol=error, err_msg=method)
    p = P if not hasattr(ours, "pmf") else P + 0.003 * (P > 0) * (P < 1)  # no step of either
    for method in ("ppf", "isf"):
        np.testing.assert_allclose(getattr(ours, method)(p), getattr(theirs, method)(p), rtol=error, err_msg=method)
    for method in ("mean", "var", "std", "median", "entropy", "support"):
        expected = getattr(theirs, method)()
        np.testing.assert_allclose(getattr(ours, method)(), expected, rtol=error, atol=error, err_msg=method)
    np.testing.assert_allclose(ours.interval(0.9), theirs.interval(0.9), rtol=error)
    np.testing.assert_allclose([ours.moment(k) for k in (1, 2, 5)], [theirs.moment(k) for k in (1, 2, 5)], rtol=error)
    np.testing.assert_allclose(ours.stats("mvsk"), np.array(theirs.stats("mvsk")), rtol=error, atol=error)
    low, high = (0.2, 0.9) if ours.support()[1] == 1 else (2, 7)
    for options in ({}, {"lb": low, "ub": high}, {"lb": low, "conditional": True}):
        expected = theirs.expect(squared, **options)
        assert ours.expect(squared, **options) == pytest.approx(expected, rel=max(error, 1e-9))
    assert METHODS - {"pdf", "logpdf"} <= set(dir(ours))


@pytest.mark.parametrize("gamma", [slow(1e-12), 0.3, slow(1e8)])
def test_moments_against_many_digits(gamma: float) -> None:
    law = igb.GuessLaw(gamma)

    def mean(of: Any) -> Any:
        scale = mp.sqrt(gamma)
        ends = [0, *(mp.mpf(k) / scale for k in (1, 3, 9) if gamma > 100), 1, 3, 6, 12]
        return mp.quad(lambda u: (of(mp.ncdf(scale * u)) + of(mp.ncdf(-scale * u))) * mp.npdf(u), ends)

    with mp.workdps(60 if gamma < 0.1 else 20):  # (G0 - 1/2)^4 is 1e-24 at the smallest gamma
        assert law.moment(5) == pytest.approx(float(mean(lambda g: g**5)), rel=1e-12)
        assert law.expect(lambda g: np.exp(3 * g)) == pytest.approx(float(mean(lambda g: mp.exp(3 * g))), rel=1e-13)
        centred = {k: mean(lambda g, k=k: (g - 0.5) ** k) for k in (2, 4)}
        assert law.stats("k") + 3 == pytest.approx(float(centred[4] / centred[2] ** 2), rel=1e-12)


def test_tails_keep_their_digits_and_ends_are_point_masses() -> None:
    law = igb.GuessLaw(0.01)
    assert law.sf(0.7) == law.cdf(1 - 0.7) == pytest.approx(float(stats.norm.sf(stats.norm.ppf(0.7) * 10)), rel=1e-12)
    assert law.isf(law.sf(0.9)) == pytest.approx(0.9, rel=1e-12)
    still, torn = igb.GuessLaw(0.0), igb.GuessLaw(np.inf)
    assert (still.expect(), torn.expect(lambda g: 3 * g), torn.expect(lb=0.5)) == (0.5, 1.5, 0.5)
    assert (still.entropy(), torn.entropy(), still.sf(0.5), torn.sf(0.5)) == (-np.inf, -np.inf, 0.0, 0.5)
    sweep = igb.GuessLaw(np.array([0.0, 1.0, 4.0]))
    np.testing.assert_allclose(sweep.expect(), 0.5, rtol=1e-13)
    steep = igb.GuessLaw(1e6)  # G0 rises from 0 to 1 in a thousandth of a standard deviation of U
    assert steep.expect(np.square) == pytest.approx(0.25 + steep.var(), rel=1e-12)
    assert sweep.median().tolist() == [0.5, 0.5, 0.5]
    assert sweep.interval(0.5)[1][1] == 0.75


def test_a_data_set_has_quantiles_with_errors() -> None:
    law = igb.mlp(1, "tanh").predict(igb.standardised(igb.digits())[:100]).G0
    many = law.rvs(20_000, random_state=1)
    for found, expected in (
        (law.cdf(0.25), (many <= 0.25).mean()),
        (law.ppf(0.7), np.quantile(many, 0.7)),
        (law.majority(), np.maximum(many, 1 - many).mean()),
    ):
        assert abs(found.value - expected) < 5 * found.error  # the expected value has a third of this error
        assert 0 < found.error < 0.05
    with pytest.raises(AttributeError, match="has no pdf, since its shares are multiples of 1/100; use cdf"):
        law.pdf(0.5)


@pytest.mark.parametrize("method", ["pdf", "cdf", "sf", "ppf", "isf"])
def test_shapes_that_do_not_fit_the_sweep_are_refused_with_the_remedy(method: str) -> None:
    law = igb.GuessLaw(np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"expected a shape that broadcasts with gamma.*reshape\(\(5, 1\)\)"):
        getattr(law, method)(np.linspace(0, 1, 5))
    assert getattr(law, method)(np.linspace(0, 1, 5).reshape(5, 1)).shape == (5, 2)


def test_bad_arguments_are_refused() -> None:
    law = igb.GuessLaw(1.0)
    with pytest.raises(ValueError, match=r"expected 0 <= confidence <= 1, got 95.0; pass for instance 0.95"):
        law.interval(95)
    with pytest.raises(ValueError, match="expected letters of \"mvsk\", got 'mean'"):
        law.stats("mean")
