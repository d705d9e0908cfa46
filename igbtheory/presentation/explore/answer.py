"""The answer of the page to the values of its controls: errors, or pictures with the code that reproduces them."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import igbtheory as igb
from igbtheory.networks.width.result import WidthPrediction
from igbtheory.presentation.explore import panels
from igbtheory.presentation.explore.panels import Panel, beside
from igbtheory.presentation.explore.settings import Settings, read

WIDTH, SAMPLES = 100, 500
"""Width of the finite networks by default, and their number of data if the inputs are Gaussian."""
KEPT = "The pictures are those of the last values that could be read; please correct the marked ones."


@final
@dataclass(frozen=True)
class Contents:
    """What the page shows: errors by control, a message, panels by name (none after an error), and the code."""

    errors: dict[str, str] = field(default_factory=dict)
    message: str = ""
    panels: dict[str, Panel] = field(default_factory=dict)
    python: str = ""
    command: str = ""
    pinned: str = ""


def answer(raw: Mapping[str, Any], networks: int = 0, pinned: Mapping[str, Any] | None = None) -> Contents:
    """Return the contents for the values of the controls; networks: number of finite networks to simulate.

    pinned: the values of the controls of another network, which the panels show beside this one.
    An error of the library becomes the message, without panels. Its warnings become the message beside the panels.
    """
    settings, errors = read(raw)
    if settings is None:
        return Contents(errors, KEPT)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            panels, kept = _panels(settings, networks), ""
            if pinned is not None:
                panels, kept = _with_pinned(panels, pinned)
        except (ValueError, TypeError) as error:
            return Contents(message=f"No prediction, the pictures are the last ones: {error}")
    said = " ".join(dict.fromkeys(str(warning.message) for warning in caught))
    return Contents({}, said, panels, settings.python(), settings.command(), kept)


def _with_pinned(panels: dict[str, Panel], pinned: Mapping[str, Any]) -> tuple[dict[str, Panel], str]:
    """Return the panels with the pinned network beside theirs, and its command, or why the panels are without it."""
    settings, errors = read(pinned)
    if settings is None:
        return panels, f"Nothing is pinned: {' '.join(errors.values())}"
    try:
        there = _panels(settings, 0)
    except (ValueError, TypeError) as error:
        return panels, f"Nothing is pinned: {error}"
    return {name: beside(panel, there[name]) for name, panel in panels.items()}, f"Pinned: {settings.command()}"


def _panels(settings: Settings, networks: int) -> dict[str, Panel]:
    network, inputs = settings.network(), settings.inputs()
    prediction, width = network.predict(inputs), settings.width
    narrow = None if width is None else _narrow(network, inputs, width)
    drawn = network.simulate(networks, width or WIDTH, SAMPLES, inputs=inputs, workers=1) if networks else None
    return {
        "law": panels.law(prediction, narrow, drawn),
        "ratio": panels.ratio(prediction, narrow, drawn),
        "correlation": panels.correlation(prediction),
        "place": panels.place(settings),
        "growth": panels.growth(settings, inputs),
        "classes": panels.classes(prediction),
    }


def _narrow(network: igb.Network, inputs: Any, width: int) -> WidthPrediction | None:
    """Return the prediction at finite width, or warn why there is none; that of infinite width is shown anyway."""
    try:
        return network.predict(inputs, width=width)
    except ValueError as error:
        warnings.warn(f"Infinite width only: {error}", stacklevel=2)
        return None
