"""The law of the guesses over the time of training, against other libraries, other integrators and finite networks."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
import scipy
from repeated import slow

import igbtheory as igb
from igbtheory.layers.batches.homogeneous_kernel import tangent_kernel
from igbtheory.layers.batches.scales import Batches
from igbtheory.mathematics.averages import slopes
from igbtheory.mathematics.averages.gaussian import product
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.losses import Blurry, CrossEntropy, Focal, Loss
from igbtheory.networks.training import kernels
from igbtheory.networks.training.descent import Descent
from igbtheory.networks.training.flow import Tangents
from igbtheory.networks.training.homogeneity import matrices

RNG = np.random.default_rng(7)
VECTORS = np.random.default_rng(7).standard_normal((3, 5))
IMAGES = np.random.default_rng(7).standard_normal((3, 2, 5, 5))
DENSE, RELU = igb.Dense(1.7, 0.1), igb.Activation("relu")
DIGITS, LABELS = igb.standardised(igb.digits())[:40], igb.digit_labels()[:40]


def conv(padding: str) -> igb.Conv2d:
    return igb.Conv2d(3, padding=padding, sigma_w2=1.7, sigma_b2=0.1)


# neural-tangents 0.6.5 with W_std = 1.7**0.5, b_std = 0.1**0.5 in double precision: upper triangle of the kernel "ntk"
FOREIGN: dict[str, tuple[tuple[igb.Layer, ...], Any, str]] = {
    "relu, depth 3": (
        (*(DENSE, RELU) * 3, DENSE), VECTORS,
        "1.7048194 1.09726809 1.27683161 3.58081138 1.04515645 1.77228004",
    ),
    "erf": (
        (*(DENSE, igb.Activation("erf(x)")) * 2, DENSE), VECTORS,
        "2.2121192 0.74036786 1.72629635 2.91430264 0.57371048 2.25134306",
    ),
    "LayerNorm": (
        (*(DENSE, igb.LayerNorm(), RELU) * 2, DENSE), VECTORS,
        "2.56052632 1.02672715 1.84493807 2.56052632 0.92652325 2.56052632",
    ),
    "gelu": (
        (*(DENSE, igb.Activation("gelu")) * 2, DENSE), VECTORS,
        "0.87155328 0.53819317 0.72473071 2.44733738 0.47831259 0.9213954",
    ),
    "residual": (
        (DENSE, igb.Residual(RELU, DENSE), RELU, DENSE), VECTORS,
        "2.18772172 1.24416494 1.66330339 5.14127311 1.10727244 2.29393137",
    ),
    "circular, flat": (
        (*(conv("circular"), RELU) * 2, igb.Flatten(), DENSE), IMAGES,
        "3.68859879 1.00601367 1.26557137 3.15114505 0.89611668 3.57305729",
    ),
    "zeros, flat": (
        (*(conv("zeros"), RELU) * 2, igb.Flatten(), DENSE), IMAGES,
        "2.23138686 0.73336015 0.81186993 1.9153666 0.61235551 2.10568228",
    ),
    "circular, pooled": (
        (*(conv("circular"), RELU) * 2, igb.GlobalAvgPool(), DENSE), IMAGES,
        "1.28775944 1.06449997 1.15067122 1.03110619 1.03877201 1.16290205",
    ),
    "zeros, pooled": (
        (*(conv("zeros"), RELU) * 2, igb.GlobalAvgPool(), DENSE), IMAGES,
        "0.76240963 0.63631546 0.6737833 0.63253427 0.62106592 0.68960142",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_the_tangent_kernel_is_that_of_neural_tangents(name: str) -> None:
    layers, data, expected = FOREIGN[name]
    theta = kernels(igb.Network(*layers), data)[1]
    assert theta == pytest.approx(theta.T, rel=1e-14)
    # eight digits are printed there
    assert theta[np.triu_indices(3)] == pytest.approx(np.array(expected.split(), dtype=float), rel=2e-8)


@pytest.mark.parametrize(
    ("name", "m"), [("tanh", 1), ("relu", 1), ("max(x, 0)**1.5", 1), ("relu", 3), slow(("elu", 2))]
)
@pytest.mark.parametrize("c", [-0.8, 0.9])
def test_the_slope_of_a_kernel_is_its_derivative(name: str, m: int, c: float) -> None:
    phi, (q_a, q_b) = igb.Activation(name).phi, np.array([1.3, 0.6])
    scale = np.sqrt(q_a * q_b)

    def kernel(q_ab: float) -> Any:
        return product(FLOAT64, phi, m, (q_a, q_b, np.float64(q_ab)))[0]

    step = 1e-3 * scale
    near, far = (kernel(c * scale + k * step) - kernel(c * scale - k * step) for k in (1, 2))
    found = slopes.product(FLOAT64, phi, m, (q_a[None, None], q_b[None, None], np.array([[c * scale]])))
    # differences of fourth order err by 1e-12 times the fifth derivative, and by rounding over the step of 1e-3
    assert float(np.squeeze(found)) == pytest.approx((8 * near - far) / (12 * step), abs=1e-8)


def test_the_slope_of_a_maximum_of_smooth_units_is_its_derivative() -> None:
    """Two data of one variance, as behind a norm, whose series is one in the angle alone."""
    phi, q_ab, step = igb.Activation("elu").phi, np.array([-0.5, 0.4, 0.8]), 1e-3
    pair = np.ones(3), np.ones(3), q_ab

    def kernel(moved: float) -> Any:
        return np.array([product(FLOAT64, phi, 2, (1.0, 1.0, np.float64(q)))[0] for q in q_ab + moved])

    near, far = (kernel(k * step) - kernel(-k * step) for k in (1, 2))
    # differences of fourth order: see above
    assert slopes.product(FLOAT64, phi, 2, pair) == pytest.approx((8 * near - far) / (12 * step), abs=1e-8)
    with pytest.raises(ValueError, match=r"use AvgPool\(2\)"):  # a kink away from 0, with unequal variances
        slopes.product(FLOAT64, igb.Activation("hardtanh").phi, 2, (np.ones(1), 2 * np.ones(1), np.zeros(1)))


def test_dropout_is_that_of_evaluation_mode() -> None:
    plain = igb.Network(DENSE, RELU, igb.Residual(RELU, DENSE), DENSE)
    dropped = igb.Network(DENSE, RELU, igb.Dropout(0.3), igb.Residual(RELU, igb.Dropout(0.5), DENSE), DENSE)
    assert np.array_equal(kernels(plain, VECTORS)[1], kernels(dropped, VECTORS)[1])


def test_squared_loss_of_a_linear_network_by_hand() -> None:
    """Two orthogonal data of norm d: Theta = 2, and (f - y) decays by exp(-2 t), on test data by their overlaps."""
    data, y = np.sqrt(2) * np.eye(2), np.array([1.0, -1.0])
    tested = np.array([[3.0, 0.0], [0.0, -1.0]])
    at = np.array([0.0, 0.3, 5.0])
    found = igb.Network(igb.Dense(2.0)).train(data, y, times=at, draws=4000, X_test=tested, y_test=y)
    assert found.rate == pytest.approx(2.0)
    # the loss (f - y)^2/2 has the mean (K + y^2)/2 exp(-4 t), with K = 2
    errors = found.loss.mean()
    assert np.all(np.abs(errors.value - 1.5 * np.exp(-4 * at)) < 5 * errors.error + 1e-12)
    assert np.all(found.accuracy.draws[:, -1] == 1)
    # in the end the outputs on the test data are 3/sqrt(2) and 1/sqrt(2) by linearity: both positive
    assert found.test is not None
    assert np.all(found.test.G0.draws[:, -1] == 1)


def test_squared_loss_is_the_matrix_exponential_and_ends_in_kernel_regression() -> None:
    theta = kernels(igb.mlp(2, "tanh"), DIGITS[:12])[1]
    tangents, targets = Tangents(theta, 8), RNG.standard_normal((8, 2))
    start = RNG.standard_normal((12, 3, 2))
    seen, end = tangents.squared(targets)(start, np.array([0.7, 1e9]))
    own, cross = theta[:8, :8], theta[8:, :8]
    rest = start[:8] - targets[:, None]
    expected = targets[:, None] + np.einsum("ij,jkl->ikl", scipy.linalg.expm(-0.7 * own), rest)
    assert seen[:8] == pytest.approx(expected, abs=1e-12)
    assert end[:8] == pytest.approx(np.broadcast_to(targets[:, None], rest.shape), abs=1e-9)
    assert end[8:] == pytest.approx(start[8:] - np.einsum("ij,jkl->ikl", cross @ np.linalg.inv(own), rest), abs=1e-9)


@pytest.mark.parametrize("loss", [CrossEntropy(), Focal(2.0), Blurry(0.5, held=False)])
def test_other_losses_follow_their_own_gradient(loss: Loss) -> None:
    """The value of the loss is differentiated by differences, and another integrator takes it from there."""
    theta = kernels(igb.mlp(2, "tanh"), DIGITS[:5])[1]
    labels, start = np.array([0, 1, 2, 1]), RNG.standard_normal((5, 1, 3))
    times = np.array([0.0, 3.0, 10.0]) / np.linalg.eigvalsh(theta)[-1]
    found = list(Tangents(theta, 4).of_loss(loss, labels)(start, times))

    def total(outputs: Any) -> float:
        return 4 * float(loss.mean(outputs.reshape(4, 3), labels))

    def slope(t: float, f: Any) -> Any:
        del t
        steps = 1e-5 * np.eye(12)
        gradient = np.array([(total(f[:12] + step) - total(f[:12] - step)) / 2e-5 for step in steps])
        return -(theta[:, :4] @ gradient.reshape(4, 3)).ravel()

    expected = scipy.integrate.solve_ivp(slope, (0, times[-1]), start.ravel(), t_eval=times, rtol=1e-8, atol=1e-8)
    # the relative error of a step is 1e-3
    assert np.array(found).reshape(3, -1) == pytest.approx(expected.y.T, abs=5e-3)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_the_start_is_the_prediction(n_classes: int) -> None:
    net, labels = igb.mlp(3, "relu"), LABELS % n_classes
    found, law = net.train(DIGITS, labels, times=[0.0], draws=4000), net.predict(DIGITS).guesses(n_classes)
    shares = found.guesses.draws[:, 0, 0]
    assert abs(shares.mean() - law.mean()) < 5 * shares.std() / np.sqrt(4000)
    squares = (shares - law.mean()) ** 2
    assert abs(squares.mean() - law.var()) < 5 * squares.std() / np.sqrt(4000)


def finite(networks: int, width: int, x: Any, y: Any, step: Descent) -> Iterator[Any]:
    """Outputs of two-layer ReLU networks, (networks, data), in every step of descent in NTK parametrisation."""
    rng, features = np.random.default_rng(1), x.shape[1]
    first, last = rng.standard_normal((networks, features, width)), rng.standard_normal((networks, width))
    speeds = [0 * first, 0 * last]
    a, b = np.sqrt(2 / features), np.sqrt(2 / width)
    while True:
        z = a * (x @ first)
        h = np.maximum(z, 0)
        outputs = b * np.einsum("nij,nj->ni", h, last)
        yield outputs
        error = outputs - y
        back = b * error[:, :, None] * last[:, None] * (z > 0)
        slopes = a * np.einsum("if,nij->nfj", x, back), b * np.einsum("ni,nij->nj", error, h)
        decayed = zip(speeds, slopes, (first, last), strict=True)
        speeds = [step.momentum * v + slope + step.weight_decay * w for v, slope, w in decayed]
        first, last = first - step.step * speeds[0], last - step.step * speeds[1]


@pytest.mark.slow  # its kernels are those of other programs in every run
def test_wide_networks_that_are_trained_by_small_steps_agree() -> None:
    """Means and variances of the outputs extrapolated from widths of 100 and 200 to infinite width."""
    x, net = np.random.default_rng(3).standard_normal((6, 4)), igb.mlp(1, "relu")
    y = np.array([1.0, -1, 1, 1, -1, 1])
    kernel, theta = kernels(net, x)
    steps, networks = 40, 800
    rate = 2 / np.linalg.eigvalsh(theta)[-1] / steps
    decay = np.linalg.matrix_power(np.eye(6) - rate * theta, steps)
    mean, covariance = y - decay @ y, decay @ kernel @ decay.T
    small, large = (next(islice(finite(networks, width, x, y, Descent(rate)), steps, None)) for width in (100, 200))
    for power, expected in ((1, mean), (2, np.diag(covariance))):
        parts = [(f - (power - 1) * mean) ** power for f in (small, large)]
        values = 2 * parts[1].mean(axis=0) - parts[0].mean(axis=0)
        errors = np.sqrt(4 * parts[1].var(axis=0) + parts[0].var(axis=0)) / np.sqrt(networks)
        assert np.all(np.abs(values - expected) < 5 * errors)
        assert np.all(errors < 0.15)  # fine enough to see a wrong kernel


@pytest.mark.parametrize(("momentum", "weight_decay"), [(0.9, 0.0), (0.5, 0.3)])
def test_wide_networks_follow_descent_from_their_own_outputs(momentum: float, weight_decay: float) -> None:
    x, y = np.random.default_rng(3).standard_normal((6, 4)), np.array([1.0, -1, 1, 1, -1, 1])
    tangents = Tangents(kernels(igb.mlp(1, "relu"), x)[1], 6)
    steps = Descent(0.5 / tangents.spectrum[0][-1], momentum, weight_decay, matrices=2)
    outputs = np.array(list(islice(finite(8, 3000, x, y, steps), 9)))
    start = outputs[0].T[:, :, None]
    at = np.arange(9)
    by_modes = np.array(list(steps.squared(tangents, y[:, None])(start, at)))
    by_draws = np.array(list(steps.of_gradient(tangents, lambda f: f - y[:, None, None], RNG)(start, at)))
    assert by_modes == pytest.approx(by_draws, abs=1e-12)
    # the kernel at width 3000 differs by 2 %, and the outputs of size 1 are 0.02 apart; without decay of the start, 0.5
    assert np.sqrt(np.mean((by_modes[..., 0].swapaxes(1, 2) - outputs) ** 2)) < 0.06


def test_modes_obey_the_recursion_of_momentum_which_brings_the_bias_back() -> None:
    """Its roots are complex where (1 + beta - step lambda)^2 < 4 beta: the bias swings, and gradient flow has none."""
    net, at = igb.mlp(1, "relu"), [0, 1, 2, 4, 8, 16, 32]
    y = np.where(LABELS < 5, 1.0, -1.0)
    run = net.train(DIGITS, y, momentum=0.9, times=at)
    assert run.step is not None
    assert run.step * run.rate == pytest.approx(0.5)
    values, vectors = np.linalg.eigh(kernels(net, DIGITS)[1])
    covariance = kernels(net, DIGITS)[0]
    factor, before, losses = np.ones(40), np.ones(40), []
    for k in range(33):
        if k in at:
            decay = (vectors * factor) @ vectors.T
            losses.append(np.trace(decay @ (covariance + np.outer(y, y)) @ decay.T) / 80)
        after = (1.9 * factor if k else 1.0) - run.step * values * factor - (0.9 * before if k else 0.0)
        factor, before = after, factor
    errors = run.loss.mean()
    assert np.all(np.abs(errors.value - losses) < 5 * errors.error + 1e-6)
    # measured: 30 networks of width 256 have .329 .245 .129 .344 .281 .049 .006
    expected = [0.327, 0.228, 0.119, 0.332, 0.273, 0.092, 0.0]
    assert run.G0.std().value == pytest.approx(expected, abs=5 * 0.33 / np.sqrt(2 * 2000))
    scaled = net.train(DIGITS, y, momentum=0.9, times=at[:2], scale=1 / 16)
    assert scaled.rate == pytest.approx(run.rate / 256)
    assert scaled.G0.std().value[1] < 0.4 * scaled.G0.std().value[0]


def test_batches_add_the_noise_of_drawing_without_replacement() -> None:
    """A datum with the gradient 1 is in a batch of 2 of 8 with probability 1/4, and then has the gradient 4."""
    tangents, draws = Tangents(np.eye(8), 8), 4000
    steps = Descent(0.1, batch_size=2)
    flow = steps.of_gradient(tangents, np.ones_like, np.random.default_rng(0))
    (moved,) = flow(np.zeros((8, draws, 1)), np.array([1]))
    assert moved.sum(axis=0) == pytest.approx(-0.8)
    assert np.all(np.abs(np.mean(moved < -0.39, axis=1) - 0.25) < 5 * np.sqrt(0.25 * 0.75 / draws))
    unbounded = Descent(50.0).of_gradient(tangents, lambda f: f, RNG)
    with pytest.raises(ValueError, match="diverge"):
        list(unbounded(np.ones((8, 1, 1)), np.array([300])))


def test_the_bias_goes_before_the_data_are_learned() -> None:
    """The labels' imbalance is overshot: the reading of the issue, with other labels."""
    y = np.where(np.arange(40) % 7 == 0, -1.0, 1.0)
    rate = igb.mlp(3, "relu").train(DIGITS, y, times=[0.0], draws=2).rate
    found = igb.mlp(3, "relu").train(DIGITS, y, times=np.array([0, 10, 1e5]) / rate)
    start, early, end = found.G0.mean().value
    assert start == pytest.approx(0.5, abs=0.05)
    assert early > found.labels[0] + 0.04
    assert end == pytest.approx(found.labels[0])
    assert np.all(np.diff(found.G0.std().value) < 0)


def test_splits_and_absorption_times() -> None:
    found = igb.mlp(3, "relu").train(DIGITS, LABELS % 2, draws=400)
    neutral, prejudiced = found.split()
    assert neutral.networks + prejudiced.networks == 400
    assert np.all(np.abs(neutral.G0.draws[:, 0] - 0.5) <= 0.1)  # what `split` takes for neutral
    times = found.absorption_time(0.05).draws
    shares, slow = found.guesses.draws, int(times.argmax())
    at = np.searchsorted(found.times, times[slow])
    assert np.all(np.abs(shares[slow, at:] - found.labels) <= 0.05)  # as asked of `absorption_time`
    assert np.any(np.abs(shares[slow, at - 1] - found.labels) > 0.05)
    assert neutral.absorption_time(0.25).mean().value < prejudiced.absorption_time(0.25).mean().value
    assert np.all(found.absorption_time(1.0).draws == 0)
    assert np.array_equal(found.to_dict()["accuracy"]["mean"], found.accuracy.mean().value)
    cut = igb.mlp(3, "relu").train(DIGITS, LABELS % 2, times=[0.0], draws=400)
    assert np.isinf(cut.absorption_time(0.0).draws).any()


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        (LABELS[:-1], {}, "expected a label for each of the 40 data"),
        (LABELS - 3, {}, "expected class labels 0, 1, ..., got -3"),
        (np.zeros(40, dtype=int), {}, "two classes or more"),
        (np.full(40, np.nan), {}, "other entries"),
        (LABELS, {"loss": "hinge"}, "loss"),
        (LABELS / 2 - 1, {"loss": "focal"}, "a loss of probabilities"),
        (LABELS, {"times": [1.0, 0.5]}, "increasing times"),
        (LABELS, {"X_test": DIGITS}, "X_test and y_test together"),
        (LABELS, {"X_test": DIGITS, "y_test": LABELS / 2 - 1}, "y_test of the kind of y"),
        (LABELS, {"X_test": DIGITS[:, :3], "y_test": LABELS}, "X_test of shape"),
        (LABELS, {"momentum": 1.0}, r"momentum in \[0, 1\), got 1.0"),
        (LABELS, {"momentum": -0.1}, r"momentum in \[0, 1\)"),
        (LABELS, {"step": 0.0}, "step > 0"),
        (LABELS, {"scale": 0.0}, "scale > 0"),
        (LABELS, {"step": 1.0}, r"at most 2 \(1 \+ momentum\).* diverge"),
        (LABELS, {"step": 0.01, "times": [0, 0.5]}, "whole numbers of steps"),
        (LABELS, {"batch_size": 41}, "batch_size"),
        (LABELS % 3, {"X_test": DIGITS, "y_test": LABELS}, "below the number of classes"),
    ],
)
def test_bad_input_is_refused(y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        igb.mlp(1).train(DIGITS, y, **options)


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (igb.mlp(1, "tanh", norm="batch"), r"phi\(a x\) = a\^p phi\(x\), such as relu"),
        (igb.mlp(1, norm="batch", pool=2), "got MaxPool"),
        (igb.mlp(1, norm="batch", batch_size=20), "full batch"),
        (igb.mlp(1, norm="batch", placement="after"), "estimated from draws"),
        (igb.mlp(1, "sign"), "jumps at 0"),
        (igb.Network(igb.Dense(), igb.GroupNorm(4), RELU, igb.Dense()), "estimated from draws"),
    ],
)
def test_what_has_no_tangent_kernel_is_refused(net: igb.Network, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        net.train(DIGITS, LABELS)


def test_batches_of_other_data_have_no_tangent_kernel() -> None:
    for options in ({"X_test": DIGITS, "y_test": LABELS}, {"batch_size": 10}):
        with pytest.raises(ValueError, match="BatchNorm over all data"):
            igb.mlp(1, norm="batch").train(DIGITS, LABELS, **options)


def test_attention_has_the_tangent_kernel_of_its_values_if_its_scores_vanish() -> None:
    """The mean over the tokens of their mean is their mean."""
    data = np.random.default_rng(0).standard_normal((3, 4, 5))
    ending = (igb.Dense(1.8, 0.1), RELU, igb.Dense())
    attended = (igb.Conv1d(1), RELU, igb.Attention(2, sigma_v2=1.7, scaling="linear", sigma_vb2=0.2))
    plain = (igb.Conv1d(1), RELU, igb.Conv1d(1, sigma_w2=1.7, sigma_b2=0.2))
    found, expected = (
        kernels(igb.Network(*layers, igb.GlobalAvgPool(), *ending), data)[1] for layers in (attended, plain)
    )
    assert found == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match="depends on the outputs"):
        kernels(igb.Network(igb.Conv1d(1), igb.Attention(), igb.Dense(), igb.Flatten(), igb.Dense()), data)


@pytest.mark.parametrize("eps", [0.0, 0.4])
@pytest.mark.parametrize("name", ["relu", "max(x, 0)**2", None])
def test_the_tangent_kernel_behind_batchnorm_is_the_mean_over_its_jacobians(name: str | None, eps: float) -> None:
    """Of 100,000 units at seven data; the Jacobian is that of phi((g - mean)/sqrt(variance + eps)), by hand."""
    rng = np.random.default_rng(1)
    roots = rng.standard_normal((2, 7, 9))
    kernel, tangent = (root @ root.T / 7 for root in roots)
    phi = None if name is None else igb.Activation(name).phi
    found = tangent_kernel(phi, Batches(kernel, 7, eps), tangent)
    g = rng.standard_normal((100_000, 9)) @ roots[0].T / 7**0.5
    apart = g - g.mean(axis=1, keepdims=True)
    scale = np.sqrt(np.mean(apart**2, axis=1) + eps)[:, None, None]
    b = apart[:, :, None] / scale
    jacobians = (np.eye(7) - 1 / 7 - b * b.swapaxes(1, 2) / 7) / scale
    if phi is not None:
        jacobians *= phi.derivative(FLOAT64, b)
    draws = jacobians @ tangent @ jacobians.swapaxes(1, 2)
    errors = draws.std(axis=0) / 100_000**0.5
    assert np.all(np.abs(found - draws.mean(axis=0)) < 5.5 * errors)
    assert np.all(errors < 0.02 * np.abs(np.diagonal(found)).max())


class Drawing(igb.Layer):
    """A layer with weights of its own, of which nothing but its samples is known."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x @ rng.standard_normal((x.shape[1], x.shape[1]))


SHAPES = {"vectors": (4, 6), "images": (4, 6, 4, 4)}


@pytest.mark.parametrize(
    ("data", "layer", "count"),
    [
        *(("vectors", layer, 0) for layer in (RELU, igb.MaxPool(2), igb.AvgPool(3), igb.Dropout(0.5))),
        ("vectors", igb.Dense(3.0), 1),
        *(("images", layer, 0) for layer in (RELU, igb.MaxPool2d(2), igb.AvgPool2d(2), igb.GlobalAvgPool())),
        *(("images", layer, 0) for layer in (igb.Flatten(), igb.Tokens())),
        *(("images", layer, 1) for layer in (igb.Conv2d(3), igb.DepthwiseConv2d(3), igb.PatchEmbedding(2))),
        *(("vectors", layer, None) for layer in (igb.Dense(2.0, 0.1), igb.Activation("tanh"), igb.LayerNorm())),
        *(("vectors", layer, None) for layer in (igb.BatchNorm(), igb.BatchNorm(2), Drawing())),
        ("vectors", igb.Residual(igb.Dense(), RELU), None),
        ("images", igb.Conv2d(3, sigma_b2=0.1), None),
    ],
)
def test_layers_count_the_matrices_by_which_they_scale(data: str, layer: igb.Layer, count: int | None) -> None:
    x = np.random.default_rng(2).standard_normal(SHAPES[data])
    if count is None:
        with pytest.raises(ValueError, match=f"got {re.escape(repr(layer))}; pass weight_decay=0"):
            matrices((layer,), x)
    else:
        assert matrices((layer,), x) == count


@pytest.mark.parametrize("net", [igb.mlp(1, "tanh"), igb.mlp(1, sigma_b2=0.1), igb.mlp(1, norm="layer")])
def test_weight_decay_has_a_formula_for_matrices_in_a_row(net: igb.Network) -> None:
    with pytest.raises(ValueError, match="pass weight_decay=0"):
        net.train(DIGITS, LABELS, weight_decay=0.1)


def test_too_many_data_are_refused_with_the_size_of_their_kernels() -> None:
    # two matrices of 6000 x 6000 numbers of 8 bytes are 576 MB
    with pytest.raises(ValueError, match=r"got 6000, whose kernels take 0\.5 GiB"):
        igb.mlp(1).train(np.arange(6000.0)[:, None], np.arange(6000) % 2)


def test_equal_data_with_different_labels_are_named() -> None:
    data = np.concatenate([DIGITS, DIGITS[7:8]])
    with pytest.raises(ValueError, match="data 7 and 40"):
        igb.mlp(1).train(data, np.append(LABELS, LABELS[7] + 1))
    found = igb.mlp(1).train(data, np.append(LABELS, LABELS[7]), draws=20)  # a singular Theta
    assert np.all(found.accuracy.draws[:, -1] == 1)


@pytest.mark.parametrize("matrices", [1, 2, 3])
def test_momentum_and_weight_decay_are_those_of_weights(matrices: int) -> None:
    """Outputs a^m f + a^(m-1) J d of weights a w + d, by SGD on d and a as PyTorch does it, step by step.

    J: the slopes of the outputs at w; the gradient of a loss is a^(m-1) J^T times its slope.
    """
    rng, (step, momentum, decay, steps) = np.random.default_rng(0), (0.02, 0.9, 0.05, 60)
    slopes_of_outputs, start = rng.normal(size=(4, 30)), rng.normal(size=(4, 1, 1))
    aims = np.array([1.0, -1.0, 0.5, 2.0])
    theta = slopes_of_outputs @ slopes_of_outputs.T / 30
    factor, faster, weights, velocity = 1.0, 0.0, np.zeros(30), np.zeros(30)
    for _ in range(steps):
        by_weights = factor ** (matrices - 1) * slopes_of_outputs / 30**0.5
        outputs = factor**matrices * start[:, 0, 0] + by_weights @ weights
        velocity = momentum * velocity + by_weights.T @ (outputs - aims) + decay * weights
        faster = momentum * faster + decay * factor
        weights, factor = weights - step * velocity, factor - step * faster
    expected = factor**matrices * start[:, 0, 0] + factor ** (matrices - 1) * slopes_of_outputs @ weights / 30**0.5
    descent, tangents = Descent(step, momentum, decay, matrices), Tangents(theta, 4)
    flow = descent.of_gradient(tangents, lambda outputs: outputs - aims[:, None, None], np.random.default_rng(0))
    (found,) = flow(start, np.array([steps]))
    assert found[:, 0, 0] == pytest.approx(expected, rel=1e-9)
    if matrices == 1:
        (by_modes,) = descent.squared(tangents, aims[:, None])(start, np.array([steps]))
        assert by_modes[:, 0, 0] == pytest.approx(expected, rel=1e-9)
