"""Cases of a test that repeat it: some always run, and the others are marked slow, for .ci/run alone."""

from collections.abc import Iterable
from typing import Any

import pytest


def every_second(cases: Iterable[Any]) -> list[Any]:
    """Return the cases, each second of them marked slow; those of several parameters are tuples."""
    return [slow(case) if i % 2 else case for i, case in enumerate(cases)]


def slow(case: Any) -> Any:
    """Return a case marked slow."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
