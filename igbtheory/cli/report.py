"""`igb report`: the main job."""

import sys
from pathlib import Path
from typing import TextIO

from igbtheory.cli.options import Whole


def report(*, out: Path = Path("igb-report"), seed: Whole = 0, quick: bool = False) -> int:
    """Predict and simulate, and write both as one page with its pictures (PDF, PNG) and tables (CSV).

    Gaussian inputs and handwritten digits; linear, tanh and ReLU networks of depth 1, 3 and 20; the claims of the
    papers and their verdicts. Takes three to eight minutes on two cores. Exit status 1 if prediction and simulation
    disagree anywhere, or a verdict is not the recorded one.

    Parameters
    ----------
    out
        The folder to write. It appears when all is done, and replaces only an earlier report.
    seed
        The same seed gives the same numbers.
    quick
        Small ensembles: one to three minutes on two cores, larger errors.

    """
    from igbtheory.report import write_report  # noqa: PLC0415 - Matplotlib would slow down `igb --help`

    agrees = write_report(out, seed, quick=quick, progress=lambda text: _line(sys.stderr, text))
    _line(sys.stdout, str(out / "index.html"))
    return 0 if agrees else 1


def _line(stream: TextIO, text: str) -> None:
    stream.write(f"{text}\n")
    stream.flush()
