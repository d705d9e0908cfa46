"""Two networks, or two estimates of `infer`, beside each other."""

from dataclasses import dataclass
from typing import Any, final, overload

import numpy as np

from igbtheory.foundations.result import Result
from igbtheory.foundations.text import number, table
from igbtheory.guesses.inference import GammaComparison, GammaEstimate
from igbtheory.guesses.inference import compare as compare_estimates
from igbtheory.networks.network import Network
from igbtheory.theory.prediction import Prediction

QUANTITIES = {"var_mu": "var_mu", "var_chi": "var_chi", "gamma": "gamma", "gamma_guess": "gamma of the guesses"}
"""Names of the quantities of an output in the table."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class NetworkComparison(Result):
    """The predictions for two networks on the same inputs; print it to read them in one table."""

    first: Prediction
    second: Prediction

    def columns(self) -> dict[str, Any]:
        """Return the table, with a row for each quantity of the outputs."""
        both = {"first": self.first, "second": self.second}
        values = {name: [float(getattr(one, key)) for key in QUANTITIES] for name, one in both.items()}
        shares = {name: float(one.G0.majority()) for name, one in both.items()}
        rows = [*QUANTITIES.values(), "share of the favoured class"]
        return {"quantity": rows, **{name: [*values[name], shares[name]] for name in both}}

    def __str__(self) -> str:
        contents = self.columns()
        pairs = list(zip(contents["first"], contents["second"], strict=True))
        cells = [
            *(
                (name, *(number(value, 6) for value in pair))
                for name, pair in zip(QUANTITIES.values(), pairs, strict=False)
            ),
            ("regime", self.first.regime, self.second.regime),
            (contents["quantity"][-1], *(f"{share:.2%}" for share in pairs[-1])),
        ]
        return table(("", "first", "second"), cells, words=True)


@overload
def compare(first: Network, second: Network, *, inputs: Any = None) -> NetworkComparison: ...


@overload
def compare(first: GammaEstimate, second: GammaEstimate, *, level: float = 0.95) -> GammaComparison: ...


def compare(first: Any, second: Any, *, inputs: Any = None, level: float | None = None) -> Any:
    """Compare the predictions for two networks, or gamma_guess of two estimates of `infer`.

    first, second: networks, or estimates. inputs: of networks, as in `Network.predict`. level: confidence level of the
    interval for estimates, 0.95 by default; `inference.compare` explains it.
    TypeError: one is a network and the other an estimate, or an argument belongs to the other kind.

    >>> print(igb.compare(igb.mlp(2, "relu"), igb.mlp(2, "tanh")))
                                 first     second
    var_mu                       0.987462  0
    var_chi                      1.01254   0.802848
    gamma                        0.975235  0
    gamma of the guesses         0.975235  0
    regime                       neutral   neutral
    share of the favoured class  74.80%    50.00%
    """
    if isinstance(first, Network) and isinstance(second, Network):
        if level is not None:
            raise TypeError("expected level for estimates of infer, got networks; leave it out")
        return NetworkComparison(*(_of_one(network.predict(inputs), network) for network in (first, second)))
    if isinstance(first, Network) or isinstance(second, Network):
        kinds = f"{type(first).__name__} and {type(second).__name__}"
        raise TypeError(f"expected two networks or two estimates of igbtheory.infer, got {kinds}; pass two of one kind")
    if inputs is not None:
        raise TypeError("expected inputs for networks, got estimates of infer; leave them out")
    return compare_estimates(first, second, level=0.95 if level is None else level)


def _of_one(prediction: Prediction, network: Network) -> Prediction:
    if np.ndim(prediction.gamma):
        raise ValueError(f"expected two networks to compare, got a sweep in {network!r}; loop over its values")
    return prediction
