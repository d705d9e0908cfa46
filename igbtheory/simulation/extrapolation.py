"""Extrapolation to infinite width, from the widths N, 2N and 4N.

RICHARDSON is the fit a + b/width + c/width^2 through the three values: what is left is of the order 1/width^3. A
straight line in 1/width has 2 to 3 times less noise but is -0.31 c/N^2 off, and a curvature c that the three widths
cannot show moves it by several of its own errors. Measured on thousands of networks: the line is off by -6.7 errors
(gamma, ReLU, depth 3, N = 8), +3.6 (var_chi, ReLU, depth 20, N = 64) and -3.9 (var_chi, tanh, depth 20, N = 16),
Richardson by at most 1.6. Choosing between the two by a test would make the errors of both wrong.

gamma is the ratio of the extrapolated means, as 1/gamma and not gamma is nearly straight in 1/width: extrapolated
itself, it stays 10 errors off (ReLU, depth 20, N = 64).
"""

import numpy as np

FACTORS = (1, 2, 4)
"""Widths in units of N."""

RICHARDSON = np.array([1 / 3, -2, 8 / 3])
"""Weights of a in a + b/width + c/width^2."""

SLOPE = np.array([10, -2, -8]) / 7
"""Weights of b/N in the straight line a + b/width by least squares: a trend to show, not to subtract."""
