"""Every statistic works with every source of outputs: laws beside plain NumPy draws, and beside one another."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from repeated import slow
from scipy.special import softmax

import igbtheory as igb
from igbtheory.guesses import (
    Batches,
    ClassGuessLaw,
    FeatureOutputs,
    FiniteClassLaw,
    FiniteGuessLaw,
    GaussianOutputs,
    KernelOutputs,
    RouterLaw,
    SimulatedOutputs,
    SoftmaxLaw,
    VariedOutputs,
)
from igbtheory.guesses.law import Law

Z = 5.0
"""Largest accepted deviation in standard errors: over all of these, chance exceeds it once in 10,000 runs."""
RNG = np.random.default_rng(5)
DATA = RNG.standard_normal((30, 4)) * RNG.gamma(2.0, size=(30, 1))
FEATURES = [np.abs(RNG.standard_normal((600, 5))) + 0.3 * RNG.standard_normal(5) for _ in range(40)]
"""Of 40 networks, features of 600 data that have a mean."""


def angles(root: Any) -> Any:
    """Return the arcsines of the correlations of an output at all pairs of data."""
    unit = root / np.linalg.norm(root, axis=1, keepdims=True)
    return np.arcsin(np.clip(unit @ unit.T, -1, 1))


OF_DATA = float(angles(DATA).mean() / (2 * np.pi))
OF_FEATURES = float(np.mean([angles(root)[np.triu_indices(600, 1)] for root in FEATURES]) / (2 * np.pi))
"""Var(G0), over all pairs of given data, and over pairs of different ones of new data."""


SOURCES: dict[str, Any] = {
    "gamma": GaussianOutputs(0.8),
    "gamma, scaled": GaussianOutputs(0.8, variances=(2.0, 2.5)),
    "batches": Batches(0.3, 0.1, 4).outputs,
    "varied": VariedOutputs(0.08, 0.6, 1.5),
    "kernel": KernelOutputs(30, OF_DATA, lambda: DATA @ DATA.T),
    "features": FeatureOutputs(600, OF_FEATURES, 0.0, lambda: FEATURES),
    "array": SimulatedOutputs(RNG.standard_normal((300, 1, 4)) + RNG.standard_normal((300, 50, 4))),
}


@dataclass(frozen=True, eq=False, repr=False)
class SecondShare(Law):
    """A new statistic: the share of the second of four classes."""

    source: Any

    outputs = 4

    def of_outputs(self, outputs: Any, rng: Any) -> Any:
        return (outputs.argmax(axis=2) == 1).mean(axis=0)


STATISTICS: dict[str, Any] = {
    "class 0": igb.GuessLaw,
    "classes": lambda source: ClassGuessLaw(source, 4),
    "softmax": lambda source: SoftmaxLaw(source, 4, 0.7),
    "count": lambda source: FiniteGuessLaw(source, 12),
    "counts": lambda source: FiniteClassLaw(source, 4, 12),
    "loads": lambda source: RouterLaw(source, 4, 2),
    "second class": SecondShare,
}


def number(estimate: Any) -> tuple[Any, Any]:
    """Return a value and its error, 0 if it is exact."""
    return (estimate.value, estimate.error) if isinstance(estimate, igb.guesses.Estimate) else (estimate, 0.0)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("source", SOURCES)
def test_moments_of_every_pair_are_those_of_its_draws(source: str, statistic: str) -> None:
    law = STATISTICS[statistic](SOURCES[source])
    sampled = law.drawn(500, 1)
    (mean, mean_error), (drawn, drawn_error) = number(law.mean()), number(sampled.mean())
    exact = np.max(np.abs(drawn - mean) / np.maximum(np.hypot(mean_error, drawn_error), 1e-12))
    assert exact < Z
    (variance, error), (squares, squares_error) = number(law.var()), number(sampled.std())
    # the scatter of 600 or 1000 drawn data adds at most so much
    scatter = 0.25 / 600 if source == "features" or statistic == "second class" else 0.0
    apart = np.abs(squares**2 - variance) - scatter
    assert np.max(apart / np.hypot(error, 2 * squares * squares_error)) < Z
    assert np.shape(law.rvs((2, 3), 0)) == (2, 3, *sampled.draws.shape[1:])
    assert law.to_dict()["mean" if statistic != "loads" else "cv2"] is not None
    again = (
        type(law).from_json(law.to_json())
        if source in {"gamma", "varied", "array"} and statistic != "second class"
        else law
    )
    np.testing.assert_array_equal(again.rvs(3, 1), law.rvs(3, 1))


def scored(own: Any, law: Any) -> float:
    """Return the distance of the mean of own numbers, one a network, from the mean of a law, in standard errors."""
    value, error = number(law.mean())
    return float(np.max(np.abs(np.mean(own, axis=0) - value) / np.hypot(error, np.std(own, axis=0) / len(own) ** 0.5)))


@pytest.mark.parametrize(("width", "networks"), [(6, 300), slow((64, 400))])
def test_classes_and_softmax_at_finite_width_are_those_of_plain_networks(width: int, networks: int) -> None:
    data, outputs = 300, []
    for i in range(networks):
        rng = np.random.default_rng([2, i])
        x = np.tanh(rng.standard_normal((data, width)) @ rng.standard_normal((width, width)) * (2 / width) ** 0.5)
        outputs.append(x @ rng.standard_normal((width, 10)) * (2 / width) ** 0.5)
    prediction = igb.mlp(1, "tanh").predict(width=width)
    every = np.array(outputs)
    halves = np.stack(
        [(part.argmax(axis=2)[..., None] == np.arange(10)).mean(axis=1) for part in np.split(every, 2, 1)]
    )
    mean = softmax(every, axis=2)
    of_halves = np.stack([part.mean(axis=1) for part in np.split(mean, 2, 1)])
    for law, (first, second) in ((prediction.guesses(10), halves), (prediction.softmax(10), of_halves)):
        # of two halves of the data, so that their scatter adds nothing
        squares = ((first - 0.1) * (second - 0.1)).mean(axis=1)
        value, error = number(law.var())
        assert abs(squares.mean() - value) < Z * np.hypot(error, squares.std() / networks**0.5)
    if width < 10:  # correlations of pairs of data scatter: one gamma has half of the variance
        assert ClassGuessLaw(prediction.gamma_guess, 10).var() < 0.7 * number(prediction.guesses(10).var())[0]


def test_softmax_of_a_varied_gamma_is_that_of_plain_outputs() -> None:
    source, rng, networks = VariedOutputs(0.1, 0.8, 2.0), np.random.default_rng(3), 1500
    gamma = source.gammas(networks, rng)
    centres = np.sqrt(2 * gamma)[:, None] * rng.standard_normal((networks, 4))
    z = 2**0.5 * rng.standard_normal((2, networks, 200, 4))
    first, second = softmax((centres[:, None] + z) / 0.5, axis=3).mean(axis=2)
    squares = ((first - 0.25) * (second - 0.25)).mean(axis=1)
    value, error = number(SoftmaxLaw(source, 4, 0.5).var())
    assert abs(squares.mean() - value) < Z * np.hypot(error, squares.std() / networks**0.5)


def test_counts_of_classes_on_given_data_are_those_of_plain_draws() -> None:
    source, rng, networks = SOURCES["kernel"], np.random.default_rng(4), 3000
    guesses = (DATA @ rng.standard_normal((networks, 4, 3))).argmax(axis=2)
    chosen = np.take_along_axis(guesses, rng.integers(30, size=(networks, 12)), axis=1)
    counts = (chosen[..., None] == np.arange(3)).sum(axis=1)
    law = FiniteClassLaw(source, 3, 12)
    squares = ((counts - 4.0) ** 2).mean(axis=1)
    assert abs(squares.mean() - law.var()) < Z * squares.std() / networks**0.5
    assert scored(counts.max(axis=1), law.largest()) < Z
    assert law.rvs(5, 0).sum(axis=1).tolist() == [12] * 5


def test_ordered_shares_of_drawn_features_are_those_of_plain_draws() -> None:
    own, rng = [], np.random.default_rng(6)
    for root in FEATURES:
        guesses = (root @ rng.standard_normal((50, 5, 4))).argmax(axis=2)
        own.append(-np.sort(-(guesses[..., None] == np.arange(4)).mean(axis=1), axis=1).mean(axis=0))
    law = ClassGuessLaw(SOURCES["features"], 4).ranked(2000, 1)
    assert scored(own, law) < Z
    # new data are counted once each
    with pytest.raises(ValueError, match="expected at most 600, the data at which outputs are drawn"):
        FiniteClassLaw(SOURCES["features"], 4, 601).rvs(2)


def test_probabilities_of_counts_at_varied_gamma_are_a_mixture() -> None:
    law = FiniteGuessLaw(VariedOutputs(0.1, 0.5), 20)
    k = np.arange(21)
    assert law.pmf(k).sum() == pytest.approx(1, rel=1e-12)
    assert law.pmf(k) @ (k - 10.0) ** 2 == pytest.approx(law.var(), rel=1e-9)
    np.testing.assert_allclose(law.cdf(k), np.cumsum(law.pmf(k)), rtol=1e-10)
    draws = law.rvs(40_000, 0)
    assert abs((draws <= 3).mean() - law.cdf(3)) < Z * 0.5 / 200
    shares = igb.GuessLaw(law.source)
    assert shares.moment(3) == pytest.approx(float(shares.expect(lambda g: g**3)), rel=1e-9)
    assert shares.entropy() == pytest.approx(-np.mean(shares.logpdf(shares.rvs(40_000, 1))), abs=Z * 3 / 200)


def test_laws_of_an_array_are_those_of_its_networks() -> None:
    outputs = SOURCES["array"].values
    guesses = outputs.argmax(axis=2)
    shares = (guesses[..., None] == np.arange(4)).mean(axis=1)
    law = ClassGuessLaw(SOURCES["array"], 4)
    np.testing.assert_allclose(law.mean().value, shares.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(law.var().value, shares.var(axis=0), rtol=1e-12)
    np.testing.assert_allclose(law.cov(), np.cov(shares.T), rtol=1e-12)
    assert {tuple(row) for row in law.rvs(20, 0)} <= {tuple(row) for row in shares}
    first = igb.GuessLaw(SOURCES["array"])
    np.testing.assert_allclose(first.drawn().draws, (outputs[..., 0] >= outputs[..., 1]).mean(axis=1))
    with pytest.raises(ValueError, match="expected a law of 4 outputs, one a class, got 3"):
        ClassGuessLaw(SOURCES["array"], 3).rvs()
    with pytest.raises(ValueError, match=r"expected finite outputs \(networks, data, outputs\)"):
        SimulatedOutputs(np.ones((3, 2)))
    assert law.plot().get_legend() is not None
    assert SecondShare(SOURCES["array"]).plot().get_xlabel() == "number drawn"


def test_shares_of_one_s_own_networks_have_the_law_of_the_prediction_or_not() -> None:
    prediction, other = igb.mlp(1, "relu").predict(), igb.mlp(4, "relu").predict()
    own = prediction.guesses(3).finite(60).rvs((25, 50), 3) / 60
    pvalues = [prediction.compare(shares, 60, seed=seed).pvalue for seed, shares in enumerate(own)]
    assert 0.2 < np.mean(pvalues) < 0.8  # five standard errors of 25 uniform numbers
    found = other.compare(own[0], 60)
    assert (found.pvalue, found.n_classes, found.D) == (0.001, 3, 60)
    assert "these shares do not have this law" in str(found)
    assert "nothing speaks against this law" in str(prediction.compare(prediction.G0.rvs(100, 0)))
    data = igb.digits()[:20] / 16
    on_data = igb.mlp(1, "relu").predict(data)
    root = np.linalg.cholesky(on_data.kernel() + 1e-12 * np.eye(20))
    outputs = root @ np.random.default_rng(1).standard_normal((60, 20, 3))
    assert on_data.compare(outputs).pvalue > 0.001
    assert prediction.compare(outputs).D == 20
    with pytest.raises(ValueError, match="expected outputs at the 20 data of the prediction, got 19"):
        on_data.compare(outputs[:, 1:])
    with pytest.raises(ValueError, match="got a sweep"):
        igb.mlp(1, sigma_b2=np.array([0.0, 1.0])).predict().compare([0.2, 0.5])
    assert found.plot().get_xlabel() == "share of the favoured class"
    assert igb.guesses.SharesComparison.from_json(found.to_json()) == found


def test_a_million_classes_are_the_limit_of_what_draws_no_densities() -> None:
    assert igb.mlp(1).predict().router(10**6, 1).rvs(1, 0).sum() == pytest.approx(1, rel=1e-9)
    assert SoftmaxLaw(GaussianOutputs(0.5), 10**6).mean() == 1e-6
    assert FiniteClassLaw(0.5, 10**6, 1000).rvs((), 0).sum() == 1000
    with pytest.raises(ValueError, match="expected n_classes <= 1000"):
        ClassGuessLaw(0.5, 1001).pdf(0.1)


def test_three_classes_behind_small_batches_vary_as_in_plain_networks() -> None:
    """Data of one batch are less alike than data of two, and few of them have no features: 16 dead units."""
    units, batch, size, networks = 16, 4, 800, 400
    predicted = igb.Network.read(f"Dense(2) | BatchNorm({batch}) | relu | Dense(2)").predict(width=units, networks=200)
    products = []
    for i in range(networks):
        rng = np.random.default_rng([3, i])
        x = rng.standard_normal((size // batch, batch, units)) @ rng.standard_normal((units, units))
        x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
        guesses = (np.maximum(x, 0).reshape(size, units) @ rng.standard_normal((units, 3))).argmax(axis=1)
        halves = np.stack([(guesses.reshape(2, -1) == c).mean(axis=1) - 1 / 3 for c in range(3)])
        products.append(halves.prod(axis=1).mean())
    error = np.std(products) / networks**0.5
    assert abs(predicted.guesses(3).var().value - np.mean(products)) < 4 * error
