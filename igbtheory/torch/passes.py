"""What a measurement of models is made of: a fresh model, its own random stream, and a pass of the data through it."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from igbtheory.torch.failures import note_making, note_pass
from igbtheory.torch.logits import logits_of
from igbtheory.torch.models import checked_model


def made(make_model: Callable[[], Any], network: int) -> torch.nn.Module:
    """Return the model that make_model makes for a network; errors of make_model get a note."""
    try:
        model = make_model()
    except Exception as error:
        note_making(error, network)
        raise
    return checked_model(model)


@contextmanager
def stream(seed: int, network: int) -> Iterator[None]:
    """Context in which the global generators are seeded for one network; in the end they get their states back."""
    of_numpy, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002 - the global one is meant
    # a word for each generator: those of PyTorch and NumPy have the same algorithm, and would repeat one another
    words = np.random.SeedSequence(seed, spawn_key=(network,)).generate_state(3, np.uint64).tolist()
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(words[0])
            np.random.seed(words[1] >> 32)  # noqa: NPY002 - as above
            random.seed(words[2])
            yield
    finally:
        np.random.set_state(of_numpy)  # noqa: NPY002 - as above
        random.setstate(of_python)


def outputs_of(
    model: torch.nn.Module,
    batch: torch.Tensor,
    network: int,
    sizes: tuple[int, int | None],
    output: str | int | None = None,
) -> torch.Tensor:
    """Return the outputs of the model for a batch, (n_samples, outputs).

    sizes: the number of all data and the number of data in a pass, for error messages. output: which of several
    outputs, as in `measure`.
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
            "let the model return one row of logits for each datum"
        )
    return outputs.reshape(size, -1)
