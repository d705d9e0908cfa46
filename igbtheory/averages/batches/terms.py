"""Terms A_0^(n - 2) (A_2 A_0 - A_1^2) of `batches.given`, of noise those of `batches.mix` too, many at once.

All w of a panel share their nodes z. So do values of the datum's mean: a mean `shift` of z is a factor
exp(shift z - shift^2/2) beside its density.
"""

import numpy as np
from numpy.typing import NDArray

from igbtheory.averages.batches.stretch import REACH, Array
from igbtheory.averages.batches.unit import Unit

ACROSS, MOST = 5, 10
"""Panels in z across one kernel, and across those of a panel in w at most: beyond, each w has its own."""
BLOCK = 2**16
"""Nodes held at once, roughly."""


def terms(unit: Unit, size: int, shifts: Array, t: Array, w: Array, order: int) -> Array:
    """Terms, shape (panels, points w of a panel, shifts); t: one a panel, w: a column a panel, in order."""
    width = unit.mix.width(t, size)
    across = ACROSS + np.ceil((w[-1] - w[0]) / width * ACROSS / (2 * REACH)).astype(int)
    found = np.empty((t.size, len(w), shifts.size))
    wide = across > MOST
    if wide.any():
        alone = terms(unit, size, shifts, np.repeat(t[wide], len(w)), w[:, wide].T.reshape(1, -1), order)
        found[wide] = alone.reshape(-1, *found.shape[1:])
    by_t = np.argsort(t)
    for count in np.unique(across[~wide]):
        chosen = by_t[across[by_t] == count]
        nodes = order * (len(unit.stretches) * count + unit.cuts.size) * max(len(w), shifts.size)
        for block in np.array_split(chosen, min(chosen.size, 1 + chosen.size * nodes // BLOCK)):
            found[block] = _terms(unit, size, shifts, w[:, block].T, t[block], order, count)
    return found


@np.errstate(under="ignore", invalid="ignore", divide="ignore")
def _terms(unit: Unit, size: int, shifts: Array, w: Array, t: Array, order: int, across: int) -> Array:
    """Terms of a block of panels, a row each."""
    width, excess = unit.mix.width(t, size), unit.mix.excess(t, size)[:, None, None]
    z, x, density = (np.ascontiguousarray(part.T) for part in unit.nodes(w[:, 0], w[:, -1], width, order, across))
    flat = unit.shifted_masses(shifts)
    x = np.concatenate([x, np.broadcast_to([value for value, _ in flat], (len(w), len(flat)))], axis=1)
    tilted = density[..., None] * np.exp(z[..., None] * shifts - np.square(shifts) / 2)
    masses = np.reshape([mass for _, mass in flat], (len(flat), shifts.size))
    tilted = np.concatenate([tilted, np.broadcast_to(masses, (len(w), *masses.shape))], axis=1)
    kernels = np.exp(-np.square((x[:, None] - w[..., None]) / width[:, None, None]) / 2)
    y = (x - _about(unit, w, x, kernels, tilted))[..., None]
    a0, a1, a2 = np.split(kernels @ np.concatenate([tilted, tilted * y, tilted * y * y], axis=2), 3, axis=2)
    return np.asarray(a0 ** (size - 2) * (np.maximum(a2 * a0 - a1 * a1, 0) + excess * a0 * a0))


def _about(unit: Unit, w: Array, x: Array, kernels: Array, tilted: Array) -> NDArray[np.float64]:
    """Values from which x counts, one a panel: its mean at the middle w and shift, so that no moments cancel."""
    middle = w.shape[1] // 2
    weights = kernels[:, middle] * tilted[:, :, tilted.shape[2] // 2]
    mean = (weights * x).sum(axis=1) / weights.sum(axis=1)
    return np.where(np.isfinite(mean), mean, np.clip(w[:, middle], *unit.range))[:, None]
