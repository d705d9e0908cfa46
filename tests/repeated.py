"""Mark repetitive cases of a test as slow, so that only .ci/run runs them."""

from collections.abc import Iterable
from typing import Any

import pytest


def every_second(cases: Iterable[Any]) -> list[Any]:
    """Return the cases with every second one marked slow; a case of several parameters is a tuple."""
    return [slow(case) if i % 2 else case for i, case in enumerate(cases)]


def slow(case: Any) -> Any:
    """Return a case marked slow."""
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
