from igbtheory.torch.studies import *
