from igbtheory.guesses.inference import *
