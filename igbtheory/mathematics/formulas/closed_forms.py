"""The closed form of a formula, whatever its name."""

from igbtheory.mathematics.formulas.catalogue import FUNCTIONS
from igbtheory.mathematics.formulas.catalogue.powers import HALF, Powers
from igbtheory.mathematics.formulas.catalogue.rectified import Rectified
from igbtheory.mathematics.formulas.function import ClosedForm
from igbtheory.mathematics.formulas.pieces import Pieces
from igbtheory.mathematics.formulas.tree import Number, number, substitute


def closed_of(pieces: Pieces) -> ClosedForm | None:
    """Return the closed form of a function in the catalogue or of a homogeneous function with a kink, or None."""
    for phi in FUNCTIONS.values():
        if phi.closed and phi.pieces == pieces:
            return phi.closed
    p = pieces.degree()
    if p is None or not p or p <= -HALF or not pieces.kinks:
        return None
    match p, substitute(pieces.formulas[0], number(-1)), substitute(pieces.formulas[-1], number(1)):
        case 1, Number(left), Number(right):
            return Rectified((right - left) / 2, (right + left) / 2)
        case _:
            return Powers(pieces, p)
