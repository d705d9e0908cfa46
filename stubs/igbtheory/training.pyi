from igbtheory.networks.training import *
