"""Predictions for layers in a row in infinite width: the law of Gaussian inputs, or the kernel of a given data set."""

from typing import Any

from igbtheory.foundations.lazy import loaded

_HOMES = {"InBatches": "gaussian_inputs", "OutputKernel": "kernels"}

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
