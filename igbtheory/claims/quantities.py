"""Quantities on the left-hand sides of claims of several files: means, variances and probabilities, and gamma.

They are over the weights (W) or over the data at fixed weights (chi), and are applied to what they are taken of. A
derivation substitutes what it computes for them.
"""

import sympy as sp

E_W, VAR_W, P_W = sp.Function("E_W"), sp.Function(r"\mathrm{Var}_W"), sp.Function("P_W")
E_CHI, VAR_CHI, P_CHI = sp.Function(r"E_\chi"), sp.Function(r"\mathrm{Var}_\chi"), sp.Function(r"P_\chi")
GAMMA = sp.Symbol("gamma")
GAMMA_AT = sp.Function("gamma")
"""Gamma as a function, of the layer or of the size of a pool."""
