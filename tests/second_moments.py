"""Second moments of activations, from which tests know the size of a kernel."""

from typing import Any

from igbtheory.mathematics.averages.gaussian import moments
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas import Function
from igbtheory.mathematics.numbers import Kind


def second_moment(n: Kind, phi: Function | None, m: int, q: Any, mean: Any = 0) -> Any:
    """Return E phi(M)^2, M the largest of m units of variance q, a number or an array, and of one mean."""
    x = moments(n, phi, m, Moments(mean, 0 * q, q))
    return x.mean * x.mean + x.variance
