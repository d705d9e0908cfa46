"""What Gaussian units make of a formula: moments of one unit, kernels of pairs, maxima, normalised units.

`gaussian` decides which rule computes an average. The closed form of the catalogue comes first.

A smooth formula: `hermite` and `mehler`, or `waves`.
A kinked formula in double precision: `moment_tables`, made from `mean_slopes`, give the moments of one unit, and
`kinked_kernel` the kernel of pairs; `broken_lines` serve straight pieces with many kinks, `kernel_tables` many pairs.
Any formula with more digits: `quadrature`, on panels that `mesh` and `resolved` choose.
What is left, in double precision: `any_formula`, a series, whose nodes `value_panels` finds.
The largest of several units: `maximum`. Units behind a BatchNorm: `batch_normalised`.
"""
