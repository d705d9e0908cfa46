from igbtheory.foundations.result import *
