"""The report: a whole folder with the library's numbers, or none."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import csv
import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import igbtheory as igb
from igbtheory.claims import PAPERS, Finding, Section, identity
from igbtheory.claims.library import Library
from igbtheory.claims.runner import Outcome as Examined
from igbtheory.foundations import progress
from igbtheory.foundations.progress import Listener, heard_by, share
from igbtheory.foundations.saved import same, tree_of
from igbtheory.foundations.symbols import typeset
from igbtheory.networks.simulation.estimates import LayerEstimates
from igbtheory.presentation.cli import main
from igbtheory.presentation.report import album, cases, classes, page, study, write_report
from igbtheory.presentation.report.differences import differences
from igbtheory.presentation.report.jobs import Jobs

PICTURES = {"agreement", "classes", "losses", "widths-digits"} | {
    f"{kind}-{inputs}" for kind in ("guesses", "layers") for inputs in ("gaussian", "digits")
}
TABLES = {"summary.csv", "layers.csv", "widths.csv", "guesses.csv", "classes.csv", "losses.csv"}
CLAIMS = {"claims.md", "claims.html", "claims.tex", "claims.json"}
SIZE = cases.Size(12, 12, {1: (12, 8), 2: (12, 8)}, {1: (12, 32), 2: (12, 32)})


def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cases, "QUICK", SIZE)
    for module in (cases, album, classes, page, study):
        monkeypatch.setattr(module, "DATA", 40)
    for module in (page, study):
        monkeypatch.setattr(module, "WIDTH", 32)
    monkeypatch.setattr("igbtheory.presentation.report.jobs.library", three_claims)


def three_claims() -> Library:
    section = Section("Sums")

    @section.holds("Z-1", "1 + 1 = 2")
    def two() -> Iterator[Finding]:
        yield identity("the sum", 1 + 1, 2, of="1 + 1")

    @section.fails("Z-2", "1 + 1 = 3", counter_example="assert 1 + 1 != 3")
    def three() -> Iterator[Finding]:
        yield identity("the sum", 1 + 1, 3, of="1 + 1")

    @section.corrects("Z-2", "2 + 1 = 3")
    def right() -> Iterator[Finding]:
        yield identity("the sum", 2 + 1, 3, of="2 + 1")

    section.untested("a definition", ("Z-3", "Eq. 1", "a sum is a sum"))
    return Library({claim.id: claim for claim in section.claims}, {})


def one_picture(patch: pytest.MonkeyPatch) -> None:
    """Render one picture of the report: rendering takes most of the time, and .ci/run renders a whole report."""
    savefig = Figure.savefig

    def saved(figure: Figure, file: Path, **options: Any) -> None:
        if file.stem == "agreement":
            savefig(figure, file, **options)
        else:
            file.write_bytes(b"drawn")

    patch.setattr(Figure, "savefig", saved)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("reports") / "igb-report"
    with pytest.MonkeyPatch.context() as patch:
        tiny(patch)
        one_picture(patch)
        assert write_report(target, seed=1, quick=True, pdf=True) == ()
    return target


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_folder_is_whole_and_alone(folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    assert names == {f"{name}.{kind}" for name in PICTURES for kind in ("pdf", "png", "txt")} | TABLES | CLAIMS | {
        "index.html",
        "report.json",
    }
    assert all(path.stat().st_size for path in folder.iterdir())
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    manifest = json.loads((folder / "report.json").read_text())
    assert set(manifest["files"]) == names
    assert manifest["seed"] == 1
    assert manifest["complete"]


def test_the_summary_has_the_predictions_of_the_library(folder: Path) -> None:
    inputs = {"gaussian": igb.GaussianInputs(), "digits": igb.standardised(igb.digits())[:40]}
    found = rows(folder / "summary.csv")
    assert len(found) == 12 + 12  # without norms, and every norm in every placement at two depths
    own = 0
    for row in found:
        placed = {"norm": row["norm"], "placement": row["placement"]} if row["norm"] else {}
        net = igb.mlp(int(row["depth"]), row["activation"], **placed)
        limit = net.predict(inputs[row["inputs"]])
        assert row["regime"] == limit.regime
        assert float(row["gamma_guess_infinite_width"]) == limit.gamma_guess
        # the full batch has the 40 data that were simulated
        batch = None if limit.batch is None else limit.batch.at(40).per_layer
        gamma = limit.gamma if batch is None else batch.c_within[-1] / (1 - batch.c_within[-1])
        if row["compared_at_width"] != "inf":
            own += 1
            narrow = net.predict(width=32)
            assert narrow.method == "expansion"
            assert [float(row[x]) for x in ("var_G0", "var_G0_theory_error")] == [narrow.var_g0, narrow.var_g0_error]
            gamma = narrow.gamma
        assert float(row["gamma"]) == pytest.approx(gamma, rel=1e-12)
    assert own == 6 + 6  # the expansion holds without a norm, with LayerNorm before, and with RMSNorm


def test_the_tables_tell_the_same_story(folder: Path) -> None:
    relu = {"inputs": "digits", "activation": "relu", "depth": "2"}

    def chosen(name: str, **more: str) -> list[dict[str, str]]:
        return [row for row in rows(folder / name) if {**row, **relu, **more} == row]

    assert len(chosen("guesses.csv", width="16")) == 12
    (limit,) = chosen("widths.csv", quantity="Var(G0)", width="inf")
    (summary,) = chosen("summary.csv")
    assert (summary["var_G0_simulated"], summary["var_G0"]) == (limit["value"], limit["theory"])
    three = [float(row["value"]) for row in chosen("widths.csv", quantity="Var(G0)")[:3]]
    assert float(limit["value"]) == pytest.approx(np.dot([1 / 3, -2, 8 / 3], three), rel=1e-12)
    (layer,) = chosen("layers.csv", layer="3", source="theory")
    assert layer["gamma"] == summary["gamma"]
    assert layer["gamma_guess"] == summary["gamma_guess_infinite_width"]
    z = (float(limit["value"]) - float(limit["theory"])) / float(limit["error"])
    assert float(summary["var_G0_z"]) == pytest.approx(z, rel=1e-12)


def test_the_shares_of_ten_classes_are_those_of_the_library(folder: Path) -> None:
    found = [row for row in rows(folder / "classes.csv") if row["depth"] == "2"]
    assert [row["rank"] for row in found] == [*map(str, range(1, 11)), "accuracy bound"]
    for kind in ("theory", "simulated"):
        assert sum(float(row[kind]) for row in found[:-1]) == pytest.approx(1, rel=1e-12)
    rng, scatter = np.random.default_rng(7), igb.mlp(2, "relu").predict().gamma ** 0.5
    outputs = scatter * rng.standard_normal((4000, 1, 10)) + rng.standard_normal((4000, 40, 10))
    counts = np.sum(outputs.argmax(axis=2)[..., None] == np.arange(10), axis=1)
    ranked = np.take_along_axis(counts, np.argsort(-outputs.mean(axis=1)), axis=1) / 40
    bound = np.minimum(counts / 40, 0.1).sum(axis=1)
    for row, draws in zip(found, (*ranked.T, bound), strict=True):
        error = np.hypot(float(row["theory_error"]), draws.std() / np.sqrt(len(draws)))
        assert abs(float(row["theory"]) - draws.mean()) < 5.5 * error  # 4e-7 by chance, and the seeds are fixed


def test_losses_are_measured_in_cross_entropy(folder: Path) -> None:
    strengths = {row["loss"]: row for row in rows(folder / "losses.csv") if row["quantity"] == "strength"}
    for kind in ("theory", "simulated"):
        assert float(strengths["cross-entropy"][kind]) == pytest.approx(1, abs=1e-6)
        assert float(strengths["piecewise-zero"][kind]) < 1


def test_the_page_needs_nothing_else(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    sources = re.findall(r'src="([^"]*)"', page)
    assert len(sources) == len(PICTURES)
    assert "http-equiv" not in page, "a complete page does not load itself again"
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert not re.search(r"url\(|@import|<script|<link", page)
    assert "Seed 1" in page
    assert "gaussian" not in re.sub(r"<[^>]*>", "", page), "names of cases are for files"


def test_the_page_states_numbers_of_the_law_of_relu(folder: Path) -> None:
    """By the density and without `cdf`: how many networks share the data nearly equally, and how many do not."""
    text = " ".join((folder / "index.html").read_text(encoding="utf-8").split())
    for depth in SIZE.depths:
        law = igb.mlp(depth, "relu").predict().G0
        even, lopsided = law.expect(lambda _: 1.0, 0.4, 0.6), 2 * law.expect(lambda _: 1.0, 0.9, 1.0)
        assert f"{even:.0%} of the networks give each class 40% to 60%, and {lopsided:.0%} give at least 90%" in text


def test_the_page_counts_the_biased_cases(folder: Path) -> None:
    """Linear and tanh are not biased on Gaussian inputs, nor is ReLU in front of BatchNorm or LayerNorm."""
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert f"In {24 - 2 * 2 - 2 * 2} of the 24 cases on this page this is not so" in text


def test_captions_say_how_many_networks_are_drawn(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    captions = {name: (folder / f"{name}.txt").read_text(encoding="utf-8") for name in PICTURES}
    said = {name: " ".join(text.split()) for name, text in captions.items()}
    assert "12 of each of the widths 8, 16 and 32 for each of 3 pairs" in said["layers-digits"]
    assert "each on 40 given data" in said["layers-digits"]
    assert "12 of width 32 for each of 6 pairs" in said["guesses-gaussian"]
    assert "each on 40 Gaussian data of its own" in said["guesses-gaussian"]
    assert "12 of width 32 for each of 2 pairs" in said["classes"]
    assert {name for name, text in said.items() if "Extrapolated points are no networks" in text} == {"widths-digits"}
    for text in captions.values():
        assert text.partition("\n\n")[2] in page


def test_the_links_of_the_page_lead_somewhere(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'href="([^"]*)"', page)
    sections = re.findall(r'<h2 id="([^"]*)"', page)
    contents = re.findall(r'href="#([^"]*)"', page.partition("<nav")[2].partition("</nav>")[0])
    assert ["predicted", "seen", "differ", "means", *contents] == sections
    papers = {link for link in links if link.startswith("https://arxiv.org/abs/")}
    assert papers == {f"https://arxiv.org/abs/{paper.arxiv}" for paper in PAPERS.values() if paper.arxiv}
    lists = {link for link in links if link.startswith("claims.html#")}
    titles = ("false-statements", "limits-of-validity", "misprints", "statements-of-a-replaced-version")
    assert {f"claims.html#{title}" for title in titles} == lists
    assert 'id="false-statements"' in (folder / "claims.html").read_text(encoding="utf-8")
    files = {link for link in links if link[0] != "#"} - papers - lists
    assert {f"{name}.png" for name in PICTURES} | TABLES | {"claims.html"} == files
    assert files <= {path.name for path in folder.iterdir()}
    assert "$" not in re.sub(r'src="[^"]*"', "", page), "a formula that is not typeset"


def test_the_page_says_what_chance_does(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    scores = [float(row[name]) for row in rows(folder / "summary.csv") for name in ("gamma_z", "var_G0_z")]
    found = re.search(
        r"about (\S+) of them beyond two standard errors and\s(\S+) beyond three\. Here it is (\d+) and (\d+),",
        page,
        re.DOTALL,
    )
    assert found is not None
    # printed with two digits
    assert [float(found[i]) for i in (1, 2)] == pytest.approx([48 * 0.0455, 48 * 0.0027], rel=0.01)
    assert [int(found[i]) for i in (3, 4)] == [sum(abs(z) > limit for z in scores) for limit in (2, 3)]


def test_norms_are_compared_for_the_data_that_were_simulated(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    table = page.partition('<h2 id="norms">')[2].partition("</table>")[0]
    names = re.findall(r"<tr><td>(\w+ \w+)</td>", table)
    assert names == [f"{norm} {place}" for norm in ("BatchNorm", "LayerNorm", "RMSNorm") for place in cases.PLACEMENTS]
    assert "0.4669" in table
    assert "\N{MINUS SIGN}0.025<" in table  # BatchNorm after ReLU: -1/D of D = 40 data
    assert table.count("<td>∞</td>") == 2 * 2 + 2  # the full batch, and LayerNorm behind ReLU


def test_the_page_tells_the_verdicts(folder: Path) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    table = page.partition('<h2 id="claims">')[2].partition("<h2")[0]
    assert "<tr><td>Z</td><td>1</td><td>0</td><td>1</td><td>0</td><td>1</td></tr>" in table
    assert '<a href="claims.html#false-statements">1 false statements</a>' in table
    assert "differ" not in table
    listed = json.loads((folder / "claims.json").read_text())["claims"]
    assert {claim["id"] for claim in listed} == {"Z-1", "Z-2", "Z-3"}


@pytest.mark.slow
def test_the_numbers_do_not_depend_on_the_workers(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny(monkeypatch)
    one_picture(monkeypatch)
    target = tmp_path / "out"
    shutil.copytree(folder, target)  # an earlier report, which is replaced
    (target / "summary.csv").write_text("old")
    write_report(target, seed=1, quick=True, workers=1)
    for name in TABLES | CLAIMS:
        assert (target / name).read_bytes() == (folder / name).read_bytes()
    assert not list(target.glob("*.pdf"))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder of a report that was interrupted among its networks, and its page before this."""
    target = tmp_path_factory.mktemp("stopped") / "igb-report"
    pages: list[str] = []

    def begun(page: Path) -> None:
        pages.append(page.read_text(encoding="utf-8"))
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        tiny(patch)
        one_picture(patch)
        with pytest.raises(KeyboardInterrupt):
            write_report(target, seed=1, quick=True, executor="threads:1", begun=begun)
    return target, pages[0]


def test_the_page_is_there_with_the_first_picture_and_all_predictions(stopped: tuple[Path, str]) -> None:
    _, page = stopped
    assert page.count("data:image/png") == 2, "both pictures of the first cases"
    assert "This report is being computed" in page
    assert "the networks of 6 of 24 cases, and\n0 claims" in page
    assert '<meta http-equiv="refresh"' in page
    table = page.partition('<h2 id="norms">')[2].partition("</table>")[0]
    assert "0.4669" in table
    assert "…" in table
    assert page.rstrip().endswith("</html>")


def test_an_interrupted_report_is_a_whole_page_of_what_was_done(stopped: tuple[Path, str]) -> None:
    target, _ = stopped
    page = (target / "index.html").read_text(encoding="utf-8")
    assert "This report was interrupted" in page
    assert "http-equiv" not in page
    assert "claims.html" not in page
    manifest = json.loads((target / "report.json").read_text())
    assert not manifest["complete"]
    assert {path.name for path in target.iterdir()} == set(manifest["files"])
    assert len(rows(target / "summary.csv")) == 6
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    for link in re.findall(r'href="([^"#:]*)"', page):
        assert (target / link).is_file()


def test_a_simulation_and_a_claim_that_differ_are_named() -> None:
    claim = three_claims().claims["Z-1"]
    assert claim.derivation is not None
    evidence = tuple(claim.derivation())
    case = cases.Case("gaussian", "relu", 1)
    (right,) = study.expectations([case])
    assert right.at_width is not None
    outcome = study.Outcome(right, right.case.network().simulate(60, 100, 60).compare(right.at_width))
    assert differences([outcome], [Examined(claim, evidence)]) == ()

    def deviating(expected: study.Expected) -> str:
        comparison = case.network().simulate(60, 100, 60).compare(expected.compared)
        (line,) = differences([study.Outcome(expected, comparison)], [])
        return line

    # the smallest error of Var(G0) that would be seen is in the table: one that is larger by a tenth is
    row, theory = outcome.variance, vars(right.at_width.per_layer)
    shifted = theory["var_g0"] - 1.1 * outcome.visible(row) + row.value - row.theory
    wrong = replace(right.at_width, per_layer=LayerEstimates(**theory | {"var_g0": shifted}))
    line = deviating(replace(right, at_width=wrong))
    assert re.match(r"ReLU, depth 1, Gaussian .+: Var\(G0\) deviates by 5\.\d+ standard errors; G0: .+", line)
    assert "tends to other moments" in deviating(replace(right, beyond=1e-5))
    (of_claim,) = differences([], [Examined(replace(claim, verdict="fails"), evidence)])
    assert of_claim == "claim Z-1: the recorded verdict or the words of the document are not confirmed"
    assert differences([], [Examined(claim, trouble="it took too long")]) == ("claim Z-1: it took too long",)


@pytest.mark.parametrize("wrong", ["activation", "var_mu", "var_chi"])
def test_a_theory_of_infinite_width_that_is_wrong_by_little_is_found(wrong: str) -> None:
    """Infinite width is compared with the limit of the expansion: an error of one in 100,000 is found."""
    (right,) = study.expectations([cases.Case("gaussian", "relu", 3)])
    assert right.beyond < study.ALIKE / 3
    if wrong in vars(right.limit.per_layer):
        layers = right.limit.per_layer
        limit = replace(right.limit, per_layer=replace(layers, **{wrong: 1.00001 * getattr(layers, wrong)}))
    else:
        limit = igb.mlp(3, "where(x > 0, 1.00001*x, 0)").predict()
    nearly = [right.case.network().predict(width=width) for width in (10**6, 2 * 10**6)]
    assert study._difference(limit, *nearly) > study.ALIKE  # noqa: SLF001 - the check itself


def test_pictures_have_embedded_fonts_and_no_date(folder: Path) -> None:
    content = (folder / "agreement.pdf").read_bytes()
    assert b"/FontFile2" in content
    assert b"CreationDate" not in content


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("at sigma_w^2 = 2 and sigma_b2 <= 1", r"at [\sigma_{w}^{2}] = 2 and [\sigma_{b}^{2}] ≤ 1"),
        (
            "Z_i = sum_j W_ij X_j/sqrt(q_aa + eps)",
            r"[Z_{i}] = [\sum_{j}] [W_{ij}] [X_{j}]/[\sqrt{q_{aa} + \varepsilon}]",
        ),
        ("chi~_1 of gamma_guess: Phi^-1(G0)", r"[\tilde{\chi}_{1}] of [\gamma_{\mathrm{guess}}]: [\Phi^{-1}]([G_0])"),
        (
            "a 1/N of n_samples, p.gamma, 2.5, igb.mlp(sigma_w2=1)",
            "a 1/N of n_samples, p.gamma, 2.5, igb.mlp(sigma_w2=1)",
        ),
    ],
)
def test_symbols_in_sentences_are_typeset_and_names_in_code_are_not(sentence: str, expected: str) -> None:
    assert typeset(sentence, lambda latex: f"[{latex}]") == expected


def test_numbers_read_well() -> None:
    from igbtheory.presentation.report.page import _number, _with_error  # noqa: PLC0415 - their own test

    assert _number(0.0000625) == "6.25·10<sup>−5</sup>"  # noqa: RUF001 - a minus sign
    assert _number(18.3905) == "18.39"
    assert _with_error(-0.0000464, 0.000047) == "−0.000046 ± 0.000047"  # noqa: RUF001 - as above
    assert _with_error(18.25, 1.42) == "18.2 ± 1.4"
    assert _with_error(1234.5, 99.0) == "1234 ± 99"
    assert _with_error(4e-8, 3e-9) == "(4.00 ± 0.30)·10<sup>−8</sup>"  # noqa: RUF001 - as above
    assert _with_error(-0.0099999999, 1.2e-7) == "−0.01000000 ± 0.00000012"  # noqa: RUF001 - as above


@pytest.mark.slow  # stores of runs and of figures are tested in every run
def test_a_store_keeps_networks_classes_and_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny(monkeypatch)
    monkeypatch.setattr(cases, "INPUTS", ("gaussian",))

    def found(seed: int = 1) -> Any:
        jobs = Jobs(replace(SIZE, extrapolated={1: (12, 8)}), seed)
        assert len(list(jobs.run(None, "threads:1", tmp_path / "run.db"))) == len(jobs.cases) + 1 + len(jobs.claims)
        return tree_of([jobs.outcomes, jobs.studies, [verdict.findings for verdict in jobs.verdicts]])

    first = found()
    monkeypatch.setattr("igbtheory.presentation.report.classes.outputs", uncomputed)
    monkeypatch.setattr("igbtheory.claims.runner._findings", uncomputed)
    assert same(found(), first)
    with pytest.raises(ValueError, match="seed = 1, and this one has seed = 2"):
        found(2)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_an_earlier_report_survives_an_interrupt(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out"
    shutil.copytree(folder, target)
    monkeypatch.setattr("igbtheory.presentation.report.Jobs", interrupted)
    assert main(["report", "--out", str(target)]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert {path.name: path.read_bytes() for path in target.iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }


def test_an_interrupted_first_report_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igbtheory.presentation.report.Jobs", interrupted)
    assert main(["report", "--out", str(tmp_path / "out")]) == 130
    assert list(tmp_path.iterdir()) == []


def uncomputed(*_: object) -> None:
    pytest.fail("refused too late")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("notes", "holds 'mine.txt', which no report wrote"),
        ("file", "is a file"),
        ("missing/out", "cannot write a folder"),
        ("file/out", "cannot write a folder"),
        (".", "the folder you are in"),
    ],
)
def test_targets_that_would_lose_something_are_refused_before_computing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, words: str
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("igbtheory.presentation.report.Jobs", uncomputed)
    assert main(["report", "--out", name]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert {path.name for path in tmp_path.iterdir()} == {"notes", "file"}


def test_the_command_prints_the_page_and_tells_progress_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def written(target: Path, seed: int, *, quick: bool, begun: Any, **_: Any) -> tuple[str, ...]:
        begun(target / "index.html")
        return () if seed == 0 and not quick else ("tanh, depth 1: differs",)

    monkeypatch.setattr("igbtheory.presentation.report.write_report", written)
    assert main(["report", "--out", str(tmp_path / "out")]) == 0
    out, err = capsys.readouterr()
    assert out == f"{tmp_path / 'out' / 'index.html'}\n"
    told = f"the first pictures are on {tmp_path / 'out' / 'index.html'}, which grows until everything is finished\n"
    assert err == told, "the bar is for terminals"
    assert main(["report", "--quick", "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == f"{told}igb: tanh, depth 1: differs\n"


def test_loops_inside_count_as_shares_of_the_loops_around_them() -> None:
    told: list[tuple[float, str]] = []
    with heard_by(Listener(lambda done, text: told.append((done, text)), print)):
        with share(0.0, 0.5, "first"):
            for _ in progress.counted("ab", 2):
                assert list(progress.counted(range(2), 2, "inside")) == [0, 1]
        assert list(progress.counted("xy", 2, "last")) == ["x", "y"]
    at = [0.0, 0.0, 0.0, 0.125, 0.25, 0.25, 0.375]
    assert told == [*((done, "first") for done in at), (0.0, "last"), (0.5, "last")]


def test_a_bar_and_a_first_result_stand_on_standard_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with progress.progress_bar():
        progress.show_first("measured")
        with progress.progress_bar():  # inside another bar it adds nothing
            assert list(progress.counted(range(3), 3, "pieces")) == [0, 1, 2]
    out, err = capsys.readouterr()
    assert out == ""
    assert "measured" in err
    assert "pieces" in err
    with progress.progress_bar(wanted=False):
        progress.show_first("measured")
    assert capsys.readouterr() == ("", "")
