from igbtheory.foundations.runs import *
