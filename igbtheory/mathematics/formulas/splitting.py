"""Splitting a formula into pieces in which every choice has one outcome and every floor one value."""

from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np

from igbtheory.mathematics.formulas.pieces import Pieces, between, equal
from igbtheory.mathematics.formulas.roots import GRID, MOST_ROOTS, TooManyRootsError, floor_at, guards, roots, sign
from igbtheory.mathematics.formulas.tree import (
    ZERO,
    Call,
    Choice,
    Number,
    Tree,
    add,
    children,
    evaluate,
    is_split,
    rebuild,
    symbols,
    varies,
)
from igbtheory.mathematics.numbers import FLOAT64

REACHES = (None, Fraction(64), Fraction(16))
"""Distances from 0 up to which a formula is split, in the order in which they are tried; None means everywhere."""


def split(tree: Tree) -> Pieces:
    """Return the pieces of a formula, in which every choice has one outcome and every floor one value.

    A formula with infinitely many kinks, such as abs(sin(x)) or floor(x), is split near 0 only, and its first and last
    piece are the formula itself. A formula with too many kinks near 0 is not split: it is one piece.
    """
    for reach in REACHES:
        with suppress(TooManyRootsError):
            pieces = _pieces(tree, reach)
            if _agree(pieces, tree):
                return pieces
    return Pieces((), (tree,))


def _pieces(tree: Tree, reach: Fraction | None) -> Pieces:
    """Return the pieces of a formula that is split only for |x| < reach."""
    entries = _split(tree, None if reach is None else -reach, reach)
    if reach is not None:
        entries = [(None, tree), *entries, (reach, tree)]
    merged = [entry for i, entry in enumerate(entries) if i == 0 or entry[1] != entries[i - 1][1]]
    merged = [
        (left, formula)
        for (low, formula), high in zip(merged, [*(low for low, _ in merged[1:]), None], strict=True)
        for left in (low, *(_singular(formula, low, high) if is_split(formula) else ()))
    ]
    return Pieces(tuple(low for low, _ in merged if low is not None), tuple(formula for _, formula in merged))


def _agree(pieces: Pieces, tree: Tree) -> bool:
    """Return whether the pieces have the values of the formula, so that no kink has been overlooked."""
    return bool(is_split(tree) or symbols(tree)) or equal(partial(pieces, FLOAT64), partial(evaluate, tree, FLOAT64))


def _singular(formula: Tree, low: Fraction | None, high: Fraction | None) -> list[Fraction]:
    """Return the points between `low` and `high` where a formula or its slope is singular: 0 for log(x**2)."""
    arguments = (guard for name, guard in guards(formula) if name != "tan(" and varies(guard))  # tan has too many
    return sorted({root for guard in arguments for root in roots(guard, low, high)})


def _split(tree: Tree, low: Fraction | None, high: Fraction | None) -> list[tuple[Fraction | None, Tree]]:
    """Return the left end and the formula of every piece between `low` and `high`, where None is unbounded."""
    if isinstance(tree, Choice):
        return [
            piece
            for test, left, right in _ended(_split(tree.test, low, high), high)
            for a, b in pairwise([left, *sorted(roots(test, left, right)), right])
            for piece in _split(_decided(tree, test, between(a, b)), a, b)
        ]
    if isinstance(tree, Call) and tree.name == "floor":
        return [step for argument in _ended(_split(tree.argument, low, high), high) for step in _steps(*argument)]
    branches = [dict(_split(part, low, high)) for part in children(tree)]
    lefts = sorted({left for part in branches for left in part if left is not None and left != low})
    pieces, now = [], [part[low] for part in branches]
    for left in (low, *lefts):
        now = [part.get(left, before) for part, before in zip(branches, now, strict=True)]
        pieces.append((left, rebuild(tree, tuple(now)) if branches else tree))
    return pieces


def _ended(
    pieces: list[tuple[Fraction | None, Tree]], high: Fraction | None
) -> Iterator[tuple[Tree, Fraction | None, Fraction | None]]:
    """Yield the formulas of pieces with their left and right ends."""
    for (left, formula), (right, _) in pairwise([*pieces, (high, ZERO)]):
        yield formula, left, right


def _steps(argument: Tree, low: Fraction | None, high: Fraction | None) -> list[tuple[Fraction | None, Tree]]:
    """Return the left end and the value of every step of floor(argument) between `low` and `high`."""
    first, last = GRID[0] if low is None else float(low), GRID[-1] if high is None else float(high)
    with np.errstate(all="ignore"):
        values = evaluate(argument, FLOAT64, np.unique(np.clip([first, *GRID, last], first, last)))
    if not np.ptp(values) < MOST_ROOTS:
        raise TooManyRootsError(f"expected at most {MOST_ROOTS} steps of floor, got {np.ptp(values):.0f} or more")
    levels = range(int(np.floor(np.min(values))), int(np.floor(np.max(values))) + 1)
    places = {root for k in levels for root in roots(add(argument, Number(Fraction(-k))), low, high)}
    cuts = [low, *sorted(places), high]
    return [(a, Number(Fraction(floor_at(argument, between(a, b))))) for a, b in pairwise(cuts)]


def _decided(tree: Choice, test: Tree, point: Fraction) -> Tree:
    """Return the branch of a choice at a point, where its test is the formula `test`."""
    return tree.yes if sign(test, point) >= 0 else tree.no
