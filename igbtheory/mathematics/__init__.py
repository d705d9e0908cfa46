"""Mathematics without networks, from the bottom up.

`numbers`: kinds of number, on which every rule runs. `numerics`: panels, series, roots. `formulas`: activations as
formulas. `averages`: what Gaussians make of a formula, that is, moments, kernels and maxima.
"""
