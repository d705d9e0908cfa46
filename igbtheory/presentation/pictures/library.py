"""The figures: Python files in the folder `figures/`, each with a function `compute` and a function `draw`.

The constants of a file are the parameters of its figure: names in capitals whose values are Python literals.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from matplotlib.figure import Figure

from igbtheory.foundations import checks
from igbtheory.foundations.shipped import load_file, own_folder
from igbtheory.presentation.pictures.caption import caption
from igbtheory.presentation.pictures.constants import WithValues, literal, parameters
from igbtheory.presentation.pictures.run import Run
from igbtheory.presentation.pictures.style import Style, letter

Pages = dict[str, Figure]


@final
@dataclass(frozen=True)
class Sheet:
    """A figure: compute(run) returns its data, and draw(data, style) its picture, or several pages by name.

    title, about: the first line and the rest of the docstring of its file. parameters: those that have other values
    than in the file.
    """

    name: str
    title: str
    about: str
    compute: Callable[[Run], Any]
    draw: Callable[[Any, Style], Figure | Pages]
    parameters: dict[str, Any] = field(default_factory=dict)

    def pages(self, data: Any, style: Style) -> Pages:
        """Return the pages of the figure by name, with letters at their panels; a single page has the name ""."""
        drawn = self.draw(data, style)
        pages = drawn if isinstance(drawn, dict) else {"": drawn}
        for figure in pages.values():
            letter(figure)
        return pages

    def caption(self, run: Run, pages: Pages) -> str:
        """Return the caption of the pages, whose data were computed in this run."""
        changed = (f"Here {name} = {value!r}." for name, value in self.parameters.items())
        return caption(self.title, self.about, run.drawn, [*changed, *run.facts], pages.values())


def names(folder: Path | None = None) -> list[str]:
    """Return the names of the figures in a folder, by default in the folder of the package."""
    return sorted(path.stem for path in (folder or own_folder("figures")).glob("*.py"))


def sheets(
    chosen: Sequence[str] = (), folder: Path | None = None, values: Mapping[str, str] | None = None
) -> list[Sheet]:
    """Return the figures with these names, by default all.

    folder: of Python files with figures, by default that of the package. values: literals of parameters by their names;
    each figure takes those that it has.
    ValueError: an unknown name of a figure, or of a parameter in all chosen figures (with the nearest one).
    """
    available = names(folder)
    root = folder or own_folder("figures")
    if not available:
        raise ValueError(f"expected a folder of Python files with figures, got {root}; name one with --folder")
    paths = [root / f"{checks.known('figure', name, available)}.py" for name in dict.fromkeys(chosen or available)]
    constants = {path: parameters(path) for path in paths}
    for name in values or {}:
        checks.known("parameter", name, sorted(set().union(*constants.values())))
    return [_sheet(path, constants[path], values or {}) for path in paths]


def _sheet(path: Path, constants: Mapping[str, Any], values: Mapping[str, str]) -> Sheet:
    changed = {name: literal(name, text, constants[name]) for name, text in values.items() if name in constants}
    module = load_file(path, loader=WithValues(path, changed) if changed else None)
    missing = [name for name in ("compute", "draw") if not callable(getattr(module, name, None))]
    if missing:
        raise ValueError(f"expected a function {missing[0]} in {path}; a figure is compute(run) and draw(data, style)")
    title, _, about = (module.__doc__ or path.stem).strip().partition("\n")
    return Sheet(path.stem, title.rstrip("."), about.strip(), module.compute, module.draw, changed)
