"""Residual blocks: a stream to which a branch of layers is added."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, NoReturn, Protocol, TypeVar, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.averages.state import Moments
from igbtheory.layers.chain import drawn, each
from igbtheory.layers.dense import Dense
from igbtheory.layers.draws import Array, Draws, beside
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import Averaged, KernelNode, LawNode, Node, Units
from igbtheory.numbers import Kind


class Flowing(Protocol):
    """What flows through layers: a node, or what is built on one."""

    @property
    def n(self) -> Kind:
        """The kind of its numbers."""


T = TypeVar("T")
S = TypeVar("S", bound=Flowing)
Add = Callable[[S, Any, S, Any], S]
"""Sum a x + b y of what is independent, from x, a, y, b."""


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
        object.__setattr__(self, "scale", checks.sweep(scale))
        if not any(isinstance(layer, Dense) for layer in each(layers)):
            self._refuse_path()

    @property
    def inner(self) -> tuple[Layer, ...]:
        return self.layers

    @property
    def listed(self) -> bool:
        return True

    @property
    def swept(self) -> tuple[Any, ...]:
        return (self.scale,)

    def law(self, node: LawNode) -> LawNode:
        return self.through(node, lambda layer, x: layer.law(x), add_moments)

    def kernel(self, node: KernelNode) -> KernelNode:
        return self.through(node, lambda layer, x: layer.kernel(x), _add_pairs)

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

    def through(self, x: S, face: Callable[[Layer, S], S], add: Add[S]) -> S:
        """Return what the block makes of x: `face` applies a layer to it, `add` adds what is independent."""
        scale = x.n.number(self.scale)
        multiple, added = self.branch(x, face, add)
        return add(x, 1 + scale * multiple, added, scale)

    def branch(self, x: S, face: Callable[[Layer, S], S], add: Add[S]) -> tuple[Any, S]:
        """Return the multiple of x in F(x), and the rest, which is independent of x.

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


def _sum(add: Add[Node[T]], of: tuple[Node[T], Any, Node[T], Any], values: T, centres: tuple[Any, Any]) -> Node[T]:
    x, a, y, b = of
    estimated = tuple(dict.fromkeys((*x.estimated, *y.estimated)))
    if x.gaussian and y.gaussian:
        return replace(x, base=replace(x.base, values=values), estimated=estimated)  # type: ignore[type-var]
    nothing: _SumOfUnits[T] = _SumOfUnits((), None)
    parts = nothing.plus(add, a, x).plus(add, b, y)
    constant = None if parts.noise is None else _never  # a Gaussian part varies over every batch
    base = Averaged(values, centres, parts, constant, x.base.dependent or y.base.dependent)
    return replace(x.after(base), estimated=estimated, batch=max(x.batch, y.batch))


def _never(size: int, copies: int) -> float:
    del size, copies
    return 0.0


@final
@dataclass(frozen=True)
class _SumOfUnits(Generic[T]):
    """Units of a sum: terms with their factors, and a Gaussian node, in which all Gaussian terms are added up.

    So a stream of many blocks stays short.
    """

    terms: tuple[tuple[Any, Units], ...]
    noise: Node[T] | None

    def __call__(self, draws: Draws, count: int) -> Array:
        parts = [beside(factor) * units(draws, count) for factor, units in self.terms]
        if self.noise is not None:
            parts.append(self.noise.units(draws, count))
        return np.asarray(sum(parts, start=np.zeros(())))

    def plus(self, add: Add[Node[T]], factor: Any, node: Node[T]) -> "_SumOfUnits[T]":
        """The sum and a node times a factor."""
        if not np.any(factor != 0):
            return self
        inner = node.base.drawn if isinstance(node.base, Averaged) else None
        if node.gaussian:
            found = _SumOfUnits((), node)
        elif isinstance(inner, _SumOfUnits):
            found = inner
        else:
            found = _SumOfUnits(((1.0, node.units),), None)
        terms = tuple((factor * share, units) for share, units in found.terms)
        if found.noise is None:
            return replace(self, terms=(*self.terms, *terms))
        # a node times 0 beside the noise is the noise alone
        other, share = (found.noise, 0 * factor) if self.noise is None else (self.noise, 1 + 0 * factor)
        return _SumOfUnits((*self.terms, *terms), add(found.noise, factor, other, share))
