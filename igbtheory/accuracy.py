"""Warnings about the accuracy of predictions."""


class AccuracyWarning(UserWarning):
    """A prediction whose estimated error is larger than promised."""


class EstimateWarning(AccuracyWarning):
    """A prediction in which a layer without an exact rule was estimated from draws, to a few digits."""
