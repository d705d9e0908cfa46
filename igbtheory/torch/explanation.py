"""The result of `explain`: the theory of a PyTorch model beside its measurement, layer by layer."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.text import measured
from igbtheory.guesses.bias_of_guesses import MEANING, gamma_of_variance, without_itself
from igbtheory.networks.simulation.estimates import (
    ESTIMATES,
    LayerEstimates,
    OutputEstimates,
    jackknife,
    layer_estimates,
)
from igbtheory.torch.at_widths import UNDRAWN, AtWidths
from igbtheory.torch.explained_tables import WIDTH, of_changes, of_layers, with_error

Array = NDArray[np.float64]
SMALL = 0.002
"""A layer creates or removes bias if it changes the favoured share by more: 2 of 1000 data."""
ERRORS = 2.0
"""Number of standard errors by which a change must differ from 0 to be named as a cause."""
SHORT = 26
"""A sentence prints layers of fewer characters, and only the class of others."""
NAMED = 3
"""Largest number of layers that a sentence names."""

BOTH = ("gamma", "gamma_guess")
MEASURED, LIMIT, AT_WIDTHS = "measured", "infinite width", "at its widths"
VALUES = {
    ("gamma", MEASURED): ("measured", "error"),
    ("gamma", LIMIT): ("predicted",),
    ("gamma", AT_WIDTHS): ("at_widths", "at_widths_error"),
    ("gamma_guess", MEASURED): ("measured_guess", "guess_error"),
    ("gamma_guess", LIMIT): ("predicted_guess",),
    ("gamma_guess", AT_WIDTHS): ("at_widths_guess", "at_widths_guess_error"),
}
"""Names of a value of a change and of its error, by bias ratio and kind."""
UNTRACED = (
    "No layer is named to create or remove bias, and no change is tried: the layers stand in the order of their calls, "
    "and it is not known which follows which."
)
"""What is said of a model that could not be traced."""

RULE = (
    "Causes are read from the measured guesses alone. A layer is named if it changes the favoured share, 1/2 + "
    f"arctan(sqrt(gamma_guess))/pi without pairs of a datum with itself, by more than {SMALL} and by more than "
    f"{ERRORS:.0f} standard errors of the difference in the same {{}} networks; the largest change comes first."
)
"""How causes are found, for a number of networks."""


@final
@dataclass(frozen=True)
class WhatIf:
    """A change of the model or its data, its predicted gamma and, if checked, its measured gamma with standard error.

    predicted_guess, measured_guess, guess_error: the same for gamma_guess. at_widths, at_widths_error, at_widths_guess,
    at_widths_guess_error: the predictions at the model's own widths. unpredicted, undrawn, unmeasured: why a gamma is
    NaN, in infinite width, at the model's widths, or measured; empty if it is a number, or was not asked for.
    """

    change: str
    predicted: float = np.nan
    measured: float = np.nan
    error: float = np.nan
    unpredicted: str = ""
    unmeasured: str = ""
    predicted_guess: float = np.nan
    measured_guess: float = np.nan
    guess_error: float = np.nan
    at_widths: float = np.nan
    at_widths_error: float = np.nan
    at_widths_guess: float = np.nan
    at_widths_guess_error: float = np.nan
    undrawn: str = ""

    def value(self, ratio: str, kind: str) -> tuple[float, float]:
        """Return a value of a bias ratio and its error, 0 in infinite width."""
        value, *error = VALUES[ratio, kind]
        return getattr(self, value), getattr(self, error[0]) if error else 0.0


@final
@dataclass(frozen=True, eq=False, repr=False)
class Explanation(OutputEstimates):
    """Moments of a PyTorch model, measured and predicted, behind every layer; the output is the last layer.

    samples, seed: number of data, and the seed of the measurement. names: the layers as the model calls them, the data
    first; layers: the layers of the theory; branch: whether a layer is inside a residual branch; moments: q_ab and
    q_aa - q_ab of every network and layer, (networks, layers, 2); guess_variances: Var(G0) of the outputs, and of a
    linear layer behind every other layer, (networks, layers), over all pairs of data; predicted: var_mu and var_chi in
    infinite width, (layers, 2), NaN if there is no prediction; predicted_variances: Var(G0), (layers,); at_widths: the
    predictions at the model's own widths. doubt: standard error of `expected_gamma`, from variances that were measured,
    from rules that are estimated, and from the networks that were drawn, or else from what finite width may change;
    unread: the first part that could not be read, and why; refused: the first layer that was read but could not be
    predicted, and why; what_if: the changes that were tried, and what they give. traced: whether it is known which
    layer follows which; otherwise they stand in the order of their calls.
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
    refused: str
    what_if: tuple[WhatIf, ...]
    guess_variances: Array | float = np.nan
    predicted_variances: Array | float = np.nan
    at_widths: AtWidths = UNDRAWN
    traced: bool = True

    @cached_property
    def per_layer(self) -> LayerEstimates:
        """Measured estimates behind every layer, with standard errors."""
        return layer_estimates(self.moments[None], np.ones(1), self.guess_variances)

    @property
    def predicted_gamma(self) -> Array:
        """Predicted gamma behind every layer."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.predicted[:, 0] / self.predicted[:, 1])

    @property
    def predicted_gamma_guess(self) -> Array:
        """Predicted gamma_guess behind every layer."""
        return np.broadcast_to(gamma_of_variance(self.predicted_variances), len(self.names))

    @property
    def expected_gamma(self) -> float:
        """Predicted gamma of the output, at the model's own widths if it is known there, else in infinite width."""
        finite = self.at_widths.per_layer
        return float(self.predicted_gamma[-1] if finite is None else finite.gamma[-1])

    @property
    def z(self) -> float:
        """Difference of the measured and the expected gamma of the output, in units of their joint standard error."""
        return float((self.gamma - self.expected_gamma) / np.hypot(self.gamma_error, self.doubt))

    def sentences(self) -> list[str]:
        """Return sentences on the layers that create bias, the layers that remove it, and all refusals."""
        off_centre = "gamma_guess of the outputs is not defined, since they are not centred: the mean of G0 is not 1/2."
        undefined = [off_centre] if np.ndim(self.guess_variances) and np.isnan(self.gamma_guess) else []
        causes = self._causes() if self.traced else [UNTRACED]
        return [*undefined, *causes, *self.unpredicted(), *self._of_width(), *self._refused_changes()]

    def unpredicted(self) -> list[str]:
        """Return sentences that say why layers have no prediction; none if all have one."""
        reasons = {"Not read": self.unread, "Not predicted": self.refused}
        return [f"{begin}: {reason}." for begin, reason in reasons.items() if reason]

    def _of_width(self) -> Iterator[str]:
        """Yield sentences that say how much finite width changes, or may change."""
        finite, limits = self.at_widths.per_layer, (self.predicted_gamma[-1], self.predicted_gamma_guess[-1])
        if finite is not None:
            pairs = [(getattr(finite, name)[-1], getattr(finite, f"{name}_error")[-1]) for name in BOTH]
            said = [
                f"{name} {with_error(*pair)}{_beside(*pair, limit)}"
                for name, pair, limit in zip(BOTH, pairs, limits, strict=True)
            ]
            yield (
                f"At the model's widths, {self.at_widths}, theory predicts {' and '.join(said)}, by drawing "
                f"{self.at_widths.networks} networks; the measured gamma differs by {self.z:+.1f} standard errors."
            )
            if any(self.branch):
                yield "Layers inside branches are predicted in infinite width alone."
        elif self.at_widths.refused and not self.at_widths.widths:
            yield f"Not predicted at the model's widths: {self.at_widths.refused}."
        elif self.at_widths.refused:
            change = f"finite width may change gamma by about {self.at_widths.change:.0%}, which its error contains"
            yield f"Not predicted at the model's widths, {self.at_widths}: {self.at_widths.refused}. So {change}."

    def _refused_changes(self) -> list[str]:
        """Return a sentence for each reason why a change has no prediction, or could not be measured."""
        said = []
        if self.unread and not self.what_if and self.traced:
            said.append("Changes of a model that is not read as a whole have no prediction; check=True measures them.")
        drawn = any(not np.isnan(line.at_widths) for line in self.what_if)
        kinds = {
            "unpredicted": "No prediction in infinite width" if drawn else "No prediction",
            "undrawn": "No prediction at the model's widths",
            "unmeasured": "No measurement",
        }
        for kind, begin in kinds.items():
            changes: dict[str, list[str]] = {}
            for line in self.what_if:
                changes.setdefault(getattr(line, kind), []).append(repr(line.change))
            said += [f"{begin} of {', '.join(names)}: {reason}." for reason, names in changes.items() if reason]
        return said

    def _causes(self) -> list[str]:
        """Return sentences on the layers behind which the measured favoured share is larger or smaller than in front.

        Both shares are those of the same networks, so the error of their difference is that of a paired comparison.
        """
        trunk = np.flatnonzero(~np.array(self.branch))
        if np.ndim(self.guess_variances) == 0:
            return ["This explanation was saved without gamma_guess; explain the model again to see the causes."]
        variances = without_itself(np.asarray(self.guess_variances)[:, trunk], self.samples)
        changes, errors = jackknife(_changes, np.ones(1), variances[None])
        shares = favoured_share(variances.mean(axis=0))
        # the last layer behind which there is no bias, or the data: nothing in front of it creates the bias behind it
        start = max([0, *np.flatnonzero(shares < 0.5 + SMALL)])
        causes = [i for i in np.argsort(-np.abs(changes)) if abs(changes[i]) > max(SMALL, ERRORS * errors[i])]
        created = [self._step(*trunk[i : i + 2]) for i in causes if changes[i] > 0 and i >= start]
        removed = [self._step(*trunk[i : i + 2]) for i in causes if changes[i] < 0]
        said = [_sentence("create", created), _sentence("remove", removed)]
        if start:
            said.append(f"Behind {self.names[trunk[start]]} there is no bias: what stands in front of it creates none.")
        return [*said, RULE.format(len(self.moments))]

    def _step(self, before: int, behind: int) -> str:
        """Return the name of a layer, its kind, and the measured gamma_guess in front of it and behind it."""
        name, layer = self.names[behind], self.layers[behind]
        branches = " and its branches" if behind - before > 1 else ""
        kind = layer if len(layer) < SHORT else layer.partition("(")[0]
        estimates = self.per_layer
        gammas = (with_error(estimates.gamma_guess[i], estimates.gamma_guess_error[i]) for i in (before, behind))
        return f"{name}{branches} ({kind}, gamma_guess {' to '.join(gammas)})"

    def columns(self) -> dict[str, Any]:
        """Return a row for every layer."""
        estimates, has_widths = self.per_layer, self.at_widths.per_layer is not None
        return {
            "name": np.array(self.names),
            "layer": np.array(self.layers),
            "branch": np.array(self.branch),
            **{name: getattr(estimates, name) for name in vars(estimates)},
            "predicted_var_mu": self.predicted[:, 0],
            "predicted_var_chi": self.predicted[:, 1],
            "predicted_gamma": self.predicted_gamma,
            "predicted_gamma_guess": self.predicted_gamma_guess,
            **{f"at_widths_{name}": getattr(self.at_widths.per_layer, name) for name in ESTIMATES if has_widths},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values."""
        return {
            "networks": self.moments.shape[0],
            "samples": self.samples,
            "seed": self.seed,
            "layers": self.columns(),
            **{name: getattr(self, name) for name in ESTIMATES[4:]},
            "predicted_gamma": float(self.predicted_gamma[-1]),
            "predicted_gamma_guess": float(self.predicted_gamma_guess[-1]),
            "expected_gamma": self.expected_gamma,
            "widths": list(self.at_widths.widths),
            "networks_at_widths": self.at_widths.networks,
            "doubt": self.doubt,
            "z": self.z,
            "unread": self.unread,
            "refused": self.refused,
            "sentences": self.sentences(),
            "what_if": [vars(line) for line in self.what_if],
        }

    def __str__(self) -> str:
        said = (textwrap.fill(sentence, WIDTH) for sentence in (MEANING, *self.sentences()))
        tables = "\n\n".join(of_layers(self.columns()))
        return "\n".join([tables, "", *said, *(f"\n{text}" for text in self._tables_of_changes())])

    def _tables_of_changes(self) -> Iterator[str]:
        """Yield a table for each bias ratio, of the model and its changes, with predictions of one kind."""
        if self.what_if:
            lines = [self._as_it_is(), *self.what_if]
            drawn = all(np.isnan(line.predicted) or not np.isnan(line.at_widths) for line in lines)
            checked = any(not np.isnan(line.measured) or line.unmeasured for line in self.what_if)
            kinds = [AT_WIDTHS if drawn else LIMIT, *([MEASURED] if checked else [])]
            for ratio in BOTH[::-1]:
                yield of_changes(
                    ratio, kinds, [(line.change, [line.value(ratio, kind) for kind in kinds]) for line in lines]
                )

    def _as_it_is(self) -> WhatIf:
        """Return the model without a change."""
        return WhatIf(
            "the model as it is",
            float(self.predicted_gamma[-1]),
            self.gamma,
            self.gamma_error,
            predicted_guess=float(self.predicted_gamma_guess[-1]),
            measured_guess=self.gamma_guess,
            guess_error=self.gamma_guess_error,
            **self.at_widths.of_output(),
        )

    def __repr__(self) -> str:
        size = f"{len(self.moments)} networks, samples={self.samples}, {len(self.names)} layers"
        return f"Explanation({size}; z={self.z:.2g})"


def favoured_share(variance: Array) -> Array:
    """Return the share of the favoured of two classes at the gamma whose law of G0 has this variance."""
    return np.asarray(0.5 + np.arctan(np.sqrt(gamma_of_variance(variance))) / np.pi)


def _beside(value: float, error: float, limit: float) -> str:
    """Return how far a value is from that of infinite width, as text; nothing if that is not known."""
    if not (np.isfinite(value) and limit > 0):
        return ""
    share = measured(100 * abs(value / limit - 1), 100 * error / limit)
    return f" ({share} % {'above' if value > limit else 'below'} infinite width)"


def _changes(variances: Array) -> Array:
    """Return the differences of the favoured shares behind one layer and the layer before, (..., layers - 1)."""
    return np.diff(favoured_share(variances), axis=-1)


def _sentence(verb: str, steps: list[str]) -> str:
    more = f" and {len(steps) - NAMED} more" if len(steps) > NAMED else ""
    return f"Bias is {verb}d by {', '.join(steps[:NAMED])}{more}." if steps else f"No layer is named to {verb} bias."
