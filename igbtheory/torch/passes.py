"""Passes of the data through freshly drawn models, each with a random stream of its own."""

import random
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from igbtheory.torch.data import moved
from igbtheory.torch.failures import note_making, note_pass
from igbtheory.torch.models import checked_model, digest, idle_norms


def drawn_outputs(
    make_model: Callable[[], Any],
    data: torch.Tensor,
    networks: Iterable[int],
    seed: int,
    batch_size: int | None,
    device: Any,
    said: list[str],
) -> Generator[tuple[NDArray[np.float64], bytes]]:
    """Outputs of one network after the other, (n_samples, outputs), with batches in its order, and its digest.

    said: what the caller should warn of is added to it. The caller's generators go on undisturbed when this is closed.
    """
    previous: torch.nn.Module | None = None
    with undisturbed():
        for i in networks:
            with torch.no_grad():
                seed_all(seed, i)
                model = checked_model(made(make_model, i), previous)
                if device is not None:
                    model = model.to(device)
                if previous is None:
                    said += idle_norms(model)
                data = moved(data, model)
                outputs = _all_outputs(model, data, batch_size, i).cpu().double().numpy()
                weights = digest(model)
            _refuse_infinite(outputs, i)
            previous = model
            yield outputs, weights


def made(make_model: Callable[[], Any], network: int) -> Any:
    """Return the model of make_model; its errors get a note."""
    try:
        return make_model()
    except Exception as error:
        note_making(error, network)
        raise


def _refuse_infinite(outputs: NDArray[np.float64], network: int) -> None:
    """Refuse outputs that are not finite."""
    if not np.isfinite(outputs).all():
        wrong = outputs[~np.isfinite(outputs)]
        # nan comes of overflow too, then mostly beside inf
        overflow = bool(np.isinf(wrong).any())
        remedy = "scale the data or the weights down" if overflow else "check the initialisation for nan"
        raise ValueError(f"expected finite outputs, got {'inf' if overflow else 'nan'} in network {network}; {remedy}")


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


def _all_outputs(model: torch.nn.Module, data: torch.Tensor, batch_size: int | None, network: int) -> torch.Tensor:
    """Return the outputs of the model at all data: in one pass, or in batches of a random order."""
    # a model may write into its input: every pass has a copy of its own, as indexing makes one
    if batch_size is None:
        return outputs_of(model, data.clone(), network, (len(data), None))
    # the order is drawn after the weights, which do not depend on the batches
    order = torch.randperm(len(data), device="cpu").to(data.device)
    parts = torch.split(order, batch_size)
    found = torch.cat([outputs_of(model, data[part], network, (len(data), batch_size)) for part in parts])
    return found[torch.argsort(order)]


def outputs_of(
    model: torch.nn.Module, batch: torch.Tensor, network: int, sizes: tuple[int, int | None]
) -> torch.Tensor:
    """Outputs of the model at a batch, (n_samples, outputs); sizes: number of all data, and of those in a pass."""
    size = len(batch)
    try:
        outputs = model(batch)
    except Exception as error:
        note_pass(error, network, model, batch, sizes)
        raise
    outputs = getattr(outputs, "logits", outputs)  # as torchvision's GoogLeNet and Hugging Face's models name them
    if isinstance(outputs, tuple | list | dict):
        taken = '["logits"]' if isinstance(outputs, dict) else "[0]"
        raise TypeError(
            f"expected outputs in a tensor, got {type(outputs).__name__}; wrap the model so that it returns its "
            f"logits, such as lambda: Logits(Model()), a Module whose forward returns self.model(x){taken}"
        )
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
