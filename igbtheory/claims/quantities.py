"""Quantities on the left-hand sides of claims of several files: means and variances, and gamma.

They are over the weights (W) or over the data at fixed weights (chi), and are applied to what they are taken of. A
derivation asks a statement for their values, or substitutes what it computes for them.
"""

import sympy as sp

E, VAR = sp.Function(r"\mathbb{E}"), sp.Function(r"\mathrm{Var}")
E_CHI, VAR_CHI = sp.Function(r"\mathbb{E}_\chi"), sp.Function(r"\mathrm{Var}_\chi")
E_W, VAR_W = sp.Function(r"\mathbb{E}_{\mathcal{W}}"), sp.Function(r"\mathrm{Var}_{\mathcal{W}}")
GAMMA = sp.Symbol("gamma")
GAMMA_AT = sp.Function("gamma")
"""Gamma as a function, of the layer or of the size of a pool."""
PHI_SLOPE = sp.Function(r"\phi'")
"""Derivative of the activation."""
