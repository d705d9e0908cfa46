"""Closed forms: the rules of the layers, run on SymPy expressions."""

from collections.abc import Sequence
from typing import Any

from igbtheory.foundations.saved import maker
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import LawNode
from igbtheory.mathematics.numbers.symbolic import SYMBOLIC
from igbtheory.theory.derivation.depth import AtDepth
from igbtheory.theory.derivation.nodes import FormalGaussian, behind
from igbtheory.theory.derivation.result import Derivation, DerivedLayer, layers_of
from igbtheory.theory.derivation.states import in_symbols, rule
from igbtheory.theory.exact import refuse_inexact

__all__ = ["AtDepth", "Derivation", "DerivedLayer", "derive"]


@maker
def derive(layers: Sequence[Layer], inputs: Any) -> Derivation:
    """Return the formulas for Gaussian `inputs`; those of deep networks are evaluated layer by layer.

    TypeError: a data set. ValueError: a sweep, or a layer whose rule has no formula.
    """
    refuse_inexact(layers, inputs, "derive")
    node = LawNode(SYMBOLIC, FormalGaussian(inputs.moments(SYMBOLIC)))
    rules, before = [], [0]
    for layer in layers:
        node = behind(layer, node)
        if layer.listed:
            x = node.averaged()
            rules.append(rule(x))
            gaussian = node.gaussian
            before.append(len(rules) if gaussian else before[-1])
            if gaussian:
                node = LawNode(SYMBOLIC, FormalGaussian(in_symbols(x)))
    return Derivation(layers_of(rules, before), tuple(layers), inputs)
