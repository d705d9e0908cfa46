"""What every result can do: JSON, pickles, equality, tables; what is refused."""

# which of several types a result has is known here
# mypy: disable-error-code="arg-type"

import json
import pickle
import re
import shutil
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from functools import cache, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from repeated import slow

import igbtheory as igb
from igbtheory import Result, losses, phases
from igbtheory.foundations.runs import Store
from igbtheory.guesses import ClassSummary, accuracy_bounds

DATA = igb.digits()[:40]
NET = igb.mlp(2)
P = NET.predict()
BLOCKS = igb.Network(
    igb.Dense(), igb.Residual(igb.Activation("relu"), igb.Dense()), igb.Activation("relu"), igb.Dense()
)
S = sp.Symbol("s", positive=True)


def drawn() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", igb.AccuracyWarning)
        return igb.draw(igb.mlp(1), DATA, (0.4, 0.6), networks=3, width=10)


@cache
def result(name: str) -> Any:
    return RESULTS[name]()


RESULTS: dict[str, Callable[[], Result]] = {
    "prediction": lambda: P,
    "on data": lambda: NET.predict(DATA),
    "digits": lambda: NET.predict(digits=30),
    "last layer": lambda: NET.predict(layers="last"),
    "sweep": lambda: igb.mlp(
        2, "tanh", sigma_w2=np.array([1.0, 2.0])[:, None], sigma_b2=np.array([0.0, 0.1, 0.2])
    ).predict(),
    "batches": lambda: igb.mlp(2, norm="batch", batch_size=8).predict(),
    "certificate": NET.certify,
    "derivation": lambda: igb.Network(
        igb.Dense(sp.pi * sp.sqrt(S) / 2 + S**-2), igb.Activation("relu"), igb.Dense(2)
    ).derive(),
    "at width": lambda: NET.predict(width=6, networks=60),
    "on data at width": lambda: NET.predict(DATA[:5], width=6, networks=60),
    "G0 at width": lambda: result("at width").G0,
    "G0": lambda: P.G0,
    "G0 of data": lambda: result("on data").G0,
    "G0 of batches": lambda: result("batches").G0,
    "finite": lambda: P.G0.finite(10),
    "finite of batches": lambda: result("batches").G0.finite(16),
    "classes": lambda: P.guesses(3),
    "classes, finite": lambda: result("classes").finite(10),
    "classes of data": lambda: result("on data").guesses(3),
    "router": lambda: P.router(4, 2),
    "router of data": lambda: result("on data").router(4, 2),
    "vocabulary": lambda: P.vocabulary(5, draws=3),
    "softmax": lambda: P.softmax(3),
    "softmax of data": lambda: result("on data").softmax(3),
    "estimate": lambda: result("classes").pdf(0.3, draws=50),
    "sampled": lambda: result("classes").largest(50),
    "classes in one table": lambda: ClassSummary(
        P.gamma, P.guesses(3), P.softmax(3), result("accuracy"), balanced=True, draws=20, gamma_guess=P.gamma_guess
    ),
    "accuracy": lambda: accuracy_bounds(result("classes"), draws=20),
    "simulation": lambda: NET.simulate(4, 16, 20),
    "comparison": lambda: result("simulation").compare(),
    "phase": lambda: phases.classify("tanh"),
    "verdict": lambda: phases.verdict("relu", depth=5),
    "course": lambda: result("verdict").course,
    "fixed point": lambda: phases.fixed_points("tanh", 1.5, 0.1)[0],
    "diagram": lambda: phases.diagram("relu", [1.0, 2.0, 3.0], [0.1, 0.2], 3),
    "gradients": lambda: phases.gradients(NET),
    "thresholds": lambda: phases.thresholds("relu"),
    "class gradients": lambda: phases.class_gradients(P, 4),
    "residual limit": lambda: phases.residual_limit(BLOCKS),
    "loss": lambda: losses.predicted(P, losses.CrossEntropy(), 3, networks=5, samples=10),
    "infer": lambda: igb.infer([0.1, 0.4, 0.6]),
    "infer among 10": lambda: igb.infer([0.1, 0.4, 0.6], 10),
    "infer, classes": lambda: igb.infer([[0.1, 0.4, 0.5], [0.2, 0.2, 0.6]], 10),
    "compare": lambda: igb.compare(result("infer"), result("infer")),
    "design": lambda: igb.design(0.5, vary="sigma_b2", depth=1, activation="relu"),
    "drawn": drawn,
    "training": lambda: NET.train(DATA, np.arange(len(DATA)) % 2, times=[0.0, 0.1], draws=5),
}
"""Every kind of result, made when a test asks for it: the collection of the tests stays quick."""
ROWS = {
    "prediction": 3,
    "sweep": 6,
    "diagram": 6,
    "digits": 3,
    "course": 6,
    "certificate": 3,
    "comparison": 8,
    "training": 2,
}
"""Rows of the tables that have more than one."""


@pytest.mark.parametrize(
    "name", [slow(name) if name in {"infer, classes", "infer among 10", "phase"} else name for name in RESULTS]
)
def test_saved_results_are_equal_to_the_first(name: str) -> None:
    found = result(name)
    text = found.to_json()
    assert json.loads(text)["values"]
    for again in (type(found).from_json(text), pickle.loads(pickle.dumps(found))):  # noqa: S301 - our own
        assert again is not found
        assert again == found
        assert hash(again) == hash(found)
    np.testing.assert_equal(type(found).from_json(text).to_dict(), found.to_dict())
    assert len(repr(found)) < 600
    columns = found.columns()
    assert {len(column) for column in columns.values()} == {ROWS.get(name, len(next(iter(columns.values()))))}


SAVED = Path(__file__).parent / "saved"
"""Results as JSON and a store, which an earlier commit wrote: what is saved is read when files have moved."""


def test_saved_results_of_earlier_commits_are_read() -> None:
    for name, saved in json.loads((SAVED / "results.json").read_text(encoding="utf-8")).items():
        read = Result.from_json(json.dumps(saved))
        values = json.loads(read.to_json())["values"]
        assert {key: values[key] for key in saved["values"]} == saved["values"], name  # later ones may have more


def test_saved_results_name_public_classes() -> None:
    named = re.findall(r'"igbtheory([\w.]*):(\w+)"', "".join(result(name).to_json() for name in RESULTS))
    for folders, name in set(named):
        assert name in reduce(getattr, folders.split(".")[1:], igb).__all__, (folders, name)


def test_a_store_of_an_earlier_version_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shutil.copy(SAVED / "run.db", tmp_path)
    with closing(sqlite3.connect(path)) as file:
        ((text,),) = file.execute("SELECT text FROM configuration")
    monkeypatch.setattr("igbtheory.foundations.runs.store.versions", dict)  # other code may not go on with its run
    with Store(path, json.loads(text)) as store:
        array, values, (prediction, law) = map(store.get, range(3))
    assert array.tolist() == [0.0, 1.0, 2.0]
    assert (values["number"], values["values"].tolist()) == (1, [1.0, 1.0])
    assert law == prediction.G0
    assert law.gamma == pytest.approx(P.G0.gamma, rel=1e-14)  # rules may round in another way than they did


def test_no_two_of_them_are_equal() -> None:
    results = [result(name) for name in RESULTS]
    assert all(a != b for i, a in enumerate(results) for b in results[:i])
    assert igb.GuessLaw(1.0) == igb.GuessLaw(1.0)
    assert igb.GuessLaw(1.0) != igb.GuessLaw(np.nextafter(1.0, 2.0))
    assert igb.GuessLaw(np.array([1.0, 2.0])) != igb.GuessLaw(np.array([1.0, 2.5]))
    assert NET.predict(digits=30) != NET.predict(digits=31)


def test_the_table_of_a_sweep_names_its_parameters() -> None:
    columns = result("sweep").columns()
    assert columns["sigma_w2"].tolist() == [1.0] * 3 + [2.0] * 3
    assert columns["sigma_b2"].tolist() == [0.0, 0.1, 0.2] * 2
    alone = igb.mlp(2, "tanh", sigma_w2=2.0, sigma_b2=0.1).predict()
    assert columns["gamma"][4] == pytest.approx(alone.gamma, rel=1e-12)  # two sums of quadrature


def test_a_frame_is_the_table() -> None:
    pd = pytest.importorskip("pandas")
    pd.testing.assert_frame_equal(P.to_frame(), pd.DataFrame(P.columns()))


def test_without_pandas_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ImportError, match=r'pip install "igbtheory\[pandas\]"'):
        P.to_frame()


def changed(text: str, **values: Any) -> str:
    return json.dumps({**json.loads(text), **values})


def test_a_text_that_is_older_than_a_field_is_read_with_its_default() -> None:
    found = result("simulation")
    state = json.loads(found.to_json())["state"]
    del state["fields"]["guess_variances"]
    old = type(found).from_json(changed(found.to_json(), state=state))
    assert np.isnan(old.gamma_guess)
    assert old.gamma == found.gamma
    del state["fields"]["moments"]
    with pytest.raises(ValueError, match="expected the fields of"):
        type(found).from_json(changed(found.to_json(), state=state))


SPY = {"make": "sympy.functions.elementary.trigonometric:sin", "of": ["__import__('pytest').fail('a text was run')"]}
"""SymPy's functions evaluate texts as Python."""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("not JSON", r"expected the text of to_json\(\), got 'not JSON'"),
        ("[1]", r"expected the text of to_json\(\)"),
        (changed(P.to_json(), igbtheory="0.0.1"), r"expected a result of igbtheory 0.1.0, got one of 0.0.1"),
        (
            changed(P.to_json(), state={"make": "os:system", "of": ["true"]}),
            "expected a part of igbtheory, got 'os:sys",
        ),
        (changed(P.to_json(), state={"type": "subprocess:Popen", "fields": {}}), "expected a part of igbtheory"),
        (
            changed(P.to_json(), state={"make": "sympy.core.sympify:sympify", "of": ["1"]}),
            "expected a part of igbtheory",
        ),
        (changed(P.to_json(), state=SPY), "expected a part of igbtheory, got 'sympy.functions"),
        (changed(P.to_json(), state={**SPY, "of": [{"tuple": SPY["of"]}]}), "expected a part of igbtheory"),
        (changed(P.to_json(), state={"type": "igbtheory.__main__:main", "fields": {}}), "expected a part of igbtheory"),
        (
            changed(P.to_json(), state={"type": "igbtheory.foundations.result:ABC", "fields": {}}),
            "expected the fields of",
        ),
        (
            changed(P.to_json(), state={"type": "igbtheory.theory.prediction:Batch", "fields": {}}),
            "expected the fields of",
        ),
    ],
)
def test_other_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        igb.Prediction.from_json(text)


def test_another_kind_of_result_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected a saved Prediction, got a GuessLaw; call GuessLaw.from_json"):
        igb.Prediction.from_json(igb.GuessLaw(1.0).to_json())


def test_a_pickle_of_another_version_is_refused() -> None:
    text = pickle.dumps(P)
    with pytest.raises(ValueError, match=r"expected a result of igbtheory 0.1.0, got one of 0.0.1"):
        pickle.loads(text.replace(b"0.1.0", b"0.0.1"))  # noqa: S301 - our own


class Own(igb.Layer):
    """A layer of a user."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        """Return the units as they are."""
        return x


def test_layers_of_ones_own_are_pickled_but_not_json() -> None:
    simulation = igb.Network(igb.Dense(), Own(), igb.Dense()).simulate(2, 4, 4)
    assert pickle.loads(pickle.dumps(simulation)).G0.tolist() == simulation.G0.tolist()  # noqa: S301 - our own
    with pytest.raises(TypeError, match=r"expected a result of parts of igbtheory, got one with .*pickle instead"):
        simulation.to_json()
