"""Certificates: the moments of a network in infinite width, as balls that are proven to contain them.

Lower modules first. `signs`, `growth` and `bounds` derive bounds from the tree of a formula, and `boxes` bounds it in
the complex plane. `rules` and `proven_panels` are integration rules with proven remainders. `varied` are numbers with
their slopes, so that balls do not widen with depth. `smooth`, `gaussian`, `maxima` and `sphere` compute expectations,
`batches` how often a batch lies below a number, `nodes` the units of a network, and `course` passes through the layers.
`result` holds the balls.
"""

from igbtheory.theory.certificate.course import certify
from igbtheory.theory.certificate.result import Certificate, layers_of_ends

__all__ = ["Certificate", "certify", "layers_of_ends"]
