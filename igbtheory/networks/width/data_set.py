"""The Gram matrix of a given data set in the coordinates of `Pair`, as a start of the expansion.

The data of a set differ as random data do: log K_aa and y_ab have a part of each datum and a part of the pair. The
expansion takes them as normal, for what finite width adds to infinite width.
"""

import numpy as np

from igbtheory.networks.width.blocks import DoesNotHoldError
from igbtheory.networks.width.coordinates import Array, Pair

MOST = 1000
"""Largest number of data whose pairs are used; of more data so many, evenly spaced, are."""


@np.errstate(all="ignore")  # data that are 0, equal or opposite are refused
def of_data(data: Array) -> Pair:
    """Return the pair of two different data.

    y_ab is a mean plus parts of a and b, by least squares, plus the part of the pair.
    """
    if data.ndim != 2:
        raise DoesNotHoldError(f"the expansion needs vectors, got data of shape {data.shape}")
    x = data[:: -(-len(data) // MOST)]
    gram = x @ x.T / x.shape[1]
    squares, count = np.diag(gram), len(x)
    other = ~np.eye(count, dtype=bool)
    cosines = gram / np.sqrt(np.outer(squares, squares))
    log_q, y = np.log(squares), np.where(other, np.log((1 - cosines) / (1 + cosines)), 0.0)
    if count < 3 or not (np.isfinite(log_q).all() and np.isfinite(y).all()):
        raise DoesNotHoldError("the expansion needs three or more data that are not 0, equal or opposite")
    mean = y.sum() / (count * (count - 1))
    of_datum = (y.sum(axis=1) / (count - 1) - mean) * (count - 1) / (count - 2)
    rest = (y - mean - of_datum - of_datum[:, None])[other]
    return Pair(
        float(log_q.mean()), float(mean), datum=np.cov(log_q, of_datum, bias=True), pair=float(np.mean(rest**2))
    )
