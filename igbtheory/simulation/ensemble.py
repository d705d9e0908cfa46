"""Ensembles of finite networks: their guesses and moments, and the outputs of several classes."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.device import checked_device
from igbtheory.inputs import GaussianInputs
from igbtheory.numbers.threads import one_thread
from igbtheory.runs import blocks, chosen, in_order, kept
from igbtheory.simulation.finite import FiniteNetwork, checked_inputs, finite_network
from igbtheory.simulation.result import Simulation

if TYPE_CHECKING:
    from igbtheory.network import Network


def simulate(  # noqa: PLR0913 - the contract of the public name
    net: "Network",
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
    """
    inputs = checked_inputs(inputs)
    drawn, size, count, seed = _checked(net, networks, width, samples, seed, inputs, least=2)
    drawn = replace(drawn, device=checked_device(device))
    pieces = [partial(_block, drawn, seed, block) for block in blocks(count, drawn.seconds)]
    who = chosen(executor, workers, count * drawn.seconds, drawn.device)
    configuration = {"network": repr(net), "networks": count, "width": int(width), "samples": size, "seed": seed}
    configuration |= {} if device is None else {"device": str(drawn.device)}
    with kept(store, configuration, partial(_block, drawn, seed, range(1)), executor=who) as file:
        label = "finite networks" if progress else None
        with closing(in_order(pieces, executor=who, store=file, progress=label)) as results:
            found = list(results)
    names = ("guesses", "moments", "guess_variances")
    guesses, moments, variances = (np.concatenate([part[name] for part in found]) for name in names)
    if not np.isfinite(moments).all():
        raise ValueError(
            "expected activations within single precision, got overflow; scale the inputs or the variances down"
        )
    return Simulation(net, count, int(width), size, seed, inputs, guesses, moments, variances)


def _block(drawn: FiniteNetwork, seed: int, block: range) -> dict[str, NDArray[np.float64]]:
    """Return the moments, the variances of the guesses and the guesses of a block of networks."""
    found, guesses = zip(*(drawn.measured(SeedSequence(seed, spawn_key=(i,))) for i in block), strict=True)
    moments = np.stack(found)
    return {"moments": moments[..., :2], "guess_variances": moments[..., 2], "guesses": np.array(guesses)}


def outputs(
    network: "Network",
    n_classes: int,
    networks: int = 200,
    width: int = 256,
    samples: int = 1000,
    seed: int = 0,
    inputs: Any = None,
) -> Iterator[NDArray[np.float64]]:
    """Return an iterator over the outputs of finite networks, arrays (n_samples, n_classes); options as in `simulate`.

    Network i draws from SeedSequence(seed, spawn_key=(i,)). Outputs that overflow in single precision are inf or NaN.
    """
    classes = checks.whole("n_classes", n_classes, 1)
    inputs = checked_inputs(GaussianInputs() if inputs is None else inputs)
    drawn, _, count, seed = _checked(network, networks, width, samples, seed, inputs, least=1)
    return (_outputs(drawn, SeedSequence(seed, spawn_key=(i,)), classes) for i in range(count))


def _outputs(drawn: FiniteNetwork, seeds: SeedSequence, n_classes: int) -> NDArray[np.float64]:
    with one_thread():  # so that BLAS sums in the same order on any number of cores
        return drawn.outputs(seeds, n_classes)


def _checked(
    network: "Network", networks: Any, width: Any, samples: Any, seed: Any, inputs: Any, *, least: int
) -> tuple[FiniteNetwork, int, int, int]:
    """Return the network to draw, the numbers of data and networks (both at least `least`), and the seed."""
    count, width = checks.whole("networks", networks, least), checks.whole("width", width, 1)
    seed = checks.whole("seed", seed, 0)
    size = checks.whole("samples", samples, least) if isinstance(inputs, GaussianInputs) else len(inputs)
    return finite_network(network.layers, inputs, size, width), size, count, seed
