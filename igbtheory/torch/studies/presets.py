"""The papers' experiments on training: the arms, each paper's statement, and comparisons that can contradict it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from igbtheory.networks.losses import PiecewiseZero
from igbtheory.torch.studies.arm import CONTROLS, Arm, Plan, Task, controlled
from igbtheory.torch.studies.experiment import (
    Claimed,
    Preset,
    absorption,
    end_accuracy,
    no_class_behind,
    probability_after,
    reaching,
    start_bias,
    start_claims,
    still_on_top,
)
from igbtheory.torch.studies.image_presets import IMAGE_PRESETS
from igbtheory.torch.studies.models import mlp
from igbtheory.torch.studies.tasks import blobs, digit_images

PLACEMENTS: dict[str, Any] = {
    "no norm": {},
    "BatchNorm before": {"norm": "batch", "placement": "before"},
    "BatchNorm after": {"norm": "batch", "placement": "after"},
    "LayerNorm before": {"norm": "layer", "placement": "before"},
    "LayerNorm after": {"norm": "layer", "placement": "after"},
}
PHASES = {"ordered": 1.59, "edge of chaos": 1.99, "chaotic, prejudiced": 2.48, "chaotic, neutral": 4.97}
"""Variances of the weights of tanh networks with biases of variance 0.1. Source: poster of bias-meets-trainability."""


def placements(
    title: str, task: Callable[[], Task], features: int, rates: tuple[float, ...], plan: Plan, **options: Any
) -> Preset:
    """Return the experiment with norms in front of or behind the activation, also with centred outputs."""
    goal: float = options.pop("goal", 0.7)
    plain, *normed = (Arm(name, partial(mlp, features, **how, **options), task) for name, how in PLACEMENTS.items())
    centred = (controlled(arm, ("centred",))[1] for arm in normed)
    claims: list[Claimed] = []
    for norm in ("BatchNorm", "LayerNorm"):
        sides, same = (f"{norm} after", f"{norm} before"), (f"{norm} after, centred", f"{norm} before, centred")
        claims += [
            Claimed(f"{norm} behind the activation starts with less bias than in front", start_bias, *sides),
            Claimed("... and learns sooner", reaching(goal), *sides),
            Claimed("... also where both start without bias", reaching(goal), *same),
        ]
    statement = (
        "Where you place the norm: normalisation behind the activation reduces the bias and accelerates training"
    )
    every = (*controlled(plain), *normed, *centred)
    return Preset(title, statement, every, rates, plan, (*claims, *start_claims("no norm", goal)), goal)


def blob_placements(*, quick: bool) -> Preset:
    """Return the experiment on two Gaussian blobs with one hidden layer."""
    count, features = (4000, 200) if quick else (20_000, 1000)
    plan = Plan(16, 80, 128) if quick else Plan(50, 400, 512)
    task = partial(blobs, count, features)
    return placements("Two Gaussian blobs: norms around ReLU", task, features, (3e-4, 1e-3, 3e-3), plan)


def deep_placements(*, quick: bool) -> Preset:
    """Return the experiment on two Gaussian blobs with twenty hidden layers; quick: ten."""
    count, features = (4000, 200) if quick else (20_000, 1000)
    plan, depth = (Plan(12, 50, 128), 10) if quick else (Plan(30, 300, 512), 20)
    task, rates = partial(blobs, count, features), (3e-4, 1e-3) if quick else (3e-4, 1e-3, 3e-3)
    title = "Two Gaussian blobs, deep networks: norms around ReLU"
    preset = placements(title, task, features, rates, plan, depth=depth)
    return replace(
        preset, statement="Where you place the norm: in deep networks classes differ, and accuracies overlap"
    )


def digit_placements(*, quick: bool) -> Preset:
    """Return the experiment on even and odd digits with one hidden layer."""
    task, plan = partial(digit_images, kind="even or odd"), Plan(16 if quick else 50, 80 if quick else 400, 64)
    return placements("Even and odd digits: norms around ReLU", task, 64, (3e-4, 1e-3, 3e-3), plan, goal=0.8)


def losses(*, quick: bool) -> Preset:
    """Return the experiment that learns the ten digits with five losses, from biased and from unbiased starts."""
    cut = "piecewise-zero, 0.5"
    rules = {name: name for name in ("cross-entropy", "blurry", "focal", "piecewise-zero")} | {cut: PiecewiseZero(0.5)}
    model, task = partial(mlp, 64, 10, depth=3), partial(digit_images, kind="ten")
    arms: list[Arm] = []
    for name, rule in rules.items():
        arms += controlled(Arm(name, model, task, rule), CONTROLS if name == "cross-entropy" else ("neutral",))
    plan, goal, epoch = Plan(14 if quick else 40, 100 if quick else 600, 64), 0.7, 20
    start, early = probability_after(0), probability_after(epoch)
    told = [Claimed(f"{n}: probabilities approach each other in the first epoch", early, n, n, start) for n in rules]
    claims = (
        *told,
        Claimed("Blurry loss is slower than cross-entropy", reaching(goal), "cross-entropy", "blurry"),
        Claimed(f"{cut}: the favoured class stays on top, unlike in cross-entropy", still_on_top, "cross-entropy", cut),
        Claimed("... and the accuracy stays behind", end_accuracy, cut, "cross-entropy"),
        Claimed("... though not from neutral starts", end_accuracy, cut, f"{cut}, neutral"),
        *start_claims("cross-entropy", goal),
    )
    statement = (
        "Initialisation biases and losses: piecewise-zero loss keeps the favoured class on top, blurry loss lags"
    )
    return Preset(
        "Ten digits: losses from biased and unbiased starts", statement, tuple(arms), (1e-3, 3e-3), plan, claims, goal
    )


def phases(*, quick: bool) -> Preset:
    """Return the experiment on deep tanh and ReLU networks in their phases, trained by plain gradient descent."""
    task, depth = partial(digit_images, kind="even or odd"), 10 if quick else 20
    points = {f"tanh, {name}": ("tanh", sigma_w2, 0.1) for name, sigma_w2 in PHASES.items()}
    points |= {f"ReLU, {name}": ("relu", sigma_w2, 0.0) for name, sigma_w2 in (("ordered", 1.2), ("critical", 2.0))}
    arms: list[Arm] = []
    for name, (activation, sigma_w2, sigma_b2) in points.items():
        model = partial(mlp, 64, depth=depth, activation=activation, sigma_w2=sigma_w2, sigma_b2=sigma_b2)
        arm = Arm(name, model, task, optimiser="SGD")
        arms += controlled(arm) if name == "tanh, edge of chaos" else [arm]
    goal, edge, neutral = 0.8, "tanh, edge of chaos", "tanh, chaotic, neutral"
    claims = (
        Claimed("The edge of chaos starts more biased than the neutral point", start_bias, neutral, edge),
        Claimed("... and learns sooner", reaching(goal), edge, neutral),
        Claimed("... and sooner than the ordered phase", reaching(goal), edge, "tanh, ordered"),
        Claimed("... whose bias persists longer", absorption, edge, "tanh, ordered"),
        Claimed(
            "ReLU learns sooner at the critical point than in the ordered phase",
            reaching(goal),
            "ReLU, critical",
            "ReLU, ordered",
        ),
        *start_claims(edge, goal),
    )
    plan = Plan(12 if quick else 40, 150 if quick else 2000, 64)
    statement = (
        "Bias meets trainability: at the edge of chaos the bias is largest, soon absorbed, and learning is fastest"
    )
    rates = (1e-2, 3e-2, 1e-1)
    return Preset("Even and odd digits: phases of deep networks", statement, tuple(arms), rates, plan, claims, goal)


def shift(*, quick: bool) -> Preset:
    """Return the experiment on the absorption of the bias for several shifts of the inputs and depths."""
    arms: list[Arm] = []
    for depth in (1, 5):
        for moved in (0.0, 0.5, 1.0):
            task = partial(digit_images, kind="even or odd", shift=moved)
            arm = Arm(f"depth {depth}, shift {moved:g}", partial(mlp, 64, depth=depth), task)
            arms += controlled(arm) if (depth, moved) == (1, 1) else [arm]
    goal, small, large, deep = 0.8, "depth 1, shift 0", "depth 1, shift 1", "depth 5, shift 0"
    claims = (
        Claimed("Shifted inputs give more bias", start_bias, small, large),
        Claimed("... which takes longer to absorb", absorption, small, large),
        Claimed("... and learning takes longer", reaching(goal), small, large),
        Claimed("... also where the shifted start is centred", reaching(goal), small, f"{large}, centred"),
        Claimed("Depth gives more bias", start_bias, small, deep),
        Claimed("... which takes longer to absorb", absorption, small, deep),
        *start_claims(large, goal),
    )
    plan = Plan(16 if quick else 50, 80 if quick else 600, 64)
    statement = (
        "Initial guessing bias, figure 5: the time to absorb the bias increases with the bias, set by the input shift"
    )
    return Preset(
        "Even and odd digits: shifted inputs and depth", statement, tuple(arms), (3e-4, 1e-3, 3e-3), plan, claims, goal
    )


def imbalance(*, quick: bool) -> Preset:
    """Return the experiment on one digit against nine, with the favoured class in the majority or in the minority."""
    arms: list[Arm] = []
    model, goal = partial(mlp, 64, depth=3), 0.97
    for name, kind in (("majority", "nine to one"), ("minority", "one to nine")):
        arms += controlled(Arm(f"class 0 in the {name}", model, partial(digit_images, kind=kind)))
    rich, poor = (f"class 0 in the {name}, prejudiced" for name in ("majority", "minority"))
    claims = (
        Claimed("A prejudice for the majority is absorbed sooner than one for the minority", absorption, rich, poor),
        Claimed("... and the accuracy is reached sooner", reaching(goal), rich, poor),
        Claimed("... though half of every class is guessed right later", no_class_behind, poor, rich),
        *start_claims("class 0 in the majority", goal),
    )
    plan = Plan(16 if quick else 50, 80 if quick else 400, 64)
    statement = "Bias and trainability asks how class imbalance and initial bias interact: one digit against nine"
    return Preset(
        "Class imbalance 1:9 and the favoured class", statement, tuple(arms), (3e-4, 1e-3, 3e-3), plan, claims, goal
    )


PRESETS: dict[str, Callable[..., Preset]] = {
    **IMAGE_PRESETS,
    "blobs": blob_placements,
    "deep": deep_placements,
    "digits": digit_placements,
    "losses": losses,
    "phases": phases,
    "shift": shift,
    "imbalance": imbalance,
}
"""The experiments by name."""
