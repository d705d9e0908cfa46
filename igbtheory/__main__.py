"""`python -m igbtheory`: the command line."""

import sys

from igbtheory.cli import main

if __name__ == "__main__":
    sys.exit(main())
