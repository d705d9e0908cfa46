"""Changes of a model or its data, and what they give."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from igbtheory.guesses.favoured import FavouredOf
from igbtheory.torch.causes import ERRORS, SMALL
from igbtheory.torch.explained_tables import Table, of_changes, percent, with_error

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
REASONS = {
    "unpredicted": "No prediction",
    "undrawn": "No prediction at the model's widths",
    "unmeasured": "No measurement",
}
"""How a sentence begins on changes without a value, by the name of the reason."""
SAYS = {MEASURED: "measured", LIMIT: "predicted", AT_WIDTHS: "predicted"}
"""Where a value comes from, in a word, by kind."""


@final
@dataclass(frozen=True)
class WhatIf:
    """A change of the model or its data, its predicted gamma and, if checked, its measured gamma with standard error.

    predicted_guess, measured_guess, guess_error: the same for gamma_guess. majority, majority_error: the measured
    largest share of a class, averaged over the networks. at_widths, at_widths_error, at_widths_guess,
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
    majority: float = np.nan
    majority_error: float = np.nan

    @property
    def is_predicted(self) -> bool:
        """Whether there is a prediction, in infinite width or at the model's own widths."""
        return not np.isnan([self.predicted, self.at_widths]).all()

    def value(self, ratio: str, kind: str) -> tuple[float, float]:
        """Return a value of a bias ratio and its error, 0 in infinite width."""
        value, *error = VALUES[ratio, kind]
        return getattr(self, value), getattr(self, error[0]) if error else 0.0


@final
@dataclass(frozen=True)
class Changes:
    """The model as it is, its changes, and the law of the shares of the favoured class."""

    model: WhatIf
    changes: tuple[WhatIf, ...]
    favoured: FavouredOf

    @property
    def _drawn(self) -> bool:
        """Whether some change is predicted at the model's widths."""
        return any(not np.isnan(line.at_widths) for line in self.changes)

    @property
    def kinds(self) -> list[str]:
        """The kinds of values that are shown: one prediction, of the model and all changes, and the measurement.

        The measurement is left out if none of the changes was measured, and the model is predicted.
        """
        lines = self.model, *self.changes
        drawn = self._drawn and all(np.isnan(x.predicted) or not np.isnan(x.at_widths) for x in lines)
        checked = not self.model.is_predicted or any(not np.isnan(x.measured) or x.unmeasured for x in self.changes)
        return [AT_WIDTHS if drawn else LIMIT, *([MEASURED] if checked else [])]

    def share(self, line: WhatIf, kind: str) -> tuple[float, float]:
        """Return the share of the favoured class with its error."""
        if kind == MEASURED:
            return line.majority, line.majority_error
        share, error = self.favoured.at(*line.value("gamma_guess", kind))
        return float(share), float(error)

    @property
    def remedy(self) -> WhatIf | None:
        """The change with the smallest predicted share, or measured one if it has no prediction.

        None: no change lowers the share by more than 2 standard errors. Predictions come first since their errors are
        smaller.
        """
        now, error = self._known(self.model)
        shares = [self._known(line) for line in self.changes]
        lower = [
            (share, i)
            for i, (share, other) in enumerate(shares)
            if now - share > max(SMALL, ERRORS * np.hypot(error, other))
        ]
        return self.changes[min(lower)[1]] if lower else None

    def _known(self, line: WhatIf) -> tuple[float, float]:
        """Return the first share that is known, in the order of `kinds`, with its error."""
        shares = [self.share(line, kind) for kind in self.kinds]
        return next((share for share in shares if not np.isnan(share[0])), shares[-1])

    def proposal(self) -> str:
        """Return the change that helps most and the shares that it gives, as text; empty if none helps."""
        remedy = self.remedy
        if remedy is None:
            return ""
        shares = [(kind, self.share(remedy, kind)) for kind in self.kinds]
        told = ", ".join(f"{SAYS[kind]} {percent(*share)}" for kind, share in shares if not np.isnan(share[0]))
        return f"{remedy.change} ({told})"

    def sentences(self) -> Iterator[str]:
        """Yield a sentence on the change that helps most, and sentences that say why values are missing."""
        if proposal := self.proposal():
            yield f"Of the changes that were tried, this one helps most: {proposal}."
        elif self.changes:
            yield (
                f"No change that was tried lowers the share of the favoured class by more than {100 * SMALL} % of the "
                f"data and {ERRORS:.0f} standard errors of the difference."
            )
        for kind, begin in REASONS.items():
            where = " in infinite width" if kind == "unpredicted" and self._drawn else ""
            names: dict[str, list[str]] = {}
            for line in self.changes:
                names.setdefault(getattr(line, kind), []).append(repr(line.change))
            yield from (f"{begin}{where} of {', '.join(each)}: {reason}." for reason, each in names.items() if reason)

    def tables(self) -> Iterator[Table]:
        """Yield a table of the shares of the favoured class, and one of gamma."""
        lines = (self.model, *self.changes)
        shares = [(x.change, [percent(*self.share(x, kind)) for kind in self.kinds]) for x in lines]
        gammas = [(x.change, [with_error(*x.value("gamma", kind)) for kind in self.kinds]) for x in lines]
        yield of_changes("one class gets", self.kinds, shares)
        yield of_changes("gamma", self.kinds, gammas)
