"""Studies of the experiments of the papers, by name."""

from concurrent.futures import Executor
from pathlib import Path

from igbtheory.foundations import checks
from igbtheory.foundations.device import require_torch
from igbtheory.torch.studies.result import Study


def preset(
    name: str,
    *,
    quick: bool = False,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
) -> Study:
    """Return the study of an experiment of the papers: blobs, deep, digits, losses, phases, shift or imbalance.

    quick: fewer networks and data, which take less than three minutes on two cores. workers, executor, store, progress:
    as in `igbtheory.study`.

    name: that of the experiment.

    >>> igb.studies.preset("digits", quick=True).plot()    # doctest: +SKIP
    """
    require_torch()
    from igbtheory.torch.studies.presets import PRESETS  # noqa: PLC0415 - it loads PyTorch

    experiment = PRESETS[checks.known("preset", name, PRESETS)](quick=quick)
    return experiment.study(workers=workers, executor=executor, store=store, progress=progress)
