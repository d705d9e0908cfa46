"""Batches of an activation of Gaussian units: what BatchNorm with eps > 0 leaves of its mean square."""

from igbtheory.averages.batches.full import share_of_full_batch
from igbtheory.averages.batches.mix import Mix
from igbtheory.averages.batches.share import share_of_batch

__all__ = ["Mix", "share_of_batch", "share_of_full_batch"]
