"""The table: every activation and every layer must pass every row's checks; a new one gets them all by its row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from igbtheory.activations import FUNCTIONS, function_of, mehler, panels
from igbtheory.activations.moments import Moments, integrated, moments, product, second_moment
from igbtheory.layers import Activation, Dense, KernelNode, LawNode, Layer, Pairs
from igbtheory.numbers import FLOAT64, Multiprecision

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
CLOSED = [name for name, phi in FUNCTIONS.items() if phi.closed is not None]
SMOOTH = [name for name in ACTIVATIONS if not function_of(name).pieces.kinks]
LAYERS: list[Layer] = [Dense(2.0), Dense(0.7, 0.3), *(Activation(name) for name in ACTIVATIONS)]

SEVERAL = settings(max_examples=25, deadline=None)
variances = st.floats(-6, 6).map(lambda e: 10.0**e)
ratios = st.one_of(st.just(0.0), st.floats(-12, 12).map(lambda e: 10.0**e))


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
    phi = function_of(name)
    base = point.base
    found = panels.moments(FLOAT64, phi, np.float64(0), np.float64(base.var_mu), np.float64(base.var_chi))
    # the 1e-11; the covariance alone keeps fewer digits in the quadrature when the mean dominates
    close(second(moments(FLOAT64, phi, base)), second(Moments(*found[:3])), 1e-11)


@pytest.mark.parametrize("name", CLOSED)
@given(point=points)
@SEVERAL
def test_closed_form_keeps_its_digits_in_double_precision(name: str, point: Point) -> None:
    phi, n = function_of(name), Multiprecision(40)
    exact = moments(n, phi, Moments(0, n.number(point.base.var_mu), n.number(point.base.var_chi)))
    found = moments(FLOAT64, phi, point.base)
    # 1e-13 relative for each of the two, as promised per layer; 40 digits leave no cancellation unseen
    assert abs(found.var_mu - float(exact.var_mu)) <= 1e-13 * float(exact.var_mu)
    assert abs(found.var_chi - float(exact.var_chi)) <= 1e-13 * float(exact.var_chi)


@pytest.mark.parametrize("name", SMOOTH)
@given(q=st.floats(-6, 1).map(lambda e: 10.0**e), gamma=ratios)
@SEVERAL
def test_hermite_series_is_what_panels_find(name: str, q: float, gamma: float) -> None:
    phi, base = function_of(name), Point(q, gamma).base
    series = np.ones((4, 1))
    mehler.fill(FLOAT64, phi, np.array([[0.0], [base.var_mu], [base.var_chi]]), series)
    found = panels.moments(FLOAT64, phi, np.float64(0), np.float64(base.var_mu), np.float64(base.var_chi))
    assume(series[3, 0] <= FLOAT64.goal)  # else it leaves the point to the panels
    close(second(Moments(*series[:3, 0])), second(Moments(*found[:3])), 1e-11)


@pytest.mark.parametrize("name", ACTIVATIONS)
@given(point=points)
@SEVERAL
def test_estimated_error_meets_the_promise(name: str, point: Point) -> None:
    # 1e-10 is the bound for kinked formulas; smooth ones meet 1e-11
    phi = function_of(name)
    bound = 1e-10 if phi.pieces.kinks else 1e-11
    found = integrated(FLOAT64, phi, point.base)
    # a jump more than ten standard deviations away: the estimate says that digits are lost, and no one needs them
    assume(sum(second(found)) > 1e-25)
    assert np.all(found.error <= bound)


@pytest.mark.parametrize("name", ACTIVATIONS)
@given(point=points)
@SEVERAL
def test_variances_are_not_negative_and_add_up(name: str, point: Point) -> None:
    phi = function_of(name)
    m = moments(FLOAT64, phi, point.base)
    q = np.float64(point.base.var_mu + point.base.var_chi)
    whole = second_moment(FLOAT64, phi, q)
    assert m.var_mu >= 0
    assert m.var_chi >= 0
    # law and kernel compute E phi^2 by different routes: the first in three parts, the second at once
    assert float(m.mean**2 + m.var_mu + m.var_chi) == pytest.approx(float(whole), rel=1e-10)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("point", [Point(1.7, 0.0), Point(0.3, 0.5), Point(4.0, 30.0)])
def test_law_and_kernel_agree_on_exchangeable_data(name: str, point: Point) -> None:
    phi, q = function_of(name), np.float64(point.q)
    m = moments(FLOAT64, phi, point.base)
    pair, _ = product(FLOAT64, phi, q, q, np.float64(point.base.var_mu))
    # absolute against E phi^2: the kernel face promises no more where the mean is zero
    assert abs(float(pair - m.mean**2 - m.var_mu)) <= 1e-11 * second(m)[1]


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("pair", [(1.0, 2.0, -1.1), (0.2, 5.0, 0.6), (3.0, 3.0, 2.9)])
def test_kernel_face_is_the_mean_over_samples(name: str, pair: tuple[float, float, float]) -> None:
    phi = function_of(name)
    value, _ = product(FLOAT64, phi, *map(np.float64, pair))
    root = np.linalg.cholesky([[pair[0], pair[2]], [pair[2], pair[1]]])
    drawn = root @ np.random.default_rng(1).standard_normal((2, 400_000))
    found = np.prod(Activation(name).samples(drawn, np.random.default_rng(0), 0), axis=0)
    z = (found.mean() - value) / (found.std() / np.sqrt(found.size))
    assert abs(z) < 5  # 45 draws with |z| > 5 by chance: 3e-5


@pytest.mark.parametrize("name", ["tanh", "gelu", "erf", "x*tanh(x)"])
def test_kinds_of_number_agree_by_the_general_mechanism(name: str) -> None:
    phi, n = function_of(name), Multiprecision(20)
    base = Point(1.5, 2.0).base
    exact = integrated(n, phi, Moments(0, n.number(base.var_mu), n.number(base.var_chi)))
    found = integrated(FLOAT64, phi, base)
    close(second(found), second(exact), 1e-13)
    assert np.all(exact.error <= 1e-20)


def faces(layer: Layer, gamma: float) -> tuple[Any, Any]:
    """Second moments (q_aa, q_ab) behind a layer, by its law and by its kernel, from the same node."""
    base = Point(1.3, gamma).base
    law = layer.law(LawNode(FLOAT64, Moments(0, np.float64(base.var_mu), np.float64(base.var_chi)))).averaged()
    q = np.float64(1.3)
    kernel = layer.kernel(KernelNode(FLOAT64, Pairs(q, q, np.float64(base.var_mu)))).averaged()
    q_ab = law.mean**2 + law.var_mu
    return (q_ab + law.var_chi, q_ab), (kernel.q_a, kernel.q_ab)


@pytest.mark.parametrize("layer", LAYERS, ids=repr)
@pytest.mark.parametrize("gamma", [0.0, 0.4, 7.0])
def test_faces_law_and_kernel_agree(layer: Layer, gamma: float) -> None:
    law, kernel = faces(layer, gamma)
    assert np.allclose(law, kernel, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("layer", LAYERS, ids=repr)
def test_faces_kernel_and_samples_agree(layer: Layer) -> None:
    """Units of the samples face have the kernel of the kernel face: z-scores of three entries."""
    x = np.random.default_rng(5).standard_normal((2, 50))
    gram = x @ x.T / 50
    rng = np.random.default_rng(6)
    if isinstance(layer, Dense):
        units = np.concatenate([layer.samples(x, rng, 1) for _ in range(20_000)], axis=1)
    else:
        units = layer.samples(np.linalg.cholesky(gram) @ rng.standard_normal((2, 20_000)), rng, 0)
    pairs = Pairs(gram[[0, 1], [0, 1]], gram[[0, 1], [0, 1]], gram[[0, 1], [1, 1]])
    kernel = layer.kernel(KernelNode(FLOAT64, pairs)).averaged()
    for found, value in ((units[0] * units[1], kernel.q_ab[0]), (units[1] ** 2, kernel.q_ab[1])):
        z = (found.mean() - value) / (found.std() / np.sqrt(found.size))
        assert abs(z) < 5  # 26 draws with |z| > 5 by chance: 2e-5


@pytest.mark.parametrize("layer", LAYERS, ids=repr)
def test_samples_keep_their_type(layer: Layer) -> None:
    x = np.random.default_rng(0).standard_normal((3, 8), dtype=np.float32)
    assert layer.samples(x, np.random.default_rng(0), 4).dtype == np.float32
