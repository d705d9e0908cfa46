"""A number known from independent draws, with its standard error."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory import checks


@final
@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimate `value` and its standard error `error`, numbers or arrays of one shape; error 0: exact."""

    value: Any
    error: Any

    def to_dict(self) -> dict[str, Any]:
        """Return the value and its standard error."""
        return {"value": self.value, "error": self.error}

    def __repr__(self) -> str:
        if np.ndim(self.value):
            return f"Estimate(value={self.value!r}, error={self.error!r})"
        return f"{self.value:.6g} ± {self.error:.2g}"


def estimate(draws: Any) -> Estimate:
    """Return the mean over the first axis, error = standard deviation/sqrt(number of draws)."""
    draws = np.asarray(draws, dtype=float)
    return Estimate(draws.mean(axis=0)[()], (draws.std(axis=0, ddof=1) / np.sqrt(len(draws)))[()])


def checked_draws(draws: Any) -> int:
    """Return the number of draws that has a standard error."""
    return checks.whole("draws", draws, 2)
