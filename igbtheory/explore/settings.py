"""What the controls of the page say: a network and its inputs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, final

import igbtheory as igb
from igbtheory import checks

DEEPEST = 1000
"""Hidden layers at most: the pictures show every one of them."""
DIGITS = 1797
"""Digits that the package has."""
INPUTS = {"data", "shift", "first"}
"""Names of what is of the inputs, and not of the network."""


@final
@dataclass(frozen=True)
class Settings:
    """A network and its inputs, with the names of `igb.mlp` and of `igb predict`; data: "digits", the `first` ones."""

    depth: int = 3
    activation: str = "relu"
    sigma_w2: float = 2.0
    sigma_b2: float = 0.0
    norm: str | None = None
    placement: str = "before"
    batch_size: int | None = None
    pool: int | None = None
    data: str | None = None
    shift: float = 0.0
    first: int | None = None

    def network(self) -> igb.Network:
        """Return the network."""
        return igb.mlp(**{name: value for name, value in vars(self).items() if name not in INPUTS})

    def inputs(self) -> Any:
        """Return the inputs as the library takes them."""
        if self.data is None:
            return igb.GaussianInputs(self.shift)
        return igb.standardised(igb.digits())[: self.first]


def idle(raw: Mapping[str, Any]) -> set[str]:
    """Return the controls that say nothing beside the others, such as the placement of no norm."""
    unnormed = set() if raw["norm"] else {"placement"}
    unbatched = set() if raw["norm"] == "batch" else {"batch_size"}
    return unnormed | unbatched | ({"shift"} if raw["data"] else {"first"})


def read(raw: Mapping[str, Any]) -> tuple[Settings | None, dict[str, str]]:
    """Return the settings that the values of the controls mean, and none with an error for each control at fault.

    raw: texts or numbers, "" where a field is empty; a wrong formula gets the message of the formula reader.
    """
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for name in READERS.keys() - idle(raw):
        try:
            values[name] = READERS[name](NAMES.get(name, name), raw[name])
        except (ValueError, TypeError) as error:
            errors[name] = str(error)
    return (None, errors) if errors else (Settings(**values), {})


def _number(name: str, value: Any, check: Callable[[str, Any], None] = checks.finite) -> float:
    """Return a number, which may be a text."""
    try:
        number = float(value)
    except ValueError:
        raise ValueError(f"expected the {name} to be a number, got {value!r}; write one such as 2") from None
    check(name, number)
    return number


def _whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    return checks.whole(name, _number(name, value), least, most)


def _optional(name: str, value: Any, least: int, most: int | None = None) -> int | None:
    return None if value == "" else _whole(name, value, least, most)


def _function(_: str, value: str) -> str:
    igb.Activation(value)
    return value


def _choice(_: str, value: Any) -> Any:
    return value or None


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Settings)}
NAMES = {
    "sigma_w2": "variance",
    "sigma_b2": "variance",
    "batch_size": "batch size",
    "pool": "number of units",
    "first": "number of digits",
}
"""Names of controls in messages, which stand beside their labels."""
READERS: dict[str, Callable[[str, Any], Any]] = {
    "depth": partial(_whole, least=1, most=DEEPEST),
    "activation": _function,
    "sigma_w2": partial(_number, check=checks.non_negative),
    "sigma_b2": partial(_number, check=checks.non_negative),
    "norm": _choice,
    "placement": _choice,
    "batch_size": partial(_optional, least=2),
    "pool": partial(_optional, least=1),
    "data": _choice,
    "shift": _number,
    "first": partial(_optional, least=2, most=DIGITS),
}
"""How the value of each control is read."""
