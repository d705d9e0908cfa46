"""Units behind BatchNorm.

For Gaussian inputs, `law` has the moments of a batch-normalised unit, by quadrature over the `directions` of batches,
and `normalised` is the base of its node. For a given data set, `kernel` is the base: `homogeneous_kernel` has exact
integrals over the scales of the batches, and `scales` has their means. `mean_square` gives the variance behind a
BatchNorm whose input is not Gaussian.
"""
