"""The versions on which the numbers of a run depend: those of its store and of its workers."""

import hashlib
from functools import cache
from pathlib import Path

import numpy as np

import igbtheory


@cache
def versions() -> dict[str, str]:
    """Return the versions on which the numbers of a run depend; igbtheory's includes a digest of its source files."""
    return {"igbtheory": f"{igbtheory.__version__} (code {_code()})", "numpy": np.__version__}


def _code() -> str:
    """Return a digest of the package's source files, without the folders that a checkout keeps beside the package."""
    package, digest = Path(igbtheory.__file__).parent, hashlib.blake2b(digest_size=4)
    for file in sorted(package.rglob("*.py")):
        name = file.relative_to(package)
        if name.parts[0] not in {"derivations", "figures"}:
            digest.update(f"{name.as_posix()}\n".encode() + file.read_bytes())
    return digest.hexdigest()


class OtherVersionsError(ValueError):
    """A worker has other versions."""


def refuse_other(found: object, wanted: dict[str, str], node: str) -> None:
    """Refuse a worker whose versions are not those that are wanted."""
    if found != wanted:
        raise OtherVersionsError(f"expected workers with {wanted}, got {found} on {node}; install the same versions")
