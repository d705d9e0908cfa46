"""Settings of Hypothesis: new examples in each local run, the same ones in each run of CI. Fixtures."""

import os

import pytest
from hypothesis import settings

from igbtheory.layers.nodes import control_variates, draws

settings.register_profile("any", deadline=None, max_examples=40)
settings.register_profile("ci", settings.get_profile("any"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "any")


def draw_less(patch: pytest.MonkeyPatch, times: int = 4) -> None:
    """Estimate layers from so many times fewer draws than usual; their errors grow accordingly."""
    patch.setattr(draws, "NUMBERS", draws.NUMBERS // times)
    patch.setattr(control_variates, "VALUES", control_variates.VALUES // times)


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimate layers from a quarter of the usual draws."""
    draw_less(monkeypatch)
