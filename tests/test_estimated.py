"""Units drawn at given data, and BatchNorm that is estimated from them: against rules, laws and draws of NumPy."""

# which of several types a result has is known here
# mypy: disable-error-code="arg-type"

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import draw_less
from repeated import every_second, slow
from scipy.special import ndtr

import igbtheory as igb
from igbtheory import Layer
from igbtheory.layers import attention
from igbtheory.layers.nodes import control_variates
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.control_variates import estimated
from igbtheory.layers.nodes.draws import REPLICATES, SPARE, Draws, Sampling, combined
from igbtheory.layers.nodes.gaussian import Gaussian, GaussianPairs
from igbtheory.layers.nodes.node import KernelNode, LawNode, Passage, no_units
from igbtheory.layers.nodes.samples import behind
from igbtheory.mathematics.averages.state import Moments, Pairs, pivoted_root
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.mathematics.numerics.sobol import DIMENSIONS, normal_points
from igbtheory.theory.data_set import on_data_set


@pytest.fixture(autouse=True)
def very_few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimate layers from a sixteenth of the usual draws."""
    draw_less(monkeypatch, 16)


RELU, TANH = igb.Activation("relu"), igb.Activation("tanh")
CHAINS: list[tuple[Layer, ...]] = [
    (),
    (RELU,),
    slow(((igb.MaxPool(3), TANH),)),
    (RELU, igb.RMSNorm(eps=0.1)),
    (RELU, igb.BatchNorm(law="evaluation", eps=0.5)),
    (RELU, igb.Dropout(0.3)),
    (RELU, igb.Residual(igb.Dense(0.5), scale=0.7)),
    (
        RELU,
        igb.Residual(igb.Dense(0.5)),
        igb.Residual(igb.BatchNorm(), igb.Dense(1.0), scale=0.5),
        igb.BatchNorm(eps=0.1),
    ),
    (igb.GroupNorm(3), RELU),
    (igb.BatchNorm(3, eps=0.2), igb.Activation("squared_relu")),
    (igb.BatchNorm(), igb.Activation("gelu")),
    slow(((RELU, igb.BatchNorm(3), igb.LayerNorm()),)),
    slow(((TANH, igb.AvgPool(2), igb.BatchNorm()),)),
]


def given() -> Any:
    """Kernel of six unlike data."""
    data = np.random.default_rng(2).standard_normal((6, 9)) * np.array([0.5, 1, 2, 1, 1, 1])[:, None] + 0.3
    return data @ data.T / 9


def node(kernel: Any, layers: tuple[Layer, ...]) -> KernelNode:
    q = np.diagonal(kernel)
    found = KernelNode(FLOAT64, GaussianPairs(Pairs(q[:, None], q[None, :], kernel, np.eye(len(kernel), dtype=bool))))
    return found.through(layers)


@pytest.mark.parametrize("layers", CHAINS, ids=repr)
def test_units_have_the_moments_of_their_node(layers: tuple[Layer, ...]) -> None:
    found = node(given(), layers)
    pairs, mean = found.averaged(), np.broadcast_to(np.asarray(found.averaged().mean.a, dtype=float), (6, 1))[:, 0]
    # independent replicates: the units of one are spread evenly, and those of a group go together
    rngs = np.random.default_rng(7).spawn(40)
    y = np.stack([found.units(Draws(rng, 256), 256) for rng in rngs], axis=1)
    squares = np.einsum("anb,cnb->acn", y, y) / y.shape[2]
    rounding = 1e-12 * np.sqrt(np.outer(pairs.q_a, pairs.q_b))
    lost = pairs.error * np.sqrt(np.outer(pairs.q_a, pairs.q_b)) + rounding
    # 42 numbers in each of 18 chains: five standard errors once in 2000 runs by chance
    assert np.all(np.abs(squares.mean(axis=2) - pairs.q_ab) <= 5 * squares.std(axis=2) / np.sqrt(40) + lost)
    sums = y.mean(axis=2)
    assert np.all(np.abs(sums.mean(axis=1) - mean) <= 5 * sums.std(axis=1) / np.sqrt(40) + np.diagonal(lost))


def test_components_of_the_data_are_drawn_too() -> None:
    """A stream of data to which a branch is added, then normalised over them."""
    data = np.random.default_rng(3).standard_normal((5, 7))
    block = igb.Residual(igb.Dense(0.5), scale=2.0)
    with pytest.warns(igb.AccuracyWarning):
        found = igb.Network(block, igb.BatchNorm(eps=0.1), igb.Dense(1.0)).predict(data)
    rng = np.random.default_rng(4)
    root = np.linalg.cholesky(data @ data.T / 7)
    x = data[:, rng.integers(7, size=400_000)] + np.sqrt(2.0) * root @ rng.standard_normal((5, 400_000))
    x -= x.mean(axis=0)
    q = np.mean(x**2 / (np.mean(x**2, axis=0) + 0.1), axis=0)
    assert abs(found.var_chi - q.mean()) < 5 * q.std() / np.sqrt(q.size) + found.error * found.var_chi


def test_a_pivoted_root_is_a_root() -> None:
    kernel = np.pad(given(), (0, 1))  # a direction without variance, too
    root = pivoted_root(kernel)
    assert root @ root.T == pytest.approx(kernel, abs=1e-13)
    least = 0.1 * kernel.max()
    rough = pivoted_root(kernel, least)
    lacking = np.diagonal(kernel - rough @ rough.T)
    assert rough.shape[1] < root.shape[1]
    assert 1e-13 < lacking.max() <= least


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_scores_lack_only_what_hardly_tells_data_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Data differ by 1 % in directions of less and less variance: 3/5 of var_chi are those that scores tell apart."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 4, 64)) + 0.01 * rng.normal(size=(40, 4, 64)) * np.linspace(0, 1, 64) ** 4
    net = igb.Network(igb.Dense(), igb.Attention(8), igb.Dense(), igb.Flatten(), igb.Dense())
    fast = net.predict(x, layers="last")
    monkeypatch.setattr(attention, "NEGLIGIBLE", 0.0)
    full = net.predict(x, layers="last")
    assert full.var_chi == pytest.approx(fast.var_chi, rel=0.1)


def test_a_control_that_is_the_unit_leaves_nothing_to_draw() -> None:
    kernel = given()
    root = np.linalg.cholesky(kernel)

    def draw(draws: Draws, count: int) -> Any:
        y = root @ draws.normal(6, count)
        return 2 * y, y

    found = estimated(draw, kernel, np.zeros(6))
    assert found.q_ab == pytest.approx(4 * kernel, rel=1e-12)
    assert found.mean == pytest.approx(np.zeros(6), abs=1e-12)
    assert found.of_draws < 1e-7  # the root of rounding


def test_what_changes_as_one_over_the_number_of_data_is_extrapolated() -> None:
    scatter = 1e-6 * np.random.default_rng(0).standard_normal((2, 16))
    value, error = combined(3 + 1 / 8 + scatter[0], 3 + 1 / 32 + scatter[1], 4)
    assert value == pytest.approx(3, abs=5e-6)
    assert error > abs(value - 3)
    # without a change, the mean of both, by the inverse squares of their errors
    few, many = 3 + 3 * scatter[0], 3 + scatter[1]
    value, error = combined(few, many, 4)
    weights = np.array([part.std() ** -2 for part in (few, many)])
    assert value - 3 == pytest.approx(np.average([few.mean() - 3, many.mean() - 3], weights=weights), rel=1e-6)
    assert error == pytest.approx(SPARE / np.sqrt(weights.sum() * 15), rel=1e-6)


def test_a_full_batch_behind_a_branch_without_a_weight_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit has the variance v = 2 + Var relu(w) over the data, given the centre of w; its square becomes v/(v + eps).

    Behind the activation relu alone, units are relu of (relu(h) - mean)/deviation, by quadrature.
    """
    draw_less(monkeypatch, 8)
    u, weights = np.polynomial.hermite_e.hermegauss(40)
    weights /= weights.sum()
    z = np.linspace(-9, 9, 20_001)
    density = np.exp(-z * z / 2) * (z[1] - z[0]) / np.sqrt(2 * np.pi)
    w = np.maximum(np.sqrt(0.3) * u[:, None] + np.sqrt(2.0) * z, 0)
    mean = w @ density
    variance = w**2 @ density - mean**2
    with pytest.warns(igb.EstimateWarning):
        found = igb.Network(
            igb.Dense(2.0, 0.3), igb.Residual(igb.Dense(1.0), RELU), igb.BatchNorm(eps=0.1), igb.Dense(1.0)
        ).predict()
    square = weights @ ((2 + variance) / (2.1 + variance))
    assert abs(found.var_chi - square) <= found.error * square
    with pytest.warns(igb.EstimateWarning):
        found = igb.Network(igb.Dense(2.0, 0.3), RELU, igb.BatchNorm(), RELU, igb.Dense(1.0)).predict()
    normed = np.maximum((w - mean[:, None]) / np.sqrt(variance)[:, None], 0)
    square = weights @ (normed**2 @ density)
    assert abs(found.var_mu + found.var_chi - square) <= found.error * square
    assert abs(found.var_mu - weights @ (normed @ density) ** 2) <= found.error * square
    assert found.error < 0.1


def test_errors_are_standard_errors() -> None:
    """Without a control the error of q - q_ab = 2/3, both means over three data, is that of draws of known variance."""

    def draw(draws: Draws, count: int) -> Any:
        return draws.rng.standard_normal((3, count)), None

    found = estimated(draw, np.eye(3), np.zeros(3))
    units = REPLICATES * 2 ** int(np.log2(max(control_variates.LEAST, control_variates.VALUES // 3)))
    # squares of normal numbers have the variance 2, products 1; a standard error of 32 replicates scatters by an eighth
    assert found.of_draws == pytest.approx(SPARE * np.sqrt((4 * 3 * 2 + 4 * 3) / 81 / units) / (2 / 3), rel=0.4)
    assert abs(np.diagonal(found.q_ab).mean() - found.q_ab.mean() - 2 / 3) < found.of_draws * 2 / 3


def block(width: Layer, *norm: Layer) -> tuple[Layer, ...]:
    """Return a residual block whose sum is not Gaussian, so that the relu behind it is estimated."""
    return igb.Residual(width, *norm, RELU, width, *norm), RELU


CONV, POOLED = igb.Conv2d(3), (igb.GlobalAvgPool(), igb.Dense())
SCATTERED: dict[str, tuple[Layer, ...]] = {
    "normalised": (igb.Dense(), igb.BatchNorm(), TANH) * 3,
    "pooled": (igb.Dense(), igb.Activation("gelu"), igb.MaxPool(3)) * 2,
    "residual": (igb.Dense(), RELU, *block(igb.Dense()) * 3),
    "residual, normalised": (igb.Dense(), igb.BatchNorm(), RELU, *block(igb.Dense(), igb.BatchNorm()) * 3),
    "images": (CONV, RELU, *block(CONV) * 2, *POOLED),
    "images, normalised": (CONV, igb.BatchNorm(), RELU, *block(CONV, igb.BatchNorm()), *POOLED),
    "images in groups": (CONV, igb.GroupNorm(4), igb.Activation("gelu"), *POOLED),
}


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.parametrize("name", [slow(name) if name in {"images", "residual"} else name for name in SCATTERED])
def test_errors_of_draws_are_their_scatter_over_seeds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of var_chi; errors of all layers in front add up in it, and a pool over positions magnifies them."""
    layers, rng = (*SCATTERED[name], igb.Dense()), np.random.default_rng(0)
    data = rng.standard_normal((3, 3, 4, 4) if name.startswith("images") else (10, 20))
    values, errors = [], []
    for seed in range(1, 11):
        monkeypatch.setattr(control_variates, "SEED", seed)
        found = on_data_set(layers, FLOAT64, data, passage=Passage(sampling=Sampling(fewer=8)))
        values.append(found.var_chi)
        errors.append(found.error / SPARE)
    # ten values tell their scatter to a quarter
    assert 0.6 < np.mean(errors) / (np.std(values, ddof=1) / np.mean(values)) < 3


@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
def test_errors_of_means_are_stated() -> None:
    """The mean of tanh of a pair that is 1 and -1 is 0, of which draws make 1e-4; its square needs no draws."""
    pair, square, one = np.eye(2), np.tanh(1) ** 2, igb.Dense(1.0)

    def predicted(*layers: Layer) -> igb.Prediction:
        return igb.Network(one, igb.BatchNorm(2), TANH, *layers, one).predict(pair)

    pooled, added = predicted(igb.AvgPool(2)), predicted(igb.Residual(one, RELU))
    assert 0 < abs(pooled.var_chi - square / 2) < pooled.error * pooled.var_chi < 1e-6
    assert abs(added.var_chi - 5 / 4 * square) < added.error * added.var_chi < 1e-2
    # behind LayerNorm the mean is 0 again
    assert predicted(igb.LayerNorm(), igb.Residual(one, RELU)).error < 2e-6


def test_the_proxy_normalises_each_point_by_the_others() -> None:
    x = np.random.default_rng(0).normal(size=(5, 2))
    found = igb.BatchNorm(5, eps=0.1, law="proxy").samples(x, np.random.default_rng(0), 2)
    for i, point in enumerate(x):
        others = np.delete(x, i, axis=0)
        assert found[i] == pytest.approx((point - others.mean(axis=0)) / np.sqrt(others.var(axis=0) + 0.1))


NUMPY: dict[str, Callable[[Any], Any]] = {
    "x**3": lambda h: h**3,
    "exp(x)": np.exp,
    "hardswish": lambda h: h * np.clip(h + 3, 0, 6) / 6,
}


@pytest.mark.parametrize("name", every_second(NUMPY))
@pytest.mark.parametrize("size", [16])
def test_growing_activations_behind_batches_of_given_data(name: str, size: int) -> None:
    data = np.random.default_rng(3).standard_normal((48, 400))
    with pytest.warns(igb.AccuracyWarning, match="effective_rank"):
        found = igb.Network(igb.Dense(1.0), igb.BatchNorm(size), igb.Activation(name), igb.Dense(1.0)).predict(data)
    h = np.linalg.cholesky(data @ data.T / 400) @ np.random.default_rng(5).standard_normal((48, 20_000))
    h = h.reshape(48 // size, size, -1)
    h -= h.mean(axis=1, keepdims=True)
    h /= np.sqrt(np.mean(h * h, axis=1, keepdims=True))
    y = NUMPY[name](h).reshape(48, -1)
    mu, q = y.mean(axis=0) ** 2, np.mean(y * y, axis=0)
    for value, drawn in ((found.var_mu, mu), (found.var_chi, q - mu)):
        assert abs(value - drawn.mean()) < found.error * value + 5 * drawn.std() / np.sqrt(drawn.size)
    assert found.error < 0.1


def test_a_prediction_from_draws_is_the_same_twice() -> None:
    data = np.random.default_rng(3).standard_normal((9, 20))
    net = igb.mlp(2, "tanh", norm="batch")
    with pytest.warns(igb.AccuracyWarning):
        first, second = net.predict(data), net.predict(data)
    assert first.gamma == second.gamma


@pytest.mark.slow
def test_a_dead_batch_is_zero_in_front_of_its_activation() -> None:
    data = np.random.default_rng(0).standard_normal((6, 4))
    data[:3] = data[0]
    normalised = node(data @ data.T / 4, (igb.BatchNorm(3),))
    largest = normalised.through([igb.MaxPool(2)])
    assert not largest.averaged().q_ab[:3].any()
    assert not largest.averaged().mean.a[:3].any()
    found = normalised.then(igb.Activation("sigmoid").phi)
    q_ab, mean = found.averaged().q_ab, found.averaged().mean.a[:, 0]
    alone = igb.Network(igb.Dense(1.0), igb.BatchNorm(), igb.Activation("sigmoid"), igb.Dense(1.0))
    with pytest.warns(igb.AccuracyWarning):
        rest = alone.predict(data[3:])
    assert q_ab[:3, :3] == pytest.approx(np.full((3, 3), 0.25), rel=1e-12)
    assert mean == pytest.approx(np.full(6, 0.5), rel=1e-3)  # an odd function and a half
    assert q_ab[3:, 3:].mean() == pytest.approx(float(rest.var_mu), rel=rest.error)


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_equal_data_are_refused_with_the_cause(activation: str) -> None:
    layers = igb.Dense(2.0), igb.BatchNorm(3), igb.Activation(activation)
    data = np.random.default_rng(0).standard_normal((6, 4))
    data[3:] = data[3]
    with pytest.raises(ValueError, match=r"datum 3 .* batch that does not vary .* equal"):
        igb.Network(*layers, igb.Dense(2.0)).predict(data)
    assert igb.Network(*layers, igb.Dense(2.0, 0.1)).predict(np.ones((3, 2))).gamma == np.inf


@pytest.mark.parametrize("value", [0.1, 0.3, 0.7, 1.7])
@pytest.mark.parametrize("norm", [igb.BatchNorm(), igb.BatchNorm(3), igb.BatchNorm(eps=1e-5)], ids=repr)
def test_equal_samples_are_normalised_to_zero(norm: igb.BatchNorm, value: float) -> None:
    for kind in (np.float32, np.float64):
        found = norm.samples(np.full((3, 2), value, dtype=kind), np.random.default_rng(0), 0)
        assert not found.any()
        assert found.dtype == kind


@pytest.mark.parametrize("sigma_w2", [1.0, 6.0, *(slow(x) for x in (20.0, 40.0))])
def test_a_control_whose_tail_no_draw_has_seen_is_left_out(sigma_w2: float) -> None:
    """Behind BatchNorm without eps the mean square over a batch is 1; those of exp(x) come from beyond all draws."""
    data = np.random.default_rng(0).standard_normal((10, 30))
    found = igb.Network(igb.Dense(sigma_w2), igb.Activation("exp(x)"), igb.BatchNorm(), igb.Dense(1.0)).predict(data)
    assert found.var_chi == pytest.approx(1, abs=1e-12)


def test_one_datum_far_from_all_others_in_front_of_an_exponential() -> None:
    data = np.random.default_rng(1).standard_normal((30, 30))
    data[0] *= 100
    with pytest.warns(igb.AccuracyWarning):
        found = igb.Network(igb.Dense(1.0), igb.BatchNorm(), igb.Activation("exp(x)"), igb.Dense(1.0)).predict(data)
    h = np.linalg.cholesky(data @ data.T / 30) @ np.random.default_rng(5).standard_normal((30, 30_000))
    h -= h.mean(axis=0)
    drawn = np.mean(np.exp(h / np.sqrt(np.mean(h * h, axis=0))), axis=0) ** 2
    assert abs(found.var_mu - drawn.mean()) < found.error * found.var_mu + 5 * drawn.std() / np.sqrt(drawn.size)


@pytest.mark.parametrize("close", [1e-5, 1e-7])
def test_nearly_equal_data_cost_digits_and_the_error_says_so(close: float) -> None:
    """With eps far above the variance BatchNorm is a division by sqrt(eps): the kernel is that of the centred ReLU."""
    rng = np.random.default_rng(5)
    data = rng.standard_normal((1, 20)) + close * rng.standard_normal((5, 20))
    with pytest.warns(igb.AccuracyWarning):
        found = igb.Network(igb.Dense(1.0), RELU, igb.BatchNorm(eps=0.1), igb.Dense(1.0)).predict(data)
    # units that are positive, half of all, keep their deviations; others have a kink with the probability `close`
    apart = data - data.mean(axis=0)
    expected = np.mean(np.square(apart)) / 2 / 0.1
    assert abs(found.var_chi - expected) < (found.error + 3 * close) * expected
    assert found.error > 1e-8


@pytest.mark.parametrize("size", [2, 4])
def test_units_that_are_one_value_up_to_rounding_are_dead(size: int) -> None:
    """LayerNorm moves dead ReLUs to one value, which its division leaves with the rounding of every datum."""
    data = np.random.default_rng(9).standard_normal((8, 30))
    values = []
    for norm in (igb.LayerNorm(), igb.RMSNorm()):
        with pytest.warns(igb.AccuracyWarning):
            found = igb.Network(igb.Dense(2.0), RELU, norm, igb.BatchNorm(size), igb.Dense(1.0)).predict(data)
        values.append(found.var_mu + found.var_chi)
    assert values[0] == pytest.approx(values[1], rel=1e-12)  # the same draws


def test_dead_units_behind_maxima_over_a_batch_are_counted() -> None:
    net = igb.Network.read("BatchNorm(4) | MaxPool(2) | Dense(1) | relu | BatchNorm(4) | Dense(1)")
    with pytest.warns(igb.EstimateWarning, match=r"MaxPool\(2\) has no exact rule"):
        found = net.predict()
    # in 2,000,000 batches the correlation of the maxima was 0.1692, with which four normal values are all negative with
    # the probability 0.10489; independent ones are so with the probability 1/16
    assert abs(found.var_chi - (1 - 0.10489)) < found.error < 4e-3


def test_moments_alone_cannot_be_drawn() -> None:
    found = LawNode(FLOAT64, Averaged(Moments(0.5, 0.2, 1.0), no_units))
    with pytest.raises(ValueError, match=r"expected units that can be drawn .* put a Dense between them"):
        found.through([igb.BatchNorm(4, eps=0.1)])


def test_units_of_ways_are_drawn_by_their_shares() -> None:
    node = LawNode(FLOAT64, Gaussian(Moments(0, 0.0, 1.0))).through([igb.Concat((), igb.Dense(9.0), shares=(2, 1))])
    units = node.units(Draws(np.random.default_rng(0), 2**12), 2**12)
    assert units.shape == (1, 2**12)
    assert np.square(units).mean() == pytest.approx(node.averaged().var_chi, rel=0.15)  # 4 deviations of 1365 units
    assert node.averaged().var_chi == pytest.approx((2 + 9) / 3)


def test_fewer_draws_have_larger_errors_which_contain_the_difference() -> None:
    net = igb.Network(igb.Conv2d(3), igb.MaxPool2d(2), igb.Flatten(), igb.Dense())
    images = igb.gaussian_images(3, channels=1, height=4, width=4, correlation_length=2)
    usual, fewer = (
        on_data_set(net.layers, FLOAT64, images, passage=Passage(sampling=Sampling(fewer=few))) for few in (1, 64)
    )
    errors = [found.per_layer.error[-1] for found in (usual, fewer)]
    assert 8 < errors[1] / errors[0] < 32  # independent draws give the root of 64, and Sobol points more
    assert abs(fewer.c - usual.c) < errors[1]


# scrambled Sobol points: evenly spread in every dimension, unbiased, and different each time


@pytest.mark.parametrize(("points", "dimensions"), [(1, 3), (2, 5), (64, DIMENSIONS + 7), (512, 40), (2**13, 3)])
def test_every_interval_has_one_point_in_every_dimension(points: int, dimensions: int) -> None:
    found = normal_points(np.random.default_rng(1), points, dimensions)
    places = np.sort(np.floor(ndtr(found) * points), axis=0)
    assert np.array_equal(places, np.broadcast_to(np.arange(points)[:, None], places.shape))


def test_the_first_dimensions_are_spread_evenly_together() -> None:
    # 2^8 points of the first two dimensions have one point in each rectangle of 2^-j x 2^(j - 8)
    found = ndtr(normal_points(np.random.default_rng(2), 2**8, 2))
    for j in range(9):
        cells = np.floor(found * [2**j, 2 ** (8 - j)]) @ [2 ** (8 - j), 1]
        assert np.unique(cells).size == 2**8


def test_means_are_unbiased_and_replicates_independent() -> None:
    values = []
    for i in range(100):
        x = normal_points(np.random.default_rng(i), 8, 60)
        values.append([x.mean(), (x**2).mean(), np.exp(x).mean(), (x[:, :30] * x[:, 30:]).mean(), x[0] @ x[1] / 60])
    means, errors = np.mean(values, axis=0), np.std(values, axis=0) / np.sqrt(100)
    assert np.all(np.abs(means - [0, 1, np.exp(0.5), 0, 0])[[1, 2, 3]] < 5 * errors[[1, 2, 3]])
    # the points of one replicate repel each other
    assert -5 * errors[4] - 1 / 7 <= means[4] < 5 * errors[4]
    assert abs(means[0]) < 5 * errors[0] + 1e-9


@pytest.mark.parametrize(("across", "within"), [(0.5, 0.2), (0.1, 0.6)])
def test_units_of_batches_have_the_covariances_of_their_law(across: float, within: float) -> None:
    """Two batches of three data: the covariances of two data of one batch, and of different batches."""
    law, count = Moments(0.4, across, 1.0, within=within), 100_000
    draws = Draws(np.random.default_rng(0), 1, batches=2, size=3)
    units = Gaussian(law).units(draws, count)
    found = (units - 0.4) @ (units - 0.4).T / count
    same_batch = np.kron(np.eye(2), np.ones((3, 3))) > 0
    expected = np.where(np.eye(6) > 0, 1.0 + across, np.where(same_batch, within, across))
    assert np.abs(found - expected).max() < 5 * 1.5 * 2**0.5 / count**0.5


def test_a_full_batch_is_many_data_however_few_are_drawn() -> None:
    """Units of two data that are normalised by these two alone would be 1 and -1."""
    node = LawNode(FLOAT64, Gaussian(Moments(0, 0.5, 1.0)))
    drawn = behind(igb.BatchNorm(), node)(Draws(np.random.default_rng(0), 1, batches=2), 500)
    assert drawn.shape == (2, 500)
    assert np.mean(drawn**4) == pytest.approx(3, abs=5 * (96 / 1000) ** 0.5)  # of a normal unit; 1 of signs
