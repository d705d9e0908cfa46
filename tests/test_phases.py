"""Phases: edge of chaos, neutrality, fixed points, classification, rates and diagrams against laws and other faces."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, comparison-overlap, operator"

import json
from functools import partial
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from repeated import slow

import igbtheory as igb
from igbtheory.mathematics.formulas import FUNCTIONS
from igbtheory.presentation.cli import main

phases = igb.phases
LIMITED = settings(max_examples=4, deadline=None)
SMOOTH = ["tanh", "erf", "sin", "gelu", "silu", "x - x**3/10", "gaussian"]
KINKED = ["relu", "elu", "hardtanh", "leaky_relu", "relu6"]
SETTLING = [name for name in SMOOTH + KINKED if "**" not in name]
"""Activations of which no variance grows faster than exponentially."""
EDGES = {0.05: 1.7610, 0.2: 2.2852}


def one_layer(sigma_w2: float, sigma_b2: float, q: float, share: float, activation: str, **given: Any) -> Any:
    """Moments that `predict` computes one layer after units of variance q and correlation 1 - share."""
    stream = igb.Residual(igb.Dense(0.0, (1 - share) * q), scale=1.0)  # centres of that variance, beside the data
    hidden = igb.mlp(1, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2, **given).layers[1:]
    return igb.Network(stream, *hidden).predict(igb.GaussianInputs(0.0, share * q))


# the laws


@LIMITED
@given(st.sampled_from(SMOOTH + KINKED), st.floats(0.01, 1.0), st.sampled_from([None, igb.AvgPool(2)]))
def test_on_the_edge_gradients_keep_their_size_at_the_fixed_point(name: str, sigma_b2: float, pool: Any) -> None:
    sigma_w2 = float(phases.edge_of_chaos(name, sigma_b2, pool=pool))
    assume(np.isfinite(sigma_w2))
    points = [p for p in phases.fixed_points(name, sigma_w2, sigma_b2, pool=pool) if np.isfinite(p.q)]
    assume(points)  # homogeneous functions: q grows without bound
    # the root is found to rounding of log q, over which chi changes by no more than its relative condition
    point = min(points, key=lambda p: abs(p.factor - 1))
    assert point.factor == pytest.approx(1, abs=1e-11)
    # another face: two data of `predict` that hardly differ
    near = one_layer(sigma_w2, sigma_b2, point.q, 1e-24, name, pool=pool)
    assert near.var_chi / (1e-24 * point.q) == pytest.approx(1, abs=1e-10)  # kinks: 1e-12


@pytest.mark.parametrize("sigma_w2", [0.5, 2.0])
@pytest.mark.slow
def test_kinks_without_end_have_slopes(sigma_w2: float) -> None:
    """sin(h)^2 and cos(h)^2 are (1 - cos(2 h))/2 and (1 + cos(2 h))/2, with E cos(2 h) = exp(-2 q)."""
    point = phases.fixed_points("abs(sin(x))", sigma_w2, 0.1)[-1]
    assert point.q == pytest.approx(sigma_w2 * (1 - np.exp(-2 * point.q)) / 2 + 0.1, rel=1e-10)
    assert point.chi_1 == pytest.approx(sigma_w2 * (1 + np.exp(-2 * point.q)) / 2, rel=1e-10)


@LIMITED
@given(st.sampled_from(SETTLING), st.floats(0.3, 4), st.floats(0.01, 1))
def test_slopes_are_the_difference_quotients_of_predict(name: str, sigma_w2: float, sigma_b2: float) -> None:
    points = [p for p in phases.fixed_points(name, sigma_w2, sigma_b2) if 1e-3 < p.q < 100]
    assume(points)
    for point in points:
        q, step = point.q, 1e-4
        if 0 < point.share < 1 - step:
            after = [one_layer(sigma_w2, sigma_b2, q, point.share * (1 + h), name).var_chi / q for h in (-step, step)]
            slope = (after[1] - after[0]) / (2 * step * point.share)
            assert slope == pytest.approx(point.slope_c, rel=1e-6)  # error of the quotient: step^2 and 1e-13/step
            here = one_layer(sigma_w2, sigma_b2, q, point.share, name)
            assert here.var_chi == pytest.approx(point.share * q, rel=1e-10)
        near = one_layer(sigma_w2, sigma_b2, q, 1e-24, name)
        assert near.var_chi / (1e-24 * q) == pytest.approx(point.chi_tilde_1, rel=1e-10)  # kinks: 1e-12
        variances = [one_layer(sigma_w2, sigma_b2, q * (1 + h), 0.5, name) for h in (-step, step)]
        squares = [float(x.var_mu + x.var_chi) for x in variances]
        assert (squares[1] - squares[0]) / (2 * step * q) == pytest.approx(point.slope_q, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(
    ("name", "sigma_w2", "sigma_b2", "stable"),
    [
        ("tanh", 4.0, 0.1, [True, False]),  # chaos: data that are all but equal part
        ("tanh", 0.5, 0.1, [True]),
        ("tanh", 1.0, 0.0, [True]),  # slope 1 at q = 0, where tanh(x) < x
        ("x + x**3/(1 + x**2)", 1.0, 0.0, [False, True]),  # slope 1 at q = 0, from which q grows to infinity
    ],
)
def test_fixed_points_attract_or_not(name: str, sigma_w2: float, sigma_b2: float, stable: list[bool]) -> None:
    assert [point.stable for point in phases.fixed_points(name, sigma_w2, sigma_b2)] == stable


@LIMITED
@given(st.sampled_from(SMOOTH + KINKED), st.floats(0.02, 10), st.sampled_from([None, 2]))
def test_spread_never_increases_with_the_share(name: str, q: float, pool: int | None) -> None:
    # so that there is at most one correlation below 1 that stays
    assume(pool is None or FUNCTIONS[name].monotonicity > 0 if name in FUNCTIONS else pool is None)
    share = np.array([1e-9, 1e-3, 0.1, 0.3, 0.6, 1.0])
    spread = np.array([one_layer(1.0, 0.0, q, float(x), name, pool=pool).var_chi / x for x in share])
    assert np.all(np.diff(spread) <= 1e-12 * spread[0])


@settings(max_examples=3, deadline=None)
@given(st.floats(0.05, 0.5), st.sampled_from(["tanh", "erf", "sin"]))
@pytest.mark.slow
def test_deep_networks_on_the_neutrality_line_have_gamma_one(sigma_b2: float, name: str) -> None:
    sigma_w2 = float(phases.neutrality_line(name, sigma_b2))
    deep = igb.mlp(400, name, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict()
    assert deep.gamma == pytest.approx(1, abs=1e-9)  # a slope of 0.95 leaves 1e-9 of the distance, rounding 1e-12
    assert phases.edge_of_chaos(name, sigma_b2) < sigma_w2  # neutrality is chaotic


@pytest.mark.slow
def test_odd_functions_of_a_maximum_have_the_edge_of_the_function_itself() -> None:
    # f^2 and f'^2 are even, and the largest and the smallest of two units have the same law but for the sign
    alone, pooled = (phases.edge_of_chaos("tanh", 0.3, pool=pool) for pool in (None, 2))
    assert pooled == pytest.approx(alone, rel=1e-11)


# numbers


@pytest.mark.slow
def test_edge_and_neutrality_of_tanh_agree_with_nested_root_finding_in_many_digits() -> None:
    with mpmath.workdps(25):
        nodes = [mpmath.mpf(k) / 6 for k in range(-6 * 10, 6 * 10 + 1)]  # the trapezoidal rule, exact to 1e-20 here
        weights = [mpmath.npdf(z) / 6 for z in nodes]

        def mean(f: Any) -> Any:
            return mpmath.fsum(w * f(z) for z, w in zip(nodes, weights, strict=True))

        def fixed(sigma_w2: Any, sigma_b2: Any) -> Any:
            return mpmath.findroot(
                lambda q: q - sigma_b2 - sigma_w2 * mean(lambda z: mpmath.tanh(mpmath.sqrt(q) * z) ** 2), (0.5, 1.5)
            )

        def slope(sigma_b2: Any, sigma_w2: Any) -> Any:
            root = mpmath.sqrt(fixed(sigma_w2, sigma_b2))
            return sigma_w2 * mean(lambda z: mpmath.sech(root * z) ** 4) - 1

        for sigma_b2, rough in EDGES.items():
            start = (rough, rough + 0.01)
            exact = mpmath.findroot(partial(slope, mpmath.mpf(str(sigma_b2))), start, tol=1e-30)
            assert abs(phases.edge_of_chaos("tanh", sigma_b2) - exact) < 1e-12
            assert float(exact) == pytest.approx(rough, abs=5e-5)  # EDGES has four digits
    line = float(phases.neutrality_line("tanh", 0.1))
    assert line == pytest.approx(2.9248, abs=5e-5)  # the paper has four digits
    q = next(p.q for p in phases.fixed_points("tanh", line, 0.1))
    digits = igb.Network(
        igb.Residual(igb.Dense(0.0, q / 2)), *igb.mlp(1, "tanh", sigma_w2=line, sigma_b2=0.1).layers[1:]
    ).predict(igb.GaussianInputs(0.0, q / 2), digits=16)
    assert abs(digits.gamma - 1) < 1e-11


def test_pooled_relu_has_two_thresholds() -> None:
    found = phases.thresholds("relu", pool=2)
    assert found.forward == pytest.approx(4 * np.pi / (3 * np.pi + 2), rel=1e-12)
    assert found.backward == pytest.approx(4 / 3, rel=1e-12)
    assert phases.backward_line("relu", [0.0, 0.3], pool=2) == pytest.approx(4 / 3, rel=1e-12)
    alone = phases.thresholds("relu", [0.1, 7.0])
    assert alone.forward == pytest.approx(2, rel=1e-14)
    assert alone.backward == pytest.approx(2, rel=1e-14)
    average = phases.thresholds("relu", pool=igb.AvgPool(2))
    assert average.forward == pytest.approx(4 * np.pi / (np.pi + 1), rel=1e-14)
    assert average.backward == pytest.approx(4, rel=1e-14)


@pytest.mark.parametrize(
    ("activation", "sigma_b2", "options", "edges"),
    [
        ("relu", 0.0, {}, [2.0]),
        ("relu", 0.3, {}, []),
        ("relu", 0.0, {"pool": 2}, []),
        ("min(x, 0)", 0.0, {"pool": igb.MaxPool(2)}, []),  # one of the two is active with probability 1/4
        ("min(x, 0)", 0.3, {"pool": igb.MaxPool(2)}, [4.0]),
        ("tanh", 0.0, {}, [1.0]),
        ("erf", 0.0, {}, [np.pi / 4]),
        ("gelu", 0.0, {}, [4.0]),  # at q = 0, which repels
        slow(("softplus", 0.1, {}, [])),
        ("tanh", 0.1, {"norm": "batch"}, []),
        ("x**2", 1.0, {}, [1 / 16]),  # sigma_w2 = 1/(4 q), sigma_b2 = q - 3 q^2 sigma_w2 = q/4
        ("exp(x)", 0.0, {}, [np.exp(-2)]),  # q = 1 and dq'/dq = 2
        ("erf", 0.25, {"norm": "layer"}, [np.nan]),
    ],
)
def test_edges_have_the_values_of_formulas(
    activation: str, sigma_b2: float, options: dict[str, Any], edges: list[float]
) -> None:
    if options == {"norm": "layer"}:  # sigma_w2 = q/g, sigma_b2 = q (1 - m/g), both means at variance 1
        slope, square = 4 / np.pi / np.sqrt(5), 2 / np.pi * np.arcsin(2 / 3)
        edges = [sigma_b2 / (slope - square)]
    assert phases.edges_of_chaos(activation, sigma_b2, **options) == pytest.approx(np.array(edges), rel=1e-10)


def test_an_edge_whose_variance_repels_is_told_but_not_taken() -> None:
    assert phases.edge_of_chaos("hardtanh", 0.0) == 1.0  # linear as far as double precision sees near q = 0
    assert np.isnan(phases.edge_of_chaos("gelu", 0.0))
    assert phases.edge_of_chaos("gelu", [0.0, 0.2])[1] == phases.edges_of_chaos("gelu", 0.2)[0]
    # in 30 digits the slope of the map of q there is 1 + 2.3e-10
    assert np.isnan(phases.edge_of_chaos("gelu", 0.17292239))
    assert phases.edge_of_chaos("gelu", 0.172922395) == phases.edges_of_chaos("gelu", 0.172922395)[0]


@pytest.mark.slow
def test_lines_broadcast_over_the_biases() -> None:
    sigma_b2 = np.array([[0.05], [0.2]])
    for line in (phases.edge_of_chaos, phases.neutrality_line):
        found = line("tanh", sigma_b2)
        assert found.shape == (2, 1)
        assert found[1, 0] == pytest.approx(float(line("tanh", 0.2)), rel=1e-12)
    assert np.isnan(phases.neutrality_line("tanh", 0.0))  # odd, no biases: gamma = 0 or a linear network
    assert np.isnan(phases.neutrality_line("relu", 0.1))


# the table of phases, and what it leaves out

E = 1.9860726411358653


@pytest.mark.parametrize(
    ("activation", "sigma_w2", "sigma_b2", "options", "name", "form"),
    [
        slow(("tanh", 1.59, 0.1, {}, "ordered deep prejudice", "exponential")),
        ("tanh", E, 0.1, {}, "transient deep prejudice", "power"),
        ("tanh", 2.48, 0.1, {}, "prejudice", "settles"),
        slow(("tanh", 4.97, 0.1, {}, "neutrality", "settles")),
        ("relu", 1.5, 0.1, {}, "ordered deep prejudice", "exponential"),
        ("relu", 2.0, 0.0, {}, "transient deep prejudice", "power"),
        ("relu", 2.0, 0.1, {}, "transient deep prejudice", "power"),
        ("relu", 3.0, 0.1, {}, "chaotic deep prejudice", "power"),
        slow(("relu", 1.2, 0.1, {"pool": 2}, "ordered deep prejudice", "exponential")),
        slow(("relu", 1.5, 0.1, {"pool": 2}, "chaotic deep prejudice", "exponential")),
        ("relu", 2.0, 0.0, {"norm": "layer"}, "transient deep prejudice", "power"),
        ("relu", 2.0, 0.0, {"norm": "batch"}, "neutrality", "settles"),
        ("sign", 2.0, 0.1, {}, "neutrality", "settles"),
        ("tanh", 3.0, 0.0, {}, "no bias", "none"),
        ("linear", 1.0, 0.0, {}, "no bias", "none"),
        ("linear", 1.0, 0.1, {}, "transient deep prejudice", "power"),
        ("linear", 1.5, 0.1, {}, "kept bias", "none"),
        ("gelu", 1.9, 0.0, {}, "kept bias", "none"),
        slow(("elu", 1.0, 0.0, {}, "undecided", "undecided")),
        ("relu", 1.2, 0.1, {"pool": igb.Dropout(0.1)}, "bias without chaos", "settles"),
    ],
)
def test_phases_have_their_names(
    activation: str, sigma_w2: float, sigma_b2: float, options: dict[str, Any], name: str, form: str
) -> None:
    found = phases.classify(activation, sigma_w2, sigma_b2, **options)
    assert found.name == name
    assert found.rate is not None
    assert found.rate.form == form
    net = igb.mlp(30, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2, **options)
    assert found.gamma[1] == pytest.approx(net.predict().gamma, rel=1e-9, abs=1e-12)
    if form == "settles":
        deep = igb.mlp(400, activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2, **options).predict()
        assert found.point is not None
        assert deep.gamma == pytest.approx(found.point.gamma, rel=1e-11)


def test_the_inputs_decide_between_two_variances_that_attract() -> None:
    small, large = (phases.classify("x**2", 0.1, 0.1, inputs=igb.GaussianInputs(variance=v)) for v in (1.0, 1e4))
    assert small.name == "ordered deep prejudice"
    assert large.name == "no limit"
    assert "grows without bound" in large.remark


# rates: derived, and measured in deep networks


@pytest.mark.parametrize(("sigma_b2", "settles"), [(0.0, True), (0.1, False)])
def test_an_edge_of_chaos_is_spoken_of_where_the_variance_settles(sigma_b2: float, *, settles: bool) -> None:
    found = phases.classify("relu", 2.0, sigma_b2)  # gradients keep their size in both: 2 is the backward threshold
    assert found.name == "transient deep prejudice"
    assert ("no edge of chaos" not in found.meaning) == settles
    assert ("grows without bound" in found.remark) != settles


# f of two units where the variance grows, vanishes or stays at the sigma_w2 at which gradients keep their size
EDGELESS = {("relu", 0.1, None), ("relu", 0.0, 2), ("relu", 0.1, 2), ("x", 0.1, 2), ("min(x, 0)", 0.0, 2)}
EDGELESS |= {("relu", 0.0, igb.AvgPool(2)), ("min(0, tanh(x))", 0.0, 2)}
EDGED = {("relu", 0.0, None), ("x", 0.0, 2), ("min(x, 0)", 0.1, 2), ("max(0, tanh(x))", 0.0, None), ("erf", 0.1, None)}


# the smaller of 0 and tanh(x) where it vanishes, like that of 0 and x, takes seconds
@pytest.mark.parametrize(
    ("activation", "sigma_b2", "pool"),
    [slow(case) if case[0] == "min(0, tanh(x))" else case for case in sorted(EDGELESS | EDGED, key=str)],
)
def test_all_verbs_say_the_same_of_an_edge_of_chaos(activation: str, sigma_b2: float, pool: Any) -> None:
    depth = 25
    edge, line = (verb(activation, sigma_b2, pool=pool) for verb in (phases.edge_of_chaos, phases.backward_line))
    found = phases.classify(activation, float(line), sigma_b2, pool=pool, depths=(1,))
    q = igb.mlp(depth, activation, sigma_w2=float(line), sigma_b2=sigma_b2, pool=pool).predict().per_layer
    size = q.var_mu + q.var_chi
    # an independent look: in deep layers the variance stays, or falls more slowly than 2/depth; it grows by sigma_b2
    settles = bool(-2 / depth < size[-1] / size[-2] - 1 < 1e-6)
    missing = phases.no_edge_of_chaos(activation, sigma_b2, pool=pool)
    assert settles == ((activation, sigma_b2, pool) in EDGED)
    assert np.isfinite(edge) == settles == (not missing) == found.meaning.endswith(": the edge of chaos")
    assert missing == found.no_edge
    if not settles:
        assert f"keep their size at sigma_w2 = {float(line):.6g}, where the variance" in missing
        assert missing in str(found)


def test_a_missing_edge_of_chaos_is_explained() -> None:
    assert "it keeps its size at 1.09992" in phases.no_edge_of_chaos("relu", pool=2)
    assert "at a variance that repels" in phases.no_edge_of_chaos("gelu")
    assert "BatchNorm" in phases.no_edge_of_chaos("relu", norm="batch")
    assert "jumps" in phases.no_edge_of_chaos("sign")
    assert "no sigma_w2" in phases.no_edge_of_chaos("softplus")


def test_a_full_batch_norm_has_neither_an_edge_nor_a_backward_threshold() -> None:
    for placement in ("before", "after"):
        found = phases.thresholds("relu", [1.0, 2.0], norm="batch", placement=placement)
        assert np.isnan(found.backward).all()
        assert np.isfinite(found.forward).all()
        assert np.isnan(phases.edge_of_chaos("relu", norm="batch", placement=placement))
    assert phases.thresholds("relu").backward == phases.edge_of_chaos("relu")


def test_gamma_of_relu_grows_with_the_square_of_depth() -> None:
    constant = 2 / (9 * np.pi**2)
    found = phases.classify("relu", 2.0).rate
    assert found is not None
    assert (found.rate, found.constant) == (2.0, pytest.approx(constant, rel=1e-9))
    deep = igb.mlp(1_000, "relu").predict()
    assert deep.gamma / 1e6 == pytest.approx(constant, rel=0.1)  # corrections are log(l)/l = 7e-3 times a number
    biased = phases.classify("relu", 2.0, 0.1).rate
    assert biased is not None
    assert biased.constant == pytest.approx(4 * constant, rel=1e-7)
    gamma = igb.mlp(2_000, "relu", sigma_b2=0.1).predict().per_layer.gamma
    # d sqrt(gamma)/dl = k/2 + sqrt(gamma)/(2 l) has the solutions k l + C sqrt(l): two depths tell k
    roots = gamma[[500, 2_000]] ** 0.5
    assert (roots[1] - 2 * roots[0]) / 1_000 == pytest.approx((4 * constant) ** 0.5, rel=2e-2)


@pytest.mark.slow  # the smooth ones always run
def test_gamma_of_kinked_functions_on_the_edge_has_the_constant_of_the_formula() -> None:
    sigma_b2 = 0.1
    found = phases.classify("hardtanh", float(phases.edge_of_chaos("hardtanh", sigma_b2)), sigma_b2)
    assert found.point is not None
    assert found.rate is not None
    q = found.point.q
    sigma_w2 = float(phases.edge_of_chaos("hardtanh", sigma_b2))
    density = np.exp(-1 / (2 * q)) / np.sqrt(2 * np.pi * q)
    k = 2 / 3 * sigma_w2 * 2 * density * np.sqrt(q / np.pi)  # two kinks of jump 1
    assert found.rate.rate == 2
    assert found.rate.constant == pytest.approx(k * k / 4, rel=1e-6)


@pytest.mark.slow  # that of ReLU is compared in every run
def test_gamma_of_smooth_functions_on_the_edge_grows_linearly() -> None:
    found = phases.classify("tanh", E, 0.1)
    assert found.point is not None
    assert found.rate is not None
    z = np.linspace(-12, 12, 4001)
    t = np.tanh(np.sqrt(found.point.q) * z)
    second = np.sum((2 * t * (1 - t * t)) ** 2 * np.exp(-z * z / 2)) * (z[1] - z[0]) / np.sqrt(2 * np.pi)
    assert found.rate.rate == 1
    # a difference without its next term
    assert found.rate.constant == pytest.approx(E * found.point.q * second / 2, rel=1e-7)
    gamma = igb.mlp(800, "tanh", sigma_w2=E, sigma_b2=0.1).predict().per_layer.gamma
    assert (gamma[800] - gamma[600]) / 200 == pytest.approx(found.rate.constant, rel=1e-2)  # corrections: 1/l


@pytest.mark.parametrize(("sigma_w2", "pool"), [(1.5, None), slow((1.2, 2))])
def test_gamma_grows_exponentially_at_the_rate_of_the_slope(sigma_w2: float, pool: int | None) -> None:
    rate = phases.classify("relu", sigma_w2, 0.1, pool=pool).rate
    assert rate is not None
    gamma = igb.mlp(100, "relu", sigma_w2=sigma_w2, sigma_b2=0.1, pool=pool).predict().per_layer.gamma
    assert gamma[100] / gamma[99] == pytest.approx(rate.rate, rel=1e-3)  # the next term is sqrt(1/gamma)


# diagrams


def test_a_diagram_agrees_with_predictions_in_many_digits() -> None:
    found = phases.diagram("tanh", np.array([0.5, 4.0]), np.array([0.1, 0.2]), depth=2)
    assert found.gamma.shape == (2, 2)
    assert found.error < 1e-9
    net = igb.mlp(2, "tanh", sigma_w2=found.sigma_w2[1], sigma_b2=found.sigma_b2[0])
    # 2 layers, each with the 1e-12 of the table
    assert found.gamma[0, 1] == pytest.approx(float(net.certify(digits=12).gamma.mid()), rel=1e-10)
    assert found.edge == pytest.approx(phases.edge_of_chaos("tanh", found.sigma_b2), rel=1e-14)
    assert found.neutrality == pytest.approx(phases.neutrality_line("tanh", found.sigma_b2), rel=1e-14)


@pytest.mark.parametrize(
    ("activation", "options"),
    [
        slow(("relu", {"pool": 2})),
        ("tanh", {"norm": "batch"}),
        ("relu", {"norm": "layer", "placement": "after"}),
        ("sign", {}),
        ("relu", {"pool": igb.Dropout(0.2)}),
        slow(("x**2", {})),
    ],
)
def test_diagrams_of_every_kind_agree_with_predictions(activation: str, options: dict[str, Any]) -> None:
    w2, b2 = np.array([0.3, 0.9, 1.3]), np.array([0.05, 0.1])
    found = phases.diagram(activation, w2, b2, depth=12, **options)
    for (i, j), gamma in np.ndenumerate(found.gamma):
        net = igb.mlp(12, activation, sigma_w2=w2[j], sigma_b2=b2[i], **options)
        if np.isnan(gamma):
            with pytest.raises(ValueError, match=r"the variance after Dense layer|grows too fast"):
                net.predict()
        else:
            assert gamma == pytest.approx(net.predict().gamma, rel=1e-10)


@pytest.mark.slow
def test_without_biases_an_odd_activation_has_no_bias_at_any_depth() -> None:
    found = phases.diagram("tanh", [0.5, 3.0], [0.0, 0.1], depth=20)
    assert np.all(found.gamma[0] == 0.0)
    assert np.all(found.gamma[1] > 0.0)
    assert found.error < 1e-8


@pytest.mark.slow
def test_a_diagram_says_why_it_has_no_edge() -> None:
    w2, b2 = [0.5, 1.0], [0.0, 0.1]
    assert phases.diagram("tanh", w2, b2, depth=2).no_edge == ""
    assert "jumps" in phases.diagram("sign", w2, b2, depth=2).no_edge
    assert "every one is on the edge" in phases.diagram("relu", w2, b2, depth=2, norm="layer").no_edge


# bad input


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: phases.edge_of_chaos("tanh", -0.1), ValueError, "sigma_b2 >= 0"),
        (lambda: phases.neutrality_line("tanh", [0.1, -1.0]), ValueError, "sigma_b2 >= 0"),
        (lambda: phases.edge_of_chaos("sign", 0.1), ValueError, "with a derivative, got 'sign', which jumps at 0"),
        (lambda: phases.edge_of_chaos("relu", 0.0, norm="layer"), ValueError, "every one is on the edge"),
        (lambda: phases.classify("tanh", -1.0), ValueError, "sigma_w2 >= 0"),
        (lambda: phases.classify("tanh", 0.0), ValueError, "sigma_w2 > 0"),
        (lambda: phases.classify("tanh", [1.0, 2.0]), TypeError, "one sigma_w2"),
        (lambda: phases.classify("tanh", sympy.Symbol("s")), TypeError, "expected sigma_w2 to be a number"),
        (lambda: phases.fixed_points("x**2", 3.0, 0.1), ValueError, r"by the factor 9e\+08 a layer at q = 1e\+08"),
        (lambda: phases.thresholds("relu", 0.0), ValueError, "q > 0"),
        (lambda: phases.diagram("tanh", [2.0, 1.0], [0.1, 0.2]), ValueError, "ascending"),
        (lambda: phases.classify("tanh", inputs=np.ones((3, 2))), TypeError, "expected GaussianInputs"),
        (lambda: phases.diagram("tanh", [1, 2], [0, 1], inputs=igb.GaussianInputs([0, 1])), TypeError, "one shift"),
        (lambda: phases.classify("tanh", 2.0, depths=[0]), ValueError, "depths >= 1"),
    ],
)
def test_bad_input_is_refused_in_words(call: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        call()


# the command line


def test_the_command_line_tells_the_phase(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["phase", "erf", "--sigma-b2", "0.1"]) == 0
    shown = capsys.readouterr().out
    assert "transient deep prejudice" in shown
    assert "1.55211785533" in shown
    assert "gamma    1.92304 at 10, 6.72096 at 30, 24.8963 at 100 hidden layers" in shown
    assert main(["phase", "x**2", "--sigma-w2", "3"]) == 0
    assert "gamma    out of range at 10" in capsys.readouterr().out
    assert main(["phase", "relu+avgpool2", "--sigma-w2", "1.2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["edges_of_chaos"] == []
    assert "it keeps its size at 3.03419" in found["no_edge"]
    assert found["point"]["chi_tilde_1"] == pytest.approx(0.3)
    assert main(["phase", "gelu"]) == 2
    assert "no edge of chaos" in capsys.readouterr().err
    assert main(["phase", "tanh", "--sigma-b2", "-1"]) == 2


def test_the_command_line_writes_a_diagram_or_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "made" / "here"
    command = ["phase", "--diagram", "erf", "--points", "3", "--depth", "10", "--out", str(folder)]
    assert main([*command[:2], "rleu", *command[3:]]) == 2
    assert not folder.exists()
    assert main(command) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["erf.csv", "erf.png"]
    rows = (folder / "erf.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 10
    b2, w2, gamma, edge, _, _ = map(float, rows[6].split(","))
    assert gamma == pytest.approx(igb.mlp(10, "erf", sigma_w2=w2, sigma_b2=b2).predict().gamma, rel=1e-10)
    assert edge == pytest.approx(float(phases.edge_of_chaos("erf", b2)), rel=1e-12)
    assert main([*command[:-1], str(folder / "erf.csv")]) == 2
    assert main([*command, "--sigma-b2", "0.1"]) == 2
    assert main([*command[:3], "--points", "0", "--out", str(tmp_path)]) == 2
    capsys.readouterr()
