"""Nodes: what flows through a network, a Gaussian base and the function of it that is not averaged yet."""

from dataclasses import dataclass
from typing import Any, final

from igbtheory.activations.function import Function, composed
from igbtheory.activations.moments import Moments, moments, product, second_moment, steepness
from igbtheory.numbers import Kind


@final
@dataclass(frozen=True)
class LawNode:
    """Node phi(h) of Gaussian inputs: h = mean + sqrt(var_mu) u + sqrt(var_chi) z, u per node, z per node and datum.

    n: the kind of number; base: moments of h; phi: the function not averaged yet, None for the identity.
    """

    n: Kind
    base: Moments
    phi: Function | None = None

    def then(self, phi: Function) -> "LawNode":
        """Node with phi applied after the function it has."""
        return LawNode(self.n, self.base, _after(phi, self.phi))

    def averaged(self) -> Moments:
        """Moments of phi(h)."""
        return self.base if self.phi is None else moments(self.n, self.phi, self.base)


@final
@dataclass(frozen=True)
class Pairs:
    """Second moments over W of a node at pairs of data: q_a, q_b of either datum, q_ab of the pair; they broadcast.

    error = estimated relative error of q_ab against sqrt(q_a q_b).
    """

    q_a: Any
    q_b: Any
    q_ab: Any
    error: float = 0.0


@final
@dataclass(frozen=True)
class KernelNode:
    """Node phi(h) of a given data set: h is centred Gaussian over W, its covariance `base` a block of the kernel."""

    n: Kind
    base: Pairs
    phi: Function | None = None

    def then(self, phi: Function) -> "KernelNode":
        """Node with phi applied after the function it has."""
        return KernelNode(self.n, self.base, _after(phi, self.phi))

    def averaged(self) -> Pairs:
        """Second moments of phi(h)."""
        if self.phi is None:
            return self.base
        q_a, q_b, q_ab = self.base.q_a, self.base.q_b, self.base.q_ab
        # the diagonal on its own: at c = 1 the kernel of a jump loses half its digits
        new_a, new_b = (second_moment(self.n, self.phi, q) for q in (q_a, q_b))
        new_ab, error = product(self.n, self.phi, q_a, q_b, q_ab)
        factor = steepness(self.n, self.phi, q_a, q_b, q_ab)
        return Pairs(new_a, new_b, new_ab, factor * self.base.error + error)


def _after(phi: Function, before: Function | None) -> Function:
    return phi if before is None else composed(phi, before)
