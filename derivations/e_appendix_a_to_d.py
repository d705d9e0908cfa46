"""Where you place the norm, appendices A to D: notation, the law of the guesses, and conditions for Gaussian limits."""

from collections.abc import Iterator

import mpmath
import numpy as np
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, shown

SECTION = Section("Where you place the norm: appendices A to D")

for name, says in (
    ("E-Eq1", "Z_i^(l+1) = sum_j w_ij^(l+1) X_j^(l)"),
    ("E-Eq2", "X = X({Z_a}) = composition of norm and activation"),
    ("E-Eq3", "Z_c^(L+1) = O_c"),
    ("E-Eq4", "BN operator with batch mean and 1/n variance, eps, alpha, beta"),
    ("E-Eq5", "LN operator"),
    ("E-4set", "four settings B.phi, phi.B, L.phi, phi.L"),
    ("E-cdf", "F_X(x) = P(X < x)"),
    ("E-Wl", "index ranges j in [0..N_l], i in [0..N_{l+1}]"),
    ("E-AppB-w", "w_ij^(l) ~ N(0, sw2/N_l), N_l = width of layer l"),
    ("E-Eq9 / 82", "gamma(A, psi(chi)) = Var_W(mu_c)/Var_chi(O_c)"),
):
    SECTION.undecided(name, says, "a definition")
SECTION.undecided(
    "E-C.1", "two-timescale picture of training from prejudiced and neutral starts", "it needs training runs"
)


@SECTION.fails(
    "E-erf",
    "erf(y) = (2/sqrt(pi)) int_0^x exp(-t^2) dt",
    printed=r"\mathrm{erf}(y) = \frac{2}{\sqrt{\pi}} \int_0^x e^{-t^2}\,dt",
    counter_example=(
        "from math import erf, exp, pi, sqrt\n"
        "y, x = 1.0, 2.0  # the right side does not depend on y\n"
        "assert abs(erf(y) - erf(x)) > 0.1"
    ),
)
def error_function() -> Iterator[Finding]:
    """The variable on the left and the limit on the right are two different letters."""
    x, y = sp.symbols("x y", positive=True)
    t = sp.Symbol("t", positive=True)
    yield identity("as printed", sp.erf(y), 2 / sp.sqrt(sp.pi) * sp.integrate(sp.exp(-(t**2)), (t, 0, x)))


@SECTION.corrects("E-erf", "erf(y) = (2/sqrt(pi)) int_0^y exp(-t^2) dt")
def error_function_of_its_limit() -> Iterator[Finding]:
    """One letter for both."""
    y, t = sp.symbols("y t", positive=True)
    yield identity("by integration", sp.erf(y), 2 / sp.sqrt(sp.pi) * sp.integrate(sp.exp(-(t**2)), (t, 0, y)))


@SECTION.fails(
    "E-pdf",
    "the density f_X at x' equals F_X(x) at x = x'",
    counter_example=("from statistics import NormalDist\nX = NormalDist()\nassert X.pdf(0) < 0.4 and X.cdf(0) == 0.5"),
)
def density() -> Iterator[Finding]:
    """The derivative is missing: a distribution function tends to 1, a density to 0."""
    x = sp.Symbol("x", real=True)
    normal = sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)
    yield identity("standard normal law", normal, (1 + sp.erf(x / sp.sqrt(2))) / 2)


@SECTION.corrects("E-pdf", "the density f_X at x' equals dF_X(x)/dx at x = x'")
def density_as_a_derivative() -> Iterator[Finding]:
    """For the standard normal law, which stands for any smooth one."""
    x = sp.Symbol("x", real=True)
    normal = sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)
    yield identity("standard normal law", normal, sp.diff((1 + sp.erf(x / sp.sqrt(2))) / 2, x))


@SECTION.fails(
    "E-AppB-gen",
    "results hold broadly across generic activation functions",
    counter_example=(
        "import igbtheory as igb\n"
        "# F.2 (LN in front leaves gamma) for GELU\n"
        "normed = igb.mlp(3, 'gelu', norm='layer').predict().gamma\n"
        "assert abs(normed / igb.mlp(3, 'gelu').predict().gamma - 1) > 0.1"
    ),
)
def generic_activations() -> Iterator[Finding]:
    """Theorem F.2 uses phi(a x) = a phi(x), which GELU does not have."""
    normed, plain = (igb.mlp(3, "gelu", norm=norm).predict().gamma for norm in ("layer", None))
    yield agree("gamma of LN + GELU and of GELU, depth 3", normed, plain, 2)


@SECTION.corrects(
    "E-AppB-gen", "F.2 holds for phi homogeneous of degree 1; E.1 in its form gamma = (E phi)^2/Var phi for any"
)
def homogeneous_activations() -> Iterator[Finding]:
    """With phi(a x) = a phi(x) a norm in front of phi is a factor behind it; BN makes every node N(0, 1)."""
    for activation in ("leaky_relu", "prelu", "abs"):
        normed, plain = (igb.mlp(5, activation, norm=norm).predict().gamma for norm in ("layer", None))
        yield agree(f"LN + {activation}, depth 5", normed, plain, 12)
    for activation, phi in (("gelu", lambda z: z * mpmath.ncdf(z)), ("sigmoid", lambda z: 1 / (1 + mpmath.exp(-z)))):
        mean, square = (
            mpmath.quad(lambda z, k=k, f=phi: f(z) ** k * mpmath.npdf(z), [-12, -4, 0, 4, 12]) for k in (1, 2)
        )
        gamma = igb.mlp(4, activation, norm="batch").predict().gamma
        yield agree(f"BN + {activation}, depth 4", gamma, mean**2 / (square - mean**2), 11)


@SECTION.holds("E-Eq6", "lim_D G0 = P(O_0 > O_1 given W) = int_0^inf f_Delta(x) dx")
def share_of_class_zero() -> Iterator[Finding]:
    """The law of large numbers over independent data gives the first equality; the event is Delta = O_0 - O_1 > 0. For
    Delta ~ N(m, v) over the data the integral is Phi(m/sqrt v).
    """
    m, x = sp.symbols("m x", real=True)
    s = sp.Symbol("s", positive=True)
    normal = sp.exp(-((x - m) ** 2) / (2 * s**2)) / (s * sp.sqrt(2 * sp.pi))
    integral = sp.integrate(normal, (x, 0, sp.oo)).rewrite(sp.erf)
    yield identity("integral", integral, (1 + sp.erf(m / (s * sp.sqrt(2)))) / 2)


@SECTION.holds(
    "E-ThmC.1 / Eq7-8", "over the data an output is Gaussian, over the weights so is its centre", assumes="N -> inf"
)
def gaussian_outputs(trial: Trial) -> Iterator[Finding]:
    """O = sum_j w_j y_j over N nodes with w_j ~ N(0, sw2/N). Given the y_j it is exactly Gaussian over w, of variance
    sw2 <y^2>; its excess kurtosis is 3 Var<y^2>/<y^2>^2, that of a mean over N nodes: 3 Var(y^2)/(N (E y^2)^2). For
    ReLU of N(0, 1): E y^2 = 1/2, E y^4 = 3/2, so Var(y^2)/(E y^2)^2 = 5 and the kurtosis is 15/N: it vanishes like 1/N.
    """
    z = sp.Symbol("z", real=True)
    normal = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    square, fourth = (sp.integrate(z**k * normal, (z, 0, sp.oo)) for k in (2, 4))
    yield identity("3 Var(y^2)/(E y^2)^2", 3 * (fourth - square**2) / square**2, 15)
    for width in (4, 16):
        networks = trial.draws(400_000)
        outputs = []
        for part in np.array_split(np.arange(networks), 20):
            y = np.maximum(trial.rng.standard_normal((part.size, width)), 0)
            outputs.append((y * trial.rng.standard_normal(y.shape)).sum(axis=1) / np.sqrt(width / 2))
        x = np.concatenate(outputs)
        # the fourth power has heavy tails: its own scatter, over 20 parts, is the error
        parts = np.array([np.mean(part**4) / np.mean(part**2) ** 2 - 3 for part in np.array_split(x, 20)])
        error = float(parts.std(ddof=1) / np.sqrt(20))
        yield measured(trial, f"excess kurtosis, {width} nodes", float(parts.mean()), error, 15 / width, against=0)


@SECTION.holds("E-CLT", "(xbar_n - mu)/(sigma/sqrt n) -> N(0, 1)", assumes="iid, finite variance")
def central_limit() -> Iterator[Finding]:
    """Cumulants of a sum add: the k-th of the standardised mean is kappa_k n^(1 - k/2)/sigma^k, which vanishes for k >
    2 and is 0, 1 for k = 1, 2. Where the cumulants do not exist, the characteristic function 1 - t^2/(2 n) + o(1/n) to
    the power n tends to exp(-t^2/2).
    """
    n, t = sp.symbols("n t", positive=True)
    yield identity(
        "limit of the characteristic function", sp.limit((1 - t**2 / (2 * n)) ** n, n, sp.oo), sp.exp(-(t**2) / 2)
    )
    yield identity("third cumulant", sp.limit(n ** (1 - sp.Rational(3, 2)), n, sp.oo), 0)


@SECTION.fails(
    "E-Lind",
    "Lindeberg condition (1/s_n^2) sum int_{|x| >= eps s_n} (x - mu_i)^2 dF -> 0",
    counter_example=(
        "# X_i = i + N(0, 1): the standardised sum is exactly N(0, 1) at every n, yet the printed sum tends to 1\n"
        "from math import sqrt\n"
        "from statistics import NormalDist\n"
        "n, eps = 10_000, 0.1\n"
        "inside = sum(NormalDist(i).cdf(eps * sqrt(n)) for i in range(1, n + 1))\n"
        "assert inside / n < 0.01  # nearly all of the variance lies where |x| >= eps s_n"
    ),
)
def lindeberg() -> Iterator[Finding]:
    """Printed is |x| where Lindeberg has |x - mu_i|. For variables that are not centred these are two conditions: with
    X_i = i + N(0, 1) the true one holds, the printed one does not, as |X_i| is far above eps s_n = eps sqrt(n).
    """
    n, eps = 10_000, 0.1
    share = np.mean([mpmath.ncdf(eps * np.sqrt(n) - i) for i in range(1, n + 1)])
    yield shown(
        "the printed sum for X_i = i + N(0, 1), n = 10,000, is small", 1 - share < 0.5, f"{float(1 - share):.4f}"
    )


@SECTION.corrects("E-Lind", "Lindeberg condition (1/s_n^2) sum int_{|x - mu_i| >= eps s_n} (x - mu_i)^2 dF -> 0")
def lindeberg_about_the_mean() -> Iterator[Finding]:
    """The same variables: the deviations are N(0, 1), and their variance beyond eps sqrt(n) vanishes."""
    eps, n = sp.Rational(1, 10), sp.Symbol("n", positive=True)
    x = sp.Symbol("x", real=True)
    end = eps * sp.sqrt(n)
    beyond = 2 * sp.integrate(x**2 * sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi), (x, end, sp.oo))
    yield identity("limit for X_i = i + N(0, 1)", sp.limit(beyond, n, sp.oo), 0)


@SECTION.holds("E-ThmD.1", "the Lindeberg condition implies Z_n -> N(0, 1)")
def lindeberg_theorem() -> Iterator[Finding]:
    """Lindeberg's theorem. Its engine: replacing X_i by a Gaussian of the same variance changes E f(S_n/s_n), f smooth,
    by at most a sum of E min(X_i^2/s_n^2, |X_i|^3/s_n^3), which is eps plus the printed sum. The printed condition is
    never weaker for centred variables, which may be assumed. Shown here on variables that are not alike: uniform ones
    of widths i^(1/4), whose excess kurtosis -6/5 sum v_i^2/s_n^4 vanishes.
    """
    n, i = sp.symbols("n i", positive=True, integer=True)
    total = sp.integrate(sp.sqrt(i), (i, 0, n))  # v_i is a multiple of sqrt(i); sums behave as integrals
    fourth = sp.integrate(i, (i, 0, n))
    yield identity("sum of squares over square of the sum", sp.limit(fourth / total**2, n, sp.oo), 0)
    k = np.arange(1, 10**6 + 1.0)
    yield shown(
        "a million terms", np.sum(k) / np.sum(np.sqrt(k)) ** 2 < 2e-6, f"{np.sum(k) / np.sum(np.sqrt(k)) ** 2:.3g}"
    )


@SECTION.fails(
    "E-ThmD.2 / Eq10-13",
    "concentration, truncated mean and truncated variance conditions are necessary and sufficient for a Gaussian limit",
    assumes="independent",
    counter_example=(
        "# X_1 = N(0, 1), all others 0: the sum is exactly N(0, 1), yet P(|X_1| >= eps) does not vanish\n"
        "from statistics import NormalDist\n"
        "assert 2 * NormalDist().cdf(-0.1) > 0.9"
    ),
)
def necessary_and_sufficient() -> Iterator[Finding]:
    """Sufficient they are (a classical theorem on sums of small terms). Necessary only where every single term is
    negligible: one Gaussian term and nothing else has a Gaussian sum, and its concentration sum does not vanish.
    """
    eps = 0.1
    yield shown(
        "concentration holds for X_1 ~ N(0, 1), others 0", 2 * mpmath.ncdf(-eps) < 0.01, f"{2 * mpmath.ncdf(-eps)}"
    )


@SECTION.corrects("E-ThmD.2 / Eq10-13", "they are sufficient; necessary too if max_i P(|X_i| >= eps) -> 0 (Petrov)")
def sufficient_conditions() -> Iterator[Finding]:
    """Sufficiency on an example with all conditions in closed form: X_i = +-1/sqrt(n). Beyond eps nothing, means 0,
    variances sum to 1; the characteristic function cos(t/sqrt n)^n tends to exp(-t^2/2). Each term is negligible.
    """
    n, t = sp.symbols("n t", positive=True)
    exponent = sp.limit(sp.series(n**-2 * sp.log(sp.cos(t * n)), n, 0, 2).removeO(), n, 0)  # n stands for 1/sqrt n
    yield identity("logarithm of the characteristic function", exponent, -(t**2) / 2)


@SECTION.fails(
    "E-ThmD.3 / Eq14-15",
    "sum E X_i^2 -> n sigma~^2 and f_{X_i}(x) = O(x^-4) for all i imply a Gaussian limit of the normalised sum",
    assumes="independent, zero mean",
    counter_example=(
        "# X_i = +-i with probability 1/(2 i^2) each (smeared a little), else 0: variance 1, compact support.\n"
        "# The number of terms i > 100 that are not 0 has mean sum 1/i^2 < 0.01: the sum over sqrt(n) tends to 0.\n"
        "assert sum(1 / i**2 for i in range(101, 10**6)) < 0.01"
    ),
)
def tails_one_by_one(trial: Trial) -> Iterator[Finding]:
    """O(x^-4) for every i leaves the constant to depend on i. X_i = +-i with probability 1/(2 i^2) each, else 0, has
    variance 1 and bounded support (smear it for a density): both conditions hold, but only finitely many terms are not
    0 (Borel-Cantelli), and the sum over sqrt(n) tends to 0, not to N(0, 1).
    """
    n = 10**4
    i = np.arange(1, n + 1.0)
    sums = []
    for _ in range(trial.draws(400)):
        jumps = trial.rng.random(n) < 1 / i**2
        sums.append(float((jumps * trial.rng.choice([-1, 1], n) * i).sum() / np.sqrt(n)))
    share = float(np.mean(np.abs(sums) < 0.1))
    yield measured(trial, "share of sums within 0.1 of 0, Gaussian 0.0797", share, 0.02, 0.0797)


@SECTION.corrects("E-ThmD.3 / Eq14-15", "they do if one constant serves all i: f_{X_i}(x) <= C x^-4 for |x| > x0")
def tails_together() -> Iterator[Finding]:
    """Then int_{|x| >= eps s_n} x^2 f_i dx <= 2 C/(eps s_n) for every i, and the Lindeberg sum is at most
    n/s_n^2 times that, which vanishes as s_n^2 ~ n sigma~^2.
    """
    C, eps, n, x, v = sp.symbols("C epsilon n x v", positive=True)
    end = eps * sp.sqrt(n * v)
    tail = 2 * sp.integrate(C * x**-2, (x, end, sp.oo))
    yield identity("tail of the variance", tail, 2 * C / end)
    yield identity("Lindeberg sum", sp.limit(n * tail / (n * v), n, sp.oo), 0)
