from igbtheory.theory.certificate import *
