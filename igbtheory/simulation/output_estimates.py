"""What ensembles tell of their output, the last of their layers."""

from abc import ABC, abstractmethod

from igbtheory.simulation.estimates import LayerEstimates


class OutputEstimates(ABC):
    """Estimates var_mu, var_chi, gamma of the output of an ensemble, with standard errors."""

    @property
    @abstractmethod
    def _layers(self) -> LayerEstimates:
        """Estimates after every layer that was measured, the output last."""

    @property
    def var_mu(self) -> float:
        """Variance over the weights of an output's centre."""
        return float(self._layers.var_mu[-1])

    @property
    def var_mu_error(self) -> float:
        """Standard error of `var_mu`."""
        return float(self._layers.var_mu_error[-1])

    @property
    def var_chi(self) -> float:
        """Variance over the data of an output, the weights fixed."""
        return float(self._layers.var_chi[-1])

    @property
    def var_chi_error(self) -> float:
        """Standard error of `var_chi`."""
        return float(self._layers.var_chi_error[-1])

    @property
    def gamma(self) -> float:
        """Bias ratio of the output, the ratio of the means of var_mu and var_chi over the networks."""
        return float(self._layers.gamma[-1])

    @property
    def gamma_error(self) -> float:
        """Standard error of `gamma`."""
        return float(self._layers.gamma_error[-1])

    def _estimates(self) -> str:
        """The three estimates with their errors, for `repr`."""
        names = ("var_mu", "var_chi", "gamma")
        return ", ".join(f"{name}={getattr(self, name):.6g}±{getattr(self, f'{name}_error'):.2g}" for name in names)
