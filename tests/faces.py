"""Faces of a network: ways to compute the same, which `test_faces` and `benchmarks/attack.py` compare.

Each comparison takes a case and raises AssertionError if two faces differ. ValueError means that one of them refuses.
"""

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from conftest import draw_less
from flint import arb
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from networks import CLOSED, COMPONENTS, DATA, SMOOTH, Case, Grammar, images, sequences, vectors

import igbtheory as igb
from igbtheory import Layer
from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import behind_undrawn, drawn, mapped, read_by_next
from igbtheory.layers.convolution import Convolution
from igbtheory.networks.training import kernels
from igbtheory.phases import gradients
from igbtheory.theory import worlds as few_weights
from igbtheory.theory.kernels import OutputKernel

EXACT = 1e-9
"""Relative difference of two exact rules: those of images promise 1e-10 at every layer."""
WIDTH, CHANNELS, NETWORKS = 3456, 108, 24
"""Units of finite networks of vectors and of images, which pools of 2 and 3 divide, and the number of networks."""
SIGMAS = 7.0
"""Standard errors of 24 networks that a mean of them exceeds less than once in a million times."""
OVER_WIDTH = 15.0
"""Largest difference of finite and infinite networks, in units of the mean square over the width."""
WORLDS = 24
"""Number of worlds of few weights over which a prediction is averaged."""
TWINS = 1e-20
"""Share of the variance by which twins differ."""
NARROW, FEW, MANY = 144, 12, 216
"""Units of finite networks of which two are compared, weight by weight, and data without and with a full batch."""
NOISE = 1e-5
"""Size of the noise that is added to units: differences err by its square, or by its size at a kink."""
PIECE = 10
"""Networks in a run of Hypothesis, which mostly changes one of these a little from the eleventh network on."""
AGE = 1e-4
"""Change of a correlation in finite differences of second order."""


def close(value: Any, other: Any, allowed: Any) -> None:
    """Compare two numbers or arrays."""
    assert np.all(np.abs(np.asarray(value) - other) <= allowed), f"{value} for {other}, allowed {allowed}"


def kernel_of(found: igb.Prediction) -> Any:
    """Return the covariance of the outputs at given data, a mean over worlds."""
    assert found.dataset is not None
    return found.dataset.kernels().mean(axis=0)


def is_exact(found: igb.Prediction) -> bool:
    """Return whether every entry of a kernel is exact, and not only means of them, whose error is known."""
    return not found.estimated and np.isinf(found.effective_rank)


def batches(case: Case) -> Any:
    """Return which pairs of data are in one batch."""
    layer = batch_of(case.layers)
    number = np.arange(DATA) // (1 if layer is None else layer.batch_size or DATA)
    return number[:, None] == number


def expected_kernel(case: Case) -> tuple[Any, igb.Prediction]:
    """Return the kernel of data that are drawn from Gaussian inputs, by the law, and the prediction."""
    found = case.net.predict(case.inputs)
    found = found.batch.at(found.batch.size or DATA) if found.batch else found
    q, together = found.var_mu + found.var_chi, batches(case)
    within = found.c_within * q if found.batch else found.var_mu
    return np.where(np.eye(DATA, dtype=bool), q, np.where(together, within, found.var_mu)), found


def law_and_kernel(case: Case) -> None:
    """Compare the law of Gaussian inputs with the kernel of data that have their second moments."""
    expected, law = expected_kernel(case)
    found = case.net.predict(case.exchangeable())
    q = law.var_mu + law.var_chi
    allowed = EXACT * q + law.error * q + found.error * found.var_chi
    if is_exact(found):
        close(kernel_of(found), expected, allowed)
    else:
        close((found.var_mu, found.var_chi), (expected.mean(), q - expected.mean()), allowed)


def features(case: Case, data: Callable[[np.random.Generator], Any], width: int) -> Iterator[Any]:
    """Yield the units that the output Dense reads in finite networks, as matrices of their mean products."""
    last = case.layers[-1]
    assert isinstance(last, igb.Dense)
    for rng in np.random.default_rng(case.seed).spawn(NETWORKS):
        units = drawn(case.layers[:-1], data(rng).astype(np.float32), rng, width)
        assert units.dtype == np.float32  # samples keep their type
        exact = units.astype(float)
        yield last.sigma_w2 * exact @ exact.T / units.shape[1] + last.sigma_b2


def drawn_close(kernels_: Any, expected: Any, allowed: float, width: int) -> None:
    """Compare the kernels of finite networks, or means over them, with that of infinite width."""
    values = np.array(kernels_)
    q = np.abs(expected).max()
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    close(values.mean(axis=0), expected, SIGMAS * error + OVER_WIDTH * q / width + allowed)


def law_and_samples(case: Case) -> None:
    """Compare the law of Gaussian inputs with finite networks that read as many components as they have units."""
    expected, law = expected_kernel(case)
    root = np.sqrt(case.variance)
    together, same = batches(case), np.eye(DATA, dtype=bool)
    parts = [part for part in (same, together & ~same, ~together) if part.any()]
    found = features(case, lambda rng: case.shift + root * rng.standard_normal((DATA, WIDTH)), WIDTH)
    means = [[kernel[part].mean() for part in parts] for kernel in found]
    q = law.var_mu + law.var_chi
    drawn_close(means, [expected[part].mean() for part in parts], law.error * q, WIDTH)


def kernel_and_samples(case: Case) -> None:
    """Compare the kernel of given data with finite networks."""
    width = CHANNELS if case.shape else WIDTH
    data = case.data(width // COMPONENTS)
    predicted, found = case.net.predict(data), list(features(case, lambda _: data, width))
    if is_exact(predicted):
        drawn_close(found, kernel_of(predicted), 0.0, width)
    else:
        means = [[kernel.mean(), np.trace(kernel) / len(kernel) - kernel.mean()] for kernel in found]
        drawn_close(means, (predicted.var_mu, predicted.var_chi), predicted.error * predicted.var_chi, width)


def kinds_of_number(case: Case) -> None:
    """Compare double precision with 25 digits."""
    found, exact = case.net.predict(case.inputs), case.net.predict(case.inputs, digits=25)
    of_product, of_variance = (found.error * float(value) for value in (exact.var_mu, exact.var_chi))
    close(found.var_mu, float(exact.var_mu), of_product + 1e-15 * of_variance)
    close(found.var_chi, float(exact.var_chi), of_variance)


def kinds_of_number_on_data(case: Case) -> None:
    """Compare double precision with 25 digits for two given data."""
    data = case.data()[:2]
    found, exact = case.net.predict(data), case.net.predict(data, digits=25)
    close(found.var_mu, float(exact.var_mu), found.error * found.var_chi)
    close(found.var_chi, float(exact.var_chi), found.error * found.var_chi)


def gradients_and_twins(case: Case) -> None:
    """Compare the squared gradient with the distance of two data that are nearly equal, by the law."""
    q = case.shift**2 + case.variance
    near = igb.GaussianInputs(np.sqrt(q * (1 - TWINS)), q * TWINS)
    first = case.layers[0]
    assert isinstance(first, igb.Dense)
    found = gradients(case.net, case.inputs)
    twins = case.net.predict(near)
    # kinks: the slope changes over a distance of sqrt(TWINS)
    close(found.squared[0], twins.var_chi / (first.sigma_w2 * q * TWINS), 1e-8 * found.squared[0])


def gradients_and_differences(case: Case) -> None:
    """Compare the squared gradient with differences of the outputs of finite networks when noise is added."""
    first, *rest = case.layers
    found = gradients(case.net, case.inputs).squared[0]
    data = MANY if batch_of(case.layers) else FEW
    values = []
    for rng in np.random.default_rng(case.seed).spawn(NETWORKS):
        x = case.shift + np.sqrt(case.variance) * rng.standard_normal((data, NARROW))
        units = first.samples(x, rng, NARROW * read_by_next(rest))
        noise, weights = NOISE * rng.standard_normal(units.shape), int(rng.integers(2**32))
        outputs = [drawn(rest, z, np.random.default_rng(weights), NARROW) for z in (units, units + noise)]
        values.append(np.square((outputs[1] - outputs[0]) / NOISE).mean())
    drawn_close(values, found, 0.0, NARROW)


class Aged(Layer):
    """Gives half of the data weights, in the layer in front, whose correlation with those of the others is `age`.

    The derivative of the covariance with respect to the correlation of all weights is the tangent kernel.
    """

    whole = True

    def __init__(self, age: float) -> None:
        self.age = age

    def rule(self, node: Any) -> Any:
        x = node.averaged()
        half = np.arange(len(x.q_ab)) < len(x.q_ab) // 2
        q_ab = np.where(half[:, None] == half, x.q_ab, self.age * x.q_ab)
        return node.remade(self, replace(x, q_ab=q_ab))

    def samples(self, x: Any, rng: np.random.Generator, width: int) -> Any:
        return x


def aged(layers: tuple[Layer, ...], age: float, size: int) -> tuple[Layer, ...]:
    """Return the layers with `Aged` behind every layer with weights, and with each half of the data as a batch."""
    found: list[Layer] = []
    for layer in layers:
        layer = mapped(layer, lambda inner: aged(inner, age, size))  # noqa: PLW2901 - the same one, of aged layers
        found.append(layer.in_batches(size) if isinstance(layer, igb.BatchNorm) else layer)
        if (layer.weighs and not layer.inner) or isinstance(layer, Convolution):
            found.append(Aged(age))
    return tuple(found)


def tangents(case: Case) -> None:
    """Compare the tangent kernel with finite differences of a kernel between networks of nearly equal weights."""
    data = case.data()[:2]
    kernel, theta = kernels(case.net, data)
    size = len(kernel)

    def across(age: float) -> Any:
        layers = (*aged(case.layers[:-1], age, size), case.layers[-1])
        return age * OutputKernel(*behind_undrawn(layers, np.concatenate([data, data])))()[:size, size:]

    found = (3 * kernel - 4 * across(1 - AGE) + across(1 - 2 * AGE)) / (2 * AGE)
    scale = np.sqrt(np.outer(np.diagonal(theta), np.diagonal(theta)))
    # a kernel has a kink at equal data, where the slope changes over a distance of sqrt(AGE)
    close(theta, found, np.where(np.eye(size, dtype=bool), 4 * np.sqrt(AGE), AGE) * scale)


def formulas(case: Case) -> None:
    """Compare the formulas with numbers."""
    derived, found = case.net.derive(case.inputs), case.net.predict(case.inputs)
    close(derived.value(), found.gamma, (1e-12 + 2 * found.error) * found.gamma)


def balls(case: Case) -> None:
    """Compare proven enclosures with numbers: they overlap as far as these state their errors."""
    proven, found = case.net.certify(8, inputs=case.inputs), case.net.predict(case.inputs)
    for name in ("var_mu", "var_chi"):
        ball, value = getattr(proven, name), getattr(found, name)
        assert ball.overlaps(arb(value, found.error * value + 1e-15 * found.var_chi)), f"{name}: {value} in {ball}"


@dataclass(frozen=True)
class Comparison:
    """A comparison, the cases to which it applies, and what it may refuse.

    networks: number of random networks in the tests, in runs of `PIECE`; least: the least share of them that must not
    be refused; refuses: patterns of the refusals that one of the two faces documents.
    """

    compare: Callable[[Case], None]
    cases: st.SearchStrategy[Case]
    networks: int
    least: float
    refuses: tuple[str, ...] = ()


def begins_with_weights(case: Case) -> bool:
    """Return whether a Dense reads the inputs, so that only their second moments count."""
    return isinstance(case.layers[0], igb.Dense)


MOMENTS = ("put a Dense between them",)
"""Refusal to draw the units behind Attention, of which only moments are known."""
ESTIMATED = ("exact rules", "which is estimated from draws", "that are estimated from draws")
"""Refusals of what needs exact rules."""
GRADIENTS = (*ESTIMATED, "for gradients in batches", "units of different centres", "jumps")
"""Refusals that `gradients` documents."""
TANGENTS = (*ESTIMATED, "behind BatchNorm for its tangent kernel", "full batch for a tangent", "MaxPool", "jumps")
"""Refusals that `training.kernels` documents."""
PROOFS = (*ESTIMATED, "proven rules", "is not certified", "eps=0", "tree proves that it increases", "too near to 1")
"""Refusals that `certify` documents."""
FORMULAS = (*ESTIMATED, "eps=0", "has no closed form")
"""Refusals that `derive` documents."""
EXACT_RULES, CLOSED_FORMS = Grammar(exact=True), Grammar(CLOSED, exact=True, closed=True)
OF_GRADIENTS = Grammar(SMOOTH, exact=True, norms_of_batches=False, random=False)
# gradients of finite networks err by 10 times the square over the width for every gate
WITHOUT_GATES = Grammar(SMOOTH, exact=True, closed=True, gates=False)
OF_FORMULAS = Grammar(("relu", "abs", "x + 1/3", "sin", "erf", "step"), exact=True, closed=True, gates=False, depth=1)
# networks that are drawn or estimated take a second each, others a tenth of it
COMPARISONS = {
    "law and kernel": Comparison(law_and_kernel, vectors().filter(begins_with_weights), 2, 0.9),
    "exact law and kernel": Comparison(law_and_kernel, vectors(EXACT_RULES), 6, 0.9),
    "law and samples": Comparison(law_and_samples, vectors(), 3, 0.9),
    "kernel and samples": Comparison(kernel_and_samples, vectors(), 3, 0.9),
    "images and samples": Comparison(kernel_and_samples, images(), 2, 0.9),
    "sequences and samples": Comparison(kernel_and_samples, sequences(), 2, 0.5, MOMENTS),
    "kinds of number": Comparison(kinds_of_number, vectors(CLOSED_FORMS), 40, 0.5),
    "kinds of number on data": Comparison(
        kinds_of_number_on_data, vectors(replace(CLOSED_FORMS, norms_of_batches=False)), 5, 0.5
    ),
    "gradients and twins": Comparison(gradients_and_twins, vectors(OF_GRADIENTS), 5, 0.5, GRADIENTS),
    "gradients and differences": Comparison(gradients_and_differences, vectors(WITHOUT_GATES), 2, 0.3, GRADIENTS),
    "tangents": Comparison(tangents, vectors(OF_GRADIENTS), 3, 0.5, TANGENTS),
    "tangents of images": Comparison(tangents, images(replace(OF_GRADIENTS, closed=True)), 5, 0.3, TANGENTS),
    "formulas": Comparison(formulas, vectors(OF_FORMULAS, parts=1), 2, 0.5, FORMULAS),
    "balls": Comparison(balls, vectors(WITHOUT_GATES), 10, 0.3, PROOFS),
}


def compared(name: str, networks: int, start: int) -> Counter[str]:
    """Compare faces of random networks with this seed; return how many were compared and how many were refused."""
    row, counted = COMPARISONS[name], Counter[str]()

    @settings(max_examples=min(PIECE, networks), deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=row.cases)
    def agree(case: Case) -> None:
        counted[answer(row, case)] += 1

    for first in range(start, start + networks, PIECE):
        seed(first)(agree)()
    return counted


def answer(row: Comparison, case: Case) -> str:
    """Compare faces of a network, with few draws and few worlds; return whether they were "compared" or "refused"."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        draw_less(patch, 64)
        patch.setattr(few_weights, "MOST_WORLDS", WORLDS)
        try:
            row.compare(case)
        except ValueError as error:
            if not any(re.search(pattern, str(error)) for pattern in row.refuses):
                raise
            return "refused"
    return "compared"
