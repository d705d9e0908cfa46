"""`igb infer`: gamma from the guesses of observed networks."""

from typing import Any

import igbtheory as igb
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.options import Data, Printed
from igbtheory.presentation.cli.parameters import Header, Text, Whole


def infer(
    file: Text,
    *,
    samples: Whole | None = None,
    level: float = 0.95,
    against: str | None = None,
    header: Header = None,
    printed: Printed = Printed(),
) -> None:
    """Estimate gamma_guess, with an interval and tests, from the shares of the data that networks gave to classes.

    ```
    igb infer shares.csv --samples 1000
    igb infer before.csv --against after.csv --plot ratio.pdf
    ```

    Parameters
    ----------
    file
        FILE.csv, FILE.npy or - for a table from standard input, with a row for every network: the share G0 of class 0,
        or the shares of all classes.
    samples
        Number of data among which the guesses were counted; by default infinitely many.
    level
        Probability with which the interval contains gamma.
    against
        A file with the shares of networks of another architecture: print the ratio of the two gammas, and a test.

    """
    files = [file] if against is None else [file, against]
    estimates = [igb.infer(_shares(name, header), samples, level=level) for name in files]
    comparison = igb.compare(*estimates, level=level) if against is not None else None
    printed.drawn(lambda: comparison or estimates[0])
    if printed.json:
        first, *others = ({"file": name, **one.to_dict()} for name, one in zip(files, estimates, strict=True))
        values = {"samples": samples, **first}
        if comparison is not None:
            values |= {"against": others[0], "comparison": comparison.to_dict()}
        output.show_json(values)
        return
    among = "infinitely many" if samples is None else samples
    for name, one in zip(files, estimates, strict=True):
        networks = f"{one.networks} network{'s' * (one.networks != 1)}"
        output.show(f"{networks} from {name}, {among} data each", "", str(one), *[""] * (against is not None))
    if comparison is not None:
        output.show(str(comparison))


def _shares(file: str, header: Header) -> Any:
    """Return the shares in a file; a single column is G0."""
    from igbtheory.presentation.cli.data import choices, contents_of  # noqa: PLC0415 - --help must not load NumPy

    # all columns are shares, which leaves nothing to tell
    array = contents_of(file, "a table of shares", choices(Data(label_column="none", header=header))).data
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
