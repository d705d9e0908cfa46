"""The figures: Python files in the folder `figures/`, each with a function `compute` and a function `draw`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from matplotlib.figure import Figure

from igbtheory.foundations import checks
from igbtheory.foundations.shipped import load_file, own_folder
from igbtheory.presentation.pictures.caption import caption
from igbtheory.presentation.pictures.run import Run
from igbtheory.presentation.pictures.style import Style, letter

Pages = dict[str, Figure]


@final
@dataclass(frozen=True)
class Sheet:
    """A figure: compute(run) returns its data, and draw(data, style) its picture, or several pages by name.

    title, about: the first line and the rest of the docstring of its file.
    """

    name: str
    title: str
    about: str
    compute: Callable[[Run], Any]
    draw: Callable[[Any, Style], Figure | Pages]

    def pages(self, data: Any, style: Style) -> Pages:
        """Return the pages of the figure by name, with letters at their panels; a single page has the name ""."""
        drawn = self.draw(data, style)
        pages = drawn if isinstance(drawn, dict) else {"": drawn}
        for figure in pages.values():
            letter(figure)
        return pages

    def caption(self, run: Run, pages: Pages) -> str:
        """Return the caption of the pages, whose data were computed in this run."""
        return caption(self.title, self.about, run.drawn, run.facts, pages.values())


def names(folder: Path | None = None) -> list[str]:
    """Return the names of the figures in a folder, by default in the folder of the package."""
    return sorted(path.stem for path in (folder or own_folder("figures")).glob("*.py"))


def sheets(
    chosen: Sequence[str] = (), folder: Path | None = None, changes: Mapping[str, Any] | None = None
) -> list[Sheet]:
    """Return the figures with these names, by default all.

    changes: values of constants of the figures, such as {"DEPTH": 30}. ValueError: an unknown name (with the nearest
    one), or a constant that a figure does not have or that is of another kind.
    """
    available = names(folder)
    root = folder or own_folder("figures")
    return [
        _sheet(root / f"{checks.known('figure', name, available)}.py", changes or {})
        for name in dict.fromkeys(chosen or available)
    ]


def _sheet(path: Path, changes: Mapping[str, Any]) -> Sheet:
    module = load_file(path)
    constants = {name: value for name, value in vars(module).items() if name.isupper() and _is_plain(value)}
    for name, value in changes.items():
        usual = constants[checks.known(f"constant of {path.stem}", name, constants)]
        if _kinds(value) != _kinds(usual):
            raise ValueError(
                f"expected a value like {usual!r} for {name} of {path.stem}, got {value!r}; write for example "
                f"{name}={usual}"
            )
        setattr(module, name, value)
    missing = [name for name in ("compute", "draw") if not callable(getattr(module, name, None))]
    if missing:
        raise ValueError(f"expected a function {missing[0]} in {path}; a figure is compute(run) and draw(data, style)")
    title, _, about = (module.__doc__ or path.stem).strip().partition("\n")
    return Sheet(path.stem, title.rstrip("."), about.strip(), module.compute, module.draw)


def _is_plain(value: Any) -> bool:
    """Return whether a value is a number, a text, or a tuple of them, which can be written on the command line."""
    return all(_is_plain(part) for part in value) if isinstance(value, tuple) else isinstance(value, int | float | str)


def _kinds(value: Any) -> Any:
    """Return "number" or "text", or the kinds of the parts of a tuple without repetitions, so that it may be longer."""
    if isinstance(value, tuple):
        return tuple(dict.fromkeys(_kinds(part) for part in value))
    return "text" if isinstance(value, str) else "number"
