"""Initial guessing bias, section 4: the setting, theorem 4.1 and the definition of the bias.

One hidden layer of N units reads d components of a datum: h_j = sum_b w_jb xi_b, g_j = phi(h_j), O = sum_j w_j g_j. The
weights are centred, their variance is sigma_w^2 over the number of units read. Over the data (the weights W fixed) a
wide layer is Gaussian, O ~ N(mu, Var_chi); over the weights its centre mu = <O> is N(0, Var_W(mu)). Hence

    f_0(W) = P(O_0 > O_1) = Phi(Delta_mu / sqrt(2 Var_chi)) = Phi(sqrt(gamma) U),   gamma = Var_W(mu) / Var_chi,

with U ~ N(0, 1) over W, since Delta_mu = mu_0 - mu_1 has the variance 2 Var_W(mu).
"""

from collections.abc import Iterator
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Initial guessing bias, section 4: the setting, theorem 4.1 and the definition of the bias")

Array = NDArray[np.float64]
x, y, mu_0, mu_1 = sp.symbols("x y mu_0 mu_1", real=True)
s, g, u, t = sp.symbols("s gamma u t", positive=True)
RICHARDSON = np.array([1 / 3, -2, 8 / 3])  # of values at the widths N, 2N, 4N: errors are left of the order 1/N^3


def _density(point: Any, centre: Any, deviation: Any) -> Any:
    """Gaussian density."""
    return sp.exp(-((point - centre) ** 2) / (2 * deviation**2)) / (sp.sqrt(2 * sp.pi) * deviation)


def _cdf(point: Any) -> Any:
    """Phi, the Gaussian distribution function."""
    return (1 + sp.erf(point / sp.sqrt(2))) / 2


def _half_line() -> Iterator[Finding]:
    """Findings that the density of Delta_O ~ N(Delta_mu, 2 s^2) over x > 0 sums to Phi(Delta_mu/(sqrt(2) s))."""
    delta, deviation = sp.Symbol("Delta_mu", real=True), sp.sqrt(2) * s
    primitive = _cdf((x - delta) / deviation)
    yield identity("primitive of the density of Delta_O", sp.diff(primitive, x), _density(x, delta, deviation))
    rest = sp.limit(_cdf(u), u, sp.oo) - primitive.subs(x, 0)
    yield identity("its integral over x > 0", rest, _cdf(delta / deviation))


def _mean(right: Any, left: Any) -> Any:
    """E f(z), z ~ N(0, 1), of a polynomial f that is `right` for z > 0 and `left` for z < 0."""
    z = sp.Symbol("z", positive=True)
    return sp.integrate(sp.expand(right(z) + left(-z)) * _density(z, 0, 1), (z, 0, sp.oo))


def _wide(right: Any, left: Any) -> tuple[Any, Any, Any]:
    """Variance v of phi(z) over the data, its first Hermite coefficient a_1, and N times the excess kurtosis of O.

    See `outputs_are_gaussian`; the pre-activations have variance 1, which changes none of the ratios for ReLU.
    """
    m = _mean(right, left)
    v = _mean(lambda z: (right(z) - m) ** 2, lambda z: (left(z) - m) ** 2)
    fourth = _mean(lambda z: (right(z) - m) ** 4, lambda z: (left(z) - m) ** 4)
    a_1 = _mean(lambda z: right(z) * z, lambda z: left(z) * z)
    second = _mean(lambda z: (right(z) - m) ** 2 * (z**2 - 1), lambda z: (left(z) - m) ** 2 * (z**2 - 1))
    kappa = 3 * (fourth - v**2 + second**2 / 2 - 2 * v**2 - 2 * a_1**4)
    return sp.simplify(v), sp.simplify(a_1), sp.simplify(kappa / v**2)


def _relu() -> tuple[Any, Any, Any]:
    return _wide(lambda z: z, lambda _: sp.Integer(0))


def _outputs(rng: np.random.Generator, width: int, samples: int, nodes: int, *, linear: bool = False) -> Array:
    """Outputs of a network with one hidden layer, (samples, nodes): `width` input components, `width` hidden units."""
    return _deep(rng, 1, width, samples, nodes, linear=linear)


def _deep(rng: np.random.Generator, depth: int, width: int, samples: int, nodes: int, *, linear: bool = False) -> Array:
    """Outputs of a network with `depth` hidden ReLU layers, (samples, nodes)."""
    hidden = _hidden(rng, depth, width, samples, linear=linear)
    weights = rng.standard_normal((width, nodes), dtype=np.float32) * np.float32(np.sqrt(2 / width))
    return np.asarray(hidden @ weights, dtype=np.float64)


def _hidden(rng: np.random.Generator, depth: int, width: int, samples: int, *, linear: bool = False) -> Any:
    """Units of the last hidden layer, (samples, width); sigma_w^2 = 2, as many input components as units."""
    layer = rng.standard_normal((samples, width), dtype=np.float32)
    for _ in range(depth):
        layer = layer @ (rng.standard_normal((width, width), dtype=np.float32) * np.float32(np.sqrt(2 / width)))
        layer = layer if linear else np.maximum(layer, 0)
    return layer


def _ratio(numbers: list[tuple[float, float]]) -> tuple[float, float]:
    """Mean A over the networks, divided by the square of mean B, and its standard error."""
    top, bottom = np.array(numbers).T
    value = top.mean() / bottom.mean() ** 2
    influence = (top - top.mean()) / bottom.mean() ** 2 - 2 * value * (bottom - bottom.mean()) / bottom.mean()
    return float(value), float(influence.std(ddof=1) / np.sqrt(len(top)))


def _fourth_cumulant(outputs: Array) -> tuple[float, float]:
    """Unbiased fourth and second cumulant over the data (k-statistics), averaged over the nodes."""
    n = len(outputs)
    centred = outputs - outputs.mean(axis=0)
    m2, m4 = (centred**2).mean(axis=0), (centred**4).mean(axis=0)
    k4 = n**2 * ((n + 1) * m4 - 3 * (n - 1) * m2**2) / ((n - 1) * (n - 2) * (n - 3))
    return float(k4.mean()), float(m2.mean() * n / (n - 1))


def _line(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Value at infinite width of a straight line in 1/width through the values at N and 2N, and its error."""
    (first, e1), (second, e2) = values
    return 2 * second - first, float(np.hypot(2 * e2, e1))


def _parabola(values: list[tuple[float, float]]) -> tuple[float, float]:
    """Value at infinite width of a parabola in 1/width through the values at N, 2N and 4N, and its error."""
    numbers, errors = np.array(values).T
    return float(RICHARDSON @ numbers), float(np.sqrt(RICHARDSON**2 @ errors**2))


SECTION.undecided(
    "A-setup-data",
    "The components of the data are independent N(0, 1)",
    "a definition of the setting; every claim that needs it says so",
    printed=r"\xi_b^{(a)} \sim \mathcal{N}(0, 1)",
)
SECTION.undecided(
    "A-setup-w",
    "Weights are N(0, sigma_w^2/N_{l-1}), biases 0; Kaiming: sigma_w^2 = 2",
    "a definition of the setting",
    printed=r"w_{ij}^{(l)} \sim \mathcal{N}(0, \sigma_w^2 / N_{l-1})",
)
SECTION.undecided(
    "A-avg",
    "<x> is the average over the data at fixed weights, x with a bar the one over the weights",
    "a definition: the average over the data is taken first",
    printed=r"\langle x \rangle = E_\chi(x \mid W), \quad \bar x = E_W(x)",
)


@SECTION.holds(
    "A-Eq1",
    "For infinitely many data f_c(W) is the probability that O_c exceeds O_{1-c}, the integral of the density of the "
    "difference over the positive half line",
    printed=r"\lim_{D \to \infty} f_c(W) = P_\chi(O^{(c)} > O^{(1-c)} \mid W) = \int_0^\infty p(x \mid W)\, dx",
    assumes="two classes; the difference of the outputs has a density, so that there are no ties",
)
def fraction_is_a_probability(trial: Trial) -> Iterator[Finding]:
    """Given W the guesses on independent data are independent coins: the law of large numbers.

    The deviation of f_c from its limit has the variance p (1 - p)/D. Two data sets given to the same network differ by
    twice that; averaged over wide ReLU networks p (1 - p) is 1/4 - arcsin(1/pi)/(2 pi) (see A-selfav). The two forms
    of the probability are compared for two independent Gaussian outputs: a double integral against a single one.
    """
    yield from _half_line()
    with mp.workdps(30):
        centre_0, centre_1, deviation = mp.mpf("0.7"), mp.mpf("0.2"), mp.mpf("1.3")
        beyond = mp.quad(
            lambda o: mp.npdf(o, centre_1, deviation) * mp.ncdf((centre_0 - o) / deviation), [-9, -3, 0, 3, 9, 15]
        )
        yield agree("P(O_0 > O_1), a double integral", beyond, mp.ncdf((centre_0 - centre_1) / deviation / mp.sqrt(2)))
    expected = 0.25 - np.arcsin(1 / np.pi) / (2 * np.pi)
    samples, width = 500, 50
    squares = []
    for _ in range(trial.draws(3000)):
        outputs = _outputs(trial.rng, width, 2 * samples, 2)
        guesses = (outputs[:, 0] > outputs[:, 1]).reshape(2, samples)
        squares.append(samples * (guesses[0].mean() - guesses[1].mean()) ** 2 / 2)
    value, error = float(np.mean(squares)), float(np.std(squares) / np.sqrt(len(squares)))
    yield measured(
        trial, "D times the variance of f_0 over the data: p(1 - p)", value, error, expected, against=expected * samples
    )


@SECTION.holds(
    "A-Eq2",
    "f_0(W) is the integral of the density of Delta_O = O_0 - O_1 over the positive half line",
    printed=r"f_0(W) = \int_0^\infty p(\Delta_O = x \mid W)\, dx",
    assumes="infinitely many data",
)
def fraction_from_the_difference(trial: Trial) -> Iterator[Finding]:
    """A-Eq1 at c = 0. In infinite width the integral is known: f_0 = Phi(Delta_mu/sqrt(2 Var_chi)).

    That takes the two outputs to be uncorrelated over the data at fixed W. Their covariance w_0^T C w_1, C the
    covariance of the hidden units over the data, is zero only on average over W; its mean square is sigma_w^4 tr C^2
    / N^2. For ReLU (pre-activations of variance 1) tr C^2/N = v^2 + a_1^4: v the variance of a unit, and two units
    whose weights have the overlap rho ~ N(0, 1/N) have the covariance a_1^2 rho. So the correlation vanishes as
    N^{-1/2}, with N E cov^2/Var_chi^2 -> 1 + a_1^4/v^2.
    """
    k = sp.Symbol("k", real=True)
    apart = sp.exp(sp.I * k * mu_0 - (k * s) ** 2 / 2) * sp.exp(-sp.I * k * mu_1 - (k * s) ** 2 / 2)
    together = sp.exp(sp.I * k * (mu_0 - mu_1) - k**2 * (2 * s**2) / 2)
    yield identity("the characteristic function of Delta_O is that of N(Delta_mu, 2 Var_chi)", apart, together)
    yield from _half_line()
    v, a_1, _ = _relu()
    expected = sp.simplify(1 + a_1**4 / v**2)
    yield identity("N times the squared correlation of two outputs", expected, 1 + sp.pi**2 / (4 * (sp.pi - 1) ** 2))
    values = []
    for width in (40, 80):
        numbers = []
        for _ in range(trial.draws(1200)):
            halves = np.split(_outputs(trial.rng, width, 600, 6), 2)
            first, second = (np.cov(half.T) for half in halves)
            apart = ~np.eye(6, dtype=bool)
            numbers.append((width * (first * second)[apart].mean(), np.trace(first + second) / 12))
        values.append(_ratio(numbers))
    value, error = _line(values)
    yield measured(trial, "N E cov(O_0, O_1)^2/Var_chi^2, width to infinity", value, error, float(expected), against=0)


SECTION.undecided(
    "A-Dmu",
    "Delta_mu is the difference of the two centres",
    "a definition",
    printed=r"\Delta_\mu = \langle O^{(0)} \rangle - \langle O^{(1)} \rangle",
)


@SECTION.holds(
    "A-Thm4.1a / Eq3",
    "At fixed weights an output is Gaussian over the data: P_chi(O_c given W) -> N(<O_c>, Var_chi(O_c))",
    printed=r"P_\chi(O^{(c)} \mid W) \to \mathcal{N}(\langle O^{(c)} \rangle, \mathrm{Var}_\chi(O^{(c)}))",
    assumes="all widths and the input dimension go to infinity (the paper's l = 0, ..., L); centred Gaussian data",
)
def outputs_are_gaussian(trial: Trial) -> Iterator[Finding]:
    """Cumulants. With y_j = g_j - <g_j> and C = Cov_chi(y), the average over the output weights is

    E_w kappa_4(O) = 3 sigma_w^4 [ Var_chi(sum_j y_j^2/N) - 2 tr C^2/N^2 ].

    Both terms are sums over pairs of units. A unit with itself gives Var(y^2)/N and v^2/N. Two units whose weights
    overlap by rho, E rho = 0, E rho^2 = 1/d, give Cov(y_j^2, y_k^2) = sum_k b_k^2 rho^k and C_jk = a_1^2 rho + ...
    with the Hermite coefficients b_k of y^2. At d = N the excess kurtosis is therefore of the order 1/N:

    N E kappa_4/(E Var_chi)^2 -> 3 [Var(y^2) + b_2^2 - 2 v^2 - 2 a_1^4]/v^2.

    A linear network is Gaussian at any width, and the formula gives 0. The input dimension must grow too: with one
    component O = (w_+ max(xi, 0) + w_- max(-xi, 0)) is no Gaussian for however many units.
    """
    linear = _wide(lambda z: z, lambda z: z)[2]
    yield identity("linear network: no excess kurtosis", linear, 0)
    coefficient = _relu()[2]
    m2 = 1 / (2 * sp.pi)
    v = sp.Rational(1, 2) - m2
    fourth = sp.Rational(3, 2) - 8 * m2 + 6 * m2 / 2 - 3 * m2**2
    by_hand = 3 * (fourth - 3 * v**2 + (1 - 2 * m2) ** 2 / 2 - sp.Rational(1, 8)) / v**2
    yield identity("ReLU network: N times the excess kurtosis", coefficient, by_hand)
    values = []
    for width in (50, 100):
        found = [_fourth_cumulant(_outputs(trial.rng, width, 1200, 20)) for _ in range(trial.draws(300))]
        values.append(_ratio([(width * fourth, second) for fourth, second in found]))
    value, error = _line(values)
    yield measured(trial, "N times the excess kurtosis, one ReLU layer", value, error, float(coefficient), against=0)
    deep = []
    for width in (25, 50, 100):
        found = [_fourth_cumulant(_deep(trial.rng, 3, width, 1000, 20)) for _ in range(trial.draws(160))]
        deep.append(_ratio(found))
    value, error = _parabola(deep)
    yield measured(trial, "excess kurtosis, three layers, width to infinity", value, error, 0.0, against=deep[0][0])
    p, q = sp.symbols("p q", real=True)
    m, third = 1 / sp.sqrt(2 * sp.pi), 2 / sp.sqrt(2 * sp.pi)
    moments = [(p**k + q**k) * e for k, e in ((1, m), (2, sp.Rational(1, 2)), (3, third), (4, sp.Rational(3, 2)))]
    m_1, m_2, m_3, m_4 = moments
    kappa = m_4 - 4 * m_3 * m_1 - 3 * m_2**2 + 12 * m_2 * m_1**2 - 6 * m_1**4
    even = {1: 0, 2: 1, 3: 0, 4: 3}
    averaged = sum(
        c * even.get(i, 1) * even.get(j, 1) for (i, j), c in sp.Poly(sp.expand(kappa), p, q).terms()
    )  # the weights on either side of 0 are independent N(0, 1) in infinite width
    yield shown(
        "one input component, infinitely many units: a fourth cumulant is left",
        abs(float(averaged)) > 0.1,
        f"E kappa_4 = {float(averaged):.6f}: the input dimension, l = 0, has to go to infinity as well",
    )


@SECTION.holds(
    "A-Thm4.1b",
    "The variance over the data of an output goes, with high probability, to a value that does not depend on the "
    "weights",
    printed=r"\mathrm{Var}_\chi(O^{(c)}) \to \text{a constant}",
    assumes="width to infinity at fixed depth",
)
def variance_over_the_data_concentrates(trial: Trial) -> Iterator[Finding]:
    """Var_chi = w^T C w. Over the output weights its variance is 2 sigma_w^4 tr C^2/N^2, of the order 1/N.

    The rest, the variance of its mean sigma_w^2 tr C/N over the hidden weights, is an average over N units and, in the
    first layer, of the order 1/(N d). So N Var_W(Var_chi)/(E Var_chi)^2 -> 2 (1 + a_1^4/v^2) for one ReLU layer, and
    Chebyshev gives the convergence in probability. With three layers the relative variance is extrapolated to 0.
    """
    v, a_1, _ = _relu()
    expected = 2 * (1 + a_1**4 / v**2)
    yield identity(
        "N times the relative variance of Var_chi", sp.simplify(expected), 2 + sp.pi**2 / (2 * (sp.pi - 1) ** 2)
    )
    rows: list[tuple[float, float]] = []
    for depth, width in ((1, 40), (1, 80), (3, 20), (3, 40), (3, 80)):
        numbers = []
        for _ in range(trial.draws(900)):
            first, second = (half.var(axis=0, ddof=1) for half in np.split(_deep(trial.rng, depth, width, 400, 8), 2))
            numbers.append((width * (first * second).mean(), (first + second).mean() / 2))
        value, error = _ratio(numbers)
        rows.append((value - width, error))
    value, error = _line(rows[:2])
    yield measured(trial, "N Var(Var_chi)/(E Var_chi)^2, width to infinity", value, error, float(expected), against=0)
    deep = [(value / width, error / width) for (value, error), width in zip(rows[2:], (20, 40, 80), strict=True)]
    value, error = _parabola(deep)
    yield measured(trial, "the same without the N, three layers", value, error, 0.0, against=deep[0][0])


@SECTION.holds(
    "A-Thm4.1c / Eq4",
    "The centre <O_c> is N(0, Var_W(<O_c>)) over the weights",
    printed=r"P_W(\langle O^{(c)} \rangle) \to \mathcal{N}(0, \mathrm{Var}_W(\langle O^{(c)} \rangle))",
    assumes="width to infinity",
)
def centres_are_gaussian(trial: Trial) -> Iterator[Finding]:
    """<O> = sum_j w_j <g_j>: Gaussian given the hidden weights, with the variance S = sigma_w^2 sum <g_j>^2/N.

    The excess kurtosis is 3 Var(S)/(E S)^2. In one ReLU layer <g_j>^2 = sigma_w^2 |w_j|^2/(2 pi d), so S is a
    chi-squared variable of n = N d degrees and the kurtosis is 6/(N d) at every width. With two layers it is of the
    order 1/N. The moments of S are products over disjoint quarters of the data, free of bias.
    """
    n = sp.Symbol("n", positive=True)
    second, first = (2**k * sp.gamma(n / 2 + k) / sp.gamma(n / 2) for k in (2, 1))
    kurtosis = sp.gammasimp(3 * second / first**2 - 3)
    yield identity("one ReLU layer: excess kurtosis of the centre", kurtosis, 6 / n)
    yield identity("its limit", sp.limit(6 / n, n, sp.oo), 0)
    deep = []
    for width in (8, 16, 32):
        numbers = []
        for _ in range(trial.draws(5000)):
            parts = _hidden(trial.rng, 2, width, 400).reshape(4, 100, width).mean(axis=1)
            first, second = (parts[0] * parts[1]).mean(), (parts[2] * parts[3]).mean()
            numbers.append((3 * float(first * second), float(first + second) / 2))
        value, error = _ratio(numbers)
        deep.append((value - 3, error))
    value, error = _parabola(deep)
    yield measured(trial, "excess kurtosis, two layers, width to infinity", value, error, 0.0, against=deep[0][0])


SECTION.undecided(
    "A-Thm4.1-range",
    "The limit takes N_l to infinity for every l in {0, ..., L}, l = 0 being the input dimension",
    "a convention; that l = 0 is needed is shown under A-Thm4.1a / Eq3",
)


@SECTION.holds(
    "A-PSB",
    "Where the centres differ between the output nodes, the symmetry under permutations of the nodes is broken in each "
    "network and kept on average over the networks",
    assumes="the weights of the nodes are independent and alike",
)
def symmetry_is_broken_in_each_network(trial: Trial) -> Iterator[Finding]:
    """Two nodes of one law over the data have one centre; so different centres break the symmetry.

    Over the weights all nodes are alike: each centre is N(0, Var_W(mu)), with Var_W(mu) = 2/pi for one ReLU layer at
    every width (sigma_w^2 = 2, <g_j>^2 = sigma_w^2 |w_j|^2/(2 pi d)). The difference of the centres of two nodes of
    one network has twice that variance; in a linear network it is zero.
    """
    m = _mean(lambda z: z, lambda _: sp.Integer(0))
    yield identity("Var_W(mu) of ReLU, sigma_w^2 = 2", 2 * 2 * m**2, 2 / sp.pi)
    for linear, expected, against in ((False, 2 / np.pi, 0.0), (True, 0.0, 2 / np.pi)):
        name = "linear" if linear else "ReLU"
        squares, centres = [], []
        for _ in range(trial.draws(1200)):
            halves = [half.mean(axis=0) for half in np.split(_outputs(trial.rng, 40, 300, 2, linear=linear), 2)]
            squares.append((halves[0][0] - halves[0][1]) * (halves[1][0] - halves[1][1]) / 2)
            centres.append(halves[0])
        size = np.sqrt(len(squares))
        yield measured(
            trial,
            f"{name}: half the squared distance of two centres of one network",
            float(np.mean(squares)),
            float(np.std(squares) / size),
            expected,
            against,
        )
        mean, error = np.mean(centres, axis=0), np.std(centres, axis=0) / size
        for c in range(2):
            yield measured(trial, f"{name}: mean of centre {c} over the networks", float(mean[c]), float(error[c]), 0.0)


@SECTION.holds(
    "A-Eq5",
    "Where Var_W(mu) is much smaller than Var_chi(O), both classes have the probability 1/2",
    printed=r"P_\chi(\Delta_O > 0 \mid W) \simeq 1/2",
    assumes="Var_W(mu)/Var_chi -> 0",
)
def no_bias_limit() -> Iterator[Finding]:
    """f_0 = Phi(sqrt(gamma) U) tends to Phi(0) for every U, and |f_0 - 1/2| <= sqrt(gamma) |U|/sqrt(2 pi)."""
    share = _cdf(sp.sqrt(g) * u)
    yield identity("limit of f_0 as gamma -> 0", sp.limit(share, g, 0), sp.Rational(1, 2))
    slope = sp.sqrt(g) / sp.sqrt(2 * sp.pi)
    yield identity("its first order in U", sp.diff(share, u).subs(u, 0), slope)
    law = igb.mlp(1).predict().G0
    yield shown("gamma = 0.467 is not yet there", law.std() > 0.2, f"one ReLU layer: f_0 spreads by {law.std():.4f}")
    with mp.workdps(30):
        small = mp.mpf(10) ** -8
        variance = mp.quad(lambda z: mp.npdf(z) * (mp.ncdf(mp.sqrt(small) * z) - 0.5) ** 2, [-12, -4, 0, 4, 12])
        yield agree("variance of f_0 at gamma = 1e-8 is gamma/(2 pi)", variance, small / (2 * mp.pi), 7)


@SECTION.holds(
    "A-deep",
    "Where Var_W(mu) is much larger than Var_chi(O), P(O_0 > O_1 given W) is 1 or 0, as <O_0> > <O_1> or not",
    printed=r"P_\chi(O^{(0)} > O^{(1)} \mid W) \simeq 1",
    assumes="Var_W(mu)/Var_chi -> infinity",
)
def deep_bias_limit() -> Iterator[Finding]:
    """f_0 = Phi(sqrt(gamma) U) tends to 1 for U > 0 and to 0 for U < 0; U = 0 has the probability 0."""
    yield identity("limit for U > 0", sp.limit(_cdf(sp.sqrt(g) * u), g, sp.oo), 1)
    yield identity("limit for U < 0", sp.limit(_cdf(-sp.sqrt(g) * u), g, sp.oo), 0)
    with mp.workdps(30):
        large = mp.mpf(10) ** 8
        inside = 2 * mp.ncdf(mp.sqrt(2) * mp.erfinv(mp.mpf("0.8")) / mp.sqrt(large)) - 1
        yield shown("gamma = 1e8", inside < 2e-4, f"f_0 is between 0.1 and 0.9 with probability {mp.nstr(inside, 6)}")


@SECTION.fails(
    "A-Def4.2 / Eq6",
    "IGB is absent if and only if the limit of f_c(W) is 1/N_C for all classes c (given a W; no limit of the width)",
    printed=r"\lim_{D \to \infty} f_c(W) = \frac{1}{N_C} \quad \forall c",
    counter_example="""
import numpy as np
# a linear network has no IGB (theorem 5.1); with three classes and any finite width f_c is not 1/3 for infinite data
rng = np.random.default_rng(0)
d = 20
W = rng.standard_normal((3, d)) / d**0.5
G = np.array([[(W[c] - W[a]) @ (W[c] - W[b]) for a in range(3) for b in range(3)] for c in range(3)]).reshape(3, 3, 3)
f = []
for c in range(3):
    a, b = (c + 1) % 3, (c + 2) % 3
    r = G[c, a, b] / (G[c, a, a] * G[c, b, b]) ** 0.5
    f.append(0.25 + np.arcsin(r) / (2 * np.pi))  # P(O_c > O_a, O_c > O_b) of Gaussian outputs, exact
assert abs(sum(f) - 1) < 1e-12
assert max(abs(x - 1 / 3) for x in f) > 0.005
""",
)
def definition_without_width(trial: Trial) -> Iterator[Finding]:
    """A definition is not true or false; what is tested is whether it means by IGB what the paper means by it.

    For two classes and a linear network it does: f_0 = 1/2 for every W. For three it does not at any finite width.
    The outputs are then O = M xi with a 3 x 3 covariance M M^T that is proportional to 1 only on average over W, and

        f_0 = P(O_0 > O_1, O_0 > O_2) = 1/4 + arcsin(r)/(2 pi),   r = corr(O_0 - O_1, O_0 - O_2) = 1/2 + O(N^{-1/2}),

    is 1/3 for r = 1/2 only. Almost every linear network would so be called biased, and the disproportion would be a
    finite size effect of the width. The mean square of f_0 - 1/3 below is a limit D -> infinity, computed exactly.
    """
    squares = _linear_disproportion(trial, 20, trial.draws(4000))
    yield measured(
        trial,
        "linear network, 20 inputs, 3 classes: mean of (f_0 - 1/3)^2",
        float(squares.mean()),
        float(squares.std() / np.sqrt(len(squares))),
        0.0,
    )


def _linear_disproportion(trial: Trial, dimension: int, count: int) -> Array:
    """(f_0 - 1/3)^2 of linear networks with three classes, for infinitely many Gaussian data."""
    rows = trial.rng.standard_normal((count, 3, dimension)) / np.sqrt(dimension)
    first, second = rows[:, 0] - rows[:, 1], rows[:, 0] - rows[:, 2]
    r = (first * second).sum(axis=1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    return np.asarray((0.25 + np.arcsin(r) / (2 * np.pi) - 1 / 3) ** 2)


@SECTION.corrects(
    "A-Def4.2 / Eq6",
    "In the limit of infinite width, and for almost every W, the limit of f_c(W) is 1/N_C for all c if and only if "
    "gamma = 0; for two classes and an antisymmetric network also at every finite width",
    right=r"\lim_{D \to \infty} \lim_{N \to \infty} f_c(W) = \frac{1}{N_C} \iff \gamma = 0",
)
def definition_with_width(trial: Trial) -> Iterator[Finding]:
    """At gamma = 0 the outputs are independent N(0, Var_chi), so each is the largest with probability 1/N_C.

    At gamma > 0 the centres differ with probability 1; for two classes f_0 = Phi(sqrt(gamma) U) = 1/2 only at U = 0.
    The disproportion of the linear network with three classes vanishes as 1/N in the mean square:
    d f_0/d r = 1/(2 pi sqrt(1 - r^2)) and N Var(r) -> (1 - r^2)^2 at r = 1/2, so N E (f_0 - 1/3)^2 -> 3/(16 pi^2).
    """
    r = sp.Symbol("r", positive=True)
    share = sp.Rational(1, 4) + sp.asin(r) / (2 * sp.pi)
    yield identity("three alike independent outputs", share.subs(r, sp.Rational(1, 2)), sp.Rational(1, 3))
    slope = sp.diff(share, r) ** 2 * (1 - r**2) ** 2
    limit = slope.subs(r, sp.Rational(1, 2))
    yield identity("N E (f_0 - 1/3)^2", limit, 3 / (16 * sp.pi**2))
    yield identity("f_0 = 1/2 only at U = 0: f_0 grows with U", sp.diff(_cdf(sp.sqrt(g) * x), x), sp.sqrt(g) * _slope())
    values = []
    for width in (50, 100):
        squares = width * _linear_disproportion(trial, width, trial.draws(40000))
        values.append((float(squares.mean()), float(squares.std() / np.sqrt(len(squares)))))
    value, error = _line(values)
    yield measured(trial, "the same, simulated", value, error, float(limit), against=0)


def _slope() -> Any:
    return sp.exp(-g * x**2 / 2) / sp.sqrt(2 * sp.pi)


SECTION.undecided(
    "A-IGBdef2",
    "There is IGB if the f_c are disproportionate even for infinitely many data",
    "a definition; see A-Def4.2 / Eq6 for the finite width it leaves out",
)


@SECTION.holds(
    "A-dist",
    "Increasing IGB leads to points uniformly moving away from decision boundaries",
    printed=r"\frac{\partial}{\partial \gamma} P(|\Delta_O| \le t \sqrt{2 \mathrm{Var}_\chi}) < 0 \quad \forall t > 0",
    assumes="Gaussian outputs; distances in units of the spread of Delta_O over the data",
)
def points_move_away() -> Iterator[Finding]:
    """Read as: for every distance t, fewer points lie within t of the boundary Delta_O = 0.

    In units of its spread, Delta_O = a + z with a = sqrt(gamma) U and z ~ N(0, 1) over the data. Given the network,

        d/da P(|a + z| <= t) = -sqrt(2/pi) exp(-(t^2 + a^2)/2) sinh(t a) < 0   for every t, a > 0,

    and over the networks |a + z| is distributed as |N(0, 1 + gamma)|. (The unit matters: with Kaiming weights the
    variance 2 (Var_W + Var_chi) of Delta_O itself does not depend on the depth. And single points on the side of the
    disfavoured class first come nearer, as the whole cloud is shifted across the boundary.)
    """
    a = sp.Symbol("a", positive=True)
    inside = _cdf(t - a) - _cdf(-t - a)
    slope = -sp.sqrt(2 / sp.pi) * sp.exp(-(t**2 + a**2) / 2) * sp.sinh(t * a)
    yield identity(
        "share within t of the boundary, one network",
        sp.expand(sp.diff(inside, a).rewrite(sp.exp)),
        sp.expand(slope.rewrite(sp.exp)),
    )
    mixed = sp.erf(t / sp.sqrt(2 * (1 + g)))
    slope = -t * sp.exp(-(t**2) / (2 * (1 + g))) / (sp.sqrt(2 * sp.pi) * (1 + g) ** sp.Rational(3, 2))
    yield identity("and over the networks", sp.diff(mixed, g), slope)
    with mp.workdps(30):
        gamma, reach = mp.mpf("0.7"), mp.mpf("0.4")
        root = mp.sqrt(gamma)
        share = mp.quad(
            lambda z: mp.npdf(z) * (mp.ncdf(reach - root * z) - mp.ncdf(-reach - root * z)), [-14, -6, -2, 0, 2, 6, 14]
        )
        yield agree("gamma = 0.7, t = 0.4", share, mp.erf(reach / mp.sqrt(2 * (1 + gamma))), 20)


@SECTION.holds(
    "A-1stlayer",
    "Regardless of the activation, in the first hidden layer the symmetry is not broken: its pre-activations are "
    "identically distributed",
    assumes="data centred at 0; the input dimension goes to infinity",
)
def first_layer_is_symmetric(trial: Trial) -> Iterator[Finding]:
    """h_i = sum_b w_ib xi_b is, at fixed weights, exactly N(0, sum_b w_ib^2): no centre differs, at any dimension.

    The variances of the nodes do differ at a finite dimension d: sum_b w_ib^2 is sigma_w^2 chi^2_d/d, of variance
    2 sigma_w^4/d. They agree in the limit d -> infinity, which theorem 4.1 takes (its l = 0); without that limit the
    pre-activations have a common centre, and not a common law.
    """
    w = sp.symbols("w1:4", real=True)
    k = sp.Symbol("k", real=True)
    characteristic = sp.prod(sp.exp(-((wb * k) ** 2) / 2) for wb in w)
    yield identity("characteristic function of h_i", characteristic, sp.exp(-sum(wb**2 for wb in w) * k**2 / 2))
    yield identity("centre of h_i", sp.diff(characteristic, k).subs(k, 0) / sp.I, 0)
    d = sp.Symbol("d", positive=True)
    spread = sp.gammasimp(4 * sp.gamma(d / 2 + 2) / sp.gamma(d / 2) / d**2 - 1)
    yield identity("relative variance of Var_chi(h_i)", spread, 2 / d)
    yield identity("its limit", sp.limit(2 / d, d, sp.oo), 0)
    for name in ("relu", "sigmoid", "x**2", "exp(x/4)"):
        gamma = float(igb.mlp(1, name).predict().per_layer.gamma[0])
        yield agree(f"gamma of the first layer, {name}", gamma, 0.0)
    draws = (trial.rng.standard_normal((trial.draws(20000), 50)) ** 2).mean(axis=1) - 1
    squares = draws**2
    yield measured(
        trial,
        "d = 50: relative variance of Var_chi(h_i)",
        float(squares.mean()),
        float(squares.std() / np.sqrt(len(squares))),
        2 / 50,
        against=0,
    )


@SECTION.fails(
    "A-depthIGB",
    "Propagating from a layer with broken symmetry to the next increases the difference between the distributions of "
    "the nodes; depth does not initiate IGB but amplifies it",
    printed=r"\gamma_{l} > 0 \Rightarrow \gamma_{l+1} > \gamma_l, \quad \gamma_2 = 0 \Rightarrow \gamma_l = 0",
    counter_example="""
from math import asin, pi, sqrt
# 1. depth does not amplify: phi = erf, sigma_w^2 = 2, no biases, inputs of mean 1 and variance 1, so c = 1/2
def erf_layer(q_aa, q_ab):  # E erf(h_a) erf(h_b) = (2/pi) arcsin(2 q_ab/(1 + 2 q_aa)) (Williams)
    return 2 * 2 / pi * asin(2 * q_aa / (1 + 2 * q_aa)), 2 * 2 / pi * asin(2 * q_ab / (1 + 2 * q_aa))
q, gammas = (4.0, 2.0), []
for _ in range(4):
    gammas.append(q[1] / (q[0] - q[1]))
    q = erf_layer(*q)
assert gammas[0] > gammas[1] > gammas[2] > gammas[3] > 0
# 2. depth does initiate: phi = max(x, 0) - 1/sqrt(pi) has no bias in a network of one layer, and has it with two
mean = lambda q: sqrt(q / (2 * pi)) - 1 / sqrt(pi)  # <phi(h)>, h ~ N(0, q)
assert abs(mean(2.0)) < 1e-15             # Var_W(mu) = 2 mean^2 = 0 behind the first layer
assert mean(2 * (1 - 1 / pi)) ** 2 > 0.009  # q of the second layer: Var_W(mu) > 0 behind it
""",
)
def depth_amplifies() -> Iterator[Finding]:
    """The next layer's correlation is c' = K(c)/K(1), K(t) = E phi(u) phi(v) of normal u, v of correlation t.

    Nothing makes c' exceed c in general: that is so where c = 1 is the only stable point, as in the ordered phase. With
    zero biases, centred data and sigma_w^2 = 2, all as in the paper, phi = sin 2x + x^2/(1 + x^2) breaks the symmetry
    behind its first layer and gamma then falls with depth, to a limit; inputs off centre do the same for erf.
    """
    gamma = igb.mlp(6, "sin(2*x)+x**2/(1+x**2)").predict().per_layer.gamma
    text = ", ".join(f"{value:.5f}" for value in gamma)
    yield shown("sin 2x + x^2/(1 + x^2), centred data: gamma increases", bool(np.all(np.diff(gamma) > 0)), text)
    gamma = igb.mlp(4, "erf").predict(igb.GaussianInputs(shift=1.0)).per_layer.gamma
    text = ", ".join(f"{value:.5f}" for value in gamma)
    yield shown("erf, inputs of mean 1: gamma increases", bool(np.all(np.diff(gamma) > 0)), text)
    gamma = igb.mlp(2, "max(x,0)-1/sqrt(pi)").predict().per_layer.gamma
    text = ", ".join(f"{value:.5f}" for value in gamma)
    yield shown("shifted ReLU: two layers have no bias where one has none", gamma[2] < 1e-6, text)


@SECTION.corrects(
    "A-depthIGB",
    "Without biases, ReLU (or any non-linear positively homogeneous activation) increases gamma at every layer, and an "
    "odd activation keeps gamma = 0 on centred data; for other activations depth may weaken the bias or initiate it",
    right=r"\text{ReLU: } \gamma_{l+1} > \gamma_l; \quad \phi(-x) = -\phi(x): \gamma_l = 0",
    assumes="zero biases, infinite width",
)
def depth_amplifies_homogeneous() -> Iterator[Finding]:
    """A homogeneous phi has one map c' = K(c) for all variances; normalised, K(c) = sum a_k^2 c^k with sum a_k^2 = 1.

    K is convex, K(1) = 1, and phi = p max(x, 0) - m max(-x, 0) has K'(1) = E phi'^2/E phi^2 = 1; so K(c) > c below
    c = 1 unless K is a straight line: phi linear, p = m. ReLU: K(c) - c has the slope -arccos(c)/pi < 0 and ends at 0.
    For an odd phi a_0 = 0 and K(0) = 0.
    """
    c, p, m = sp.Symbol("c", positive=True), sp.Symbol("p", positive=True), sp.Symbol("m", positive=True)
    kappa = (sp.sqrt(1 - c**2) + c * (sp.pi - sp.acos(c))) / sp.pi
    yield identity("ReLU: slope of K(c) - c", sp.diff(kappa - c, c), -sp.acos(c) / sp.pi)
    yield identity("ReLU: K(1)", kappa.subs(c, 1), 1)
    # E phi(u) phi(v): max(u, 0) max(v, 0) has kappa/2, max(u, 0) max(-v, 0) has kappa(-c)/2 = (kappa - c)/2
    homogeneous = ((p**2 + m**2) * kappa / 2 - p * m * (kappa - c)) / ((p**2 + m**2) / 2)
    gain = (p - m) ** 2 / (p**2 + m**2)
    yield identity("homogeneous: K(c) - c", homogeneous - c, gain * (kappa - c))
    q = sp.Symbol("q", positive=True)
    odd = 2 / sp.pi * sp.asin(2 * q * c / (1 + 2 * q))
    yield identity("erf: K(0)", odd.subs(c, 0), 0)
    for name in ("relu", "leaky_relu"):
        gamma = igb.mlp(30, name).predict().per_layer.gamma
        yield shown(
            f"{name}, 30 layers", bool(np.all(np.diff(gamma) > 0)), ", ".join(f"{value:.4f}" for value in gamma[::6])
        )
    gamma = igb.mlp(30, "tanh").predict().per_layer.gamma
    yield shown("tanh, 30 layers", not np.any(gamma), f"the largest gamma is {gamma.max():g}")
