"""Which options stand on the command line: one may be given with its default value, which then is no default."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from typing import Any

_NAMES: ContextVar[frozenset[str]] = ContextVar("names of options on the command line", default=frozenset())


@contextmanager
def command_line(tokens: Sequence[str]) -> Iterator[None]:
    """Let `given` know the options among the tokens of a command."""
    names = (token.partition("=")[0].replace("_", "-") for token in tokens if token.startswith("--"))
    before = _NAMES.set(frozenset(names))
    try:
        yield
    finally:
        _NAMES.reset(before)


def given(options: Any, group: type) -> list[str]:
    """Return the options of a group that are given, as they are written."""
    names = {f"--{one.name.replace('_', '-')}": one for one in fields(group)}
    return [name for name, one in names.items() if name in _NAMES.get() or getattr(options, one.name) != one.default]
