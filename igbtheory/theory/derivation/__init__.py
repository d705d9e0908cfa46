"""Closed forms: the rules of the layers, run on SymPy expressions."""

from igbtheory.theory.derivation.depth import AtDepth
from igbtheory.theory.derivation.layers import DerivedLayer
from igbtheory.theory.derivation.result import Derivation, derive

__all__ = ["AtDepth", "Derivation", "DerivedLayer", "derive"]
