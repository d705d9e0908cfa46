"""The answer of the page to the values of its controls: errors, or pictures with the code that reproduces them."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from igbtheory.presentation.explore import panels
from igbtheory.presentation.explore.panels import Panel
from igbtheory.presentation.explore.settings import Settings, read

WIDTH, SAMPLES = 100, 500
"""Width of the finite networks, and their number of data if the inputs are Gaussian."""
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


def answer(raw: Mapping[str, Any], networks: int = 0) -> Contents:
    """Return the contents for the values of the controls; networks: number of finite networks to simulate.

    An error of the library becomes the message, without panels. Its warnings become the message beside the panels.
    """
    settings, errors = read(raw)
    if settings is None:
        return Contents(errors, KEPT)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            panels = _panels(settings, networks)
        except (ValueError, TypeError) as error:
            return Contents(message=f"No prediction, the pictures are the last ones: {error}")
    said = " ".join(dict.fromkeys(str(warning.message) for warning in caught))
    return Contents({}, said, panels, settings.python(), settings.command())


def _panels(settings: Settings, networks: int) -> dict[str, Panel]:
    network, inputs = settings.network(), settings.inputs()
    prediction = network.predict(inputs)
    drawn = network.simulate(networks, WIDTH, SAMPLES, inputs=inputs, workers=1) if networks else None
    return {
        "law": panels.law(prediction, drawn),
        "ratio": panels.ratio(prediction, drawn),
        "correlation": panels.correlation(prediction),
        "place": panels.place(settings),
        "growth": panels.growth(settings, inputs),
        "classes": panels.classes(prediction),
    }
