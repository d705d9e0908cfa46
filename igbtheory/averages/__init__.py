"""What Gaussian units make of a formula: moments of one unit, kernels of pairs, maxima, normalised units."""
