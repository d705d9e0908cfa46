"""Networks as text and as formulas; repeated layers are written once, with the number of repetitions."""

from collections.abc import Sequence

from igbtheory.layers.layer import Layer

LONGEST_BLOCK = 12
"""Largest number of layers in a block whose repetitions are searched for."""


def runs(layers: Sequence[Layer]) -> list[tuple[int, tuple[Layer, ...]]]:
    """Return blocks of layers, each with the number of its repetitions; at every place the longest run is taken."""
    blocks: list[tuple[int, tuple[Layer, ...]]] = []
    place = 0
    while place < len(layers):
        candidates = ((_repeats(layers, place, size), size) for size in range(1, LONGEST_BLOCK + 1))
        count, size = max(((n, size) for n, size in candidates if n > 1), key=lambda r: r[0] * r[1], default=(1, 1))
        blocks.append((count, tuple(layers[place : place + size])))
        place += count * size
    return blocks


def _repeats(layers: Sequence[Layer], place: int, size: int) -> int:
    names, count = list(map(repr, layers)), 1  # layers with arrays do not compare
    while names[place + count * size : place + (count + 1) * size] == names[place : place + size]:
        count += 1
    return count


def layers_text(layers: Sequence[Layer]) -> str:
    """Return the layers in Python's notation: "*(Dense(2.0), Activation('relu')) * 20, Dense(2.0)"."""
    terms = []
    for count, block in runs(layers):
        inner = ", ".join(map(repr, block))
        terms.append(inner if count == 1 else f"*({inner}{',' * (len(block) == 1)}) * {count}")
    return ", ".join(terms)


def layers_latex(layers: Sequence[Layer]) -> str:
    """Return the layers as a chain of LaTeX formulas for a notebook."""
    formulas = []
    for count, block in runs(layers):
        inner = r" \to ".join(rf"\left[{layer.latex()}\right]" for layer in block)
        formulas.append(inner if count == 1 else rf"\Big({inner}\Big)^{{{count}}}")
    return r"$\displaystyle x \to " + r" \to ".join(formulas) + "$"
