"""The verdict on an activation: its laws, its values, and where it says that gamma goes with depth."""

import importlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from repeated import slow

import igbtheory as igb
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.phases import verdict

FAST = [name for name, phi in FUNCTIONS.items() if phi.closed is not None or not phi.pieces.kinks]
ODD = [name for name, phi in FUNCTIONS.items() if phi.parity < 0]


@pytest.mark.parametrize("name", [slow(name) if name in {"softsign", "hardtanh"} else name for name in ODD])
def test_an_odd_activation_without_biases_never_biases(name: str) -> None:
    found = verdict(name, depth=10)
    assert not found.is_biased
    assert found.mean == found.shift == 0
    assert found.causes == ()
    assert np.all(found.course.gamma == 0)
    assert found.course.rate.limit == 0
    assert str(found.course.rate) == "stays 0"
    assert found.effect == "none"
    assert found.shifted is found.course


@pytest.mark.parametrize("sigma_w2", [1e-3, 1.0, 7.0])
def test_gamma_of_a_homogeneous_activation_does_not_depend_on_sigma_w2(sigma_w2: float) -> None:
    found, reference = verdict("leaky_relu", sigma_w2, depth=30), verdict("leaky_relu", depth=30)
    assert np.allclose(found.course.gamma, reference.course.gamma, rtol=1e-12, atol=0)
    assert found.course.rate.constant == pytest.approx(reference.course.rate.constant, rel=1e-9)


@pytest.mark.parametrize("name", [*FAST, "hardtanh"])
def test_the_course_is_that_of_mlp(name: str) -> None:
    found = verdict(name, 1.3, 0.05, depth=8, inputs=igb.GaussianInputs(0.3, 0.8))
    reached = found.course.reached
    expected = igb.mlp(reached, name, sigma_w2=1.3, sigma_b2=0.05).predict(igb.GaussianInputs(0.3, 0.8))
    assert reached == 8
    np.testing.assert_allclose(found.course.gamma, expected.per_layer.gamma, rtol=1e-14)
    assert found.course.prediction.G0.std() == pytest.approx(expected.G0.std(), rel=1e-14)
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
    assert found.shifted.gamma[1] <= 1e-24
    assert found.is_biased == (FUNCTIONS[name].parity >= 0)


def test_the_shift_of_relu_is_the_papers() -> None:
    found = verdict("relu")
    assert found.shift == pytest.approx(1 / np.sqrt(np.pi), rel=1e-14)
    assert found.shifted.first_beyond(0.1) == 3
    assert found.shifted.first_beyond(1) == 6
    assert found.shifted.first_beyond(1e9) is None
    assert found.shifted.first_beyond(float(found.shifted.gamma[3])) == 4  # beyond, and not at
    assert "the bias at depth 1 (gamma = 0)" in str(found)
    expected = igb.mlp(4, f"max(x, 0) - {found.shift!r}").predict().per_layer.gamma
    assert np.allclose(found.shifted.gamma[2:5], expected[2:], rtol=1e-9, atol=0)


def test_relu_amplifies_like_the_square_of_the_depth() -> None:
    found = verdict("relu")
    assert found.gamma == pytest.approx(1 / (np.pi - 1), rel=1e-14)
    assert found.effect == "amplifies"
    assert (found.course.rate.form, found.course.rate.rate) == ("power", 2)
    deep = igb.mlp(1000).predict().per_layer.gamma
    assert np.log2(deep[1000] / deep[500]) == pytest.approx(2, abs=0.06)  # corrections are a few times log(l)/l = 0.01


def test_tanh_in_the_chaotic_phase_saturates_where_deep_networks_are() -> None:
    found = verdict("tanh", 4.0, 0.1)
    assert found.effect == "saturates"
    deep = igb.mlp(400, "tanh", sigma_w2=4.0, sigma_b2=0.1).predict().gamma
    assert found.course.rate.limit == pytest.approx(deep, rel=1e-11)  # 0.86^400 is nothing: rounding is left


def test_tanh_in_the_ordered_phase_grows_by_the_inverse_slope_a_layer() -> None:
    found = verdict("tanh", 0.5, 0.1)
    assert found.effect == "amplifies"
    assert found.course.rate.form == "exponential"
    q = np.sqrt(found.course.q[-1])
    z, weights = np.polynomial.hermite_e.hermegauss(80)
    slope = 0.5 * np.sum(weights / np.cosh(q * z) ** 4) / np.sum(weights)
    assert found.course.rate.rate == pytest.approx(1 / slope, rel=1e-11)


def test_an_odd_activation_forgets_the_shift_of_its_inputs() -> None:
    found = verdict("erf", 4.0, inputs=igb.GaussianInputs(0.5))
    assert found.effect == "removes"
    assert found.course.rate.limit == 0
    gamma = found.course.gamma
    # a layer differs from the limit still
    assert found.course.rate.rate == pytest.approx(gamma[-1] / gamma[-2], rel=1e-6)


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
    assert found.course.variance.q == np.inf
    # homogeneous: gamma needs no q, and its limit is known all the same
    assert found.course.rate.limit == pytest.approx(0.6127902082, rel=1e-8)
    assert verdict("squared_relu", 0.1).course.variance.q == 0
    assert verdict("squared_relu", 0.1).course.rate.limit == pytest.approx(0.6127902082, rel=1e-8)


def test_a_verdict_on_inaccurate_numbers_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("igbtheory.phases.verdict"), "PROMISED", 1e-17)
    with pytest.warns(igb.AccuracyWarning, match="relative error of the variances"):
        verdict("relu", depth=2)


@pytest.mark.parametrize(("name", "sigma_w2"), [("gelu", 2.0), ("elu", 0.95)])
@pytest.mark.slow
def test_gamma_keeps_what_the_first_layers_gave_it_where_the_network_becomes_linear(name: str, sigma_w2: float) -> None:
    found = verdict(name, sigma_w2, depth=10)
    deep = igb.mlp(450, name, sigma_w2=sigma_w2).predict().gamma
    assert found.effect == "saturates"
    # q falls by the factor sigma_w2/4, or sigma_w2, a layer, and gamma goes to its limit as q does
    assert found.course.rate.limit == pytest.approx(deep, rel=1e-4)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("rellu",), ValueError, "did you mean"),
        (("relu", -1.0), ValueError, "sigma_w2 >= 0"),
        (("relu", 0.0), ValueError, "sigma_w2 > 0"),
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


def test_many_kinks_are_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verdict("relu", depth=2)
    for most, kinks in ((0, "..."), (1, "0")):
        monkeypatch.setattr(importlib.import_module("igbtheory.phases.verdict_text"), "MOST", most)
        assert f"kinks at {kinks};" in str(found)


@pytest.mark.slow
def test_gamma_grows_without_a_jump_between_the_words() -> None:
    """The limit of tanh grows on the way to the edge of chaos, beyond which gamma has none."""
    limits = [verdict("tanh", sigma_w2, 0.1).course.rate.limit for sigma_w2 in (4.0, 3.0, 2.2, 2.0, 1.6)]
    assert all(a < b for a, b in pairwise(limits))
    assert limits[-1] == np.inf


@pytest.mark.parametrize("name", ["sigmoid", slow("hardsigmoid")])
def test_rounding_of_an_odd_shifted_activation_is_not_taken_for_a_bias(name: str) -> None:
    """The function sigmoid(x) - 1/2 is odd: what its values leave of 0 grows against a variance that vanishes."""
    found = verdict(name)
    assert found.shift == pytest.approx(0.5, rel=1e-14)
    assert np.all(found.shifted.gamma == 0)
    assert str(found.shifted.rate) == "stays 0"


@pytest.mark.parametrize(
    ("activation", "sigma_w2", "sigma_b2", "power"),
    [
        slow(("x*sign(x-1)", 2.0, 0.1, 2)),
        slow(("x*sign(x-1)", 1.5, 0.0, 2)),
        ("x*sign(x-1)", 1.0, 0.1, 1),  # q grows like the depth
        slow(("x+1", 1.0, 0.0, 1)),
        slow(("where(x>1, x+1, 0)", 2.0, 0.1, 2)),  # q grows like the square of the depth
    ],
)
def test_an_activation_that_jumps_has_the_limit_of_its_own_course(
    activation: str, sigma_w2: float, sigma_b2: float, power: int
) -> None:
    """The mean square of x sign(x - 1) is q at every q, but its jump counts less at large q: it is not homogeneous."""
    depth = 120
    found = verdict(activation, sigma_w2, sigma_b2, depth).course
    assert found.rate.limit == np.inf
    assert found.rate.rate == pytest.approx(power, rel=1e-12)
    # the next term falls like 1/depth to 1/sqrt(depth): here it changes the power by less than a tenth
    seen = np.log2(found.gamma[depth] / found.gamma[depth // 2])
    assert seen == pytest.approx(power, abs=0.1)
    if not np.isnan(found.rate.constant):
        assert found.gamma[depth] == pytest.approx(found.rate.constant * depth**power, rel=0.1)


@pytest.mark.parametrize(
    ("sigma_w2", "sigma_b2"),
    [(0.8, 0.1), (1.0, 0.0)],  # with the second, every variance stays what it is
)
@pytest.mark.slow
def test_a_jump_off_zero_settles_where_its_own_course_does(sigma_w2: float, sigma_b2: float) -> None:
    for variance in (1.0, 3.0):
        found = verdict("x*sign(x-1)", sigma_w2, sigma_b2, depth=1000, inputs=igb.GaussianInputs(0.0, variance)).course
        assert found.rate.limit == pytest.approx(found.gamma[-1], rel=1e-9)


@pytest.mark.parametrize(
    ("activation", "power"),
    # gamma of softplus grows like exp(constant depth^(2/3)), so its power doubles as often as depth^(2/3) does
    [("softplus", 10.0), ("elu", 1.0)],
)
@pytest.mark.slow
def test_a_slope_that_nears_1_slowly_decides_how_gamma_grows(activation: str, power: float) -> None:
    """At sigma_w2 = 2 both become ReLU at large variances, whose gamma grows like depth^2."""
    found = verdict(activation, 2.0, 0.0, depth=200)
    assert (found.effect, found.course.rate.form) == ("amplifies", "undecided")
    gamma = found.course.gamma  # the power of ELU is 1.14 here, 1.09 at twice the depth and 1.03 at 3000
    seen = np.log2(gamma[200] / gamma[100])
    assert seen > power if activation == "softplus" else seen == pytest.approx(power, abs=0.2)


@pytest.mark.slow
def test_a_limit_that_biases_and_jumps_decide_together_is_not_claimed() -> None:
    assert verdict("x+0.3*sign(x)", 1.0, 0.1, depth=10).effect == "undecided"  # gamma is 0.469 at depth 1000


def test_gamma_has_a_limit_where_the_activation_is_homogeneous_at_large_arguments_only() -> None:
    # x^2 - s is x^2 there, and c = 1/2 is the fixed point of c -> (1 + 2 c^2)/3: gamma tends to 1
    found = verdict("x**2")
    assert found.course.rate.limit == pytest.approx(1, rel=1e-12)
    assert found.shifted.rate.limit == pytest.approx(1, rel=1e-5)  # asked at q = 2e7
