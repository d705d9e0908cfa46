"""Averages and functions that formulas of several files of claims name and that evidence substitutes."""

import sympy as sp

MEAN = sp.Function("E")
"""Mean over all that is random inside it."""
PHI_SLOPE = sp.Function(r"\phi'")
"""Derivative of the activation."""
