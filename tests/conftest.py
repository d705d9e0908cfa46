"""Settings of Hypothesis: the same examples in each run, by default. Options and fixtures."""

import gc
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the processes of a run share the cores: threads wait for each other

from zlib import crc32

import pytest
from hypothesis import settings

from igbtheory.layers.nodes import control_variates, draws
from igbtheory.theory import worlds as few_weights

gc.disable()  # until all tests are collected, which are kept until the end
settings.register_profile("random", deadline=None, max_examples=20)
settings.register_profile("same", settings.get_profile("random"), derandomize=True)
settings.load_profile("same")  # whoever runs the command of the README sees what CI saw


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --part K/N, which runs one of N parts of the chosen tests, as .ci/run does with the slow ones."""
    parser.addoption("--part", default="0/1", metavar="K/N", help="run part K of N of the tests, K = 0, ..., N - 1")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of other parts; a test stays in its part when others are added."""
    part, parts = map(int, config.getoption("--part").split("/"))
    others = {item for item in items if crc32(item.nodeid.encode()) % parts != part % parts}
    config.hook.pytest_deselected(items=list(others))
    items[:] = [item for item in items if item not in others]


def pytest_collection_finish() -> None:
    """Leave tests and modules out of garbage collections, which took an eighth of the time, and collect more rarely."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(20_000, 20, 100)


def draw_less(patch: pytest.MonkeyPatch, times: int = 4) -> None:
    """Estimate layers from so many times fewer draws than usual; their errors grow accordingly."""
    patch.setattr(draws, "NUMBERS", draws.NUMBERS // times)
    patch.setattr(control_variates, "VALUES", control_variates.VALUES // times)


def average_fewer(patch: pytest.MonkeyPatch, worlds: int) -> None:
    """Average predictions over so many worlds of few weights; their errors grow accordingly."""
    patch.setattr(few_weights, "WORLDS", worlds)
    patch.setattr(few_weights, "MOST_WORLDS", worlds)


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimate layers from a quarter of the usual draws."""
    draw_less(monkeypatch)
