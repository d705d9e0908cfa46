"""The versions on which the numbers of a run depend: those of its store and of its workers."""

import numpy as np

import igbtheory


def versions() -> dict[str, str]:
    """Return the versions on which the numbers of a run depend."""
    return {"igbtheory": igbtheory.__version__, "numpy": np.__version__}


class OtherVersionsError(ValueError):
    """A worker has other versions."""


def refuse_other(found: object, wanted: dict[str, str], node: str) -> None:
    """Refuse a worker whose versions are not those that are wanted."""
    if found != wanted:
        raise OtherVersionsError(f"expected workers with {wanted}, got {found} on {node}; install the same versions")
