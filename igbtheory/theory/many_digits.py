"""Predictions of many digits for Gaussian inputs, by balls: their middles are the digits, and their radii the error.

Every layer starts at the middles of the balls of the layer before, so that balls do not widen with depth. The error of
a layer is the sum of the radii up to it: an estimate, since layers may enlarge errors.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from igbtheory.layers.batch_sizes import batch_of
from igbtheory.layers.chain import functions
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.layers.layer import Layer
from igbtheory.layers.nodes.node import LawNode, Passage
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.nodes import ProvenGaussian, law
from igbtheory.theory.certificate.proven_panels import TooWideError
from igbtheory.theory.exact import refuse_inexact
from igbtheory.theory.gaussian_inputs import stacked
from igbtheory.theory.prediction import Prediction

GUARD, BITS, ATTEMPTS = 50, 3.33, 4
"""Additional bits at the first attempt, fifteen digits as in `decimals`; bits of a digit; attempts, each of twice as
many bits."""


def in_balls(layers: Sequence[Layer], n: Any, inputs: GaussianInputs) -> Prediction | None:
    """Return the prediction in the kind n of `decimals`, or None where balls have no rule, or need too many bits.

    They have no rule for sweeps, batches, approximated activations, layers of users that are not declared exact, and
    what `certify` refuses.
    """
    if batch_of(layers) is not None or any(phi.doubt for phi in functions(layers)):
        return None
    moments = _attempted(n, partial(_passed, layers, inputs))
    return None if moments is None else Prediction(stacked(n, moments), layers=tuple(layers), inputs=inputs)


@lru_cache(maxsize=256)
def average_in_balls(n: Any, phi: Function, m: int, *numbers: str) -> Moments | None:
    """Return the moments of phi(M) in the kind n of `decimals`, M the largest of m units, or None as `in_balls` does.

    numbers: mean, var_mu and var_chi of the units, as decimals.
    """

    def moments(balls: Certified) -> Iterator[Moments]:
        mean, var_mu, var_chi = map(balls.number, numbers)
        yield ProvenGaussian(Moments(0 if mean == 0 else mean, var_mu, var_chi)).average(balls, phi, m)

    averages = None if phi.doubt else _attempted(n, moments)
    return None if averages is None else averages[0]


def _attempted(n: Any, compute: Callable[[Certified], Iterable[Moments]]) -> list[Moments] | None:
    """Return moments that are computed with enough bits, in the kind n with their errors, or None."""
    for attempt in range(ATTEMPTS):
        balls = Certified((GUARD + int(n.digits * BITS)) << attempt)
        try:
            with balls.precision():
                moments = list(_without_radii(n, compute(balls)))
        except TooWideError:
            continue
        except (ValueError, TypeError):  # balls have no rule: multiprecision answers, or refuses with its own reason
            return None
        if moments[-1].error <= 10.0 ** -(n.digits + 1):
            return moments
    return None


def _without_radii(n: Any, moments: Iterable[Moments]) -> Iterator[Moments]:
    """Yield moments in the kind n; their error is the sum of the relative radii so far."""
    error = 0.0
    for x in moments:
        balls = x.mean, x.var_mu, x.var_chi
        mean, var_mu, var_chi = (ball if isinstance(ball, int) else n.of_ball(ball) for ball in balls)
        error += max(map(_relative, balls))
        yield Moments(mean, var_mu, var_chi, error=error)


def _passed(layers: Sequence[Layer], inputs: GaussianInputs, balls: Certified) -> Iterator[Moments]:
    """Yield the moments behind every listed layer."""
    refuse_inexact(layers, inputs, "certify")
    passage = Passage(applied=law)
    node = LawNode(balls, ProvenGaussian(inputs.moments(balls)), passage=passage)
    yield from (behind.averaged() for behind in passage.listed(layers, node, _from_middles))


def _from_middles(node: LawNode) -> LawNode:
    """Return a Gaussian node whose moments are the middles of its balls."""
    if not node.gaussian:
        return node
    x = node.averaged()
    return node.after(ProvenGaussian(replace(x, var_mu=x.var_mu.mid(), var_chi=x.var_chi.mid())))


def _relative(value: Any) -> float:
    """Return the radius of a ball relative to its middle, infinite if only the middle is 0; 0 for a whole number."""
    if isinstance(value, int) or value.is_exact():
        return 0.0
    return float(value.rad() / abs(value.mid())) if value.mid() != 0 else float("inf")
