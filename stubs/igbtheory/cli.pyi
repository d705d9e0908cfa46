from igbtheory.presentation.cli import *
