"""Estimates of the output of an ensemble, the last of the layers that were measured."""

from abc import ABC, abstractmethod

from igbtheory.output_layer import of_output
from igbtheory.simulation.estimates import LayerEstimates

NAMES = ("var_mu", "var_chi", "gamma")
ESTIMATES = tuple(f"{name}{suffix}" for name in NAMES for suffix in ("", "_error"))


class OutputEstimates(ABC):
    """Estimates var_mu, var_chi, gamma of the output of an ensemble, with standard errors."""

    @property
    @abstractmethod
    def _layers(self) -> LayerEstimates:
        """Estimates after every layer that was measured, the output last."""

    def _output(self, name: str) -> float:
        """Return the estimate after the last layer."""
        return float(getattr(self._layers, name)[-1])

    var_mu = of_output("var_mu", "Variance over the weights of an output's centre.")
    var_mu_error = of_output("var_mu_error", "Standard error of `var_mu`.")
    var_chi = of_output("var_chi", "Variance over the data of an output, the weights fixed.")
    var_chi_error = of_output("var_chi_error", "Standard error of `var_chi`.")
    gamma = of_output("gamma", "Bias ratio of the output: the mean of var_mu over that of var_chi.")
    gamma_error = of_output("gamma_error", "Standard error of `gamma`.")

    def _estimates(self) -> str:
        """Return the three estimates with their errors, for `repr`."""
        return ", ".join(f"{name}={getattr(self, name):.6g}±{getattr(self, f'{name}_error'):.2g}" for name in NAMES)
