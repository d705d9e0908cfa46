"""Formulas after every Dense, in the symbols of the network or of the layer before."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from igbtheory.theory.derivation.form import LONG, simplified
from igbtheory.theory.derivation.states import Rule, at

CHAINED, LONGEST = 2, 800
"""Number of hidden layers up to which formulas are given in full, even if they are long, and their largest number of
operations: the 700 of two layers of GELU are simplified and printed in three seconds, the 1,080 of GEGLU in twelve.
"""


@final
@dataclass(frozen=True)
class DerivedLayer:
    """Variances after a Dense: var_mu, var_chi.

    explicit: True if they are in the symbols of the network, False if they are in the symbols v_mu_l, v_chi_l of the
    layer l = `before`.

    var_mu, var_chi: the formulas. rule: what gives them from those of the layer before. before: the number of that
    layer.

    >>> igb.mlp(1, "relu").derive().per_layer[-1].var_mu
    2/pi
    """

    var_mu: Any
    var_chi: Any
    rule: Rule
    before: int
    explicit: bool

    @cached_property
    def gamma(self) -> Any:
        """Bias ratio var_mu/var_chi."""
        return simplified(self.var_mu / self.var_chi)

    @cached_property
    def c(self) -> Any:
        """Correlation var_mu/(var_mu + var_chi) of two data."""
        return simplified(self.var_mu / (self.var_mu + self.var_chi))


def layers_of(rules: Sequence[Rule], before: Sequence[int]) -> tuple[DerivedLayer, ...]:
    """Return the layers with these rules. before: the layers whose symbols the rules contain, 0 for the inputs."""
    layers: list[DerivedLayer] = []
    for i, (rule, k) in enumerate(zip(rules, before, strict=False)):
        prior = layers[k - 1] if k else None
        explicit = prior is None or prior.explicit or not rule.symbols
        values = tuple(at(part, k) for part in rule.local)
        if explicit:
            exact = rule.given(prior.var_mu, prior.var_chi) if prior else values
            most = LONGEST if i <= CHAINED else LONG
            explicit = not rule.symbols or sum(value.count_ops() for value in exact) <= most
        of_mu, of_chi = map(simplified, exact) if explicit else values
        layers.append(DerivedLayer(of_mu, of_chi, rule, k, explicit))
    return tuple(layers)
