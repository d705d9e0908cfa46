"""What Gaussian units make of a formula: moments of one unit, kernels of pairs, maxima, normalised units.

`gaussian` decides which rule computes an average: the closed form of the catalogue; `hermite` and `mehler` for smooth
formulas; for kinked ones `panels`, and `kinked_kernel` for arrays of pairs. Tables of `mean_slopes` stand for many
integrals, also over maxima: `moment_tables` for sweeps, `kernel_tables` for data sets. `maximum` averages over the
largest of several units and `directions` over units behind a BatchNorm.
`mesh` and `resolved` say where panels end.
"""
