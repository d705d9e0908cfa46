"""The settings of the page: a network and its inputs, read from the values of the controls."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from reprlib import repr as shortened
from typing import Any, final

import igbtheory as igb
from igbtheory.foundations import checks

DEEPEST = 1000
"""Largest number of hidden layers: the pictures show every one of them."""
DIGITS = 1797
"""Number of digits in the data set of the package."""
INPUTS = {"data", "shift", "first"}
"""Settings of the inputs."""
PREDICTED = {*INPUTS, "width"}
"""Settings of the prediction; the others belong to the network."""
ALWAYS = {"depth", "activation", "sigma_w2"}
"""Settings that the code always states; of the others it states those that are not the default."""


@final
@dataclass(frozen=True)
class Settings:
    """A network and its inputs, with the parameters of `igb.mlp` and `igb predict`.

    data: "digits" or None for Gaussian inputs; first: number of digits, None for all. width: that of the finite
    networks which the page shows beside infinitely wide ones, or None.
    """

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
    width: int | None = None

    def network(self) -> igb.Network:
        """Return the network."""
        return igb.mlp(**{name: value for name, value in vars(self).items() if name not in PREDICTED})

    def inputs(self) -> Any:
        """Return the inputs as the library takes them."""
        if self.data is None:
            return igb.GaussianInputs(self.shift)
        return igb.standardised(igb.digits())[: self.first]

    def python(self) -> str:
        """Return the calls in Python that make the predictions of the page, a line for each."""
        network = ", ".join(f"{name}={value!r}" for name, value in self._stated() if name not in PREDICTED)
        inputs = f"igb.GaussianInputs(shift={self.shift!r})" if self.shift else ""
        if self.data:
            inputs = "igb.standardised(igb.digits())" + (f"[:{self.first}]" if self.first else "")
        finite = ", ".join(filter(None, (inputs, f"width={self.width}")))
        return "\n".join(f"igb.mlp({network}).predict({x})" for x in ((inputs, finite) if self.width else (inputs,)))

    def command(self) -> str:
        """Return the commands for a shell that make the predictions of the page, a line for each."""
        tokens = ["igb", "predict"]
        for name, value in self._stated():
            option, text = f"--{name.replace('_', '-')}", str(value)
            tokens += [f"{option}={text}"] if text.startswith("-") else [option, text]
        infinite = shlex.join(tokens)
        return f"{infinite}\n{infinite} --width {self.width}" if self.width else infinite

    def _stated(self) -> list[tuple[str, Any]]:
        """Return the settings that the code states, without the width."""
        stated = ((name, x) for name, x in vars(self).items() if name != "width")
        return [(name, x) for name, x in stated if name in ALWAYS or x != DEFAULTS[name]]


def idle(raw: Mapping[str, Any]) -> set[str]:
    """Return the controls without effect, such as the placement of a norm if there is no norm."""
    unnormed = set() if raw["norm"] else {"placement"}
    unbatched = set() if raw["norm"] == "batch" else {"batch_size"}
    return unnormed | unbatched | ({"shift"} if raw["data"] else {"first"})


def read(raw: Mapping[str, Any]) -> tuple[Settings | None, dict[str, str]]:
    """Return the settings, and the errors by control; the settings are None if there are errors.

    raw: values of the controls, texts or numbers; the value of an empty field is "".
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
    """Return the value as a checked number."""
    try:
        number = float(value)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"expected the {name} to be a number, got {shortened(value)}; write one such as 2") from None
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
"""Names of controls in error messages, where they differ from the name of the setting."""
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
    "width": partial(_optional, least=2),
}
"""Functions of a name and a value that read the value of each control."""
