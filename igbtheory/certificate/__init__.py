"""Certificates: what a network does in infinite width, enclosed in balls that are proven to contain it.

Lower ones first: `signs`, `growth` and `bounds` say what a formula's tree proves of it, `boxes` how large it is on the
complex plane, `rules` and `proven_panels` are integration rules with their remainders, `gaussian`, `maxima` and
`sphere` the expectations, `nodes` the units of a network, `result` the balls, `course` the way through the layers.
"""

from igbtheory.certificate.course import certify
from igbtheory.certificate.result import Certificate

__all__ = ["Certificate", "certify"]
