"""Integrals over panels that are bisected until a Gauss rule and the Kronrod rule about it agree, many at once."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ORDER = 10
"""Nodes of the Gauss rule; the Kronrod rule has ORDER + 1 more."""
GOAL = 1e-15
"""Absolute error of a panel, of integrands up to 1."""
ROUNDS = 60
"""Bisections at most."""


def bisected(
    f: Callable[[Array, NDArray[np.intp]], Array], ends: Array, goal: Callable[[], float] = lambda: GOAL
) -> tuple[Array, Array]:
    """Integrals of f between the ends, a column each, and their estimated errors; f(x, columns) knows the columns.

    goal: absolute error of a panel, asked for at every round.
    """
    total, error = np.zeros(ends.shape[1]), np.zeros(ends.shape[1])
    left, right = ends[:-1].ravel(), ends[1:].ravel()
    column = np.tile(np.arange(ends.shape[1]), len(ends) - 1)
    for _ in range(ROUNDS):
        wide = right > left
        left, right, column = left[wide], right[wide], column[wide]
        if not left.size:
            break
        coarse, fine = _panels(f, left, right, column)
        lost = np.abs(coarse - fine)
        done = lost <= goal()
        np.add.at(total, column[done], fine[done])
        np.add.at(error, column[done], lost[done])
        middle = (left + right)[~done] / 2
        left, right = np.concatenate([left[~done], middle]), np.concatenate([middle, right[~done]])
        column = np.tile(column[~done], 2)
    return total, error


def _panels(f: Any, left: Array, right: Array, column: NDArray[np.intp]) -> tuple[Array, Array]:
    """Integrals over the panels by both rules."""
    nodes, weights, fewer = _rules()
    half = (right - left) / 2
    values = f(left + half * (1 + nodes[:, None]), column)
    return half * (fewer @ values), half * (weights @ values)


@lru_cache
def _rules() -> tuple[Array, Array, Array]:
    """Nodes of the Kronrod rule, its weights, and those of the Gauss rule, 0 at the others' nodes.

    The added nodes are the roots of the polynomial E with int P_n P_k E = 0 for k up to n = ORDER.
    """
    n, legendre = ORDER, np.polynomial.legendre
    gauss, of_gauss = legendre.leggauss(n)
    x, weights = legendre.leggauss(2 * n)
    basis = legendre.legvander(x, n + 1)
    products = np.einsum("i,ij,ik->jk", weights * basis[:, n], basis[:, :-1], basis)
    series = np.append(np.linalg.solve(products[:, :-1], -products[:, -1]), 1.0)
    nodes = np.concatenate([gauss, legendre.legroots(series)])
    of_kronrod = np.linalg.solve(legendre.legvander(nodes, 2 * n).T, 2.0 * (np.arange(2 * n + 1) == 0))
    return nodes, of_kronrod, np.concatenate([of_gauss, np.zeros(n + 1)])
