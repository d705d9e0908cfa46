"""The progress bar of ensembles."""

from collections.abc import Iterable, Iterator
from typing import Any


def shown(results: Iterable[Any], total: int, what: str) -> Iterator[Any]:
    """Yield the results, with a transient progress bar on standard error that counts them as `what`."""
    from rich.console import Console  # noqa: PLC0415 - most ensembles show no bar
    from rich.progress import track  # noqa: PLC0415 - as above

    yield from track(results, what, total, console=Console(stderr=True), transient=True)
