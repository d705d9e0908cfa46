"""The parts of a measurement: a fresh model, its own random stream, a pass of the data, and its logits."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from igbtheory.torch.failures import note_making, note_pass
from igbtheory.torch.inputs import Inputs, first, passed
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
    with own_streams():
        begin_stream(seed, network)
        yield


def begin_stream(seed: int, network: int) -> None:
    """Seed the global generators for one network."""
    # a word for each generator, since PyTorch and NumPy have the same algorithm, and would repeat one another
    words = np.random.SeedSequence(seed, spawn_key=(network,)).generate_state(3, np.uint64).tolist()
    torch.default_generator.manual_seed(words[0])
    np.random.seed(words[1] >> 32)  # noqa: NPY002 - the global one is meant
    random.seed(words[2])


@contextmanager
def own_streams() -> Iterator[None]:
    """Context in which the global generators may be seeded; in the end they get their states back."""
    of_numpy, of_python = np.random.get_state(), random.getstate()  # noqa: NPY002 - the global one is meant
    try:
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            yield
    finally:
        np.random.set_state(of_numpy)  # noqa: NPY002 - as above
        random.setstate(of_python)


def outputs_of(
    model: torch.nn.Module,
    batch: torch.Tensor | Inputs,
    network: int,
    sizes: tuple[int, int | None],
    output: str | int | None = None,
) -> torch.Tensor:
    """Return the outputs of the model for a batch, (n_samples, outputs).

    sizes: the number of all data and the number in each pass, which error messages state. output: the name or the
    number of the output to return, if the model has several, as in `measure`.
    """
    size = len(batch)
    try:
        outputs = passed(model, batch)
    except Exception as error:
        note_pass(error, network, model, first(batch), sizes)
        raise
    return rows_of_logits(logits_of(outputs, output), size)


def rows_of_logits(outputs: torch.Tensor, size: int) -> torch.Tensor:
    """Return outputs as one row for each of `size` data. ValueError: they have another shape, as in segmentation."""
    if outputs.ndim not in {1, 2} or len(outputs) != size or not outputs.numel():
        raise ValueError(
            f"expected outputs of shape ({size},) or ({size}, classes) for {size} data, got {tuple(outputs.shape)}; "
            "let the model return one row of logits for each datum, such as those of one token or pixel"
        )
    return outputs.reshape(size, -1)


def is_of_tokens(outputs: Any) -> bool:
    """Return whether there are outputs for every token, as of language models."""
    return isinstance(outputs, torch.Tensor) and outputs.ndim == len(("data", "tokens", "outputs"))


def logits_of(outputs: Any, output: str | int | None = None) -> torch.Tensor:
    """Return the logits: the outputs if they are one tensor, else their part `output`.

    output: a name, or a place in a tuple; None: the part named logits, as of torchvision's GoogLeNet and of Hugging
    Face's models, or the only tensor.
    TypeError: no part has this name, and the error lists the parts; or no part is a tensor of floating-point numbers.
    """
    if isinstance(outputs, torch.Tensor) and outputs.is_floating_point():
        return outputs
    tensors = {name: x for name, x in _parts(outputs).items() if isinstance(x, torch.Tensor) and x.is_floating_point()}
    if not tensors:
        came = outputs.dtype if isinstance(outputs, torch.Tensor) else type(outputs).__name__
        raise TypeError(
            f"expected outputs in a tensor of floating numbers, got {came}; let the model return its logits"
        )
    name = output if output is not None else "logits" if len(tensors) > 1 else next(iter(tensors))
    if name not in tensors:
        told = ", ".join(f"{name!r} of shape {tuple(x.shape)}" for name, x in tensors.items())
        raise TypeError(
            f"expected {'one tensor of logits' if output is None else f'an output {output!r}'}, got several outputs, "
            f"{told}; choose one, such as output={next(iter(tensors))!r}, or let the model return it alone"
        )
    return tensors[name]


def _parts(outputs: Any) -> dict[Any, Any]:
    """Return the parts of outputs by name, or by place in a tuple or list."""
    if isinstance(outputs, Mapping):
        return dict(outputs)
    if isinstance(outputs, tuple | list):
        return getattr(outputs, "_asdict", lambda: dict(enumerate(outputs)))()
    return dict(getattr(outputs, "__dict__", {}))
