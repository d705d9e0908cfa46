from igbtheory.mathematics.numbers.certified import Certified as Certified
from igbtheory.mathematics.numbers.float64 import FLOAT64 as FLOAT64
from igbtheory.mathematics.numbers.float64 import Float64 as Float64
from igbtheory.mathematics.numbers.kind import Kind as Kind
from igbtheory.mathematics.numbers.multiprecision import Multiprecision as Multiprecision
from igbtheory.mathematics.numbers.multiprecision import decimals as decimals

__all__: tuple[str, ...]
