"""The versions on which the numbers of a run depend; stores and workers must have the same."""

import hashlib
from functools import cache

import numpy as np

from igbtheory.foundations import version
from igbtheory.foundations.shipped import PACKAGE


@cache
def versions() -> dict[str, str]:
    """Return the versions on which the numbers of a run depend; igbtheory's includes a digest of its source files."""
    return {"igbtheory": f"{version.VERSION} (code {_code()})", "numpy": np.__version__}


def _code() -> str:
    """Return a digest of the package's source files, except derivations and figures, which a checkout keeps outside."""
    digest = hashlib.blake2b(digest_size=4)
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE)
        if {"derivations", "figures"}.isdisjoint(name.parts):
            digest.update(f"{name.as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()


class OtherVersionsError(ValueError):
    """Raised if a worker has other versions."""


def refuse_other(installed: object, wanted: dict[str, str], node: str) -> None:
    """Refuse a worker on `node` whose versions differ from the wanted ones."""
    if installed != wanted:
        raise OtherVersionsError(
            f"expected workers with {wanted}, got {installed} on {node}; install the same versions"
        )
