from igbtheory.networks.notation import *
