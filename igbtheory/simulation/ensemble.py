"""Ensembles of finite networks: their guesses and moments, drawn side by side, and the outputs of several classes."""

import os
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing import parent_process
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray

from igbtheory import checks
from igbtheory.inputs import GaussianInputs
from igbtheory.numbers.threads import one_thread
from igbtheory.runs.progress import shown
from igbtheory.simulation.finite import FiniteNetwork, checked_inputs, finite_network
from igbtheory.simulation.result import Simulated, Simulation


def simulate(  # noqa: PLR0913 - the contract of the public name
    network: Simulated,
    networks: int,
    width: int,
    samples: int | None,
    seed: int,
    inputs: Any,
    *,
    workers: int | None = None,
    progress: bool = False,
) -> Simulation:
    """Return an ensemble of `networks` finite networks, exact in law: float32 products, float64 statistics.

    width: units that every Dense but the first reads, and the dimension of Gaussian inputs where nothing in front of
    the first one pools; samples: Gaussian data, fresh for every network, at least 2 (a data set is taken whole,
    whatever `samples`); inputs: GaussianInputs, or an array as `predict` takes it. Network i draws from
    SeedSequence(seed, spawn_key=(i,)): the numbers do not depend on `workers` (threads, None: one a core). progress: a
    bar on standard error.
    ValueError, TypeError: fewer than two networks or data, width < 1, a negative seed, numbers not whole, a sweep.
    """
    workers = _cores() if workers is None else checks.whole("workers", workers, 1)
    inputs = checked_inputs(inputs)
    drawn, size, seeds = _checked(network, networks, width, samples, seed, inputs, least=2)
    with closing(_measured(drawn, seeds, workers)) as results:
        moments, guesses = zip(*(shown(results, len(seeds), "finite networks") if progress else results), strict=True)
    stacked = np.stack(moments)
    if not np.isfinite(stacked).all():
        raise ValueError(
            "expected activations within single precision, got overflow; scale the inputs or the variances down"
        )
    return Simulation(network, len(seeds), int(width), size, int(seed), inputs, np.array(guesses), stacked)


def outputs(
    network: Simulated,
    n_classes: int,
    networks: int = 200,
    width: int = 256,
    samples: int = 1000,
    seed: int = 0,
    inputs: Any = None,
) -> Iterator[NDArray[np.float64]]:
    """Return the outputs of finite networks one after the other, arrays (n_samples, n_classes); numbers as `simulate`.

    Network i draws from SeedSequence(seed, spawn_key=(i,)). What single precision cannot hold comes as inf or NaN.
    """
    classes = checks.whole("n_classes", n_classes, 1)
    inputs = checked_inputs(GaussianInputs() if inputs is None else inputs)
    drawn, _, seeds = _checked(network, networks, width, samples, seed, inputs, least=1)
    return (_outputs(drawn, own, classes) for own in seeds)


def _outputs(drawn: FiniteNetwork, seeds: SeedSequence, n_classes: int) -> NDArray[np.float64]:
    with one_thread():  # BLAS sums in the same order on any number of cores
        return drawn.outputs(seeds, n_classes)


def _checked(
    network: Simulated, networks: Any, width: Any, samples: Any, seed: Any, inputs: Any, *, least: int
) -> tuple[FiniteNetwork, int, list[SeedSequence]]:
    """Return the network to draw, its number of data, and the seeds of all networks; `least`: networks and data."""
    count, width = checks.whole("networks", networks, least), checks.whole("width", width, 1)
    seed = checks.whole("seed", seed, 0)
    size = checks.whole("samples", samples, least) if isinstance(inputs, GaussianInputs) else len(inputs)
    drawn = finite_network(network.layers, inputs, size, width)
    return drawn, size, [SeedSequence(seed, spawn_key=(i,)) for i in range(count)]


def _cores() -> int:
    """Return the number of threads to take: one in a process among others, which have the other cores."""
    return 1 if parent_process() else os.cpu_count() or 1


def _measured(drawn: FiniteNetwork, seeds: list[SeedSequence], workers: int) -> Generator[Any]:
    """Yield the results network by network; BLAS has one thread, so that its sums do not depend on the cores."""
    if workers == 1:
        with one_thread():
            yield from map(drawn.measured, seeds)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        with one_thread():
            yield from pool.map(drawn.measured, seeds)
            pool.shutdown()
    finally:
        pool.shutdown(cancel_futures=True)
