"""Formulas: read from text or SymPy, split at exact kinks, differentiated; what cannot be read is refused."""

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from repeated import slow

from igbtheory.mathematics.formulas import FUNCTIONS, function_of
from igbtheory.mathematics.numbers import FLOAT64, Multiprecision

GRID = np.linspace(-4.3, 4.1, 85)
READ = {
    "x": lambda x: x,
    "2*x**3 - x/4 + 1": lambda x: 2 * x**3 - x / 4 + 1,
    "exp(-x**2)/(1 + x**2)": lambda x: np.exp(-(x**2)) / (1 + x**2),
    "where(x > 0, x, x/10)": lambda x: np.where(x > 0, x, x / 10),
    "where(1 < 2*x, x - 1/2, 0)": lambda x: np.maximum(x - 0.5, 0),
    "max(min(x, 1), -1)": lambda x: np.clip(x, -1, 1),
    "abs(abs(x) - 1)": lambda x: np.abs(np.abs(x) - 1),
    "sign(x)*sqrt(abs(x))": lambda x: np.sign(x) * np.sqrt(np.abs(x)),
    "1/(1 + exp(-x))": lambda x: 1 / (1 + np.exp(-x)),
    "log(1 + exp(x))": lambda x: np.log1p(np.exp(x)),
    "-tanh(-x)**3": lambda x: np.tanh(x) ** 3,
    "E**x*pi": lambda x: np.pi * np.exp(x),
}


@pytest.mark.parametrize("text", READ)
def test_a_formula_means_what_it_says(text: str) -> None:
    assert np.allclose(function_of(text)(FLOAT64, GRID), READ[text](GRID), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", [*FUNCTIONS, *READ])
def test_slope_is_the_derivative(name: str) -> None:
    phi, n = function_of(name), Multiprecision(30)
    for x in (-3.3, -0.7, 0.31, 1.9):
        exact = n.context.diff(lambda t: phi(n, t), n.number(x))
        assert float(phi.slope(FLOAT64, x)) == pytest.approx(float(exact), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(
    ("text", "kinks"),
    [
        ("tanh(x)", ()),
        ("max(x, 0)", (0,)),
        ("min(max(x, -1), 1)", (-1, 1)),
        ("abs(abs(x) - 1)", (-1, 0, 1)),
        ("where(3*x > 1, x, 0)", (Fraction(1, 3),)),
        ("max(max(x, 0), 0)", (0,)),
        ("where(x > 0, x, x)", ()),
        ("max(tanh(x), 0)", (0,)),
        ("where(exp(x) > 1, x, 0)", (0,)),
        ("abs(x**3 - x)", (-1, 0, 1)),
        ("where((x - 1)**2*(x + 2) > 0, 1, x)", (-2,)),
        ("where(-1 < x <= 1/2, x, 0)", (-1, Fraction(1, 2))),
        ("where(x < 0 or not x < 2, 1, x)", (0, 2)),
        ("where((x > 0) & (x < 3), x, 0)", (0, 3)),
        ("relu(x - 1/3)", (Fraction(1, 3),)),
        ("max(0.1*x, x)", (0,)),
        ("sqrt(abs(sech(x))**0.7)", ()),  # rounds to 0 far out
    ],
)
def test_kinks_are_exact(text: str, kinks: tuple[Any, ...]) -> None:
    assert function_of(text).pieces.kinks == kinks


@pytest.mark.parametrize(
    ("text", "parity", "degree"),
    [
        ("x", -1, 1),
        ("abs(x)", 1, 1),
        ("max(x, 0)", 0, 1),
        ("max(x, 0)**2", 0, 2),
        ("tanh(x)", -1, None),
        ("x*erf(x)", 1, None),
        ("cos(2*x) + x**2", 1, None),
        ("min(max(x, -1), 1)", -1, None),
        ("sign(x)", -1, 0),
        ("x + 1", 0, None),
        ("sigmoid(x) - 1/2", -1, None),
        ("1 - 2*sigmoid(3*x)", -1, None),
    ],
)
def test_parity_and_degree_follow_from_the_formula(text: str, parity: int, degree: int | None) -> None:
    phi = function_of(text)
    assert phi.parity == parity
    assert phi.degree == degree


@pytest.mark.parametrize(
    ("text", "growth", "monotonicity"),
    [
        ("tanh(x)", "bounded", 1),
        ("relu(x)", "polynomial", 1),
        ("-x**3", "polynomial", -1),
        ("x**2", "polynomial", 0),
        ("exp(x)", "exponential", 1),
        ("exp(x**2/8)", "gaussian", 0),
        ("exp(-x**2)", "bounded", 0),
        ("cos(x)", "bounded", 0),
        ("exp(100*x)", "exponential", 1),
        ("relu(x - 8)", "polynomial", 1),
        ("sigmoid(x - 20)", "bounded", 1),
        ("x/(1 + abs(x))", "bounded", 1),
        ("where(x > 0, x, x - 1)", "polynomial", 1),
        ("where(x > 0, x, x + 1)", "polynomial", 0),
        ("gelu(x)", "polynomial", 0),
    ],
)
def test_growth_and_monotonicity_follow_from_the_formula(text: str, growth: str, monotonicity: int) -> None:
    assert function_of(text).growth == growth
    assert function_of(text).monotonicity == monotonicity


def test_an_irrational_kink_is_known_to_many_digits() -> None:
    n = Multiprecision(200)
    for text, kink in (
        ("where(x**2 > 2, x, 0)", n.sqrt(n.number(2))),
        ("max(exp(x), 2)", n.log(n.number(2))),
        ("max(exp(-x**2), 0.9999)", n.sqrt(-n.log(n.number("0.9999")))),  # in a dip between two points of the grid
    ):
        assert abs(n.number(function_of(text).pieces.kinks[-1]) - kink) < 1e-200


@pytest.mark.slow
def test_kinks_without_end_under_a_root_are_found_near_0() -> None:
    phi, x = function_of("sqrt(abs(cos(x)))"), np.linspace(-500, 500, 999)
    assert phi.pieces.split_within(60)
    assert phi(FLOAT64, x) == pytest.approx(np.sqrt(np.abs(np.cos(x))), rel=1e-12)


def test_jumps_are_found_at_the_kinks() -> None:
    assert function_of("sign(x) + max(x, 0)").pieces.jumps(FLOAT64) == [2.0]


def test_a_piece_sees_only_its_interval() -> None:
    # log(x) is never asked for a negative x, exp(x) never for a large one
    phi = function_of("where(x > 1, log(x), where(x > -1, 0, exp(x)))")
    assert np.all(np.isfinite(phi(FLOAT64, np.array([-800.0, 0.0, 1e300]))))


x, y = sympy.symbols("x y")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x * sympy.tanh(x), "x*tanh(x)"),
        (sympy.Max(x, 0), "max(x, 0)"),
        (sympy.Piecewise((x, x > 0), (x / 10, True)), "where(x > 0, x, x/10)"),
        (y * sympy.erf(y / sympy.sqrt(2)) / 2 + sympy.Rational(1, 3), "x*erf(x/sqrt(2))/2 + 1/3"),
        (sympy.exp(-(y**2)) * sympy.pi, "pi*exp(-x**2)"),
    ],
)
def test_a_sympy_expression_is_the_same_function(expression: Any, text: str) -> None:
    assert np.allclose(function_of(expression)(FLOAT64, GRID), function_of(text)(FLOAT64, GRID), rtol=1e-14)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "cannot read"),
        ("x +", "column 4"),
        ("__import__('os').system('true')", "column 1"),
        ("x.real", "Attribute"),
        ("y*x", "unknown name 'y'"),
        ("sinh(x, 2)", "takes 1 argument"),
        ("eval(x)", "unknown function"),
        ("|x|", r"column 1: for an absolute value write abs\(x\)"),
        ("tanh x", r"column 6: brackets are missing; write tanh\(x\)"),
        ("(x)^2", r"column 4: for a power write \*\*"),
        ("x % 0", "division by zero"),
        ("x @ 2", "column 1: MatMult has no meaning"),
        ("e**x", "did you mean 'E'"),
        ("elu(x, beta=2)", "elu takes alpha, not beta"),
        ("elu(x, alpha='0.5')", "'0.5' has no meaning in a formula"),
        ("elu(x, 1, 2)", "takes 2 argument"),
        ("tanh(x, out=x)", "tanh takes no out="),
        ("2x", r"column 2: an operator is missing; for a product write 2\*x"),
        ("x y", r"column 3: an operator is missing; for a product write x\*y"),
        ("3 (x + 1)", "column 3: an operator is missing"),
        ("where(x > 0, x", r"column 15: '\)' is missing"),
        ("tanh(x))", r"column 8: this \) closes nothing"),
        ("where(x == 0, 1, 2)", "column 7"),
        ("3 + pi", "constant"),
        ("x**10000", "exponent"),
        ("x/0", "division by zero"),
        ("(" * 60 + "x" + ")" * 60 + "+x" * 0 + "*" + "-" * 60 + "x", "nested deeper"),
        ("x*" * 2100 + "x", "at most 4000 characters"),
        ("1e400*x", "larger than"),
        ("3j*x", "column 1"),
        ("rleu", "did you mean 'relu'"),
        ("1/x", "column 2, is infinite or undefined at x = 0"),
        ("x + 1/(x**2 - 2)", r"undefined at x = -?1\.41421"),
        ("1/abs(x)", r"undefined at x = 0: E phi\^2 is finite for \|x\|\*\*p with p > -1/2"),
        ("tan(x)", r"undefined at x = -1\.5708"),
        slow(("max(tan(x), pi)", r"undefined at x = -1\.5708")),  # the comparison changes at the pole
        ("tan(sinh(x))", r"undefined at x = -?1\.2334"),  # hundreds of poles
        ("asinh(expm1(tan(x)))", "undefined at x"),  # infinite before the pole in double precision
        ("x/max(0, x - 1)", "divides by 0 on an interval"),
        ("sqrt(x)", "not a real number at x = -"),
        ("x**(1/3)", "not a real number"),
        ("log(x - 100)", "not a real number|infinite"),
        ("asin(x)", "not a real number"),
        ("min(relu(1.3 - x), min(log(x - 1), max(pi, x)))", "not a real number"),
        ("exp(x**4)", "grows faster"),
        ("exp(exp(x))", "grows faster"),
        ("exp(exp(exp(x)))", "grows faster"),
        ("(x**64)**64", "exponent|grows"),
        ("((1e99**60)**60)*x", "bits"),
        ("max(" * 24 + "x" + ", 1)" * 24, "unfolds|nested"),
        ("(relu)", "is a function"),
        ("sinh", "is a function"),
        ("x == 1", "compares with"),
        ("1 < x in y", "unknown name|compares with"),
        ("\u03c6(x)", "not ASCII"),
        ("lambda x: x", "Lambda"),
        ("x\x00", "cannot read"),
        ("'x'", "'x' has no meaning"),
        ("True", "unknown activation"),
        ("x(1)", r"unknown function 'x'; for a product write x\*"),
        ("(x)(x)", "unknown function"),
    ],
)
def test_what_is_no_formula_is_refused_with_the_reason(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        function_of(text).pieces  # noqa: B018 - kinks are found when they are first asked for


def test_names_are_listed_where_an_unknown_one_is_the_mistake() -> None:
    for text, listed in (("besselj(0, x)", True), ("tahn(x)", False), ("x^2", False), ("x.real", False), ("2x", False)):
        with pytest.raises(ValueError, match="formula") as refusal:
            function_of(text)
        assert ("sqrt, exp, log" in str(refusal.value)) is listed
        assert len(str(refusal.value)) < 3 * 80


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("x if x > 0 else x/10", "where(x > 0, x, x/10)"),
        ("(x > 0) & (x < 1)", "where(x > 0 and x < 1, 1, 0)"),
        ("x // 2 + x % 2", "floor(x/2) + mod(x, 2)"),
        ("np.maximum(np.tanh(x), 0)", "max(tanh(x), 0)"),
        ("heaviside(x, 0.5)", "step"),
        ("F.leaky_relu(x, 0.2)", "where(x > 0, x, 0.2*x)"),
        ("elu(2*x, alpha=1/2)", "where(2*x > 0, 2*x, expm1(2*x)/2)"),
        ("nn.LeakyReLU(negative_slope=0.2)", "where(x > 0, x, 0.2*x)"),
        ("torch.nn.ReLU()", "relu"),
        ("nn.LeakyReLU(0.2)", "where(x > 0, x, 0.2*x)"),
        ("Hardtanh(-2, 3)", "clip(x, -2, 3)"),
        ("ELU(x)", "elu"),
        ("gelu(x, approximate='tanh')", "x*sigmoid(sqrt(8/pi)*(x + 0.044715*x**3))"),
        ("torch.square(x) + cbrt(x)", "x**2 + sign(x)*abs(x)**(1/3)"),
    ],
)
def test_formulas_as_libraries_write_them(text: str, same: str) -> None:
    assert function_of(text).tree == function_of(same).tree


@pytest.mark.parametrize(
    "expression", [sympy.Symbol("a") + y, sympy.Integer(3), sympy.gamma(x), sympy.Piecewise((x, x < 1), (0, x < 2))]
)
def test_what_is_no_sympy_activation_is_refused(expression: Any) -> None:
    with pytest.raises(ValueError, match=r"symbol|meaning|defined for every x"):
        function_of(expression)


def test_a_wrong_kind_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="expected an activation"):
        function_of(3)


def test_mpmath_agrees_where_both_tails_cancel() -> None:
    """Slopes and values keep relative digits far out, where 1 - tanh^2 and 1 + erf would not."""
    n = Multiprecision(40)
    for name, at in (("tanh", 30.0), ("gelu", -12.0)):
        phi = function_of(name)
        for face in (phi.slope, phi.pieces):
            assert float(face(FLOAT64, at)) == pytest.approx(float(face(n, n.number(at))), rel=1e-13)
    assert mpmath.mp.dps == 15
