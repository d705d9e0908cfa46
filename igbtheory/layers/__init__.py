"""Layers: one file a rule, each with three faces (law, kernel, samples)."""

from igbtheory.layers.activation import Activation
from igbtheory.layers.dense import Dense
from igbtheory.layers.layer import Layer
from igbtheory.layers.node import KernelNode, LawNode, Pairs

__all__ = ["Activation", "Dense", "KernelNode", "LawNode", "Layer", "Pairs"]
