"""Gradients class by class: single integrals beside plain quadrature and draws, and what deep prejudice does."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import math

import mpmath
import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.phases import ClassGradients, class_gradients

LIMITED = settings(max_examples=15, deadline=None)


@LIMITED
@given(st.floats(0, 100), st.lists(st.floats(-8, 8), min_size=2, max_size=6))
@pytest.mark.slow
def test_gradients_are_ordered_as_the_centres_and_do_not_see_their_origin(var_chi: float, centres: list[float]) -> None:
    law = ClassGradients(1.0, var_chi, len(centres))
    found = law.given(centres)
    assert np.all((found > 0) & (found < 2))
    assert np.all(np.diff(found[np.argsort(centres)]) <= 1e-12)
    assert law.given(np.array(centres) + 3.7) == pytest.approx(found, rel=1e-11, abs=1e-14)
    assert law.given(centres[::-1]) == pytest.approx(found[::-1], rel=1e-11, abs=1e-14)


@LIMITED
@given(st.lists(st.floats(-8, 8), min_size=2, max_size=6))
@pytest.mark.slow
def test_without_scatter_over_the_data_it_is_the_softmax_of_the_centres(centres: list[float]) -> None:
    p = scipy.special.softmax(centres)
    expected = [float(np.square(p - one).sum()) for one in np.eye(len(centres))]
    assert ClassGradients(1.0, 0.0, len(centres)).given(centres) == pytest.approx(expected, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("var_chi", [0.02, slow(0.8), slow(0.999), 1.0, slow(3.0), 400.0])
@pytest.mark.parametrize("gap", [slow(0.0), 1.3, slow(7.0)])
def test_two_classes_agree_with_one_quadrature_over_the_difference(var_chi: float, gap: float) -> None:
    with mpmath.workdps(20):
        sd = mpmath.sqrt(2 * mpmath.mpf(var_chi))
        ends = [-12, -gap / sd - 3 / sd, -gap / sd, -gap / sd + 3 / sd, 0, 12]
        favoured, other = (
            2 * mpmath.quad(lambda z, s=s: mpmath.npdf(z) / (1 + mpmath.exp(s * (gap + sd * z))) ** 2, sorted(ends))
            for s in (1, -1)
        )
    found = ClassGradients(1.0, var_chi, 2).given([gap / 2, -gap / 2])
    assert found == pytest.approx([float(favoured), float(other)], rel=1e-10, abs=1e-14)


def test_ten_classes_agree_with_draws() -> None:
    rng = np.random.default_rng(3)
    centres = 1.5 * rng.standard_normal(10)
    p = scipy.special.softmax(centres + 2 * rng.standard_normal((200_000, 10)), axis=1)
    squares = np.square(p).sum(axis=1, keepdims=True) - 2 * p + 1
    z = (ClassGradients(1.0, 4.0, 10).given(centres) - squares.mean(axis=0)) / squares.std(axis=0) * math.sqrt(len(p))
    assert np.all(np.abs(z) < 5.3)  # ten of them: once in a million


@pytest.mark.slow
def test_the_mean_over_initialisations_is_that_of_the_draws() -> None:
    law = ClassGradients(2.0, 1.0, 5)
    drawn = law.rvs(2_000, random_state=1).mean(axis=1)  # over the labels
    assert abs(drawn.mean() - law.mean) < 5 * drawn.std() / math.sqrt(len(drawn))


@pytest.mark.slow
def test_quantiles_are_those_of_the_draws() -> None:
    law = ClassGradients(2.0, 1.0, 2)
    drawn, p = law.rvs(6_000, random_state=2), np.array([0.1, 0.5, 0.9])
    below = (drawn[:, None, :] <= law.ppf(p)).mean(axis=0)
    assert np.all(np.abs(below - p[:, None]) < 5 * np.sqrt(p * (1 - p) / len(drawn))[:, None])


def test_deep_prejudice_silences_the_favoured_class_where_outputs_are_large() -> None:
    # above the critical line the outputs of relu grow, and their centres outgrow their scatter as the square of depth
    deep = class_gradients(igb.mlp(1000, "relu", sigma_w2=2.1).predict())
    assert deep.ppf(0.9)[0] < 1e-9
    assert deep.ppf(0.1)[1] > 1.999
    # at the same gamma on the critical line outputs are of order 1, and so are both gradients
    critical = class_gradients(igb.mlp(1000, "relu").predict())
    assert critical.var_mu / critical.var_chi == pytest.approx(deep.var_mu / deep.var_chi, rel=1e-9)
    assert 0.05 < critical.ppf(0.5)[0] < 0.4
    assert 0.6 < critical.ppf(0.5)[1] < 1.8
    # a neutral network treats both alike, however large its outputs
    neutral = class_gradients(igb.mlp(60, "leaky_relu", norm="batch", placement="after", sigma_w2=1e4).predict())
    assert neutral.ppf(0.5) == pytest.approx(1.0, abs=0.02)


def test_several_classes_of_which_one_is_favoured() -> None:
    law = class_gradients(igb.mlp(1000, "relu", sigma_w2=2.1).predict(), 10)
    median = np.median(law.rvs(200, random_state=0), axis=0)
    assert median[0] < 1e-9
    # the others' data are given to the favoured class: (1, 0, ..., -1, 0, ...)
    assert median[1:] == pytest.approx(2.0, rel=1e-6)


def test_bad_input_is_refused() -> None:
    prediction = igb.mlp(2, "relu").predict()
    with pytest.raises(TypeError, match=r"net\.predict"):
        class_gradients(igb.mlp(2, "relu"))
    with pytest.raises(ValueError, match="n_classes >= 2"):
        class_gradients(prediction, 1)
    with pytest.raises(ValueError, match="a sweep"):
        class_gradients(igb.mlp(2, "relu", sigma_w2=np.array([1.0, 2.0])).predict())
    with pytest.raises(ValueError, match="given data set"):
        class_gradients(igb.mlp(2, "relu").predict(np.eye(4)))
    with pytest.raises(ValueError, match="shape"):
        class_gradients(prediction).given([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="two classes"):
        class_gradients(prediction, 3).ppf(0.5)
    with pytest.raises(ValueError, match="0 < p < 1"):
        class_gradients(prediction).ppf(1.0)
