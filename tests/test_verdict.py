"""The verdict on an activation: its laws, its values, and what it says of sequences whose tendency is known."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import igbtheory as igb
from igbtheory.formulas import FUNCTIONS
from igbtheory.formulas.reader import read
from igbtheory.verdict import ROUNDING, Verdict, verdict
from igbtheory.verdict.formula_text import text
from igbtheory.verdict.limit import by_map
from igbtheory.verdict.tendency import by_tail

DEPTH = np.arange(1.0, 101)
FAST = [name for name, phi in FUNCTIONS.items() if phi.closed is not None or not phi.pieces.kinks]
ODD = [name for name, phi in FUNCTIONS.items() if phi.parity < 0]


def limit(found: Verdict) -> tuple[float, float]:
    assert found.course.tendency.word == "settles"
    return found.course.tendency.limit, found.course.tendency.error


@pytest.mark.parametrize("name", ODD)
def test_an_odd_activation_without_biases_never_biases(name: str) -> None:
    found = verdict(name, depth=10)
    assert not found.is_biased
    assert found.mean == found.shift == 0
    assert found.causes == ()
    assert np.all(found.course.gamma == 0)
    assert found.course.tendency.word == "stays 0"
    assert found.effect == "none"
    assert found.shifted is found.course


@pytest.mark.parametrize("sigma_w2", [1e-3, 1.0, 7.0])
def test_gamma_of_a_homogeneous_activation_does_not_depend_on_sigma_w2(sigma_w2: float) -> None:
    found, reference = verdict("leaky_relu", sigma_w2, depth=30), verdict("leaky_relu", depth=30)
    assert np.allclose(found.course.gamma, reference.course.gamma, rtol=1e-12, atol=0)
    assert found.course.tendency.rate == pytest.approx(reference.course.tendency.rate, rel=1e-9)


@pytest.mark.parametrize("name", [*FAST, "hardtanh"])
def test_the_course_is_that_of_mlp(name: str) -> None:
    found = verdict(name, 1.3, 0.05, depth=8, inputs=igb.GaussianInputs(0.3, 0.8))
    reached = found.course.reached
    expected = igb.mlp(reached, name, sigma_w2=1.3, sigma_b2=0.05).predict(igb.GaussianInputs(0.3, 0.8))
    assert reached == 8
    assert np.array_equal(found.course.gamma, expected.per_layer.gamma)
    assert found.course.prediction.G0.std() == expected.G0.std()
    assert found.course.prediction.regime == expected.regime


def test_a_course_that_stands_still_is_continued_by_what_it_is() -> None:
    found = verdict("sign", 1.5, 0.1, depth=300)
    assert found.course.still is not None
    expected = igb.mlp(300, "sign", sigma_w2=1.5, sigma_b2=0.1).predict().per_layer.gamma
    assert np.allclose(found.course.gamma, expected, rtol=1e-11, atol=0)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_shift_removes_the_bias_at_depth_1(name: str) -> None:
    found = verdict(name, depth=1)
    assert found.shift == found.mean
    # gamma is the square of the mean that is left: an error of 1e-12 in a mean is 1e-24 in gamma
    assert found.shifted.gamma[1] <= ROUNDING
    assert found.is_biased == (FUNCTIONS[name].parity >= 0)


def test_the_shift_of_relu_is_the_papers() -> None:
    found = verdict("relu")
    assert found.shift == pytest.approx(1 / np.sqrt(np.pi), rel=1e-14)
    assert found.shifted.first_beyond(0.1) == 3
    assert found.shifted.first_beyond(1) == 6
    assert found.shifted.first_beyond(1e9) is None
    expected = igb.mlp(4, f"max(x, 0) - {found.shift!r}").predict().per_layer.gamma
    assert np.allclose(found.shifted.gamma[2:5], expected[2:], rtol=1e-9, atol=0)


def test_relu_amplifies_like_the_square_of_the_depth() -> None:
    found = verdict("relu")
    assert found.gamma == pytest.approx(1 / (np.pi - 1), rel=1e-14)
    assert found.effect == "amplifies"
    assert found.course.tendency.form == "power"
    assert found.course.tendency.rate == pytest.approx(2, abs=0.01)
    deep = igb.mlp(4000).predict().per_layer.gamma
    assert np.log2(deep[4000] / deep[2000]) == pytest.approx(2, abs=0.02)


def test_tanh_in_the_chaotic_phase_saturates_where_deep_networks_are() -> None:
    found = verdict("tanh", 4.0, 0.1)
    value, error = limit(found)
    assert found.effect == "saturates"
    assert value == pytest.approx(igb.mlp(400, "tanh", sigma_w2=4.0, sigma_b2=0.1).predict().gamma, abs=error)
    assert error < 1e-8


def test_tanh_in_the_ordered_phase_grows_by_the_inverse_slope_a_layer() -> None:
    found = verdict("tanh", 0.5, 0.1)
    assert found.effect == "amplifies"
    assert found.course.tendency.form == "exponential"
    q = np.sqrt(found.course.q[-1])
    z, weights = np.polynomial.hermite_e.hermegauss(80)
    slope = 0.5 * np.sum(weights / np.cosh(q * z) ** 4) / np.sum(weights)
    assert found.course.tendency.rate == pytest.approx(1 / slope, rel=1e-7)


def test_an_odd_activation_forgets_the_shift_of_its_inputs() -> None:
    found = verdict("erf", 4.0, inputs=igb.GaussianInputs(0.5))
    assert found.effect == "removes"
    assert found.course.tendency.form == "exponential"
    gamma = found.course.gamma
    assert found.course.tendency.rate == pytest.approx(gamma[-1] / gamma[-2], rel=1e-6)


@pytest.mark.parametrize(
    ("sigma_b2", "shift", "names"),
    [(0.0, 0.0, ["mean"]), (0.1, 0.0, ["mean", "centres", "biases"]), (0.0, 0.5, ["mean", "centres"])],
)
def test_the_causes_are_told_apart_and_add_up(sigma_b2: float, shift: float, names: list[str]) -> None:
    found = verdict("relu", 2.0, sigma_b2, 1, igb.GaussianInputs(shift))
    assert [cause.name for cause in found.causes] == names
    assert sum(cause.share for cause in found.causes) == pytest.approx(1, rel=1e-14)
    assert found.mean == pytest.approx(np.sqrt(found.course.q[0] / (2 * np.pi)), rel=1e-12)
    shares = {cause.name: cause.share for cause in found.causes}
    assert shares["mean"] * found.course.prediction.var_mu == pytest.approx(2 * found.mean**2, rel=1e-12)


def test_a_variance_out_of_range_ends_the_course_and_is_told() -> None:
    found = verdict("squared_relu")
    assert found.course.reached < 12
    assert "too large" in found.course.stopped
    assert found.course.q_tendency.form == "faster"
    # homogeneous: gamma needs no q, and its limit is known all the same
    assert limit(found)[0] == pytest.approx(0.6127902082, rel=1e-8)
    assert verdict("squared_relu", 0.1).course.q_tendency.limit == 0


def test_a_verdict_on_inaccurate_numbers_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igbtheory.verdict.result.PROMISED", 1e-17)
    with pytest.warns(igb.AccuracyWarning, match="relative error of the variances"):
        verdict("relu", depth=2)


def test_a_limit_lies_within_its_error() -> None:
    # without the map of gamma: q dies out, so that the tail alone decides
    short, deep = verdict("gelu", depth=60), verdict("gelu", depth=400)
    value, error = limit(short)
    assert abs(value - deep.course.gamma[-1]) <= error < 1e-6


@pytest.mark.parametrize(
    ("values", "word", "form", "rate"),
    [
        (3 * 1.1**DEPTH, "grows", "exponential", 1.1),
        (0.9**DEPTH, "tends to 0", "exponential", 0.9),
        ((DEPTH + 40) ** 2, "grows", "power", 2.0),
        (DEPTH + 3000, "grows", "power", 1.0),
        (1 + 1e-9 * DEPTH, "undecided", "", None),
        (1 / (DEPTH + 5), "tends to 0", "power", -1.0),
        (np.exp(3 * np.sqrt(DEPTH)), "grows", "slower", None),
        (2.0 ** (2.0 ** np.minimum(DEPTH[:9], 9)), "grows", "faster", None),
        (5 - 2 * 0.9**DEPTH, "settles", "", None),
        (5 + 2 / DEPTH, "settles", "", None),
        (5 + (-0.8) ** DEPTH, "settles", "", None),
        (np.full(100, 5.0), "settles", "", None),
        (np.log(DEPTH + 1), "undecided", "", None),
        (5 + np.sin(DEPTH), "undecided", "", None),
        (DEPTH[:3], "undecided", "", None),
    ],
)
def test_the_tendency_of_known_sequences(values: Any, word: str, form: str, rate: float | None) -> None:
    found = by_tail(values)
    assert (found.word, found.form) == (word, form)
    if rate is not None:
        assert found.rate == pytest.approx(rate, rel=1e-4)
    if word == "settles":
        assert abs(found.limit - 5) <= found.error
    assert str(found).startswith(("grows", "tends to", "is undecided"))


@pytest.mark.parametrize(
    ("following", "word", "rate"),
    [
        (lambda g: g + np.sqrt(g), "grows", 2.0),
        (lambda g: g + 1, "grows", 1.0),
        (lambda g: 1.5 * g, "grows", 1.5),
        (lambda g: g / (1 + g), "tends to 0", -1.0),
        (lambda g: 0.5 * g, "tends to 0", 0.5),
        (lambda g: 0.5 * g + 1.5, "settles", None),
        (lambda g: g, "settles", None),
    ],
)
def test_the_tendency_of_known_maps(following: Any, word: str, rate: float | None) -> None:
    found = by_map(following, 3.0, 1e-10)
    assert found.word == word
    if rate is None:
        assert found.limit == pytest.approx(3.0, abs=found.error + 1e-12)
    else:
        assert found.rate == pytest.approx(rate, rel=1e-3)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("rellu",), ValueError, "did you mean"),
        (("relu", -1.0), ValueError, "sigma_w2 >= 0"),
        (("relu", 0.0), ValueError, "data that vary"),
        (("relu", np.ones(2)), TypeError, "one sigma_w2"),
        (("relu", 2.0, 0.0, 0), ValueError, "depth >= 1"),
        (("relu", 2.0, 0.0, 5, np.ones((3, 3))), TypeError, "GaussianInputs"),
        (("relu", 2.0, 0.0, 5, igb.GaussianInputs(0.0, 0.0)), ValueError, "data that vary"),
        (("relu", 2.0, 0.0, 5, igb.GaussianInputs(np.zeros(2))), TypeError, "one shift"),
        (("where(x > 1000, 1, 0)",), ValueError, "nothing to guess by"),
    ],
)
def test_what_is_no_question_is_refused(arguments: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        verdict(*arguments)


@pytest.mark.parametrize(
    "formula",
    ["x*tanh(x)", "-x**2/(1 + x**2)", "(x + 1)**(-2)", "2**x - 3", "1 - exp(-x/3)*sin(2*x)", "sqrt(1 + x**2)", "pi*x"],
)
def test_the_text_of_a_formula_reads_as_the_formula(formula: str) -> None:
    tree = read(formula)
    assert read(text(tree)) == tree


def test_gamma_grows_without_a_jump_between_the_words() -> None:
    """The limit of tanh grows on the way to the edge of chaos, beyond which gamma has none."""
    limits = [verdict("tanh", sigma_w2, 0.1).course.tendency.limit for sigma_w2 in (4.0, 3.0, 2.2, 2.0, 1.6)]
    assert all(a < b for a, b in pairwise(limits))
    assert limits[-1] == np.inf
