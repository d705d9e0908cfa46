"""Passes of the data through freshly drawn models, each with a random stream of its own."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory.torch.data import moved
from igbtheory.torch.models import checked_model, idle_norms, refuse_equal


def drawn_outputs(
    make_model: Callable[[], Any],
    data: torch.Tensor,
    networks: int,
    seed: int,
    batch_size: int | None,
    said: list[str],
) -> Iterator[NDArray[np.float64]]:
    """Outputs of one network after the other, (n_samples, outputs); with batches in the order of the network.

    said: what the caller should warn of is added to it.
    """
    previous = None
    for i in range(networks):
        with _stream(seed, i), torch.no_grad():
            model = checked_model(make_model(), previous)
            if previous is None:
                said += idle_norms(model)
            data = moved(data, model)
            outputs = _all_outputs(model, data, batch_size).cpu().double().numpy()
        refuse_equal(model, previous)
        wrong = outputs[~np.isfinite(outputs)]
        if wrong.size:
            raise ValueError(
                f"expected finite outputs, got {wrong[0]} in network {i}; scale the data or the weights down"
            )
        previous = model
        yield outputs


@contextmanager
def _stream(seed: int, network: int) -> Iterator[None]:
    """The random stream of one network; the caller's goes on behind it as if nothing had been drawn."""
    # a word for each generator: PyTorch's and NumPy's are the same twister, and would repeat one another
    words = np.random.SeedSequence(seed, spawn_key=(network,)).generate_state(3, np.uint64).tolist()
    of_numpy, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002 - the global one is meant
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(words[0])
            np.random.seed(words[1] >> 32)  # noqa: NPY002 - as above
            random.seed(words[2])
            yield
    finally:
        np.random.set_state(of_numpy)  # noqa: NPY002 - as above
        random.setstate(of_python)


def _all_outputs(model: torch.nn.Module, data: torch.Tensor, batch_size: int | None) -> torch.Tensor:
    """Outputs of the model at all data: in one pass, or in batches of a random order."""
    # a model may write into its input: every pass has a copy of its own, as indexing makes one below
    if batch_size is None:
        return _outputs(model, data.clone())
    # drawn after the weights, which therefore are the same whatever the batches
    order = torch.randperm(len(data), device="cpu").to(data.device)
    return torch.cat([_outputs(model, data[part]) for part in torch.split(order, batch_size)])


def _outputs(model: torch.nn.Module, batch: torch.Tensor) -> torch.Tensor:
    """Outputs of the model at a batch, (n_samples, outputs)."""
    size = len(batch)
    try:
        outputs = model(batch)
    except (RuntimeError, ValueError, IndexError) as error:
        raise ValueError(
            f"expected data that the model takes, got its error on a batch of shape {tuple(batch.shape)} and "
            f"{batch.dtype}: {error}; pass data, or a batch_size, that suit the model"
        ) from error
    if not isinstance(outputs, torch.Tensor) or not outputs.is_floating_point():
        came = outputs.dtype if isinstance(outputs, torch.Tensor) else type(outputs).__name__
        raise TypeError(
            f"expected outputs in a tensor of floating numbers, got {came}; let the model return its logits"
        )
    if outputs.ndim not in {1, 2} or len(outputs) != size or not outputs.numel():
        raise ValueError(
            f"expected outputs of shape ({size},) or ({size}, classes) for {size} data, got {tuple(outputs.shape)}; "
            "let the model return one row of logits a datum"
        )
    return outputs.reshape(size, -1)
