"""The simulation of a network: an ensemble of finite networks, and its comparison with the theory."""

from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np

from igbtheory.foundations import checks
from igbtheory.foundations.device import checked_device
from igbtheory.foundations.progress import progress_bar
from igbtheory.foundations.runs import blocks, chosen, in_order, kept
from igbtheory.networks.simulation.comparison import Comparison, compare
from igbtheory.networks.simulation.ensemble import block_of, checked
from igbtheory.networks.simulation.extrapolation import FACTORS
from igbtheory.networks.simulation.finite import checked_inputs
from igbtheory.networks.simulation.theory import beside_theory
from igbtheory.networks.simulation.values import Ensemble, Predictable
from igbtheory.networks.width.result import WidthPrediction
from igbtheory.theory.prediction import Prediction


@final
@dataclass(frozen=True, eq=False, repr=False)
class Simulation(Ensemble):
    """Ensemble of finite networks: G0 of every network, and the moments and bias ratios at its width, with errors.

    See `values.Ensemble` for its fields; `compare` compares with the theory.

    network, networks, width, samples, seed, inputs: as in `simulate`. G0: the share of class 0, (networks,). moments:
    q_ab and q_aa - q_ab of every network and layer. guess_variances, tied: E (G0 - 1/2)^2 and the share of
    ties of every network and layer.

    >>> simulated = igb.mlp(1, "relu").simulate(networks=20, width=50, samples=50)
    >>> simulated.gamma_error > 0
    True
    """

    def compare(
        self,
        prediction: Prediction | WidthPrediction | None = None,
        *,
        workers: int | None = None,
        executor: Executor | str | None = None,
        store: str | Path | None = None,
        device: Any = None,
        progress: bool = False,
    ) -> Comparison:
        """Compare with a prediction at this width, or in infinite width after extrapolation.

        prediction: what `Network.predict` returns for the same network and inputs; None: in infinite width. workers,
        executor, store, device, progress: as in `simulate`, for the ensembles of two and four times the width;
        store=FILE keeps them in FILE.512 and so on, named by the width.
        """
        run = partial(simulate, workers=workers, executor=executor, device=device, progress=progress)
        return compare(self, prediction, lambda: self._wider(run, store))

    def _wider(self, run: Callable[..., Ensemble], store: str | Path | None) -> list[Ensemble]:
        """Return independent ensembles at two and four times the width, with seeds drawn from the seed of this one."""
        seeds = np.random.SeedSequence(self.seed).generate_state(2, np.uint64)
        wider: list[Ensemble] = []
        for factor, seed in zip(FACTORS[1:], seeds, strict=True):
            width = factor * self.width
            arguments = (self.networks, width, self.samples, int(seed), self.inputs)
            wider.append(run(self.network, *arguments, store=store and f"{store}.{width}"))
        return wider

    def __str__(self) -> str:
        return beside_theory(self)


def simulate(  # noqa: PLR0913 - the contract of the public name
    net: Predictable,
    /,
    networks: int,
    width: int,
    samples: int | None,
    seed: int,
    inputs: Any,
    *,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    device: Any = None,
    progress: bool = False,
) -> Simulation:
    """Return an ensemble of `networks` finite networks, exact in law: float32 products, float64 statistics.

    width: number of units that every Dense but the first reads, and the dimension of Gaussian inputs if no pool comes
    before the first Dense. samples: number of Gaussian data, drawn anew for every network, at least 2; a data set is
    always used as a whole. inputs: GaussianInputs, or an array as for `predict`. seed: network i draws from
    SeedSequence(seed, spawn_key=(i,)), so that every executor gives the same numbers. workers: number of workers, None:
    one for each core. executor: as in `runs.in_order`; None: processes, and in short runs threads. store: a file that
    keeps finished work at once; the same call continues from there. device: PyTorch device, such as "cuda", that
    multiplies by the weights; the networks are the same up to rounding. progress: show a bar on standard error.
    ValueError, TypeError: fewer than two networks or data, width < 1, a negative seed, numbers not whole, a sweep.

    net: the network; `Network.simulate` calls this function. networks: their number.

    >>> simulated = igb.mlp(1, "relu").simulate(networks=20, width=50, samples=50)
    >>> simulated.G0.shape
    (20,)
    """
    inputs = checked_inputs(inputs)
    drawn, size, count, seed = checked(net, networks, width, samples, seed, inputs, least=2)
    drawn = replace(drawn, device=checked_device(device))
    wanted = checks.flag("progress", progress)
    pieces = [partial(block_of, drawn, seed, block) for block in blocks(count, drawn.seconds)]
    who = chosen(executor, workers, count * drawn.seconds, drawn.device)
    configuration = {"network": repr(net), "networks": count, "width": int(width), "samples": size, "seed": seed}
    configuration |= {} if device is None else {"device": str(drawn.device)}
    with kept(store, configuration, partial(block_of, drawn, seed, range(1)), executor=who) as file:
        work = in_order(pieces, executor=who, store=file, what="finite networks")
        with progress_bar(wanted=wanted), closing(work) as results:
            measured = list(results)
    names = ("guesses", "moments", "guess_variances", "ties")
    guesses, moments, variances, ties = (np.concatenate([part[name] for part in measured]) for name in names)
    if not np.isfinite(moments).all():
        raise ValueError(
            "expected activations within single precision, got overflow; scale the inputs or the variances down"
        )
    return Simulation(net, count, int(width), size, seed, inputs, guesses, moments, variances, ties)
