"""The figures: their numbers and their artists, and the files that they become."""

import csv
import json
import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import scipy
from conftest import draw_less
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images
from repeated import slow

import igbtheory as igb
from igbtheory.foundations.runs import Store
from igbtheory.networks.simulation.extrapolation import RICHARDSON
from igbtheory.presentation.cli import main
from igbtheory.presentation.pictures import STYLES, Run, Sheet, Style, names, sheets, writing
from igbtheory.presentation.pictures.caption import ERRORS, HISTOGRAMS, LIMIT, caption
from igbtheory.presentation.pictures.marks import extrapolated, histogram
from igbtheory.presentation.pictures.table import rows
from igbtheory.presentation.pictures.writing import write

Capture = pytest.CaptureFixture[str]
STYLE = STYLES["neurips"]
IMAGES = Path(__file__).parent / "images"
LEVEL = 1e-6
"""Probability at most that the points of one figure disagree with its lines by chance."""


@dataclass(frozen=True)
class Expected:
    """What a figure has: panels and labelled lines of every page; what makes its data tiny, by the name in its file.

    points: simulated points with error bars that have a line of theory; degrees: of freedom of their errors at least.
    """

    panels: int
    lines: int
    points: int = 0
    degrees: int = 39
    pages: int = 1
    tiny: dict[str, Any] = field(default_factory=dict)
    effort: float = 0.1


TABLE = {
    "accuracy_bound": Expected(2, 3, points=5, degrees=15, effort=0.02, tiny={"SAMPLES": 60}),
    "activation_functions": Expected(6, 12),
    "activations_and_pooling": Expected(3, 3, effort=0.0),
    "amplification": Expected(3, 7, points=16, degrees=11, effort=0.0, tiny={"POOLS": (2, 4), "SHIFTS": (0.0, 1.0)}),
    "atlas": Expected(4, 7, pages=4, effort=0.0, tiny={"NAMES": ("relu", "silu", "sign", "squared_relu")}),
    "batch_norm_density": Expected(8, 24, points=100, degrees=1000),
    "bias_and_gradients": Expected(4, 20),
    "class_gradients": Expected(3, 6, effort=0.0, tiny={"DEPTH": 3, "WIDTH": 40}),
    "correlation_over_depth": Expected(2, 6, points=84, degrees=11, effort=0.0),
    "finite_data": Expected(2, 4, points=6, degrees=59, effort=0.03, tiny={"SIMULATED": (4, 16)}),
    "finite_width": Expected(
        2, 8, points=28, degrees=11, effort=0.0, tiny={"WIDTHS": (16, 48), "SAMPLES": 30, "PAIRS": 200}
    ),
    "gamma_of_layers": Expected(1, 3, points=30, degrees=11, effort=0.0),
    "gradient_factors": Expected(2, 7, points=30, degrees=39, tiny={"GRID": np.linspace(0.25, 4.0, 13)}),
    "losses_in_training": Expected(6, 18, effort=0.0, tiny={"DATA": 40, "WIDTH": 60, "STEPS": np.array([0, 1, 4, 16])}),
    "norms": Expected(10, 10, pages=2, effort=0.0, tiny={"DEPTHS": (1, 3), "WIDTH": 64, "DIGITS": 12}),
    "output_gaussians": Expected(6, 11, effort=0.05, tiny={"WIDTH": 100}),
    "phase_diagrams": Expected(7, 12, tiny={"DEPTH": 3, "ACTIVATIONS": {"ReLU": "relu", "leaky ReLU": "leaky_relu"}}),
    "probabilities_before_training": Expected(
        2, 3, points=10, degrees=11, effort=0.0, tiny={"DEPTH": 3, "SAMPLES": 60, "WIDTH": 100}
    ),
    "proxy_direction": Expected(
        1, 2, points=2, degrees=39, tiny={"SIMULATED": (4, 60), "SIZES": np.array([2, 4, 5, 24, 60])}
    ),
    "regimes": Expected(3, 5, tiny={"DEPTHS": (10,)}),
    "residual_networks": Expected(
        4,
        14,
        points=10,
        degrees=11,
        effort=0.0,
        tiny={"DEPTHS": (2, 4), "GRID": np.array([0.5, 1.0, 2.0, 3.0, 4.0]), "WIDTH": 32, "SAMPLES": 50},
    ),
    "several_classes": Expected(
        2,
        4,
        points=16,
        degrees=11,
        effort=0.0,
        tiny={
            "WIDTH": 100,
            "CLASSES": (2, 10),
            "NORMAL": np.linspace(-3.2, 5.5, 59),
            "GRID": np.geomspace(0.05, 50, 31),
        },
    ),
    "training_by_start": Expected(4, 6, effort=0.0, tiny={"DATA": 30, "WIDTH": 40}),
    "training_with_norms": Expected(8, 10, effort=0.0, tiny={"DATA": 30, "WIDTH": 40}),
    "vanilla_transformer": Expected(
        2, 6, effort=0.0, tiny={"DEPTHS": (1, 2), "GRID": np.array([0.5, 2.0]), "WIDTH": 32}
    ),
    "two_convolutional_networks": Expected(2, 0, effort=0.0, tiny={"DATA": 8, "CHANNELS": 8}),
}
QUICK = {"activation_functions", "finite_data", "output_gaussians", "regimes"}
"""Figures that are drawn in every run: they have artists of every kind."""
EVERY = pytest.mark.parametrize("name", [name if name in QUICK else slow(name) for name in TABLE], scope="module")
"""The scope puts all tests of a figure beside each other, so that one process draws it."""


@cache
def tiny(name: str) -> tuple[Sheet, Any]:
    """The figure, and its data from small ensembles."""
    (sheet,) = sheets([name])
    sheet.compute.__globals__.update(TABLE[name].tiny)
    with pytest.MonkeyPatch.context() as patch:
        draw_less(patch)
        return sheet, sheet.compute(Run(TABLE[name].effort))


@cache
def drawn(name: str) -> dict[str, Figure]:
    """The pages of the figure in the narrowest style, where things are closest."""
    sheet, data = tiny(name)
    with STYLE.context():
        pages = sheet.pages(data, STYLE)
        for figure in pages.values():
            figure.draw_without_rendering()
    return pages


def panels(name: str) -> Iterator[Any]:
    for figure in drawn(name).values():
        yield from figure.axes


def curves(axes: Any) -> list[Any]:
    """Lines of theory: all that is no part of error bars, no guide and no bare marker."""
    held = {id(container.lines[0]) for container in axes.containers if isinstance(container, ErrorbarContainer)}
    return [line for line in axes.lines if id(line) not in held and line.get_linestyle() != "None"]


def labelled(axes: Any) -> list[Any]:
    return [line for line in curves(axes) if not line.get_label().startswith("_")]


def test_the_table_has_every_figure() -> None:
    assert sorted(TABLE) == names()


@EVERY
def test_panels_and_lines_are_those_of_the_table(name: str) -> None:
    expected, pages = TABLE[name], drawn(name)
    assert len(pages) == expected.pages
    assert {len(figure.axes) for figure in pages.values()} == {expected.panels}
    assert sum(len(labelled(axes)) for axes in next(iter(pages.values())).axes) == expected.lines


@EVERY
def test_every_axis_has_a_label_and_shows_its_data(name: str) -> None:
    for figure in drawn(name).values():
        for axes in figure.axes:
            place = axes.get_subplotspec()
            assert axes.get_xlabel() or figure.get_supxlabel() or place is None or not place.is_last_row()
            assert axes.get_ylabel() or figure.get_supylabel() or place is None or not place.is_first_col()
            for line in curves(axes):
                if line.get_transform() == axes.transData and len(line.get_xdata()):
                    x, y = np.asarray(line.get_data())
                    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
                    assert np.any((left <= x) & (x <= right) & (low <= y) & (y <= high)), line.get_label()


@EVERY
def test_lines_of_a_panel_are_told_apart_in_grey(name: str) -> None:
    for axes in panels(name):
        dashes = [(str(line._dash_pattern), line.get_transform() == axes.transData) for line in labelled(axes)]  # noqa: SLF001
        assert len(set(dashes)) == len(dashes)


@EVERY
def test_no_legend_hides_a_line(name: str) -> None:
    for axes in panels(name):
        if (legend := axes.get_legend()) is not None:
            box = legend.get_window_extent()
            for line in curves(axes):
                places = line.get_transform().transform(np.column_stack(_fine(*line.get_data())))
                shown = axes.bbox.frozen()
                hidden = [p for p in places if box.contains(*p) and shown.contains(*p)]
                assert not hidden, (axes.get_title(), line.get_label())


@EVERY
def test_legends_of_a_figure_fit_into_it(name: str) -> None:
    for figure in drawn(name).values():
        for legend in figure.legends:
            box = legend.get_window_extent()
            assert figure.bbox.x0 <= box.x0
            assert box.x1 <= figure.bbox.x1


@EVERY
def test_panels_have_letters_and_series_names(name: str) -> None:
    for figure in drawn(name).values():
        shown = [axes for axes in figure.axes if axes.get_subplotspec() is not None]
        above = [legend.get_title().get_text() for axes in shown if (legend := axes.get_legend())]
        titles = [title for title in (*above, *(axes.get_title() for axes in shown)) if title]
        if len(shown) > 1:
            assert sorted(title[:3] for title in titles) == [f"({letter})" for letter in "abcdefghij"[: len(shown)]]
        unnamed = {
            row.series for row in rows(figure) if re.fullmatch(r"|(child|container|nolegend|collection).*", row.series)
        }
        assert not unnamed


@EVERY
def test_axes_end_where_shares_end(name: str) -> None:
    quantities = ("accuracy", "fraction", "share", "correlation", "distribution function", "bound on")
    for axes in panels(name):
        for label, ends in ((axes.get_xlabel(), axes.get_xlim()), (axes.get_ylabel(), axes.get_ylim())):
            if any(word in label for word in quantities):
                assert 0 <= ends[0] < ends[1] <= 1, label


def test_a_backward_threshold_has_no_kink() -> None:
    found = tiny("regimes")[1]["tanh, 10 layers"]
    steps = np.diff([found.fine_backward / 4, found.fine_sigma_b2 / 0.5])
    assert np.degrees(np.abs(np.diff(np.arctan2(*steps)))).max() < 8  # 28 of evenly spaced points


def _fine(x: Any, y: Any) -> tuple[Any, Any]:
    """The vertices of a line, and points between them."""
    t = np.linspace(0, len(x) - 1, max(len(x), 400))
    return tuple(np.interp(t, np.arange(len(x)), np.asarray(part, float)) for part in (x, y))


@EVERY
def test_points_agree_with_the_lines_of_their_colour(name: str) -> None:
    deviations = [z for axes in panels(name) for z in _deviations(axes)]
    if TABLE[name].points:
        assert len(deviations) >= TABLE[name].points
        allowed = scipy.stats.t(TABLE[name].degrees).isf(LEVEL / len(deviations) / 2)
        assert np.max(np.abs(deviations)) < allowed


def _deviations(axes: Any) -> Iterator[float]:
    """Points less the line of their colour, in standard errors; points that do not vary must lie on the line."""
    lines = {line.get_color(): line for line in curves(axes) if line.get_transform() == axes.transData}
    for container in axes.containers:
        if not lines or not isinstance(container, ErrorbarContainer) or container.lines[0] is None:
            continue
        drawn_points: Any = container.lines[0]
        bars: Any = container.lines[2][0]
        if (line := lines.get(drawn_points.get_color())) is None:
            continue  # networks of one width, in a pale colour: they differ from infinite width
        for (x, y), ends in zip(drawn_points.get_xydata(), bars.get_segments(), strict=True):
            expected = np.interp(x, *line.get_data())
            yield float((y - expected) / ((ends[1][1] - ends[0][1]) / 2 + 1e-9 * (1 + abs(expected))))


@EVERY
def test_bars_of_histograms_are_shares_with_binomial_errors(name: str) -> None:
    for axes in panels(name):
        bars = [row for row in _rows(axes) if row.kind == "bars"]
        masses = np.array([(row.x_high - row.x_low) * row.y for row in bars])
        assert masses.sum() <= 1 + 1e-9
        errors = [row for row in _rows(axes) if row.series == "finite networks, standard error"]
        assert bool(bars) == bool(errors)
        if bars:
            spreads = np.array([(row.y_high - row.y_low) / 2 for row in errors])
            widths = np.array([row.x_high - row.x_low for row in bars])
            ratio = (spreads * widths) ** 2 / np.maximum(masses * (1 - masses), 1e-12)
            seen = masses > 0
            np.testing.assert_allclose(ratio[seen], ratio[seen][0], rtol=1e-9)


def _rows(axes: Any) -> list[Any]:
    number = axes.figure.axes.index(axes)
    return [row for row in rows(axes.figure) if row.panel == number]


@pytest.mark.slow
def test_points_of_every_width_lead_to_the_extrapolated_ones() -> None:
    found = [row for row in rows(drawn("accuracy_bound")[""]) if row.panel == 1 and row.kind == "points"]
    values = {name: [row.y for row in found if row.series == name] for name in dict.fromkeys(r.series for r in found)}
    assert list(values) == ["width 64", "width 128", "width 256", "extrapolated"]
    *widths, limit = map(np.array, values.values())
    np.testing.assert_allclose(limit, RICHARDSON @ widths, rtol=1e-12)


def test_a_caption_has_the_numbers_of_the_run_and_says_what_is_drawn() -> None:
    run, figure = Run(0.0, {"executor": "threads:1"}), Figure()
    axes = figure.subplots()
    ensembles = [run.ensemble(igb.mlp(depth), 40, 4, 5) for depth in (1, 2)]
    given = run.simulate(igb.mlp(1), 40, 7, 5, inputs=igb.digits()[:3])
    next(run.outputs(igb.mlp(1), 2, 1, 9, 1, 0))

    def said() -> str:
        return " ".join(caption("A title", "About\nit.", run.drawn, ["A fact."], [figure]).split())

    drawn = (
        "A title. About it. "
        "Finite networks: 12 of each of the widths 4, 8 and 16 for each of 2 pairs of an architecture and inputs, "
        "each on 5 Gaussian data of its own; 12 of width 7, each on 3 given data; "
        "1 of width 9, each on 1 Gaussian datum of its own. A fact."
    )
    assert said() == drawn
    histogram(axes, given.G0, np.array([0, 0.4, 1]))
    assert said() == f"{drawn} {HISTOGRAMS} {ERRORS}"
    extrapolated(axes, 0, [1], ensembles[0].gamma.at([-1]))
    assert said() == f"{drawn} {LIMIT} {HISTOGRAMS} {ERRORS}"


def function(name: str, which: str) -> Any:
    """A function of the file of a figure."""
    (sheet,) = sheets([name])
    return sheet.compute.__globals__[which]


def test_a_map_of_the_table_is_that_of_the_data() -> None:
    _, data = tiny("regimes")
    found: list[Any] = [row for row in rows(drawn("regimes")[""]) if row.kind == "map" and row.panel == 0]
    data = data["tanh, 10 layers"]
    expected = np.clip(np.log10(data.gamma), -2, 6)
    np.testing.assert_array_equal([row.value for row in found], expected.T.ravel())
    np.testing.assert_array_equal([row.x for row in found[: len(expected)]], data.sigma_b2)


@pytest.mark.parametrize("size", [5, 16])
def test_the_densities_of_batch_norm_have_their_moments(size: int) -> None:
    exact, proxy = function("batch_norm_density", "exact"), function("batch_norm_density", "proxy")
    edge = np.sqrt(size - 1)
    for power, moment in ((0, 1.0), (2, 1.0)):
        integral, _ = scipy.integrate.quad(lambda b, k=power: float(exact(size, b)) * b**k, -edge, edge)
        assert integral == pytest.approx(moment, rel=1e-7)  # of quadrature beside a square root
    integral, _ = scipy.integrate.quad(lambda b: float(proxy(size, b)) * b**2, -np.inf, np.inf)
    assert integral == pytest.approx(size / (size - 4), rel=1e-6)


def figures(capsys: Capture, tmp_path: Path, *tokens: str) -> tuple[int, str, str]:
    status = main(["figures", *tokens, "--out", str(tmp_path / "out")])
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_writes_all_files_and_the_table_is_what_is_drawn(capsys: Capture, tmp_path: Path) -> None:
    status, out, _ = figures(capsys, tmp_path, "activation_functions", "--quick", "--style", "iclr")
    assert status == 0
    assert out == f"{tmp_path / 'out' / 'activation_functions.pdf'}\n"
    found = {path.suffix: path for path in (tmp_path / "out").iterdir()}
    assert sorted(found) == [".csv", ".json", ".pdf", ".png", ".svg", ".txt"]
    assert b"/Type /Font\n" in found[".pdf"].read_bytes().replace(b"/Type /Font /", b"/Type /Font\n/")
    assert b"/Subtype /Type3" not in found[".pdf"].read_bytes()
    sheet = tiny("activation_functions")[0]
    assert found[".txt"].read_text(encoding="utf-8").startswith(f"{sheet.title}.\n\nSource: initial-guessing-bias")
    about = json.loads(found[".json"].read_text(encoding="utf-8"))
    assert about["style"] == "iclr"
    assert set(about["files"]) == {path.name for kind, path in found.items() if kind != ".json"}
    assert about["versions"]["igbtheory"] == igb.__version__
    assert all(0 <= entry["relative_error"] < 1e-10 for entry in about["computed"])
    with found[".csv"].open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    figure = drawn("activation_functions")[""]
    for panel, axes in enumerate(figure.axes):
        for line in labelled(axes):
            if line.get_transform() == axes.transData:
                own = [row for row in table if row["panel"] == str(panel) and row["series"] == line.get_label()]
                np.testing.assert_array_equal([float(row["x"]) for row in own], line.get_xdata())
                np.testing.assert_array_equal([float(row["y"]) for row in own], line.get_ydata())


def line(data: Any, style: Style) -> Figure:
    """A figure of one line."""
    figure = style.figure()
    figure.subplots().plot(data)
    return figure


def test_the_same_figure_has_the_same_bytes(tmp_path: Path) -> None:
    sheet = Sheet("line", "line", "", lambda _: [1, 2], line)
    folders = [tmp_path / name for name in "ab"]
    for folder in folders:
        folder.mkdir()
        write(sheet, Run(0.0), STYLES["icml"], folder)
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert first == second


def test_an_interrupted_run_leaves_whole_figures_and_nothing_else(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(_: Any, __: Style) -> Figure:
        raise KeyboardInterrupt

    draws: dict[str, Callable[[Any, Style], Figure]] = {"first": line, "second": stop, "third": line}
    chosen = [Sheet(name, name, "", lambda _: [1, 2], draw) for name, draw in draws.items()]
    monkeypatch.setattr(writing, "sheets", lambda *_: chosen)
    status, out, err = figures(capsys, tmp_path, "--quick")
    assert status == 130
    assert out == f"{tmp_path / 'out' / 'first.pdf'}\n"
    assert err == "igb: error: interrupted\n"
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        f"first.{kind}" for kind in ("csv", "json", "pdf", "png", "svg", "txt")
    }


def test_a_store_keeps_ensembles_and_diagrams(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def computed() -> list[Any]:
        with Store(tmp_path / "figures.db", {}) as store:
            run = Run(0.01, {"executor": "threads:1"}, store)
            ensemble = run.ensemble(igb.mlp(1), 40, 4, 4)
            diagram = run.diagram("relu", [1.0, 2.0], [0.1, 0.2], 2)
            return [ensemble.G0, ensemble.moments, *diagram.columns().values(), run.record]

    first = computed()
    for name in ("igbtheory.networks.network.Network.simulate", "igbtheory.presentation.pictures.run.diagram"):
        monkeypatch.setattr(name, None)
    np.testing.assert_equal(computed(), first)


OWN = '''"""Numbers up to a few."""

STYLES = ("-", "--")
LAST = 3
NUMBERS = tuple(range(LAST))


def compute(run):
    """The numbers."""
    return NUMBERS


def draw(data, style):
    """A line."""
    figure = style.figure()
    figure.subplots().plot(data, STYLES[0], label="line")
    return figure
'''


def test_figures_of_ones_own_take_parameters(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "few.py").write_text(OWN, encoding="utf-8")
    assert figures(capsys, tmp_path, "few", "--folder", str(folder), "--param", "LAST=5")[0] == 0
    with (tmp_path / "out" / "few.csv").open(encoding="utf-8", newline="") as file:
        assert [row["y"] for row in csv.DictReader(file)] == ["0.0", "1.0", "2.0", "3.0", "4.0"]
    assert "Here LAST = 5." in (tmp_path / "out" / "few.txt").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "out" / "few.json").read_text(encoding="utf-8"))["parameters"] == {"LAST": 5}
    for words, message in (
        ("LAST=2.5", "expected LAST as in the file, 3, got '2.5'"),
        ("NUMBERS=(1,)", "unknown parameter 'NUMBERS'; known: LAST, STYLES"),
    ):
        status, _, err = figures(capsys, tmp_path, "--folder", str(folder), "--param", words)
        assert status == 2
        assert message in err
    files = igb.write_figures("few", out=tmp_path / "again", folder=folder, parameters={"LAST": 5})
    assert files == (tmp_path / "again" / "few.pdf",)
    assert files[0].read_bytes() == (tmp_path / "out" / "few.pdf").read_bytes()
    status, _, err = figures(capsys, tmp_path, "--folder", str(tmp_path))
    assert (status, "expected a folder of Python files with figures" in err) == (2, True)


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["gama_of_layers"], "unknown figure 'gama_of_layers'; did you mean 'gamma_of_layers'?"),
        (["norms", "--style", "nips"], "unknown style 'nips'"),
    ],
)
def test_what_is_unknown_is_refused_with_the_nearest(
    capsys: Capture, tmp_path: Path, tokens: list[str], words: str
) -> None:
    status, out, err = figures(capsys, tmp_path, *tokens)
    assert (status, out) == (2, "")
    assert words in err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_computed(
    capsys: Capture, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["figures", "norms", "--out", str(tmp_path / "file/inside")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"cannot write into {tmp_path / 'file/inside'}" in err
    assert "name another folder with --out" in err
    assert "norms" not in err


def test_a_file_that_is_no_figure_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("compute = print\n")
    with pytest.raises(ValueError, match=r"expected a function draw in .*empty\.py"):
        sheets(folder=tmp_path)


@pytest.mark.skipif(
    (platform.system(), platform.machine(), mpl.__version_info__[:2]) != ("Linux", "x86_64", (3, 11)),
    reason="fonts are drawn a little differently elsewhere",
)
@pytest.mark.parametrize("name", [slow("activation_functions"), "regimes"])
def test_the_image_is_the_one_that_was_looked_at(name: str, tmp_path: Path) -> None:
    """To replace an image after looking at the new one, copy the PNG that the failing test names."""
    with STYLE.context():
        drawn(name)[""].savefig(tmp_path / f"{name}.png", dpi=80)
    assert compare_images(str(IMAGES / f"{name}.png"), str(tmp_path / f"{name}.png"), tol=2) is None
