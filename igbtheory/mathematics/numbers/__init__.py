"""Kinds of number: a rule is written once and runs on whatever numbers it is given.

Each kind has a module: `float64` (NumPy scalars and broadcasting arrays), `multiprecision` (mpmath, any number of
digits), `certified` (python-flint balls) and `symbolic` (SymPy expressions). Only callers that need them import the
last two. To add a kind, write a module with a subclass of `Kind`.
"""

from igbtheory.mathematics.numbers.float64 import FLOAT64, Float64
from igbtheory.mathematics.numbers.kind import Kind
from igbtheory.mathematics.numbers.multiprecision import Multiprecision, decimals

__all__ = ["FLOAT64", "Float64", "Kind", "Multiprecision", "decimals"]
