"""Where you place the norm, appendix F.2: LayerNorm behind ReLU.

Over the nodes of a wide layer Y = max(Z, 0) has, for each datum, mean a = sigma_w/sqrt(2 pi) and standard deviation
alpha; LayerNorm makes L = (Y - a)/alpha. For two data of correlation c, q the second moment of Z,

    E_W L_a L_b = (kappa_1(c)/2 - 1/(2 pi))/(1/2 - 1/(2 pi)),   kappa_1(c) = (sqrt(1 - c^2) + c (pi - arccos c))/pi.

It vanishes at c = 0: data that are not correlated stay so, gamma = c/(1 - c) = 0 at every depth. The slope there is
pi/(2(pi - 1)) = 0.73: data that are correlated at the input lose it with the depth.
"""

from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Where you place the norm, appendix F.2: LayerNorm behind ReLU")

s, y = sp.symbols("sigma_w y", positive=True)
N, d = sp.symbols("N d", positive=True, integer=True)
c = sp.Symbol("c", real=True)


def _over_half(function: Any) -> Any:
    """Integral over y > 0 of a function times N(y; 0, sigma_w^2)."""
    return sp.integrate(function * sp.exp(-(y**2) / (2 * s**2)) / (sp.sqrt(2 * sp.pi) * s), (y, 0, sp.oo))


def _moments() -> tuple[Any, Any]:
    """Mean and standard deviation of max(Z, 0), Z ~ N(0, sigma_w^2)."""
    mean = _over_half(y)
    return mean, sp.sqrt(sp.factor(_over_half(y**2) - mean**2))


def _next(correlation: Any) -> Any:
    """Correlation behind ReLU and LayerNorm."""
    kappa = (sp.sqrt(1 - correlation**2) + correlation * (sp.pi - sp.acos(correlation))) / sp.pi
    return (kappa / 2 - 1 / (2 * sp.pi)) / (sp.Rational(1, 2) - 1 / (2 * sp.pi))


def _wide(trial: Trial, network: igb.Network, number: int, against: dict[str, float]) -> Iterator[Finding]:
    """Rows of the comparison of finite networks with the prediction, extrapolated to infinite width."""
    simulation = network.simulate(trial.draws(number), 32, 300, trial.seed, workers=1)
    for row in simulation.compare(workers=1).rows:
        if row.name in against:
            yield measured(trial, f"{row.name}, width to infinity", row.value, row.error, row.theory, against[row.name])


@SECTION.holds(
    "E-ThmF.3 / Eq125-126",
    "ReLU, then LayerNorm: O_c ~ N(0, sigma_w^2) over the data, and the law of its centre collapses to a delta "
    "function at 0",
    printed=r"f_{O_c}(o) \to \mathcal{N}(o; 0, \sigma_w^2), \qquad f_{\mu_c}(m) \to \delta(m)",
    assumes="isotropic data (uncorrelated: no common mean), widths and input dimension to infinity",
)
def balanced_outputs(trial: Trial) -> Iterator[Finding]:
    """The correlation 0 is a fixed point of the map above, and the second moment behind LayerNorm is 1.

    So var_mu = 0 and var_chi = sigma_w^2 at every depth; Gaussian over the data, as in E-ThmE.2 / Eq62-63.

    Unlike with BatchNorm this hangs on the data: at an input shift of 1 (c = 1/2) the outputs have gamma > 0 at any
    finite depth, which falls by pi/(2(pi - 1)) a layer.
    """
    mean, deviation = _moments()
    yield identity("two uncorrelated data: E L_a L_b = (E L)^2", ((mean - mean) / deviation) ** 2, _next(sp.Integer(0)))
    square = sp.simplify(_over_half(sp.expand((y - mean) ** 2)) + mean**2 / 2)
    yield identity("one datum: E L^2", sp.simplify(square / deviation**2), 1)
    yield identity("and by the map at c = 1", _next(sp.Integer(1)), 1)
    slope = sp.diff(_next(c), c).subs(c, 0)
    yield identity("slope at c = 0", slope, sp.pi / (2 * (sp.pi - 1)))
    yield shown("the fixed point attracts", slope < 1, f"the slope is {float(slope):.4f}")
    for depth in (1, 8):
        prediction = igb.mlp(depth, norm="layer", placement="after", sigma_w2=1.75).predict(digits=30)
        yield agree(f"1 + Var_W(mu), depth {depth}", 1 + prediction.var_mu, 1, 28)
        yield agree(f"Var_chi(O), depth {depth}", prediction.var_chi, mp.mpf("1.75"), 28)
    shifted = igb.mlp(3, norm="layer", placement="after").predict(igb.GaussianInputs(shift=1.0)).gamma
    yield shown(
        "data with a common mean are another matter", shifted > 0.01, f"gamma = {shifted:.4f} at shift 1, L = 3"
    )
    plain = igb.mlp(3, sigma_w2=1.5).predict()
    against = {"var_mu[3]": float(plain.var_mu), "var_chi[3]": float(plain.var_chi)}
    yield from _wide(trial, igb.mlp(3, norm="layer", placement="after", sigma_w2=1.5), 200, against)


@SECTION.holds(
    "E-Eq127-133",
    "First layer: Z_i^(1) ~ N(0, sigma_w^2), Y_i has the law 1/2 delta + Theta N(0, sigma_w^2), and its mean and "
    "variance are the same for all nodes",
    printed=r"f_{Y_i^{(1)}}(y) = \frac{1}{2} \delta(y) + \Theta(y)\, \mathcal{N}(y; 0, \sigma_w^2)",
    assumes="the input dimension (printed N_0, N_1) goes to infinity",
)
def first_layer(trial: Trial) -> Iterator[Finding]:
    """Var_chi(Z_i) = |w_i|^2 = S: S d/sigma_w^2 is chi-squared of d degrees, the same for all nodes in the limit.

    The sum runs over the N_0 = d inputs, index j (printed: i and N_1); sigma_w_i in Eq. 130 is this S.
    """
    first, second = (2**k * sp.gamma(d / 2 + k) / sp.gamma(d / 2) * (s**2 / d) ** k for k in (1, 2))
    mean, spread = sp.gammasimp(first), sp.simplify(sp.gammasimp(second) - sp.gammasimp(first) ** 2)
    yield identity("E_W S", mean, s**2)
    yield identity("spread of S between the nodes in the limit", sp.limit(spread, d, sp.oo), 0)
    yield identity("mass of the law of Y", sp.Rational(1, 2) + _over_half(sp.Integer(1)), 1)
    yield identity("E Y", _over_half(y), s / sp.sqrt(2 * sp.pi))
    yield identity("Var Y", _over_half(y**2) - _over_half(y) ** 2, s**2 / 2 * (1 - 1 / sp.pi))
    inputs, number = 100, trial.draws(40000)
    variances = 2 * trial.rng.chisquare(inputs, number) / inputs
    error = float(variances.std() / np.sqrt(number))
    yield measured(trial, "mean of |w_i|^2, sigma_w^2 = 2", float(variances.mean()), error, 2.0, against=2 * 1.01)


@SECTION.fails(
    "E-var-line",
    "The variance along the layer is sigma_a^2 = sum_i (Y_i - mu_a)/N",
    printed=r"(\hat\sigma_a^{(1)})^2 = \sum_i (Y_i^{(1)} - \hat\mu_a^{(1)}) / N_1",
    counter_example="""
values = [0.0, 1.0, 5.0]
mean = sum(values) / 3
assert sum(v - mean for v in values) / 3 == 0  # the printed sum vanishes for any values
assert sum((v - mean) ** 2 for v in values) / 3 > 4
""",
)
def printed_layer_variance() -> Iterator[Finding]:
    """The square is missing; without it the sum is 0 for any values. (In F.1 it is there.)"""
    values = sp.symbols("y_1 y_2 y_3", positive=True)
    mean = sum(values) / sp.Integer(3)
    variance = sum(v**2 for v in values) / sp.Integer(3) - mean**2
    yield identity("three nodes: mean square less squared mean", sum(v - mean for v in values) / 3, variance)


@SECTION.corrects(
    "E-var-line",
    "sigma_a^2 = sum_i (Y_i - mu_a)^2/N",
    right=r"(\hat\sigma_a^{(1)})^2 = \sum_i (Y_i^{(1)} - \hat\mu_a^{(1)})^2 / N_1",
)
def layer_variance(trial: Trial) -> Iterator[Finding]:
    """For three nodes in symbols; for Y = max(Z, 0) its mean is (N - 1)/N times the variance of Eq. 73."""
    values = sp.symbols("y_1 y_2 y_3", positive=True)
    mean = sum(values) / sp.Integer(3)
    variance = sum(v**2 for v in values) / sp.Integer(3) - mean**2
    yield identity("three nodes", sum((v - mean) ** 2 for v in values) / 3, variance)
    nodes = np.maximum(trial.rng.standard_normal((trial.draws(20000), 20)), 0)
    found = nodes.var(axis=1)
    value = 0.5 * (1 - 1 / np.pi)
    error = float(found.std() / np.sqrt(len(found)))
    yield measured(trial, "20 nodes, sigma_w = 1", float(found.mean()), error, 19 / 20 * value, against=value)


@SECTION.holds(
    "E-Eq134",
    "In layer 1 LayerNorm is BatchNorm: mean and variance over the weights are those over the data",
    printed=r"L_{i;a} = \frac{Y_i - E_W(Y_i)}{\sqrt{\mathrm{Var}_W(Y_i)}} = "
    r"\frac{Y_i - E_\chi(Y_i)}{\sqrt{\mathrm{Var}_\chi(Y_i)}}",
    assumes="data without a common mean (c = 0), width and input dimension to infinity",
)
def layer_norm_is_batch_norm(trial: Trial) -> Iterator[Finding]:
    """Over W at a given datum Z ~ N(0, sigma_w^2 |x|^2/d); over the data at given weights Z ~ N(0, |w|^2).

    Both variances are sigma_w^2 times a chi-squared over its degrees, and go to sigma_w^2; the moments of Y follow.
    With a common mean of the data the average over them depends on the node, the one over the nodes does not. Drawn:
    the mean of Y along a layer (N nodes, one datum) and over the data (one node), squared and scaled to 1.
    """
    mean, deviation = _moments()
    yield identity("mean over either", mean, s / sp.sqrt(2 * sp.pi))
    yield identity("variance over either", deviation**2, s**2 / 2 * (1 - 1 / sp.pi))
    relative = sp.gammasimp(sp.gamma(d / 2 + 2) / sp.gamma(d / 2) * 4 / d**2) - 1
    yield identity("relative variance of |x|^2 and of |w|^2", sp.simplify(relative), 2 / d)
    yield identity("its limit", sp.limit(2 / d, d, sp.oo), 0)
    over_nodes, over_data = [], []
    size = 80
    for _ in range(trial.draws(1000)):
        data = trial.rng.standard_normal((size, size))
        weights = trial.rng.standard_normal((size, size)) * np.sqrt(2 / size)
        rectified = np.maximum(data @ weights.T, 0)
        over_nodes.append(rectified[0].mean())
        over_data.append(rectified[:, 0].mean())
    # E sqrt(chi^2_d/d) = 1 - 1/(4 d) + ...
    expected = float(mp.sqrt(2 / (mp.pi * size)) * mp.gammaprod([mp.mpf(size + 1) / 2], [mp.mpf(size) / 2]))
    for name, values in (("along a layer", over_nodes), ("over the data", over_data)):
        error = float(np.std(values) / np.sqrt(len(values)))
        yield measured(trial, f"mean of Y {name}, N = d = 80", float(np.mean(values)), error, expected, against=0.5)


@SECTION.holds(
    "E-Eq135-137",
    "Every node behind LayerNorm has mean 0 and variance 1 over the data; the next layer is Z_i^(2) = sum_j w_ij L_j",
    printed=r"E_\chi(L_i^{(1)}) = 0, \qquad \mathrm{Var}_\chi(L_i^{(1)}) = 1, \quad \forall i",
    assumes="isotropic data, width and input dimension to infinity; Eq. 137 is a definition",
)
def standardised() -> Iterator[Finding]:
    """From Eq. 134: mean and variance of (Y - E Y)/sqrt(Var Y)."""
    mean, deviation = _moments()
    first = _over_half(y - mean) - mean / 2
    second = _over_half(sp.expand((y - mean) ** 2)) + mean**2 / 2
    yield identity("mean", sp.simplify(first / deviation), 0)
    yield identity("variance", sp.simplify(second / deviation**2), 1)
    with mp.workdps(30):
        a, alpha = 1 / mp.sqrt(2 * mp.pi), mp.sqrt((1 - 1 / mp.pi) / 2)
        cuts = [-14, -4, 0, 4, 14]
        yield agree("1 + mean", 1 + mp.quad(lambda v: mp.npdf(v) * (max(v, 0) - a) / alpha, cuts), 1, 25)
        yield agree("variance", mp.quad(lambda v: mp.npdf(v) * ((max(v, 0) - a) / alpha) ** 2, cuts), 1, 25)


@SECTION.holds(
    "E-Eq138-139",
    "Z^(2) ~ N(sum_j w_j E(L_j), sum_j w_j^2 Var(L_j)) = N(0, sum_j w_j^2) -> N(0, sigma_w^2) over the data",
    printed=r"f_{Z_i^{(2)}}(z) = \mathcal{N}\left(z; 0, \sum_j (w_j^{(1)})^2\right) \to "
    r"\mathcal{N}(z; 0, \sigma_w^2)",
    assumes="isotropic data, widths to infinity (the paper prints Z^(1) on the left)",
)
def second_layer(trial: Trial) -> Iterator[Finding]:
    """sum_j w_j^2 has mean sigma_w^2 and the variance 2 sigma_w^4/N; the covariances of nodes add one of that order.

    With C_jk = a_1^2 rho, a_1 = 1/(2 alpha) at sigma_w = 1 and E rho^2 = 1/N, the cross terms of Var_chi(Z) have mean 0
    over the weights and the variance 2 sigma_w^4 a_1^4/N.
    """
    chi = [2**k * sp.gamma(N / 2 + k) / sp.gamma(N / 2) * (s**2 / N) ** k for k in (1, 2)]
    mean, square = (sp.gammasimp(moment) for moment in chi)
    yield identity("E_W sum_j w_j^2", mean, s**2)
    yield identity("its variance", sp.simplify(square - mean**2), 2 * s**4 / N)
    a_1 = 1 / (2 * _moments()[1].subs(s, 1))
    yield identity("Var_W of Var_chi(Z) in the limit", sp.limit(2 * s**4 * (1 + a_1**4) / N, N, sp.oo), 0)
    plain = igb.mlp(1, sigma_w2=1.5).predict()
    against = {"var_mu[1]": float(plain.var_mu), "var_chi[1]": float(plain.var_chi)}
    yield from _wide(trial, igb.mlp(1, norm="layer", placement="after", sigma_w2=1.5), 200, against)
