from igbtheory.mathematics.numbers import *
