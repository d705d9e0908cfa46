"""`python -m igbtheory`: the command line."""

import sys

from igbtheory.presentation.cli import main

if __name__ == "__main__":
    sys.exit(main())
