"""Where you place the norm, appendix E.2: BatchNorm behind ReLU.

Every hidden layer is Dense, ReLU, BatchNorm. A pre-activation Z ~ N(0, sigma_w^2) gives Y = max(Z, 0) with mean a and
standard deviation alpha over the data; BatchNorm makes B = (Y - a)/alpha of it, and the next Dense

    Z' = sum_j w_j B_j,   E_chi Z' = sum_j w_j E B_j = 0,   Var_chi Z' -> sigma_w^2 E B^2 = sigma_w^2.

So Z' has the law of Z, layer by layer, and no centre differs from another: gamma = 0.
"""

from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import (
    Finding,
    Findings,
    Section,
    Trial,
    agree,
    equation,
    identity,
    normal,
    rectified,
    shown,
    value_of,
)
from igbtheory.claims.gaussians import g0_variance, ncdf, normal_moment, npdf, relu_moment, variance_of
from igbtheory.claims.quantities import E_CHI, VAR_CHI, VAR_W
from igbtheory.claims.simulated import (
    at_width,
    drawn_limit,
    excess_kurtosis,
    hidden_units,
    mean_with_error,
    relu,
    standardised,
    variance_of_guesses,
)

SECTION = Section("Where you place the norm, appendix E.2: BatchNorm behind ReLU", "E E.2")

sigma_w, a, alpha, v = sp.symbols("sigma_w a alpha v", positive=True)
d, layer, N, j = sp.symbols("d l N j", positive=True, integer=True)
b, o, u, y, z = sp.symbols("b o u y z", real=True)
Y, E_Y, E_B, Var_B = sp.symbols("Y E_Y E_B Var_B", real=True)
Var_Y, gamma = sp.symbols("Var_Y gamma", positive=True)
MOMENTS = {a: sigma_w / sp.sqrt(2 * sp.pi), alpha: sigma_w * sp.sqrt((1 - 1 / sp.pi) / 2)}
"""Mean and standard deviation of Y: E-Eq71 and E-Eq73."""
LAW = npdf(z, 0, sigma_w)
NEXT, SPREAD_B = sp.Function(r"\mathrm{next}")(layer), sp.Symbol("Var_B", positive=True)
"""The number of the layer behind layer l."""
B, G_0, CENTRES = sp.Symbol("B"), sp.Symbol("G_0"), VAR_W(sp.Symbol(r"\mu_c"))
OUTPUT, LAW_OF_Y, LAW_OF_B = sp.Function("f_{O_c}")(o), sp.Function("f_{Y}")(y), sp.Function("f_{B}")(b)
LAW_1, LAW_I1, LAW_I, LAW_L = (
    sp.Function(name)(z) for name in ("f_{Z^{(1)}}", "f_{Z_i^{(1)}}", "f_{Z_i^{(l+1)}}", "f_{Z^{(l+1)}}")
)
READ_BY_Y, READ_BY_Z = sp.Symbol("Y_i^{(l+1)}"), sp.Symbol("Z_i^{(l+1)}")
READ = sp.Sum(sp.IndexedBase("w")[sp.Symbol("i"), j] * sp.IndexedBase("B")[j], (j, 1, N))
LIMITS = "“full-batch normalization statistics. Then, in the limit of infinite width and dataset size” (Theorem E.2)"
DATA = 200
"""Data of a simulated full batch. Behind BatchNorm two of them have the correlation -1/(DATA - 1)."""
CENTRE = -1 / sp.sqrt(sp.pi - 1)


def network(depth: int, batch_size: int | None = None) -> igb.Network:
    """The network of Theorem E.2 at sigma_w^2 = 3/2."""
    return igb.mlp(depth, "relu", norm="batch", placement="after", sigma_w2=1.5, batch_size=batch_size)


def variance(density: Any, x: Any) -> Any:
    """The variance of a normal density, with the number of `network` for sigma_w."""
    return variance_of(density, x).subs(sigma_w, sp.sqrt(sp.Rational(3, 2)))


def normed(h: Any) -> Any:
    """ReLU and batch norm."""
    return standardised(relu(h), -2)


def moment(power: int) -> Any:
    """The moment E Y^power, not yet integrated: what ReLU cuts off adds nothing to it."""
    return relu_moment(power, sigma_w)


def normalised() -> Findings:
    """Findings that B has the mean 0 and the variance 1."""
    yield identity("E B", (moment(1) - MOMENTS[a]) / MOMENTS[alpha], 0)
    square = moment(2) - 2 * MOMENTS[a] * moment(1) + MOMENTS[a] ** 2
    yield identity("E B^2", square / MOMENTS[alpha] ** 2, 1)


@SECTION.holds(
    "E-ThmE.2 / Eq62-63",
    "ReLU, then BatchNorm over the whole data set: the law of an output over the data, and the collapse of the law of "
    "its centre",
    printed=(equation(OUTPUT, npdf(o, 0, sigma_w)), equation(CENTRES, 0)),
    assumes=LIMITS,
    at="Theorem E.2, Eqs. 62 and 63",
)
def balanced_outputs(trial: Trial, stated: Any) -> Findings:
    """B has the mean 0 and the variance 1 whatever variance v enters, so every layer starts from the same law. The
    outputs are Gaussian over the data as in E-ThmE.1. With D data sum_a B_a = 0, so that outputs have the mean 0.
    """
    yield from normalised()
    square, mean = (relu_moment(k, sp.sqrt(v)) for k in (2, 1))
    yield identity("E B^2 for any variance v of Z", (square - mean**2) / (v * (1 - 1 / sp.pi) / 2), 1)
    law, centres = value_of(OUTPUT, stated), value_of(CENTRES, stated)
    yield from normal("O_c", law, o, 0, sigma_w**2)
    for depth in (1, 6):
        predicted = network(depth).predict(digits=30)
        yield agree(f"Var_chi(O), depth {depth}, predicted", predicted.var_chi, variance(law, o), 28)
        yield agree(f"1 + Var_W(mu), depth {depth}, predicted", 1 + predicted.var_mu, 1 + centres, 28)
    shape = 40, DATA, (64, 128)
    yield drawn_limit(trial, "excess kurtosis of O_c, depth 3", excess_kurtosis, 0, shape=shape, depth=3, phi=normed)


@SECTION.fails(
    "E-Eq64",
    "The layer after layer l is printed with an index that leaves l out",
    printed=(equation(LAW_1, LAW), equation(NEXT, sp.Add(1, 1, evaluate=False))),
    counter_example="assert printed[1] != 3 + 1  # the layer behind layer 3",
    correction="The layer after layer l has the next number",
    misprint=True,
    at="Eq. 64",
    right=(equation(LAW_1, LAW), equation(NEXT, layer + 1)),
    right_assumes=LIMITS,
)
def induction(stated: Any) -> Findings:
    """An index is misprinted: as printed the induction ends at layer 2. E-Eq65-68 has the first layer."""
    yield from normalised()
    yield from normal("Z", value_of(LAW_1, stated), z, 0, sigma_w**2)
    reached = sp.Integer(1)
    for _ in range(5):
        reached = value_of(NEXT, stated).subs(layer, reached).doit()
    yield agree("layer reached from layer 1 in five steps", reached, 6)


@SECTION.holds("E-Eq80", "The law of a pre-activation", printed=equation(LAW_L, LAW), assumes=LIMITS, at="Eq. 80")
@SECTION.holds(
    "E-Eq76-78",
    "The law over the data of what BatchNorm and a Dense make",
    printed=equation(LAW_I, LAW),
    assumes="“infinite-width limit” (appendix B)",
    at="Eqs. 76 to 78",
    where="the nodes need only be nearly uncorrelated over the data, not independent",
)
@SECTION.holds(
    "E-Eq65-68",
    "The law over the data of a node of the first layer",
    printed=equation(LAW_I1, LAW),
    at="Eqs. 65 to 68",
    where="D is here the input dimension d (elsewhere the number of data), and goes to infinity",
)
def every_layer(stated: Any) -> Findings:
    """A sum of independent Gaussians is Gaussian. Its variance S = sum_j w_j^2 is random over the weights, and tends to
    sigma_w^2. Behind B, of variance 1, the same holds, as covariances of nodes add a term that vanishes (E-Eq25).
    """
    yield from normalised()
    second, fourth = (normal_moment(k, sigma_w**2 / d) for k in (2, 4))
    mean = sp.Sum(second, (j, 1, d))
    yield identity("E_W S", mean, sigma_w**2)
    yield identity("Var_W S", sp.Limit(d * (fourth.doit() - second.doit() ** 2), d, sp.oo), 0)
    law = value_of(stated.lhs, stated)
    yield shown("the statement is on one of these nodes", stated.lhs in (LAW_I1, LAW_I, LAW_L), str(stated.lhs))
    yield from normal("Z", law, z, 0, mean.doit())
    predicted = network(12).predict(digits=30).per_layer.var_chi
    for i in {LAW_I1: (0,)}.get(stated.lhs, (1, 6, 12)):
        yield agree(f"Var_chi(Z) of layer {i + 1}, predicted", predicted[i], variance(law, z), 28)


@SECTION.holds(
    "E-Eq69",
    "The law of an output of ReLU",
    printed=equation(LAW_OF_Y, sp.DiracDelta(y) / 2 + sp.Heaviside(y) * npdf(y, 0, sigma_w)),
    at="Eq. 69",
)
def law_behind_relu(stated: Any) -> list[Finding]:
    """The atom is P(Z < 0), the density the derivative of P(Z < y)."""
    return rectified("Y", value_of(LAW_OF_Y, stated), y, 0, sigma_w)


@SECTION.fails(
    "E-Eq70",
    "BatchNorm is printed with the variance as its divisor",
    printed=equation(B, (Y - E_Y) / Var_Y),
    counter_example="assert (diff(printed, Y) ** 2 * Var_Y).subs(Var_Y, 1 - 1 / pi) > 1.4  # Var(B), 1 in the text",
    correction="The divisor is the standard deviation, as the text after it needs",
    misprint=True,
    at="Eq. 70",
    right=equation(B, (Y - E_Y) / sp.sqrt(Var_Y)),
)
def batchnorm(stated: Any) -> Findings:
    """The paper goes on with a B of mean 0 and variance 1."""
    said = value_of(B, stated)
    yield identity("E B", sp.Subs(said, Y, E_Y), 0)
    yield identity("Var B", sp.Derivative(said, Y) ** 2 * Var_Y, 1)


@SECTION.holds(
    "E-Eq71-73",
    "Mean, mean square and variance of an output of ReLU",
    printed=(
        equation(E_CHI(Y), sigma_w / sp.sqrt(2 * sp.pi)),
        equation(E_CHI(Y**2), sigma_w**2 / 2),
        equation(VAR_CHI(Y), sigma_w**2 / 2 * (1 - 1 / sp.pi)),
    ),
    at="Eqs. 71 to 73",
)
def moments_behind_relu(stated: Any) -> Findings:
    """The integrals are over the positive half line; the atom at 0 adds nothing. (Eq. 73 exchanges two indices.)"""
    derived = {E_CHI(Y): moment(1), E_CHI(Y**2): moment(2), VAR_CHI(Y): moment(2) - moment(1) ** 2}
    for quantity, integral in derived.items():
        yield identity(f"{quantity} by integration", integral, value_of(quantity, stated))


def normalised_law(weight: Any, place: Any, size: Any) -> Any:
    """A law with an atom and above it a part of a Gaussian around its place, as the statement that B has it."""
    return equation(LAW_OF_B, weight + sp.Heaviside(weight.atoms(sp.DiracDelta).pop().args[0]) * npdf(b, place, size))


PRINTED = normalised_law(sp.DiracDelta((b - a) / alpha) / 2, a, sigma_w / alpha)
RIGHT = normalised_law(sp.DiracDelta(b - CENTRE) / 2, CENTRE, sp.sqrt(2 * sp.pi / (sp.pi - 1)))


def atom_and_part(stated: Any) -> tuple[Any, Any, Any, Any]:
    """Place and weight of the atom of a law, where its part begins, and the density there."""
    law = value_of(LAW_OF_B, stated)
    atom, step = (next(iter(law.atoms(kind))) for kind in (sp.DiracDelta, sp.Heaviside))
    place, start = (sp.solve(jump.args[0], b)[0] for jump in (atom, step))
    values = place, law.coeff(atom) / sp.diff(atom.args[0], b), start, law.coeff(step)
    return tuple(value.subs(MOMENTS) for value in values)


@SECTION.fails(
    "E-Eq74",
    "The law of B = (Y - a)/alpha, a and alpha the mean and the deviation of Y, is printed with its atom and its "
    "centre at a, and said to be “centered at zero with unit variance”",
    printed=PRINTED,
    counter_example="""
# sigma_w^2 = 2: delta((b-a)/alpha) = alpha delta(b-a), so that the printed density has the mass alpha/2 + 1/2
root = sqrt(1 - 1 / pi)
assert integrate(printed.coeff(DiracDelta((b - a) / alpha)) * DiracDelta(b / root), (b, -1, 1)) < 0.42
""",
    correction="Atom and centre are at -a/alpha, and sigma_w drops out; the law is then “centered at zero with unit "
    "variance”, as the text says",
    misprint=True,
    at="Eq. 74",
    right=RIGHT,
)
def law_of_the_normalised(stated: Any) -> Findings:
    """By b = (y - a)/alpha the atom goes from 0 to -a/alpha and keeps its weight, and P(B < b) = P(Z < a + alpha b).
    The second printed form is the first with a and alpha inserted. Mass, mean and variance are at sigma_w = 1.3. Not
    noticed: the value of the step where it jumps.
    """
    place, weight, start, part = atom_and_part(stated)
    for name, jump in (("the atom", place), ("the end of the part", start)):
        yield identity(f"place of {name}", (-a / alpha).subs(MOMENTS), jump, of=-a / alpha)
    yield identity("its weight", sp.Integral(LAW, (z, -sp.oo, 0)), weight)
    slope = sp.Derivative(ncdf((a + alpha * b) / sigma_w), b).doit().subs(MOMENTS)
    yield identity("density above it", slope, part, of=sp.Derivative(sp.Symbol("P(Z < a + alpha b)"), b))
    place, weight, start, part = (value.subs(sigma_w, sp.Rational(13, 10)) for value in atom_and_part(stated))
    density, low = sp.lambdify(b, part, "mpmath"), mp.mpf(start.evalf(15))
    for power, expected in enumerate((1, 0, 1)):
        above = mp.quad(lambda x, power=power: x**power * density(x), [low, low + 4, low + 12])
        yield agree(f"1 + moment {power}", 1 + (place**power * weight).evalf() + above, 1 + expected, 9)


@SECTION.fails(
    "E-Eq75",
    "What the next Dense makes of the B_j is printed as Y_i^(l+1), the letter of an output of ReLU",
    printed=equation(READ_BY_Y, READ),
    counter_example="w, B = (1, -1), (0, 1)\nassert sum(x * y for x, y in zip(w, B)) < 0  # no value of max(Z, 0)",
    correction="It is Z_i^(l+1), as in the equations that follow",
    misprint=True,
    at="Eq. 75",
    right=equation(READ_BY_Z, READ),
)
def next_sum(stated: Any) -> Findings:
    """A misprint of a letter. E B = 0 gives the sum the mean 0, which Y has not."""
    means = {READ_BY_Y: moment(1), READ_BY_Z: sp.Integral(z * LAW, (z, -sp.oo, sp.oo))}
    of_sum = (
        value_of(stated.lhs, stated).subs(N, 2).doit().subs({sp.IndexedBase("B")[k]: E_B for k in (1, 2)}).subs(E_B, 0)
    )
    yield identity("mean over the data", means[stated.lhs], of_sum)


@SECTION.fails(
    "E-Eq79",
    "The second moment of B is printed as Var B - (E B)^2",
    printed=equation(E_CHI(B**2), Var_B - E_B**2),
    counter_example="assert printed.subs({Var_B: 0, E_B: 1}) < 0  # of the constant 1, whose square has the mean 1",
    correction="It is Var B + (E B)^2",
    misprint=True,
    at="Eq. 79",
    right=equation(E_CHI(B**2), Var_B + E_B**2),
)
def second_moment(stated: Any) -> Findings:
    """A sign. It does no harm where it is used, as E B = 0 there; tested on Y, whose mean is not 0."""
    spread = MOMENTS[a] ** 2 / 2 + sp.Integral(sp.expand((y - MOMENTS[a]) ** 2) * npdf(y, 0, sigma_w), (y, 0, sp.oo))
    yield identity("for Y", moment(2), value_of(E_CHI(B**2), stated).subs({Var_B: spread, E_B: moment(1)}))


@SECTION.holds(
    "E-bal",
    "“each class is predicted with equal probability”, regardless of the depth",
    at="section E.2.1, last paragraph",
    printed=equation(G_0, sp.Rational(1, 2)),
    assumes=LIMITS,
)
def balanced_guesses(trial: Trial, stated: Any) -> Findings:
    """G0 = Phi(sqrt(gamma) u) with gamma = 0. On D data of correlation -1/(D - 1) its variance is below 1/(4 D)."""
    yield identity("G0 as gamma tends to 0", sp.Limit(ncdf(sp.sqrt(gamma) * u), gamma, 0), value_of(G_0, stated))
    for depth in (1, 5):
        law = network(depth).predict().G0
        for at, value in ((0.499, 0), (0.501, 1)):
            yield agree(f"1 + P(G0 < {at}), depth {depth}, predicted", 1 + law.cdf(at), 1 + value, 12)
    expected, shape = g0_variance(-sp.Rational(1, DATA)), (20, DATA, (128, 256, 512))
    label = f"Var(G0) on {DATA} data less that of coins, depth 1"
    yield drawn_limit(trial, label, variance_of_guesses, expected, 0, shape=shape, phi=normed)


@SECTION.holds(
    "E-Eq81",
    "The law of an output over the data with BatchNorm over batches",
    at="Eq. 81",
    printed=equation(OUTPUT, npdf(o, 0, sigma_w * sp.sqrt(SPREAD_B))),
    assumes="“in the limit of infinite width and dataset size” (Theorem E.2)",
    where="a batch without spread is normalised to 0",
)
def mini_batches(trial: Trial, stated: Any) -> Findings:
    """The sum of B over each batch is 0, so that each centre is 0 at any width. Where a batch has any spread E B^2 = 1.
    In the first layer ReLU cuts off all n data of a batch with probability 2^-n; in deeper ones their sum is 0.
    """
    values = sp.symbols("y_1:4", positive=True)
    mean = sum(values) / sp.Integer(3)
    deviation = sp.sqrt(sum((x - mean) ** 2 for x in values) / 3)
    for power, expected in ((1, 0), (2, 3)):
        total = sum(((x - mean) / deviation) ** power for x in values)
        yield identity(f"sum of B^{power} over a batch of three", total, expected)
    law = value_of(OUTPUT, stated)
    yield from normal("O_c", law, o, 0, sigma_w**2 * SPREAD_B)
    first, second = (variance(law, o).subs(SPREAD_B, spread) for spread in (1 - sp.Rational(1, 2**4), 1))
    predicted = network(2, batch_size=4).predict().per_layer.var_chi
    for i, expected_variance in ((1, first), (2, second)):
        yield agree(f"var_chi of layer {i}, n = 4, predicted", predicted[i], expected_variance, 12)

    def behind(h: Any) -> Any:
        y = relu(h)
        deviation = y.std(axis=1, keepdims=True)
        return (y - y.mean(axis=1, keepdims=True)) / np.where(deviation > 0, deviation, 1)

    def drawn(units: Any) -> tuple[float, float]:
        return mean_with_error(1.5 * (units**2).mean(axis=(1, 2)))

    yield at_width(trial, "var_chi of layer 1, n = 4", drawn, first, second, shape=(100, 4, 4000), phi=behind)
    units = hidden_units(trial.rng, (2, 4, 1000), depth=2, phi=behind)
    yield agree("var_chi of layer 2, n = 4, drawn", drawn(units)[0], second, 5)
