"""Losses at initialisation: the functions, their laws over networks, and the accuracy that guesses allow."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import json
from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from repeated import every_second, slow
from scipy import integrate, special

import igbtheory as igb
from igbtheory import losses
from igbtheory.guesses import ClassGuessLaw, GuessLaw, SampledLaw, accuracy_bound, accuracy_bounds, loose_accuracy_bound
from igbtheory.networks.losses import Blurry, CrossEntropy, Focal, Loss, PiecewiseZero
from igbtheory.presentation.cli import main

Array = NDArray[np.float64]

# 5.5 standard errors: each comparison fails by chance with probability 4e-8, all of this file with less than 1e-5
Z = 5.5

untimed = settings(deadline=None)
log_odds = st.floats(-60.0, 60.0)
exponents = st.floats(0.0, 8.0)
LOSSES = (CrossEntropy(), Blurry(0.5), Blurry(0.5, held=False), PiecewiseZero(0.3), Focal(2.0))
PREJUDICED = igb.mlp(8, "relu", sigma_w2=2.2)


def exact(loss: Loss) -> Callable[[Any], Any]:
    """The loss as its formula in p, with many digits."""
    match loss:
        case Blurry(exponent=a):
            return lambda p: -(p ** mp.mpf(a)) * mp.log(p)
        case Focal(exponent=g):
            return lambda p: -((1 - p) ** mp.mpf(g)) * mp.log(p)
        case PiecewiseZero(cut_off=cut):
            return lambda p: -mp.log(p) if p >= cut else mp.mpf(0)
    return lambda p: -mp.log(p)


# --- the functions ---


@untimed
@given(log_odds, st.one_of(st.just(CrossEntropy()), exponents.map(Blurry), exponents.map(Focal)))
def test_a_loss_is_its_formula_in_p(r: float, loss: Loss) -> None:
    with mp.workdps(60):
        expected = exact(loss)(1 / (1 + mp.exp(-mp.mpf(r))))
    # a rounding error of the logarithm times the exponent and up to 60, in the exponential
    assert loss.value(r) == pytest.approx(float(expected), rel=1e-12, abs=1e-300)


@untimed
@given(log_odds, st.one_of(exponents.map(lambda a: Blurry(a, held=False)), exponents.map(Focal)))
def test_weight_is_the_derivative_by_the_logarithm_of_p(r: float, loss: Blurry | Focal) -> None:
    with mp.workdps(80):
        p = 1 / (1 + mp.exp(-mp.mpf(r)))
        # in the logarithm of p or of 1 - p, whichever is the smaller: its scale is that of the function
        if r < 0:
            slope = mp.diff(lambda x: exact(loss)(mp.exp(x)), mp.log(p))
        else:
            slope = mp.diff(lambda x: exact(loss)(1 - mp.exp(x)), mp.log(1 - p)) * p / -(1 - p)
    # near its zero the weight 1 + a log p of the blurry loss has the absolute error of its terms, up to 480
    assert loss.weight(r) == pytest.approx(float(-slope), rel=1e-11, abs=1e-300 + 1e-13 * float(p) ** loss.exponent)


@pytest.mark.parametrize("a", [0.1, 0.5, 3.0])
def test_the_gradient_of_the_differentiated_blurry_loss_changes_sign_at_exp_of_minus_1_over_a(a: float) -> None:
    p = np.exp(-1.0 / a) * np.array([1.0 - 1e-9, 1.0 + 1e-9])
    r = np.log(p) - np.log1p(-p)
    assert np.sign(Blurry(a, held=False).weight(r)).tolist() == [-1.0, 1.0]
    assert Blurry(a).weight(r) == pytest.approx(p**a, rel=1e-12)


@untimed
@given(log_odds)
def test_at_exponent_or_cut_off_zero_every_loss_is_cross_entropy(r: float) -> None:
    for loss in (Blurry(0.0), Blurry(0.0, held=False), PiecewiseZero(0.0), Focal(0.0)):
        assert loss.value(r) == CrossEntropy().value(r)
        assert loss.weight(r) == 1.0
        assert not loss.silent(r)
    assert PiecewiseZero(1.0).silent(r)


@pytest.mark.parametrize("loss", [CrossEntropy(), Blurry(0.7, held=False), Focal(2.0), PiecewiseZero(0.01)])
def test_weight_gives_the_gradient_at_the_logits(loss: Loss) -> None:
    logits, label, step = np.random.default_rng(0).standard_normal(5), 2, 1e-5
    p = np.exp(logits) / np.exp(logits).sum()
    odds = np.log(p[label] / (1.0 - p[label]))

    def value(o: Array) -> Any:
        q = np.exp(o[label]) / np.exp(o).sum()
        return loss.value(np.log(q / (1.0 - q)))

    numeric = [(value(logits + step * e) - value(logits - step * e)) / (2.0 * step) for e in np.eye(5)]
    # rounding 1e-16/step and the third derivative times step^2
    assert loss.weight(odds) * (p - np.eye(5)[label]) == pytest.approx(numeric, abs=1e-9)


# --- means over the data of one network ---


def drawn(networks: int, n_classes: int) -> Array:
    rng = np.random.default_rng(7)
    centres = 2.0 * rng.standard_normal((networks, 1, n_classes))
    return np.asarray(centres + rng.standard_normal((networks, 40, n_classes)))


@pytest.mark.parametrize("loss", LOSSES)
def test_means_are_those_of_the_data_one_by_one(loss: Loss) -> None:
    array = drawn(3, 4)
    found = losses.measured(array, loss)
    for i, o in enumerate(array):
        p = special.softmax(o, axis=1)
        r = np.log(p / (1.0 - p))
        gradients = loss.weight(r)[:, :, None] * (p[:, None, :] - np.eye(4))  # (data, label, logit)
        order = np.argsort(-p.mean(axis=0))
        # rounding of p and of its log-odds
        for name, expected in {
            "probability": p.mean(axis=0),
            "value": loss.value(r).mean(axis=0),
            "silent": loss.silent(r).mean(axis=0),
            "own": np.einsum("dkk->k", gradients) / len(o),
            "gradient": gradients.mean(axis=(0, 1)),
        }.items():
            assert getattr(found, name).draws[i] == pytest.approx(expected[order], rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_shift_of_all_logits_or_another_order_of_classes_changes_nothing(loss: Loss) -> None:
    array = drawn(4, 5)
    found, other = losses.measured(array, loss), losses.measured(array[:, :, ::-1] + 3.0, loss)
    for name in ("probability", "value", "silent", "own", "gradient"):
        # rounding of logits that were shifted by 3
        assert getattr(other, name).draws == pytest.approx(getattr(found, name).draws, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_add_up_to_zero_and_probabilities_to_one(loss: Loss) -> None:
    found = losses.measured(drawn(20, 6), loss)
    assert np.abs(found.gradient.draws.sum(axis=1)).max() < 1e-15  # 6 terms below 1
    assert np.abs(found.probability.draws.sum(axis=1) - 1.0).max() < 1e-14
    assert np.all(np.diff(found.probability.draws, axis=1) <= 0.0)
    assert np.all((found.silent.draws >= 0.0) & (found.silent.draws <= 1.0))


def test_one_class_that_has_everything_keeps_the_digits_of_the_others() -> None:
    array = np.array([[[0.0, -800.0, -900.0]]] * 2)
    found = losses.measured(array, CrossEntropy())
    # exp(-800) is no float: the loss of the favoured class is 0, those of the others are not rounded away
    assert found.value.draws[0].tolist() == [0.0, 800.0, 900.0]
    assert found.own.draws[0].tolist() == [0.0, -1.0, -1.0]


# --- laws over initialisations ---


def test_cross_entropy_of_ten_classes_has_its_exact_mean() -> None:
    prediction = igb.mlp(3, "relu").predict()
    q = prediction.var_mu + prediction.var_chi
    # E log S = int (exp(-t) - E exp(-t S)) dt/t, S a sum of ten log-normal variables; t = exp(s)
    s, z = np.arange(-60.0, 12.0, 0.05), np.arange(-9.0, 9.0, 0.05)
    weights = 0.05 * npdf(z)
    laplace = np.exp(-np.exp(s[:, None] + np.sqrt(q) * z)) @ weights
    expected = 0.05 * float(np.sum(np.exp(-np.exp(s)) - laplace**10))
    found = losses.predicted(prediction, CrossEntropy(), 10, networks=400, samples=200, seed=1)
    mean = found.value.draws.mean(axis=1)
    assert abs(mean.mean() - expected) < Z * mean.std() / np.sqrt(400)
    # whatever the network, p - 1 of the labels has the mean 1/M - 1
    assert found.own.draws.mean(axis=1) == pytest.approx(0.1 - 1.0, rel=1e-12)


def npdf(x: Any) -> Any:
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


@pytest.mark.parametrize("loss", [Blurry(0.5), slow(PiecewiseZero(0.9)), slow(Focal(2.0))])
def test_two_classes_have_the_means_of_a_double_integral(loss: Loss) -> None:
    prediction = igb.mlp(3, "relu").predict()
    cut = special.logit(loss.cut_off) if isinstance(loss, PiecewiseZero) else 0.0
    centre, spread = np.sqrt(2 * float(prediction.var_mu)), np.sqrt(2 * float(prediction.var_chi))

    x, w = np.polynomial.legendre.leggauss(12)

    def mean(of: Callable[[Any], Any], sign: float) -> float:
        """Mean over the favoured (sign 1) or other class: log-odds sign |m| + noise."""

        def given(m: float) -> float:
            r = np.linspace(-12.0, 12.0, 25) * spread + sign * m
            ends = np.unique(np.append(r, cut))
            half = np.diff(ends)[:, None] / 2
            at = ends[:-1, None] + half * (1 + x)
            return float(np.sum(half * w * of(at) * npdf((at - sign * m) / spread) / spread))

        return integrate.quad(lambda m: 2 * npdf(m / centre) / centre * given(m), 0, 9 * centre)[0]

    networks = 300
    found = losses.predicted(prediction, loss, 2, networks=networks, samples=2000, seed=2)
    for name, of in {
        "value": loss.value,
        "silent": lambda r: 1.0 * loss.silent(r),
        "own": lambda r: -loss.weight(r) * special.expit(-r),
    }.items():
        estimate = getattr(found, name).mean()
        for i, sign in enumerate((1.0, -1.0)):
            # which class is favoured is told from 2000 data: where both are within their scatter, in 1e-2 of the
            # networks, means of the two classes differ by their scatter, 2e-2 of a spread
            slack = 1e-3
            assert abs(estimate.value[i] - mean(of, sign)) < Z * estimate.error[i] + slack


@pytest.mark.parametrize("loss", every_second(LOSSES))
def test_finite_networks_have_the_predicted_means(loss: Loss) -> None:
    theory = losses.predicted(igb.mlp(2, "relu").predict(), loss, 5, networks=300, samples=200, seed=3)
    found = losses.simulated(igb.mlp(2, "relu"), loss, 5, networks=60, width=200, samples=200, seed=4)
    for name in ("probability", "value", "silent", "own", "gradient"):
        a, b = getattr(theory, name).mean(), getattr(found, name).mean()
        # of width 200 the variances differ from the limit by about 1/200 in each layer
        assert np.all(np.abs(a.value - b.value) <= Z * np.hypot(a.error, b.error) + 0.01 * np.abs(a.value))


@pytest.mark.parametrize(
    "network", [igb.mlp(2, "relu", norm="batch", batch_size=4, placement="after"), igb.mlp(1, "relu", norm="batch")]
)
def test_batches_are_predicted_with_their_correlations(network: igb.Network) -> None:
    loss, samples = CrossEntropy(), 8
    theory = losses.predicted(network.predict(), loss, 3, networks=500, samples=samples, seed=5)
    found = losses.simulated(network, loss, 3, networks=150, width=100, samples=samples, seed=6)
    a, b = theory.probability.mean(), found.probability.mean()
    assert np.all(np.abs(a.value - b.value) <= Z * np.hypot(a.error, b.error) + 0.01 * a.value)  # 1/width


def test_a_given_data_set_is_predicted_by_its_kernel() -> None:
    data = igb.standardised(igb.digits())[:60]
    network = igb.mlp(2, "relu")
    theory = losses.predicted(network.predict(data), CrossEntropy(), 4, networks=500, seed=7)
    found = losses.simulated(network, CrossEntropy(), 4, networks=60, width=300, seed=8, inputs=data)
    for name in ("probability", "value"):
        a, b = getattr(theory, name).mean(), getattr(found, name).mean()
        assert np.all(np.abs(a.value - b.value) <= Z * np.hypot(a.error, b.error) + 0.005 * a.value)  # 1/width


def test_cross_entropy_steers_a_prejudiced_start_and_losses_that_ignore_hard_data_do_not() -> None:
    prediction = PREJUDICED.predict()
    assert prediction.gamma > 3
    found = {
        loss: losses.predicted(prediction, loss, 10, networks=100, samples=200, seed=10)
        for loss in (*LOSSES, PiecewiseZero(0.5))
    }
    assert found[CrossEntropy()].steering().value == 1.0
    assert found[CrossEntropy()].strength().value == pytest.approx(1.0, rel=1e-12)
    assert found[Focal(2.0)].strength().value > 0.9
    held = found[Blurry(0.5)]
    assert held.steering().value == 1.0
    assert 0.0 < held.strength().value < 0.2
    assert found[Blurry(0.5, held=False)].steering().value == 0.0
    zero = found[PiecewiseZero(0.5)]
    # of the least favoured class no datum has a gradient, and descent raises the favoured one further
    assert zero.silent.mean().value[-1] > 0.999
    assert zero.steering().value < 0.05
    assert zero.strength().value < 0.0


def test_the_error_of_the_strength_is_its_scatter() -> None:
    """Over 400 runs of 50 networks, whose scatter is known to 4 %; the gradient varies with the excess of a class."""
    rng, runs = np.random.default_rng(0), []
    for _ in range(400):
        excess = 0.3 + 0.15 * rng.standard_normal(50)
        gradient = 0.5 * excess + 0.05 * rng.standard_normal(50)
        laws = (SampledLaw(np.stack([x, -x], axis=1)) for x in (excess + 0.5, *[excess] * 3, gradient))
        runs.append(losses.LossAtStart(CrossEntropy(), *laws).strength())
    values, errors = np.transpose([(run.value, run.error) for run in runs])
    assert values.mean() == pytest.approx(0.5, abs=5 * errors.mean() / 20)
    assert errors.mean() == pytest.approx(values.std(), rel=0.2)


def test_the_error_of_a_share_is_never_zero() -> None:
    found = losses.predicted(PREJUDICED.predict(), CrossEntropy(), 3, networks=50, samples=50).steering()
    assert (found.value, found.error > 0.0) == (1.0, True)


# --- laws known from draws ---


@pytest.mark.slow
def test_estimates_of_a_sampled_law_scatter_as_their_errors_say() -> None:
    """The largest share of two classes is a half and the distance of G0 from it, whose law is known."""
    n, runs, exact = 1000, 400, GuessLaw(1.5)
    laws = [ClassGuessLaw(1.5, 2).largest(n, seed) for seed in range(runs)]
    mean = exact.majority()
    expected = {
        "mean": mean,
        "std": np.sqrt(exact.var() - (mean - 0.5) ** 2),
        "cdf": 2 * exact.cdf(0.8) - 1,
        "ppf": exact.ppf(0.95),
    }
    found = {
        "mean": [law.mean() for law in laws],
        "std": [law.std() for law in laws],
        "cdf": [law.cdf(0.8) for law in laws],
        "ppf": [law.ppf(0.9) for law in laws],
    }
    for name, estimates in found.items():
        pulls = np.array([(e.value - expected[name]) / e.error for e in estimates])
        # 400 pulls: the mean scatters by 1/20 and the standard deviation by 1/28; a variance of a skew law and half
        # the gap of quantiles are rougher
        assert abs(pulls.mean()) < 0.35
        assert 0.75 < pulls.std() < 1.3


# --- accuracy ---

fractions = st.lists(st.floats(0.001, 1.0), min_size=2, max_size=8).map(lambda x: np.array(x) / np.sum(x))


@untimed
@given(fractions, st.randoms(use_true_random=False))
def test_bounds_lie_in_order_between_the_chance_level_and_one(f: Array, random: Any) -> None:
    tight, loose = accuracy_bound(f), loose_accuracy_bound(f)
    assert 1.0 / f.size - 1e-12 <= tight <= loose + 1e-12 <= 1.0 + 2e-12
    assert accuracy_bound(f, f) == pytest.approx(1.0, rel=1e-12)
    order = random.sample(range(f.size), f.size)
    assert accuracy_bound(f[order]) == pytest.approx(tight, rel=1e-12)
    assert accuracy_bound(f, f[order]) == pytest.approx(accuracy_bound(f[order], f), rel=1e-12)


def test_the_tight_bound_is_the_best_of_all_labellings() -> None:
    for guesses, labels in product(
        [(0, 0, 0, 1, 2), (0, 0, 1, 1, 1), (2, 2, 2, 2, 2)], [(0, 1, 1, 2, 2), (0, 0, 0, 0, 1)]
    ):
        best = max(np.mean(np.array(order) == guesses) for order in permutations(labels))
        f, pi = (np.bincount(x, minlength=3) / 5 for x in (guesses, labels))
        assert accuracy_bound(f, pi) == pytest.approx(best, abs=1e-15)


def test_of_two_balanced_classes_both_bounds_are_the_same() -> None:
    f = np.random.default_rng(0).dirichlet([1.0, 1.0], 100)
    assert accuracy_bound(f) == pytest.approx(loose_accuracy_bound(f), rel=1e-14)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_expected_bounds_at_initialisation_have_their_limits(n_classes: int) -> None:
    neutral = accuracy_bounds(ClassGuessLaw(0.0, n_classes), draws=100)
    assert neutral.tight.mean().value == pytest.approx(1.0, rel=1e-12)
    prejudiced = accuracy_bounds(ClassGuessLaw(np.inf, n_classes), draws=100)
    assert prejudiced.tight.mean().value == pytest.approx(1.0 / n_classes, rel=1e-12)
    assert prejudiced.loose.mean().value == pytest.approx(1.0 / n_classes, rel=1e-12)
    bounds = [accuracy_bounds(ClassGuessLaw(gamma, n_classes), draws=4000) for gamma in (0.1, 1.0, 10.0)]
    assert np.all(np.diff([b.tight.mean().value for b in bounds]) < 0.0)
    for b in bounds:
        assert np.all(b.tight.draws <= b.loose.draws + 1e-12)


def test_the_expected_bound_of_two_classes_is_that_of_the_majority() -> None:
    found = accuracy_bounds(ClassGuessLaw(1.5, 2)).tight.mean()
    assert abs(found.value - (1.5 - igb.GuessLaw(1.5).majority())) < Z * found.error


def test_rare_classes_bound_the_accuracy_by_their_proportions() -> None:
    pi = np.array([0.7, 0.2, 0.1])
    found = accuracy_bounds(ClassGuessLaw(np.inf, 3), pi, draws=5000).tight.mean()
    # one class gets all, each as often: 1/3 of the time the accuracy is the proportion of one of them
    assert abs(found.value - 1 / 3) < Z * found.error


# --- bad input ---


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: PiecewiseZero(1.5), "cut_off: expected a probability from 0 to 1, got 1.5"),
        (lambda: PiecewiseZero(-0.1), "cut_off: expected a probability from 0 to 1, got -0.1"),
        (lambda: PiecewiseZero(float("nan")), "cut_off: expected a probability"),
        (lambda: Blurry(-1.0), "expected exponent of Blurry >= 0 and finite, got -1.0"),
        (lambda: Focal(np.inf), "exponent of Focal"),
        (lambda: losses.predicted(PREJUDICED.predict(), CrossEntropy(), 1), "n_classes"),
        (lambda: losses.predicted(igb.mlp(1, "relu", sigma_w2=np.ones(2)).predict(), CrossEntropy(), 3), "sweep"),
        (lambda: losses.predicted(PREJUDICED.predict(), CrossEntropy(), 3, networks=1), "networks"),
        (lambda: losses.measured([np.zeros((3, 2))], CrossEntropy()), "at least two networks"),
        (lambda: losses.measured([np.zeros(3)] * 2, CrossEntropy()), "n_samples, n_classes"),
        (lambda: losses.measured([np.full((3, 2), np.nan)] * 2, CrossEntropy()), "finite outputs"),
        (
            lambda: losses.simulated(igb.mlp(2, "relu", sigma_w2=1e30), CrossEntropy(), 2, networks=2, width=4),
            "they overflow",
        ),
        (lambda: accuracy_bound([0.5, 0.6]), "fractions: expected numbers that sum to 1, got the sum 1.1"),
        (lambda: accuracy_bound([1.5, -0.5]), "fractions: expected numbers from 0 to 1, got 1.5"),
        (lambda: accuracy_bound([0.5, 0.5], [0.5, 0.4]), "proportions: expected numbers that sum to 1"),
        (lambda: accuracy_bound([0.5, 0.5], [0.2, 0.3, 0.5]), "proportions: expected 2 of them"),
        (lambda: accuracy_bound([1.0]), "fractions: expected one number a class"),
    ],
)
def test_bad_input_is_refused_in_words(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


def test_what_is_no_prediction_or_loss_is_a_wrong_kind() -> None:
    with pytest.raises(TypeError, match=r"pass net\.predict"):
        losses.predicted(PREJUDICED, CrossEntropy(), 3)
    with pytest.raises(TypeError, match="expected a loss"):
        losses.measured(drawn(2, 3), "cross-entropy")


# --- the command line ---


@pytest.mark.parametrize(("data", "target"), [(None, 2.31), (None, 30.0), (40, 3.0)])
def test_a_scaled_last_layer_has_the_wanted_loss(data: int | None, target: float) -> None:
    """The mean cross-entropy of 4,000 draws of independent outputs, from log(sum(exp(outputs))) less a mean output."""
    net = igb.mlp(2, "relu", sigma_b2=0.2)
    prediction = net.predict() if data is None else net.predict(igb.digits()[:data])
    variances = [float(prediction.var_mu + prediction.var_chi)] if data is None else np.diagonal(prediction.kernel())
    scale = losses.output_scale(prediction, 10, target)
    deviations = scale * np.sqrt(np.resize(variances, 4000))
    draws = special.logsumexp(deviations[:, None] * np.random.default_rng(0).standard_normal((4000, 10)), axis=1)
    assert abs(draws.mean() - target) < Z * draws.std() / 4000**0.5
    assert Z * draws.std() / 4000**0.5 < 0.05 * target


@pytest.mark.parametrize(
    ("target", "classes", "match"), [(2.3, 10, r"above log\(10\)"), (np.nan, 2, "above"), (1e4, 10, "at most 76.96")]
)
def test_losses_that_no_last_layer_has_are_refused(target: float, classes: int, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        losses.output_scale(igb.mlp(1).predict(), classes, target)
    with pytest.raises(TypeError, match=r"net\.predict\(\)"):
        losses.output_scale(igb.mlp(1), classes, 3.0)
    with pytest.raises(ValueError, match="loop over its values"):
        losses.output_scale(igb.mlp(1, sigma_w2=[1.0, 2.0]).predict(), classes, 3.0)


def test_the_command_line_prints_what_the_library_knows(capsys: pytest.CaptureFixture[str]) -> None:
    tokens = ["losses", "--depth", "2", "--classes", "3", "--networks", "20", "--samples", "30", "--cut-off", "0.2"]
    assert main([*tokens, "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    expected = losses.predicted(igb.mlp(2, "relu").predict(), PiecewiseZero(0.2), 3, networks=20, samples=30)
    found = got["losses"]["piecewise-zero"]
    assert found["loss"] == "PiecewiseZero(cut_off=0.2)"
    assert found["silent"]["mean"]["value"] == expected.silent.mean().value.tolist()
    assert found["strength"] == {"value": expected.strength().value, "error": expected.strength().error}
    assert main(tokens) == 0
    out = capsys.readouterr().out
    assert "20 networks infinitely wide, 3 classes" in out
    assert all(name in out for name in got["losses"])


def test_the_command_line_draws_finite_networks(capsys: pytest.CaptureFixture[str]) -> None:
    tokens = ["--depth", "1", "--classes", "3", "--networks", "4", "--samples", "5", "--width", "8"]
    assert main(["losses", *tokens, "--json"]) == 0
    got = json.loads(capsys.readouterr().out)
    network = igb.mlp(1, "relu")
    expected = losses.simulated(network, CrossEntropy(), 3, networks=4, samples=5, width=8)
    assert got["losses"]["cross-entropy"]["value"]["mean"]["value"] == expected.value.mean().value.tolist()


def test_the_command_line_refuses_bad_input_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["losses", "--cut-off", "2"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("igb: error: --cut-off: expected a probability from 0 to 1, got 2.0")
    assert err.count("\n") == 1
