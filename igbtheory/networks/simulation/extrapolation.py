"""Extrapolation to infinite width, from the widths N, 2N and 4N, or from N and 2N where networks take long.

RICHARDSON fits a + b/width + c/width^2 to the three values, with a remaining error of order 1/width^3. A straight line
in 1/width has 2 to 3 times less noise but a bias of -0.31 c/N^2, and a curvature c too small to be visible at the three
widths shifts it by several standard errors. Measured on thousands of networks, the line is off by -6.7 standard errors
(gamma, ReLU, depth 3, N = 8), +3.6 (var_chi, ReLU, depth 20, N = 64) and -3.9 (var_chi, tanh, depth 20, N = 16),
Richardson by at most 1.6. A test that chooses between the two would make the errors of both wrong.

gamma is the ratio of the extrapolated means, because 1/gamma and not gamma is nearly linear in 1/width: gamma
extrapolated directly is off by 10 standard errors (ReLU, depth 20, N = 64).
"""

import numpy as np

FACTORS = (1, 2, 4)
"""Widths of the ensembles in units of N: three, as many as the extrapolation has unknowns."""

RICHARDSON = np.array([1 / 3, -2, 8 / 3])
"""Weights of the three values in a, where a + b/width + c/width^2 goes through them."""

SLOPE = np.array([10, -2, -8]) / 7
"""Weights of the three values in b/N, where a + b/width is their least-squares line; it is shown, not subtracted."""

FROM_TWO_WIDTHS = np.array([-1.0, 2.0])
"""Weights of the values at N and 2N in a, where a + b/width goes through them, with an error of order 1/width^2."""
