"""Write the page of times from the measurements of `benchmarks/peers.py`.

python docs/speed_page.py     # writes docs/speed.rst from benchmarks/peers.csv; a test compares it with the file
"""

import csv
from pathlib import Path

HERE = Path(__file__).parent
OURS = "igbtheory"
HEAD = """\
How fast it is, beside other programs
=====================================

CPU times of one thread on a busy machine. A *first* call is that of a new process that has imported the program: it
also loads the modules that it needs and makes tables, which stay in memory, so that *repeated* calls are faster. A
ratio is the time of the other program over ours: above 1, igbtheory is faster. It is that of repeated calls, and
behind the comma that of first calls where they were measured. Grids and kernels are those of the last layer alone,
``predict(layers="last")``, as in the other programs. Errors are the largest relative ones of :math:`\\gamma`, at
points whose values are known to 25 digits. *none* says that no digit is right at some point: neural-tangents and
plain recursions give the variance and the covariance of the outputs, and :math:`\\gamma` follows from their
difference, which has no digits left where two data are nearly alike; that subtraction is ours. ``dks`` computes the
correlation behind one layer in a function that is not public. ``python benchmarks/peers.py compare`` measures again,
``first`` the first calls.

.. list-table::
   :header-rows: 1
   :widths: 24 22 11 11 11 11 10

   * - work
     - program
     - first call, s
     - repeated, s
     - ratio
     - memory, MB
     - error
"""
ROW = """\
   * - {work}
     - {program}
     - {first}
     - {seconds}
     - {ratios}
     - {megabytes}
     - {wrong}
"""


def measurements() -> list[dict[str, str]]:
    """Return the rows of the file, without the floors of the machine; ratios: those of repeated and of first calls."""
    with (HERE.parent / "benchmarks" / "peers.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["work"] != "floor"]
    firsts = {row["work"]: row["first"] for row in rows if row["program"] == OURS}
    for row in rows:
        of_first = f", {float(row['first']) / float(firsts[row['work']]):.2g}" if row["first"] else ""
        row["ratios"] = "" if row["program"] == OURS else f"{float(row['ratio']):.2g}{of_first}"
        row["wrong"] = row["error"] if row["error"] and float(row["error"]) < 0.5 else "none" if row["error"] else ""
    return rows


def page() -> str:
    """Return the page."""
    shown = [{name: value or "-" for name, value in row.items()} for row in measurements()]
    return HEAD + "".join(ROW.format(**row) for row in shown)


if __name__ == "__main__":
    (HERE / "speed.rst").write_text(page(), encoding="utf-8")
