"""Branches that start at 0: what all that follows makes of the zeros."""

import numpy as np

from igbtheory.torch.path import Path
from igbtheory.torch.rows.extra_layers import Zero

DRAWS = 2
"""Number of draws of a layer, which are equal if it does not draw numbers that reach its units."""
DATA, UNITS = 2, 64
"""Number of zeros that a layer reads: one unit alone may be 0 by chance, such as a ReLU of a bias."""


def constant_behind(path: Path) -> float | None:
    """Return the number that all units behind a path are, None if they differ, or depend on weights or on the data.

    The path up to its last `Zero` makes zeros, which the layers behind it map as their samples do: LayerNorm leaves
    zeros, a sigmoid makes 1/2 of them, and a Dense with biases random numbers.
    """
    zeros = [(i, step.layer) for i, step in enumerate(path) if isinstance(step.layer, Zero)]
    if not zeros:
        return None
    last, zero = zeros[-1]
    x = np.zeros((DATA, zero.units * -(-UNITS // zero.units), *zero.shape))
    for step in path[last + 1 :]:
        try:
            first, *others = (step.layer.samples(x, np.random.default_rng(i), x.shape[1]) for i in range(DRAWS))
        except ValueError:  # such as an embedding, which reads no numbers
            return None
        if any(not np.array_equal(first, other) for other in others):
            return None
        x = first
    return float(x.flat[0]) if bool((x == x.flat[0]).all()) else None
