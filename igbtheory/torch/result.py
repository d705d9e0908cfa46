"""The result of `measure`: guesses and moments of an ensemble of PyTorch models."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations.text import measured, table
from igbtheory.guesses.bias_of_guesses import MEANING
from igbtheory.networks.simulation.estimates import (
    ESTIMATES,
    NAMES,
    LayerEstimates,
    OutputEstimates,
    layer_estimates,
    on_few,
)
from igbtheory.torch.remarks import of_ties


@final
@dataclass(frozen=True, eq=False, repr=False)
class Measurement(OutputEstimates):
    """Ensemble of untrained PyTorch models: their guesses, and moments and bias ratios with standard errors.

    samples, seed: number of data, and the seed. shares: fractions of the data that a network gives to each class,
    (networks, M); M = 2 for one output. moments: q_ab and q_aa - q_ab of every network, averaged over its contrasts,
    (networks, 2). outputs: number of outputs of a network; a single output decides between two classes, class 0 where
    it is >= 0. probabilities: softmax probabilities of the classes, averaged over the data, (networks, M). losses: mean
    cross-entropy of each network, (networks,); without labels, all classes are taken to be equally likely. by_label:
    the share of the data of each label that every class gets, (networks, labels, M), of size 0 without labels.
    guess_variances: (G - 1/2)^2 in every network, (networks,), with the share G of the data at which one of two outputs
    is the guess, averaged over pairs of neighbouring classes; NaN if the mean of G is not 1/2, as the outputs are not
    centred. multi_label: whether each output gives a label of its own where it is >= 0: shares are then those of the
    data with each label, which do not add up to 1, and every output is its own contrast. tied: share of the data at
    which several outputs are largest in each network, (networks,): the first of these classes gets them. A single
    output of 0 ties, too, and counts for class 0. equal: share of the data at which two neighbouring outputs are equal.

    The contrasts are M - 1 orthonormal combinations of the outputs whose coefficients sum to 0. For independent outputs
    they have the variances of one output. A term that all outputs share changes neither contrasts nor guesses, so that
    log_softmax changes nothing. A single output is its own contrast. The moments are averages over all pairs of data,
    as in `Network.predict(X)` on a given data set, and so is gamma_guess, which comes from the guesses alone.

    var_mu is the mean square of the centres. It is their variance if they have mean 0 over the weights, as they have
    whenever output weights and their negatives are equally likely. Standard errors from few networks are too small.

    >>> igb.measure(make_model, X).plot()    # doctest: +SKIP
    """

    samples: int
    seed: int
    shares: NDArray[np.float64]
    moments: NDArray[np.float64]
    outputs: int
    probabilities: NDArray[np.float64]
    losses: NDArray[np.float64]
    by_label: NDArray[np.float64]
    guess_variances: NDArray[np.float64] | float = np.nan
    multi_label: bool = False
    tied: NDArray[np.float64] | float = 0.0
    equal: NDArray[np.float64] | float = 0.0

    @property
    def ties(self) -> float:
        """Share of the data at which several outputs are the largest: the first of their classes gets them."""
        return float(np.mean(self.tied))

    @property
    def loss(self) -> float:
        """Mean of `losses` over the networks."""
        return float(self.losses.mean())

    @property
    def loss_error(self) -> float:
        """Standard error of `loss`."""
        return float(self.losses.std(ddof=1) / np.sqrt(self.networks))

    @property
    def on_ties(self) -> str:
        """A sentence on the share of tied data, and on the class that gets them."""
        return of_ties(self.ties, one=self.multi_label or self.outputs == 1)

    @property
    def networks(self) -> int:
        """Number of networks measured."""
        return int(self.shares.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes, two if a network has one output; or of labels."""
        return int(self.shares.shape[1])

    @property
    def G0(self) -> NDArray[np.float64]:  # noqa: N802 - the papers' letter
        """Share of class 0 in every network."""
        return self.shares[:, 0]

    @property
    def majorities(self) -> NDArray[np.float64]:
        """Share of the favoured class in every network, or of the favoured answer to a label, averaged over labels."""
        if self.multi_label:
            return np.asarray(np.maximum(self.shares, 1 - self.shares).mean(axis=1))
        return np.asarray(self.shares.max(axis=1))

    @property
    def majority(self) -> float:
        """Mean of `majorities` over the networks."""
        return float(self.majorities.mean())

    @property
    def majority_error(self) -> float:
        """Standard error of `majority`."""
        return float(self.majorities.std(ddof=1) / np.sqrt(self.networks))

    @cached_property
    def per_layer(self) -> LayerEstimates:
        """Measured estimates after the output layer, the only layer that is measured, with standard errors."""
        squares, equal = (np.reshape(values, (1, -1, 1)) for values in (self.guess_variances, self.equal))
        return layer_estimates(self.moments[None, :, None], np.ones(1), squares, equal)

    def to_dict(self) -> dict[str, Any]:
        """Return the measurement as plain values, including the shares of all classes in every network."""
        names = ("networks", "samples", "n_classes", "multi_label", "seed", *ESTIMATES)
        return {
            **{name: getattr(self, name) for name in names},
            "G0": {"mean": self.G0.mean(), "std": self.G0.std(ddof=1)},
            "majority": self.majority,
            "majority_error": self.majority_error,
            "loss": self.loss,
            "loss_error": self.loss_error,
            "ties": self.ties,
            "shares": self.shares,
            "probabilities": self.probabilities,
            **({"by_label": self.by_label} if self.by_label.size else {}),
        }

    def __str__(self) -> str:
        zero = "share of label 0" if self.multi_label else "share of class 0"
        favoured = "share of yes or no, the larger, mean" if self.multi_label else "largest share, mean"
        zero += ", output >= 0" if self.multi_label or self.outputs == 1 else ""
        deviation = self.G0.std(ddof=1)
        rows = [
            *([name, measured(getattr(self, name), getattr(self, f"{name}_error"))] for name in NAMES[::-1]),
            ["gamma_guess", self._guesses()],
            [f"{zero}, mean", measured(self.G0.mean(), deviation / np.sqrt(self.networks))],
            # from about a hundred networks on, a standard deviation is known to its second digit
            [f"{zero[:16]}, sd", f"{deviation:.2g}"],
            [favoured, measured(self.majority, self.majority_error)],
            ["cross-entropy, mean", measured(self.loss, self.loss_error)],
        ]
        labels = f"\n\n{self._label_table()}" if self.by_label.size else ""
        ties = f"\n\n{self.on_ties}." if self.ties else ""
        return f"{table(('output', 'measured'), rows)}\n\n{MEANING}{on_few(self.networks)}{ties}{labels}"

    def _guesses(self) -> str:
        """Return gamma_guess with its error as text, or why there is none."""
        if np.isnan(self.gamma_guess):
            return "not defined, as E G0 is not 1/2"
        return measured(self.gamma_guess, self.gamma_guess_error)

    def _label_table(self) -> str:
        """Return a table with a line for every label that has data: the largest share, and the share of its class."""
        rows = []
        for label, shares in enumerate(np.moveaxis(self.by_label, 1, 0)):
            if not np.isnan(shares).any():
                pairs = np.stack([shares.max(axis=1), shares[:, label]])
                errors = pairs.std(axis=1, ddof=1) / np.sqrt(self.networks)
                rows.append([str(label), *map(measured, pairs.mean(axis=1), errors)])
        return table(("label", "largest share, mean", "its own class, mean"), rows)

    def __repr__(self) -> str:
        return (
            f"Measurement({self.networks} networks, samples={self.samples}, n_classes={self.n_classes}, "
            f"seed={self.seed}; {self._estimates()})"
        )
