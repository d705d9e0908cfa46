"""The table: every activation and every layer must pass every row's checks; a new one gets them all by its row."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from repeated import every_second, slow
from scipy import integrate, special
from second_moments import second_moment

import igbtheory as igb
from igbtheory import (
    GEGLU,
    GLU,
    Activation,
    AvgPool,
    BatchNorm,
    Concat,
    Dense,
    Dropout,
    GroupNorm,
    Layer,
    LayerNorm,
    MaxPool,
    Product,
    ReGLU,
    Residual,
    RMSNorm,
)
from igbtheory.layers.chain import each
from igbtheory.layers.nodes.gaussian import Gaussian, GaussianPairs
from igbtheory.layers.nodes.node import KernelNode, LawNode, Passage
from igbtheory.mathematics.averages import kinked_kernel, quadrature, rules, smooth
from igbtheory.mathematics.averages.errors import Errors
from igbtheory.mathematics.averages.gaussian import moments, product
from igbtheory.mathematics.averages.state import Moments, Pairs
from igbtheory.mathematics.formulas import FUNCTIONS, Function, function_of
from igbtheory.mathematics.formulas.calculus import derivative
from igbtheory.mathematics.formulas.reader import read
from igbtheory.mathematics.formulas.text import text
from igbtheory.mathematics.numbers import FLOAT64, Multiprecision

FORMULAS = (
    "min(max(x, -1), 1)",  # two kinks, no closed form
    "where(x > 1/2, 1, 0)",  # a jump
    "x*tanh(x)",  # even
    "exp(-x**2)",
    "x/(1 + abs(x))",  # algebraic tails and a kink
    "max(x, 0)**2",
    "where(x > 0, x, exp(x) - 1)",
)
ACTIVATIONS = [*FUNCTIONS, *FORMULAS]
HIGHEST = {"sin": 100.0, "cos": 100.0}
"""Second moments beyond which panels refuse a wave as too fine: there the closed form is on its own."""
CLOSED = [name for name, phi in FUNCTIONS.items() if phi.closed is not None]
SMOOTH = [name for name in ACTIVATIONS if not function_of(name).pieces.kinks]
COMPOSED: list[Layer] = [
    Dense(2.0),
    Dense(0.7, 0.3),
    LayerNorm(),
    LayerNorm(eps=0.1),
    RMSNorm(),
    RMSNorm(eps=0.1),
    BatchNorm(),
    BatchNorm(4),
    BatchNorm(2),
    BatchNorm(law="evaluation", eps=0.1),
    GroupNorm(4),
    MaxPool(2),
    MaxPool(3),
    AvgPool(3),
    Dropout(0.3),
    GLU(),
    GEGLU(),
    Residual(Dense(0.5)),
    Residual(Activation("relu"), Dense(0.5, 0.1), scale=0.7),
    Residual(Activation("tanh"), Dense(0.5, 0.1), scale=0.7, shortcut=[Activation("relu"), Dense(1.5)]),
    Residual(Residual(Dense(0.5)), Residual(Activation("tanh"), Dense(1.0)), scale=0.5),
    Residual(
        Residual(Residual(Dense(4.0)), scale=0.6),
        Residual(Residual(Activation("relu"), Dense(2.0)), scale=0.8),
        scale=0.5,
    ),
    Residual(Dense(0.5), Activation("relu"), scale=0.7, shortcut=[Dense(1.5), Activation("sigmoid")]),
    Concat((), (Activation("relu"), Dense(0.5, 0.1))),
    Concat(Dense(0.5), (Activation("tanh"), Dense(1.5, 0.1), Activation("relu")), shares=(1, 3)),
    Product(Activation("relu"), Dense(1.5, 0.1), Activation("sigmoid")),
]
LAYERS = [*COMPOSED, *(Activation(name) for name in ACTIVATIONS)]
FEWER = [*COMPOSED, *(slow(x) if i % 4 else x for i, x in enumerate(LAYERS[len(COMPOSED) :]))]
"""Layers for what is the same rule for every activation."""

SEVERAL = settings(max_examples=3, deadline=None)
variances = st.floats(-6, 6).map(lambda e: 10.0**e)
ratios = st.one_of(st.just(0.0), st.floats(-12, 12).map(lambda e: 10.0**e))
correlations = st.builds(lambda sign, e: sign * 0.99 * 10.0**e, st.sampled_from([-1, 1]), st.floats(-12, 0))


@dataclass(frozen=True)
class Point:
    """A centred Gaussian node of second moment q and bias ratio gamma."""

    q: float
    gamma: float

    @property
    def base(self) -> Moments:
        return Moments(0, self.q * self.gamma / (1 + self.gamma), self.q / (1 + self.gamma))


points = st.builds(Point, variances, ratios)


def second(m: Moments) -> tuple[float, float]:
    """What flows on: mean^2 + var_mu and var_chi."""
    return float(m.mean**2 + m.var_mu), float(m.var_chi)


def close(a: tuple[float, float], b: tuple[float, float], tolerance: float) -> None:
    # var_mu of an even or odd phi at gamma -> 0 is what rounding leaves of 0: compare it with var_chi then
    floor = 1e-15 * sum(b)
    assert abs(a[0] - b[0]) <= tolerance * b[0] + floor
    assert abs(a[1] - b[1]) <= tolerance * b[1]


@pytest.mark.parametrize("name", CLOSED)
@given(point=points)
@SEVERAL
def test_closed_form_is_what_panels_find(name: str, point: Point) -> None:
    assume(point.q <= HIGHEST.get(name, np.inf))
    phi = function_of(name)
    base = point.base
    found = quadrature.moments(FLOAT64, phi, np.float64(0), np.float64(base.var_mu), np.float64(base.var_chi))
    # the 1e-11; the covariance alone keeps fewer digits in the quadrature when the mean dominates
    close(second(moments(FLOAT64, phi, 1, base)), second(Moments(*found[:3])), 1e-11)


@pytest.mark.parametrize("name", CLOSED)
@given(point=points)
@SEVERAL
def test_closed_form_keeps_its_digits_in_double_precision(name: str, point: Point) -> None:
    phi, n = function_of(name), Multiprecision(40)
    exact = moments(n, phi, 1, Moments(0, n.number(point.base.var_mu), n.number(point.base.var_chi)))
    found = moments(FLOAT64, phi, 1, point.base)
    # 1e-13 relative for each of the two, as promised per layer; 40 digits leave no cancellation unseen; a wave of
    # q > 700 underflows
    assert abs(found.var_mu - float(exact.var_mu)) <= 1e-13 * float(exact.var_mu) + 1e-300
    assert abs(found.var_chi - float(exact.var_chi)) <= 1e-13 * float(exact.var_chi) + 1e-300


@pytest.mark.parametrize("name", CLOSED)
@given(q_a=variances, q_b=variances, c=correlations)
@SEVERAL
def test_slope_is_the_derivative_of_the_covariance(name: str, q_a: float, q_b: float, c: float) -> None:
    closed, n = function_of(name).closed, Multiprecision(40)
    assert closed is not None
    q_ab = c * float(np.sqrt(q_a * q_b))
    a, b, ab, step = (n.number(x) for x in (q_a, q_b, q_ab, 1e-18 * abs(q_ab)))
    exact = closed.slope(n, a, b, ab)
    size = closed.slope(n, a, b, abs(ab))  # of the terms, which may cancel at negative c
    rise = closed.covariance(n, a, b, ab + step) - closed.covariance(n, a, b, ab - step)
    assert abs(rise / (2 * step) - exact) <= 1e-15 * size
    found = closed.slope(FLOAT64, np.float64(q_a), np.float64(q_b), np.float64(q_ab))
    # 0.99 and q = 1e6 in an exponent or a difference: no more digits in the arguments
    assert abs(found - float(exact)) <= 1e-13 * (1 + abs(np.log(float(size) + 1e-300))) * float(size) + 1e-300


@pytest.mark.parametrize("name", [name for name in CLOSED if not any(FUNCTIONS[name].pieces.jumps(FLOAT64))])
@pytest.mark.parametrize("pair", [(1.0, 2.0, -1.1), (0.2, 5.0, 0.6), (3.0, 3.0, 2.9)])
def test_slope_is_the_mean_of_the_slopes(name: str, pair: tuple[float, float, float]) -> None:
    phi = function_of(name)
    assert phi.closed is not None
    value, _ = product(
        FLOAT64,
        Function("slope", derivative(phi.tree)),
        1,
        (np.float64(pair[0]), np.float64(pair[1]), np.float64(pair[2])),
    )
    found = phi.closed.slope(FLOAT64, *map(np.float64, pair))
    assert found == pytest.approx(float(value), rel=1e-11, abs=1e-13)


@pytest.mark.parametrize("name", SMOOTH)
@given(q=st.floats(-6, 1).map(lambda e: 10.0**e), gamma=ratios)
@SEVERAL
def test_hermite_series_is_what_panels_find(name: str, q: float, gamma: float) -> None:
    phi, base = function_of(name), Point(q, gamma).base
    series = np.ones((4, 1))
    smooth.fill(FLOAT64, phi, np.array([[0.0], [base.var_mu], [base.var_chi]]), series)
    found = quadrature.moments(FLOAT64, phi, np.float64(0), np.float64(base.var_mu), np.float64(base.var_chi))
    assume(series[3, 0] <= FLOAT64.goal)  # else it leaves the point to the panels
    close(second(Moments(*series[:3, 0])), second(Moments(*found[:3])), 1e-11)


def test_a_series_that_does_not_converge_leaves_its_point_to_other_rules() -> None:
    found = np.ones((4, 2))
    smooth.fill(FLOAT64, function_of("1/(1 + 1000*x**2)"), np.array([[0.0, 0.1], [0.5, 0.5], [0.5, 0.5]]), found)
    assert np.all(found == 1)


@pytest.mark.parametrize("side", [-1, 1])
def test_a_series_that_misses_a_spike_leaves_its_point_to_other_rules(side: int) -> None:
    """Its nodes do not see a spike, which the points do at which it is compared with phi, on both sides of 0."""
    found = np.ones((4, 1))
    spiked = function_of(f"exp(-x**2) + exp(-10**8*(x - {side * 1.9**0.5!r})**2)")
    smooth.fill(FLOAT64, spiked, np.array([[0.0], [0.5], [0.5]]), found)
    assert np.all(found == 1)


@pytest.mark.parametrize("name", ACTIVATIONS)
@given(point=points)
@SEVERAL
def test_estimated_error_meets_the_promise(name: str, point: Point) -> None:
    assume(point.q <= HIGHEST.get(name, np.inf))
    # 1e-10 is the bound for kinked formulas; smooth ones meet 1e-11
    phi = function_of(name)
    bound = 1e-10 if phi.pieces.kinks else 1e-11
    found = rules.moments(FLOAT64, phi, point.base)
    # a jump more than seven standard deviations away: the estimate says that digits are lost, and no one needs them
    assume(sum(second(found)) > 1e-12)
    # beside a jump off the origin, distances of the size sqrt(1 - c^2) are rounded
    bound += 1e-15 * np.sqrt(point.gamma) if any(phi.pieces.jumps(FLOAT64)) else 0
    # at large q they leave a q_ab of rounding's size beside var_chi: the general mechanism says so, and they have
    # closed forms
    assume(name not in {"sin", "cos"} or second(found)[0] > 1e-5 * sum(second(found)))
    # selu has E phi = 0 at q = 1: nearby mean^2 keeps epsilon/mean of its digits, 1e-10 at 1e-12
    assume(second(found)[0] == 0 or second(found)[0] > 4e-12 * sum(second(found)))
    assert np.all(found.error <= bound)


@pytest.mark.parametrize("name", every_second(ACTIVATIONS))
@given(point=points)
@SEVERAL
def test_variances_are_not_negative_and_add_up(name: str, point: Point) -> None:
    phi = function_of(name)
    m = moments(FLOAT64, phi, 1, point.base)
    q = np.float64(point.base.var_mu + point.base.var_chi)
    whole = second_moment(FLOAT64, phi, 1, q)
    assert m.var_mu >= 0
    assert m.var_chi >= 0
    # law and kernel compute E phi^2 by different routes: the first in three parts, the second at once
    assert float(m.mean**2 + m.var_mu + m.var_chi) == pytest.approx(float(whole), rel=1e-10)


@pytest.mark.parametrize("name", ["elu", "hardtanh", "x*tanh(x)"])
def test_law_and_kernel_agree_on_nearly_equal_data(name: str) -> None:
    phi, base = function_of(name), Point(4.0, 30.0).base
    m = moments(FLOAT64, phi, 1, base)
    pair, _ = product(FLOAT64, phi, 1, (np.float64(4.0), np.float64(4.0), np.float64(base.var_mu)))
    # absolute against E phi^2: the kernel face promises no more where the mean is zero
    assert abs(float(pair - m.mean**2 - m.var_mu)) <= 1e-11 * second(m)[1]


CUBIC = "max(x, 0)**3 - where(x > 1/2, x**2, 0) + max(-x - 1, 0)"
KNOWN = {name: kinked_kernel.kinked(function_of(name)) for name in [*ACTIVATIONS, CUBIC]}
SPLIT = [name for name, known in KNOWN.items() if known is not None and (known.exact or name == "selu")]


@pytest.mark.parametrize("name", every_second(SPLIT))
@given(q=variances, ratio=st.floats(0.05, 1), c=st.one_of(correlations, st.sampled_from([-1.0, 0.0, 0.99, 1 - 1e-9])))
@settings(max_examples=3, deadline=None)
def test_kernel_of_an_array_of_pairs_is_what_panels_find(name: str, q: float, ratio: float, c: float) -> None:
    """By the series, and by truncated moments of powers near c = 1 and -1."""
    phi, known = function_of(name), KNOWN[name]
    assert known is not None
    q_a, q_b = np.array([[q], [ratio * q]]), np.array([q, 1.3 * q])
    q_ab = c * np.sqrt(q_a * q_b)
    mean = np.float64(0.3 * np.sqrt(q))
    size_a, size_b = (np.sqrt([second_moment(FLOAT64, phi, 1, x, mean) for x in np.ravel(qs)]) for qs in (q_a, q_b))
    # nobody sees what near duplicates lose at a jump that no unit reaches, 8 standard deviations away
    assume(min(size_a.min(), size_b.min()) > 1e-14)
    values, error = kinked_kernel.product(known, (q_a, q_b, q_ab), float(mean))
    for i, j in np.ndindex(2, 2):
        found, missed = quadrature.product(FLOAT64, phi, mean, q_a[i, 0], q_b[j], q_ab[i, j])
        assert abs(values[i, j] - found) <= (error + missed + 1e-11) * size_a[i] * size_b[j]


@pytest.mark.parametrize("name", ["elu", "selu", "where(x > 1, x**2, x/3)", "where(x > 0, 1 + exp(-x**2), 0)"])
def test_moments_at_many_variances_are_those_at_each(name: str) -> None:
    phi, mean, q = function_of(name), np.float64(0.2), np.geomspace(1e-3, 1e3, 9)
    together = moments(FLOAT64, phi, 1, Moments(mean, 0 * q, q))
    for i in range(q.size):
        alone = moments(FLOAT64, phi, 1, Moments(mean, np.float64(0), q[i]))
        assert float(together.mean[i]) == pytest.approx(float(alone.mean), rel=1e-13, abs=1e-15)
        assert float(together.var_chi[i]) == pytest.approx(float(alone.var_chi), rel=1e-13)


@pytest.mark.parametrize("name", [*CLOSED, "tanh", "hardtanh"])
@pytest.mark.parametrize("variance", [0.5, np.array([[0.5], [3.0]])])
def test_layers_without_nodes_between_them_give_the_same_numbers(name: str, variance: Any) -> None:
    """A row of Dense layers and activations makes no nodes; a Dropout that drops nothing makes it a general network.

    Closed forms of products and of variances differ by rounding.
    """
    *layers, output = igb.mlp(3, name, sigma_w2=variance, sigma_b2=0.1).layers
    inputs = igb.GaussianInputs(shift=1.0, variance=np.array([0.7, 0.0]))
    row, general = (igb.Network(*layers, *more, output).predict(inputs).per_layer for more in ((), (Dropout(0.0),)))
    for quantity in ("var_mu", "var_chi", "error"):
        np.testing.assert_allclose(getattr(row, quantity), getattr(general, quantity), rtol=3e-15)


@pytest.mark.parametrize("name", ["relu", "gelu", "tanh"])
def test_a_large_sweep_has_the_same_last_layer_in_blocks(name: str) -> None:
    net = igb.mlp(2, name, sigma_w2=np.linspace(0.1, 4, 150)[:, None], sigma_b2=np.linspace(0, 1, 120))
    inputs = igb.GaussianInputs(variance=np.linspace(0.5, 2, 120))
    kept, last = net.predict(inputs).per_layer.last, net.predict(inputs, layers="last").per_layer
    for quantity in ("var_mu", "var_chi", "error", "c_within"):
        np.testing.assert_allclose(getattr(last, quantity), getattr(kept, quantity), rtol=3e-15)
    assert last.left_out == kept.left_out


@pytest.mark.parametrize("name", [slow("elu"), "hardtanh", slow("where(x > 0, x, sin(x))")])
def test_kernel_at_one_variance_is_what_panels_find(name: str) -> None:
    """Behind a norm: one table serves all angles, also those close to 0 and to pi."""
    phi, q = function_of(name), np.full((6, 1), 2.0)
    c = np.cos(np.linspace(1e-5, np.pi - 1e-5, 36)).reshape(6, 6)
    values, error = product(FLOAT64, phi, 1, (q, q.T, 2 * c))
    size = second_moment(FLOAT64, phi, 1, np.float64(2))
    for i, j in np.ndindex(c.shape):
        found, missed = quadrature.product(FLOAT64, phi, *np.array([0, 2, 2, 2 * c[i, j]]))
        assert abs(values[i, j] - found) <= (error + missed) * size
    assert error < 1e-12


def test_kernel_of_many_kinks_is_what_panels_find() -> None:
    """A table of knots, data of unlike variances and of angles from 1e-6 on."""
    x = np.linspace(-3, 3, 16)
    phi = function_of((x, np.sin(x) + 0.1 * np.cos(5 * x)))
    known = kinked_kernel.kinked(phi)
    assert known is not None
    assert known.exact
    q = np.array([0.5, 0.8, 0.8000001, 1.7])
    pairs = (q, q[::-1], np.sqrt(q * q[::-1]) * np.cos([1e-6, 1e-3, 0.1, 1.0]))
    values, error = kinked_kernel.product(known, pairs)
    for value, *pair in zip(values, *pairs, strict=True):
        assert abs(value - quadrature.product(FLOAT64, phi, np.float64(0), *pair)[0]) < error + 1e-13
    assert error < 1e-12


@pytest.mark.parametrize(
    "formula",
    ["x*tanh(x)", "-x**2/(1 + x**2)", "(x + 1)**(-2)", "2**x - 3", "1 - exp(-x/3)*sin(2*x)", "sqrt(1 + x**2)", "pi*x"],
)
def test_the_text_of_a_formula_reads_as_the_formula(formula: str) -> None:
    tree = read(formula)
    assert read(text(tree)) == tree


@pytest.mark.parametrize("name", [slow("tanh"), "gelu", slow("erf"), slow("x*tanh(x)")])
def test_kinds_of_number_agree_by_the_general_mechanism(name: str) -> None:
    phi, n = function_of(name), Multiprecision(20)
    base = Point(1.5, 2.0).base
    exact = rules.moments(n, phi, Moments(0, n.number(base.var_mu), n.number(base.var_chi)))
    found = rules.moments(FLOAT64, phi, base)
    close(second(found), second(exact), 1e-13)
    assert np.all(exact.error <= 1e-20)


DATA = 8
"""Data of an exchangeable kernel, and of a full batch."""
WIDTH = 64
"""Units of a network that is drawn."""


def faces(layer: Layer, gamma: float) -> tuple[Any, Any, float]:
    """Second moments q_aa, q_ab and within a batch behind a layer, by its law and by its kernel, from the same node.

    Last, what an estimate may miss: of GroupNorm only the law of one datum is exact.
    """
    base = Point(1.3, gamma).base
    moments = Moments(0, np.float64(base.var_mu), np.float64(base.var_chi))
    node = LawNode(FLOAT64, Gaussian(moments), passage=Passage(batch_size=DATA))
    law = node.through([layer]).averaged()
    mean2 = law.mean**2
    kernel = np.full((DATA, DATA), base.var_mu) + np.diag(np.full(DATA, base.var_chi))
    q = np.diagonal(kernel)
    pairs = Pairs(q[:, None], q, kernel, np.eye(DATA, dtype=bool))
    behind = KernelNode(FLOAT64, GaussianPairs(pairs)).through([layer]).averaged()
    found = np.broadcast_to(behind.q_ab, kernel.shape)
    if isinstance(layer, GroupNorm):  # the error of an estimate is that of means over pairs
        apart = ~np.eye(DATA, dtype=bool)
        found = np.where(apart, found[apart].mean(), found[~apart].mean())
    whole = isinstance(layer, BatchNorm) and layer.batch_size is None
    across = law.covariance if whole else law.var_mu
    lost = (law.error + behind.error + behind.errors.draws) if isinstance(layer, GroupNorm) else 0.0
    by_law = mean2 + law.variance, mean2 + across, mean2 + law.covariance
    return by_law, (found[0, 0], found[0, -1], found[0, 1]), lost


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("layer", LAYERS, ids=repr)
@pytest.mark.parametrize("gamma", [slow(0.0), slow(0.4), 7.0])
def test_faces_law_and_kernel_agree(layer: Layer, gamma: float) -> None:
    law, kernel, lost = faces(layer, gamma)
    assert np.allclose(law, kernel, rtol=1e-11, atol=1e-12 + lost)


def drawn_behind(layer: Layer, mean: float, covariance: Any, front: str = "linear") -> Any:
    """Units of the samples face, behind an activation of Gaussian units of this mean and covariance over the data.

    A Dense reads WIDTH units in each of many networks: enough that sums of them are nearly Gaussian.
    """
    rng, root = np.random.default_rng(6), np.linalg.cholesky(covariance)
    networks = 192 if any(isinstance(inner, Dense) for inner in each([layer])) else 1
    h = mean + root @ rng.standard_normal((len(root), 192 * WIDTH if networks > 1 else 768 * WIDTH))
    x = np.asarray(function_of(front)(FLOAT64, h))
    return np.concatenate([layer.samples(part, rng, WIDTH) for part in np.split(x, networks, axis=1)], axis=1)


def error_of_mean(values: Any) -> float:
    """Standard error: units of one network share their weights, those of a group their norm; WIDTH count as one."""
    return float(values.reshape(-1, WIDTH).mean(axis=1).std() / np.sqrt(values.size / WIDTH))


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("layer", FEWER, ids=repr)
def test_faces_kernel_and_samples_agree(layer: Layer) -> None:
    """Units behind the positive parts of Gaussian ones have the means and second moments of the kernel."""
    x = np.random.default_rng(5).standard_normal((4, 50))
    gram = x @ x.T / 50
    units = drawn_behind(layer, 0.0, gram, "relu")
    q = np.diagonal(gram)
    node = KernelNode(FLOAT64, GaussianPairs(Pairs(q[:, None], q, gram, np.eye(4, dtype=bool))))
    after = node.then("relu").through([layer])
    behind, means = after.averaged(), np.broadcast_to(np.ravel(after.averaged().mean.a), 4)
    size = np.diagonal(np.broadcast_to(behind.q_ab, (4, 4)))
    assert np.allclose(np.ravel(behind.q_a), size, rtol=1e-12 + behind.error)
    assert np.allclose(behind.q_b, size, rtol=1e-12 + behind.error)
    for a, b in ((0, 1), (0, 3), (1, 1)):
        # sign(x)^2 does not vary. |z| > 5 once in 600 draws by chance: 3e-4
        lost = (behind.error + behind.errors.draws) * np.sqrt(size[a] * size[b]) + 1e-12
        for found, value in ((units[a] * units[b], behind.q_ab[a, b]), (units[a], means[a])):
            assert abs(found.mean() - value) <= 5 * error_of_mean(found) + lost


@pytest.mark.parametrize("layer", [layer for layer in FEWER if not isinstance(layer, BatchNorm)], ids=repr)
def test_faces_law_and_samples_agree(layer: Layer) -> None:
    """Of units with a mean, at two data of one batch and one of another: their mean, and three second moments."""
    base = Moments(1.2, np.float64(0.4), np.float64(0.9), within=np.float64(0.7))
    law = LawNode(FLOAT64, Gaussian(base)).through([layer]).averaged()
    covariance = np.full((3, 3), base.var_mu)
    covariance[0, 1] = covariance[1, 0] = base.within
    np.fill_diagonal(covariance, base.variance)
    units = drawn_behind(layer, base.mean, covariance)
    expected = law.mean**2 + np.array([law.covariance, law.var_mu, law.variance])
    lost = law.error * expected[-1] + 1e-12
    values = [units[a] * units[b] for a, b in ((0, 1), (0, 2), (1, 1))]
    for found, value in zip([units[0], *values], [law.mean, *expected], strict=True):
        assert abs(found.mean() - value) <= 5 * error_of_mean(found) + lost


LOST = 0.01
"""An error of the moments in front of a layer."""
SQUARE = Activation("squared_relu")
FRONTS: list[tuple[str, Layer, float]] = [
    ("linear", ReGLU(), LOST),
    ("relu", MaxPool(2), LOST),
    ("linear", Residual(SQUARE, Dense(2.0)), LOST),
    ("linear", Residual(Dense(0.5), shortcut=[SQUARE, Dense(2.0)]), LOST),
    ("linear", BatchNorm(4, eps=0.1), LOST),
    ("linear", BatchNorm(4), 0.0),  # without eps the scale of a unit counts for nothing
    slow(("relu", BatchNorm(2, eps=10.0), LOST)),  # estimated from draws, whose own error is smaller
]


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize(("front", "layer", "most"), FRONTS, ids=repr)
def test_the_error_behind_a_layer_covers_the_one_in_front(front: str, layer: Layer, most: float) -> None:
    """Moments that are a hundredth too large change what is behind the layer by no more than it states then."""

    def behind(factor: float, error: float) -> Moments:
        base = Moments(0, np.float64(0.4 * factor), np.float64(0.9 * factor), error)
        node = LawNode(FLOAT64, Gaussian(base))
        return (node if front == "linear" else node.then(front)).through([layer]).averaged()

    found, changed = behind(1.0, LOST), second(behind(1 + LOST, 0.0))
    for one, other in zip(second(found), changed, strict=True):
        assert abs(other - one) <= (1.02 * float(np.max(found.error)) + 1e-12) * one
    assert float(np.max(found.error)) <= 2.2 * most + 1e-12


KERNEL_FRONTS: list[tuple[str, Layer]] = [
    ("linear", ReGLU()),
    ("relu", LayerNorm()),
    ("linear", Residual(Activation("step"), Dense(8.0))),
    ("linear", Residual(Dense(0.5), shortcut=[Activation("step"), Dense(8.0)])),
]


@pytest.mark.parametrize(("front", "layer"), KERNEL_FRONTS, ids=repr)
def test_the_error_of_a_kernel_covers_the_one_in_front(front: str, layer: Layer) -> None:
    """Two data whose correlation is a hundredth too large, relative to the roots of their variances."""

    def behind(c: float, error: float) -> Pairs:
        q = np.array([1.3, 1.3])
        pairs = Pairs(q[:, None], q, 1.3 * np.array([[1, c], [c, 1]]), np.eye(2, dtype=bool), Errors(error))
        node = KernelNode(FLOAT64, GaussianPairs(pairs))
        return (node if front == "linear" else node.then(front)).through([layer]).averaged()

    found, other = behind(0.97, LOST), behind(0.97 + LOST, 0.0)
    assert abs(found.q_ab - other.q_ab)[0, 1] <= 1.02 * found.error * found.q_ab[0, 0]


@pytest.mark.parametrize("layer", LAYERS, ids=repr)
def test_samples_keep_their_type(layer: Layer) -> None:
    x = np.random.default_rng(0).standard_normal((4, 12), dtype=np.float32)
    assert layer.samples(x, np.random.default_rng(0), 4).dtype == np.float32


def softplus(x: Any) -> Any:
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


PYTORCH: dict[str, Callable[[Any], Any]] = {  # the formulas of its documentation, with its defaults
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(0, x),
    "leaky_relu": lambda x: np.maximum(0, x) + 0.01 * np.minimum(0, x),
    "prelu": lambda x: np.maximum(0, x) + 0.25 * np.minimum(0, x),
    "abs": np.abs,
    "step": lambda x: np.heaviside(x, 0.5),
    "sign": np.sign,
    "hardtanh": lambda x: np.clip(x, -1, 1),
    "relu6": lambda x: np.minimum(np.maximum(0, x), 6),
    "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "selu": lambda x: (
        1.0507009873554804934193349852946
        * (np.maximum(0, x) + np.minimum(0, 1.6732632423543772848170429916717 * (np.exp(x) - 1)))
    ),
    "celu": lambda x: np.maximum(0, x) + np.minimum(0, np.exp(x) - 1),
    "tanh": lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x)),
    "erf": special.erf,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x * special.ndtr(x),
    "gelu_tanh": lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "mish": lambda x: x * np.tanh(softplus(x)),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "hardswish": lambda x: np.where(x <= -3, 0, np.where(x >= 3, x, x * (x + 3) / 6)),
    "hardsigmoid": lambda x: np.where(x <= -3, 0, np.where(x >= 3, 1, x / 6 + 1 / 2)),
    "squared_relu": lambda x: np.maximum(0, x) ** 2,
    "sin": np.sin,
    "cos": np.cos,
    "gaussian": lambda x: np.exp(-(x**2)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_catalogue_means_what_pytorch_means(name: str) -> None:
    x = np.linspace(-9, 9, 2000)  # 0 is not among them, where a jump may have any value
    assert np.allclose(FUNCTIONS[name](FLOAT64, x), PYTORCH[name](x), rtol=1e-14, atol=1e-14)
    assert FUNCTIONS[name].source


def trapezoidal(phi: Callable[[Any], Any], var_mu: float, var_chi: float) -> tuple[float, float]:
    """Moments q_ab and var_chi of a smooth phi by the trapezoidal rule, which converges geometrically."""
    z = np.linspace(-9, 9, 721)
    weights = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()
    values = phi(np.sqrt(var_mu) * z[:, None] + np.sqrt(var_chi) * z)
    inside = values @ weights
    return float(weights @ inside**2), float(weights @ ((values - inside[:, None]) ** 2 @ weights))


def clipped(low: float, high: float, var_mu: float, var_chi: float) -> tuple[float, float]:
    """Moments q_ab and var_chi of a clipped x: truncated normal moments, then adaptive quadrature over the nodes."""
    scale = np.sqrt(var_chi)

    def given(u: float, power: int) -> float:
        a, b = (low - np.sqrt(var_mu) * u) / scale, (high - np.sqrt(var_mu) * u) / scale
        centre, (at_a, at_b) = np.sqrt(var_mu) * u, np.exp(-np.square([a, b]) / 2) / np.sqrt(2 * np.pi)
        mass = special.ndtr(b) - special.ndtr(a)
        first = centre * mass + scale * (at_a - at_b)
        second = (centre**2 + var_chi) * mass + scale * ((centre + low) * at_a - (centre + high) * at_b)
        outside = low**power * special.ndtr(a) + high**power * special.ndtr(-b)
        return float(outside + (first if power == 1 else second))

    def mean(f: Callable[[float], float]) -> float:
        def weighted(u: float) -> float:
            return float(np.exp(-u * u / 2) / np.sqrt(2 * np.pi)) * f(u)

        return float(integrate.quad(weighted, -10, 10, epsabs=1e-14, epsrel=1e-13, limit=200, points=[-3, 0, 3])[0])

    return mean(lambda u: given(u, 1) ** 2), mean(lambda u: given(u, 2) - given(u, 1) ** 2)


ORACLES: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "mish": partial(trapezoidal, PYTORCH["mish"]),
    "x*tanh(x)": partial(trapezoidal, lambda x: x * np.tanh(x)),
    "exp(-x**2)": partial(trapezoidal, PYTORCH["gaussian"]),
    "gaussian": partial(trapezoidal, PYTORCH["gaussian"]),
    "hardtanh": partial(clipped, -1.0, 1.0),
    "relu6": partial(clipped, 0.0, 6.0),
}


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("sigma_b2", [0.0, 0.1])
def test_depth_four_by_an_independent_quadrature(name: str, sigma_b2: float) -> None:
    found = igb.mlp(4, name, sigma_w2=2.0, sigma_b2=sigma_b2).predict().per_layer
    var_mu, var_chi = sigma_b2, 2.0
    for depth in range(5):
        assert found.var_mu[depth] == pytest.approx(var_mu, rel=1e-10, abs=1e-14)
        assert found.var_chi[depth] == pytest.approx(var_chi, rel=1e-10)
        q_ab, spread = ORACLES[name](var_mu, var_chi)
        var_mu, var_chi = 2 * q_ab + sigma_b2, 2 * spread
