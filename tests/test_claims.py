"""Claims: what can hold must be able to fail, and whatever a file of claims does, the others still run."""

import json
import pickle
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import igbtheory as igb
from igbtheory.claims import Finding, Section, Trial, agree, identity, measured, rises, shown
from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, combined
from igbtheory.claims.library import library
from igbtheory.claims.runner import UNTESTED, Outcome, run
from igbtheory.cli import main
from igbtheory.shipped import load_file, load_missing, own_folder

X = sp.Symbol("x", positive=True)

GOOD = '''
from igbtheory.claims import Section, identity, agree, measured
import sympy as sp
SECTION = Section("A file of one's own")
x = sp.Symbol("x", positive=True)

@SECTION.holds("Z-1", "sin^2 + cos^2 = 1", printed=sp.Eq(sp.sin(x)**2 + sp.cos(x)**2, 1, evaluate=False))
def one(stated):
    """Pythagoras."""
    yield identity("circle", stated.lhs, stated.rhs)

@SECTION.fails(
    "Z-2", "int_0^1 x^2 dx = 1/2", printed=sp.Rational(1, 2), counter_example="assert printed > 1 / 3 + 0.1",
    correction="int_0^1 x^2 dx = 1/3", right=sp.Rational(1, 3),
)
def two(stated):
    yield identity("area", sp.Integral(x**2, (x, 0, 1)), stated)

@SECTION.holds("Z-3", "a coin is fair")
def three(trial):
    tosses = trial.rng.integers(0, 2, trial.draws(400))
    yield measured(trial, "mean", tosses.mean(), 0.5 / len(tosses)**0.5, 0.5, against=0.9)

SECTION.untested("training is not simulated", ("Z-4", "networks train well"))
'''


def outcomes(section: Section, **keywords: object) -> dict[str, Outcome]:
    options: Any = {"executor": "processes:2"} | keywords
    return {outcome.claim.id: outcome for outcome in run(section.claims, **options)}


def test_false_claims_fail() -> None:
    """Deliberately false ones, by every kind of evidence."""
    trial = Trial("false")
    gamma = igb.mlp(1, "relu").predict().gamma
    s = igb.mlp(1, "relu").simulate(100, 64, 100, seed=1)
    assert identity("gamma", 1 / (sp.pi - 1), 1 / (sp.pi - 2)).verdict == FAILS
    assert identity("only at 1", X**2, X).verdict == FAILS
    assert identity("constant gap", X, X + 1).verdict == FAILS
    assert identity("infinite", sp.oo, sp.oo).verdict == UNDECIDED
    assert identity("infinite", sp.Limit(1 / X, X, 0), sp.oo).verdict == HOLDS
    assert identity("one infinite", sp.oo, 1).verdict == FAILS
    assert identity("no number", sp.zoo, sp.oo).verdict == UNDECIDED
    assert identity("true", (X + 1) ** 2, X**2 + 2 * X + 1).verdict == HOLDS
    assert agree("gamma", gamma, 0.467, 4).verdict == FAILS
    assert agree("gamma", gamma, 0.467, 3).verdict == HOLDS
    assert shown("gamma > 1", gamma > 1, f"{gamma}").verdict == FAILS
    assert rises("gamma", [gamma, 0.4]).verdict == FAILS
    assert rises("gamma", [0.4, gamma], 0.5).verdict == FAILS
    assert measured(trial, "gamma", s.gamma, s.gamma_error, 0.6).verdict == FAILS
    assert measured(trial, "gamma", s.gamma, s.gamma_error, 0.466, against=0.9).verdict == HOLDS
    assert measured(trial, "no power", s.gamma, s.gamma_error, 0.466, against=0.4661).verdict == UNDECIDED


def test_an_identity_that_cannot_be_told_is_undecided() -> None:
    unknown = sp.Function("f")
    assert identity("unknown", unknown(X), unknown(2 * X)).verdict == UNDECIDED


def test_verdicts_combine() -> None:
    assert combined([]) == UNDECIDED  # never exercised is no pass
    assert combined([HOLDS, HOLDS]) == HOLDS
    assert combined([HOLDS, UNDECIDED]) == UNDECIDED
    assert combined([HOLDS, FAILS, UNDECIDED]) == FAILS


@pytest.mark.parametrize("executor", ["processes:2", "threads:2"])
def test_a_correction_must_hold_and_trouble_is_told(executor: str) -> None:
    section = Section("troubles")

    @section.fails("T-1", "2 = 3", counter_example="assert 2 != 3")
    def first() -> list[Finding]:
        return [identity("no", 2, 3)]

    @section.corrects("T-1", "2 = 4")
    def second() -> list[Finding]:
        return [identity("neither", 2, 4)]

    @section.holds("T-2", "it raises")
    def third() -> list[Finding]:
        raise RuntimeError("a derivation with an error in it")

    @section.holds("T-3", "it hangs")
    def fourth() -> list[Finding]:
        while True:
            pass

    @section.holds("T-4", "it says nothing")
    def fifth() -> list[Finding]:
        return []

    found = outcomes(section, seconds=1.0, executor=executor)
    assert [outcome.verdict for outcome in found.values()] == [UNDECIDED] * 4
    assert not any(outcome.as_recorded for outcome in found.values())
    assert "a derivation with an error in it" in found["T-2"].trouble
    assert "time limit of 1 s" in found["T-3"].trouble


FILE = """
from pathlib import Path
from typing import Any
from igbtheory.claims import Section, identity
SECTION = Section("counted", "A 1")

@SECTION.holds("A-1", "1 = 1")
def one():
    Path("one").open("a").write("1")
    yield identity("yes", 1 + 1, 2, of="1 + 1")

@SECTION.holds("A-2", "it raises")
def two():
    Path("two").open("a").write("2")
    raise MemoryError("for a while")
"""


def test_a_store_keeps_claims_but_no_trouble_and_knows_other_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "own" / "claims.py"
    file.parent.mkdir()
    file.write_text(FILE)
    command = ["verify", "--folder=own", "--store=run.db", "--executor=processes:1", "--json"]
    said = [(main(command), capsys.readouterr().out) for _ in range(2)]
    assert said[0] == said[1] == (1, said[0][1])
    assert [claim["verdict"] for claim in json.loads(said[0][1])] == ["holds", "undecided"]
    assert ((tmp_path / "one").read_text(), (tmp_path / "two").read_text()) == ("1", "22")
    file.write_text(FILE.replace("1 = 1", "1 = 2"))
    assert main(command) == 2
    assert "run.db keeps a run with digest of the claims = " in capsys.readouterr().err
    assert main([*command, "--seed=1"]) == 2
    assert "seed = 0, and this one has seed = 1" in capsys.readouterr().err


@pytest.mark.parametrize("several", [False, True])
def test_a_wrong_equation_arrives_at_a_worker_as_it_was(*, several: bool) -> None:
    wrong = sp.Eq(sp.Integer(1), sp.Integer(2), evaluate=False)
    claim = Claim("Z-1", "1 = 2", "sums", FAILS, stated=(wrong, "\\pi") if several else wrong)
    assert pickle.loads(pickle.dumps(claim)) == claim  # noqa: S301 - its own


def test_threads_wait_for_a_file_that_another_one_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "slow_file.py").write_text("import time\ntime.sleep(0.2)\nlast = 7\n")

    def last(_: int) -> int:
        load_missing({"slow_file": tmp_path / "slow_file.py"})
        return int(sys.modules["slow_file"].last)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(last, range(2))) == [7, 7]


def test_seeds_decide_the_draws() -> None:
    first, again, other = (Trial(name, seed).rng.random(3) for name, seed in (("a", 0), ("a", 0), ("b", 0)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert Trial("a", quick=True).draws(400) == 100


def test_a_folder_with_errors_still_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "broken.py").write_text("import nothing_of_that_name\n")
    (tmp_path / "none.py").write_text("x = 1\n")
    (tmp_path / "twice.py").write_text(GOOD)
    found = library(tmp_path)
    assert list(found.claims) == ["Z-1", "Z-2", "Z-3", "Z-4"]
    assert "nothing_of_that_name" in found.problems["broken.py"]
    assert "Section" in found.problems["none.py"]
    assert "twice" in found.problems["twice.py"]
    assert main(["verify", "--folder", str(tmp_path), "--json"]) == 1  # the problems
    captured = capsys.readouterr()
    assert "broken.py" in captured.err
    verdicts = {claim["id"]: claim["verdict"] for claim in json.loads(captured.out)}
    assert verdicts == {"Z-1": HOLDS, "Z-2": FAILS, "Z-3": HOLDS, "Z-4": UNTESTED}


def test_reports_are_the_same_byte_for_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "claims"
    folder.mkdir()
    (folder / "good.py").write_text(GOOD)
    parts = []
    for name in ("one", "two"):
        out = tmp_path / name
        assert main(["verify", "--folder", str(folder), "--out", str(out), "--seed", "5"]) == 0
        parts.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert parts[0] == parts[1]
    assert set(parts[0]) == {"claims.md", "claims.html", "claims.tex", "claims.json"}
    page = parts[0]["claims.html"].decode()
    assert "<math" in page
    assert "http" not in page.replace("http://www.w3.org/1998/Math/MathML", "")
    assert "int_0^1 x^2 dx = 1/3" in page
    printed = capsys.readouterr().out
    assert "Z-2" in printed
    assert "2 holds, 1 fails, 0 undecided, 1 not tested (definitions, or" in printed
    assert "Why not tested: training is not simulated." in page


def test_all_formats_of_a_report_have_the_same_content(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD.replace('"a coin is fair"', '"a coin is fair", assumes="a round one"'))
    main(["verify", "--folder", str(tmp_path), "--out", str(tmp_path / "out")])
    texts = {path.suffix: path.read_text() for path in (tmp_path / "out").iterdir()}
    content = json.loads(texts[".json"])
    area, coin = (next(claim for claim in content["claims"] if claim["id"] == name) for name in ("Z-2", "Z-3"))
    assert area["formula"] == r"\frac{1}{2}"
    assert area["evidence"][0]["formula"] == r"\int\limits_{0}^{1} x^{2}\, dx = \frac{1}{2}"
    assert area["evidence"][-1]["kind"] == "counter-example"
    assert area["counter_example"] == "from sympy import *\nprinted = 1/2\nassert printed > 1 / 3 + 0.1"
    words = [
        coin["assumptions"],
        coin["source"],
        "area",
        "mean",
        "the program runs",
        "Pythagoras",
        content["igbtheory"],
    ]
    for suffix, text in texts.items():
        assert [word for word in words if word not in text] == [], suffix
        assert suffix == ".html" or r"\int\limits_{0}^{1}" in text.replace("\\\\", "\\"), suffix


def test_mutants_change_one_number_at_a_time() -> None:
    mutants = load_file(Path(__file__).parent.parent / "benchmarks" / "mutate_claims.py").mutants
    gamma, q = sp.symbols("gamma q")
    stated = (sp.Eq(gamma, 1 / (sp.pi - 1)), sp.Gt(q, 0))
    changed = [tuple(part.rhs for part in mutant) for mutant in mutants(stated)]
    assert all(part != (stated[0].rhs, stated[1].rhs) for part in changed)
    assert {str(part[1]) for part in changed} == {"0", "1/10"}
    assert list(mutants("\\gamma = 1")) == []


def test_a_verdict_that_differs_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(GOOD.replace("+ sp.cos(x)**2, 1", ", 1"))
    assert main(["verify", "Z-1", "--folder", str(tmp_path)]) == 1
    assert main(["verify", "Z-2", "--folder", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["E-Eq470"], "did you mean 'E-Eq"),
        (["--folder", "nowhere"], "folder of Python files"),
        (["--seconds", "-1"], "seconds"),
    ],
)
def test_bad_input(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *arguments]) == 2
    assert sentence in capsys.readouterr().err


LIBRARY = library()


def test_every_row_is_there_once() -> None:
    assert not LIBRARY.problems
    assert own_folder("derivations").is_dir()


@pytest.mark.parametrize("claim", [c for c in LIBRARY.claims.values() if c.verdict == FAILS], ids=lambda c: c.id)
def test_what_fails_is_corrected(claim: object) -> None:
    assert claim.correction is not None  # type: ignore[attr-defined]


def errors_listed(name: str) -> list[str]:
    """Return the ids of the list items `- **id**:` in a file of the checkout, in order."""
    text = (Path(__file__).parent.parent / name).read_text(encoding="utf-8")
    return re.findall(r"^- \*\*([A-E]-.+?)\*\*:", text, re.MULTILINE)


def test_the_documentation_lists_every_error_and_the_readme_five_of_them() -> None:
    failing = [claim.id for claim in LIBRARY.claims.values() if claim.verdict == FAILS]
    listed = errors_listed("docs/errors.rst")
    assert sorted(listed) == sorted(failing)
    assert len(errors_listed("README.md")) == 5
    assert set(errors_listed("README.md")) <= set(listed)
