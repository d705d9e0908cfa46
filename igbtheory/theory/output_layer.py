"""The moments of the output layer, which predictions, certificates and formulas have in common."""

from typing import Any

from igbtheory.foundations.result import Result


def of_output(name: str, what: str) -> property:
    """Return a property with the docstring `what` that returns the quantity `name` of the output layer."""
    return property(lambda self: self._output(name), doc=what)


class OutputLayer(Result):
    """Moments of the outputs: numbers, arrays of a sweep, balls or formulas."""

    per_layer: Any

    def _output(self, name: str) -> Any:
        """Return the quantity after the last layer."""
        return getattr(self.per_layer, name)[-1]

    var_mu = of_output("var_mu", "Variance over the weights of an output's mean over the data.")
    var_chi = of_output("var_chi", "Variance of an output over the data at fixed weights.")
    gamma = of_output("gamma", "Bias ratio var_mu/var_chi of the output layer.")
    c = of_output("c", "Correlation of an output for two data; if there are batches, of different batches.")
