"""The picture of every result: what is drawn agrees with the numbers; what a notebook shows."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="arg-type, index"

import contextlib
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from repeated import slow
from test_results import RESULTS, P, S, result

import igbtheory as igb
from igbtheory import Result
from igbtheory.torch import Measurement

RNG = np.random.default_rng(0)
MORE: dict[str, Callable[[], Result]] = {
    "classes of batches": lambda: result("batches").guesses(3).finite(16),
    "measurement": lambda: Measurement(
        50, 0, RNG.dirichlet([1, 1, 1], 12), RNG.random((12, 2)), 3, RNG.random((12, 3)), RNG.random(12), RNG.random(0)
    ),
    "ranks": lambda: P.guesses(5).ranked(30),
    "sweep of counts": lambda: igb.GuessLaw(np.array([0.1, 5.0])).finite(1000),
    "sweep of classes": lambda: igb.mlp(1, sigma_b2=np.array([0.0, 1.0])).predict().guesses(3),
}


@pytest.fixture(autouse=True)
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igbtheory.presentation.pictures.laws.MOST", 30)


@pytest.fixture
def axes() -> Any:
    return Figure().subplots()


@pytest.mark.parametrize(
    "name", [slow(name) if name in {"infer, classes", "infer among 10"} else name for name in (*RESULTS, *MORE)]
)
def test_every_result_draws_into_the_axes_it_is_given(name: str, axes: Any) -> None:
    found = MORE[name]() if name in MORE else result(name)
    assert found.plot(axes) is axes
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert np.isfinite([*axes.get_xlim(), *axes.get_ylim()]).all()
    assert axes.has_data()
    if name in {"diagram", "sweep"}:
        title: Any = axes.get_legend()
        assert "hidden layers" in title.get_title().get_text()
        with pytest.raises(ValueError, match="expected axes without a map"):
            found.plot(axes)
        return
    found.plot(axes, label="once more")
    assert axes.figure.axes == [axes], "what explains a single result has gone"
    assert axes.get_title() == axes.get_title(loc="left") == ""
    legend = axes.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert any(label.startswith("once more") for label in labels), labels
    assert len(set(labels)) == len(labels), labels


def kinds(kind: Any) -> Iterator[Any]:
    yield kind
    for below in kind.__subclasses__():
        yield from kinds(below)


def test_no_kind_of_result_is_without_a_picture(axes: Any) -> None:
    for module in pkgutil.walk_packages(igb.__path__, "igbtheory."):
        with contextlib.suppress(ImportError):  # of PyTorch or Dash: no kind of result is defined beside them
            importlib.import_module(module.name)
    final = [kind for kind in kinds(Result) if hasattr(kind, "__final__") and "igbtheory" in kind.__module__]
    assert len(final) > 30
    for kind in final:
        with pytest.raises(AttributeError):  # its picture asks for a field; without a picture it is a TypeError
            object.__new__(kind).plot(axes)


def test_several_results_have_a_colour_each_and_one_legend(axes: Any) -> None:
    axes.set_title("mine")
    depths = (2, 14, 3, 4)
    found = [igb.mlp(depth, sigma_b2=0.1).predict() for depth in depths]
    for one in found:
        one.plot(axes)
    curves = [line for line in axes.lines if not line.get_label().startswith("_")]
    np.testing.assert_array_equal([len(line.get_xdata()) - 1 for line in curves], depths)
    assert len({to_hex(line.get_color()) for line in curves}) == 4
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [line.get_label() for line in curves]
    assert axes.get_xlim()[1] > 15, "the longest is seen whole"
    assert axes.get_title() == "mine"
    limits = axes.get_xlim(), axes.get_ylim()
    with pytest.raises(ValueError, match=r"bias ratio .* over Dense layer .*, which the axes show, got density"):
        found[0].G0.plot(axes)
    assert len(axes.lines) == len(curves) + 1, "of what does not suit the axes nothing stays"
    assert (axes.get_xlim(), axes.get_ylim()) == limits


def test_results_by_their_labels_are_drawn_in_the_style_of_a_venue() -> None:
    with igb.style("neurips"):
        axes: Any = igb.overlay({"theory": P.G0, "red": igb.GuessLaw(2.0)})
        igb.GuessLaw(3.0).plot(axes, label="blue", color="blue", linestyle=":")
    try:
        assert axes.figure.get_size_inches()[0] == pytest.approx(3.2)
        assert axes.xaxis.label.get_fontname() == "STIXGeneral"
        assert [line.get_label() for line in axes.lines] == ["theory", "red", "blue"]
        assert (axes.lines[2].get_color(), axes.lines[2].get_linestyle()) == ("blue", ":")
    finally:
        plt.close(axes.figure)
    with pytest.raises(ValueError, match="did you mean 'icml'"), igb.style("icmll"):
        pass


def test_the_picture_of_an_estimate_shows_the_guesses(axes: Any) -> None:
    rows = RNG.dirichlet([2, 2, 2], 40)
    for shares, drawn in ((rows, rows.max(axis=1)), (rows[:, 0], rows[:, 0])):
        axes.clear()
        igb.infer(shares).plot(axes)
        heights = [bar.get_height() * bar.get_width() for bar in axes.containers[0]]
        np.testing.assert_allclose(heights, np.histogram(drawn, len(heights), (0, 1))[0] / 40, atol=1e-12)


@pytest.mark.parametrize("gamma", [0.3, 4.0])
def test_the_lines_of_a_law_are_its_density_and_its_distribution_function(axes: Any, gamma: float) -> None:
    law = igb.GuessLaw(gamma)
    axes.set_title("mine")
    law.plot(axes)
    assert axes.get_title() == "mine"
    g, density = axes.lines[0].get_data()
    np.testing.assert_array_equal(density, law.pdf(g))
    assert np.ptp(g) > 0.99
    g, probability = axes.figure.axes[1].lines[0].get_data()
    np.testing.assert_array_equal(probability, law.cdf(g))


def test_a_sweep_in_equal_ratios_has_a_logarithmic_axis(axes: Any) -> None:
    igb.mlp(1, "tanh", sigma_w2=np.geomspace(0.1, 1000, 9), sigma_b2=0.1).predict().plot(axes)
    assert axes.get_xscale() == "log"


def test_what_a_single_result_draws_beside_its_numbers(axes: Any) -> None:
    igb.GuessLaw(0.25).plot(axes)
    assert axes.get_title() == r"$\gamma$ = 0.25"
    axes = Figure().subplots()
    result("comparison").plot(axes)
    assert np.unique(axes.lines[0].get_ydata()).tolist() == [0], "no deviation"
    assert len(axes.patches) == 2, "one and two standard errors"
    axes = Figure().subplots()
    P.guesses(5).plot(axes)
    values, edges, _ = axes.patches[1].get_data()
    widths, drawn = np.diff(edges), P.guesses(5).rvs(1000, 1).max(axis=-1)
    assert (values * widths) @ (edges[:-1] + widths / 2) == pytest.approx(drawn.mean(), abs=0.2), "30 draws"


def test_point_masses_are_lines_across_the_panel_and_steps(axes: Any) -> None:
    igb.GuessLaw(np.inf).plot(axes)
    assert [np.unique(line.get_xdata()).tolist() for line in axes.lines] == [[0.0], [1.0]]
    (steps,) = axes.figure.axes[1].lines
    assert np.transpose(steps.get_data()).tolist() == [[0, 0], [0, 0.5], [0.5, 0.5], [1, 1]]


def test_the_bars_of_a_count_are_its_probabilities(axes: Any) -> None:
    law = P.G0.finite(10)
    law.plot(axes)
    values, edges, _ = axes.patches[0].get_data()
    np.testing.assert_array_equal(values, law.pmf(np.arange(11)))
    np.testing.assert_array_equal(edges, np.arange(12) - 0.5)


def test_the_points_of_a_prediction_are_those_of_its_layers(axes: Any) -> None:
    P.plot(axes)
    for line, name in zip(axes.lines, ("gamma", "var_mu", "var_chi"), strict=False):
        np.testing.assert_array_equal(line.get_data(), [[1, 2, 3], getattr(P.per_layer, name)])


def test_a_sweep_over_one_parameter_is_a_line_over_it(axes: Any) -> None:
    w2 = np.array([2.0, 0.5, 1.0])
    found = igb.mlp(2, "tanh", sigma_w2=w2, sigma_b2=0.1).predict()
    found.plot(axes)
    np.testing.assert_array_equal(axes.lines[0].get_data(), [np.sort(w2), found.gamma[np.argsort(w2)]])
    assert "sigma_w" in axes.get_xlabel()


def test_a_bias_ratio_of_0_is_a_gap_on_a_logarithmic_axis(axes: Any) -> None:
    deep = igb.mlp(12, "relu").predict()
    deep.plot(axes)
    assert deep.per_layer.gamma[0] == 0
    assert axes.get_yscale() == "log"
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [np.nan, *deep.per_layer.gamma[1:]])
    axes.clear()
    found = igb.mlp(2, "tanh", sigma_b2=np.array([0.0, 0.001, 0.1])).predict()
    found.plot(axes)
    assert axes.get_yscale() == "log"
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [np.nan, *found.gamma[1:]])


@pytest.mark.parametrize("weights_first", [True, False])
def test_a_sweep_over_both_variances_is_a_map(axes: Any, *, weights_first: bool) -> None:
    w2, b2 = np.array([1.0, 4.0, 2.0]), np.array([0.1, 0.3])
    sweep = (w2[:, None], b2) if weights_first else (w2, b2[:, None])
    gamma = igb.mlp(2, "relu", sigma_w2=sweep[0], sigma_b2=sweep[1]).predict()
    gamma.plot(axes)
    assert {axes.get_xscale(), axes.get_yscale()} == {"linear"}, "they span less than a decade"
    drawn = np.reshape(np.asarray(axes.collections[0].get_array()), (2, 3))
    alone = [[igb.mlp(2, "relu", sigma_w2=w, sigma_b2=b).predict().gamma for w in np.sort(w2)] for b in b2]
    np.testing.assert_allclose(10**drawn, alone, rtol=1e-10)


def test_formulas_with_symbols_say_what_to_substitute(axes: Any) -> None:
    found = igb.Network(igb.Dense(2, S)).derive()
    with pytest.raises(TypeError, match="got one in s; substitute numbers for them in the network"):
        found.plot(axes)


class Odd(Result):
    """A result that is no result of the package."""

    def to_dict(self) -> dict[str, Any]:
        """Return what a page must not take for its own."""
        return {"<b>name</b>": "<script>"}


def test_a_notebook_shows_formula_table_and_picture() -> None:
    before = plt.get_fignums()
    shown = igb.mlp(20).predict()._repr_html_()
    assert plt.get_fignums() == before, "pyplot would show the picture once more"
    assert [shown.count(tag) for tag in ("<math", "<table", "<img")] == [1, 1, 1]
    assert shown.count("<tr>") == 1 + 12 + 1, "names, rows, and how many more there are"
    assert "9 more" in shown
    assert "<math" in result("derivation")._repr_html_()


def test_a_notebook_shows_what_it_can_and_no_markup_of_others() -> None:
    shown = Odd()._repr_html_()
    assert "<th>&lt;b&gt;name&lt;/b&gt;</th><td>&lt;script&gt;</td>" in shown
    assert "expected a result of igbtheory, got Odd, which has no picture" in shown


def test_the_backend_of_a_notebook_keeps_its_display_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # it turns the display on when it is loaded, which the first picture does
    code = "from matplotlib import interactive\nfrom matplotlib.backends.backend_agg import *\ninteractive(True)\n"
    (tmp_path / "backend_of_a_notebook.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(plt.rcParams, "backend", "module://backend_of_a_notebook")  # reading the old one may load it
    monkeypatch.setattr(plt, "_backend_mod", None)
    monkeypatch.setitem(plt.rcParams, "interactive", value=False)
    plt.close(P.G0.plot().figure)
    assert plt.isinteractive()


def test_axes_of_its_own_are_those_of_pyplot_and_light() -> None:
    with plt.style.context("dark_background"):
        axes = P.G0.plot()
    try:
        assert plt.gca() in axes.figure.axes
        assert to_hex(axes.get_facecolor()) == "#ffffff"
    finally:
        plt.close(axes.figure)
