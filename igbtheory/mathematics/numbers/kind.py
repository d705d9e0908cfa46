"""The interface of a kind of number: conversion, pi, and the functions that a rule may use."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Function = Callable[[Any], Any]

ELEMENTARY = (
    *("sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "sech", "asinh", "acosh", "atanh", "erf", "erfc", "sigmoid", "softplus"),
)
"""Names of the functions of one variable that every kind provides and a formula may contain."""


def elementwise(function: Function) -> Function:
    """Return a function of one number that also takes arrays of Python objects, element by element."""
    vectorised: Function = np.frompyfunc(function, 1, 1)
    return vectorised


def polished_legendre(nodes: Any, steps: int) -> tuple[Any, Any]:
    """Return Gauss-Legendre nodes and weights by Newton's iteration on P_n, in the arithmetic of the `nodes`."""
    order = len(nodes)
    for _ in range(steps):
        value, slope = _legendre_polynomial(order, nodes)
        nodes = nodes - value / slope
    _, slope = _legendre_polynomial(order, nodes)
    return nodes, 2 / ((1 - nodes * nodes) * slope * slope)


def _legendre_polynomial(order: int, x: Any) -> tuple[Any, Any]:
    """Return the Legendre polynomial P_n and its derivative at x, by the three-term recurrence."""
    before, value = 0 * x + 1, x
    for k in range(2, order + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, order * (x * value - before) / (x * x - 1)


class Kind(ABC):
    """A kind of number. Its functions act elementwise on scalars and arrays.

    Besides the elementary functions there are `ncdf`, the standard normal distribution function Phi, `npdf`, its
    density, and `sin_minus_t_cos`, the function sin t - t cos t without cancellation at small t. `gamma` takes one
    number, as does `hyp2f1(a, b, c, z)`, which only exact kinds have. `epsilon` is the relative rounding error of one
    operation, and `goal` is the relative error that quadrature aims at.
    """

    exact = False
    """True if a number is a formula or a proven enclosure, which no estimate can replace."""
    symbolic = False
    """True if a number may be a SymPy symbol."""
    pi: Any
    epsilon: float
    goal: float
    sqrt: Function
    exp: Function
    expm1: Function
    log: Function
    log1p: Function
    sin: Function
    cos: Function
    tan: Function
    asin: Function
    acos: Function
    atan: Function
    sinh: Function
    cosh: Function
    tanh: Function
    sech: Function
    asinh: Function
    acosh: Function
    atanh: Function
    erf: Function
    erfc: Function
    sigmoid: Function
    softplus: Function
    ncdf: Function
    gamma: Function
    hyp2f1: Callable[[Any, Any, Any, Any], Any]
    sin_minus_t_cos: Function

    @abstractmethod
    def number(self, value: Any) -> Any:
        """Return `value`, which is a number, its decimal text or an array, as numbers of this kind.

        A float stands for the decimal that it prints: 0.1 is 1/10.
        """

    @abstractmethod
    def atan2(self, y: Any, x: Any) -> Any:
        """Return the angle of the point (x, y)."""

    def correlation(self, q_ab: Any, s: Any) -> Any:
        """Return the correlation q_ab/s of a pair, s = sqrt(q_a q_b), cut to [-1, 1] where rounding exceeds it."""
        return np.minimum(np.maximum(q_ab / s, -1), 1)

    def share(self, a: Any, b: Any) -> Any:
        """Return a/(a + b) of numbers that are not negative."""
        return self.correlation(a, a + b)

    def sine(self, c: Any) -> Any:
        """Return sqrt(1 - c^2), the sine of the angle between two data of correlation c."""
        square = 1 - c
        square *= 1 + c
        return self.sqrt(square)

    @abstractmethod
    def ratio(self, a: Any, b: Any) -> Any:
        """Return the quotient a/b of non-negative numbers: inf where only b is 0, NaN where both are 0."""

    @abstractmethod
    def legendre(self, order: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the nodes and weights, shape (order,) each, of the Gauss-Legendre rule on [-1, 1]."""

    def hermite(self, order: int, nodes: int, step: float) -> Any:
        """Return the table (order, nodes) of He_k(z) npdf(z) step/sqrt(k!) at z = 0, step, ..., halved at z = 0."""
        z = self.number(np.arange(nodes) * step)
        rows = [self.number(step) * self.npdf(z)]
        rows[0][0] /= 2
        rows.append(z * rows[0])
        for k in range(2, order):
            rows.append((z * rows[-1] - self.sqrt(self.number(k - 1)) * rows[-2]) / self.sqrt(self.number(k)))
        return np.array(rows)

    def times(self, table: Any, values: Any) -> Any:
        """Return the matrix product of rows of a table from `hermite` with a matrix of numbers."""
        return table @ values

    def product(self, a: Any, b: Any) -> Any:
        """Return a matrix product, whose errors are relative to its largest terms."""
        return a @ b

    def quickly(self, rule: Callable[..., Any], *numbers: Any) -> Any:
        """Return rule(kind, *numbers), one number, by the kind whose arithmetic is the fastest for as many digits."""
        return rule(self, *numbers)

    def npdf(self, x: Any) -> Any:
        """Return the density exp(-x^2/2)/sqrt(2 pi) of the standard normal distribution."""
        return self.exp(-x * x / 2) / self.sqrt(2 * self.pi)
