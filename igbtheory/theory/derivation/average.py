"""Averages without a closed form: SymPy expressions that print as integrals and are evaluated by quadrature."""

from abc import abstractmethod
from typing import Any, final

import sympy as sp
from sympy.core.symbol import Str

from igbtheory.layers.batches import law as batch_law
from igbtheory.mathematics.averages import gaussian
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.parameters import parameter_tree, with_values
from igbtheory.mathematics.formulas.tree import Parameter, substitute
from igbtheory.mathematics.numbers import FLOAT64, Kind, decimals
from igbtheory.theory.derivation import integrals

STEP = 10
"""The number of digits is rounded up to a multiple of this, so that few tables of quadrature nodes are made."""


@final
class Phi(sp.Atom):  # type: ignore[misc]
    """An activation as a part of a SymPy expression."""

    __slots__ = ("phi",)

    def __new__(cls, phi: Function) -> "Phi":
        integrals.formula(phi)  # what cannot be printed is refused at once
        instance = super().__new__(cls)
        instance.phi = phi
        return instance  # type: ignore[no-any-return]

    def _hashable_content(self) -> tuple[Any, ...]:
        return (self.phi.name, self.phi.tree)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.phi,)

    @property
    def free_symbols(self) -> set[Any]:
        """The symbols in the formula other than x."""
        return set(self.phi.free_symbols)

    def _eval_subs(self, old: Any, new: Any) -> "Phi | None":
        if old not in self.phi.free_symbols:
            return None
        tree = substitute(self.phi.tree, parameter_tree(str(old), new), Parameter(old))
        return Phi(Function(with_values(self.phi.name, {str(old): new}), tree))

    def _sympystr(self, printer: Any) -> str:
        return str(self.phi.name)


class Average(sp.Function):  # type: ignore[misc]
    """An average of x = phi(M), M the largest of m units.

    The first argument names the average: the "mean" E x, the "product" E x_a x_b of two data, the "square" E x^2, or
    the "spread" E x^2 - E x_a x_b. `evalf` computes it by quadrature to any number of digits.
    """

    @property
    def part(self) -> str:
        """Name of the average."""
        return str(self.args[0])

    @property
    def phi(self) -> Function:
        """The activation."""
        return self.args[1].phi  # type: ignore[no-any-return]

    @property
    def numbers(self) -> tuple[Any, ...]:
        """The numbers that describe the units."""
        return tuple(x for x in self.args[2:] if not isinstance(x, Str))

    @property
    def function(self) -> tuple[Any, ...]:
        """What is averaged over which kind of units: all arguments but the name of the average and the numbers."""
        return (self.func, self.args[1], *(x for x in self.args[2:] if isinstance(x, Str)))

    @abstractmethod
    def of_one_datum(self, *numbers: Any) -> tuple[Any, ...]:
        """Return the numbers on which means and squares depend: all but the correlation of two data."""

    @abstractmethod
    def integral(self) -> Any:
        """Return the integral as it is printed; the lines after "where" define the functions in it."""

    @abstractmethod
    def computed(self, n: Kind, numbers: list[Any]) -> Moments:
        """Return the moments of x for numerical arguments."""

    def difference(self) -> Any:
        """Return a spread as the difference of the square and the product."""
        square, product = (self.func(Str(part), *self.args[1:]) for part in ("square", "product"))
        return square.canonical() - product.canonical()

    def canonical(self) -> Any:
        """Return the average in the form in which equal averages have equal arguments."""
        return self

    def _eval_is_extended_real(self) -> bool:
        return True

    def _eval_derivative(self, symbol: Any) -> Any:
        return sp.Derivative(self, symbol)

    def _eval_evalf(self, prec: int) -> Any:
        digits = int(prec * 0.30103)
        n = decimals(-(-max(digits, 2 * STEP) // STEP) * STEP)
        values = [sp.N(x, n.digits + 5) for x in self.numbers]  # the same for all digits up to n.digits
        if not all(value.is_Float or value.is_Integer for value in values):
            return None
        return sp.Float(str(self.taken_from(self.computed(n, values))), digits)

    def taken_from(self, x: Moments) -> Any:
        """Return the average from the moments of x."""
        moments = {
            "mean": x.mean,
            "product": x.mean * x.mean + x.var_mu,
            "square": x.mean * x.mean + x.variance,
            "spread": x.var_chi,
        }
        return moments[self.part]

    def printed(self) -> Any:
        """Return what is printed: an integral, or the difference of two averages."""
        return self.difference() if self.part == "spread" else self.integral()

    def _sympystr(self, printer: Any) -> str:
        text = printer.doprint(self.printed())
        return f"({text})" if self.part == "spread" else str(text)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = printer.doprint(self.printed())
        bracketed = rf"\left({text}\right)" if exp or self.part == "spread" else text
        return f"{bracketed}^{{{exp}}}" if exp else bracketed

    def _pretty(self, printer: Any) -> Any:
        return printer._print(self.printed())  # noqa: SLF001 - the interface of SymPy's printers


@final
class GaussianAverage(Average):
    """An average over Gaussian units. The arguments after phi are m, mean, var_mu and var_chi."""

    def canonical(self) -> Any:
        part, phi, m, mean, var_mu, var_chi = self.args
        alone = part.name in ("mean", "square")
        return self.func(part, phi, m, mean, *((sp.Integer(0), var_mu + var_chi) if alone else (var_mu, var_chi)))

    def of_one_datum(self, *numbers: Any) -> tuple[Any, ...]:
        m, mean, var_mu, var_chi = numbers
        return m, mean, var_mu + var_chi

    def integral(self) -> Any:
        return integrals.of_gaussian(self.part, self.phi, *self.args[2:])

    def computed(self, n: Kind, numbers: list[Any]) -> Moments:
        m, *rest = numbers
        if n is not FLOAT64:
            from igbtheory.theory.many_digits import average_in_balls  # noqa: PLC0415 - python-flint is loaded for digits

            if (moments := average_in_balls(n, self.phi, int(m), *map(str, rest))) is not None:
                return moments
        mean, var_mu, var_chi = (n.number(str(value)) for value in rest)
        return gaussian.moments(n, self.phi, int(m), Moments(0 if mean == 0 else mean, var_mu, var_chi))


@final
class BatchAverage(Average):
    """An average over units normalised in batches. The arguments after phi are m, n and the law, "exact" or "proxy"."""

    def of_one_datum(self, *numbers: Any) -> tuple[Any, ...]:
        return numbers

    def integral(self) -> Any:
        return integrals.of_batch(self.part, self.phi, self.args[2])

    def computed(self, n: Kind, numbers: list[Any]) -> Moments:
        m, size = map(int, numbers)
        return batch_law.moments(n, self.phi, m, size, str(self.args[4]))


def over_gaussian(phi: Function, m: Any, h: Moments) -> Moments:
    """Return the moments of phi(M), M the largest of m Gaussian units with the moments h, as unevaluated averages."""
    mean, var_mu, var_chi = (sp.sympify(x) for x in (h.mean, h.var_mu, h.var_chi))

    def part(name: str) -> Any:
        return GaussianAverage(Str(name), Phi(phi), sp.sympify(m), mean, var_mu, var_chi).canonical()

    return _moments(part, independent=var_mu == 0, centred=phi.parity < 0 and mean == 0 and m == 1)


def over_batch(phi: Function, m: Any, size: Any, law: str) -> Moments:
    """Return the moments of phi(M), M the largest of m batch-normalised units, as unevaluated averages."""

    def part(name: str) -> Any:
        return BatchAverage(Str(name), Phi(phi), sp.sympify(m), sp.sympify(size), Str(law))

    return _moments(part, independent=True, centred=phi.parity < 0 and m == 1)


def _moments(part: Any, *, independent: bool, centred: bool) -> Moments:
    mean = sp.Integer(0) if centred else part("mean")
    if independent:
        return Moments(mean, sp.Integer(0), part("square") - mean**2)
    return Moments(mean, part("product") - mean**2, part("spread"))
