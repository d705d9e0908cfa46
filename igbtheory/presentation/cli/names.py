"""The names that a shell completes: they are computed when the user presses the key, without what is slow to load."""

import re
from typing import Any


def activations(_: Any) -> list[str]:
    """Return the names of the activations."""
    from igbtheory.mathematics.formulas.catalogue import FUNCTIONS  # noqa: PLC0415 - --help must not load NumPy

    return list(FUNCTIONS)


def figures(_: Any) -> list[str]:
    """Return the names of the figures of the package."""
    from igbtheory.foundations.shipped import own_folder  # noqa: PLC0415 - commands need it rarely

    return sorted(path.stem for path in own_folder("figures").glob("*.py"))


def claims(_: Any) -> list[str]:
    """Return the ids of the claims of the papers, as their files write them: to run these would take seconds."""
    from igbtheory.foundations.shipped import own_folder  # noqa: PLC0415 - as above

    files = sorted(own_folder("derivations").glob("*.py"))
    ids = dict.fromkeys(name for file in files for name in re.findall(r'"([A-Z]-[^"\n]*)"', file.read_text("utf-8")))
    return [*dict.fromkeys(name[0] for name in ids), *ids]
