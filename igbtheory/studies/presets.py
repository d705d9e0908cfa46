"""The papers' experiments on training: arms, the papers' statement, and comparisons that can contradict it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.studies.arm import Arm, Plan, controlled, swept
from igbtheory.studies.course import Course
from igbtheory.studies.models import mlp
from igbtheory.studies.paired import LEVEL, Finding, Paired, paired
from igbtheory.studies.result import Study
from igbtheory.studies.study import run
from igbtheory.studies.tasks import blobs, digit_images
from igbtheory.torch.library import require_torch

Quantity = Callable[[Course], NDArray[np.float64]]


class Claimed(NamedTuple):
    """A statement that a quantity is smaller in one arm than in another, network by network."""

    statement: str
    quantity: Quantity
    smaller: str
    larger: str


@final
@dataclass(frozen=True)
class Preset:
    """An experiment: its arms, which are trained at every learning rate, and what is claimed of it."""

    title: str
    statement: str
    arms: tuple[Arm, ...]
    rates: tuple[float, ...]
    plan: Plan
    claims: tuple[Claimed, ...]
    goal: float = 0.7


PLACEMENTS = {
    "no norm": {},
    "BatchNorm before": {"norm": "batch", "placement": "before"},
    "BatchNorm after": {"norm": "batch", "placement": "after"},
    "LayerNorm before": {"norm": "layer", "placement": "before"},
    "LayerNorm after": {"norm": "layer", "placement": "after"},
}


def start_bias(course: Course) -> NDArray[np.float64]:
    """Largest share of a class before training."""
    return np.asarray(course.largest[:, 0])


def absorption(course: Course) -> NDArray[np.float64]:
    """Steps until the bias is absorbed."""
    return course.absorption_time()


def reaching(accuracy: float) -> Quantity:
    """Return the steps until the accuracy is reached."""
    return lambda course: course.time_to(accuracy)


def no_class_behind(course: Course) -> NDArray[np.float64]:
    """Steps until half of the data of every class are guessed right."""
    return course.time_to(0.5, "worst_recall")


def placements(task: partial, features: int, width: int = 100, depth: int = 1) -> tuple[Arm, ...]:
    """Return norms in all placements with the controls of the first, and the others centred."""
    arms = [
        Arm(name, partial(mlp, features, width=width, depth=depth, **options), task) for name, options in PLACEMENTS.items()
    ]
    centred = [replace(arm, name=f"{arm.name}, centred", start="centred", base=arm.name) for arm in arms[1:]]
    return (*controlled(arms[0]), *arms[1:], *centred)


def placement_claims(goal: float) -> tuple[Claimed, ...]:
    """Return what the papers say of placements, and what the controls ask."""
    said = []
    for norm in ("BatchNorm", "LayerNorm"):
        after, before = f"{norm} after", f"{norm} before"
        said += [
            Claimed(f"{norm} behind the activation starts with less bias than in front", start_bias, after, before),
            Claimed(f"... and learns sooner", reaching(goal), after, before),
            Claimed(f"... also where both start without bias", reaching(goal), f"{after}, centred", f"{before}, centred"),
        ]
    return (*said, *start_claims("no norm", goal))


def start_claims(base: str, goal: float) -> tuple[Claimed, ...]:
    """Return what the papers say of neutral and prejudiced starts, of one architecture with the same hidden layers."""
    neutral, prejudiced = f"{base}, neutral", f"{base}, prejudiced"
    return (
        Claimed("Of the same hidden layers, neutral starts absorb sooner than prejudiced ones", absorption, neutral, prejudiced),
        Claimed("... sooner guess half of every class right", no_class_behind, neutral, prejudiced),
        Claimed("... and learn sooner", reaching(goal), neutral, prejudiced),
        Claimed("... Centred starts learn sooner than those as drawn", reaching(goal), f"{base}, centred", base),
    )


def blob_placements(quick: bool) -> Preset:
    """Norms in front of and behind the activation, on two Gaussian blobs."""
    count, features = (4000, 200) if quick else (20_000, 1000)
    return Preset(
        "Two Gaussian blobs: norms in front of and behind ReLU",
        "Where you place the norm: normalisation behind the activation reduces the bias and accelerates convergence",
        placements(partial(blobs, count, features), features),
        (3e-4, 1e-3, 3e-3),
        Plan(20, 100, 128, 0) if quick else Plan(40, 400, 512, 0),
        placement_claims(0.7),
    )


PRESETS = {"blobs": blob_placements}
"""Experiments by name."""


def preset(name: str, *, quick: bool = False, progress: bool = False) -> Study:
    """Return the study of that name; quick: smaller ensembles and data, in less than three minutes on two cores."""
    require_torch()
    chosen = PRESETS[checks.known("preset", name, PRESETS)](quick)
    courses = run(list(swept(chosen.arms, chosen.rates)), chosen.plan, progress=progress)
    found = Study(chosen.title, courses, chosen.goal, chosen.statement)
    level = LEVEL / (len(chosen.claims) * (1 + len(chosen.rates)))
    return replace(found, findings=tuple(_finding(found, claim, chosen.rates, level) for claim in chosen.claims))


def _finding(study: Study, claim: Claimed, rates: tuple[float, ...], level: float) -> Finding:
    def compared(rate: float | None) -> Paired:
        return paired(*(claim.quantity(study.course(arm, rate)) for arm in (claim.smaller, claim.larger)))

    best = compared(None)
    return Finding(claim.statement, best, best.verdict(level), {rate: compared(rate).verdict(level) for rate in rates})
