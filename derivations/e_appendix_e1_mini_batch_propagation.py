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
from igbtheory.claims import Findings, Section, Trial, agree, equation, identity, measured
from igbtheory.claims.gaussians import batch_density, batch_relu_mean, left_out_density
from igbtheory.claims.simulated import drawn_limit, mean_with_error, relu, standardised

SECTION = Section("Where you place the norm, appendix E.1: BatchNorm in front of ReLU, mini-batches", "E E.1.2")

n = sp.Symbol("n", positive=True, integer=True)
i, j, N = sp.symbols("i j N", positive=True, integer=True)
y, sigma_w2, Var_B = sp.symbols("y sigma_w2 Var_B", positive=True)
b = sp.Symbol("b", real=True)
w, X = sp.Function("w"), sp.Function("X")
PROXY_MEAN = sp.gamma((n - 1) / 2) / sp.gamma((n - 2) / 2) / sp.sqrt(n * sp.pi) * n / (n - 3)
"""E relu(B~), Eq. 57."""
SIZE = 12
"""Data of a batch in the simulations."""
MEAN, SQUARE, SPREAD = r"\mathbb E Y", r"\mathbb E Y^2", r"\mathrm{Var}(Y)"


def predicted(size: int, law: str = "proxy", depth: int = 1) -> Any:
    """Prediction for batches of n = size, canonical ("exact") or modified ("proxy") estimators, sw2 = 2."""
    hidden = (igb.Dense(2.0), igb.BatchNorm(size, law=law), igb.Activation("relu"))
    return igb.Network(*hidden * depth, igb.Dense(2.0)).predict()


def normed(h: Any) -> Any:
    """Batch norm and ReLU."""
    return relu(standardised(h, -2))


def half_moment(power: int, size: int) -> sp.Integral:
    """The moment of relu(B~), not yet integrated."""
    return sp.Integral(y**power * left_out_density(y, sp.Integer(size)), (y, 0, sp.oo))


def propagated(source: Any) -> sp.Eq:
    """Eq. 52 with X(source) in its sum."""
    return equation("Z_i", sp.Sum(w(i, j) * X(source), (j, 1, N)))


@SECTION.fails(
    "E-Eq51-54",
    "propagation of N(mu_j, sigma_j^2) inputs through a Dense layer: Z_i, of mean sum_j w_ij mu_j and variance "
    "sum_j (w_ij sigma_j)^2, as a sum",
    printed=propagated(i),
    assumes="independent inputs",
    counter_example="assert sum((1, 1)) != sum((1, 2))  # inputs 1 and 2, weights 1: the sums with X_1 and with X_j",
    correction="the sum has X_j, as Eq. 21 prints for the same layer",
    right=propagated(j),
)
def propagation(stated: Any) -> Findings:
    """Mean and variance of Eq. 54, from the sum over three inputs: a misprint of an index, like that of E-Eq18."""
    inputs, weights = sp.symbols("X_1:4", real=True), sp.symbols("w_1:4", real=True)
    mu, sigma = sp.symbols("mu_1:4", real=True), sp.symbols("sigma_1:4", positive=True)
    names = {w(1, k + 1): weights[k] for k in range(3)} | {X(k + 1): inputs[k] for k in range(3)}
    slopes = [sp.Derivative(stated.rhs.subs({N: 3, i: 1}).doit().subs(names), x) for x in inputs]
    for label, factors, values, power in (("variance", slopes, sigma, 2), ("mean", slopes, mu, 1)):
        summed, expected = (
            sum((a * value) ** power for a, value in zip(row, values, strict=True)) for row in (factors, weights)
        )
        yield identity(f"{label}, Eq. 54", summed, expected)


@SECTION.holds(
    "E-Eq55",
    "f_B is about f_B~ for n >> 1: their ratio at b differs from 1 by a term of order 1/n",
    printed=equation(r"\lim n (f_{\tilde B}(b)/f_B(b) - 1)", b**4 / 2 - b**2 - sp.Rational(1, 2)),
    assumes="at a fixed b; the canonical B has no density beyond sqrt(n-1)",
)
def proxy_for_the_canonical(stated: Any) -> Findings:
    """The paper says "about"; the term is that of the logarithms, here with u = 1/n and at n = 1e12."""
    u = sp.Symbol("u", positive=True)
    canonical = sp.log(1 - u * b**2 / (1 - u)) * (1 / u - 4) / 2 - sp.log(1 - u) / 2  # factor sqrt(n/(n-1))
    proxy = -sp.log(1 + u * b**2) * (1 / u - 1) / 2
    yield identity("logarithm of the ratio over u", sp.Limit((proxy - canonical) / u, u, 0), stated.rhs)
    size = sp.Float(10**12, 60)
    for at in (0, 3):
        ratio = left_out_density(sp.Float(at, 60), size) / batch_density(sp.Float(at, 60), size)
        yield agree(f"b = {at}, n = 1e12", size * (ratio - 1), stated.rhs.subs(b, at), 9)


@SECTION.holds(
    "E-Eq56",
    "the law of Y = relu(B~)",
    printed=equation("f_Y(y)", sp.DiracDelta(b) / 2 + sp.Heaviside(b) * left_out_density(b, n)),
    assumes="B is B~; b stands for y",
)
def rectified_law(stated: Any) -> Findings:
    """Y = 0 where B~ <= 0, which has the probability 1/2 as the density is even; Y = B~ elsewhere. Not noticed: the
    value of the step function at 0 is no part of a density.
    """
    for size in (5, 7):
        law = stated.rhs.subs(n, size)
        atom = law.coeff(sp.DiracDelta(b))
        yield identity(f"P(Y = 0), n = {size}", atom, sp.Integral(half_moment(0, size).function, (y, 0, sp.oo)))
        above = sp.Integral((law - atom * sp.DiracDelta(b)).subs(b, y), (y, 0, 1)).evalf(20)
        student = scipy.stats.t(size - 2, scale=np.sqrt(size / (size - 2)))
        yield agree(f"P(Y < 1), n = {size}, by Student's law", atom + above, student.cdf(1), 12)


@SECTION.holds(
    "E-Eq59",
    "the variance of Y",
    printed=equation(SPREAD, n / (2 * (n - 4)) - PROXY_MEAN**2),
    assumes="B is B~, n > 4; the paper prints 'about' for the canonical B, see E-Eq60-61",
)
@SECTION.holds(
    "E-Eq58",
    "the mean square of Y is half the variance of B",
    printed=equation(SQUARE, Var_B / 2),
    assumes="the paper then takes n/(n-4), that of B~, for the variance of B, which is 1: n >> 1",
)
@SECTION.holds("E-Eq57", "the mean of Y = relu(B~)", printed=equation(MEAN, PROXY_MEAN), assumes="B is B~, n > 3")
def moments_of_an_activation(trial: Trial, stated: Any) -> Findings:
    """-E Y (1 + y^2/n)^(-(n-3)/2) vanishes at infinity and has the derivative y f_B~(y). Y^2 is B^2 on half of a law
    that is even and has the mean 0, of the variance n/(n-4) for B~ and 1 for the canonical B.
    """
    integral = -PROXY_MEAN * (1 + y**2 / n) ** (-(n - 3) / 2)
    yield identity("integrand of E Y", sp.Derivative(integral, y) / left_out_density(y, n), y)
    name, said = stated.lhs.name, stated.rhs.subs(Var_B, n / (n - 4))
    for size in (7, 9):
        first, second = (half_moment(power, size) for power in (1, 2))
        values = {MEAN: first, SQUARE: second, SPREAD: second - first**2}
        yield identity(f"n = {size}", values[name], said.subs(n, size))
    canonical = sp.Integral(y**2 * batch_density(y, sp.Integer(8)), (y, 0, sp.sqrt(7)))
    yield identity("E Y^2 of the canonical B, n = 8", canonical, sp.Rational(1, 2))
    p = predicted(SIZE)
    values = {MEAN: sp.sqrt(p.var_mu / 2), SQUARE: (p.var_mu + p.var_chi) / 2, SPREAD: p.var_chi / 2}
    yield agree("predicted, n = 12", values[name], said.subs(n, SIZE), 11)
    z = trial.rng.standard_normal((trial.draws(200_000), SIZE))
    drawn = relu((z[:, 0] - z[:, 1:].mean(axis=1)) / z[:, 1:].std(axis=1))
    numbers = {MEAN: drawn, SQUARE: drawn**2, SPREAD: (drawn - drawn.mean()) ** 2}[name]
    yield measured(trial, "drawn, n = 12", *mean_with_error(numbers), said.subs(n, SIZE))


def variances(mean: sp.Expr, square: sp.Expr) -> tuple[sp.Eq, ...]:
    """Variances of Eqs. 60 and 61 from the mean and the mean square of Y."""
    return (
        equation(r"\mathrm{Var}_\chi(O_c)", sigma_w2 * (square - mean**2)),
        equation(r"\mathrm{Var}_{\mathcal W}(\mu_c)", sigma_w2 * mean**2),
    )


@SECTION.fails(
    "E-Eq60-61",
    "BN over batches of n: outputs and centres are Gaussian, of the variances that Eqs. 57 and 59 give, for n >> 1",
    printed=variances(PROXY_MEAN, n / (2 * (n - 4))),
    assumes="one hidden layer, N, D -> infinity; Eq. 61 names its argument y on the left and m on the right",
    counter_example="""
full = 1 / (pi.evalf() - 1)
for size in (12, 100, 300):
    chi, mu = (float(value.subs({n: size, sigma_w2: 2})) for value in printed)
    exact = igb.mlp(1, "relu", norm="batch", batch_size=size).predict().gamma
    assert exact - mu / chi > 1.9 * (exact - full) > 0  # the full batch is twice as near
""",
    correction="these are those of B~; of the canonical estimator E Y^2 = 1/2, and E Y is another. As a term of order "
    "1/n the printed one has the wrong sign for gamma",
    right=variances(batch_relu_mean(n), sp.Rational(1, 2)),
)
def output_law(trial: Trial, stated: Any) -> Findings:
    """The argument of E-ThmE.1 with the moments of Y = relu(B). For B~ all is right up to the letters of Eq. 61."""
    chi, mu = (part.rhs / sigma_w2 for part in stated)
    moments = [sp.Integral(y**k * batch_density(y, sp.Integer(8)), (y, 0, sp.sqrt(7))) for k in (1, 2)]
    yield identity("Var Y, n = 8", moments[1] - moments[0] ** 2, chi.subs(n, 8))
    yield identity("(E Y)^2, n = 8", moments[0] ** 2, mu.subs(n, 8))
    for size in (SIZE, 100):
        found = predicted(size, "exact")
        for name, value in (("var_chi", chi), ("var_mu", mu)):
            yield agree(f"{name} predicted, n = {size}", getattr(found, name) / 2, value.subs(n, size), 11)
    large = sp.Float(10**12, 60)
    slope = large * ((mu / chi).subs(n, large) * (sp.pi - 1) - 1)
    yield agree("term of order 1/n of gamma", slope, sp.pi / (2 * (sp.pi - 1)), 9)
    drawn = relu(standardised(trial.rng.standard_normal((trial.draws(10_000), SIZE)), 1))
    yield measured(trial, "E Y, n = 12, drawn", *mean_with_error(drawn), sp.sqrt(mu.subs(n, SIZE)))


@SECTION.holds(
    "E-deep-mini",
    "the law of B is the same at every depth for mini-batches, here by its fourth moment",
    printed=equation(r"\mathbb E B^4", 3 * (n - 1) / (n + 1)),
    assumes="Gaussian iid inputs, N -> infinity at fixed depth",
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
    fourth = sp.Integral(b**4 * batch_density(b, sp.Integer(8)), (b, -sp.sqrt(7), sp.sqrt(7)))
    yield identity("first layer, n = 8", fourth, stated.rhs.subs(n, 8))
    for law in ("exact", "proxy"):
        per_layer = predicted(SIZE, law, 20).per_layer.gamma
        yield agree(f"gamma after layer 20 and 1, {law}", per_layer[20], per_layer[1], 11)

    def fourth_power(units: Any) -> tuple[float, float]:
        weights = trial.rng.standard_normal((len(units), *units.shape[2:] * 2))
        return mean_with_error(standardised(units @ weights, 1) ** 4)

    shape, expected = (1500, SIZE, (32, 64)), stated.rhs.subs(n, SIZE)
    yield drawn_limit(trial, "E B^4 of layer 3, n = 12", fourth_power, expected, shape=shape, depth=2, phi=normed)
