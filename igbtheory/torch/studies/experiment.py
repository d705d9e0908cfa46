"""Experiments of the papers: their arms, and the comparisons that test their statements."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.torch.studies.arm import Arm, Plan, swept
from igbtheory.torch.studies.course import Course
from igbtheory.torch.studies.paired import LEVEL, Finding, Paired, paired
from igbtheory.torch.studies.result import Study
from igbtheory.torch.studies.study import run

Quantity = Callable[[Course], NDArray[np.float64]]
"""A function that returns a number for every network of a course."""
absorption = Course.absorption_time
"""The number of steps until the bias is absorbed."""


class Claimed(NamedTuple):
    """A statement: a quantity is smaller in one arm than in another, network by network.

    other: the quantity of the second arm; None: the same quantity.
    """

    statement: str
    quantity: Quantity
    smaller: str
    larger: str
    other: Quantity | None = None

    def compared(self, study: Study, rate: float | None = None) -> Paired:
        """Return the comparison of both arms at a learning rate, by default of each arm at its best rate."""
        second = self.other or self.quantity
        return paired(self.quantity(study.course(self.smaller, rate)), second(study.course(self.larger, rate)))


@final
@dataclass(frozen=True)
class Preset:
    """An experiment: its arms, which are trained at every learning rate, and the claims about them."""

    title: str
    statement: str
    arms: tuple[Arm, ...]
    rates: tuple[float, ...]
    plan: Plan
    claims: tuple[Claimed, ...]
    goal: float

    def study(self, **options: Any) -> Study:
        """Train all arms, and test all claims at a level that is divided by the number of comparisons."""
        courses = run(swept(self.arms, self.rates), self.plan, title=self.title, **options)
        study = Study(self.title, courses, self.goal, self.statement)
        level = LEVEL / (len(self.claims) * (1 + len(self.rates)))
        findings = []
        for claim in self.claims:
            best = claim.compared(study)
            at_rates = {rate: claim.compared(study, rate).verdict(level) for rate in self.rates}
            findings.append(Finding(claim.statement, best, best.verdict(level), at_rates))
        return replace(study, findings=tuple(findings))


def start_bias(course: Course) -> NDArray[np.float64]:
    """Return the largest share of a class before training."""
    return np.asarray(course.largest[:, 0])


def reaching(accuracy: float) -> Quantity:
    """Return the quantity: the number of steps until this accuracy is reached."""
    return lambda course: course.time_to(accuracy)


def no_class_behind(course: Course) -> NDArray[np.float64]:
    """Return the number of steps until half of the data of every class are guessed right."""
    return course.time_to(0.5, "worst_recall")


def end_accuracy(course: Course) -> NDArray[np.float64]:
    """Return the accuracy after the last step."""
    return np.asarray(course.accuracy[:, -1])


def still_on_top(course: Course) -> NDArray[np.float64]:
    """Return 1 if the class that is most probable before training is most probable in the end, else 0."""
    first, last = (course.probabilities[:, at].argmax(axis=1) for at in (0, -1))
    return np.asarray(first == last, dtype=float)


def probability_after(step: int) -> Quantity:
    """Return the quantity: the largest mean probability of a class, at the last recorded step up to this one."""
    return lambda course: np.asarray(
        course.probabilities[:, np.searchsorted(course.steps, step, "right") - 1].max(axis=1)
    )


def start_claims(base: str, goal: float) -> tuple[Claimed, ...]:
    """Return the claims of the papers about neutral and prejudiced starts of the same hidden layers."""
    sides = f"{base}, neutral", f"{base}, prejudiced"
    return (
        Claimed(f"{base}, same hidden layers: neutral starts absorb sooner than prejudiced ones", absorption, *sides),
        Claimed("... sooner guess half of every class right", no_class_behind, *sides),
        Claimed("... and learn sooner", reaching(goal), *sides),
        Claimed("... Centred starts learn sooner than those as drawn", reaching(goal), f"{base}, centred", base),
    )
