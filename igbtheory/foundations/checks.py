"""Checks of user input. Every error says what was expected, what was passed and what to do."""

import sys
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral
from reprlib import repr as shortened
from typing import Any

import numpy as np

LARGEST = 2**53
"""Largest number of units or data: double precision represents every whole number up to it."""
DEEPEST = 10_000_000
"""Largest number of repeated layers, whose tuple takes 80 MB."""
LISTED = 60
"""Largest number of names that an error message lists."""
DATA = {
    **dict.fromkeys(("data", "images", "image", "pixel_values", "features"), "labels"),
    "x": "y",
    "x_train": "y_train",
    "inputs": "targets",
}
"""Names of data, in lower case, and the usual name of their labels."""
REMEDIES = {
    "sigma_w2": "pass a variance such as 2.0",
    "sigma_b2": "pass a variance such as 0.1, or 0.0 for no biases",
    "variance": "pass a variance such as 1.0",
    "eps": "pass a small number such as 1e-5, or 0.0",
    "gamma": "pass a ratio of variances such as 2.0",
    "temperature": "pass a number such as 1.0",
    "seconds": "pass a time such as 120.0",
    "width": "pass a number of units such as 100",
    "features": "pass a number of units such as 100",
    "experts": "pass a number of experts such as 8",
    "top": "pass the number of experts that a token takes, such as 2",
    "positions": "pass a number of positions such as 1000",
}
"""Advice for each parameter on what to pass instead."""


def is_symbolic(value: Any) -> bool:
    """Return whether a value is a SymPy expression with symbols, without loading SymPy."""
    return bool(getattr(value, "free_symbols", None))


def non_negative(name: str, value: Any) -> None:
    """Refuse a `value` (number or array) that is not finite and at least 0; a SymPy symbol is accepted."""
    if is_symbolic(value):
        return
    numbers = _as_floats(name, value)
    wrong = numbers[~(np.isfinite(numbers) & (numbers >= 0))]
    if wrong.size:
        raise ValueError(f"expected {name} >= 0 and finite, got {wrong[0]}; {REMEDIES.get(name, 'pass such a number')}")


def variance(name: str, value: Any, of: str) -> None:
    """Refuse a parameter of the layer `of` that is not one number, finite and at least 0."""
    non_negative(name, value)
    if np.ndim(value):
        raise ValueError(
            f"expected {name} of {of} to be one number, got an array of shape {np.shape(value)}; loop over its values"
        )


def numeric(name: str, value: Any, remedy: str = "call derive(), which keeps symbols") -> None:
    """Refuse a SymPy expression with symbols for a parameter that must be a number."""
    if is_symbolic(value):
        raise TypeError(f"expected {name} to be a number, got the SymPy expression {value}; pass a number, or {remedy}")


def epsilon(value: Any) -> None:
    """Refuse an eps of a norm that is not one number, finite and at least 0."""
    variance("eps", value, "a norm")


def finite(name: str, value: Any) -> None:
    """Refuse a `value` (number or array) that is infinite or NaN; a SymPy symbol is accepted."""
    if is_symbolic(value):
        return
    numbers = _as_floats(name, value)
    wrong = numbers[~np.isfinite(numbers)]
    if wrong.size:
        raise ValueError(f"expected {name} to be finite, got {wrong[0]}; pass a real number")


def sweep(value: Any) -> Any:
    """Return a parameter, copied if it is an array, so that changing the original array does not change a network."""
    return np.array(value) if np.ndim(value) else value


def broadcast(what: str, named: Iterable[tuple[str, Any]]) -> tuple[int, ...]:
    """Return the shape of a sweep over several values, each with its name or ""; shapes must broadcast."""
    shapes = {f"{name} {np.shape(value)}".strip(): np.shape(value) for name, value in named}
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise ValueError(
            f"expected {what} whose shapes broadcast, got {', '.join(shapes)}; give one of them an axis more, as in "
            "a[:, None]"
        ) from None


def unmasked(name: str, value: Any) -> Any:
    """Return the value, or a PyTorch tensor detached from its gradients and moved to the CPU; refuse masked arrays."""
    masked = sys.modules.get("numpy.ma")  # it loads slowly, and without it there are no masked arrays
    if masked is not None and isinstance(value, masked.MaskedArray):
        raise TypeError(
            f"expected {name} without a mask, got a masked array, whose hidden entries would count; drop or fill them, "
            "for example with x.filled(0.0)"
        )
    if not hasattr(value, "detach"):
        return value
    value = dense(value).cpu()
    # NumPy does not know this type
    return value.float() if str(getattr(value, "dtype", "")) == "torch.bfloat16" else value


def dense(tensor: Any) -> Any:
    """Return a tensor of PyTorch, detached from its gradients, with its zeros if it is sparse."""
    return tensor.detach().to_dense() if "sparse" in str(getattr(tensor, "layout", "")) else tensor.detach()


def _as_floats(name: str, value: Any) -> Any:
    value = unmasked(name, value)
    try:
        array = np.asarray(value)
        numbers = np.ravel(array).astype(float) if array.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        numbers = None
    if numbers is None or value is None or any(isinstance(entry, bool | str) for entry in np.ravel(array)):
        raise TypeError(f"expected {name} to be a real number in double range or an array of them, got {value!r}")
    if not numbers.size:
        raise ValueError(f"expected {name} to be a number or a sweep of numbers, got an empty one")
    return numbers


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return `value` as an int; refuse it if it is not whole, below `least` or above `most`; accept a SymPy symbol."""
    if is_symbolic(value):
        return value  # type: ignore[no-any-return]
    advice = f"; {REMEDIES[name]}" if name in REMEDIES else ""
    if isinstance(value, bool) or not isinstance(value, Integral | float | np.floating):
        raise TypeError(f"expected {name} to be a whole number, got {value!r}{advice}")
    if not isinstance(value, Integral) and not float(value).is_integer():
        raise ValueError(f"expected {name} to be a whole number, got {value!r}; round it first")
    if value < least:
        raise ValueError(f"expected {name} >= {least}, got {shortened(value)}{advice}")
    if most is not None and int(value) > most:
        raise ValueError(f"expected {name} <= {most}, got {shortened(value)}")
    return int(value)


def counted(name: str, value: Any, least: int, most: int | None = None, *, variance: str = "") -> int:
    """Return a whole number that makes a layer, such as a stride; refuse a float, which may be meant for a variance.

    variance: the name of a variance of the layer, for the error.
    """
    if isinstance(value, float | np.floating):
        near = max(least, round(value)) if np.isfinite(value) else least
        other = f", or {variance}={value} for the variance of the weights" if variance else ""
        raise TypeError(f"expected {name} to be a whole number, got the float {value}; pass {name}={near}{other}")
    return whole(name, value, least, most)


def several(name: str, values: Any, example: str) -> tuple[Any, ...]:
    """Return the values in a tuple; refuse what is no sequence of them, and an empty one.

    example: a right argument in words, for the error.
    """
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"expected {name} to be a sequence, got {shortened(values)}; pass for example {example}")
    collected = tuple(values)
    if not collected:
        raise ValueError(f"expected {name}, got an empty sequence; pass for example {example}")
    return collected


def seconds(value: Any) -> None:
    """Refuse a time that is not one number above 0."""
    variance("seconds", value, "a run")
    if not value > 0:
        raise ValueError(f"expected seconds > 0, got {value}; {REMEDIES['seconds']}")


def of_kind(name: str, value: Any, kinds: type | tuple[type, ...], example: str) -> None:
    """Refuse a value that is of none of the kinds; example: a right argument in words, for the error."""
    if not isinstance(value, kinds):
        raise TypeError(f"expected {name}, got {shortened(value)}; pass for example {example}")


def flag(name: str, value: Any) -> bool:
    """Return a value that is True or False; refuse others, of which an array has no truth value."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"expected {name} to be True or False, got {shortened(value)}; pass for example {name}=True")
    return bool(value)


def shares(name: str, value: Any, example: str) -> tuple[float, float]:
    """Return an interval (low, high) of shares, 0 <= low < high <= 1; example: a right one in words, for the error."""
    if np.shape(value) != (2,):
        raise ValueError(f"expected {name} (low, high) of shares, got {shortened(value)}; pass for instance {example}")
    finite(name, value)
    low, high = float(value[0]), float(value[1])
    if not 0 <= low < high <= 1:
        raise ValueError(f"expected {name} 0 <= low < high <= 1, got ({low:g}, {high:g}); pass for instance {example}")
    return low, high


def network(value: Any) -> Any:
    """Return the value if it is a network, which has layers; refuse it otherwise."""
    if not hasattr(value, "layers"):
        raise TypeError(f"expected a network, got {shortened(value)}; pass one such as igb.mlp(3)")
    return value


def makes_models(make_model: Any) -> None:
    """Refuse what is no function that makes models of PyTorch."""
    if not callable(make_model):
        raise TypeError(
            f"expected make_model to be a function or a class, got {type(make_model).__name__}; pass the model's "
            "class, or a function that makes a new one"
        )


def generator(random_state: Any) -> np.random.Generator:
    """Return the generator of random numbers for a seed, a generator, or None: a new one."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise TypeError(
            f"expected random_state to be a whole number from 0 on, a generator or None, got {shortened(random_state)}"
        ) from None


def shape_of(size: Any, default: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the argument `size` of NumPy's generators as a shape: None (the default), a number, or a shape."""
    if size is None:
        return default
    return tuple(whole("size", each, 0) for each in (size if np.iterable(size) else (size,)))


def known(kind: str, name: Any, names: Iterable[str], many: str = "") -> str:
    """Return `name` if it is one of `names`; otherwise the error suggests the most similar one.

    kind: what the names denote. many: what the error says about the names if there are too many to list.
    """
    names = tuple(names)
    if isinstance(name, str) and name in names:
        return name
    near = nearest(str(name), names, 0.6)
    hint = f"; did you mean {near!r}?" if near else ";"
    listed = f"known: {', '.join(names)}" if len(names) <= LISTED else f"{many or len(names)} are known"
    raise ValueError(f"unknown {kind} {name if isinstance(name, str) else shortened(name)!r}{hint} {listed}")


def nearest(name: str, names: Iterable[str], cutoff: float) -> str | None:
    """Return the most similar of `names`, or None if every similarity is below `cutoff`.

    A name with the same letters in another order comes first.
    """
    lower = {candidate.lower(): candidate for candidate in names}
    same = [candidate for candidate in lower if sorted(candidate) == sorted(name.lower())]
    near = same or get_close_matches(name.lower(), lower, n=1, cutoff=cutoff)
    return lower[near[0]] if near else None
