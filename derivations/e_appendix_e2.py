"""Where you place the norm, appendix E.2: BatchNorm behind ReLU.

Every hidden layer is Dense, ReLU, BatchNorm. A pre-activation Z ~ N(0, sigma_w^2) gives Y = max(Z, 0) with mean a and
standard deviation alpha over the data; BatchNorm makes B = (Y - a)/alpha of it, and the next Dense

    Z' = sum_j w_j B_j,   E_chi Z' = sum_j w_j E B_j = 0,   Var_chi Z' -> sigma_w^2 E B^2 = sigma_w^2.

So Z' has the law of Z, layer by layer, and no centre differs from another: gamma = 0.
"""

from typing import Any

import mpmath as mp
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Findings, Section, Trial, agree, equation, identity, normal, rectified, simulated
from igbtheory.claims.gaussians import g0_variance, ncdf, normal_moment, npdf, relu_moment, variance_of
from igbtheory.claims.simulated import drawn_limit, excess_kurtosis, relu, standardised

SECTION = Section("Where you place the norm, appendix E.2: BatchNorm behind ReLU", "E E.2")

sigma_w, a, alpha, v = sp.symbols("sigma_w a alpha v", positive=True)
d, layer, N, j = sp.symbols("d l N j", positive=True, integer=True)
b, o, u, y, z = sp.symbols("b o u y z", real=True)
Y, E_Y, E_B, Var_B = sp.symbols("Y E_Y E_B Var_B", real=True)
Var_Y, gamma = sp.symbols("Var_Y gamma", positive=True)
MOMENTS = {a: sigma_w / sp.sqrt(2 * sp.pi), alpha: sigma_w * sp.sqrt((1 - 1 / sp.pi) / 2)}
"""Mean and standard deviation of Y: E-Eq71 and E-Eq73."""
LAW = npdf(z, 0, sigma_w)
MEAN, SQUARE, SPREAD = r"\mathbb{E}_\chi(Y)", r"\mathbb{E}_\chi(Y^2)", r"\mathrm{Var}_\chi(Y)"
NEXT, SPREAD_B = r"\text{next layer}", sp.Symbol("Var_B", positive=True)
READ = sp.Sum(sp.IndexedBase("w")[sp.Symbol("i"), j] * sp.IndexedBase("B")[j], (j, 1, N))
LIMITS = "full batch; widths, input dimension and number of data to infinity at fixed depth"
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
    "ReLU, then BatchNorm over all data: an output is N(0, sigma_w^2) over the data at any depth, and the law of its "
    "centre collapses to a delta function at 0",
    printed=(equation("f_{O_c}(o)", npdf(o, 0, sigma_w)), equation(r"\mathrm{Var}_{\mathcal W}(\mu_c)", 0)),
    assumes=LIMITS,
)
def balanced_outputs(trial: Trial, stated: Any) -> Findings:
    """B has the mean 0 and the variance 1 whatever variance v enters, so every layer starts from the same law. The
    outputs are Gaussian over the data as in E-ThmE.1. With D data sum_a B_a = 0, so that outputs have the mean 0.
    """
    yield from normalised()
    square, mean = (relu_moment(k, sp.sqrt(v)) for k in (2, 1))
    yield identity("E B^2 for any variance v of Z", (square - mean**2) / (v * (1 - 1 / sp.pi) / 2), 1)
    yield from normal("O_c", stated[0].rhs, o, 0, sigma_w**2)
    for depth in (1, 6):
        found = network(depth).predict(digits=30)
        yield agree(f"Var_chi(O), depth {depth}, predicted", found.var_chi, variance(stated[0].rhs, o), 28)
        yield agree(f"1 + Var_W(mu), depth {depth}, predicted", 1 + found.var_mu, 1 + stated[1].rhs, 28)
    shape = 100, DATA, (64, 128)
    yield drawn_limit(trial, "excess kurtosis of O_c, depth 3", excess_kurtosis, 0, shape=shape, depth=3, phi=normed)


@SECTION.fails(
    "E-Eq64",
    "induction: Z of layer 1 is N(0, sigma_w^2), and if Z of layer l is, so is Z of layer 1+1",
    printed=(equation("f_{Z^{(1)}}(z)", LAW), equation(NEXT, sp.Add(1, 1, evaluate=False))),
    counter_example="assert printed[1] != 3 + 1  # the layer behind layer 3",
    correction="the next layer is l + 1",
    right=(equation("f_{Z^{(1)}}(z)", LAW), equation(NEXT, layer + 1)),
    right_assumes="full batch, widths to infinity",
)
def induction(stated: Any) -> Findings:
    """An index is misprinted: as printed the induction ends at layer 2. E-Eq65-68 has the first layer."""
    yield from normalised()
    yield from normal("Z", stated[0].rhs, z, 0, sigma_w**2)
    reached = sp.Integer(1)
    for _ in range(5):
        reached = stated[1].rhs.subs(layer, reached).doit()
    yield agree("layer reached from layer 1 in five steps", reached, 6)


@SECTION.holds("E-Eq80", "the law of every pre-activation", printed=equation("f_{Z^{(l+1)}}(z)", LAW), assumes=LIMITS)
@SECTION.holds(
    "E-Eq76-78",
    "Z^(l+1) is Gaussian over the data with mean E(B) sum_j w_ij = 0 and variance E(B^2) sum_j w_ij^2 = sigma_w^2",
    printed=equation("f_{Z_i^{(l+1)}}(z)", LAW),
    assumes="width to infinity; the nodes need only be nearly uncorrelated over the data, not independent",
)
@SECTION.holds(
    "E-Eq65-68",
    "Z_i^(1) = sum_j w_ij X_j has over the data the variance D sigma_w^2/D = sigma_w^2 and is Gaussian",
    printed=equation("f_{Z_i^{(1)}}(z)", LAW),
    assumes="D is here the input dimension d (elsewhere the number of data), and goes to infinity",
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
    yield from normal("Z", stated.rhs, z, 0, mean.doit())
    found = network(12).predict(digits=30).per_layer.var_chi
    for i in (0, 1, 6, 12):
        yield agree(f"Var_chi(Z) of layer {i + 1}, predicted", found[i], variance(stated.rhs, z), 28)


@SECTION.holds(
    "E-Eq69",
    "the law of Y = max(Z, 0): half the mass at 0, and N(y; 0, sigma_w^2) for y > 0",
    printed=equation("f_{Y}(y)", sp.DiracDelta(y) / 2 + sp.Heaviside(y) * npdf(y, 0, sigma_w)),
)
def law_behind_relu(stated: Any) -> list[Finding]:
    """The atom is P(Z < 0), the density the derivative of P(Z < y)."""
    return rectified("Y", stated.rhs, y, 0, sigma_w)


@SECTION.fails(
    "E-Eq70",
    "BatchNorm divides by the variance",
    printed=equation("B", (Y - E_Y) / Var_Y),
    counter_example="assert (diff(printed, Y) ** 2 * Var_Y).subs(Var_Y, 1 - 1 / pi) > 1.4  # Var(B), 1 in the text",
    correction="it divides by the standard deviation, as in Eq. 134",
    right=equation("B", (Y - E_Y) / sp.sqrt(Var_Y)),
)
def batchnorm(stated: Any) -> Findings:
    """The paper goes on with a B of mean 0 and variance 1."""
    yield identity("E B", sp.Subs(stated.rhs, Y, E_Y), 0)
    yield identity("Var B", sp.Derivative(stated.rhs, Y) ** 2 * Var_Y, 1)


@SECTION.holds("E-Eq73", "the variance of Y", printed=equation(SPREAD, sigma_w**2 / 2 * (1 - 1 / sp.pi)))
@SECTION.holds("E-Eq72", "half of E Z^2", printed=equation(SQUARE, sigma_w**2 / 2))
@SECTION.holds("E-Eq71", "the mean of Y", printed=equation(MEAN, sigma_w / sp.sqrt(2 * sp.pi)))
def moments_behind_relu(stated: Any) -> Findings:
    """The integrals are over the positive half line; the atom at 0 adds nothing. (Eq. 73 exchanges two indices.)"""
    derived = {MEAN: moment(1), SQUARE: moment(2), SPREAD: moment(2) - moment(1) ** 2}
    yield identity("by integration", derived[stated.lhs.name], stated.rhs)


def normalised_law(weight: Any, place: Any, size: Any) -> Any:
    """A law with an atom and above it a part of a Gaussian around its place, as the statement that B has it."""
    return equation("f_{B}(b)", weight + sp.Heaviside(weight.atoms(sp.DiracDelta).pop().args[0]) * npdf(b, place, size))


PRINTED = normalised_law(sp.DiracDelta((b - a) / alpha) / 2, a, sigma_w / alpha)
RIGHT = normalised_law(sp.DiracDelta(b - CENTRE) / 2, CENTRE, sp.sqrt(2 * sp.pi / (sp.pi - 1)))


def atom_and_part(stated: Any) -> tuple[Any, Any, Any, Any]:
    """Place and weight of the atom of a law, where its part begins, and the density there."""
    atom, step = (next(iter(stated.rhs.atoms(kind))) for kind in (sp.DiracDelta, sp.Heaviside))
    place, start = (sp.solve(jump.args[0], b)[0] for jump in (atom, step))
    values = place, stated.rhs.coeff(atom) / sp.diff(atom.args[0], b), start, stated.rhs.coeff(step)
    return tuple(value.subs(MOMENTS) for value in values)


@SECTION.fails(
    "E-74claim",
    "one easily verifies that the density of Eq. 74 is centred at zero and has unit variance",
    printed=PRINTED,
    counter_example="assert solve(next(iter(printed.atoms(Heaviside))).args[0], b) == [a]  # no mass below a > 0",
    correction="the corrected density has mean 0 and variance 1",
    right=RIGHT,
)
@SECTION.fails(
    "E-Eq74",
    "the law of B = (Y - a)/alpha, a and alpha the mean and the deviation of Y, has its atom and its centre at a",
    printed=PRINTED,
    counter_example="""
# sigma_w^2 = 2: delta((b-a)/alpha) = alpha delta(b-a), so that the printed density has the mass alpha/2 + 1/2
root = sqrt(1 - 1 / pi)
assert integrate(printed.coeff(DiracDelta((b - a) / alpha)) * DiracDelta(b / root), (b, -1, 1)) < 0.42
""",
    correction="they are at -a/alpha = -1/sqrt(pi-1), and the deviation is sigma_w/alpha, in which sigma_w drops out",
    right=RIGHT,
)
def law_of_the_normalised(stated: Any) -> Findings:
    """By b = (y - a)/alpha the atom goes from 0 to -a/alpha and keeps its weight, and P(B < b) = P(Z < a + alpha b).
    The second printed form is the first with a and alpha inserted. Mass, mean and variance are at sigma_w = 1.3. Not
    noticed: the value of the step where it jumps.
    """
    place, weight, start, part = atom_and_part(stated)
    for name, found in (("the atom", place), ("the end of the part", start)):
        yield identity(f"place of {name}", (-a / alpha).subs(MOMENTS), found, of=-a / alpha)
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
    "what the next Dense makes of the B_j is Y_i^(l+1), by Eq. 69 a value behind ReLU",
    printed=equation("Y_i^{(l+1)}", READ),
    counter_example="w, B = (1, -1), (0, 1)\nassert sum(x * y for x, y in zip(w, B)) < 0  # no value of max(Z, 0)",
    correction="it is Z_i^(l+1), as in the equations that follow",
    right=equation("Z_i^{(l+1)}", READ),
)
def next_sum(stated: Any) -> Findings:
    """A misprint of a letter. E B = 0 gives the sum the mean 0, which Y has not."""
    means = {"Y": moment(1), "Z": sp.Integral(z * LAW, (z, -sp.oo, sp.oo))}
    of_sum = stated.rhs.subs(N, 2).doit().subs({sp.IndexedBase("B")[k]: E_B for k in (1, 2)}).subs(E_B, 0)
    yield identity("mean over the data", means[stated.lhs.name[0]], of_sum)


@SECTION.fails(
    "E-Eq79",
    "the second moment of B is Var B - (E B)^2",
    printed=equation(r"\mathbb{E}_\chi(B^2)", Var_B - E_B**2),
    counter_example="assert printed.subs({Var_B: 0, E_B: 1}) < 0  # of the constant 1, whose square has the mean 1",
    correction="it is Var B + (E B)^2, which is 1 + 0 here",
    right=equation(r"\mathbb{E}_\chi(B^2)", Var_B + E_B**2),
)
def second_moment(stated: Any) -> Findings:
    """A sign. It does no harm where it is used, as E B = 0 there; tested on Y, whose mean is not 0."""
    spread = MOMENTS[a] ** 2 / 2 + sp.Integral(sp.expand((y - MOMENTS[a]) ** 2) * npdf(y, 0, sigma_w), (y, 0, sp.oo))
    yield identity("for Y", moment(2), stated.rhs.subs({Var_B: spread, E_B: moment(1)}))


@SECTION.holds(
    "E-bal",
    "each class is predicted with equal probability, regardless of the depth",
    printed=equation("G_0", sp.Rational(1, 2)),
    assumes=LIMITS,
)
def balanced_guesses(trial: Trial, stated: Any) -> Findings:
    """G0 = Phi(sqrt(gamma) u) with gamma = 0. On D data of correlation -1/(D - 1) its variance is below 1/(4 D)."""
    yield identity("G0 as gamma tends to 0", sp.Limit(ncdf(sp.sqrt(gamma) * u), gamma, 0), stated.rhs)
    for depth in (1, 5):
        law = network(depth).predict().G0
        for at, value in ((0.499, 0), (0.501, 1)):
            yield agree(f"1 + P(G0 < {at}), depth {depth}, predicted", 1 + law.cdf(at), 1 + value, 12)
    expected, shape = g0_variance(-sp.Rational(1, DATA)), (100, DATA, (64, 128, 256))
    label = f"Var(G0) on {DATA} data less that of coins, depth 1"
    yield drawn_limit(trial, label, simulated.variance_of_guesses, expected, 0, shape=shape, phi=normed)


@SECTION.holds(
    "E-Eq81",
    "mini-batches: outputs are Gaussian over the data with centre 0",
    printed=equation("f_{O_c}(o)", npdf(o, 0, sigma_w * sp.sqrt(SPREAD_B))),
    assumes="widths to infinity; a batch without spread is normalised to 0",
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
    yield from normal("O_c", stated.rhs, o, 0, sigma_w**2 * SPREAD_B)
    of_layer = {1: 1 - sp.Rational(1, 2**4), 2: sp.Integer(1)}
    rows = {f"var_chi[{i}]": variance(stated.rhs, o).subs(SPREAD_B, value) for i, value in of_layer.items()}
    found = network(2, batch_size=4).predict().per_layer.var_chi
    for i, expected in enumerate(rows.values(), 1):
        yield agree(f"var_chi of layer {i}, n = 4, predicted", found[i], expected, 12)
    other = {"var_chi[1]": rows["var_chi[2]"]}
    yield from simulated.extrapolated(trial, network(2, batch_size=4), rows, against=other)
