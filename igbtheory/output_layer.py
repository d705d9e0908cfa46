"""The output layer of a network in infinite width: what predictions, certificates and formulas of it share."""

from typing import Any

from igbtheory.result import Result


def of_output(name: str, what: str) -> property:
    """Return a property that is the quantity `name` of the output layer, documented by `what`."""
    return property(lambda self: self._output(name), doc=what)


class OutputLayer(Result):
    """Moments of the outputs: numbers, arrays of a sweep, balls or formulas."""

    per_layer: Any

    def _output(self, name: str) -> Any:
        """Return the quantity after the last layer."""
        return getattr(self.per_layer, name)[-1]

    var_mu = of_output("var_mu", "Variance over the weights of an output's centre.")
    var_chi = of_output("var_chi", "Variance over the data of an output, the weights fixed.")
    gamma = of_output("gamma", "Bias ratio var_mu/var_chi of the output layer.")
    c = of_output("c", "Correlation of an output at two data, of different batches if there are batches.")
