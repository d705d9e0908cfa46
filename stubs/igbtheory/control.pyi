from igbtheory.networks.control import *
