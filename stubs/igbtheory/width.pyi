from igbtheory.networks.width import *
