from igbtheory.networks.losses import *
