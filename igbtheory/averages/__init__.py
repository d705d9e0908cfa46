"""What Gaussian units make of a formula: moments of one unit, kernels of pairs, maxima, normalised units.

`gaussian` decides which rule computes an average: the closed form of the catalogue; `hermite` and `mehler` for smooth
formulas; for kinked ones `panels`, `kinked_kernel` for arrays of pairs, and tables of either (`moment_tables` with
`mean_slopes`, `kernel_tables`). `maximum` averages over the largest of several units, `directions` over units behind
a BatchNorm, `correlations` over units behind a GroupNorm. `mesh` and `resolved` say where panels end.
"""
