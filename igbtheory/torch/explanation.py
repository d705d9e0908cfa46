"""The result of `explain`: how a PyTorch model guesses, the layers that make it guess so, and what would change it."""

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.text import measured
from igbtheory.guesses.bias_of_guesses import MEANING, gamma_of_variance
from igbtheory.guesses.favoured import FavouredOf
from igbtheory.networks.simulation.estimates import ESTIMATES, LayerEstimates, OutputEstimates, layer_estimates
from igbtheory.torch.at_widths import UNDRAWN, AtWidths
from igbtheory.torch.causes import RULE, Causes, causes_of
from igbtheory.torch.explained_tables import WIDTH, Table, of_layers, percent, with_error
from igbtheory.torch.result import Measurement
from igbtheory.torch.what_if import Changes, WhatIf

Array = NDArray[np.float64]
BOTH = ("gamma", "gamma_guess")
SHARE = ("favoured", "favoured_error")
SHARES = (
    "The first table has the share of the data that the favoured class gets, or would get if a linear output layer "
    "read this layer. It follows from gamma_guess."
)
"""What the shares of an explanation are."""
UNIFORM = (
    "Uniform biases of the last layer make {:.0%} of var_mu of the outputs, so that the largest of many outputs stands "
    "out less than with normal biases: the last row contains this, the changes do not."
)
"""What is said if uniform biases count."""
NOTICED = 0.1
"""Share of var_mu from which on they do: a tenth lowers the share of the favoured one of 1000 classes by 0.4 %."""
ALL_TIED = (
    "the outputs tie exactly at all data in all networks, as they do if the weights of the last layer are 0, and the "
    "first class gets all of them"
)
"""What is said in place of the share of the favoured class if there is none."""
LABELS = "Each of {} labels makes two classes, the data with it and those without; shares are averages over the labels."
"""What is said if each output gives a label of its own."""
UNTRACED = (
    "No layer is named to create or remove bias, and no change is tried: the layers stand in the order of their calls, "
    "and it is not known which follows which."
)
"""What is said of a model that could not be traced."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Explanation(OutputEstimates):
    """Moments of a PyTorch model, measured and predicted, behind every layer; the output is the last layer.

    samples, seed: number of data, and the seed of the measurement. names: the layers as the model calls them, the data
    first; layers: the layers of the theory; branch: whether a layer is inside a residual branch; moments: q_ab and
    q_aa - q_ab of every network and layer, (networks, layers, 2); guess_variances, tied: E (G0 - 1/2)^2
    and the share of ties of the outputs, and of a linear layer behind every other layer, (networks, layers), over all
    pairs of data; predicted: var_mu and var_chi in
    infinite width, (layers, 2), NaN if there is no prediction; predicted_variances: Var(G0), (layers,); at_widths: the
    predictions at the model's own widths. doubt: standard error of `expected_gamma`, from variances that were measured,
    from rules that are estimated, and from the networks that were drawn, or else from what finite width may change;
    unread: the first part that could not be read, and why; refused: the first layer that was read but could not be
    predicted, and why; what_if: the changes that were tried, and what they give. traced: whether it is known which
    layer follows which; otherwise they stand in the order of their calls. outputs: the guesses and losses of these
    networks, as `measure` returns them. initialised: what `initialise` does to one of them, in a sentence. positions:
    the shape of the positions behind each layer. limit_error: standard error of gamma of the output in infinite width.
    uniform_biases: the share of var_mu of the outputs that uniform biases of the last layer make.

    The share of the favoured class behind a layer is that of a linear output layer in its place, which has as many
    outputs as the model, on as many data. It comes from `gamma_guess`, and in the last row from the guesses.

    >>> print(igb.explain(make_model, X))    # doctest: +SKIP
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
    outputs: Measurement | None = None
    initialised: str = ""
    positions: tuple[tuple[int, ...], ...] = ()
    limit_error: float = 0.0
    uniform_biases: float = 0.0
    tied: Array | float = 0.0

    @cached_property
    def per_layer(self) -> LayerEstimates:
        """Measured estimates behind every layer, with standard errors."""
        return layer_estimates(self.moments[None], np.ones(1), self.guess_variances, self.tied)

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
        """Difference of the measured and the expected gamma of the output, in units of their error; 0 if they agree."""
        if self.gamma == self.expected_gamma:  # such as 0 behind a norm of the batch, where both are exact
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.divide(self.gamma - self.expected_gamma, np.hypot(self.gamma_error, self.doubt)))

    @cached_property
    def favoured(self) -> FavouredOf:
        """The law of the shares of the favoured class; of two for a label, or if it was saved without guesses."""
        outputs = self.outputs
        return FavouredOf(self.samples, 2 if outputs is None or outputs.multi_label else outputs.n_classes)

    @property
    def majority(self) -> float:
        """Measured share of the favoured class; NaN if the explanation was saved without guesses."""
        return self._majority()[0]

    @property
    def ties(self) -> float:
        """Share of the data at which several outputs are largest; 0 if the explanation was saved without guesses."""
        return 0.0 if self.outputs is None else self.outputs.ties

    @cached_property
    def causes(self) -> Causes:
        """The layers that create or remove bias, and the data; none if the model is not traced."""
        if not self.traced or np.ndim(self.guess_variances) == 0:
            return Causes(())
        trunk = np.flatnonzero(~np.array(self.branch))
        if self.ties:  # Var(G0) of outputs that tie tells no share of the favoured class, as the mean of G0 is not 1/2
            trunk = trunk[:-1]
        blocks = np.diff(trunk, prepend=-1) > 1
        names = [self.names[i] + " and its branches" * bool(block) for i, block in zip(trunk, blocks, strict=True)]
        layers = [self.layers[i] for i in trunk]
        return causes_of(self.favoured, np.asarray(self.guess_variances)[:, trunk], names, layers)

    @cached_property
    def changes(self) -> Changes:
        """The model as it is, and the changes that were tried: which helps most, and their tables."""
        majority, error = self._majority()
        as_it_is = WhatIf(
            "the model as it is",
            float(self.predicted_gamma[-1]),
            self.gamma,
            self.gamma_error,
            predicted_guess=float(self.predicted_gamma_guess[-1]),
            measured_guess=self.gamma_guess,
            guess_error=self.gamma_guess_error,
            **self.at_widths.of_output(),
            majority=majority,
            majority_error=error,
        )
        return Changes(as_it_is, self.what_if, self.favoured)

    def sentences(self) -> list[str]:
        """Return sentences on the guesses, on the layers that create and remove bias, on remedies, and on refusals."""
        return [*self._now(), *self._why(), *self._remedies(), *self.unpredicted(), *self._of_width()]

    def _why(self) -> Iterator[str]:
        """Yield sentences on the layers that create and remove bias."""
        if not self.traced:
            yield UNTRACED
        elif np.ndim(self.guess_variances) == 0:
            yield "This explanation was saved without gamma_guess; explain the model again to see the causes."
        else:
            yield from (*self.causes.sentences(), RULE.format(len(self.moments)))

    def _remedies(self) -> Iterator[str]:
        """Yield sentences on what would even the guesses."""
        if self.unread and not self.what_if and self.traced:
            yield "Changes of a model that is not read as a whole have no prediction; check=True measures them."
        yield from self.changes.sentences()
        if self.initialised:
            yield self.initialised

    def in_a_line(self, most: float) -> str:
        """Return the guesses and the first loss in a line, and what creates the bias and would lower it if it is large.

        most: the largest share of one class that is not.
        """
        share, error = self._majority()
        told = [f"one class gets {percent(share, error)} of the data (even: {percent(self.favoured.even)})"]
        if self.outputs is not None and self.ties:
            told = [ALL_TIED] if self.ties == 1 else [*told, self.outputs.on_ties]
        if np.isnan(self.expected_gamma):
            told.append(f"measured alone, as theory has no prediction ({self._absent()})")
        if self.outputs is not None and np.isfinite(self.outputs.loss):
            classes = self.favoured.n_classes
            told.append(f"first loss {self.outputs.loss:.4f}, log({classes}) = {np.log(classes):.4f}")
        if not share <= most:
            told += [f"{percent(most)} would pass", *(f"created by {cause}" for cause in self.causes.created[:2])]
            told += [f"try {proposal}"] if (proposal := self.changes.proposal()) else []
        return "; ".join(told)

    def _now(self) -> Iterator[str]:
        """Yield sentences on the guesses and the losses of the networks."""
        if self.outputs is not None:
            if self.outputs.multi_label:
                yield LABELS.format(self.outputs.n_classes)
            if self.ties == 1:
                yield f"No class is favoured: {ALL_TIED}."
            else:
                share, even = percent(*self._majority()), percent(self.favoured.even)
                yield (
                    f"One class gets {share} of these {self.samples} data, averaged over {len(self.moments)} networks; "
                    f"without a bias it would get {even}."
                )
                yield from [f"{self.outputs.on_ties}."] if self.ties else []
            if np.isfinite(self.outputs.loss):
                loss = measured(self.outputs.loss, self.outputs.loss_error)
                equal = f"log({self.favoured.n_classes}) = {np.log(self.favoured.n_classes):.4g}"
                yield f"The first cross-entropy is {loss}; equal probabilities would give {equal}."
        if np.ndim(self.guess_variances) and np.isnan(self.gamma_guess) and self.ties < 1:
            yield "gamma_guess of the outputs is not defined: they are not centred, and the mean of G0 is not 1/2."

    def unpredicted(self) -> list[str]:
        """Return sentences that say why layers have no prediction; none if all have one."""
        reasons = {"Not read": self.unread, "Not predicted": self.refused}
        return [f"{begin}: {reason}." for begin, reason in reasons.items() if reason]

    def _absent(self) -> str:
        """Return the first reason why the outputs have no prediction."""
        reasons = self.unread, self.refused, self.at_widths.refused
        return next((reason.partition("; ")[0] for reason in reasons if reason), "it would take too long")

    def _of_width(self) -> Iterator[str]:
        """Yield sentences that say how much finite width changes, or may change."""
        finite, limits = self.at_widths.per_layer, (self.predicted_gamma[-1], self.predicted_gamma_guess[-1])
        if finite is not None:
            pairs = [(getattr(finite, name)[-1], getattr(finite, f"{name}_error")[-1]) for name in BOTH]
            relative = self.limit_error / limits[0] if limits[0] > 0 else 0.0
            said = [
                f"{name} {with_error(*pair)}{_beside(*pair, limit, relative)}"
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

    def columns(self) -> dict[str, Any]:
        """Return a row for every layer."""
        estimates, finite = self.per_layer, self.at_widths.per_layer
        columns = {
            "name": np.array(self.names),
            "layer": np.array(self.layers),
            "branch": np.array(self.branch),
            **vars(estimates),
            **self._shares("", estimates.gamma_guess, estimates.gamma_guess_error),
            "predicted_var_mu": self.predicted[:, 0],
            "predicted_var_chi": self.predicted[:, 1],
            "predicted_gamma": self.predicted_gamma,
            "predicted_gamma_guess": self.predicted_gamma_guess,
            "predicted_favoured": self.favoured.at(self.predicted_gamma_guess)[0],
        }
        for name, value in () if self.outputs is None else zip(SHARE, self._majority(), strict=True):
            columns[name][-1] = value
        if finite is not None:
            columns |= {f"at_widths_{name}": getattr(finite, name) for name in ESTIMATES}
            columns |= self._shares("at_widths_", finite.gamma_guess, finite.gamma_guess_error)
        for kind in ("predicted", "at_widths") if self.uniform_biases else ():
            gamma = columns.get(f"{kind}_gamma_guess", [np.nan])[-1]
            if np.isfinite(gamma):
                columns[f"{kind}_favoured"][-1] = self.favoured.with_uniform(gamma, self.uniform_biases)
        return columns

    def _shares(self, kind: str, gamma_guess: Array, error: Array) -> dict[str, Array]:
        """Return the columns of the shares of the favoured class at values of gamma_guess with errors."""
        return {
            f"{kind}{name}": values for name, values in zip(SHARE, self.favoured.at(gamma_guess, error), strict=True)
        }

    def _majority(self) -> tuple[float, float]:
        """Return the measured share of the favoured class and its error."""
        if self.outputs is None or self.ties == 1:
            return np.nan, np.nan
        return self.outputs.majority, self.outputs.majority_error

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

    def beginning(self) -> str:
        """Return the sentences on the guesses and the table of the shares, with which the text begins."""
        return _text(islice(self.blocks(), 2))

    def blocks(self) -> Iterator[list[str] | Table]:
        """Yield what a person reads, in this order: paragraphs of sentences, and tables."""
        shares, gammas = of_layers(self.columns())
        shares_if, gammas_if = ([table] for table in self.changes.tables()) if self.what_if else ([], [])
        yield [*self._now()]
        yield shares
        yield [*self._why()]
        yield from shares_if
        yield [*self._remedies()]
        yield gammas
        yield from gammas_if
        biases = [UNIFORM.format(self.uniform_biases)] if self.uniform_biases > NOTICED else []
        yield [SHARES, *biases, *self.unpredicted(), *self._of_width(), MEANING]

    def __str__(self) -> str:
        return _text(self.blocks())

    def __repr__(self) -> str:
        size = f"{len(self.moments)} networks, samples={self.samples}, {len(self.names)} layers"
        return f"Explanation({size}; z={self.z:.2g})"


def _text(blocks: Iterable[list[str] | Table]) -> str:
    """Return blocks as text. Each sentence begins a line, and no line is wider than a table may be."""
    texts = (str(x) if isinstance(x, Table) else "\n".join(textwrap.fill(each, WIDTH) for each in x) for x in blocks)
    return "\n\n".join(filter(None, texts))


def _beside(value: float, error: float, limit: float, relative: float) -> str:
    """Return how far a value is from that of infinite width, of this relative error; nothing if that is not known."""
    if not (np.isfinite(value) and limit > 0):
        return ""
    share = measured(100 * abs(value / limit - 1), 100 * float(np.hypot(error, value * relative)) / limit)
    return f" ({share} % {'above' if value > limit else 'below'} infinite width)"
