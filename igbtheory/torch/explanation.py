"""The result of `explain`: the theory of a PyTorch model beside its measurement, layer by layer."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.simulation.estimates import NAMES, LayerEstimates, OutputEstimates, layer_estimates
from igbtheory.text import measured, table

Array = NDArray[np.float64]
LARGE = 1.02
"""A layer creates or removes bias if it changes gamma by more than this factor."""
ROUNDING = 1e-9
"""A standard error below this share of its value is rounding: the data are the same in every network."""
SHORT = 26
"""A sentence prints layers of fewer characters, and only the class of others."""
NAMED = 3
"""Largest number of layers that a sentence names."""


@final
@dataclass(frozen=True)
class WhatIf:
    """A change of the model or its data, its predicted gamma (NaN: no rule) and, if checked, its measured gamma."""

    change: str
    predicted: float
    measured: float = np.nan
    error: float = np.nan


@final
@dataclass(frozen=True, eq=False, repr=False)
class Explanation(OutputEstimates):
    """Moments of a PyTorch model, measured and predicted, behind every layer; the output is the last layer.

    samples, seed: number of data, and the seed of the measurement. names: the layers as the model calls them, the data
    first; layers: the layers of the theory; branch: whether a layer is inside a residual branch; moments: q_ab and
    q_aa - q_ab of every network and layer, (networks, layers, 2); predicted: var_mu and var_chi in infinite width,
    (layers, 2), NaN if there is no rule; doubt: standard error of the predicted gamma of the output, from variances
    that were measured and from rules that are estimated; unread: the part that could not be read, and why; what_if:
    changes and their gamma.
    """

    samples: int
    seed: int
    names: tuple[str, ...]
    layers: tuple[str, ...]
    branch: tuple[bool, ...]
    moments: Array
    predicted: Array
    doubt: float
    unread: str
    what_if: tuple[WhatIf, ...]

    @cached_property
    def per_layer(self) -> LayerEstimates:
        """Measured estimates behind every layer, with standard errors."""
        return layer_estimates(self.moments[None], np.ones(1))

    @property
    def predicted_gamma(self) -> Array:
        """Predicted gamma behind every layer."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.predicted[:, 0] / self.predicted[:, 1])

    @property
    def z(self) -> float:
        """Difference of the measured and the predicted gamma of the output, in units of their joint standard error."""
        return float((self.gamma - self.predicted_gamma[-1]) / np.hypot(self.gamma_error, self.doubt))

    def sentences(self) -> list[str]:
        """Return sentences on the layers that create the bias, the layers that remove it, and the part not read."""
        known = self.predicted_gamma
        gamma = np.where(np.isnan(known), self.per_layer.gamma, known)
        trunk = [i for i in range(len(gamma)) if not self.branch[i]]
        steps = [(gamma[i], gamma[j], self.names[j], self.layers[j]) for i, j in pairwise(trunk)]
        up = sorted((x for x in steps if x[1] > LARGE * x[0]), key=lambda x: x[0] - x[1])
        down = sorted((x for x in steps if x[0] > LARGE * x[1]), key=lambda x: x[1] - x[0])
        said = [
            _sentence("The bias is created by", "No layer creates bias", up),
            _sentence("It is removed by", "No layer removes it", down),
        ]
        return [*said, f"Not read: {self.unread}."] if self.unread else said

    def columns(self) -> dict[str, Any]:
        """Return a row for every layer."""
        found = self.per_layer
        return {
            "name": np.array(self.names),
            "layer": np.array(self.layers),
            "branch": np.array(self.branch),
            **{name: getattr(found, name) for name in vars(found)},
            "predicted_var_mu": self.predicted[:, 0],
            "predicted_var_chi": self.predicted[:, 1],
            "predicted_gamma": self.predicted_gamma,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values."""
        return {
            "networks": self.moments.shape[0],
            "samples": self.samples,
            "seed": self.seed,
            "layers": self.columns(),
            "gamma": self.gamma,
            "gamma_error": self.gamma_error,
            "predicted_gamma": float(self.predicted_gamma[-1]),
            "doubt": self.doubt,
            "z": self.z,
            "sentences": self.sentences(),
            "what_if": [vars(line) for line in self.what_if],
        }

    def __str__(self) -> str:
        found, known = self.per_layer, self.predicted_gamma
        rows = [
            [
                f"{'  ' if self.branch[i] else ''}{self.names[i]}",
                *(_found(getattr(found, x)[i], getattr(found, f"{x}_error")[i]) for x in NAMES),
                *(_known(x) for x in (*self.predicted[i], known[i])),
                self.layers[i],
            ]
            for i in range(len(self.names))
        ]
        head = ("layer", *NAMES, *(f"predicted {name}" for name in NAMES), "in the theory")
        checked = any(not np.isnan(line.measured) for line in self.what_if)
        lines = [
            [x.change, _known(x.predicted), *([measured(x.measured, x.error)] if checked else [])] for x in self.what_if
        ]
        changed = table(("what if", "gamma", *(["measured"] if checked else [])), lines) if lines else ""
        return "\n".join([table(head, rows, words=True), "", *self.sentences(), *(["", changed] if changed else [])])

    def __repr__(self) -> str:
        size = f"{len(self.moments)} networks, samples={self.samples}, {len(self.names)} layers"
        return f"Explanation({size}; z={self.z:.2g})"


def _found(value: float, error: float) -> str:
    return measured(value, error) if error > ROUNDING * abs(value) else f"{value:.4g}"


def _known(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.4g}"


def _sentence(begin: str, otherwise: str, steps: list[tuple[float, float, str, str]]) -> str:
    named = [
        f"{name} ({layer if len(layer) < SHORT else layer.partition('(')[0]}, gamma {a:.3g} to {b:.3g})"
        for a, b, name, layer in steps[:NAMED]
    ]
    more = f" and {len(steps) - NAMED} more" if len(steps) > NAMED else ""
    return f"{begin} {', '.join(named)}{more}." if steps else f"{otherwise}."
