from igbtheory.theory.derivation import *
