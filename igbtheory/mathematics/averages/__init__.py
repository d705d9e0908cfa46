"""Averages over Gaussian units: moments of one unit, kernels of pairs of units, maxima.

`gaussian` takes the closed form of an average, or lets `rules` choose a rule; `state` defines what they return.

=============================== ================================== ===================================
average                         smooth formula                     formula with kinks or jumps
=============================== ================================== ===================================
moments of one unit             `moment_tables`, `smooth`, `waves` `moment_tables`, `broken_lines`, `stairs`
kernel of a data set            `smooth`, `waves`                  `kinked_kernel`, `kernel_tables`
quadrature in any digits        `quadrature` on panels that `resolved` and `mesh` choose
formula that no panels resolve  `any_formula` on the panels of `value_panels`
largest of several units        `maximum`, with the laws of `maximum_law`
largest of several values       `largest_value`, for formulas that do not increase
slopes, for training            `slopes`, `mean_slopes`
approximated formula            `approximation_error` adds the error of the approximation
probability of constant batches `constant_batches`
error beside a jump             `steepness`
=============================== ================================== ===================================

`distant_slopes` continues mean slopes to variances far beyond the bend of a formula, at the places of `angles`.
`hermite` computes the coefficients of a smooth formula, and `mehler` sums over coefficients.
"""
