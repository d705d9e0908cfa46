"""The whole process `igb predict`, beside one that only imports NumPy and scipy.special."""

import subprocess
import sys

from timing import seconds, show


def run(*arguments: str) -> None:
    """Run this Python with the arguments and wait for it."""
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - constants


def main() -> None:
    """Times of both."""
    show(
        "process `igb predict`",
        seconds(lambda: run("-m", "igbtheory", "predict"), 5),
        "python -c 'import numpy, scipy.special'",
        seconds(lambda: run("-c", "import numpy, scipy.special"), 5),
    )
