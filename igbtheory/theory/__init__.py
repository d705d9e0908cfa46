"""The theory of layers in a row in infinite width.

`gaussian_inputs` and `data_set` pass a law or a kernel through the layers, and `prediction` is the result.
`certificate` passes balls instead, which prove a number, and `derivation` symbols, which give formulas; `exact` is the
check that both share, and `output_layer` has the moments that all three results show.
"""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
