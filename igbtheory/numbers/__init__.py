"""Kinds of number: a rule is written once and runs on whatever numbers it is given.

One module a kind: `float64` (NumPy scalars and broadcasting arrays), `multiprecision` (mpmath, any number of
digits, in a context of its own), `certified` (python-flint balls, loaded by who certifies). A further kind is one more
module with a subclass of `Kind`.
"""

from igbtheory.numbers.float64 import FLOAT64, Float64
from igbtheory.numbers.kind import Kind
from igbtheory.numbers.multiprecision import Multiprecision, decimals

__all__ = ["FLOAT64", "Float64", "Kind", "Multiprecision", "decimals"]
