"""The progress bar of long runs."""

import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

BETWEEN = 0.1
"""Smallest time in seconds between two updates of a bar: nobody reads faster."""


@contextmanager
def progress_bar() -> Iterator[Callable[[float, str], None]]:
    """Show a bar on a terminal; yield a function that takes the finished share of the work and its description."""
    from rich import progress  # noqa: PLC0415 - most work shows no bar
    from rich.console import Console  # noqa: PLC0415 - as above

    console = Console(stderr=True)
    work = progress.TextColumn("{task.description}"), progress.BarColumn(), progress.TaskProgressColumn()
    left = progress.TextColumn("left"), progress.TimeRemainingColumn()
    elapsed = progress.TextColumn("elapsed"), progress.TimeElapsedColumn()
    # no thread redraws the bar, because a fork would copy the locks of the thread but not the thread; on a terminal,
    # lines that the command prints appear above the bar
    options: Any = {"transient": True, "auto_refresh": False, "disable": not console.is_terminal}
    options["redirect_stdout"] = sys.stdout.isatty()
    with progress.Progress(*work, *left, *elapsed, console=console, **options) as bar:
        task, drawn = bar.add_task("beginning", total=1.0), 0.0

        def advanced(done: float, text: str) -> None:
            nonlocal drawn
            bar.update(task, completed=done, description=text)
            if monotonic() > drawn + BETWEEN:
                bar.refresh()
                drawn = monotonic()

        yield advanced


def shown(results: Iterable[Any], total: int, what: str) -> Generator[Any]:
    """Yield the results, with a bar labelled `what` if standard error is a terminal."""
    with progress_bar() as advanced:
        for number, result in enumerate(results, 1):
            advanced(number / total, what)
            yield result
