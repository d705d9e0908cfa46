"""The verdict on an activation: whether it causes a bias, why, what depth does to it, and which shift removes it."""

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.accuracy import AccuracyWarning
from igbtheory.layers.dense import Dense
from igbtheory.layers.inputs import GaussianInputs
from igbtheory.mathematics.formulas import Function, function_of
from igbtheory.mathematics.numbers import FLOAT64
from igbtheory.networks.network import PROMISED
from igbtheory.phases.block import block_of, one_dense, one_input, units
from igbtheory.phases.course import ROUNDING, course
from igbtheory.phases.judgement import Cause, Judgement
from igbtheory.phases.verdict_text import dict_of, text_of


@final
@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Judgement):
    """Verdict on an activation in mlp(depth, phi, sigma_w2, sigma_b2). Its text is what `igb activation` prints.

    mean = E phi(h), where h ~ N(0, sigma_w2 (variance + shift^2) + sigma_b2) is the first pre-activation of a random
    node and datum. causes: of var_mu at depth 1. course: the moments over depth, their limits, and the law of G0.
    Source: initial-guessing-bias, Theorem 5.1 (centred inputs, no biases: no bias at depth 1 if and only if mean = 0).

    phi: the activation. sigma_w2, sigma_b2, depth, inputs: as in `verdict`. mean: E phi(h), as above.

    >>> print(f"{igb.phases.verdict('gelu', depth=5).shift:.4f}")
    0.4607
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values, with all depths."""
        return dict_of(self)

    def __str__(self) -> str:
        return text_of(self)


def verdict(
    activation: Any, sigma_w2: float = 2.0, sigma_b2: float = 0.0, depth: int = 100, inputs: Any = None
) -> Verdict:
    """Return the verdict on an activation: a name, a formula in x, a SymPy expression or a Function.

    sigma_w2, sigma_b2: variances, single numbers; depth: number of hidden layers; inputs: GaussianInputs, by default
    N(0, 1). ValueError: data, or outputs of the first activation, that do not vary. Warns with AccuracyWarning like
    `Network.predict`.

    activation: as described in the first line.

    >>> igb.phases.verdict("gelu", depth=5).is_biased
    True
    """
    phi, dense, inputs = function_of(activation), one_dense(sigma_w2, sigma_b2), one_input(inputs)
    trajectory = course(block_of(phi), dense, inputs, checks.whole("depth", depth, 1, checks.DEEPEST))
    error = float(np.max(trajectory.prediction.per_layer.error))
    if not error <= PROMISED:
        message = f"the estimated relative error of the variances reaches {error:.1g}, more than {PROMISED:g}"
        warnings.warn(message, AccuracyWarning, stacklevel=2)
    mean, causes = _first(phi, dense, inputs)
    return Verdict(phi, float(sigma_w2), float(sigma_b2), int(depth), inputs, mean, causes, trajectory)


def _first(phi: Function, dense: Dense, inputs: GaussianInputs) -> tuple[float, tuple[Cause, ...]]:
    """Return the mean behind the first activation, and the causes: the parts of var_mu behind the next Dense."""
    with np.errstate(all="ignore"):
        x = units(inputs.moments(FLOAT64)).through((dense,)).then(phi).averaged()
    sources = {
        "mean": dense.sigma_w2 * x.mean**2,
        "centres": dense.sigma_w2 * x.var_mu,  # shifted inputs and biases make the centres of the pre-activations vary
        "biases": dense.sigma_b2,
    }
    noise = ROUNDING * (x.mean**2 + x.var_mu + x.var_chi) * dense.sigma_w2
    whole = sum(sources.values())
    return float(x.mean), tuple(Cause(name, float(part / whole)) for name, part in sources.items() if part > noise)
