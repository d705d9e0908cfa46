"""What Gaussian units make of a formula: moments of one unit, kernels of pairs, maxima, normalised units.

`gaussian` decides which rule computes an average: the closed form of the catalogue; `hermite` and `mehler` for smooth
formulas; for kinked ones `quadrature`, and `kinked_kernel` for arrays of pairs. Where there are many points, tables
made from `mean_slopes` replace integrals, also those over maxima: `moment_tables` for sweeps, `kernel_tables` for data
sets. `any_formula` takes what is left, in double precision: a series, whose nodes `value_panels` finds. `maximum`
averages over the largest of several units and `directions` over units behind a BatchNorm. `mesh` and `resolved` choose
the ends of the panels of a quadrature.
"""
