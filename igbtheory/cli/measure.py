"""`igb measure`: the bias of a real, untrained PyTorch model."""

import sys
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.cli.data import DIGITS, first_rows, numbers, read, text
from igbtheory.cli.model import loaded
from igbtheory.cli.options import Whole
from igbtheory.torch import Measurement
from igbtheory.torch.library import require_torch

NAMES = ("gamma", "var_mu", "var_chi")


def measure(
    function: str,
    *,
    data: str,
    first: Whole | None = None,
    networks: Whole = 100,
    seed: Whole = 0,
    batch_size: Whole | None = None,
    json: bool = False,
) -> None:
    """Measure the bias of an untrained PyTorch model, from the guesses and outputs of freshly drawn ones.

    FUNCTION is FILE.py:NAME or package.module:NAME: a class, or a function without arguments, that makes a
    torch.nn.Module with random weights. It stays in the mode in which it comes, training mode when new.

    Parameters
    ----------
    function
        What makes a model.
    data
        The data set: "digits" (standardised), or FILE.npy, FILE.csv (as they are, one datum a row).
    first
        Only the first rows of the data set.
    networks
        Models to draw.
    seed
        The same seed gives the same numbers, where the models draw from the global generators of PyTorch, NumPy and
        Python, or from none.
    batch_size
        Data in a pass, in an order drawn anew for every model; all data at once unless named.
    json
        Print JSON, with the shares of all classes in every model.

    """
    values, progress = first_rows(_data(data), first, data), sys.stderr.isatty()
    with loaded(function) as make_model:
        found = igb.measure(make_model, values, networks, seed=seed, batch_size=batch_size, progress=progress)
    origin = {"model": function, "inputs": text(data, values)}
    if json:
        output.show_json({**origin, "batch_size": batch_size, **_as_dict(found)})
    else:
        batches = "all data in one pass" if batch_size is None else f"batches of {batch_size}"
        spec = f"{found.networks} networks of {found.n_classes} classes, {batches}, seed {found.seed}"
        output.show(*origin.values(), spec, "", _table(found))


def _data(source: str) -> Any:
    """The data set `source`; of a .npy file also integers, and more than one axis a datum."""
    if source == DIGITS:
        return read(source)
    require_torch()
    from igbtheory.torch.data import checked_data  # noqa: PLC0415 - it loads PyTorch

    array = numbers(source, "--data digits")
    try:
        return checked_data(array)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{source}: {error}") from None


def _as_dict(found: Measurement) -> dict[str, Any]:
    """The measurement as JSON has it."""
    fields = [f"{name}{suffix}" for name in NAMES for suffix in ("", "_error")]
    return {
        **{name: getattr(found, name) for name in ("networks", "samples", "n_classes", "seed", *fields)},
        "G0": {"mean": found.G0.mean(), "std": found.G0.std(ddof=1)},
        "majority": found.majority,
        "majority_error": found.majority_error,
        "shares": found.shares,
    }


def _table(found: Measurement) -> Any:
    zero = "share of class 0" if found.outputs > 1 else "share of class 0, output > 0"
    rows = [
        *([name, output.measured(getattr(found, name), getattr(found, f"{name}_error"))] for name in NAMES),
        [f"{zero}, mean", output.measured(found.G0.mean(), found.G0.std(ddof=1) / np.sqrt(found.networks))],
        # a standard deviation is known to its second digit from some hundred networks on
        ["share of class 0, sd", f"{found.G0.std(ddof=1):.2g}"],
        ["largest share, mean", output.measured(found.majority, found.majority_error)],
    ]
    return output.table(("output", "measured"), rows)
