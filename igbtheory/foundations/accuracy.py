"""Warnings about the accuracy of predictions."""


class AccuracyWarning(UserWarning):
    """Warns that the estimated error of a prediction is larger than promised.

    >>> import warnings
    >>> warnings.simplefilter("error", igb.AccuracyWarning)    # doctest: +SKIP
    """


class EstimateWarning(AccuracyWarning):
    """Warns that a layer without an exact rule was estimated from draws, to a few digits.

    >>> import warnings
    >>> warnings.simplefilter("ignore", igb.EstimateWarning)    # doctest: +SKIP
    """
