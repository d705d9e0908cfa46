"""Printing: networks, whose repeated layers are written once with their number, and tables of text."""

from collections.abc import Sequence

from igbtheory.layers import Layer

LONGEST_BLOCK = 12


def runs(layers: Sequence[Layer]) -> list[tuple[int, tuple[Layer, ...]]]:
    """Blocks of layers with the number of times each repeats, by the longest run at every place."""
    found: list[tuple[int, tuple[Layer, ...]]] = []
    place = 0
    while place < len(layers):
        candidates = ((_repeats(layers, place, size), size) for size in range(1, LONGEST_BLOCK + 1))
        count, size = max(((n, size) for n, size in candidates if n > 1), key=lambda r: r[0] * r[1], default=(1, 1))
        found.append((count, tuple(layers[place : place + size])))
        place += count * size
    return found


def _repeats(layers: Sequence[Layer], place: int, size: int) -> int:
    names = tuple(layers[place : place + size])
    count = 1
    while tuple(layers[place + count * size : place + (count + 1) * size]) == names:
        count += 1
    return count


def layers_text(layers: Sequence[Layer]) -> str:
    """Layers as Python writes them: "*(Dense(2.0), Activation('relu')) * 20, Dense(2.0)"."""
    parts = []
    for count, block in runs(layers):
        inner = ", ".join(map(repr, block))
        parts.append(inner if count == 1 else f"*({inner}{',' * (len(block) == 1)}) * {count}")
    return ", ".join(parts)


def layers_latex(layers: Sequence[Layer]) -> str:
    """Layers as a chain of formulas for a notebook."""
    parts = []
    for count, block in runs(layers):
        inner = r" \to ".join(rf"\left[{layer.latex()}\right]" for layer in block)
        parts.append(inner if count == 1 else rf"\Big({inner}\Big)^{{{count}}}")
    return r"$\displaystyle x \to " + r" \to ".join(parts) + "$"


def aligned(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with a head as text; its first column is flush left, the others are flush right."""
    lines = [list(columns), *map(list, rows)]
    sizes = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ([line[0].ljust(sizes[0]), *map(str.rjust, line[1:], sizes[1:])] for line in lines)
    return "\n".join("  ".join(cells) for cells in padded)
