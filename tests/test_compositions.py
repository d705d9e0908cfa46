"""Compositions of layers: the invariants they keep, those that must work, and those that are refused."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, union-attr"

from typing import Any

import numpy as np
import pytest
from conftest import draw_less
from hypothesis import given, settings
from hypothesis import strategies as st
from repeated import slow
from scipy import stats

import igbtheory as igb
from igbtheory import (
    Activation,
    AvgPool,
    BatchNorm,
    Concat,
    Dense,
    Dropout,
    GroupNorm,
    LayerNorm,
    MaxPool,
    Product,
    Residual,
    RMSNorm,
)


@pytest.fixture(autouse=True)
def very_few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimate layers from a sixteenth of the usual draws."""
    draw_less(monkeypatch, 16)


SEVERAL = settings(max_examples=8, deadline=None)
depths = st.integers(1, 12)
weights = st.floats(-2, 2).map(lambda e: 10.0**e)
shifts = st.floats(-1, 1)
HOMOGENEOUS = ("relu", "abs", "leaky_relu", "linear")
ANY = ("relu", "tanh", "gelu", "sigmoid", "hardtanh")


def gammas(depth: int, activation: str, shift: float = 0.0, **keywords: Any) -> Any:
    return igb.mlp(depth, activation, **keywords).predict(igb.GaussianInputs(shift)).per_layer.gamma


def close(a: Any, b: Any, tolerance: float = 1e-12) -> None:
    assert np.allclose(a, b, rtol=tolerance, atol=1e-15)


@given(depth=depths, sigma_w2=weights, shift=shifts, norm=st.sampled_from(["layer", "rms"]))
@SEVERAL
def test_norm_of_a_datum_in_front_of_relu_leaves_gamma(depth: int, sigma_w2: float, shift: float, norm: str) -> None:
    found = gammas(depth, "relu", shift, norm=norm, sigma_w2=sigma_w2)
    close(found, gammas(depth, "relu", shift))


@given(depth=depths, activation=st.sampled_from(ANY), size=st.sampled_from([None, 2, 5]), shift=shifts)
@SEVERAL
def test_batchnorm_behind_an_activation_takes_the_bias_away(
    depth: int, activation: str, size: int | None, shift: float
) -> None:
    found = gammas(depth, activation, shift, norm="batch", placement="after", batch_size=size)
    assert not np.any(found[1:])


@given(depth=depths, sigma_w2=weights, activation=st.sampled_from(HOMOGENEOUS), norm=st.sampled_from([None, "layer"]))
@SEVERAL
def test_scale_of_the_weights_leaves_gamma_of_homogeneous_activations(
    depth: int, sigma_w2: float, activation: str, norm: str | None
) -> None:
    close(gammas(depth, activation, 0.3, norm=norm, sigma_w2=sigma_w2), gammas(depth, activation, 0.3, norm=norm))


@given(
    depth=depths, sigma_w2=weights, activation=st.sampled_from(ANY), size=st.sampled_from([None, 2, 7]), shift=shifts
)
@SEVERAL
def test_batchnorm_in_front_of_an_activation_does_not_depend_on_depth(
    depth: int, sigma_w2: float, activation: str, size: int | None, shift: float
) -> None:
    found = gammas(depth, activation, shift, norm="batch", batch_size=size, sigma_w2=sigma_w2)
    close(found[1:], found[1])


@pytest.mark.parametrize(("size", "gamma"), [(2, 1.0), (4, 0.6), (8, 0.519288), (None, 1 / (np.pi - 1))])
def test_gamma_of_batchnorm_and_relu(size: int | None, gamma: float) -> None:
    found = igb.mlp(3, "relu", norm="batch", batch_size=size).predict().gamma
    assert found == pytest.approx(gamma, rel=1e-6 if size == 8 else 1e-13)  # six digits are given for n = 8


def test_gamma_of_batchnorm_and_relu_falls_towards_the_full_batch() -> None:
    sizes = [2, 3, 4, 5, 8, 16, 100, 1000, 10**6]
    found = [float(igb.mlp(1, "relu", norm="batch", batch_size=size).predict().gamma) for size in sizes]
    assert np.all(np.diff(found) < 0)
    assert found[-1] == pytest.approx(1 / (np.pi - 1), rel=1e-6)  # the difference is of order 1/n


def test_relu_and_maxpool() -> None:
    p = igb.mlp(1, "relu", pool=2).predict()
    assert p.var_mu == pytest.approx(1.8552459747, rel=1e-10)
    assert p.var_chi == pytest.approx(1.7813737977, rel=1e-10)
    found = [float(igb.mlp(1, "relu", pool=m).predict().gamma) for m in (2, 3, 5, 10, 100)]
    assert np.all(np.diff(found) > 0)


@given(activation=st.sampled_from(["relu", "tanh", "sigmoid", "hardtanh", "step"]), m=st.integers(2, 6), shift=shifts)
@settings(max_examples=8, deadline=None)
def test_max_pooling_commutes_with_an_increasing_activation(activation: str, m: int, shift: float) -> None:
    inputs = igb.GaussianInputs(shift)
    dense, phi, pool = Dense(1.5), Activation(activation), MaxPool(m)
    one, other = (igb.Network(dense, *hidden, dense).predict(inputs) for hidden in ((phi, pool), (pool, phi)))
    close([one.var_mu, one.var_chi], [other.var_mu, other.var_chi])


@given(depth=depths, sigma_w2=weights, sigma_b2=st.floats(0, 1), activation=st.sampled_from(["relu", "tanh", "gelu"]))
@SEVERAL
@pytest.mark.filterwarnings("ignore::igbtheory.AccuracyWarning")  # gelu loses sqrt(q) roundings, and says so
def test_second_moment_follows_its_own_recursion(depth: int, sigma_w2: float, sigma_b2: float, activation: str) -> None:
    found = igb.mlp(depth, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict().per_layer
    alone = igb.mlp(depth, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict(np.ones((2, 3))).per_layer
    close(found.var_mu + found.var_chi, alone.var_mu + alone.var_chi, max(1e-10, float(found.error.max())))


@given(
    norm=st.sampled_from([None, "layer", "rms", "batch"]),
    placement=st.sampled_from(["before", "after"]),
    activation=st.sampled_from(ANY),
    sigma_b2=st.floats(0, 1),
    shift=shifts,
)
@SEVERAL
def test_correlation_across_batches_lies_between_0_and_1(
    norm: str | None, placement: str, activation: str, sigma_b2: float, shift: float
) -> None:
    size = 4 if norm == "batch" else None
    net = igb.mlp(3, activation, norm=norm, placement=placement, batch_size=size, sigma_b2=sigma_b2)
    p = net.predict(igb.GaussianInputs(shift)).per_layer
    assert np.all((p.c >= 0) & (p.c <= 1))
    assert np.all((p.c_within >= -1 / 3 - 1e-12) & (p.c_within <= 1))


@given(shift=st.floats(0, 2), norm=st.sampled_from([None, "layer"]), placement=st.sampled_from(["before", "after"]))
@SEVERAL
def test_a_shifted_input_is_a_correlated_one_behind_a_dense(shift: float, norm: str | None, placement: str) -> None:
    keywords = {"norm": norm, "placement": placement}
    shifted = igb.mlp(2, "gelu", sigma_w2=1.0, **keywords).predict(igb.GaussianInputs(shift)).per_layer
    # a bias in the first layer correlates the pre-activations alike
    rest = igb.mlp(2, "gelu", sigma_w2=1.0, **keywords).layers[1:]
    biased = igb.Network(Dense(1.0, shift**2), *rest).predict().per_layer
    close([shifted.var_mu, shifted.var_chi], [biased.var_mu, biased.var_chi], 1e-11)


def test_a_thousand_normalised_layers_are_what_the_recursion_says() -> None:
    found = igb.mlp(1000, "relu", norm="layer", sigma_w2=1.0).predict().per_layer
    close(found.gamma, igb.mlp(1000, "relu").predict().per_layer.gamma, 1e-11)
    # after a norm the second moment of relu is 1/2 in every layer
    close((found.var_mu + found.var_chi)[1:], 0.5)


WORKING = [
    (Activation("tanh"), Activation("relu"), Activation("abs")),
    (MaxPool(2), MaxPool(2)),
    (Activation("relu"), MaxPool(2)),
    (MaxPool(2), Activation("cos")),
    (AvgPool(2), Activation("relu")),
    (Activation("relu"), MaxPool(2), LayerNorm()),
    (Activation("relu"), AvgPool(2), RMSNorm()),
    (Activation("relu"), AvgPool(2), BatchNorm()),
    (Activation("relu"), MaxPool(2), BatchNorm(4)),
    (BatchNorm(), MaxPool(2), Activation("relu")),
    (BatchNorm(4), MaxPool(2)),
    (BatchNorm(4), Activation("relu"), MaxPool(2)),
    (BatchNorm(8, law="proxy"), MaxPool(2), Activation("relu")),
    (LayerNorm(), MaxPool(3), Activation("tanh")),
    (BatchNorm(law="evaluation"), Activation("relu"), BatchNorm(law="evaluation"), Activation("relu")),
    (Residual(LayerNorm(), Activation("relu"), Dense(2.0)), Activation("relu")),
    (Residual(Residual(Dense(1.0)), scale=0.5), Activation("relu")),
    (Residual(BatchNorm(4), Activation("relu"), Dense(2.0), scale=0.5), LayerNorm()),
    (Activation("relu"), Residual(Dense(1.0), Activation("relu"))),
    (Activation("relu"), Dropout(0.2)),
]


@pytest.mark.parametrize("hidden", WORKING, ids=repr)
def test_composition_works(hidden: Any) -> None:
    p = igb.Network(Dense(2.0), *hidden, Dense(2.0), *hidden, Dense(2.0)).predict()
    assert 0 < p.c + p.var_chi < np.inf
    assert p.error <= 1e-10


ESTIMATED = [
    (Activation("relu"), BatchNorm(8, eps=0.1)),
    (Activation("relu"), MaxPool(2), Dropout(0.2), BatchNorm(4)),
    (Activation("relu"), AvgPool(2), Activation("relu")),
    (Residual(Dense(1.0), Activation("relu")), Activation("relu")),
    (GroupNorm(4), Activation("tanh"), LayerNorm()),
]


@pytest.mark.parametrize("hidden", ESTIMATED, ids=repr)
def test_what_has_no_rule_is_estimated_and_named(hidden: Any) -> None:
    """Two hidden layers, so that data share units in front of the second."""
    net = igb.Network(Dense(2.0, 0.1), Activation("tanh"), Dense(2.0), *hidden, Dense(2.0))
    with pytest.warns(igb.EstimateWarning, match="has no exact rule in this place"):
        p = net.predict()
    assert p.estimated
    assert set(p.estimated) <= set(hidden)
    assert 0 < p.error < 0.02
    assert p.var_mu >= 0
    assert p.var_chi > 0


def test_an_activation_of_dropped_units_is_the_integral() -> None:
    """Tanh of h m/(1 - p): given the unit, the mean over data is (1 - p) E_z tanh(h/(1 - p))."""
    with pytest.warns(igb.EstimateWarning):
        p = igb.Network(Dense(1.0, 0.5), Dropout(0.25), Activation("tanh"), Dense(1.0)).predict()
    x, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    h = np.sqrt(0.5) * x[:, None] + x
    centre = 0.75 * np.tanh(h / 0.75) @ weights
    var_mu, q = weights @ centre**2, weights @ (0.75 * np.tanh(h / 0.75) ** 2 @ weights)
    assert abs(p.var_mu - var_mu) <= p.error * q
    assert abs(p.var_chi - (q - var_mu)) <= p.error * (q - var_mu)
    assert p.error < 5e-3


def test_ways_are_means_and_products_of_kernels() -> None:
    data, one, other = np.random.default_rng(0).standard_normal((5, 3)), Dense(1.5, 0.1), Dense(0.5, 0.4)

    def kernel(*layers: igb.Layer) -> Any:
        return igb.Network(Dense(1.0), *layers, Dense(1.0)).predict(data).dataset.kernels()[0]

    relu = Activation("relu")
    joined = kernel(Concat(one, (other, relu), shares=(3, 1)))
    close(joined, 0.75 * kernel(one) + 0.25 * kernel(other, relu))
    close(kernel(Product(one, shortcut=(other, relu))), kernel(one) * kernel(other, relu))
    mean = kernel(Concat(one, (other, relu), shares=(3, 1)), AvgPool(2))
    close(mean, 0.75 * kernel(one, AvgPool(2)) + 0.25 * kernel(other, relu, AvgPool(2)))


def test_a_maximum_is_one_of_units_of_one_way() -> None:
    def moments(*layers: igb.Layer) -> Any:
        found = igb.Network(Dense(1.0), *layers, MaxPool(2), Dense(1.0)).predict()
        return np.array([found.var_mu, found.var_chi])

    one, other = Dense(1.5, 0.1), Dense(0.5, 0.4)
    close(moments(Concat(one, other, shares=(3, 1))), 0.75 * moments(one) + 0.25 * moments(other))


REFUSED = [
    ((Activation("relu"), BatchNorm(8, law="proxy")), "exact"),
    ((BatchNorm(4), Activation("relu"), Dense(1.0), BatchNorm(8)), "same batches"),
    ((Residual(LayerNorm(), Residual(Dense(1.0))),), "every path"),
]


@pytest.mark.parametrize(("hidden", "sentence"), REFUSED, ids=lambda x: repr(x)[:80])
def test_composition_is_refused_in_a_sentence(hidden: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        igb.Network(Dense(2.0), *hidden, Dense(2.0)).predict()


BAD = [
    (lambda: BatchNorm(1), "batch_size >= 2"),
    (lambda: BatchNorm(4, law="proxy"), "batch_size > 4"),
    (lambda: BatchNorm(4, law="exakt"), "did you mean 'exact'"),
    (lambda: BatchNorm(eps=-1e-5), "eps >= 0"),
    (lambda: LayerNorm(eps=-1.0), "eps >= 0"),
    (lambda: GroupNorm(1), "size >= 2"),
    (lambda: MaxPool(0), "m >= 1"),
    (lambda: AvgPool(-1), "m >= 1"),
    (lambda: Dropout(1.0), "0 <= p < 1"),
    (lambda: Residual(LayerNorm()), "every path"),
    (Residual, "every path"),
    (Concat, "expected the ways of a Concat, got none"),
    (lambda: Concat((), Dense(1.0), shares=(1, 0)), "a positive share for each of the 2 ways"),
    (lambda: Concat((), Dense(1.0), shares=(1,)), "a positive share for each of the 2 ways"),
    (lambda: Product(Activation("relu")), "a Dense in the branch or in the shortcut of a Product"),
    (
        lambda: igb.Network(Dense(), Concat((), MaxPool(2)), Dense()).simulate(2, 40, 10),
        "shares in the ratio of the units that ways without weights make",
    ),
    (lambda: igb.Gathered(((0, 1), (2,)), (2,)), "as many positions in front for each position behind"),
    (lambda: igb.Gathered(((0,), (1,)), (3,)), "an index of the 3 positions"),
    (lambda: igb.Spread((1, 2, 3)), "two sides at most"),
    (lambda: igb.mlp(2, "relu", norm="bach"), "did you mean 'batch'"),
    (lambda: igb.mlp(2, "relu", norm="layer", placement="behind"), "placement"),
    (lambda: igb.mlp(2, "relu", norm="layer", batch_size=4), "batch_size with norm"),
    (lambda: igb.Network(Dense(1.0), Activation("relu")), "last layer is Dense"),
    (lambda: igb.mlp(1, "relu", norm="batch", batch_size=3).predict(np.eye(4)), "batches of 3 divide"),
    (lambda: igb.mlp(1, "relu", norm="batch", batch_size=8).predict(np.eye(4)), "batches of 8 divide"),
    (lambda: igb.mlp(1, "relu", norm="batch", batch_size=3).predict().G0.finite(10), "multiple|divide"),
    (lambda: igb.mlp(1, "relu", norm="batch", batch_size=3).simulate(2, 4, 10), "batches of 3 divide"),
    (lambda: igb.Network(Dense(1.0), GroupNorm(3), Dense(1.0)).simulate(2, 4, 10), "groups of 3 divide"),
    (lambda: igb.Network(MaxPool(3), Dense(1.0)).predict(np.eye(4)), "MaxPool\\(3\\) divides"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD)
def test_bad_input_is_refused_in_a_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()


CONSTANT = [
    ((Activation("step"),), 0.5),  # all four signs alike, for either of two data
    ((Activation("relu6"),), 0.25 + stats.norm.sf(6) ** 2),
    ((BatchNorm(2), Activation("tanh"), Dense(1.0), Activation("abs")), 1.0),
    ((BatchNorm(2), Activation("tanh"), Dense(1.0, 0.1), Activation("abs")), 0.0),
]


@pytest.mark.parametrize(("hidden", "constant"), CONSTANT, ids=repr)
def test_units_that_do_not_vary_over_a_batch_are_zero(hidden: Any, constant: float) -> None:
    """Behind the first Dense the two data of a batch are independent; the mean square is 0 for such units, else 1."""
    p = igb.Network(Dense(1.0), *hidden, BatchNorm(2), Dense(1.0, 0.5)).predict()
    assert p.var_chi == pytest.approx(1 - constant, rel=1e-12)
    assert p.per_layer.within[-1] == pytest.approx(0.5 - (1 - constant), rel=1e-12)
    assert not p.estimated


DRAWN_CONSTANT = [
    ((BatchNorm(2), Activation("relu")), 0.0),
    ((Activation("relu"), AvgPool(3)), 1 / 64),
    slow(((BatchNorm(2), MaxPool(2)), 0.5)),  # maxima of +-1 vary where both units agree
    ((Activation("step"), AvgPool(2)), 3 / 8),  # two sums of two bits agree
    ((Activation("min(abs(x), 1)"),), (2 * 0.15865525393145707) ** 2),  # both beyond 1
]


@pytest.mark.parametrize(("hidden", "constant"), DRAWN_CONSTANT, ids=repr)
def test_how_often_units_do_not_vary_is_drawn_where_no_rule_knows_it(hidden: Any, constant: float) -> None:
    with pytest.warns(igb.EstimateWarning):
        p = igb.Network(Dense(1.0), *hidden, BatchNorm(2), Dense(1.0)).predict()
    assert abs(p.var_chi - (1 - constant)) <= p.error * (1 - constant)
    assert p.error < 5e-3


def test_dropout_of_nothing_is_the_identity() -> None:
    with_it = igb.Network(Dense(2.0), Dropout(0.0), Activation("relu"), Dropout(0.0), MaxPool(2), Dense(2.0))
    without = igb.Network(Dense(2.0), Activation("relu"), MaxPool(2), Dense(2.0))
    assert with_it.predict().gamma == without.predict().gamma
    data = np.random.default_rng(0).standard_normal((4, 3))
    assert with_it.predict(data).gamma == without.predict(data).gamma


@pytest.mark.parametrize(("size", "digits"), [slow((None, 10)), (4, None)])
@pytest.mark.slow
def test_finite_data_behind_maxima_of_a_batch_are_drawn(size: int | None, digits: int | None) -> None:
    net = igb.Network(Dense(2.0), BatchNorm(size), MaxPool(2), Dense(2.0))
    prediction = net.predict(digits=digits)
    with pytest.warns(igb.EstimateWarning, match="about three digits"):
        law = prediction.G0.finite(8)
    assert law.pmf(np.arange(9)).sum() == pytest.approx(1, rel=1e-12)
    # the maximum of two units at two data of one batch, by NumPy alone
    x = np.random.default_rng(3).standard_normal((2, size or 8, 200_000))
    b = x - x.mean(axis=1, keepdims=True)
    largest = (b / np.sqrt(np.mean(b**2, axis=1, keepdims=True))).max(axis=0)
    products = np.mean(largest[0] * largest[1])
    again = igb.Network(Dense(2.0), BatchNorm(size or 8), MaxPool(2), Dense(2.0)).predict()
    q = (again.var_mu + again.var_chi) / 2
    assert law.source.batches.c_within == pytest.approx(products / q, abs=5 * 2 / np.sqrt(200_000))


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")  # of what is drawn
@pytest.mark.parametrize("front", [BatchNorm(8), BatchNorm(8, law="proxy")])
@pytest.mark.parametrize(
    "behind",
    [
        [Activation("tanh")],
        [Activation("where(x > 0.3, x, 0.1)")],
        [MaxPool(2)],
        [LayerNorm(), Activation("max(x - 1, 0)")],
        slow([Dropout(0.2), Activation("tanh")]),
        slow([Activation("tanh"), GroupNorm(3)]),
    ],
)
def test_what_stands_behind_maxima_of_a_batch_needs_no_covariance_within_it(
    front: BatchNorm, behind: list[Any]
) -> None:
    """No rule has that covariance, and the units of different batches are those of data without batches."""
    units = igb.Network(Dense(2.0, 1.0), front, MaxPool(2), Dense(2.0, 1.0))
    moments = units.predict()
    given_them = igb.GaussianInputs(np.sqrt(moments.var_mu), moments.var_chi)
    alone = igb.Network(Dense(1.0), *behind, Dense(2.0)).predict(given_them)
    found = igb.Network(*units.layers, *behind, Dense(2.0)).predict()
    error = found.per_layer.error[-1] + alone.per_layer.error[-1]
    assert found.gamma == pytest.approx(alone.gamma, rel=2 * float(error))
    assert np.isnan(found.c_within)


def test_tanh_behind_maxima_of_a_batch_is_what_balls_enclose() -> None:
    hidden = (Dense(2.0, 1.0), BatchNorm(8), MaxPool(2), Dense(2.0, 1.0), Activation("tanh"))
    assert igb.Network(*hidden, Dense()).predict().gamma == pytest.approx(0.9632300112748, rel=1e-12)  # certify()


def test_more_digits_agree_that_an_activation_that_is_0_leaves_no_datum_apart() -> None:
    net = igb.Network(Dense(1.5), Activation("max(sin(2*x)-1, 0)"), Dense(4.0, 3.0))
    assert net.predict().gamma == np.inf
    found = net.predict(digits=25)
    assert (found.var_mu, found.var_chi) == (3, 0)


def test_a_sweep_with_batches_has_no_law_of_finite_data() -> None:
    p = igb.mlp(1, norm="batch", sigma_w2=[1.0, 2.0]).predict()
    with pytest.raises(ValueError, match="one number"):
        p.G0.finite(4)


@pytest.mark.parametrize("layers", [(BatchNorm(4),), (Activation("relu"), BatchNorm(4, eps=0.1))], ids=repr)
def test_units_that_do_not_vary_over_the_data_have_no_norm(layers: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="vary over the data"):
        igb.Network(Dense(0.0, 1.0), *layers, Dense()).predict()


@pytest.mark.parametrize(
    ("make", "right"),
    [
        (lambda: igb.Conv2d(3, 2.0), "stride=2, or sigma_w2=2.0 for the variance of the weights"),
        (lambda: igb.Conv1d(np.float64(3)), "kernel=3, or sigma_w2=3.0"),
        (lambda: igb.Conv2d(3, 1, 1.0), "padding=1"),
        (lambda: igb.DepthwiseConv2d(3, dilation=1.5), "dilation=2, or sigma_w2=1.5"),
        (lambda: igb.PatchEmbedding(2.0), "size=2, or sigma_w2=2.0"),
        (lambda: igb.TokenMixing(3.0), "tokens=3, or sigma_w2=3.0"),
        (lambda: igb.Attention(2.0), "heads=2"),
        (lambda: igb.AvgPool2d(2, 1.0), "stride=1"),
        (lambda: igb.AvgPool(2.0), "m=2"),
        (lambda: igb.BatchNorm(float("inf")), "batch_size=2"),
        (lambda: igb.GroupNorm(2.5), "size=2"),
    ],
)
def test_a_float_is_no_number_of_a_layer(make: Any, right: str) -> None:
    """Beside it floats are variances: Dense(2.0), Conv2d(3, sigma_w2=2.0)."""
    with pytest.raises(TypeError, match=f"to be a whole number, got the float .*; pass {right}"):
        make()


def test_a_seed_of_stochastic_depth_leaves_the_same_data_out() -> None:
    x = np.ones((60, 2))
    seeded, free = (
        [layer.samples(x, np.random.default_rng(seed), 0) for seed in (0, 1)]
        for layer in (igb.StochasticDepth(0.25, seed=3), igb.StochasticDepth(0.25))
    )
    assert np.array_equal(*seeded)
    assert not np.array_equal(*free)
    for units in (*seeded, *free):
        assert set(units.ravel().tolist()) == {0.0, 4 / 3}
