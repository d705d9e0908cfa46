"""Points at which expressions are compared where algebra does not decide."""

from typing import Any

import numpy as np
import sympy as sp


def points(symbols: list[Any], number: int) -> list[dict[Any, Any]]:
    """Return values of the symbols at `number` random points, the same in every call; they respect the assumptions
    positive and integer of the symbols.
    """
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(number):
        values = {}
        for symbol in symbols:
            whole, positive = symbol.is_integer, symbol.is_positive
            value = sp.Integer(int(rng.integers(5, 12))) if whole else sp.Rational(int(rng.integers(1, 40)), 16)
            values[symbol] = value if whole or positive else value * int(rng.choice([-1, 1]))
        drawn.append(values)
    return drawn
