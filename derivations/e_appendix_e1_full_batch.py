"""Where you place the norm, appendix E.1: BatchNorm in front of the activation, full batch (Theorem E.1, Eqs. 16-26).

The network is Dense, BatchNorm, phi, ..., Dense with weights w ~ N(0, sw2/N) and Gaussian inputs. The proof goes
round a circle of four laws over the data, the weights fixed,

    B^(l) ~ N(0, 1)  ->  Y^(l) = phi(B^(l))  ->  Z^(l+1) = sum_j w_j Y_j^(l)  ->  B^(l+1) ~ N(0, 1),

so that the law of Y, hence that of the output O_c, is the same at every depth. All limits are meant in this order:
width N to infinity at a fixed depth, data D to infinity as well. At finite width what is left is of order L/N, so the
two limits N -> infinity and L -> infinity may not be exchanged.
"""

from collections.abc import Iterator

import mpmath
import numpy as np
import sympy as sp
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown
from igbtheory.simulation.extrapolation import FACTORS, RICHARDSON
from igbtheory.simulation.rows import Row

SECTION = Section("Where you place the norm, appendix E.1: BatchNorm in front of ReLU, full batch")

Array = NDArray[np.float64]
SW2 = sp.Symbol("sigma_w^2", positive=True)
N = sp.Symbol("N", positive=True, integer=True)
T = sp.Symbol("t", real=True)
NORMAL_MEAN = 1 / sp.sqrt(2 * sp.pi)
"""E relu(B) for B ~ N(0, 1)."""
NORMAL_VARIANCE = sp.Rational(1, 2) * (1 - 1 / sp.pi)
"""Var relu(B)."""


def rectified_moment(power: int) -> sp.Expr:
    """The moment E relu(B)^power, power >= 1, of B ~ N(0, 1), integrated."""
    b = sp.Symbol("b", positive=True)
    return sp.integrate(b**power * sp.exp(-(b**2) / 2) / sp.sqrt(2 * sp.pi), (b, 0, sp.oo))


def rectified_cumulant(order: int) -> sp.Expr:
    """The cumulant of that order, 1 to 4, of relu(B), B ~ N(0, 1)."""
    m1, m2, m3, m4 = (rectified_moment(k) for k in range(1, 5))
    cumulants = (
        m1,
        m2 - m1**2,
        m3 - 3 * m2 * m1 + 2 * m1**3,
        m4 - 4 * m3 * m1 - 3 * m2**2 + 12 * m2 * m1**2 - 6 * m1**4,
    )
    return sp.simplify(cumulants[order - 1])


def network(depth: int, activation: str = "relu") -> igb.Network:
    """The network of Theorem E.1."""
    return igb.mlp(depth, activation, norm="batch", placement="before")


def rows(trial: Trial, net: igb.Network) -> dict[str, Row]:
    """Simulated moments of 200 networks of the widths 64, 128 and 256, extrapolated to infinite width, by name.

    The theory in a row is that of the full batch of the 400 data simulated: D is finite there, N is not.
    """
    s = net.simulate(networks=trial.draws(200), width=64, samples=400, seed=trial.seed, workers=1)
    return {row.name: row for row in s.compare(workers=1).rows}


def activations(rng: np.random.Generator, width: int, data: int, layers: int) -> Array:
    """Activations (data, width) of the last of `layers` hidden ReLU layers with full-batch normalisation."""
    y = rng.standard_normal((data, width))
    for _ in range(layers):
        z = y @ rng.normal(0, np.sqrt(2 / width), (width, width))
        y = np.maximum((z - z.mean(axis=0)) / z.std(axis=0), 0)
    return y


def outputs(rng: np.random.Generator, y: Array, number: int) -> tuple[Array, Array]:
    """Outputs (data, number) of a Dense layer and its weights, sw2 = 2."""
    weights = rng.normal(0, np.sqrt(2 / y.shape[1]), (y.shape[1], number))
    return y @ weights, weights


def extrapolated(samples: list[Array]) -> tuple[float, float]:
    """The mean at infinite width and its standard error, from one value for every network of each of three widths."""
    means = np.array([part.mean() for part in samples])
    errors = np.array([part.std(ddof=1) / np.sqrt(len(part)) for part in samples])
    return float(RICHARDSON @ means), float(np.sqrt(RICHARDSON**2 @ errors**2))


@SECTION.holds(
    "E-ThmE.1 / Eq16",
    "O_c ~ N(mu_c, sw2 Var_chi(Y_0^(1))) at any depth",
    printed=r"f^{(\chi)}_{O_c} \to \mathcal N(o; \mu_c, \sigma_w^2 \mathrm{Var}_\chi(Y_0^{(1)}))",
    assumes="full batch, D -> infinity, N -> infinity at fixed depth, phi with finite fourth moments",
)
def theorem_e1(trial: Trial) -> Iterator[Finding]:
    """Given the weights, O_c = sum_j w_j Y_j; in the limit the Y_j are independent over the data (see E-Eq25).

    1. Base: B^(1) ~ N(0, 1) (E-Eq20,22). Then E Y = 1/sqrt(2 pi) and Var Y = (1 - 1/pi)/2 for ReLU.
    2. Cumulants add: kappa_r(O) = kappa_r(Y) sum_j w_j^r. Averaged over Gaussian weights, sum w^2 -> sw2,
       E sum w^4 = 3 sw2^2/N, E (sum w^3)^2 = (15 N + 0) sw2^3/N^3, since two different odd powers average to zero.
       So skewness^2 and excess kurtosis are of order 1/N: O_c is Gaussian over the data, of variance sw2 Var Y.
    3. Step: the next Z is such a sum too, hence Gaussian, and normalised over the full batch it is N(0, 1) again.
    """
    yield identity("E Y of a rectified N(0, 1)", rectified_moment(1), NORMAL_MEAN)
    yield identity("Var Y", rectified_cumulant(2), NORMAL_VARIANCE)
    # w = sqrt(sw2/N) g with g ~ N(0, 1), of even moments 1, 3, 15
    g = sp.Symbol("g", real=True)
    density = sp.exp(-(g**2) / 2) / sp.sqrt(2 * sp.pi)
    even = {k: sp.integrate(g**k * density, (g, -sp.oo, sp.oo)) for k in (2, 4, 6)}
    yield identity("variance of O_c", N * even[2] * SW2 / N * rectified_cumulant(2), SW2 * NORMAL_VARIANCE)
    excess = N * even[4] * (SW2 / N) ** 2 * rectified_cumulant(4) / (SW2 * NORMAL_VARIANCE) ** 2
    yield identity("excess kurtosis of O_c", excess, 3 * rectified_cumulant(4) / (N * NORMAL_VARIANCE**2))
    yield identity("its limit", sp.limit(excess, N, sp.oo), 0)
    skewness = N * even[6] * (SW2 / N) ** 3 * rectified_cumulant(3) ** 2 / (SW2 * NORMAL_VARIANCE) ** 3
    yield identity("squared skewness of O_c, limit", sp.limit(skewness, N, sp.oo), 0)
    for depth in (1, 7):
        p = network(depth).predict(digits=40)
        yield agree(f"ReLU, depth {depth}, predicted", p.var_chi, sp.N(2 * NORMAL_VARIANCE, 45), 35)
    with mpmath.workdps(30):
        m1, m2 = (
            mpmath.quad(lambda z, k=k: mpmath.log1p(mpmath.e**z) ** k * mpmath.npdf(z), [-30, 0, 30]) for k in (1, 2)
        )
        p = network(3, "softplus").predict(digits=25)
        yield agree("softplus, depth 3, against quadrature of one node", p.var_chi, 2 * (m2 - m1**2), 20)
    found = rows(trial, network(3))
    for layer in (1, 3):
        row = found[f"var_chi[{layer}]"]
        unnormalised = 2 * (1 - 1 / np.pi)
        yield measured(trial, f"var_chi after layer {layer}", row.value, row.error, row.theory, against=unnormalised)
    yield _excess_kurtosis(trial)


def _excess_kurtosis(trial: Trial) -> Finding:
    """Excess kurtosis over the data of the outputs behind two hidden layers, in the limit N -> infinity."""
    samples = []
    for factor in FACTORS:
        values = []
        for _ in range(trial.draws(160)):  # fewer, and a standard error is no longer known well enough
            o, _weights = outputs(trial.rng, activations(trial.rng, 48 * factor, 400, 2), 48)
            d = len(o)
            deviations = o - o.mean(axis=0)
            m2, m4 = (deviations**2).mean(axis=0), (deviations**4).mean(axis=0)
            k4 = d**2 * ((d + 1) * m4 - 3 * (d - 1) * m2**2) / ((d - 1) * (d - 2) * (d - 3))  # unbiased
            values.append(k4.mean() / (m2**2).mean())
        samples.append(np.array(values))
    finite = float(samples[0].mean())
    return measured(trial, "excess kurtosis of O_c over the data", *extrapolated(samples), 0.0, against=finite)


@SECTION.holds(
    "E-Eq17",
    "mu_c ~ N(0, sw2 E_chi(Y_0^(1))^2)",
    printed=r"f_{\mu_c} \to \mathcal N(m; 0, \sigma_w^2 \mathbb E_\chi(Y_0^{(1)})^2)",
    assumes="full batch, D -> infinity, N -> infinity at fixed depth",
)
def centres(trial: Trial) -> Iterator[Finding]:
    """mu_c = sum_j w_j E(Y_j) = E(Y) sum_j w_j: all nodes have the same mean, so a sum of N normal weights is left.

    Its characteristic function is that of one weight to the power N. At finite width the means of the nodes scatter
    from layer to layer, and mu_c is a normal variable whose variance varies with the network; that variation vanishes.
    """
    y = sp.Symbol("E_Y", positive=True)
    one = sp.exp(-(T**2) * y**2 * SW2 / (2 * N))  # of w E(Y)
    yield identity("characteristic function of mu_c", sp.log(sp.expand_power_base(one)) * N, -(T**2) * SW2 * y**2 / 2)
    for depth in (1, 7):
        p = network(depth).predict(digits=40)
        yield agree(f"ReLU, depth {depth}, predicted", p.var_mu, sp.N(2 * NORMAL_MEAN**2, 45), 35)
    with mpmath.workdps(30):
        mean = mpmath.quad(lambda z: mpmath.log1p(mpmath.e**z) * mpmath.npdf(z), [-30, 0, 30])
        p = network(3, "softplus").predict(digits=25)
        yield agree("softplus, depth 3, against quadrature of one node", p.var_mu, 2 * mean**2, 20)
    found = rows(trial, network(3))
    for layer in (1, 3):
        row = found[f"var_mu[{layer}]"]
        yield measured(trial, f"var_mu after layer {layer}", row.value, row.error, row.theory, against=2 / np.pi)
    # given the activations mu_c is normal; its excess kurtosis over W is 3 Var(v)/E(v)^2, v its conditional variance
    s = network(3).simulate(networks=trial.draws(200), width=64, samples=400, seed=trial.seed, workers=1)
    v = s.moments[:, -1, 0]
    excess = 3 * v.var() / v.mean() ** 2
    yield shown("excess kurtosis of mu_c at width 64", excess < 1 / 64, f"{excess:.2g}, less than 1/64")


@SECTION.fails(
    "E-Eq18",
    "if E_chi(Y_1^(0)) -> 0 then f_mu -> delta",
    printed=r"\mathbb E_\chi(Y_1^{(0)}) \to 0 \Rightarrow f_{\mu_c} \to \delta",
    counter_example="""
import math
import igbtheory as igb

# layer 0, the inputs, is centred: E Y_1^(0) = 0; the centres scatter all the same
p = igb.mlp(1, "relu", norm="batch", placement="before").predict(igb.GaussianInputs(shift=0.0))
assert math.isclose(p.var_mu, 1 / math.pi, rel_tol=1e-12)
assert p.var_mu != 0
""",
)
def no_bias_as_printed() -> Iterator[Finding]:
    """Y_1^(0) is node 1 of layer 0, an input in the notation of appendix A: its mean is 0 in the setting of section B.

    Yet mu_c then has the variance sw2 E(relu B)^2 = sw2/(2 pi), not 0. The two indices stand in the wrong places;
    the next case of the theorem (Eq. 19) has them right.
    """
    yield identity("variance of mu_c over centred inputs", SW2 * rectified_moment(1) ** 2, 0)
    yield agree("predicted for ReLU, centred inputs", network(1).predict(igb.GaussianInputs(shift=0.0)).var_mu, 0)


@SECTION.corrects("E-Eq18", "if E_chi(Y_0^(1)) -> 0, node 0 of layer 1, then f_mu -> delta; the inputs do not matter")
def no_bias() -> Iterator[Finding]:
    """The characteristic function exp(-t^2 sw2 E(Y)^2/2) of E-Eq17 tends to 1, that of delta, as E(Y) -> 0."""
    y = sp.Symbol("E_Y", positive=True)
    yield identity("limit of the characteristic function", sp.limit(sp.exp(-(T**2) * SW2 * y**2 / 2), y, 0), 1)
    for shift in (0.0, 1.0):
        p = network(2, "tanh").predict(igb.GaussianInputs(shift=shift))
        yield agree(f"tanh, whose E(Y) is 0, inputs of mean {shift:g}", p.var_mu, 0)
    # the mean of a shifted ReLU passes 0
    c = mpmath.nstr(1 / mpmath.sqrt(2 * mpmath.pi), 30)
    for shift in (0.0, 1.0):
        p = network(2, f"max(x, 0) - {c}").predict(igb.GaussianInputs(shift=shift))
        yield shown(f"ReLU less its mean, inputs of mean {shift:g}", p.var_mu < 1e-20, f"var_mu = {p.var_mu:.1g}")


@SECTION.holds(
    "E-Eq19",
    "else f_mu -> N(0, sw2 E_chi(Y_0^(1))^2)",
    printed=r"f_{\mu_c} \to \mathcal N(m; 0, \sigma_w^2 \mathbb E_\chi(Y_0^{(1)})^2)",
    assumes="E_chi(Y_0^(1)) converges to a finite value as D -> infinity",
)
def bias() -> Iterator[Finding]:
    """The law of E-Eq17 with the limit e of E(Y) put in: its characteristic function is continuous in E(Y)."""
    y, e = sp.symbols("E_Y e", positive=True)
    characteristic = sp.exp(-(T**2) * SW2 * y**2 / 2)
    yield identity("continuity", sp.limit(characteristic, y, e), sp.exp(-(T**2) * SW2 * e**2 / 2))
    # a full batch of D data: E(Y) = E|B|/2 with B^2/(D - 1) ~ Beta(1/2, (D - 2)/2), which tends to 1/sqrt(2 pi)
    with mpmath.workdps(30):
        for data in (10, 1000, 100000):
            d = mpmath.mpf(data)
            half = mpmath.sqrt((d - 1) / mpmath.pi) * mpmath.gammaprod([(d - 1) / 2], [d / 2]) / 2
            net = igb.mlp(1, "relu", norm="batch", placement="before", batch_size=data)
            yield agree(f"var_mu with D = {data}", net.predict(digits=25).var_mu, 2 * half**2, 20)
        limit = mpmath.limit(
            lambda d: mpmath.sqrt(d / mpmath.pi) * mpmath.gammaprod([d / 2], [(d + 1) / 2]) / 2, mpmath.inf
        )
        yield agree("limit of E(Y)", limit, 1 / mpmath.sqrt(2 * mpmath.pi), 8)


@SECTION.holds(
    "E-noamp",
    "bias does not grow with depth",
    printed=r"\gamma^{(L)} = \gamma^{(1)}",
    assumes="full batch, D -> infinity, N -> infinity at fixed depth",
)
def no_amplification(trial: Trial) -> Iterator[Finding]:
    """The ratio gamma = sw2 E(Y)^2/(sw2 Var Y) = E(Y)^2/Var(Y) holds no depth: 1/(pi - 1) for ReLU, L = 1, 2, ...

    Without normalisation gamma of ReLU grows with every layer. At finite width N gamma even falls a little with
    depth, by an amount of order L/N: nothing grows there either.
    """
    yield identity("gamma of ReLU", SW2 * rectified_moment(1) ** 2 / (SW2 * rectified_cumulant(2)), 1 / (sp.pi - 1))
    per_layer = network(50).predict(digits=30).per_layer.gamma
    for layer in (1, 2, 50):
        yield agree(f"gamma after layer {layer}, predicted", per_layer[layer], 1 / (mpmath.pi - 1), 14)
    with mpmath.workdps(35):
        yield agree("the same to 25 digits", per_layer[50], 1 / (mpmath.pi - 1), 25)
    row = rows(trial, network(5))["gamma[5]"]
    plain = float(igb.mlp(5, "relu").predict().gamma)
    yield measured(trial, "gamma at depth 5", row.value, row.error, row.theory, against=plain)
    yield shown("no growth at width 64", row.values[0] < row.theory, f"{row.values[0]:.4f} < {row.theory:.4f}")


@SECTION.holds(
    "E-Eq20,22",
    "B_i^(1) ~ N(0,1)",
    printed=r"B_i^{(1)} = (Z_i^{(1)} - \mathbb E Z_i^{(1)})/\sigma \sim \mathcal N(0, 1)",
    assumes="infinite batch, Gaussian inputs",
)
def normalised_node() -> Iterator[Finding]:
    """Z ~ N(m, s^2) less its mean, over its deviation: the moment generating function becomes exp(t^2/2).

    In a batch of finite size n the law is another one, B^2/(n - 1) ~ Beta(1/2, (n - 2)/2); its even moments
    E B^(2k) = (n - 1)^k prod_(i<k) (1 + 2 i)/(n - 1 + 2 i) tend to (2k - 1)!!, which determine N(0, 1).
    """
    m = sp.Symbol("m", real=True)
    s = sp.Symbol("s", positive=True)
    n = sp.Symbol("n", positive=True, integer=True)
    cumulants = sp.expand(m * (T / s) + s**2 * (T / s) ** 2 / 2 - m * T / s)  # of (Z - m)/s
    yield identity("log of the moment generating function", cumulants, T**2 / 2)
    for k in range(1, 6):
        moment = (n - 1) ** k * sp.prod([(1 + 2 * i) / (n - 1 + 2 * i) for i in range(k)])
        yield identity(f"E B^{2 * k}, n -> infinity", sp.limit(moment, n, sp.oo), sp.factorial2(2 * k - 1))
    with mpmath.workdps(30):
        d = mpmath.mpf(9)
        c = mpmath.gammaprod([(d - 1) / 2], [mpmath.mpf(1) / 2, (d - 2) / 2]) / mpmath.sqrt(d - 1)
        fourth = 2 * c * mpmath.quad(lambda b: b**4 * (1 - b * b / (d - 1)) ** ((d - 4) / 2), [0, mpmath.sqrt(d - 1)])
        yield agree("E B^4 in a batch of 9, by quadrature", fourth, 3 * (d - 1) / (d + 1), 20)


@SECTION.holds(
    "E-Eq21",
    "Z_i^(1) = sum_j w_ij X_j",
    printed=r"Z_i^{(1)} = \sum_j w_{ij} X_j",
    assumes="inputs jointly Gaussian, independent",
)
def first_layer() -> Iterator[Finding]:
    """A linear map keeps a Gaussian vector Gaussian: Z ~ N(mu S_w, sigma^2 sum w^2).

    Jointly Gaussian is needed ("multivariate", as the paper says): X_2 = +-X_1 with a random sign has Gaussian entries
    and X_1 + X_2 is 0 half of the time.
    """
    mu, x = sp.symbols("mu x", real=True)
    sigma = sp.Symbol("sigma", positive=True)
    u = sp.Symbol("u", real=True)
    density = sp.exp(-((x - mu) ** 2) / (2 * sigma**2)) / sp.sqrt(2 * sp.pi * sigma**2)
    one = sp.integrate(sp.expand(sp.powsimp(sp.exp(u * x) * density)), (x, -sp.oo, sp.oo))
    yield identity("moment generating function of X", sp.simplify(one), sp.exp(mu * u + sigma**2 * u**2 / 2))
    w = sp.symbols("w1:5", real=True)
    logs = sum(mu * T * wj + sigma**2 * (T * wj) ** 2 / 2 for wj in w)
    normal = T * mu * sum(w) + T**2 * sigma**2 * sum(wj**2 for wj in w) / 2
    yield identity("log generating function of Z, four inputs", logs, normal)
    p = network(1).predict(igb.GaussianInputs(shift=0.5, variance=2.0), digits=30)
    with mpmath.workdps(30):
        yield agree("var_mu of Z, predicted, over sw2 mu^2", p.per_layer.var_mu[0], mpmath.mpf("0.5"), 25)
        yield agree("var_chi of Z, predicted, over sw2 sigma^2", p.per_layer.var_chi[0], mpmath.mpf(4), 25)


SECTION.undecided(
    "E-Eq23",
    "Z_i^(l+1) = sum_j w_ij^(l) Y_j^(l)",
    "it defines the Dense layer; nothing is left to decide. (Appendix A, Eq. 1, writes w^(l+1) for the same weights.)",
)


@SECTION.holds(
    "E-Eq24",
    "E_chi Z_i^(l+1) = E_chi(Y_0) S_w, S_w = sum_j w_ij",
    printed=r"\mathbb E_\chi Z_i^{(l+1)} = \mathbb E_\chi(Y_0) S_w",
    assumes="the nodes are identically distributed over the data",
)
def mean_of_a_node(trial: Trial) -> Iterator[Finding]:
    """The mean is linear: sum_j w_ij E(Y_j), and all E(Y_j) are E(Y_0). No independence is needed."""
    w = sp.symbols("w1:5", real=True)
    means = sp.symbols("m1:5", real=True)
    y = sp.Symbol("E_Y", positive=True)
    total = sum(wj * mj for wj, mj in zip(w, means, strict=True))
    yield identity("four nodes of one mean", total.subs(dict.fromkeys(means, y)), y * sum(w))
    # a network: the slope of the mean of Z on S_w, over 256 nodes; with D = 400 data E(Y) is that of the batch law
    data, width = 400, 64
    slopes = []
    for _ in range(trial.draws(160)):
        o, weights = outputs(trial.rng, activations(trial.rng, width, data, 1), 256)
        s_w = weights.sum(axis=0)
        slopes.append((o.mean(axis=0) @ s_w) / (s_w @ s_w))
    found = np.array(slopes)
    expected = float(mpmath.sqrt((data - 1) / mpmath.pi) * mpmath.gammaprod([(data - 1) / 2], [data / 2]) / 2)
    error = float(found.std(ddof=1) / np.sqrt(len(found)))
    yield measured(trial, "slope of E Z on S_w", float(found.mean()), error, expected, against=0.5)


@SECTION.holds(
    "E-Eq25",
    "Var_chi(Z) = Var(Y) sum w^2 -> Var(Y) sw2",
    printed=r"\mathrm{Var}_\chi(Z) = \mathrm{Var}(Y) \sum_j w_{ij}^2 \to \mathrm{Var}(Y) \sigma_w^2",
    assumes="nodes uncorrelated over the data, N -> infinity",
)
def variance_of_a_node(trial: Trial) -> Iterator[Finding]:
    """Var(sum w_j Y_j) = sum_jk w_j w_k C_jk; only the diagonal is left where the nodes are uncorrelated.

    sum w^2 has the mean sw2 and the variance 2 sw2^2/N. In a real network C_jk is of order N^(-1/2): the first
    equality is then true up to a term of variance 2 sw2^2 <C_jk^2>, of order 1/N too, and the limit holds all the same.
    Two simulations: <C_jk^2> and the scatter of Var_chi(Z_i) over the nodes i both vanish with 1/N.
    """
    w = sp.symbols("w1:4", real=True)
    v = sp.Symbol("v", positive=True)
    vector, c = sp.Matrix(w), sp.diag(v, v, v)
    yield identity("three uncorrelated nodes", (vector.T * c * vector)[0], v * sum(wj**2 for wj in w))
    mean, square = N * SW2 / N, N * 3 * (SW2 / N) ** 2 + N * (N - 1) * (SW2 / N) ** 2
    yield identity("E sum w^2", mean, SW2)
    yield identity("Var sum w^2", square - mean**2, 2 * SW2**2 / N)
    yield identity("its limit", sp.limit(square - mean**2, N, sp.oo), 0)
    correlations, scatters = [], []
    for factor in FACTORS:
        width = 32 * factor
        pairs, spread = [], []
        for _ in range(trial.draws(160)):
            y = activations(trial.rng, width, 400, 2)
            halves = [y[:200], y[200:]]  # products of the two halves carry no bias from the number of data
            one, two = (np.cov(half, rowvar=False) for half in halves)
            off = ~np.eye(width, dtype=bool)
            pairs.append((one * two)[off].mean() / float(NORMAL_VARIANCE) ** 2)
            _, weights = outputs(trial.rng, y, 64)
            first, second = (np.einsum("ji,jk,ki->i", weights, part, weights, optimize=True) for part in (one, two))
            spread.append(np.cov(first, second)[0, 1] / (first.mean() * second.mean()))
        correlations.append(np.array(pairs))
        scatters.append(np.array(spread))
    for label, samples in (("mean square correlation of two nodes", correlations), ("scatter of Var_chi(Z)", scatters)):
        value, error = extrapolated(samples)
        yield measured(trial, label, value, error, 0.0, against=float(samples[0].mean()))
    row = rows(trial, network(2))["var_chi[2]"]
    yield measured(trial, "Var_chi(Z) of layer 3", row.value, row.error, row.theory, against=1.0)


@SECTION.holds(
    "E-Eq26",
    "Z ~ N(E(Y) S_w, Var(Y) sw2)",
    printed=r"f^{(\chi)}_{Z_i^{(l+1)}} = \mathcal N(z; \mathbb E(Y) S_w, \mathrm{Var}(Y) \sigma_w^2)",
    assumes="full batch, N, D -> infinity, nodes independent over the data",
)
def node_law() -> Iterator[Finding]:
    """Mean and variance are E-Eq24 and E-Eq25; the cumulants of order r >= 3 are kappa_r(Y) sum_j w_j^r.

    With w = sqrt(sw2/N) g they are of size N^(1 - r/2) at most: E|sum w^r| <= sw2^(r/2) E|g|^r N^(1 - r/2) -> 0.
    """
    bounds = {r: sp.sqrt(2**r / sp.pi) * sp.gamma(sp.Rational(r + 1, 2)) for r in range(3, 9)}  # E|g|^r
    for r, absolute in bounds.items():
        bound = absolute * SW2 ** sp.Rational(r, 2) * N ** (1 - sp.Rational(r, 2))
        yield identity(f"bound of cumulant {r} over kappa_{r}(Y)", sp.limit(bound, N, sp.oo), 0)
    yield identity("variance for ReLU", SW2 * rectified_cumulant(2), SW2 * NORMAL_VARIANCE)
    # the sum of N = 400 nodes with one set of weights, by inversion of its characteristic function
    rng = np.random.default_rng(26)
    w = rng.normal(0, np.sqrt(2 / 400), 400)
    k2, k3 = float(rectified_cumulant(2)), float(rectified_cumulant(3))
    k4 = float(rectified_cumulant(4))
    skewness = k3 * (w**3).sum() / (k2 * (w**2).sum()) ** 1.5
    excess = k4 * (w**4).sum() / (k2 * (w**2).sum()) ** 2
    yield shown("skewness at N = 400", abs(skewness) < 3 * 15**0.5 * k3 / k2**1.5 / 400, f"{skewness:.4f}")
    yield shown("excess kurtosis at N = 400", 0 < excess < 2 * 3 * k4 / k2**2 / 400, f"{excess:.4f}")


@SECTION.fails(
    "E-rem26",
    "identical to the output of a one-hidden-layer ReLU net without normalisation",
    counter_example="""
import math
import igbtheory as igb

with_norm = igb.mlp(1, "relu", norm="batch", placement="before").predict()  # sw2 = 2, inputs N(0, 1)
without = igb.mlp(1, "relu").predict()
assert math.isclose(with_norm.var_chi, 1 - 1 / math.pi, rel_tol=1e-12)
assert math.isclose(without.var_chi, 2 * (1 - 1 / math.pi), rel_tol=1e-12)
assert with_norm.var_chi != without.var_chi
""",
)
def remark_as_printed() -> Iterator[Finding]:
    """Without normalisation the ReLU sees Z ~ N(0, sw2 E X^2), not N(0, 1).

    With the paper's sw2 = 2 and inputs N(0, 1) the output's variances are twice those of Eq. 26. (A network that
    rectifies its N(0, 1) inputs themselves would be identical; a single hidden layer perceptron has a Dense first.)
    """
    q = sp.Integer(2)  # sw2 E X^2 in the paper's setting
    b = sp.Symbol("b", positive=True)
    density = sp.exp(-(b**2) / (2 * q)) / sp.sqrt(2 * sp.pi * q)
    mean, square = (sp.integrate(b**k * density, (b, 0, sp.oo)) for k in (1, 2))
    yield identity("Var_chi(O)/sw2 without and with normalisation", square - mean**2, NORMAL_VARIANCE)
    yield agree("predicted var_chi", igb.mlp(1, "relu").predict().var_chi, network(1).predict().var_chi)
    yield agree("predicted var_mu", igb.mlp(1, "relu").predict().var_mu, network(1).predict().var_mu)


@SECTION.corrects(
    "E-rem26",
    "for centred inputs both variances are those of the one-hidden-layer ReLU net without normalisation divided by "
    "sw2 E X^2; gamma and the law of G0 are identical, the outputs are where sw2 E X^2 = 1",
    assumes="inputs of mean 0, no biases",
)
def remark(trial: Trial) -> Iterator[Finding]:
    """ReLU is homogeneous: relu(sqrt(q) B) = sqrt(q) relu(B), q = sw2 E X^2, which scales the output by sqrt(q).

    Guesses do not see a common scale. Inputs with another mean give Z a mean of its own at every node; BatchNorm takes
    it away, the plain network does not, and gamma differs.
    """
    q, b = sp.symbols("q b", positive=True)
    density = sp.exp(-(b**2) / (2 * q)) / sp.sqrt(2 * sp.pi * q)
    mean, square = (sp.integrate(b**k * density, (b, 0, sp.oo)) for k in (1, 2))
    yield identity("mean without normalisation", mean, sp.sqrt(q) * NORMAL_MEAN)
    yield identity("variance without normalisation", square - mean**2, q * NORMAL_VARIANCE)
    yield identity("gamma without normalisation", mean**2 / (square - mean**2), NORMAL_MEAN**2 / NORMAL_VARIANCE)
    plain, normed = igb.mlp(1, "relu").predict(digits=30), network(4).predict(digits=30)
    with mpmath.workdps(30):
        yield agree("gamma of both, predicted", plain.gamma, normed.gamma, 25)
        yield agree("var_chi of both, predicted", plain.var_chi, 2 * normed.var_chi, 25)
    same = igb.mlp(1, "relu", sigma_w2=1.0).predict()
    yield agree("sw2 E X^2 = 1: the same output", same.var_chi, network(1).predict().var_chi / 2, 12)
    shifted = igb.GaussianInputs(shift=1.0)
    apart = [float(net.predict(shifted).gamma) for net in (igb.mlp(1, "relu"), network(1))]
    yield shown("inputs of mean 1 differ", apart[0] > 2 * apart[1], f"gamma {apart[0]:.4f} and {apart[1]:.4f}")
    row = rows(trial, igb.mlp(1, "relu"))["gamma[1]"]
    expected = float(1 / (sp.pi - 1))
    yield measured(trial, "gamma of networks without", row.value, row.error, expected, against=2 * expected)
