"""The result of a study: the courses of all arms, and the findings on the statements that it tests."""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.foundations.result import Result
from igbtheory.foundations.text import measured, table
from igbtheory.torch.studies.course import Course
from igbtheory.torch.studies.paired import Finding, middle


@final
@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """The courses of the arms of a study; for a preset, also the statement of the papers and the findings on it.

    title: what was studied. courses: those of the arms. goal: the accuracy that networks are to reach. statement,
    findings: what the papers state, and what was found; empty for studies of your own.

    >>> igb.study(make_model, X, y).best()    # doctest: +SKIP
    """

    title: str
    courses: tuple[Course, ...]
    goal: float
    statement: str = ""
    findings: tuple[Finding, ...] = ()

    def course(self, name: str, rate: float | None = None) -> Course:
        """Return the course of an arm, by default at its best rate: see `best`."""
        courses = [one for one in self.courses if one.name == name and rate in {None, one.rate}]
        if not courses:
            names = ", ".join(dict.fromkeys(f"{one.name} at rate {one.rate:g}" for one in self.courses))
            raise ValueError(f"expected an arm of this study, got {name!r} at rate {rate}; it has {names}")
        best = self.best(courses[0].base)
        return next(one for one in courses if rate is not None or one.rate == best)

    def best(self, base: str) -> float:
        """Return the learning rate at which the networks of the arm reach the goal in the fewest steps on average.

        A network that does not reach the goal counts as twice the last step. Controls have the rate of their arm, so
        that they differ from it in their start alone.
        """
        courses = [one for one in self.courses if one.name == base]

        def merit(one: Course) -> tuple[float, float]:
            times = one.time_to(self.goal)
            return float(np.mean(np.minimum(times, 2 * one.steps[-1]))), -float(one.mean("accuracy").value[-1])

        return min(courses, key=merit).rate

    @property
    def best_courses(self) -> dict[str, Course]:
        """The course of every arm at its best learning rate, by the name of the arm."""
        return {name: self.course(name) for name in dict.fromkeys(one.name for one in self.courses)}

    def to_dict(self) -> dict[str, Any]:
        """Return the courses and the findings."""
        return {
            "title": self.title, "statement": self.statement, "goal": self.goal,
            "findings": [str(one) for one in self.findings], "courses": [one.to_dict() for one in self.courses],
        }  # fmt: skip

    def columns(self) -> dict[str, Any]:
        """Return a row for every arm, rate and step: see `Course.columns`."""
        columns = [one.columns() for one in self.courses]
        return {name: np.concatenate([part[name] for part in columns]) for name in columns[0]}

    def __str__(self) -> str:
        head = ("arm", "rate", "largest share", "at the end", "absorbed", f"accuracy {self.goal:g}", "accuracy")
        rows = []
        for one in self.best_courses.values():
            largest, accuracy = one.mean("largest"), one.mean("accuracy")
            shown = [measured(law.value[i], law.error[i]) for law, i in ((largest, 0), (largest, -1), (accuracy, -1))]
            times = [_step(one.absorption_time()), _step(one.time_to(self.goal))]
            rows.append([one.name, f"{one.rate:g}", *shown[:2], *times, shown[2]])
        first = self.courses[0]
        diverged = sum(one.diverged for one in self.courses)
        lines = [
            f"{self.title}: {first.networks} networks an arm, {first.steps[-1]} steps"
            + (f"; {diverged} of all networks diverged" if diverged else ""),
            "means ± standard errors, and median steps until the bias is absorbed and the accuracy reached",
            "",
            table(head, rows),
        ]
        if self.findings:
            lines += ["", self.statement, *(str(one) for one in self.findings)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        arms = len({one.name for one in self.courses})
        return f"Study({self.title}: {arms} arms, {len(self.courses)} courses of {self.courses[0].networks} networks)"


def _step(times: Any) -> str:
    step = middle(times)
    return f"{step:.0f}" if np.isfinite(step) else "never"
