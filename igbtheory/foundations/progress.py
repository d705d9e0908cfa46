"""Progress of long work: its loops tell which share is done, and a bar on the terminal shows it and the time left."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from typing import Any, TypeVar, final

T = TypeVar("T")

PATIENCE = 1.0
"""Seconds of work behind which a bar appears: shorter work needs none, and Rich itself takes a tenth to load."""
BETWEEN = 0.1
"""Smallest time in seconds between two updates of a bar: nobody reads faster."""


@final
@dataclass(frozen=True)
class Listener:
    """Who listens to the progress of the work around.

    tell: takes the finished share of the work and the description of what is done; show: takes a first result.
    """

    tell: Callable[[float, str], None]
    show: Callable[[str], None]


_LISTENER: ContextVar[Listener | None] = ContextVar("_LISTENER", default=None)


def counted(items: Iterable[T], total: int, what: str = "") -> Generator[T]:
    """Yield the items, and tell who listens how many of the `total` are done; loops inside count as shares of one.

    what: a description of the items; that of an outer loop is preferred.
    """
    if _LISTENER.get() is None:
        yield from items
        return
    iterator = iter(items)
    for number in range(total):
        with share(number / total, (number + 1) / total, what):
            yield from islice(iterator, 1)


@contextmanager
def share(begin: float, end: float, what: str = "") -> Iterator[None]:
    """Count the work in this context as the share from begin to end, between 0 and 1, of the work around it."""
    outer = _LISTENER.get()
    if outer is None:
        yield
        return

    def tell(done: float, text: str) -> None:
        outer.tell(begin + done * (end - begin), what or text)

    tell(0.0, "")
    with heard_by(replace(outer, tell=tell)):
        yield


def show_first(result: Any) -> None:
    """Show a result above the bar, if there is one, until the work is done."""
    if listener := _LISTENER.get():
        listener.show(str(result))


@contextmanager
def progress_bar(*, wanted: bool = True) -> Iterator[None]:
    """Show a bar on standard error, if it is a terminal, while the work in this context takes long.

    wanted: False shows none. A bar in the context of another one adds nothing.
    """
    if not wanted or _LISTENER.get() is not None:
        yield
        return
    with ExitStack() as shown:
        bar = _Bar(shown)
        with heard_by(Listener(bar.tell, bar.show)):
            yield


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Tell this listener of the work in this context."""
    outer = _LISTENER.get()
    _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.set(outer)


@final
class _Bar:
    """A bar that appears when its work takes long, and a first result above it. shown: ends its display."""

    def __init__(self, shown: ExitStack) -> None:
        self.shown = shown
        self.begun = monotonic()
        self.due = self.begun + PATIENCE
        self.live: Any = None
        self.bar: Any = None

    def tell(self, done: float, text: str) -> None:
        """Move the bar, unless it moved just now."""
        if monotonic() > self.due:
            self._open()
            # two loops in a row of the same work begin at the same share, and the bar waits for the second
            self.bar.update(0, completed=max(done, self.bar.tasks[0].completed), description=text)
            self.live.refresh()
            self.due = monotonic() + BETWEEN

    def show(self, text: str) -> None:
        """Show a text above the bar."""
        from rich.console import Group  # noqa: PLC0415 - as below
        from rich.text import Text  # noqa: PLC0415 - as below

        self._open()
        self.live.update(Group(Text(text), Text(), self.bar), refresh=True)

    def _open(self) -> None:
        """Begin the display if it has not begun."""
        if self.live is not None:
            return
        from rich import progress  # noqa: PLC0415 - most work shows no bar
        from rich.console import Console  # noqa: PLC0415 - as above
        from rich.live import Live  # noqa: PLC0415 - as above

        console = Console(stderr=True)
        work = progress.TextColumn("{task.description}"), progress.BarColumn(), progress.TaskProgressColumn()
        remaining = progress.TextColumn("left"), progress.TimeRemainingColumn()
        elapsed = progress.TextColumn("elapsed"), progress.TimeElapsedColumn()
        self.bar = progress.Progress(*work, *remaining, *elapsed, console=console)
        self.bar.add_task("", total=1.0)
        self.bar.tasks[0].start_time = self.begun
        # no thread redraws the bar, because a fork would copy the locks of the thread but not the thread; on a
        # terminal, lines that the command prints appear above the bar
        options: Any = {"transient": True, "auto_refresh": False, "redirect_stdout": sys.stdout.isatty()}
        self.live = self.shown.enter_context(Live(self.bar, console=console, **options))
