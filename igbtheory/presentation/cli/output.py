"""Results on standard output: text for people, JSON for machines."""

import sys
from typing import Any

from igbtheory.foundations.text import json_text


def show(*lines: str) -> None:
    """Print texts of one or more lines on standard output."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def tell(text: str) -> None:
    """Print a line on standard error at once."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def show_json(values: dict[str, Any] | list[dict[str, Any]], digits: int = 17) -> None:
    """Print JSON; numbers that it cannot represent (inf, NaN, many digits) become strings."""
    sys.stdout.write(json_text(values, digits, indent=2) + "\n")
