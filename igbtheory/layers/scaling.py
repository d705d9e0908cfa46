"""Scaling of nodes and of samples, which all norms share."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.activations.moments import Moments
from igbtheory.layers.node import KernelNode, LawNode

WHAT = "a normalised activation"


def scaled_law(node: LawNode, x: Moments, q: Any, mean: Any) -> LawNode:
    """Node (x - E x)/sqrt(q) + `mean`, x the moments of `node`: Gaussian where that is, else known by its moments."""
    within = None if x.within is None else x.within / q
    values = replace(x, mean=mean, var_mu=x.var_mu / q, var_chi=x.var_chi / q, within=within)
    return node.remade(values, (mean, mean), WHAT, dead=node.constant)


def scaled_pairs(node: KernelNode, eps: Any, *, centred: bool) -> KernelNode:
    """Node (x - m)/sqrt(E (x - m)^2 + eps) datum by datum, m its mean if `centred`, else 0."""
    x, n, (mean_a, mean_b) = node.averaged(), node.n, node.means()
    a, b = (mean_a, mean_b) if centred else (0, 0)
    var_a, var_b = x.q_a - a * a, x.q_b - b * b
    scale_a, scale_b = n.sqrt(var_a + eps), n.sqrt(var_b + eps)
    lost = np.max(np.asarray(x.q_a / var_a, dtype=float))  # digits that the means cost
    values = replace(
        x,
        q_a=var_a / (var_a + eps),
        q_b=var_b / (var_b + eps),
        q_ab=(x.q_ab - a * b) / (scale_a * scale_b),
        error=float(lost) * x.error,
    )

    def drawn(rng: Generator, count: int) -> NDArray[Any]:
        return np.asarray((node.units(rng, count) - a) / scale_a, dtype=float)

    return node.remade(values, (0, 0) if centred else (mean_a / scale_a, mean_b / scale_b), WHAT, drawn=drawn)


def divided_pairs(node: KernelNode, q: Any) -> KernelNode:
    """Node x/sqrt(q), q one number."""
    x, (a, b), root = node.averaged(), node.means(), node.n.sqrt(q)
    values = replace(x, q_a=x.q_a / q, q_b=x.q_b / q, q_ab=x.q_ab / q)
    return node.remade(
        values, (a / root, b / root), WHAT, drawn=lambda rng, count: node.units(rng, count) / float(root)
    )


def normalised(x: NDArray[Any], eps: Any, axis: int) -> NDArray[Any]:
    """Samples less their mean and over their standard deviation along an axis; where they do not vary, 0."""
    apart = deviations(x, axis)
    return over_root(apart, np.mean(np.square(apart), axis=axis, keepdims=True), eps)


def deviations(x: NDArray[Any], axis: int) -> NDArray[Any]:
    """Samples less their mean along an axis: from the first one, so that equal samples leave no rounding."""
    apart = x - x.take([0], axis=axis)
    return np.asarray(apart - apart.mean(axis=axis, keepdims=True))


def over_root(x: NDArray[Any], q: NDArray[Any], eps: Any) -> NDArray[Any]:
    """Quotient x/sqrt(q + eps), 0 where that root is: the limit of small eps."""
    scale = np.sqrt(q + x.dtype.type(eps))
    return np.asarray(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0))


def norm_text(name: str, *values: Any, eps: Any) -> str:
    """A norm as it prints: its name, its numbers, and eps where there is one."""
    given = [*map(str, values), *([f"eps={eps}"] if eps else [])]
    return f"{name}({', '.join(given)})"
