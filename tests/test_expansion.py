"""The expansion in 1/width against networks of finite width, infinite width, and what is known in closed form."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import igbtheory as igb
from igbtheory.guesses import gamma_of_variance
from igbtheory.networks.width.blocks import DoesNotHoldError, blocks
from igbtheory.networks.width.coordinates import Pair
from igbtheory.networks.width.data_set import of_data
from igbtheory.networks.width.expansion import Expansion, behind, expand, of_inputs
from igbtheory.networks.width.gram import gram, noise
from igbtheory.networks.width.units import units

GAUSSIAN = igb.GaussianInputs()


def expanded(
    width: int, depth: int, activation: str = "relu", features: int | None = None, **options: Any
) -> Expansion:
    return expand(igb.mlp(depth, activation, **options).layers, [width] * depth, GAUSSIAN, features)


def pair_behind(net: igb.Network, widths: list[int], features: int) -> Pair:
    hidden, (first, *denses) = blocks(net.layers)
    pair = of_inputs(GAUSSIAN, features).weighted(first.sigma_w2, first.sigma_b2)
    for block, dense, width in zip(hidden, denses, widths, strict=True):
        pair = behind(pair, block, width)[0].weighted(dense.sigma_w2, dense.sigma_b2)
    return pair


# Var(G0) and gamma of 9,000 to 24 million whole networks, with standard errors
@pytest.mark.parametrize(
    ("width", "depth", "activation", "options", "var_g0", "gamma"),
    [
        (100, 20, "relu", {}, (0.20236, 0.00002), (8.492, 0.007)),
        (100, 50, "relu", {}, (0.22935, 0.00002), (10.90, 0.03)),
        (500, 50, "relu", {}, (0.22606, 0.00005), (34.33, 0.13)),
        (16, 5, "relu", {}, (0.14561, 0.00001), (1.7595, 0.0003)),
        (64, 20, "relu", {"norm": "layer"}, (0.20545, 0.00002), (20.13, 0.02)),
        (64, 20, "gelu", {"norm": "layer"}, (0.14022, 0.00003), (2.976, 0.002)),
        (48, 12, "relu", {"norm": "rms", "placement": "after"}, (0.1839, 0.0003), (9.04, 0.1)),
        (48, 10, "gelu", {"norm": "layer", "placement": "after", "sigma_b2": 0.2}, (0.0574, 0.0005), (0.514, 0.006)),
        (100, 20, "gelu", {"sigma_w2": 2.5}, (0.18162, 0.00003), (4.268, 0.004)),
        (16, 5, "tanh", {"sigma_w2": 1.5, "sigma_b2": 0.1}, (0.10998, 0.00001), (1.5305, 0.0002)),
        (30, 20, "tanh", {"sigma_w2": 3.0, "sigma_b2": 0.1}, (0.08893, 0.00002), (0.9994, 0.0003)),
        (100, 50, "tanh", {"sigma_w2": 3.0, "sigma_b2": 0.1}, (0.08581, 0.00003), (1.0176, 0.0007)),
    ],
)
def test_networks_of_finite_width(
    width: int,
    depth: int,
    activation: str,
    options: dict[str, Any],
    var_g0: tuple[float, float] | None,
    gamma: tuple[float, float] | None,
) -> None:
    found = expanded(width, depth, activation, **options)
    rows = [(found.var_g0, found.error, var_g0, 0.02), (found.gamma, found.moments_error, gamma, 0.06)]
    for values, errors, drawn, promised in rows:
        if drawn is not None:
            value, error = drawn
            missed = abs(values[-1] / value - 1)
            assert missed <= promised
            assert missed <= errors[-1] + 3 * error / value
    np.testing.assert_array_equal(found.gamma_guess, gamma_of_variance(found.var_g0))


@pytest.mark.parametrize(
    ("activation", "options"),
    [
        ("relu", {"sigma_b2": 0.1}),
        ("gelu", {"sigma_w2": 2.5}),
        ("elu", {"norm": "rms"}),
        ("tanh", {"sigma_w2": 1.2, "sigma_b2": 1e-3}),
        ("silu", {"norm": "layer"}),
        ("relu", {"norm": "rms", "placement": "after"}),
        ("relu", {"norm": "layer", "placement": "after", "sigma_b2": 0.3}),
    ],
)
def test_wide_networks_are_those_of_infinite_width(activation: str, options: dict[str, Any]) -> None:
    found, wide = expanded(10**6, 6, activation, **options), igb.mlp(6, activation, **options).predict().per_layer
    # what a finite width changes is a few times depth/width = 6e-6
    np.testing.assert_allclose(found.var_chi, wide.var_chi, rtol=1e-4)
    np.testing.assert_allclose(found.var_mu, wide.var_mu, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(found.var_g0, np.arcsin(wide.c) / (2 * np.pi), rtol=1e-4, atol=1e-7)


# Var(G0) over pairs of different data, with a standard error, from 500 to 3,000 networks
@pytest.mark.parametrize(
    ("activation", "options", "width", "drawn", "error"),
    [
        ("relu", {}, 40, 0.1923, 0.0004),
        ("tanh", {"sigma_w2": 1.5, "sigma_b2": 0.1}, 32, 0.2042, 0.0005),
        ("gelu", {"norm": "layer"}, 32, 0.1512, 0.0013),
    ],
)
def test_a_given_data_set(activation: str, options: dict[str, Any], width: int, drawn: float, error: float) -> None:
    data = igb.digits()[:100] / 16
    net = igb.mlp(10, activation, **options)
    found, wide = (expand(net.layers, [units] * 10, data, None) for units in (width, 10**7))
    value = 0.99 * drawn + 0.0025  # a datum with itself counts 1/4
    assert found.var_g0[-1] == pytest.approx(value, rel=0.02)
    assert abs(found.var_g0[-1] - value) <= found.error[-1] * value + 3 * error
    infinite = net.predict(data)
    assert wide.var_g0[-1] == pytest.approx(infinite.G0.var(), rel=1e-6)
    np.testing.assert_allclose(wide.var_mu, infinite.per_layer.var_mu, rtol=1e-5)
    np.testing.assert_allclose(wide.var_chi, infinite.per_layer.var_chi, rtol=1e-5)


def test_data_that_are_nearly_equal_keep_their_digits() -> None:
    """In the ordered phase 1 - c falls to 1e-18, where E phi_a phi_b in double precision would have lost it."""
    found, wide = (
        expanded(10**6, 50, "tanh", sigma_w2=0.55, sigma_b2=0.1),
        igb.mlp(50, "tanh", sigma_w2=0.55, sigma_b2=0.1),
    )
    np.testing.assert_allclose(found.var_chi, wide.predict().per_layer.var_chi, rtol=1e-3)
    assert found.var_chi[-1] / found.var_mu[-1] < 1e-17


def test_the_norm_of_a_relu_unit_has_its_exact_variance() -> None:
    """Var(K_aa)/q^2 = (1 + 5/N)^L (1 + 2/d) - 1."""
    width, depth, features = 1000, 7, 300
    pair = pair_behind(igb.mlp(depth), [width] * depth, features)
    exact = (1 + 5 / width) ** depth * (1 + 2 / features) - 1
    assert np.expm1(pair.of_log_q) == pytest.approx(exact, rel=5e-3)  # (5/N)^2 L and less


def test_relu_at_small_angles() -> None:
    """The variance of log(1 - c) grows by 8/N a layer: 4 of the network, 1 of each datum, 2 of the pair."""
    phi = igb.Activation("relu").phi
    x = units(phi, 0.0, 1 - 1e-9, 1e-9)
    found = noise(x, gram(x), None)
    parts = [found.network[1, 1], found.datum[1, 1], found.pair, found.y]
    np.testing.assert_allclose(parts, [4, 1, 2, -2], rtol=1e-3)  # corrections of the order theta = 4e-5
    # lengths and distances both have the third cumulant 44 of 2 z^2 at half of the units
    assert found.skew == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("norm", "drawn"), [(igb.RMSNorm(), 0.422), (igb.LayerNorm(), 0.154)])
def test_influence_functions_of_norms_in_front_of_relu(norm: Any, drawn: float) -> None:
    """N Var(G_ab) at c = 1/2, in first order."""
    x = units(igb.Activation("relu").phi, 0.0, 0.5, 0.5)
    of = gram(x)
    found = noise(x, of, norm)
    joint, shared = found.network + found.datum, (of.together[0] - of.apart[0]) / 2
    # G_ab = exp(s) c, s = (log G_aa + log G_bb)/2, dc/dy = -(1 - c^2)/2
    by_y = -of.q[0] * (1 - (shared / of.q[0]) ** 2) / 2
    of_s = joint[0, 0] - found.datum[0, 0] / 2
    variance = shared**2 * of_s + 2 * shared * by_y * joint[0, 1] + by_y**2 * found.of_y
    assert variance == pytest.approx(drawn, abs=0.0006)


@pytest.mark.parametrize(("activation", "norm"), [("gelu", "layer"), ("elu", None)])
def test_one_layer_against_drawn_units(activation: str, norm: str | None) -> None:
    """Means and covariances of log G_aa and y for drawn pairs of correlation 1/2; orders 1/N^2 are a few percent."""
    width, draws = 200, 6000
    net = igb.mlp(1, activation, norm=norm)
    rng = np.random.default_rng(0)
    h = rng.standard_normal((draws, 2, width))
    h[:, 1] = h[:, 0] / 2 + np.sqrt(0.75) * h[:, 1]
    x: Any = h.reshape(2 * draws, width)
    for layer in net.layers[1:-1]:
        x = layer.samples(x, rng, width)
    x = x.reshape(h.shape)
    squares = (x * x).mean(axis=2)
    cosines = (x[:, 0] * x[:, 1]).mean(axis=1) / np.sqrt(squares.prod(axis=1))
    block = blocks(net.layers)[0][0]
    of = units(block.phi, 0.0, 0.5, 0.5)
    wide = gram(of)
    found = noise(of, wide, block.before)
    a, b, y = np.log(squares[:, 0]), np.log(squares[:, 1]), np.log((1 - cosines) / (1 + cosines))
    joint = found.network + found.datum
    pairs = [
        (np.var(a), joint[0, 0]),
        (np.cov(a, b)[0, 1], found.network[0, 0]),
        (np.cov(a, y)[0, 1], joint[0, 1]),
        (np.var(y), found.of_y),
    ]
    for drawn, expected in pairs:
        assert drawn * width == pytest.approx(expected, rel=0.06, abs=0.06 * found.of_y)
    shifts = [(a, np.log(wide.q[0]), found.log_q), (y, np.log(wide.apart[0] / wide.together[0]), found.y)]
    for values, start, shift in shifts:
        error = width * values.std() / np.sqrt(draws)
        assert width * (values.mean() - start) == pytest.approx(shift, abs=4 * error + 0.02 * found.of_y)


def test_inputs_with_a_shift() -> None:
    """Covariances of x_a x_b, x = s + sqrt(v) z: 2 v^2 + 4 s^2 v, 0, 2 s^2 v, 0, v^2 + 2 s^2 v, s^2 v, 0, over d."""
    shift, v, features = 0.7, 1.3, 50
    q, c = shift**2 + v, shift**2 / (shift**2 + v)
    found = of_inputs(igb.GaussianInputs(shift, v), features)
    aa_aa, aa_ab, ab_ab, ab_ac = np.array(
        [2 * v**2 + 4 * shift**2 * v, 2 * shift**2 * v, v**2 + 2 * shift**2 * v, shift**2 * v]
    )
    # slopes of y = log((r - k)/(r + k)), r = sqrt(K_aa K_bb), by (K_aa + K_bb)/2 and by k = K_ab
    by_mean, by_k = 2 * c / ((1 - c * c) * q), -2 / ((1 - c * c) * q)
    of_y = by_mean**2 * aa_aa / 2 + 2 * by_mean * by_k * aa_ab + by_k**2 * ab_ab
    of_datum = by_mean**2 * aa_aa / 4 + by_mean * by_k * aa_ab + by_k**2 * ab_ac
    np.testing.assert_allclose(found.network, 0, atol=1e-12)
    np.testing.assert_allclose([found.of_log_q, found.of_y], np.array([aa_aa / q**2, of_y]) / features, rtol=1e-5)
    assert found.datum[1, 1] * features == pytest.approx(of_datum, rel=1e-5)


PARTS = Pair(0.3, -1.1, np.array([[0.5, -0.2], [-0.2, 0.4]]), np.array([[0.3, 0.1], [0.1, 0.2]]), 0.7)


def test_linear_units_have_no_skew_of_angles() -> None:
    """(x_a - x_b)^2 and (x_a + x_b)^2 are both multiples of chi^2 with one degree of freedom, with equal cumulants."""
    x = units(igb.Activation("linear").phi, 0.0, 0.4, 0.6)
    assert noise(x, gram(x), None).skew == pytest.approx(0, abs=1e-4)


def test_seven_covariances_behind_a_linear_map() -> None:
    """Log K'_aa = a log K_aa, y' = b (log K_aa + log K_bb) + k y, for the covariances of pairs of four data."""
    a, b, k = 0.8, -0.3, 1.2
    flat = np.array([1.0, *np.zeros(6)])
    found = PARTS.through(np.array([1, a, a * a]), np.array([1, 2 * b, k, 4 * b * b, 2 * b * k, k * k, 0]), flat)

    def seven(pair: Pair) -> list[float]:
        (aabb, aabc), (_, abcd) = pair.network
        (own, crossed), (_, datum) = pair.datum
        return [aabb + own, aabb, aabc + crossed, aabc, abcd + 2 * datum + pair.pair, abcd + datum, abcd]

    aaaa, aabb, aaab, aabc, abab, abac, abcd = seven(PARTS)
    expected = [
        a * a * aaaa,
        a * a * aabb,
        a * (b * (aaaa + aabb) + k * aaab),
        a * (2 * b * aabb + k * aabc),
        2 * b * b * (aaaa + aabb) + 4 * b * k * aaab + k * k * abab,
        b * b * (aaaa + 3 * aabb) + 2 * b * k * (aaab + aabc) + k * k * abac,
        4 * b * b * aabb + 4 * b * k * aabc + k * k * abcd,
    ]
    np.testing.assert_allclose(seven(found), expected, rtol=1e-12)
    assert (found.log_q, found.y) == pytest.approx((0, 0), abs=1e-12)


@pytest.mark.parametrize(("second", "variance"), [(3, 0.65), (4, -0.1), (5, 1.5), (6, 0.15)])
def test_means_behind_a_curved_map(second: int, variance: float) -> None:
    """T'' : V/2 of s = (log K_aa + log K_bb)/2, y and d = (log K_aa - log K_bb)/2; V has s and y in both orders."""
    flat = np.array([1.0, *np.zeros(6)])
    found = PARTS.through(np.array([1.0, 0, 0]), flat + 0.01 * np.eye(7)[second], flat)
    assert found.y == pytest.approx(0.01 * variance / 2 * (2 if second == 4 else 1), rel=1e-9)


def test_a_dense_with_biases_and_data_of_unlike_norms() -> None:
    """The mean of y behind K' = sigma_w2 K + sigma_b2, where log K_aa has independent variances: T'' by differences."""
    weights, biases, step, start = 1.3, 0.4, 1e-3, Pair(0.3, -1.1)

    def y(a: float, b: float) -> float:
        aa, bb = weights * np.exp(0.3 + np.array([a, b])) + biases
        ab = weights * np.exp(0.3 + (a + b) / 2) * start.c + biases
        return float(np.log((np.sqrt(aa * bb) - ab) / (np.sqrt(aa * bb) + ab)))

    second = (y(step, 0) - 2 * y(0, 0) + y(-step, 0)) / step**2  # of log K_aa; that of log K_bb is equal
    found = Pair(0.3, -1.1, datum=np.diag([0.01, 0.0])).weighted(weights, biases)
    assert found.y == pytest.approx(y(0, 0) + 0.01 * second, rel=1e-7)


def test_parts_of_data_and_pairs_of_a_data_set() -> None:
    """Least squares: residuals of all pairs of a datum sum to 0, so that the variance over pairs is the sum of two."""
    data = np.random.default_rng(0).exponential(size=(6, 9))
    found = of_data(data)
    gram_matrix = data @ data.T / 9
    norms = np.diag(gram_matrix)
    cosines = (gram_matrix / np.sqrt(np.outer(norms, norms)))[np.triu_indices(6, 1)]
    y = np.log((1 - cosines) / (1 + cosines))
    assert found.y == pytest.approx(y.mean())
    assert 2 * found.datum[1, 1] * 4 / 5 + found.pair == pytest.approx(y.var())


DIGITS = igb.digits()[:60] / 16


@pytest.mark.parametrize("net", [igb.mlp(1, "relu"), igb.mlp(2, "gelu"), igb.mlp(2, "tanh", sigma_b2=0.1)])
def test_very_wide_networks_on_given_data_are_those_of_infinite_width(net: igb.Network) -> None:
    """The expansion takes the data for normal: 1e-3 of what it says of infinite width comes from that."""
    data = (DIGITS - DIGITS.mean()) / DIGITS.std()
    wide, exact = net.predict(data, width=10**7, method="expansion"), net.predict(data)
    for name, expected in (("gamma", exact.gamma), ("var_g0", exact.G0.var()), ("var_chi", exact.var_chi)):
        missed, error = abs(getattr(wide, name) - expected), getattr(wide, f"{name}_error")
        assert missed < 1e-6 * expected
        assert error < 1e-6 * expected
    # terms of first order remain: the distance is that of a tenth of the width over ten
    nearer = net.predict(data, width=10**6, method="expansion")
    assert nearer.var_g0 - exact.G0.var() == pytest.approx(10 * (wide.var_g0 - exact.G0.var()), rel=1e-3)


@pytest.mark.parametrize("depth", [1, 3, 10])
def test_the_error_on_given_data_contains_the_moments_of_linear_networks(depth: int) -> None:
    """They are the same at every width."""
    net = igb.mlp(depth, "linear", sigma_w2=1.0)
    narrow, exact = net.predict(DIGITS, width=100, method="expansion"), net.predict(DIGITS)
    for name in ("var_mu", "var_chi", "gamma"):
        missed = abs(getattr(narrow, name) - getattr(exact, name))
        assert 0 < missed <= getattr(narrow, f"{name}_error")


@pytest.mark.parametrize(("name", "width", "moved"), [("relu", 20, "var_g0"), ("gelu", 40, "var_chi")])
def test_what_a_width_adds_on_given_data_is_that_of_drawn_networks(name: str, width: int, moved: str) -> None:
    net = igb.mlp(2, name)
    found = net.predict(DIGITS, width=width, method="expansion")
    drawn = net.predict(DIGITS, width=width, networks=20_000)
    wide = net.predict(DIGITS, width=10**7, method="expansion")
    assert abs(getattr(wide, moved) - getattr(drawn, moved)) > 3 * getattr(drawn, f"{moved}_error")
    for moment in ("var_chi", "var_g0"):
        chance = getattr(drawn, f"{moment}_error")
        missed = abs(getattr(found, moment) - getattr(drawn, moment))
        assert missed < getattr(found, f"{moment}_error") + 3 * chance


def test_the_spread_of_gamma_has_parts_of_networks_and_pairs() -> None:
    """At c -> 1: the variance of y over the networks, and twice that of the pairs, by which outputs of data differ."""
    net = igb.mlp(60)
    pair = pair_behind(net, [2000] * 60, 2000)
    found = expand(net.layers, [2000] * 60, GAUSSIAN, 2000)
    assert pair.c > 0.99
    assert found.spread == pytest.approx(pair.network[1, 1] + 2 * pair.pair, rel=0.01)


def test_the_law_of_the_guesses() -> None:
    """ReLU of width 16 and depth 5: the Kolmogorov distance of counts among 100 data is at most 0.02, plus chance."""
    width, depth, data, networks, outputs = 16, 5, 100, 3000, 8
    rng = np.random.default_rng(0)
    h = rng.standard_normal((networks, data, width), dtype=np.float32)
    for _ in range(depth):
        h = np.maximum(h @ rng.standard_normal((networks, width, width), dtype=np.float32), 0)
    alive = h.max(axis=2).min(axis=1) > 0
    counts = (h[alive] @ rng.standard_normal((alive.sum(), width, outputs), dtype=np.float32) > 0).sum(axis=1)
    drawn = (counts[..., None] <= np.arange(data + 1)).mean(axis=(0, 1))
    law = igb.GuessLaw(expanded(width, depth).source())
    shares = law.ppf((np.arange(1000) + 0.5) / 1000)
    predicted = binom.cdf(np.arange(data + 1)[:, None], data, shares).mean(axis=1)
    error = 0.5 / np.sqrt(alive.sum() * 2)  # outputs of one network are dependent
    assert np.max(np.abs(drawn - predicted)) < 0.02 + 1.5 * error


@pytest.mark.parametrize(
    ("text", "inputs", "message"),
    [
        ("Dense(2) | relu | MaxPool(2) | Dense(2)", GAUSSIAN, "does not know the noise of MaxPool"),
        ("relu | Dense(2)", GAUSSIAN, "in front of the first Dense"),
        ("Dense(2) | relu | Dense(0, 1)", GAUSSIAN, "outputs that differ"),
        ("Dense(2) | sign | Dense(2)", GAUSSIAN, "a continuous activation"),
        ("Dense(2) | sqrt(abs(x)) | Dense(2)", GAUSSIAN, "a bounded slope"),
        ("Dense(2) | LayerNorm(eps=0.1) | relu | Dense(2)", GAUSSIAN, "eps far below"),
        ("Dense(2) | relu | LayerNorm | Dense(2) | relu | LayerNorm | Dense(2)", GAUSSIAN, "cosines above 0"),
        ("Dense(2) | exp(x**2/8) | Dense(2)", GAUSSIAN, "has no averages of"),
        ("Dense(2) | LayerNorm | exp(x) | Dense(2) | LayerNorm | exp(x) | Dense(2)", GAUSSIAN, "may miss Var"),
        ("Dense(2) | exp(x) | Dense(2) | exp(x) | Dense(2)", GAUSSIAN, "moderate spread"),
        (" | ".join(["Dense(2) | gelu"] * 20 + ["Dense(2)"]), GAUSSIAN, "moderate spread"),
        (" | ".join(["Dense(2) | LayerNorm | relu"] * 20 + ["Dense(2)"]), GAUSSIAN, "may miss gamma by"),
        ("Dense(2) | relu | Dense(2)", np.ones((3, 2)), "not 0, equal or opposite"),
    ],
)
def test_where_the_expansion_does_not_hold(text: str, inputs: Any, message: str) -> None:
    layers = igb.Network.read(text).layers
    widths = [20] * (sum(isinstance(layer, igb.Dense) for layer in layers) - 1)
    with pytest.raises(DoesNotHoldError, match=message):
        expand(layers, widths or [20], inputs, None)


def test_without_a_bias_there_is_none_at_any_width() -> None:
    found = expanded(20, 4, "tanh")
    np.testing.assert_allclose(found.var_g0, 0, atol=1e-12)
    assert igb.GuessLaw(found.source()).std() < 1e-6  # the root of 1e-12
    # var_chi of a million whole networks: the error, which is not 0, covers the difference
    for width, depth, activation, options, drawn in (
        (229, 2, "hardtanh", {"sigma_w2": 2.64, "features": 20}, 1.64094),
        (13, 7, "tanh", {"sigma_w2": 1.95, "norm": "layer", "features": 300}, 0.797682),
    ):
        found = expanded(width, depth, activation, **options)
        missed = abs(found.var_chi[-1] / drawn - 1)
        assert 2e-4 < missed < found.moments_error[-1] + 3e-4 < 0.01  # 3e-4: errors of the million
