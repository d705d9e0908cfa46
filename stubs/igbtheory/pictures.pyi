from igbtheory.presentation.pictures import *
