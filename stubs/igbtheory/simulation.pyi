from igbtheory.networks.simulation import *
