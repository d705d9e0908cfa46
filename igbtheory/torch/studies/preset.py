"""Studies of the experiments of the papers, by name."""

from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Any

from igbtheory.foundations import checks
from igbtheory.foundations.device import require_torch
from igbtheory.torch.studies.result import Study


def preset(  # noqa: PLR0913 - the options of every run
    name: str,
    *,
    quick: bool = False,
    data: Any = None,
    labels: Any = None,
    workers: int | None = None,
    executor: Executor | str | None = None,
    store: str | Path | None = None,
    progress: bool = False,
) -> Study:
    """Return the study of an experiment of the papers: blobs, deep, digits, losses, phases, shift or imbalance.

    With models of images: cnn, resnet, mixer, mixer-shift or vit.

    name: that of the experiment. quick: fewer networks and data, which take less than four minutes on two cores. data,
    labels: images of your own, (n_samples, channels, height, width), and their labels 0, 1, ..., in the place of the
    digits, for models of images. workers, executor, store, progress: as in `igbtheory.study`.

    >>> igb.studies.preset("digits", quick=True).plot()    # doctest: +SKIP
    """
    require_torch()
    from igbtheory.torch.studies.image_presets import IMAGE_PRESETS  # noqa: PLC0415 - it loads PyTorch
    from igbtheory.torch.studies.presets import PRESETS  # noqa: PLC0415 - as above
    from igbtheory.torch.studies.tasks import images_of  # noqa: PLC0415 - as above

    experiment = PRESETS[checks.known("preset", name, PRESETS)]
    if data is not None:
        if name not in IMAGE_PRESETS:
            raise ValueError(
                f"expected data with the presets {', '.join(IMAGE_PRESETS)} only, got them with {name!r}, which has "
                "data of its own; leave them out"
            )
        experiment = partial(experiment, task=partial(images_of, data, labels))
    chosen = experiment(quick=quick)
    return chosen.study(workers=workers, executor=executor, store=store, progress=progress)
