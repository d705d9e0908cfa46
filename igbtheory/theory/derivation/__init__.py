"""Closed forms: the rules of the layers, run on SymPy expressions."""

from collections.abc import Sequence
from typing import Any

from igbtheory.foundations.saved import maker
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import LawNode, Passage
from igbtheory.mathematics.numbers.symbolic import SYMBOLIC
from igbtheory.theory.derivation.depth import AtDepth
from igbtheory.theory.derivation.layers import DerivedLayer, layers_of
from igbtheory.theory.derivation.nodes import FormalGaussian, behind
from igbtheory.theory.derivation.result import Derivation
from igbtheory.theory.derivation.states import in_symbols, rule
from igbtheory.theory.exact import refuse_inexact

__all__ = ["AtDepth", "Derivation", "DerivedLayer", "derive"]


@maker
def derive(layers: Sequence[Layer], inputs: Any) -> Derivation:
    """Return the formulas for Gaussian `inputs`; those of deep networks are evaluated layer by layer.

    TypeError: a data set. ValueError: a sweep, or a layer whose rule has no formula.
    """
    refuse_inexact(layers, inputs, "derive")
    passage = Passage(applied=behind)
    node = LawNode(SYMBOLIC, FormalGaussian(inputs.moments(SYMBOLIC)), passage=passage)
    rules, before = [], [0]
    for found in passage.listed(layers, node, _in_symbols):
        rules.append(rule(found.averaged()))
        before.append(len(rules) if found.gaussian else before[-1])
    return Derivation(layers_of(rules, before), tuple(layers), inputs)


def _in_symbols(node: LawNode) -> LawNode:
    """Return a Gaussian node with symbols for its moments, so that the next rule is one in these symbols."""
    return node.after(FormalGaussian(in_symbols(node.averaged()))) if node.gaussian else node
