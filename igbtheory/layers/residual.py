"""Residual blocks: a stream to which a branch of layers is added."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn, TypeVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.averages.state import Moments
from igbtheory.layers.chain import drawn, each
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import Averaged, KernelNode, LawNode, Node
from igbtheory.layers.sums import Add, sum_of

T = TypeVar("T")


@final
@dataclass(frozen=True, init=False, repr=False)
class Residual(Layer):
    """Residual block X + scale F(X), F the `layers` in a row.

    Where every path through F contains a Dense, stream and branch are independent: means, var_mu and var_chi add, those
    of the branch times scale, scale^2. Paths of inner blocks that contain none are multiples of X and add linearly.
    F must not change the number of units. Source: bias-meets-trainability-summary (residual networks).
    """

    layers: tuple[Layer, ...]
    scale: Any

    def __init__(self, *layers: Layer, scale: Any = 1.0) -> None:
        for layer in layers:
            if not isinstance(layer, Layer):
                raise TypeError(
                    f"expected layers in a Residual, got {layer!r}; scale is a keyword: Residual(..., scale=1)"
                )
        checks.finite("scale", scale)
        object.__setattr__(self, "layers", layers)
        object.__setattr__(self, "scale", np.asarray(scale) if np.ndim(scale) else scale)
        if not any(isinstance(layer, Dense) for layer in each(layers)):
            self._refuse_path()

    @property
    def inner(self) -> tuple[Layer, ...]:
        return self.layers

    def law(self, node: LawNode) -> LawNode:
        return self._through(node, lambda layer, x: layer.law(x), add_moments)

    def kernel(self, node: KernelNode) -> KernelNode:
        return self._through(node, lambda layer, x: layer.kernel(x), _add_pairs)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        del width
        added = drawn(self.layers, x, rng, x.shape[1])
        if added.shape != x.shape:
            raise ValueError(
                f"expected a branch that makes the {x.shape[1]} units of its stream, got {added.shape[1]} from "
                f"{self!r}; end the branch with a Dense, or move the pooling out of it"
            )
        added *= x.dtype.type(self.scale)
        added += x
        return added

    def latex(self) -> str:
        branch = r" \to ".join(layer.latex() for layer in self.layers)
        return rf"x + {self.scale} \left(x \to {branch}\right)"

    def __repr__(self) -> str:
        scale = "" if np.ndim(self.scale) == 0 and self.scale == 1 else f", scale={self.scale!r}"
        return f"Residual({', '.join(map(repr, self.layers))}{scale})"

    def _through(self, node: Node[T], face: Callable[[Layer, Node[T]], Node[T]], add: Add[T]) -> Node[T]:
        scale = node.n.number(self.scale)
        share, added = self.branch(node, face, add)
        return add(node, 1 + scale * share, added, scale)

    def branch(self, x: Node[T], face: Callable[[Layer, Node[T]], Node[T]], add: Add[T]) -> tuple[Any, Node[T]]:
        """Multiple of x in F(x), and the rest, which is independent of x.

        A Dense makes all of it independent of x; in front of the first one only inner blocks leave a multiple of x.
        """
        total, rest, share = x, None, x.n.number(1)
        independent = bent = False
        for layer in self.layers:
            if isinstance(layer, Residual):
                scale = x.n.number(layer.scale)
                inner, added = layer.branch(total, face, add)
                factor = 1 + scale * inner
                total, share = add(total, factor, added, scale), share * factor
                rest = add(added, x.n.number(0), added, scale) if rest is None else add(rest, factor, added, scale)
            else:
                total = face(layer, total)
                independent = independent or isinstance(layer, Dense)
                bent = bent or not independent
        if independent:
            return x.n.number(0), total
        if rest is None or bent:
            self._refuse_path()
        return share, rest

    def _refuse_path(self) -> NoReturn:
        raise ValueError(
            "expected a Dense on every path through the branch of a Residual, so that branch and stream are "
            f"independent, got {self!r}; append Dense(sigma_w2) to its layers"
        )


def add_moments(x: LawNode, a: Any, y: LawNode, b: Any) -> LawNode:
    """Sum a x + b y of independent nodes: means, and both variances, add."""
    u, v = x.averaged(), y.averaged()
    mean = 0 if u.centred and v.centred else a * u.mean + b * v.mean
    batches = u.within is not None or v.within is not None
    values = Moments(
        mean,
        a * a * u.var_mu + b * b * v.var_mu,
        a * a * u.var_chi + b * b * v.var_chi,
        np.maximum(u.error, v.error),
        a * a * u.covariance + b * b * v.covariance if batches else None,
    )
    return _sum(add_moments, (x, a, y, b), values, (mean, mean))


def _add_pairs(x: KernelNode, a: Any, y: KernelNode, b: Any) -> KernelNode:
    u, v = x.averaged(), y.averaged()
    (u_a, u_b), (v_a, v_b) = x.means(), y.means()
    values = replace(
        u,
        q_a=a * a * u.q_a + b * b * v.q_a + 2 * a * b * u_a * v_a,
        q_b=a * a * u.q_b + b * b * v.q_b + 2 * a * b * u_b * v_b,
        q_ab=a * a * u.q_ab + b * b * v.q_ab + a * b * (u_a * v_b + u_b * v_a),
        error=max(u.error, v.error),
        rank=min(u.rank, v.rank),
    )
    return _sum(_add_pairs, (x, a, y, b), values, (a * u_a + b * v_a, a * u_b + b * v_b))


def _sum(add: Add[T], of: tuple[Node[T], Any, Node[T], Any], values: T, centres: tuple[Any, Any]) -> Node[T]:
    x, a, y, b = of
    if x.gaussian and y.gaussian:
        return Node(x.n, replace(x.base, values=values))  # type: ignore[type-var]
    return Node(x.n, Averaged(values, centres, sum_of(add, (a, x), (b, y))))
