"""Units behind BatchNorm: `normalised` for Gaussian inputs, `kernel` for a given data set.

On a data set, `homogeneous_kernel` has exact integrals over the scales of the batches, and `scales` has their means.
`mean_square` gives the variance behind a BatchNorm whose input is not Gaussian.
"""
