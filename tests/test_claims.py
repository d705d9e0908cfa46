"""Claims: what can hold must be able to fail, and whatever a file of claims does, the others still run."""

import json
import os
import pickle
import re
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from repeated import slow
from sympy.core.function import AppliedUndef

import igbtheory as igb
from igbtheory.claims import (
    Finding,
    Section,
    Trial,
    agree,
    equation,
    identity,
    measured,
    rises,
    shown,
    value_of,
    worded,
)
from igbtheory.claims.bound import bound
from igbtheory.claims.claim import Claim
from igbtheory.claims.finding import FAILS, HOLDS, UNDECIDED, combined
from igbtheory.claims.formula import evaluated, latex, relations_of
from igbtheory.claims.library import library
from igbtheory.claims.report import summary
from igbtheory.claims.runner import UNTESTED, Outcome, run
from igbtheory.claims.simulated import weighted
from igbtheory.claims.tally import tally
from igbtheory.claims.transcription import Transcription
from igbtheory.claims.wide import Array, backward, forward, growth, tanh
from igbtheory.claims.words import QUOTED
from igbtheory.foundations.shipped import load_file, load_missing, own_folder
from igbtheory.presentation.cli import main

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

SECTION.untested("training is not simulated", ("Z-4", "section 1", "networks train well"))
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
    told = measured(trial, "gamma", s.gamma, s.gamma_error, 0.466, against=0.9).detail
    assert told.endswith("; 0.9 would be told from it")
    found = identity("true of angles", sp.sin(X) ** 2 + sp.cos(X) ** 2, 1)
    assert (found.verdict, found.detail) == (HOLDS, "")
    assert measured(trial, "without an error", 0.5, 0.0, 0.5, against=0.9).verdict == HOLDS
    assert measured(trial, "without an error", 0.6, 0.0, 0.5, against=0.9).verdict == FAILS
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


def test_a_statement_gives_the_value_of_what_stands_on_its_left() -> None:
    ratio, gamma, c = sp.symbols("ratio gamma c", positive=True)
    stated = (equation(3 * gamma**2 / c - 1, X), sp.Gt(ratio, 1))
    assert value_of(gamma, stated) == sp.sqrt(c * (X + 1) / 3)
    assert value_of(c, stated) == 3 * gamma**2 / (X + 1)
    assert value_of(ratio, equation("ratio", 2).subs(sp.Symbol("ratio"), ratio)) == 2
    for wanted in (ratio, X):
        with pytest.raises(ValueError, match="one equation"):
            value_of(wanted, stated)
    with pytest.raises(ValueError, match="substitute"):
        value_of(gamma, equation(sp.exp(gamma), 2))


@pytest.mark.parametrize("changed", ["ratio upside down", "power", "other mean"])
def test_a_changed_left_hand_side_is_noticed(changed: str) -> None:
    """The mean of U^2 over twice that of |U|, U uniform on [0, 1], is 1/3."""
    mean, u = sp.Function("E"), sp.Symbol("U")
    ratio = mean(u**2) / (2 * mean(u))
    left = {"ratio upside down": 1 / ratio, "power": ratio**2, "other mean": mean(u**3) / (2 * mean(u))}[changed]

    def holds(stated: Any) -> bool:
        known = {mean(u): sp.Rational(1, 2), mean(u**2): sp.Rational(1, 3)}
        return identity("ratio", stated.lhs.subs(known), stated.rhs, of=stated.lhs).verdict == HOLDS

    assert holds(equation(ratio, sp.Rational(1, 3)))
    assert not holds(equation(left, sp.Rational(1, 3)))


def test_words_are_compared_with_what_was_computed() -> None:
    says = "MaxPool(2) raises gamma from 6.7 to 9.8 in no network"
    assert worded(says, "raises gamma from {:.1f} to {:.1f}", 6.71, 9.84).verdict == HOLDS
    assert worded(says, "MaxPool({})", 2).verdict == HOLDS
    assert worded(says, "gamma from {:.1f}", 6.66).verdict == HOLDS
    for words, value in (("{} gamma", "lowers"), ("from {:.1f}", 6.64), ("to {:.0f}", 9.8), ("to {}", 9), ("{}", 0)):
        assert worded(says, words, value).verdict == FAILS


def test_a_second_transcription_notices_a_misquoted_document() -> None:
    gamma, other, s = sp.Symbol(r"\gamma_\mathrm{LN}"), sp.Symbol("gamma'"), sp.Function(r"\mathrm{Var}_\chi")
    document = Transcription(
        "Norms “generally reduce” the bias, see Eq. (12), by a factor of 0.5",
        ("gamma_LN <= gamma_prime/2", "Eq(Var_chi(x), (x + 1)**2)"),
        {"section 2": "for wide layers, all of one kind"},
    )
    stated = (sp.Le(gamma, other / 2), equation(s(X), X**2 + 2 * X + 1))
    claim = Claim(
        "Z-1",
        "The preprint has “generally reduce”: by 0.5 in 3 layers",
        "norms",
        HOLDS,
        lambda: (),
        stated=stated,
        assumes="“wide layers” (section 2); groups of 4 units",
        transcription=document,
    )
    evidence = [worded(claim.sentence, "in {} layers", 3), worded(claim.sentence, "groups of {} units", 4)]

    def noticed(**changed: Any) -> bool:
        other = replace(claim, **changed)
        words = [worded(other.sentence, "in {} layers", 3), worded(other.sentence, "groups of {} units", 4)]
        return any(finding.verdict == FAILS for finding in (*words, *bound(other, words, ())))

    assert not noticed()
    assert any(finding.verdict == FAILS for finding in bound(claim, evidence[:1], ()))
    assert any(finding.verdict == FAILS for finding in bound(claim, (), ()))
    for old, new in (("0.5", "0.6"), ("reduce", "raise"), ("generally", "always"), ("3 layers", "2 layers")):
        assert noticed(says=claim.says.replace(old, new)), new
    for old, new in (
        ("wide", "narrow"),
        ("section 2", "section 3"),
        ("4", "5"),
        ("units", "data"),
        (" units", " units; sigma_b^2 = 0"),
        (" units", " units; any activation"),
    ):
        assert noticed(assumes=claim.assumes.replace(old, new)), new
    assert noticed(stated=(sp.Ge(gamma, other / 2), stated[1]))
    assert noticed(stated=(sp.Le(gamma, other / 3), stated[1]))
    assert noticed(stated=(sp.Le(other, gamma / 2), stated[1]))
    assert noticed(stated=(stated[0], equation(1 / s(X), X**2 + 2 * X + 1)))
    assert noticed(stated=stated[0])


def test_a_stand_in_is_part_of_the_verdict() -> None:
    section = Section("stand-ins")

    @section.holds("Z-1", "It is so", stand_in="one thing in place of another")
    def so() -> list[Finding]:
        return [agree("yes", 1, 1)]

    (outcome,) = run(section.claims, workers=1)
    assert (outcome.standing, outcome.as_recorded) == ("holds for a stand-in", True)
    assert summary([outcome], 200).startswith("Z-1: holds for a stand-in. It is so. Tested: one thing")


def test_a_limited_claim_holds_and_what_happens_outside_must_hold_too() -> None:
    section = Section("limits")

    def add(name: str, *, outside: bool) -> None:
        @section.limited(
            name, "x^2 >= x", assumes="x >= 1", outside="It is less", counter_example="assert 0.5**2 < 0.5"
        )
        def square() -> list[Finding]:
            return [shown("at 2", 2**2 >= 2, "4 >= 2")]

        @section.corrects(name, "It is less")
        def less() -> list[Finding]:
            return [shown("at 1/2", outside, "1/4 < 1/2")]

    add("L-1", outside=True)
    add("L-2", outside=False)
    first, second = run(section.claims, workers=1)
    assert (first.verdict, second.verdict) == (HOLDS, UNDECIDED)
    assert first.as_recorded
    assert first.claim.kind == "limited"


def test_verdicts_combine() -> None:
    assert combined([]) == UNDECIDED  # never exercised is no pass
    assert combined([HOLDS, HOLDS]) == HOLDS
    assert combined([HOLDS, UNDECIDED]) == UNDECIDED
    assert combined([HOLDS, FAILS, UNDECIDED]) == FAILS


@pytest.mark.parametrize("executor", [slow("processes:2"), "threads:2"])
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


@pytest.mark.parametrize("width", [30, 80, 200])
def test_sentences_are_whole_at_any_width_of_the_terminal(width: int, tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    printed = summary(run(list(library(tmp_path).claims.values()), workers=1), width)
    assert max(map(len, printed.splitlines())) <= width
    words = " ".join(printed.split())
    assert "Z-2: fails. int_0^1 x^2 dx = 1/2. Right: int_0^1 x^2 dx = 1/3." in words


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
    assert "dx = 1/3" in page
    printed = " ".join(capsys.readouterr().out.split())
    assert "Z-2" in printed
    assert "2 holds, 0 holds for a stand-in, 1 fails, 0 undecided, 1 not tested (definitions, or" in printed
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


ROOT = Path(__file__).parent.parent


def test_mutants_change_one_thing_at_a_time() -> None:
    benchmark = load_file(ROOT / "benchmarks" / "mutate_claims.py")
    (gamma, q), mean = sp.symbols("gamma q"), sp.Function("E")
    stated = (equation(gamma / q**2, 1 / (sp.pi - 1)), sp.Gt(mean(q), 0))
    changed = [latex(mutant) for _, mutant in benchmark.formulas(stated)]
    assert len(set(changed)) == len(changed)
    assert latex(stated) not in changed
    for part in (r"\frac{q^{2}}{\gamma}", r"\frac{\gamma}{q}", r"E{\left(q^{2} \right)} >", "< 0", r"> \frac{1}{10}"):
        assert any(part in text for text in changed), part
    assert list(benchmark.formulas("\\gamma = 1")) == []
    sentences = {text for _, text in benchmark.sentences("No norm of 3 layers raises “a wide gamma” above 0.29")}
    assert sentences == {
        "every norm of 3 layers raises “a wide gamma” above 0.29",
        "No norm of 4 layers raises “a wide gamma” above 0.29",
        "No norm of 3 layers lowers “a wide gamma” above 0.29",
        "No norm of 3 layers raises “a narrow gamma” above 0.29",
        "No norm of 3 layers raises “a gamma” above 0.29",
        "No norm of 3 layers raises “a wide gamma” below 0.29",
        "No norm of 3 layers raises “a wide gamma” above 0.30",
    }


def test_a_verdict_that_differs_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(GOOD.replace("+ sp.cos(x)**2, 1", ", 1"))
    assert main(["verify", "Z-1", "--folder", str(tmp_path)]) == 1
    assert main(["verify", "Z-2", "--folder", str(tmp_path)]) == 0
    verification = igb.verify("Z-1", folder=tmp_path, workers=1)
    assert not verification.as_recorded
    assert verification.to_dict()["Z-1"]["verdict"] == "fails"
    assert repr(verification) == "Verification(of claims: 1, not all as recorded)"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["E-Eq470"], "did you mean 'E-Eq"),
        (["--folder", "nowhere"], "folder of Python files"),
        (["--folder", "tests/images"], "got none: it has no Python file"),
        (["--seconds", "-1"], "seconds"),
    ],
)
def test_bad_input(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *arguments]) == 2
    assert sentence in capsys.readouterr().err


LIBRARY = library()


def test_a_shell_completes_all_claims_and_papers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["__complete", "verify", ""]) == 0
    names = [line.partition("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert {*LIBRARY.claims, *(name[0] for name in LIBRARY.claims)} <= set(names)


def test_every_row_is_there_once() -> None:
    assert not LIBRARY.problems
    assert own_folder("derivations").is_dir()


@pytest.mark.parametrize("claim", [c for c in LIBRARY.claims.values() if c.verdict == FAILS], ids=lambda c: c.id)
def test_what_fails_is_corrected(claim: object) -> None:
    assert claim.correction is not None  # type: ignore[attr-defined]


STATED = [(c.id, one) for c in LIBRARY.claims.values() for one in (c, c.correction) if one and c.derivation]
ARITHMETIC = re.compile(r"[=<>/]|\\(frac|lim|sum|int|forall|[lg]eq?|text)\b|\^\{?\d")
"""What the name of a quantity must not contain, because evidence could not tell it from something else."""


def test_left_hand_sides_are_expressions_of_quantities() -> None:
    for place, claim in STATED:
        formulas = [part for part in relations_of(claim.stated) if not isinstance(part, str)]
        names = [atom.name for part in formulas for atom in part.atoms(sp.Symbol)]
        names += [applied.func.__name__ for part in formulas for applied in part.atoms(AppliedUndef)]
        assert [name for name in names if ARITHMETIC.search(name)] == [], place


def test_every_claim_says_where_it_stands_in_whole_sentences() -> None:
    for claim in LIBRARY.claims.values():
        assert claim.at, claim.id
        for one in (claim, claim.correction):
            if one is not None:
                assert re.match(r"[^a-z]", one.says), one.says
                assert not one.says.endswith("."), one.says


def test_false_claims_and_misprints_have_a_second_transcription() -> None:
    wrong = [claim for claim in LIBRARY.claims.values() if claim.verdict == FAILS]
    transcribed = {claim.id: claim.transcription or Transcription() for claim in wrong}
    assert [name for name, one in transcribed.items() if not one.quote] == []
    assert [claim.id for claim in wrong if claim.formula and not transcribed[claim.id].printed] == []


def _transcribed(claims: list[Claim]) -> Iterator[tuple[str, str]]:
    """Yield what was transcribed of a paper, by the claim or the place; other documents, such as code, are not here."""
    setting: dict[str, str] = {}
    for claim in claims:
        if claim.transcription is not None:
            setting |= claim.transcription.setting
            if claim.transcription.quote and not claim.document:
                yield claim.id, claim.transcription.quote
        for part, _ in QUOTED.findall(claim.says) if claim.derivation is None else ():
            yield claim.id, part
    yield from setting.items()


PAPERS_FOLDER = Path(os.environ.get("IGB_PAPERS", ROOT.parent / "shared" / "papers"))
TEXTS = {
    "A": "initial-guessing-bias",
    "B": "bias-and-trainability-slides",
    "C": "initialization-biases-and-losses-summary",
    "D": "bias-meets-trainability-summary",
    "E": "where-you-place-the-norm",
}


TRANSCRIBED = [
    (paper, place, quote)
    for paper, tables in groupby(LIBRARY.claims.values(), lambda claim: claim.id[0])
    for place, quote in _transcribed(list(tables))
]


@pytest.mark.skipif(not PAPERS_FOLDER.is_dir(), reason="the texts of the papers are not part of the package")
@pytest.mark.parametrize(("paper", "place", "quote"), TRANSCRIBED, ids=lambda part: part[:30])
def test_quotations_stand_in_the_document(paper: str, place: str, quote: str) -> None:
    """Parts of a quotation that ` ... ` separates are compared without spaces: formulas are set in many ways."""
    text = (PAPERS_FOLDER / f"{TEXTS[paper]}.txt").read_text(encoding="utf-8")
    for part in quote.split(" ... "):
        assert "".join(part.split()) in "".join(text.split()), (place, part)


def test_the_page_of_errors_is_written_from_the_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """To write it: `python docs/derivation_pages.py`."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    pages = load_file(ROOT / "docs" / "derivation_pages.py")
    assert pages.errors_page(list(LIBRARY.claims.values())) == (ROOT / "docs" / "errors.rst").read_text(
        encoding="utf-8"
    )


def test_readme_and_page_count_the_claims() -> None:
    """Counted here by hand: what holds, fails and is not tested, of the papers and of our own."""
    claims = list(LIBRARY.claims.values())
    verdicts = [claim.verdict for claim in claims if not claim.id.startswith("W-")]
    told = tally(claims)
    assert told.startswith(f"Of {len(verdicts)} claims {verdicts.count(HOLDS)} hold, ")
    assert f"{verdicts.count(FAILS)} fail as printed" in told
    assert f"and {verdicts.count(UNDECIDED)} are not tested" in told
    assert f"our own {len(claims) - len(verdicts)} are" in told
    kinds = Counter(claim.kind for claim in claims)
    assert kinds["misprint"] + kinds["false"] == verdicts.count(FAILS)
    assert sum(kinds.values()) - kinds[""] == verdicts.count(FAILS) + kinds["limited"]
    for page in ("README.md", "docs/errors.rst"):
        assert told in " ".join((ROOT / page).read_text(encoding="utf-8").split()), page


def test_definitions_are_told_from_what_is_not_tested() -> None:
    """By the words of their reasons, which are theirs alone."""
    untested = [claim for claim in LIBRARY.claims.values() if claim.verdict == UNDECIDED]
    words = ("a definition", "a convention", "a description", "see A-Def4.2")
    assert all(claim.definition == claim.reason.startswith(words) for claim in untested)
    assert not any(claim.definition for claim in LIBRARY.claims.values() if claim not in untested)


def test_the_readme_names_findings_with_their_places() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for name, place, numbers in (("E-s1-RMS", "section 2", "0.467"), ("E-ThmF.2", "Eqs. 92 and 93", "divide")):
        claim = LIBRARY.claims[name]
        assert f"({name}, {place}" in readme
        assert place in claim.at
        assert claim.correction is not None
        assert numbers in claim.correction.says
        assert numbers in readme


def test_claims_of_a_replaced_version_have_a_list_of_their_own() -> None:
    listed = {claim.id: claim.listed for claim in LIBRARY.claims.values() if claim.kind}
    assert {name[0] for name, title in listed.items() if "replaced" in title} == {"A"}
    assert all("replaced" in title for name, title in listed.items() if name[0] == "A")


def test_the_page_of_times_is_written_from_the_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    """To write it: `python docs/speed_page.py`. The ratios of the README are those of the file."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    speed = load_file(ROOT / "docs" / "speed_page.py")
    assert speed.page() == (ROOT / "docs" / "speed.rst").read_text(encoding="utf-8")
    ratio = {(row["work"], row["program"]): float(row["ratio"]) for row in speed.measurements()}
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    kernel, deep = "kernel of 2,000 data, relu, 20 layers", "relu, 1000 layers"
    for words in (
        f"depth 100: {ratio['grid 2,500 x 100, tanh', 'numpy']:.0f} times as fast as trapezoidal sums",
        f"20 layers: {ratio[kernel, 'neural-tangents']:.1f} times as fast as neural-tangents",
        f"and {ratio[kernel, 'numpy']:.1f} times as fast as NumPy",
        f"is {1 / ratio[deep, 'neural-tangents']:.0f} times as fast as igbtheory",
    ):
        assert words in readme


# passes through random networks without their matrices have the law of passes with them

NETWORKS, WIDTH, SIGMA_W2 = 20_000, 3, 2.0


def with_matrices(rng: np.random.Generator, h: Array, layers: int) -> tuple[Array, Array]:
    """Return what `growth` does, from the entries of all matrices."""
    start, passed = (h**2).mean(axis=(1, 2)), []
    for _ in range(layers):
        w = np.sqrt(SIGMA_W2 / WIDTH) * rng.standard_normal((len(h), WIDTH, WIDTH))
        x, slope = tanh(h)
        passed.append((w, slope))
        h = w @ x[..., None]
    delta = rng.standard_normal(h.shape)
    end = (delta**2).mean(axis=(1, 2))
    for w, slope in reversed(passed):
        delta = slope * (w.transpose(0, 2, 1) @ delta)
    return (delta**2).mean(axis=(1, 2)) / end, (h**2).mean(axis=(1, 2)) / start


def test_growth_has_the_law_of_matrices_at_a_width_of_three() -> None:
    rng = np.random.default_rng(0)
    h = np.sqrt(2.0) * rng.standard_normal((NETWORKS, WIDTH, 1))
    ours, theirs = growth(rng, h, tanh, SIGMA_W2), with_matrices(rng, h, 3)
    for one, other in zip((*ours, ours[0] * ours[1]), (*theirs, theirs[0] * theirs[1]), strict=True):
        gap = np.log(one) - np.log(other)  # both passes in one: how they depend on one another counts as well
        assert abs(gap.mean()) < 5 * gap.std() / np.sqrt(NETWORKS)
        spread = np.log(one).std() / np.log(other).std() - 1
        assert abs(spread) < 0.05  # 5 standard errors of a ratio of deviations are 5/sqrt(n) = 0.035 for normal ones


def test_a_matrix_is_the_same_on_both_ways() -> None:
    rng = np.random.default_rng(1)
    x, delta = rng.standard_normal((4, 5, 1)), rng.standard_normal((4, 6))
    y = forward(rng, x, SIGMA_W2, units=6)[..., 0]
    back = backward(rng, delta, x[..., 0], y, SIGMA_W2)
    np.testing.assert_allclose((x[..., 0] * back).sum(axis=1), (y * delta).sum(axis=1), rtol=1e-12)


def test_products_without_a_matrix_have_the_covariance_of_those_with_one() -> None:
    """Of two data in layers of three units: fewer data than units, whose vectors are replaced, and with biases."""
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, WIDTH))
    for y, expected in (
        (weighted(rng, np.broadcast_to(x, (NETWORKS, 2, WIDTH)), 4).transpose(0, 2, 1), x @ x.T),
        (forward(rng, np.broadcast_to(x.T, (NETWORKS, WIDTH, 2)), SIGMA_W2, 0.5), SIGMA_W2 / WIDTH * x @ x.T + 0.5),
    ):
        products = y[..., :, None] * y[..., None, :]
        gaps = products.mean(axis=(0, 1)) - expected
        assert (np.abs(gaps) < 5 * products.std(axis=(0, 1)) / np.sqrt(NETWORKS * y.shape[1])).all()


def test_limits_of_ratios_are_done_without_what_cancels() -> None:
    assert evaluated(sp.Limit((X**2 + 3 * X) / X, X, 0)) == 3
    assert evaluated(1 + sp.Integral(2 * X, (X, 0, 3))) == 10
