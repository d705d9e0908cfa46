"""Layers, one file for each: `samples` defines a layer, `rule` is optional exact knowledge.

The folder `nodes` has what flows through layers, `batches` the units behind BatchNorm, and `inputs` what flows in.

Most files hold one layer or a few of a kind. `layer` has their base class, `general` estimates layers without exact
rules, and `registered` knows the layers of users. `chain` puts layers in a row, and `batch_sizes` finds the batches of
a network. `spatial` has the base classes of layers of images and sequences, and `blocks` computes their kernels in
blocks. `few` has the base class of layers with so few weights that they do not average out.
A layer is loaded when it is first used, since most networks have few kinds of layers.
"""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
