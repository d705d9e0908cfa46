"""Uniform weights that read few numbers: their sums are not normal, which may change what functions make of them.

A sum of n numbers x with uniform weights has the excess kurtosis -1.2 sum x^4/(sum x^2)^2, which is 0 for large n
alone. Hidden layers are wide in theory; the data have as many features as they have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any, final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from igbtheory.layers.activation import phi_of
from igbtheory.layers.chain import behind_undrawn, entering, products
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.base import Averaged
from igbtheory.layers.nodes.draws import Array, Draws
from igbtheory.layers.nodes.node import KernelNode, Node, refuse_draws
from igbtheory.layers.nodes.places import Point
from igbtheory.layers.nodes.samples import of_drawn
from igbtheory.torch.path import Path, Step, layers_of

MANY = 32
"""Number of numbers that a sum reads for which it counts as normal: less than one percent was seen to change."""
NUMBERS, DATA, REPLICATES = 2**19, 64, 4
"""Numbers of units at all data in a replicate, of data, and of replicates by which the change is measured: 0.1 s, with
a standard error of half a percent."""
NOTICED = 0.05
"""Smallest change of the ratio of variances for which units are drawn. Models of a hundred units have such changes
because they are not wider; and layers that are not drawn are exact."""


class _UniformNumbers(Generator):
    """A generator whose normal numbers are uniform ones of the same mean and variance."""

    def standard_normal(self, *size: Any, **named: Any) -> Any:
        numbers = self.random(*size, **named)
        numbers -= 0.5
        numbers *= 12**0.5
        return numbers


@final
@dataclass(frozen=True, repr=False)
class Uniform(Layer):
    """A layer with weights and biases of a uniform law that reads the data; its units are drawn."""

    layer: Layer

    listed = True
    weighs = True

    def positions(self, shape: Point) -> Point:
        return self.layer.positions(shape)

    def rule(self, node: Node[Any]) -> Node[Any]:
        behind = self.layer.rule(node)
        if not node.components:
            return behind
        refuse_draws(self, node)
        return _of_drawn_units(self, node, behind).naming(self)

    def samples(self, x: NDArray[Any], rng: Generator, width: int) -> NDArray[Any]:
        # in single precision sums may come from a root of the data, which is right for normal weights alone
        units = self.layer.samples(x.astype(np.float64), _UniformNumbers(rng.bit_generator), width)
        return np.asarray(units.astype(x.dtype))

    def __repr__(self) -> str:
        return f"Uniform({self.layer!r})"


def _of_drawn_units(layer: Uniform, node: KernelNode, behind: KernelNode) -> KernelNode:
    """Return a node with its moments whose units are samples of the data."""
    components = node.components

    def drawn(draws: Draws, count: int) -> Array:
        assert components is not None  # noqa: S101 - as the caller has seen
        return of_drawn(layer, components.drawn(draws, 1), node.places, draws, count)

    return behind.after(Averaged(behind.averaged(), drawn))


def drawn_if_noticed(path: Path, data: NDArray[np.float64]) -> dict[Step, Step]:
    """Return the first step with weights, and the step that draws it, if its uniform weights change what follows.

    data: of which the path makes the outputs.
    """
    place = next((i for i, step in enumerate(path) if step.layer.weighs), None)
    if place is None or not _is_uniform(path[place]):
        return {}
    layers, step = layers_of(path), path[place]
    after = takewhile(lambda layer: phi_of(layer) is not None, layers[place + 1 :])
    random, x = behind_undrawn(layers[:place], entering(layers, data)[:DATA])
    # units at many positions take hundreds of times as long to draw
    if random or x.shape[2:] or products(step.layer, x.shape[1]) >= MANY:
        return {}
    drawn = Uniform(step.layer)
    return {step: replace(step, layer=drawn)} if _change(x, step.layer, drawn, [*after]) > NOTICED else {}


def _is_uniform(step: Step) -> bool:
    weights, biases = (step.read.get(name) for name in ("sigma_w2", "sigma_b2"))
    return bool(weights and weights.uniform and (not biases or not biases.value or biases.uniform))


def _change(x: NDArray[np.float64], layer: Layer, drawn: Layer, after: Sequence[Layer]) -> float:
    """Return what the change of log gamma behind layers exceeds, up to chance, if one of them is drawn by another law.

    x: what it reads; after: the functions of each unit that follow.
    """
    changes = []
    for seed in range(REPLICATES):
        of_laws = []
        for of_law in (layer, drawn):
            random, y = behind_undrawn(after, of_law.samples(x, np.random.default_rng(seed), NUMBERS // len(x)))
            of_laws.append(np.nan if random else np.square(y.mean(axis=0)).mean() / y.var(axis=0).mean())
        changes.append(np.log(of_laws[1] / of_laws[0]))
    return float(abs(np.mean(changes)) - 2 * np.std(changes) / (REPLICATES - 1) ** 0.5)
