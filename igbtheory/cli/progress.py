"""The progress bar of commands that take their time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn


@contextmanager
def progress_bar() -> Iterator[Callable[[float, str], None]]:
    """Show a bar on a terminal; the function to call with the part of the work that is done and what is being done."""
    console = Console(stderr=True)
    work = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    times = TextColumn("left"), TimeRemainingColumn(), TextColumn("elapsed"), TimeElapsedColumn()
    # no thread of its own, which processes that are forked would inherit half of
    bar = Progress(*work, *times, console=console, transient=True, auto_refresh=False, disable=not console.is_terminal)
    with bar:
        task = bar.add_task("beginning", total=1.0)
        yield lambda done, text: bar.update(task, completed=done, description=text, refresh=True)
