"""Results on standard output: text for people, JSON for machines."""

import json
import math
import sys
from contextlib import AbstractContextManager
from typing import Any

from igbtheory.text import number


def show(*lines: str) -> None:
    """Print lines, and texts of several lines, on standard output."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def working(what: str) -> AbstractContextManager[Any]:
    """Return a context that shows on standard error, where that is a terminal, that the command is at work."""
    from rich.console import Console  # noqa: PLC0415 - most commands need none

    return Console(stderr=True).status(what)


def tell(text: str) -> None:
    """Print a line on standard error, which shows at once."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def show_json(values: dict[str, Any] | list[dict[str, Any]], digits: int = 17) -> None:
    """Print a JSON object or a list of them; numbers that JSON cannot hold (inf, nan, many digits) become strings."""
    sys.stdout.write(json.dumps(_plain(values, digits), indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def _plain(value: Any, digits: int) -> Any:
    """Return what JSON can hold of a value: NumPy arrays become lists, their numbers Python's."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _plain(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, digits) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if value is None or isinstance(value, str | bool | int) else number(value, digits)
