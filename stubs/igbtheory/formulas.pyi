from igbtheory.mathematics.formulas import *
