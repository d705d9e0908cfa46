"""Where you place the norm, appendix E.2: BatchNorm behind ReLU.

Every hidden layer is Dense, ReLU, BatchNorm. A pre-activation Z ~ N(0, sigma_w^2) gives Y = max(Z, 0) with mean a and
standard deviation alpha over the data; BatchNorm makes B = (Y - a)/alpha of it, and the next Dense

    Z' = sum_j w_j B_j,   E_chi Z' = sum_j w_j E B_j = 0,   Var_chi Z' -> sigma_w^2 E B^2 = sigma_w^2.

So Z' has the law of Z, layer by layer, and no centre differs from another: gamma = 0. With a batch of n data the sum
of B over the batch vanishes, so that the centres vanish exactly; the variance of B is 1 unless the whole batch is
rectified to zero.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Where you place the norm, appendix E.2: BatchNorm behind ReLU")

s, t = sp.symbols("sigma_w t", positive=True)
n, N, D = sp.symbols("n N D", positive=True, integer=True)
b = sp.Symbol("b", real=True)
y = sp.Symbol("y", positive=True)
MEAN = s / sp.sqrt(2 * sp.pi)
DEVIATION = s * sp.sqrt((sp.pi - 1) / (2 * sp.pi))
ATOM = -1 / sp.sqrt(sp.pi - 1)  # -a/alpha: where BatchNorm puts the data that ReLU has cut off


def _density(point: Any, centre: Any, variance: Any) -> Any:
    """Gaussian density."""
    return sp.exp(-((point - centre) ** 2) / (2 * variance)) / sp.sqrt(2 * sp.pi * variance)


@cache
def _half_moment(power: int) -> Any:
    """Integral over y > 0 of y^power N(y; 0, sigma_w^2)."""
    return sp.integrate(y**power * _density(y, 0, s**2), (y, 0, sp.oo))


def _over_half(function: Any) -> Any:
    """Integral over y > 0 of a function times N(y; 0, sigma_w^2), a polynomial term by term."""
    if function.is_polynomial(y):
        return sum(factor * _half_moment(k) for (k,), factor in sp.Poly(function, y).terms())
    return sp.integrate(function * _density(y, 0, s**2), (y, 0, sp.oo))


def _rectified(function: Any) -> Any:
    """E f(Y) under the law of Eq. 69: half the mass at 0, the rest Gaussian on the positive half line."""
    return function.subs(y, 0) / 2 + _over_half(function)


def _wide(
    trial: Trial, network: igb.Network, number: int, samples: int, against: dict[str, float]
) -> Iterator[Finding]:
    """Rows of the comparison of finite networks with the prediction, extrapolated to infinite width."""
    simulation = network.simulate(trial.draws(number), 32, samples, trial.seed, workers=1)
    for row in simulation.compare(workers=1).rows:
        if row.name in against:
            label = f"{row.name}, width to infinity, {samples} data"
            yield measured(trial, label, row.value, row.error, row.theory, against[row.name])


@SECTION.holds(
    "E-ThmE.2 / Eq62-63",
    "ReLU, then BatchNorm over all data: an output is N(0, sigma_w^2) over the data at any depth, and the law of its "
    "centre collapses to a delta function at 0",
    printed=r"f_{O_c}(o) \to \mathcal{N}(o; 0, \sigma_w^2), \qquad f_{\mu_c}(m) \to \delta(m)",
    assumes="full batch; widths, input dimension and number of data to infinity at fixed depth",
)
def balanced_outputs(trial: Trial) -> Iterator[Finding]:
    """The moments of B follow from those of Y, whatever variance enters; the next layer starts from the same law.

    With D data BatchNorm makes sum_a B_a = 0 and sum_a B_a^2 = D, so that two data have E B_a B_b = -1/(D - 1) and the
    mean of an output over the data is 0 exactly. Its law over the data is Gaussian: with y_j = B_j and C their
    covariance over the data the mean fourth cumulant is 3 sigma_w^4 [Var_chi(sum_j y_j^2/N) - 2 tr C^2/N^2]. A unit
    with itself gives Var(y^2) and 1; two units whose weights overlap by rho, E rho^2 = 1/N, give b_2^2 rho^2/2! and
    a_1^4 rho^2, hence the excess kurtosis is a constant over N.
    """
    first = _rectified((y - MEAN) / DEVIATION)
    second = _rectified(((y - MEAN) / DEVIATION) ** 2)
    yield identity("E B = 0: no centre", sp.simplify(first), 0)
    yield identity("E Z'^2 = sigma_w^2 E B^2 = sigma_w^2", s**2 * sp.simplify(second), s**2)
    pair = sp.solve(sp.Eq(D * 1 + D * (D - 1) * b, 0), b)[0]
    yield identity("E B_a B_b from (sum_a B_a)^2 = 0", pair, -1 / (D - 1))
    yield identity("it vanishes for infinitely many data", sp.limit(pair, D, sp.oo), 0)
    fourth = _rectified(((y - MEAN) / DEVIATION) ** 4).subs(s, 1)
    # E B^2 (z^2 - 1) = sqrt(2) b_2; the negative z, where B is constant, give 0
    root2_b_2 = _over_half(((y - MEAN) / DEVIATION) ** 2 * ((y / s) ** 2 - 1)).subs(s, 1)
    a_1 = sp.Rational(1, 2) / DEVIATION.subs(s, 1)
    coefficient = sp.simplify(3 * (fourth - 1 + root2_b_2**2 / 2 - 2 - 2 * a_1**4))
    detail = f"N times the excess kurtosis tends to {sp.sstr(coefficient)} = {float(coefficient):.4f}"
    yield shown("the coefficient of 1/N is finite", coefficient.is_finite, detail)
    yield identity("excess kurtosis of an output for N to infinity", sp.limit(coefficient / N, N, sp.oo), 0)
    for depth in (1, 6):
        prediction = igb.mlp(depth, "relu", norm="batch", placement="after", sigma_w2=1.5).predict(digits=30)
        yield agree(f"Var_chi(O), depth {depth}", prediction.var_chi, mp.mpf("1.5"), 28)
        yield agree(f"1 + Var_W(mu), depth {depth}", 1 + prediction.var_mu, 1, 28)
    network = igb.mlp(3, "relu", norm="batch", placement="after", sigma_w2=1.5)
    relu = igb.mlp(3, "relu", sigma_w2=1.5).predict()
    against = {"var_mu[3]": float(relu.var_mu), "var_chi[3]": float(relu.var_chi)}
    yield from _wide(trial, network, 200, 400, against)


@SECTION.holds(
    "E-Eq64",
    "Induction: Z^(1) is N(0, sigma_w^2), and if Z^(l) is, so is Z^(l+1)",
    printed=r"f_{Z^{(l)}}(z) = \mathcal{N}(z; 0, \sigma_w^2) \Rightarrow "
    r"f_{Z^{(l+1)}}(z) = \mathcal{N}(z; 0, \sigma_w^2)",
    assumes="full batch, widths to infinity (the paper prints 1+1 for l+1)",
)
def induction() -> Iterator[Finding]:
    """Base: d E w^2 = sigma_w^2. Step: E B = 0 and E B^2 = 1 under Eq. 69, so the two moments come back.

    The base says more than is needed: the step gives the same for any variance v of Z^(l).
    """
    d = sp.Symbol("d", positive=True, integer=True)
    yield identity("base: sum_j E w_j^2 Var X_j", sp.Sum(s**2 / d, (sp.Symbol("j"), 1, d)).doit(), s**2)
    yield identity("step: E B", sp.simplify(_rectified((y - MEAN) / DEVIATION)), 0)
    yield identity("step: sigma_w^2 E B^2", s**2 * sp.simplify(_rectified(((y - MEAN) / DEVIATION) ** 2)), s**2)
    v = sp.Symbol("v", positive=True)
    mean, square = (_rectified(y**k).subs(s, sp.sqrt(v)) for k in (1, 2))
    yield identity("step from any variance v", (square - mean**2) / DEVIATION.subs(s, sp.sqrt(v)) ** 2, 1)


@SECTION.holds(
    "E-Eq65-68",
    "Z^(1) = sum_{j=1}^D w_ij X_j has mean 0 and variance D sigma_w^2/D = sigma_w^2 over the data and is Gaussian",
    printed=r"\mathrm{Var}_\chi(Z_i^{(1)}) = \sum_j w_{ij}^2 \mathrm{Var}_\chi(X_j) = "
    r"D \frac{\sigma_w^2}{D} = \sigma_w^2",
    assumes="D is here the input dimension (elsewhere the number of data), and goes to infinity",
)
def first_layer(trial: Trial) -> Iterator[Finding]:
    """A sum of independent Gaussians is Gaussian at any D; its variance S = sum_j w_j^2 is random over the weights.

    D S/sigma_w^2 is chi-squared of D degrees: E S = sigma_w^2 exactly, Var S = 2 sigma_w^4/D -> 0. So the second
    equality is the law of large numbers.
    """
    chi = [2**k * sp.gamma(D / 2 + k) / sp.gamma(D / 2) for k in (1, 2)]
    mean, square = (sp.gammasimp(moment * (s**2 / D) ** (k + 1)) for k, moment in enumerate(chi))
    yield identity("E_W S", mean, s**2)
    yield identity("Var_W S", sp.simplify(square - mean**2), 2 * s**4 / D)
    yield identity("its limit", sp.limit(2 * s**4 / D, D, sp.oo), 0)
    width, number = 100, trial.draws(20000)
    sums = (trial.rng.standard_normal((number, width)) ** 2).sum(axis=1) * 2 / width
    error = float(sums.std() / np.sqrt(number))
    yield measured(trial, "E_W S, sigma_w^2 = 2", float(sums.mean()), error, 2.0, against=2.0 * (1 + 1 / width))
    squares = (sums - 2) ** 2
    error = float(squares.std() / np.sqrt(number))
    yield measured(trial, "Var_W S at D = 100", float(squares.mean()), error, 8 / width, against=0.0)


@SECTION.holds(
    "E-Eq69",
    "The law of Y = max(Z, 0): half the mass at 0, and N(y; 0, sigma_w^2) for y > 0",
    printed=r"f_Y(y) = \frac{1}{2} \delta(y) + \Theta(y)\, \mathcal{N}(y; 0, \sigma_w^2)",
)
def law_behind_relu() -> Iterator[Finding]:
    """The Laplace transforms agree: E exp(-t max(Z, 0)) over Z, and under the density."""
    z = sp.Symbol("z", real=True)
    cut_off = sp.integrate(_density(z, 0, s**2), (z, -sp.oo, 0))
    kept = sp.integrate(sp.exp(-t * s * y) * _density(y, 0, 1), (y, 0, sp.oo))
    yield identity("E exp(-t Y)", (cut_off + kept).rewrite(sp.erf), _rectified(sp.exp(-t * y)))
    yield identity("all the mass", _rectified(y**0), 1)
    with mp.workdps(30):
        direct = mp.quad(lambda x: mp.npdf(x) * mp.cos(max(mp.mpf("1.3") * x, 0)), [-14, -4, 0, 4, 14])
        density = 0.5 + mp.quad(lambda x: mp.cos(x) * mp.npdf(x, 0, mp.mpf("1.3")), [0, 4, 9, 18])
        yield agree("E cos Y at sigma_w = 1.3", direct, density, 25)


@SECTION.fails(
    "E-Eq70",
    "BatchNorm divides by the variance: B = (Y - E Y)/Var(Y)",
    printed=r"B = \frac{Y - E_\chi(Y)}{\mathrm{Var}_\chi(Y)}",
    counter_example="""
from sympy import pi, simplify
# the printed B has the variance Var(Y)/Var(Y)^2, which is not 1, although the text says so (sigma_w^2 = 2)
variance = 2 / 2 * (1 - 1 / pi)
assert simplify(variance / variance**2 - 1) != 0
assert simplify(variance / variance - 1) == 0  # with the standard deviation in the denominator
""",
)
def divided_by_the_variance() -> Iterator[Finding]:
    """The paper goes on with a B of variance 1, which needs the standard deviation (as in Eq. 134)."""
    variance = _rectified(y**2) - _rectified(y) ** 2
    yield identity("variance of the printed B", sp.simplify(variance / variance**2), 1)


@SECTION.corrects(
    "E-Eq70", "B = (Y - E Y)/sqrt(Var(Y))", right=r"B = \frac{Y - E_\chi(Y)}{\sqrt{\mathrm{Var}_\chi(Y)}}"
)
def divided_by_the_deviation() -> Iterator[Finding]:
    """Its mean is 0 and its variance 1."""
    mean = _rectified(y)
    deviation = sp.sqrt(sp.factor(_rectified(y**2) - mean**2))
    yield identity("E B", sp.simplify(_rectified((y - mean) / deviation)), 0)
    yield identity("E B^2", sp.simplify(_rectified(((y - mean) / deviation) ** 2)), 1)


@SECTION.holds("E-Eq71", "E Y = sigma_w/sqrt(2 pi)", printed=r"E_\chi(Y) = \frac{\sigma_w}{\sqrt{2\pi}}")
def mean_behind_relu() -> Iterator[Finding]:
    """The integral of y N(y; 0, sigma_w^2) over the positive half line; the delta function gives 0."""
    yield identity("E Y", _rectified(y), s / sp.sqrt(2 * sp.pi))
    with mp.workdps(40):
        value = mp.quad(lambda x: x * mp.npdf(x, 0, mp.mpf("1.3")), [0, 4, 9, 20])
        yield agree("at sigma_w = 1.3 by quadrature", value, mp.mpf("1.3") / mp.sqrt(2 * mp.pi), 30)


@SECTION.holds("E-Eq72", "E Y^2 = sigma_w^2/2", printed=r"E_\chi(Y^2) = \frac{\sigma_w^2}{2}")
def square_behind_relu() -> Iterator[Finding]:
    """Half of E Z^2, by symmetry."""
    yield identity("E Y^2", _rectified(y**2), s**2 / 2)
    with mp.workdps(40):
        value = mp.quad(lambda x: x**2 * mp.npdf(x, 0, mp.mpf("1.3")), [0, 4, 9, 20])
        yield agree("at sigma_w = 1.3 by quadrature", value, mp.mpf("1.69") / 2, 30)


@SECTION.holds(
    "E-Eq73",
    "Var Y = (sigma_w^2/2)(1 - 1/pi)",
    printed=r"\mathrm{Var}_\chi(Y) = \frac{\sigma_w^2}{2} \left(1 - \frac{1}{\pi}\right)",
)
def variance_behind_relu() -> Iterator[Finding]:
    """E Y^2 - (E Y)^2."""
    yield identity("Var Y", _rectified(y**2) - _rectified(y) ** 2, s**2 / 2 * (1 - 1 / sp.pi))
    with mp.workdps(40):
        size, mean = mp.mpf("1.3"), mp.mpf("1.3") / mp.sqrt(2 * mp.pi)
        spread = mp.quad(lambda x: (x - mean) ** 2 * mp.npdf(x, 0, size), [0, 4, 9, 20]) + mean**2 / 2
        yield agree("at sigma_w = 1.3 by quadrature", spread, size**2 / 2 * (1 - 1 / mp.pi), 30)


@SECTION.fails(
    "E-Eq74",
    "The law of B is (1/2) delta((b-a)/alpha) + Theta((b-a)/alpha) N(b; a, sigma_w^2/alpha^2), with a and alpha the "
    "mean and the standard deviation of Y",
    printed=r"f_B(b) = \frac{1}{2} \delta\left(\frac{b-a}{\alpha}\right) + \Theta\left(\frac{b-a}{\alpha}\right) "
    r"\mathcal{N}\left(b; a, \frac{\sigma_w^2}{\alpha^2}\right)",
    counter_example="""
from math import isclose, pi, sqrt
# sigma_w^2 = 2: delta((b-a)/alpha) = alpha delta(b-a), so that the printed density has the mass alpha/2 + 1/2
alpha = sqrt(1 - 1 / pi)
assert not isclose(alpha / 2 + 1 / 2, 1, rel_tol=0.05)
# and no datum goes to b = a > 0 by subtracting the mean from Y = 0 (Eq. 70): it goes to -a/alpha < 0
a = sqrt(2) / sqrt(2 * pi)
assert a > 0 > (0 - a) / alpha
""",
)
def printed_law_of_the_normalised() -> Iterator[Finding]:
    """Atom, weight and centre are wrong: by b = (y - a)/alpha the atom is at -a/alpha, not at a.

    Its weight is 1/2, not alpha/2 (delta((b-a)/alpha) = alpha delta(b-a)), and the Gaussian part is centred at
    -a/alpha. The second printed form is the first with a and alpha inserted.
    """
    yield identity(
        "the two printed forms: weight of the atom", DEVIATION / 2, s * sp.sqrt(sp.pi - 1) / 2 / sp.sqrt(2 * sp.pi)
    )
    yield identity("the two printed forms: variance", s**2 / DEVIATION**2, 2 * sp.pi / (sp.pi - 1))
    gaussian = sp.integrate(_density(y, 0, 2 * sp.pi / (sp.pi - 1)), (y, 0, sp.oo))
    yield identity("mass of the printed density", DEVIATION / 2 + gaussian, 1)
    yield identity("place of the atom", (0 - MEAN) / DEVIATION, MEAN)


@SECTION.corrects(
    "E-Eq74",
    "The law of B is (1/2) delta(b + a/alpha) + Theta(b + a/alpha) N(b; -a/alpha, sigma_w^2/alpha^2), with a/alpha = "
    "1/sqrt(pi - 1) and sigma_w^2/alpha^2 = 2 pi/(pi - 1): sigma_w drops out",
    right=r"f_B(b) = \frac{1}{2} \delta\left(b + \frac{1}{\sqrt{\pi-1}}\right) + "
    r"\Theta\left(b + \frac{1}{\sqrt{\pi-1}}\right) "
    r"\mathcal{N}\left(b; -\frac{1}{\sqrt{\pi-1}}, \frac{2\pi}{\pi-1}\right)",
)
def law_of_the_normalised() -> Iterator[Finding]:
    """Moment generating functions: of (Y - a)/alpha with Y as in Eq. 69, and of the density (y = b + a/alpha > 0)."""
    yield identity("a/alpha", MEAN / DEVIATION, -ATOM)
    yield identity("sigma_w^2/alpha^2", s**2 / DEVIATION**2, 2 * sp.pi / (sp.pi - 1))
    from_y = _rectified(sp.exp(-t * y)).subs(t, t / DEVIATION) * sp.exp(-t * ATOM)
    variance = 2 * sp.pi / (sp.pi - 1)
    width = sp.Symbol("width", positive=True)
    part = sp.integrate(sp.exp(-t * y) * _density(y, 0, width**2), (y, 0, sp.oo)).subs(width, sp.sqrt(variance))
    yield identity("E exp(-t B)", from_y, sp.exp(-t * ATOM) * (sp.Rational(1, 2) + part))
    with mp.workdps(30):
        atom, spread = -1 / mp.sqrt(mp.pi - 1), mp.sqrt(2 * mp.pi / (mp.pi - 1))
        a, alpha = 1 / mp.sqrt(2 * mp.pi), mp.sqrt((mp.pi - 1) / (2 * mp.pi))
        direct = mp.quad(lambda x: mp.npdf(x) * mp.cos((max(x, 0) - a) / alpha), [-14, -4, 0, 4, 14])
        density = mp.cos(atom) / 2 + mp.quad(lambda x: mp.cos(x) * mp.npdf(x, atom, spread), [atom, 4, 12, 24])
        yield agree("E cos B", direct, density, 25)


@SECTION.fails(
    "E-74claim",
    "One easily verifies that the density of Eq. 74 is centred at zero and has unit variance",
    counter_example="""
from math import pi, sqrt
# sigma_w^2 = 2: mean of the printed density = alpha/2 (atom) times a, plus half of a, plus the mean of |N|/2
a, alpha = 1 / sqrt(pi), sqrt(1 - 1 / pi)
mean = alpha / 2 * a + a / 2 + sqrt(2 * pi / (pi - 1)) / sqrt(2 * pi)
assert mean > 1
""",
)
def printed_law_is_not_centred() -> Iterator[Finding]:
    """Mean and variance of the printed density, with the weight alpha/2 of its atom; scaling is no help."""
    root = sp.sqrt(2 * sp.pi / (sp.pi - 1))
    half = [sp.Rational(1, 2), root / sp.sqrt(2 * sp.pi), root**2 / 2]  # of N(0, root^2) above 0
    mass = half[0] + DEVIATION / 2
    first = MEAN * half[0] + half[1] + MEAN * DEVIATION / 2
    second = MEAN**2 * half[0] + 2 * MEAN * half[1] + half[2] + MEAN**2 * DEVIATION / 2
    for k in range(3):
        yield identity(f"half moment {k}", _half_moment(k).subs(s, root), half[k])
    at = {s: sp.sqrt(2)}
    yield agree("mean of the printed density, sigma_w^2 = 2", sp.N(first.subs(at), 20), 0)
    yield agree("its variance", sp.N((second - first**2).subs(at), 20), 1)
    scaled = second / mass - (first / mass) ** 2
    yield agree("its variance when scaled to mass 1", sp.N(scaled.subs(at), 20), 1)
    with mp.workdps(30):
        a, alpha, spread = 1 / mp.sqrt(mp.pi), mp.sqrt(1 - 1 / mp.pi), mp.sqrt(2 * mp.pi / (mp.pi - 1))
        value = mp.quad(lambda v: v * mp.npdf(v, a, spread), [a, 4, 12, 30]) + a * alpha / 2
        yield agree("the mean, as integrated here and above", value, sp.N(first.subs(at), 30), 18)


@SECTION.corrects("E-74claim", "The corrected density (atom and centre at -1/sqrt(pi-1)) has mean 0 and variance 1")
def right_law_is_centred() -> Iterator[Finding]:
    """The moments of (1/2) delta(b - b_0) + Theta(b - b_0) N(b; b_0, 2 pi/(pi-1)), b_0 = -1/sqrt(pi-1)."""
    variance = 2 * sp.pi / (sp.pi - 1)
    for k, expected, name in ((0, 1, "mass"), (1, 0, "mean"), (2, 1, "variance")):
        part = sp.integrate(sp.expand((ATOM + y) ** k) * _density(y, 0, variance), (y, 0, sp.oo))
        yield identity(name, sp.simplify(part + ATOM**k / 2), expected)


SECTION.undecided(
    "E-Eq75",
    "The output of the next Dense is Y_i^(l+1) = sum_j w_ij B_j",
    "a definition; what stands on the left is called Z_i^(l+1) in the equations that follow",
    printed=r"Y_i^{(l+1)} = \sum_j w_{ij}^{(l)} B_j^{(l)}",
)


@SECTION.holds(
    "E-Eq76-78",
    "Z^(l+1) is Gaussian over the data with mean E(B) sum_j w_ij = 0 and variance E(B^2) sum_j w_ij^2 = sigma_w^2",
    printed=r"E_\chi(Z) = E_\chi(B) \sum_j w_{ij} = 0, \qquad "
    r"\mathrm{Var}_\chi(Z) = E_\chi(B^2)\, S_{w^2} = \sigma_w^2",
    assumes="width to infinity; the units need only be nearly uncorrelated over the data, not independent",
)
def next_layer(trial: Trial) -> Iterator[Finding]:
    """S = sum_j w_j^2 -> sigma_w^2 by the law of large numbers (Var S = 2 sigma_w^4/N).

    Two units are uncorrelated up to the overlap rho of their weights: C_jk = a_1^2 rho with E rho^2 = 1/N, so that the
    cross terms 2 sum_{j<k} w_j w_k C_jk have mean 0 over the weights and the variance 2 sigma_w^4 a_1^4/N -> 0.
    """
    p, q, r = sp.symbols("w_1 w_2 w_3", real=True)
    weights = sp.Matrix([p, q, r])
    mean = sp.simplify(_rectified((y - MEAN) / DEVIATION))
    second = sp.simplify(_rectified(((y - MEAN) / DEVIATION) ** 2))
    yield identity("E Z", mean * (p + q + r), 0)
    yield identity("Var Z of independent units", (weights.T * sp.eye(3) * second * weights)[0], p**2 + q**2 + r**2)
    a_1 = 1 / (2 * DEVIATION.subs(s, 1))
    spread = 2 * s**4 / N * (1 + a_1**4)
    yield identity("Var_W of Var_chi(Z) for N to infinity", sp.limit(spread, N, sp.oo), 0)
    network = igb.mlp(1, "relu", norm="batch", placement="after", sigma_w2=1.5)
    relu = igb.mlp(1, "relu", sigma_w2=1.5).predict()
    yield from _wide(trial, network, 200, 400, {"var_mu[1]": float(relu.var_mu), "var_chi[1]": float(relu.var_chi)})


@SECTION.fails(
    "E-Eq79",
    "E B^2 = Var B - (E B)^2",
    printed=r"E_\chi(B^2) = \mathrm{Var}_\chi(B) - E_\chi(B)^2",
    counter_example="""
from sympy import pi, Rational, simplify
# Y = max(X, 0), X ~ N(0, 1): E Y^2 = 1/2, (E Y)^2 = 1/(2 pi)
second, squared_mean = Rational(1, 2), 1 / (2 * pi)
variance = second - squared_mean
assert simplify(second - (variance - squared_mean)) != 0
assert simplify(second - (variance + squared_mean)) == 0
""",
)
def printed_second_moment() -> Iterator[Finding]:
    """A sign. It does no harm where it is used, as E B = 0 there; as an identity it is wrong for any other mean."""
    variance = _rectified(y**2) - _rectified(y) ** 2
    yield identity("for Y, whose mean is not 0", _rectified(y**2), variance - _rectified(y) ** 2)


@SECTION.corrects(
    "E-Eq79", "E B^2 = Var B + (E B)^2 = 1 + 0", right=r"E_\chi(B^2) = \mathrm{Var}_\chi(B) + E_\chi(B)^2"
)
def second_moment() -> Iterator[Finding]:
    """Var B = E (B - E B)^2, computed as such."""
    mean = _rectified(y)
    yield identity("for Y", _rectified(y**2), sp.simplify(_rectified((y - mean) ** 2)) + mean**2)
    yield identity("for B", sp.simplify(_rectified(((y - MEAN) / DEVIATION) ** 2)), 1 + 0)


@SECTION.holds(
    "E-Eq80",
    "Z^(l+1) ~ N(0, sigma_w^2) at every layer",
    printed=r"f_{Z^{(l+1)}}(z) = \mathcal{N}(z; 0, \sigma_w^2)",
    assumes="full batch, widths and number of data to infinity",
)
def every_layer() -> Iterator[Finding]:
    """From E-Eq76-78 by induction; the recursion of the package runs through 12 layers, an independent computation."""
    yield identity("sigma_w^2 E B^2", s**2 * sp.simplify(_rectified(((y - MEAN) / DEVIATION) ** 2)), s**2)
    layers = igb.mlp(12, "relu", norm="batch", placement="after", sigma_w2=1.75).predict(digits=30).per_layer
    for i in (1, 6, 12):
        yield agree(f"variance after Dense {i}", layers.var_chi[i], mp.mpf("1.75"), 28)
        yield agree(f"1 + variance of the centres after Dense {i}", 1 + layers.var_mu[i], 1, 28)


@SECTION.holds(
    "E-bal",
    "Each class is predicted with equal probability, regardless of the depth",
    printed=r"G_0 \to \frac{1}{2}",
    assumes="full batch; widths and number of data to infinity at fixed depth",
)
def balanced_guesses(trial: Trial) -> Iterator[Finding]:
    """G0 = Phi(sqrt(gamma) U) with gamma = 0. With D data G0 keeps a variance of the order 1/D, as coins have."""
    g, u = sp.symbols("gamma u", positive=True)
    yield identity("G0 at gamma = 0", ((1 + sp.erf(sp.sqrt(g) * u / sp.sqrt(2))) / 2).subs(g, 0), sp.Rational(1, 2))
    for depth in (1, 5):
        biased = igb.mlp(depth).predict().G0
        balanced = igb.mlp(depth, norm="batch", placement="after").predict().G0
        detail = f"std of G0: {balanced.std():.3g}, without BatchNorm {biased.std():.4f}"
        yield shown(f"depth {depth}, infinitely many data", balanced.std() == 0 < biased.std(), detail)
        network = igb.mlp(depth, norm="batch", placement="after")
        yield from _wide(trial, network, 300 if depth == 1 else 150, 300, {"Var(G0)": float(biased.var())})


@SECTION.holds(
    "E-Eq81",
    "Mini-batches: O_c ~ N(0, sigma_w^2 Var_chi(B^(L))) over the data, all centres 0",
    printed=r"f_{O_c}(o) = \mathcal{N}(o; 0, \sigma_w^2 \mathrm{Var}_\chi(B^{(L)}))",
    assumes="widths to infinity; a batch without spread is normalised to 0",
)
def mini_batches(trial: Trial) -> Iterator[Finding]:
    """The sum of B over each batch is 0, so each centre is 0 exactly, at any width; Var O = sigma_w^2 E B^2.

    Where a batch has any spread sum_a B_a^2 = n, so E B^2 = 1. In the first layer all n data of a batch are cut off
    by ReLU with probability 2^-n, and B = 0/0 there is set to 0: Var B = 1 - 2^-n. In deeper layers the data of a
    batch are anticorrelated and a unit sees a sum of 0: nothing is cut off whole. Gaussian: as in E-ThmE.2, with
    independent batches; data of one batch have the correlation -1/(n - 1), those of different batches 0.
    """
    first, second, third = sp.symbols("y_1 y_2 y_3", positive=True)
    values = [first, second, third]
    mean = sp.Rational(1, 3) * sum(values)
    deviation = sp.sqrt(sum((v - mean) ** 2 for v in values) / 3)
    normalised = [(v - mean) / deviation for v in values]
    yield identity("sum of B over a batch of three", sp.simplify(sum(normalised)), 0)
    yield identity("sum of B^2 over it", sp.simplify(sum(v**2 for v in normalised)), 3)
    one = igb.mlp(1, norm="batch", placement="after", sigma_w2=1.5, batch_size=4).predict()
    yield agree("one layer, n = 4: sigma_w^2 (1 - 2^-4)", one.var_chi, mp.mpf("1.5") * 15 / 16, 12)
    network = igb.mlp(2, norm="batch", placement="after", sigma_w2=1.5, batch_size=4)
    against = {"var_mu[1]": 0.1, "var_chi[1]": 1.5, "var_mu[2]": 0.1, "var_chi[2]": 1.5 * 15 / 16}
    yield from _wide(trial, network, 300, 200, against)
