"""Units that come from one Gaussian unit alone: through a norm, a function, scaling, dropout and Gaussian noise."""

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from igbtheory.averages.batches.mix import PLAIN, Mix
from igbtheory.averages.state import Moments
from igbtheory.formulas.function import Function


@final
@dataclass(frozen=True)
class Single:
    """Unit (x - centre)/scale of a law, x a mix of phi(M), M the largest of some Gaussian units of the moments `h`.

    All numbers may be those of a sweep. normed: the eps of a BatchNorm before phi, which is homogeneous of degree 1:
    x is over sqrt(sigma^2 + normed) then, sigma^2 the variance of h over its batch.
    """

    h: Moments
    phi: Function
    mix: Mix = PLAIN
    centre: Any = 0.0
    scale: Any = 1.0
    normed: Any = None

    def scaled(self, centre: Any, scale: Any) -> "Single":
        """The unit less a centre and over a scale."""
        return replace(self, centre=self.centre + centre * self.scale, scale=self.scale * scale)

    def dropped(self, kept: Any) -> "Single | None":
        """The unit over `kept` with that probability, else 0; None if noise is dropped as well, or another value.

        Also if it is normed and 0 is no multiple of the length.
        """
        at, mix = self.centre, self.mix
        if np.any(mix.noise != 0) or np.any((mix.dropped != 0) & (mix.at != at)):
            return None
        if self.normed is not None and np.any(at != 0):
            return None
        return replace(self, mix=replace(mix, kept=mix.kept * kept, at=at), scale=self.scale * kept)

    def noisy(self, factor: Any, noise: Any) -> "Single | None":
        """The unit times a factor and a Gaussian one, `noise` its variance over the data.

        None if the factor is 0, or the unit normed.
        """
        if np.any(factor == 0) or self.normed is not None:
            return None
        scale = self.scale / factor
        return replace(self, mix=replace(self.mix, noise=self.mix.noise + noise * scale * scale), scale=scale)
