from igbtheory.theory.prediction import *
