"""The result of `Network.predict(width=...)`: moments after every Dense at finite width, and the law of the guesses."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.text import layer_table, measured
from igbtheory.networks.simulation.estimates import TIES, LayerEstimates
from igbtheory.networks.simulation.values import Predictable
from igbtheory.theory.guessing import Guessing
from igbtheory.theory.output_layer import of_output

if TYPE_CHECKING:
    from igbtheory.guesses.source import OutputsAtData, Source
    from igbtheory.guesses.vocabulary import Vocabulary
    from igbtheory.networks.width.cases import Case

COLUMNS = ("var_mu", "var_chi", "gamma", "var_g0", "gamma_guess")


@final
@dataclass(frozen=True, repr=False, eq=False)
class WidthPrediction(Guessing[float]):
    """Prediction at finite width: var_mu, var_chi, gamma, gamma_guess, Var(G0) and the law of G0, with errors.

    gamma = var_mu/var_chi also counts how much the norms of features differ between data; guesses depend on directions
    alone, and gamma_guess is the gamma whose law has their variance Var(G0). Both are equal in infinite width.

    per_layer: these moments after every Dense layer. network, inputs: what was predicted. widths: the number of units
    that the second and later Dense layers read. features: the number of features of the data. method: "expansion",
    whose errors are the size of the second order in 1/width, or "pairs", whose errors are standard errors. networks:
    the number of networks drawn, 0 for an expansion. source: that of the law of G0. refused: why there is no expansion,
    if it was tried.

    >>> prediction = igb.mlp(3, "relu").predict(width=100)
    >>> print(f"{prediction.gamma:.3f} {prediction.gamma_guess:.3f} {prediction.method}")
    1.476 1.584 expansion
    """

    per_layer: LayerEstimates
    network: Predictable
    inputs: Any
    widths: tuple[int, ...]
    features: int
    method: str
    networks: int
    source: "Source"
    refused: str = ""

    var_mu_error = of_output("var_mu_error", "Error of `var_mu`.")
    var_chi_error = of_output("var_chi_error", "Error of `var_chi`.")
    gamma_error = of_output("gamma_error", "Error of `gamma`.")
    var_g0 = of_output("var_g0", "Variance of G0 over the networks.")
    var_g0_error = of_output("var_g0_error", "Error of `var_g0`.")
    gamma_guess = of_output("gamma_guess", "Bias ratio of the guesses, whose law has the variance `var_g0`.")
    gamma_guess_error = of_output("gamma_guess_error", "Error of `gamma_guess`.")
    ties = of_output("ties", TIES)

    @property
    def error(self) -> float:
        """Largest relative error of var_mu, var_chi and Var(G0) of the output; 1 if one of them is not known."""
        pairs = [(getattr(self, name), getattr(self, f"{name}_error")) for name in ("var_mu", "var_chi", "var_g0")]
        return float(max(error / max(abs(value), error) if error else 0.0 for value, error in pairs))

    @cached_property
    def outputs(self) -> "OutputsAtData":
        """The outputs of drawn networks of this width, at about a thousand data each on Gaussian inputs."""
        from igbtheory.guesses.source import OutputsAtData  # noqa: PLC0415 - few predictions are of several classes

        if isinstance(self.source, OutputsAtData):
            return self.source
        return self._case.outputs(self.per_layer, np.random.SeedSequence(0))

    def vocabulary(
        self,
        size: int,
        *,
        tied: int | None = None,
        positions: int = 1000,
        draws: int | None = None,
        random_state: Any = 0,
    ) -> "Vocabulary":
        """Return the first predictions of a language model, as `Prediction.vocabulary` does, of networks of this width.

        size, positions: as there. tied: this width, if the output has the weights of its Embedding. draws: number of
        new networks; None: as many as the prediction has drawn, or fewer that take a few seconds.
        """
        from igbtheory.guesses import vocabulary  # noqa: PLC0415 - few predictions are of language models
        from igbtheory.networks.width.laws import roots  # noqa: PLC0415 - as above
        from igbtheory.theory.tied import ids_read, tied_weights  # noqa: PLC0415 - as above

        rng, layers, width = checks.generator(random_state), self.network.layers, (self.widths or (self.features,))[-1]
        if tied not in {None, width}:
            raise ValueError(f"expected tied={width}, the units that the output reads, got {tied!r}; pass tied={width}")
        drawn = self._case.at_positions(checks.whole("positions", positions, 1))
        ids = ids_read(layers, self.inputs)
        size = vocabulary.checked_size(size, ids)
        count = vocabulary.count_of(draws, size * drawn.rows)
        if draws is None and self.networks:
            count = min(count, self.networks)
        of_networks = roots(drawn, count, int(rng.integers(2**32)))
        weights = tied_weights(layers, self.inputs, tied, ids)
        return vocabulary.at_given_positions(of_networks, size, ids, weights, rng, width)

    @property
    def _case(self) -> "Case":
        """The networks of this prediction."""
        from igbtheory.networks.width.cases import case_of  # noqa: PLC0415 - few results draw networks again
        from igbtheory.networks.width.widths import units_made  # noqa: PLC0415 - as above

        made, _ = units_made(self.network.layers, self.widths or (self.features,), None)
        return case_of(self.network.layers, self.inputs, (self.features, *made))

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain values, with the moments after every layer."""
        names = [field.name for field in fields(LayerEstimates)]
        told = {name: getattr(self, name) for name in ("widths", "features", "method", "networks", "ties", "error")}
        law: Any = self.G0
        return {
            **{name: getattr(self, name) for name in (*names, "c")},
            **told,
            "widths": list(self.widths),
            "G0": {"mean": law.mean(), "var": law.var(), "std": law.std()},
            "per_layer": {name: getattr(self.per_layer, name) for name in names},
        }

    def columns(self) -> dict[str, Any]:
        """Return a table with a row for every Dense layer."""
        return {"layer": np.arange(1, len(self.per_layer.gamma) + 1), **vars(self.per_layer)}

    def __str__(self) -> str:
        return "\n".join([layer_table(COLUMNS, len(self.per_layer.gamma), self._cells), "", *self._summary()])

    def _cells(self, i: int) -> list[str]:
        values = vars(self.per_layer)
        return [measured(values[name][i], values[f"{name}_error"][i]) for name in COLUMNS]

    def _summary(self) -> Iterator[str]:
        """Yield the lines about the output and the guesses."""
        units = dict.fromkeys(self.widths or (self.features,))
        drawn = f", {self.networks} networks drawn" if self.networks else ""
        yield f"width        {', '.join(map(str, units))}; method {self.method!r}{drawn}"
        if self.refused:
            yield f"             since {self.refused}"
        yield f"gamma        {measured(self.gamma, self.gamma_error)}, which counts how norms differ between data, too"
        yield f"gamma_guess  {measured(self.gamma_guess, self.gamma_guess_error)}, the gamma whose law has this Var(G0)"
        yield f"G0           mean {self.G0.mean():.6g}, standard deviation {self.G0.std():.6g} over initialisations"
        if self.ties:
            yield f"ties         {100 * self.ties:.3g} % of the data, which class 0 gets: argmax returns the first"

    def __repr__(self) -> str:
        shown = (f"{name}={getattr(self, name):.6g}±{getattr(self, f'{name}_error'):.2g}" for name in COLUMNS)
        return f"WidthPrediction({', '.join(shown)}, method={self.method!r}, networks={self.networks})"
