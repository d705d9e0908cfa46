"""Experiments with models of images: a CNN, a ResNet, an MLP-Mixer and a vision transformer."""

from collections.abc import Callable
from functools import partial
from typing import Any

from torch import nn

from igbtheory.torch.studies.arm import Arm, Plan, Task, controlled
from igbtheory.torch.studies.experiment import Claimed, Preset, absorption, reaching, start_bias, start_claims
from igbtheory.torch.studies.image_models import cnn, mixer, resnet, vit
from igbtheory.torch.studies.tasks import images

GOAL = 0.7


def rates_and_plan(*, quick: bool) -> tuple[tuple[float, ...], Plan]:
    """Return the learning rates, the number of networks and that of steps."""
    return (3e-3,), Plan(10, 100, 64) if quick else Plan(16, 300, 64)


def _shape(task: Callable[[], Task]) -> tuple[tuple[int, int, int], int]:
    """Return the shape of an image and the number of classes."""
    some = task()
    return some.data.shape[1:], 1 + int(max(some.labels.max(), some.seen_labels.max()))


def convolutional(*, quick: bool, task: Callable[[], Task] = images) -> Preset:
    """Return the experiment with two CNNs: tanh with average pools, and ReLU with maximum pools."""
    made = partial(cnn, *_shape(task))
    plain, biased = "tanh + average pool", "ReLU + maximum pool"
    arms = (
        *controlled(Arm(plain, partial(made, activation=nn.Tanh, pool=nn.AvgPool2d), task), ("centred",)),
        *controlled(Arm(biased, made, task)),
    )
    claims = (
        Claimed("ReLU with maximum pools starts with more bias", start_bias, plain, biased),
        Claimed("... which takes longer to absorb", absorption, plain, biased),
        *start_claims(biased, GOAL),
    )
    statement = "Initial guessing bias, figure 1: whether a network favours a class depends on its architecture"
    return Preset("CNNs: activations and pools", statement, arms, *rates_and_plan(quick=quick), claims, GOAL)


def _placed(norm: str, make_model: Any, task: Callable[[], Task], statement: str, *, quick: bool) -> Preset:
    before, after = f"{norm} before", f"{norm} after"
    arms = (
        *controlled(Arm(before, make_model, task)),
        *controlled(Arm(after, partial(make_model, after=True), task), ("centred",)),
    )
    claims = (
        Claimed(f"{norm} behind the activation starts with less bias than in front", start_bias, after, before),
        Claimed("... absorbs it sooner", absorption, after, before),
        Claimed("... and learns sooner", reaching(GOAL), after, before),
        Claimed("... also where both start without bias", reaching(GOAL), f"{after}, centred", f"{before}, centred"),
        *start_claims(before, GOAL),
    )
    title = f"{norm} before or after the activation of a model of images"
    return Preset(title, statement, arms, *rates_and_plan(quick=quick), claims, GOAL)


def residual(*, quick: bool, task: Callable[[], Task] = images) -> Preset:
    """Return the experiment with a ResNet, BatchNorm before ReLU or after it."""
    statement = "Where you place the norm, figure 5: in ResNets, BatchNorm behind the activation converges faster"
    return _placed("BatchNorm", partial(resnet, *_shape(task)), task, statement, quick=quick)


def mixing(*, quick: bool, task: Callable[[], Task] = images) -> Preset:
    """Return the experiment with an MLP-Mixer, LayerNorm before ReLU or after it."""
    statement = "Where you place the norm, figure G.11: in MLP-Mixers, LayerNorm behind the activation converges faster"
    return _placed("LayerNorm", partial(mixer, *_shape(task)), task, statement, quick=quick)


def shifted_mixing(*, quick: bool, task: Callable[..., Task] = images) -> Preset:
    """Return the experiment with an MLP-Mixer whose bias grows with a number that is added to all pixels."""
    made = partial(mixer, *_shape(task))
    arms = [
        Arm(f"LayerNorm {place}, shift {shift:g}", partial(made, after=place == "after"), partial(task, shift=shift))
        for place in ("before", "after")
        for shift in (0.0, 1.0, 2.0)
    ]
    pairs = [(f"LayerNorm {place}, shift 0", f"LayerNorm {place}, shift 2") for place in ("before", "after")]
    claims = [
        claim
        for plain, shifted in pairs
        for claim in (
            Claimed(f"{shifted} starts with more bias than without it", start_bias, plain, shifted),
            Claimed("... which takes longer to absorb", absorption, plain, shifted),
            Claimed("... and learns later", reaching(GOAL), plain, shifted),
        )
    ]
    claims += [
        Claimed(f"LayerNorm behind the activation learns sooner, shift {shift}", reaching(GOAL), *sides)
        for shift in (0, 2)
        for sides in [(f"LayerNorm after, shift {shift}", f"LayerNorm before, shift {shift}")]
    ]
    statement = "Initial guessing bias, figure 5, and Where you place the norm, figure G.11: bias slows MLP-Mixers down"
    title = "MLP-Mixer: inputs shifted by a number, LayerNorm before or after the activation"
    return Preset(title, statement, tuple(arms), *rates_and_plan(quick=quick), tuple(claims), GOAL)


def transformer(*, quick: bool, task: Callable[[], Task] = images) -> Preset:
    """Return the experiment with a small vision transformer, all weights of which are multiplied by 0.5, 1 or 1.5."""
    made = partial(vit, *_shape(task))
    usual, small, large = "weights as drawn", "weights x 0.5", "weights x 1.5"
    arms = (
        *controlled(Arm(usual, made, task)),
        *(Arm(name, partial(made, scale=scale), task) for name, scale in ((small, 0.5), (large, 1.5))),
    )
    claims = (
        Claimed("Smaller weights start with more bias", start_bias, usual, small),
        Claimed("... which takes longer to absorb", absorption, usual, small),
        Claimed("... and learn later", reaching(GOAL), usual, small),
        Claimed("Larger weights start with less bias", start_bias, large, usual),
        Claimed("... but learn later", reaching(GOAL), usual, large),
        *start_claims(usual, GOAL),
    )
    statement = "After Bias meets trainability, which scales a pretrained transformer, freezes it and trains its head"
    return Preset("Vision transformer: scaled weights", statement, arms, *rates_and_plan(quick=quick), claims, GOAL)


IMAGE_PRESETS: dict[str, Callable[..., Preset]] = {
    "cnn": convolutional, "resnet": residual, "mixer": mixing, "mixer-shift": shifted_mixing, "vit": transformer,
}  # fmt: skip
"""The experiments by name; they take other images than the digits."""
