from igbtheory.layers.inputs import *
