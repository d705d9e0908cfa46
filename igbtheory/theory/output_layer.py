"""The moments of the output layer, which predictions, certificates and formulas have in common."""

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.result import Result

Number = TypeVar("Number")
"""The type of a quantity: a number, a ball, or a formula."""
Swept = float | NDArray[np.float64]
"""A number, or an array of a sweep."""


def of_output(name: str, what: str) -> property:
    """Return a property with the docstring `what` that returns the quantity `name` of the output layer."""
    return property(lambda self: self._output(name), doc=what)


class OutputLayer(Result, Generic[Number]):
    """Moments of the outputs: numbers, arrays of a sweep, balls or formulas."""

    per_layer: Any

    def _output(self, name: str) -> Any:
        """Return the quantity after the last layer."""
        return getattr(self.per_layer, name)[-1]

    @property
    def var_mu(self) -> Number:
        """Variance over the weights of an output's mean over the data."""
        return self._output("var_mu")  # type: ignore[no-any-return]

    @property
    def var_chi(self) -> Number:
        """Variance of an output over the data at fixed weights."""
        return self._output("var_chi")  # type: ignore[no-any-return]

    @property
    def gamma(self) -> Number:
        """Bias ratio var_mu/var_chi of the output layer."""
        return self._output("gamma")  # type: ignore[no-any-return]

    @property
    def c(self) -> Number:
        """Correlation of an output for two data; if there are batches, of different batches."""
        return self._output("c")  # type: ignore[no-any-return]
