"""The values of a verdict on an activation: the causes of its bias, what depth does to it, and the best shift."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from igbtheory.foundations.result import Result
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.mathematics.formulas import Function
from igbtheory.mathematics.formulas.shift import shifted
from igbtheory.phases.block import block_of
from igbtheory.phases.course import ROUNDING, Course, course
from igbtheory.phases.depth_rates import Rate


@final
@dataclass(frozen=True)
class Cause:
    """A cause of the bias at depth 1, and its share of var_mu there, from 0 to 1."""

    name: str
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Result):
    """What `verdict` finds about an activation; `Verdict` also says it in words."""

    phi: Function
    sigma_w2: float
    sigma_b2: float
    depth: int
    inputs: GaussianInputs
    mean: float
    causes: tuple[Cause, ...]
    course: Course

    @property
    def gamma(self) -> float:
        """Bias ratio at depth 1."""
        return float(self.course.gamma[1])

    @property
    def is_biased(self) -> bool:
        """True if gamma at depth 1 exceeds the rounding error of 0."""
        return self.gamma > ROUNDING

    @property
    def effect(self) -> str:
        """What depth does to the bias: "amplifies", "saturates", "removes", "none" (no bias) or "undecided"."""
        match self.course.rate:
            case Rate("none", limit=0):
                return "none"
            case Rate(limit=0):
                return "removes"
            case Rate(limit=limit) if not np.isnan(limit):
                return "saturates" if limit < np.inf else "amplifies"
            case _:
                return "undecided"

    @property
    def shift(self) -> float:
        """Constant s = E phi(h), with which phi - s has the mean 0 at depth 1."""
        return self.mean

    @cached_property
    def shifted(self) -> Course:
        """Course of phi - s with the same s in every layer, which is the course of phi if s = 0."""
        if self.shift == 0:
            return self.course
        return course(block_of(shifted(self.phi, self.shift)), self.course.dense, self.inputs, self.depth)
