"""Quantities of the papers that stand on left-hand sides: means and variances over data and over weights."""

import sympy as sp

E = sp.Function(r"\mathbb{E}")
VAR = sp.Function(r"\mathrm{Var}")
E_CHI = sp.Function(r"\mathbb{E}_\chi")
"""Mean over the data, at fixed weights."""
VAR_CHI = sp.Function(r"\mathrm{Var}_\chi")
"""Variance over the data, at fixed weights."""
E_W = sp.Function(r"\mathbb{E}_{\mathcal{W}}")
"""Mean over the weights."""
VAR_W = sp.Function(r"\mathrm{Var}_{\mathcal{W}}")
"""Variance over the weights."""
