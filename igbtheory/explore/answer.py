"""The page's answer to what its controls say: errors beside the controls, or pictures and the lines that give them."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

from igbtheory.explore import lines, panels
from igbtheory.explore.panels import Panel
from igbtheory.explore.settings import Settings, read

WIDTH, SAMPLES = 100, 500
"""The width of finite networks, and their data where those are Gaussian."""

KEPT = "The pictures are those of the last values that could be read; please correct the marked ones."


@final
@dataclass(frozen=True)
class Contents:
    """What the page shows: errors by the name of their control; a message; panels by name, none where it is refused."""

    errors: dict[str, str] = field(default_factory=dict)
    message: str = ""
    panels: dict[str, Panel] = field(default_factory=dict)
    python: str = ""
    command: str = ""


def answer(raw: Mapping[str, Any], networks: int = 0) -> Contents:
    """Return the contents for the values of the controls, with so many finite networks beside the theory.

    What the library refuses gives no panels, but its message; what it warns of stands in the message.
    """
    settings, errors = read(raw)
    if settings is None:
        return Contents(errors, KEPT)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = _panels(settings, networks)
        except (ValueError, TypeError) as error:
            return Contents(message=f"No prediction, the pictures are the last ones: {error}")
    said = " ".join(dict.fromkeys(str(warning.message) for warning in caught))
    return Contents({}, said, found, lines.python(settings), lines.command(settings))


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
