r"""Where you place the norm, appendix E.1.2: mini-batches through the network (Eqs. 51-61 and deep networks).

Inputs, Dense, BatchNorm over batches of n, ReLU, ..., Dense. The law of the normalised node B depends on n alone: the
paper takes that of B~ (Eq. 49, each point normalised by the n - 1 others) for that of the canonical estimator (each
point in its own batch), Y = relu(B~). Both tend to N(0, 1), but from two sides: B~ has the larger variance,
n/(n-4), and a network of it less bias than one of full batches; canonical batches have more bias.
"""

from typing import Any

import numpy as np
import scipy
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, measured, value_of, worded
from igbtheory.claims.gaussians import batch_density, batch_relu_mean, left_out_density
from igbtheory.claims.quantities import E_CHI, VAR, VAR_CHI, VAR_W
from igbtheory.claims.simulated import drawn_limit, mean_with_error, relu, standardised, weighted

SECTION = Section("Where you place the norm, appendix E.1: BatchNorm in front of ReLU, mini-batches", "E E.1.2")

n = sp.Symbol("n", positive=True, integer=True)
i, j, N = sp.symbols("i j N", positive=True, integer=True)
x, sigma_w2 = sp.symbols("x sigma_w2", positive=True)
b, y = sp.symbols("b y", real=True)
w, X = sp.Function("w"), sp.Function("X")
Z, B, B_DEEP, Y = sp.symbols("Z_i^{(1)} B_i^{(1)} B_i^{(l)} Y_i^{(1)}")
SPREAD, CENTRES = VAR_CHI(sp.Symbol("O_c")), VAR_W(sp.Symbol(r"\mu_c"))
LAW_OF_B, LAW_OF_PROXY, LAW_OF_Y = sp.Function("f_B")(b), sp.Function(r"f_{\tilde B}")(b), sp.Function("f_Y")(y)
PROXY_MEAN = sp.gamma((n - 1) / 2) / sp.gamma((n - 2) / 2) / sp.sqrt(n * sp.pi) * n / (n - 3)
"""E relu(B~), Eq. 57."""
SIZE = 12
"""Data of a batch in the simulations."""


def predicted(size: int, law: str = "proxy", depth: int = 1) -> Any:
    """Prediction for batches of n = size, canonical ("exact") or modified ("proxy") estimators, sw2 = 2."""
    hidden = (igb.Dense(2.0), igb.BatchNorm(size, law=law), igb.Activation("relu"))
    return igb.Network(*hidden * depth, igb.Dense(2.0)).predict()


def normed(h: Any) -> Any:
    """Batch norm and ReLU."""
    return relu(standardised(h, -2))


def half_moment(power: int, size: int) -> sp.Integral:
    """The moment of relu(B~), not yet integrated."""
    return sp.Integral(x**power * left_out_density(x, sp.Integer(size)), (x, 0, sp.oo))


def canonical_half_moment(power: int, size: int) -> sp.Integral:
    """The moment of relu(B), not yet integrated; |B| is sqrt(n-1) at most."""
    return sp.Integral(x**power * batch_density(x, sp.Integer(size)), (x, 0, sp.sqrt(size - 1)))


def propagated(source: Any) -> sp.Eq:
    """Eq. 52 with X(source) in its sum."""
    return equation(Z, sp.Sum(w(i, j) * X(source), (j, 1, N)))


@SECTION.fails(
    "E-Eq51-54",
    "The sum over j in the node Z_i of the Dense layer is printed with the input X_i",
    printed=propagated(i),
    counter_example="assert sum((1, 1)) != sum((1, 2))  # inputs 1 and 2, weights 1: the sums with X_1 and with X_j",
    correction="It has X_j, as the same sum in Eq. (21), and as mean and variance in Eq. (54) show",
    misprint=True,
    at="Eqs. 51 to 54; the sum is in Eq. 52",
    right=propagated(j),
    where="inputs are independent",
)
def propagation(stated: Any) -> Findings:
    """Mean and variance of Eq. 54, from the sum over three inputs: a misprint of an index, like that of E-Eq18."""
    inputs, weights = sp.symbols("X_1:4", real=True), sp.symbols("w_1:4", real=True)
    mu, sigma = sp.symbols("mu_1:4", real=True), sp.symbols("sigma_1:4", positive=True)
    names = {w(1, k + 1): weights[k] for k in range(3)} | {X(k + 1): inputs[k] for k in range(3)}
    node = value_of(Z, stated).subs({N: 3, i: 1}).doit().subs(names)
    slopes = [sp.Derivative(node, source) for source in inputs]
    for label, factors, values, power in (("variance", slopes, sigma, 2), ("mean", slopes, mu, 1)):
        summed, expected = (
            sum((a * value) ** power for a, value in zip(row, values, strict=True)) for row in (factors, weights)
        )
        yield identity(f"{label}, Eq. 54", summed, expected)


@SECTION.holds(
    "E-Eq55",
    "The density of B~ “well approximates the distribution of the hidden layer node after the BN”; the leading term "
    "of their ratio in n",
    printed=equation(sp.Limit(n * (LAW_OF_PROXY / LAW_OF_B - 1), n, sp.oo), b**4 / 2 - b**2 - sp.Rational(1, 2)),
    at="Eq. 55 and the sentence in front of it",
    where="b is fixed; the canonical B has no density beyond sqrt(n-1)",
)
def proxy_for_the_canonical(stated: Any) -> Findings:
    """The paper says "about"; the term is that of the logarithms, here with u = 1/n and at n = 1e12."""
    u = sp.Symbol("u", positive=True)
    canonical = sp.log(1 - u * b**2 / (1 - u)) * (1 / u - 4) / 2 - sp.log(1 - u) / 2  # factor sqrt(n/(n-1))
    proxy = -sp.log(1 + u * b**2) * (1 / u - 1) / 2
    yield identity("logarithm of the ratio over u", sp.Limit((proxy - canonical) / u, u, 0), stated.rhs)
    size, inside = sp.Float(10**12, 60), stated.lhs.args[0]
    for at in (0, 3):
        place = sp.Float(at, 60)
        laws = {LAW_OF_PROXY: left_out_density(place, size), LAW_OF_B: batch_density(place, size)}
        yield agree(f"b = {at}, n = 1e12", inside.subs(laws).subs(n, size), stated.rhs.subs(b, at), 9)


@SECTION.holds(
    "E-Eq56",
    "The law of Y = relu(B~)",
    printed=equation(LAW_OF_Y, sp.DiracDelta(y) / 2 + sp.Heaviside(y) * left_out_density(y, n)),
    at="Eq. 56",
    where="B is B~",
)
def rectified_law(stated: Any) -> Findings:
    """Y = 0 where B~ <= 0, which has the probability 1/2 as the density is even; Y = B~ elsewhere. Not noticed: the
    value of the step function at 0 is no part of a density.
    """
    for size in (5, 7):
        law = value_of(LAW_OF_Y, stated).subs(n, size)
        atom = law.coeff(sp.DiracDelta(y))
        yield identity(f"P(Y = 0), n = {size}", atom, sp.Integral(half_moment(0, size).function, (x, 0, sp.oo)))
        above = sp.Integral((law - atom * sp.DiracDelta(y)).subs(y, x), (x, 0, 1)).evalf(20)
        student = scipy.stats.t(size - 2, scale=np.sqrt(size / (size - 2)))
        yield agree(f"P(Y < 1), n = {size}, by Student's law", atom + above, student.cdf(1), 12)


@SECTION.holds(
    "E-Eq57-59",
    "Mean, mean square and variance of Y = relu(B~)",
    printed=(
        equation(E_CHI(Y), PROXY_MEAN),
        equation(E_CHI(Y**2), VAR(B) / 2),
        equation(VAR_CHI(Y), n / (2 * (n - 4)) - PROXY_MEAN**2),
    ),
    assumes="n from 5 on",
    at="Eqs. 57 to 59",
    where="B is B~; for the canonical B the preprint has them as approximations, see E-Eq60-61",
)
def moments_of_an_activation(trial: Trial, stated: Any, says: str) -> Findings:
    """-E Y (1 + y^2/n)^(-(n-3)/2) vanishes at infinity and has the derivative y f_B~(y). Y^2 is B^2 on half of a law
    that is even and has the mean 0, of the variance n/(n-4) for B~ and 1 for the canonical B.
    """
    tail = [sp.limit(x * sp.diff(sp.log(left_out_density(x, sp.Integer(size))), x), x, sp.oo) for size in range(9)[3:]]
    yield worded(says, "n from {} on", 3 + next(i for i, power in enumerate(tail) if power + 2 < -1))
    integral = -PROXY_MEAN * (1 + x**2 / n) ** (-(n - 3) / 2)
    yield identity("integrand of E Y", sp.Derivative(integral, x) / left_out_density(x, n), x)
    square = value_of(E_CHI(Y**2), stated)
    yield identity("E Y^2 of the canonical B, n = 8", canonical_half_moment(2, 8), square.subs(VAR(B), 1))
    said = {
        E_CHI(Y): value_of(E_CHI(Y), stated),
        E_CHI(Y**2): square.subs(VAR(B), n / (n - 4)),
        VAR_CHI(Y): value_of(VAR_CHI(Y), stated),
    }
    for size in (7, 9):
        first, second = (half_moment(power, size) for power in (1, 2))
        for quantity, integrated in zip(said, (first, second, second - first**2), strict=True):
            yield identity(f"{quantity}, n = {size}", integrated, said[quantity].subs(n, size))
    p = predicted(SIZE)
    z = trial.rng.standard_normal((trial.draws(200_000), SIZE))
    drawn = relu((z[:, 0] - z[:, 1:].mean(axis=1)) / z[:, 1:].std(axis=1))
    numbers = {
        E_CHI(Y): (sp.sqrt(p.var_mu / 2), drawn),
        E_CHI(Y**2): ((p.var_mu + p.var_chi) / 2, drawn**2),
        VAR_CHI(Y): (p.var_chi / 2, (drawn - drawn.mean()) ** 2),
    }
    for quantity, (own, draws) in numbers.items():
        value = said[quantity].subs(n, SIZE)
        yield agree(f"{quantity}, n = {SIZE}, predicted", own, value, 11)
        yield measured(trial, f"{quantity}, n = {SIZE}, drawn", *mean_with_error(draws), value)


def variances(mean: sp.Expr, square: sp.Expr) -> tuple[sp.Eq, ...]:
    """Variances of Eqs. 60 and 61 from the mean and the mean square of Y."""
    return equation(SPREAD, sigma_w2 * (square - mean**2)), equation(CENTRES, sigma_w2 * mean**2)


def by_size(stated: Any) -> tuple[Any, Any]:
    """Var Y and (E Y)^2 as functions of n, of which the stated variances are sigma_w^2 times."""
    chi, mu = (value_of(quantity, stated) / sigma_w2 for quantity in (SPREAD, CENTRES))
    return chi, mu


def of_batches(stated: Any, moments: list[Any], law: str, depth: int = 1) -> Findings:
    """Findings that Var Y and (E Y)^2 are those of the moments of Y at n = 8, and predicted for other batches."""
    chi, mu = by_size(stated)
    yield identity("Var Y, n = 8", moments[1] - moments[0] ** 2, chi.subs(n, 8))
    yield identity("(E Y)^2, n = 8", moments[0] ** 2, mu.subs(n, 8))
    for size in (SIZE, 100):
        found = predicted(size, law, depth)
        for name, value in (("var_chi", chi), ("var_mu", mu)):
            yield agree(f"{name} predicted, n = {size}", getattr(found, name) / 2, value.subs(n, size), 11)


@SECTION.limited(
    "E-Eq60-61",
    "With BatchNorm over batches of n the variances of the outputs and of the centres are computed with “the "
    "corresponding distribution as proxy for” the canonical B, that of B~",
    printed=variances(PROXY_MEAN, n / (2 * (n - 4))),
    assumes="the law of B~; 1 hidden layer",
    counter_example="""
full = 1 / (pi.evalf() - 1)
for size in (12, 100, 300):
    chi, mu = (float(value.subs({n: size, sigma_w2: 2})) for value in printed)
    exact = igb.mlp(1, "relu", norm="batch", batch_size=size).predict().gamma
    assert exact - mu / chi > 1.9 * (exact - full) > 0  # the full batch is twice as near
""",
    at="Eqs. 60 and 61, with Eqs. 57 and 59",
    where="the preprint takes this law as about right for |B| >> 1; widths and the number of data are infinite",
)
def output_law(stated: Any, says: str) -> Findings:
    """The argument of E-ThmE.1 with the moments of Y = relu(B~). (Eq. 61 names its argument y on the left and m on the
    right.) For large batches gamma tends to that of the full batch.
    """
    law, depth = "proxy", 1
    yield from of_batches(stated, [half_moment(k, 8) for k in (1, 2)], law, depth)
    yield worded(says, "the law of {}", {"proxy": "B~", "exact": "B"}[law])
    yield worded(says, "{} hidden layer", depth)
    chi, mu = by_size(stated)
    yield agree("gamma, n = 1e12", (mu / chi).subs(n, sp.Float(10**12, 60)), 1 / (sp.pi - 1), 11)


@SECTION.corrects(
    "E-Eq60-61",
    "With the canonical B of batches of n gamma is larger than in the limit of n; with B~ it is smaller",
    right=variances(batch_relu_mean(n), sp.Rational(1, 2)),
    where="widths and the number of data are infinite",
)
def canonical_output_law(trial: Trial, stated: Any, says: str) -> Findings:
    """The argument of E-ThmE.1 with the moments of Y = relu(B), of which E Y^2 = 1/2."""
    yield from of_batches(stated, [canonical_half_moment(k, 8) for k in (1, 2)], "exact")
    chi, mu = by_size(stated)
    large = sp.Float(10**12, 60)
    slope = large * ((mu / chi).subs(n, large) * (sp.pi - 1) - 1)
    yield agree("term of order 1/n of gamma", slope, sp.pi / (2 * (sp.pi - 1)), 9)
    drawn = relu(standardised(trial.rng.standard_normal((trial.draws(10_000), SIZE)), 1))
    yield measured(trial, "E Y, n = 12, drawn", *mean_with_error(drawn), sp.sqrt(mu.subs(n, SIZE)))
    full = 1 / (np.pi - 1)
    canonical, proxy = ([predicted(size, law).gamma for size in (5, SIZE, 100, 1000)] for law in ("exact", "proxy"))
    yield worded(says, "gamma is {} than in the limit of n", "larger" if min(canonical) > full else "smaller")
    yield worded(says, "with B~ it is {}", "smaller" if max(proxy) < full else "larger")


@SECTION.holds(
    "E-deep-mini",
    "“the distribution after the batch norm will be the same for each layer”, here by its fourth moment",
    printed=equation(E_CHI(B_DEEP**4), 3 * (n - 1) / (n + 1)),
    assumes="“unstructured Gaussian inputs, where each component is independently sampled” (appendix B); "
    "“infinite-width limit” (appendix B)",
    at="section E.1.2, Deep architectures",
)
def every_depth(trial: Trial, stated: Any) -> Findings:
    """Behind the first layer the data of a batch are no longer independent, as their B sum to zero, but exchangeable.
    That is enough: Gaussian values of variance q and covariance r are independent ones of variance q - r plus one that
    all share, and B (as B~) sees neither a shared term nor a common factor.
    """
    values, shift, size = sp.symbols("z_1:4", real=True), sp.Symbol("r", real=True), sp.Symbol("q", positive=True)
    square = (values[0] - sum(values) / 3) ** 2 / sum((x - sum(values) / 3) ** 2 for x in values)
    moved = square.subs({x: size * x + shift for x in values}, simultaneous=True)
    yield identity("B^2 of q z + r, n = 3", moved, square)
    said = value_of(E_CHI(B_DEEP**4), stated)
    fourth = sp.Integral(b**4 * batch_density(b, sp.Integer(8)), (b, -sp.sqrt(7), sp.sqrt(7)))
    yield identity("first layer, n = 8", fourth, said.subs(n, 8))
    for law in ("exact", "proxy"):
        per_layer = predicted(SIZE, law, 20).per_layer.gamma
        yield agree(f"gamma after layer 20 and 1, {law}", per_layer[20], per_layer[1], 11)

    def fourth_power(units: Any) -> tuple[float, float]:
        return mean_with_error(standardised(weighted(trial.rng, units, units.shape[2]), 1) ** 4)

    shape, expected = (1500, SIZE, (32, 64)), said.subs(n, SIZE)
    yield drawn_limit(trial, "E B^4 of layer 3, n = 12", fourth_power, expected, shape=shape, depth=2, phi=normed)
