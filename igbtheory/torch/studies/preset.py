"""Studies of the experiments of the papers, by name."""

from typing import Any

from igbtheory.foundations import checks
from igbtheory.foundations.device import require_torch
from igbtheory.torch.studies.result import Study


def preset(name: str, *, quick: bool = False, **options: Any) -> Study:
    """Return the study of an experiment of the papers: blobs, deep, digits, losses, phases, shift or imbalance.

    quick: fewer networks and data, which take less than three minutes on two cores. options: workers, executor, store
    and progress, as in `igbtheory.study`.
    """
    require_torch()
    from igbtheory.torch.studies.presets import PRESETS  # noqa: PLC0415 - it loads PyTorch

    return PRESETS[checks.known("preset", name, PRESETS)](quick=quick).study(**options)
