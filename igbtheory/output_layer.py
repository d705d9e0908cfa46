"""The output layer of a network in infinite width: what predictions and certificates of it share."""

from abc import ABC
from typing import Any


class OutputLayer(ABC):
    """Moments of the outputs, the last ones of `per_layer`: numbers, arrays of a sweep, or balls."""

    per_layer: Any

    @property
    def var_mu(self) -> Any:
        """Variance over the weights of an output's centre."""
        return self.per_layer.var_mu[-1]

    @property
    def var_chi(self) -> Any:
        """Variance over the data of an output, the weights fixed."""
        return self.per_layer.var_chi[-1]

    @property
    def gamma(self) -> Any:
        """Bias ratio var_mu/var_chi of the output layer."""
        return self.per_layer.gamma[-1]

    @property
    def c(self) -> Any:
        """Correlation of an output at two data, of different batches if there are batches."""
        return self.per_layer.c[-1]
