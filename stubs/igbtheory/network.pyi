from igbtheory.networks.network import *
