"""The caption of a picture, from the values with which its networks were simulated and from what is drawn."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure

from igbtheory.networks.simulation.values import Ensemble
from igbtheory.presentation.pictures.marks import EXTRAPOLATED

LIMIT = (
    "Extrapolated points are no networks but their limit of infinite width: the value at 1/width = 0 of "
    "a + b/width + c/width^2 through the three widths (for a bias ratio, the ratio of two such values)."
)
HISTOGRAMS = "Histograms and bars show networks of the width given here, without extrapolation."
ERRORS = "Error bars are one standard error."
COLUMNS = 100
"""Length of a line of a caption, as editors show it without scrolling."""


@final
@dataclass(frozen=True)
class Drawn:
    """Finite networks as they were drawn: their number, their width, and the data that each network reads.

    case: tells architectures and inputs apart; of_its_own: whether every network has Gaussian data of its own.
    """

    case: str
    networks: int
    width: int
    samples: int
    of_its_own: bool = True

    @classmethod
    def by(cls, simulation: Ensemble, case: str) -> "Drawn":
        """Return the networks of a simulation."""
        return cls(case, simulation.networks, simulation.width, simulation.samples, simulation.gaussian)


def caption(title: str, about: str, drawn: Iterable[Drawn], facts: Iterable[str], figures: Iterable[Figure]) -> str:
    """Return the title, what is drawn, how it was simulated, and what its points, bars and error bars are."""
    simulated = [*_simulated(list(drawn)), *facts, *_artists(list(figures))]
    paragraphs = (f"{title}.", *about.split("\n\n"), " ".join(simulated))
    lines = (textwrap.fill(paragraph, COLUMNS, break_on_hyphens=False) for paragraph in paragraphs if paragraph)
    return "\n\n".join(lines) + "\n"


def _simulated(drawn: list[Drawn]) -> Iterator[str]:
    """Yield a sentence in which cases with as many networks of the same widths, and the same kind of data, are one."""
    widths: dict[Any, list[int]] = {}
    for one in drawn:
        widths.setdefault((one.case, one.networks, one.samples, one.of_its_own), []).append(one.width)
    kinds: dict[Any, list[int]] = {}
    for (_, networks, samples, of_its_own), wide in widths.items():
        kinds.setdefault((networks, tuple(wide), of_its_own), []).append(samples)
    told = []
    for (networks, wide, of_its_own), samples in kinds.items():
        of_width = f"each of the widths {listed(wide)}" if len(wide) > 1 else f"width {wide[0]}"
        cases = f" for each of {len(samples)} pairs of an architecture and inputs" if len(samples) > 1 else ""
        data = "datum" if samples == [1] * len(samples) else "data"
        kind = f"Gaussian {data} of its own" if of_its_own else f"given {data}"
        told.append(f"{networks} of {of_width}{cases}, each on {listed(sorted(set(samples)), 'or')} {kind}")
    if told:
        yield f"Finite networks: {'; '.join(told)}."


def _artists(figures: list[Figure]) -> Iterator[str]:
    """Yield the sentences about the artists that are there."""
    containers = [container for figure in figures for axes in figure.axes for container in axes.containers]
    if any(EXTRAPOLATED in str(container.get_label()) for container in containers):
        yield LIMIT
    for kind, sentence in ((BarContainer, HISTOGRAMS), (ErrorbarContainer, ERRORS)):
        if any(isinstance(container, kind) for container in containers):
            yield sentence


def listed(values: Sequence[Any], last: str = "and") -> str:
    """Return values as words: "96, 192 and 384"."""
    *first, end = map(str, values)
    return f"{', '.join(first)} {last} {end}" if first else end
