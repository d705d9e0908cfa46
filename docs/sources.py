"""Where each number of README and of the pages comes from: an example of its section, a CSV of benchmarks, or a claim.

python docs/sources.py             # lists the numbers that have no source; a test does the same

A number stands in the examples of its section, whose output is tested, or in words that a source fills in, as evidence
fills in the words of a claim (`igbtheory.claims.worded`). `SOURCES` has the sources that are computed. For numbers that
no test computes again, such as those of long runs, `benchmarks/quoted.csv` has the words of a page with {} for each
number, the numbers as they were measured, and what measured them. Pages that are written from claims or measurements
are compared with these elsewhere.
"""

import csv
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from math import pi
from pathlib import Path
from typing import Any

from prose import facts, passages

import igbtheory as igb
from igbtheory.claims import PAPERS, Claim, Finding, worded
from igbtheory.claims.finding import HOLDS
from igbtheory.claims.library import library
from igbtheory.claims.tally import tally
from igbtheory.claims.words import places_of
from igbtheory.guesses.outputs_at_data import LARGEST as LARGEST_KERNEL
from igbtheory.guesses.source import DATA
from igbtheory.networks.control.family import POINTS, RANGES
from igbtheory.networks.simulation.finite import PAIRED
from igbtheory.theory import refusals

ROOT = Path(__file__).parent.parent
WRITTEN = {"docs/errors.rst", "docs/speed.rst"}
"""Pages that other tests compare with the claims and the measurements."""


def pages() -> list[str]:
    """Return the names of README and of the pages whose numbers need a source."""
    names = sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.rst"))
    return ["README.md", *(name for name in names if name not in WRITTEN)]


def unsourced(name: str, page: str) -> list[str]:
    """Return the numbers of a page without a source, each with the words around it, and the sources that fail."""
    said = list(passages(page))
    text = "\n".join(passage.text for passage in said)
    findings = list(_findings(name, text))
    filled = [
        (place.start() + start, place.start() + end)
        for finding in findings
        for place in places_of(finding.label, text)
        for start, end in finding.filled
    ]
    missing, offset = [f"not on the page: {one.label}" for one in findings if one.verdict != HOLDS], 0
    for passage in said:
        for match in facts(passage.text):
            start, end = offset + match.start(), offset + match.end()
            bound = any(first <= start and end <= last for first, last in filled)
            if not (bound or match[0] in passage.examples):
                missing.append(text[max(offset, start - 40) : end + 20])
        offset += len(passage.text) + 1
    return missing


@cache
def _claims() -> dict[str, Claim]:
    return library().claims


@cache
def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV of `benchmarks/`."""
    with (ROOT / "benchmarks" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _findings(name: str, text: str) -> Iterator[Finding]:
    """Yield the findings that a page has the words and numbers of its sources."""
    computed = SOURCES[name]() if name in SOURCES else ()
    for words, *values in (*computed, *CONSTANTS.get(name, ())):
        yield worded(text, words, *values)
    for row in rows("quoted"):
        if row["page"] == name:
            yield worded(text, row["words"], *row["values"].split())


Source = Iterator[tuple[Any, ...]]


def _readme() -> Source:
    """Yield words with values of the version, the claims, the papers and the times beside other programs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield "Version {} ([changes", igb.__version__
    yield "(Python {} or later)", project["requires-python"].removeprefix(">=")
    ratio = {(row["work"], row["program"]): row["ratio"] for row in rows("peers")}
    grid, kernel, deep = "grid 2,500 x 100, tanh", "kernel of 2,000 data, relu, 20 layers", "relu, 1000 layers"
    networks, depth = re.findall(r"[\d,]+", grid)[:2]
    times = float(ratio[grid, "numpy"])
    yield "tanh, {} networks of depth {}: {:.0f} times as fast as trapezoidal", networks, depth.strip(","), times
    data, layers = re.findall(r"\d[\d,]*", kernel)
    others = (float(ratio[kernel, program]) for program in ("neural-tangents", "numpy"))
    words = "kernel of {} data, {} layers: {:.1f} times as fast as neural-tangents, and {:.1f} times as fast as NumPy"
    yield words, data, layers, *others
    layers, times = int(re.findall(r"\d+", deep)[0]), 1 / float(ratio[deep, "neural-tangents"])
    yield "network of depth {:,}, neural-tangents, once compiled, is {:.0f} times as fast", layers, times
    claims = _claims()
    yield "{}", tally(claims.values()).removesuffix(".")
    layer, rms = _in_words(claims["E-s1-RMS"].correction, r"is (\S+) with LayerNorm and (\S+) with RMSNorm")
    section = claims["E-s1-RMS"].at.partition(",")[0]
    yield "is {} with the one and {} with the other (E-s1-RMS, {} of paper E)", layer, rms, section
    theorem, equations = claims["E-ThmF.2"].at.partition(";")[0].split(", ")
    yield "equations of {} multiply by a variance by which its proof divides (E-ThmF.2, {})", theorem, equations
    for paper in PAPERS.values():
        if paper.arxiv:
            yield "{}, [arXiv:{}~, {}.", paper.year, paper.arxiv, paper.read


def _in_words(claim: Claim | None, pattern: str) -> tuple[str, ...]:
    """Return the parts of a claim's sentence that a pattern has in brackets."""
    found = re.search(pattern, claim.says if claim else "")
    return found.groups() if found else ("nothing",)


def _install() -> Source:
    """Yield the versions that are installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    yield "Python {} or later", project["requires-python"].removeprefix(">=")
    tested = [line.split()[-1] for line in project["classifiers"] if "Python :: 3." in line]
    newest = re.findall(r"\d\.\d+", (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))[-1]
    yield "run on {}, {} and {}; its dependencies have wheels for {}, too", *tested, newest
    yield "once version {} has been", igb.__version__
    kinds = [kind.rpartition(" ")[2] for kind in project["classifiers"] if "Python :: 3." in kind]
    yield "Its tests are run on {}, {} and {};", *kinds


def _experts() -> Source:
    """Yield c, CV^2 and dropped choices of routers, in theory and as measured."""
    for row in rows("experts"):
        if row["quantity"] in {"c", "cv2", "dropped"}:
            yield "{:.3f} / {:.3f} ± {:.3f}", *(float(row[column]) for column in ("theory", "measured", "error"))


def _model() -> Source:
    """Yield how many models are read, and how many are compared with networks of a plain loop."""
    read = {group: [row["read"] for row in rows("read_models") if row["group"] == group] for group in GROUPS}
    counts = [number for one in read.values() for number in (one.count("yes"), len(one))]
    words = "It reads {} of torchvision's {} classifiers, {} of {} models of timm, {} of {} of Hugging Face's"
    yield f"{words} transformers and {{}} of {{}} models as tutorials", *counts
    compared = rows("compare_models")
    (networks,) = {row["networks"] for row in compared if row["side"] == "models"}
    models = {row["model"] for row in compared}
    unusual = {model for model in models if model.startswith("foreign ")}
    others = len(models - unusual)
    yield "compares {} of them, and {} models with unusual parts, with {} networks", others, len(unusual), networks


def _finite_width() -> Source:
    """Yield gamma and Var(G0) of ReLU networks in infinite width, and by the expansion at finite width."""
    for width, depth, digits in ((100, 20, 4), (100, 50, 3), (500, 50, 3)):
        net = igb.mlp(depth)
        infinite, expansion = net.predict(), net.predict(width=width)
        yield "N = {}, L={} {}", width, depth, f"{infinite.gamma:.{digits}g}"
        yield "{:.4g} {:.4f}", expansion.gamma, infinite.G0.var()
        yield "{:.4f}", expansion.var_g0


def _simulate() -> Source:
    """Yield Var(G0) of networks of 20 hidden layers in infinite width, and the pairs of a network."""
    rows_of_table: dict[str, dict[str, Any]] = {
        "ReLU 100": {"activation": "relu"},
        "tanh, ~ 100": {"activation": "tanh", "sigma_w2": 3.0, "sigma_b2": 0.1},
        "GELU 100": {"activation": "gelu"},
        "GELU behind LayerNorm 64": {"activation": "gelu", "norm": "layer"},
    }
    for name, settings in rows_of_table.items():
        yield f"{name} {{:.4f}}", igb.mlp(20, **settings).predict().G0.var()
    yield "({:.4f} in infinite width)", igb.mlp(20).predict().G0.var()


GROUPS = "torchvision", "timm", "transformers", "tutorials"
SOURCES = {
    "README.md": _readme,
    "docs/experts.rst": _experts,
    "docs/install.rst": _install,
    "docs/model.rst": _model,
    "docs/simulate.rst": _simulate,
    "docs/width_theory.rst": _finite_width,
}
"""Sources that are computed, by the page: words with {} and the values of each."""
CONSTANTS: dict[str, tuple[tuple[Any, ...], ...]] = {
    "docs/control.rst": (
        ("variance of the weights {:g} to {:g}", *RANGES["sigma_w2"]),
        ("variance of the biases {:g} to {:,.0f}", *RANGES["sigma_b2"]),
        ("added to the inputs {:g} to {:,.0f}", *RANGES["shift"]),
        ("nearest {:g} to {:,.0f}", *RANGES["batch_size"]),
        ("scans the range at {} values", POINTS),
    ),
    "docs/experts.rst": (("whose routers read {} tokens each", DATA),),
    "docs/notation.rst": (("standard deviation {:.3f}", igb.GuessLaw(1 / (pi - 1)).std()),),
    "docs/predict.rst": (
        ("More than {:,} data are refused", refusals.LARGEST),
        ("more than {:,} data.", LARGEST_KERNEL),
    ),
    "docs/simulate.rst": (("over up to {:,} pairs", PAIRED),),
}
"""Words of pages with the constants of the code in them."""


def main() -> int:
    """Print the numbers without a source, by the page."""
    lines = [f"{name}: {part}" for name in pages() for part in unsourced(name, (ROOT / name).read_text("utf-8"))]
    sys.stdout.write("\n".join(lines) + "\n" * bool(lines))
    return int(bool(lines))


if __name__ == "__main__":
    raise SystemExit(main())
