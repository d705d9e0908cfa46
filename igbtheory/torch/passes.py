"""What a measurement of models is made of: a model, a random stream of its own, and a pass of the data through it."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import torch

from igbtheory.torch.failures import note_making, note_pass
from igbtheory.torch.logits import logits_of


def made(make_model: Callable[[], Any], network: int) -> Any:
    """Return the model of make_model; its errors get a note."""
    try:
        return make_model()
    except Exception as error:
        note_making(error, network)
        raise


@cache
def _devices() -> tuple[int, bool, bool]:
    """Return the number of CUDA devices, and whether there are those of Apple and of Intel."""
    return torch.cuda.device_count(), torch.backends.mps.is_available(), torch.xpu.is_available()


@contextmanager
def stream(seed: int, network: int) -> Iterator[None]:
    """Seed the generators for one network while the context lasts; afterwards the caller's go on undisturbed."""
    with undisturbed():
        seed_all(seed, network)
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Give the global generators back the states that they had, whatever happens to them while the context lasts."""
    of_numpy, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002 - the global one is meant
    try:
        with torch.random.fork_rng(devices=range(_devices()[0])):
            yield
    finally:
        np.random.set_state(of_numpy)  # noqa: NPY002 - as above
        random.setstate(of_python)


def seed_all(seed: int, network: int) -> None:
    """Seed the global generators for one network."""
    # a word for each generator: PyTorch's and NumPy's are the same twister, and would repeat one another
    words = np.random.SeedSequence(seed, spawn_key=(network,)).generate_state(3, np.uint64).tolist()
    # the generators of devices that are not there need no seed, and take longer than a small model
    (torch.manual_seed if any(_devices()) else torch.default_generator.manual_seed)(words[0])
    np.random.seed(words[1] >> 32)  # noqa: NPY002 - as above
    random.seed(words[2])


def outputs_of(
    model: torch.nn.Module,
    batch: torch.Tensor,
    network: int,
    sizes: tuple[int, int | None],
    output: str | int | None = None,
) -> torch.Tensor:
    """Outputs of the model at a batch, (n_samples, outputs).

    sizes: number of all data, and of those in a pass; output: which of several outputs, as of `measure`.
    """
    size = len(batch)
    try:
        outputs = model(batch)
    except Exception as error:
        note_pass(error, network, model, batch, sizes)
        raise
    outputs = logits_of(outputs, output)
    if outputs.ndim not in {1, 2} or len(outputs) != size or not outputs.numel():
        raise ValueError(
            f"expected outputs of shape ({size},) or ({size}, classes) for {size} data, got {tuple(outputs.shape)}; "
            "let the model return one row of logits a datum"
        )
    return outputs.reshape(size, -1)
