"""Theory and measurement take the same data: frames, pairs, dictionaries, lists, batches, tensors of all types."""

# what is passed on purpose is of many types
# mypy: disable-error-code="arg-type"

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import igbtheory as igb

RNG = np.random.default_rng(0)
X = RNG.standard_normal((24, 4)).astype(np.float32).astype(float)
Y = np.arange(24) % 3


class Frame(dict[str, Any]):
    """A stand-in for a DataFrame: its columns by their names."""

    columns = dtypes = property(list)


def frame(**others: Any) -> Frame:
    return Frame({**dict(zip("abcd", X.T, strict=True)), **others})


def given(form: str) -> Any:
    torch: Any = pytest.importorskip("torch") if form in {"tensors", "bfloat16", "sparse", "loader", "rows"} else None
    pairs = [*zip(X, Y.tolist(), strict=True)]
    forms: dict[str, Any] = {
        "array": lambda: X,
        "frame": lambda: frame(label=Y),
        "frame and labels": lambda: (frame(), Y),
        "pair": lambda: (X, Y),
        "pair without labels": lambda: (X, None),
        "pair of an output": lambda: (X, X[:, :1] ** 2),
        "dictionary": lambda: {"image": X, "label": Y},
        "list of pairs": lambda: pairs,
        "list of batches": lambda: [(X[:20], Y[:20]), (X[20:], Y[20:])],
        "iterator": lambda: iter([(X[:20], Y[:20]), (X[20:], Y[20:])]),
        "records": lambda: [{"image": x, "label": y} for x, y in pairs],
        "tensors": lambda: (torch.tensor(X), torch.tensor(Y)),
        "sparse": lambda: torch.tensor(X).to_sparse(),
        "loader": lambda: torch.utils.data.DataLoader([{"image": x, "label": y} for x, y in pairs], batch_size=5),
        "rows": lambda: [(torch.tensor(x), y) for x, y in pairs],
    }
    return forms[form]()


FORMS = [
    "array",
    "frame",
    "frame and labels",
    "pair",
    "pair without labels",
    "pair of an output",
    "dictionary",
    "list of pairs",
    "list of batches",
    "iterator",
    "records",
    "tensors",
    "sparse",
    "loader",
    "rows",
]


@pytest.mark.parametrize("form", FORMS)
def test_theory_takes_what_measurement_takes(form: str) -> None:
    net = igb.mlp(1, "relu")
    assert net.predict(given(form)).gamma == net.predict(X).gamma
    assert net.train(given(form), Y, draws=2).rate == net.train(X, Y, draws=2).rate
    nn = pytest.importorskip("torch").nn
    measured = igb.measure(lambda: nn.Linear(4, 3), given(form), networks=3)
    assert np.array_equal(measured.shares, igb.measure(lambda: nn.Linear(4, 3), X, networks=3).shares)
    labelled = form not in {"array", "pair without labels", "pair of an output", "sparse"}
    assert bool(measured.by_label.size) == labelled


def test_a_frame_is_asked_about_wherever_it_is_passed(caplog: pytest.LogCaptureFixture) -> None:
    doubtful = frame(group=Y, customer=1000 + np.arange(24) ** 2, end=X[:, 0])
    net = igb.mlp(1, "relu")
    words = r"group \(3 values\) may be labels; column customer looks like an index; call igb\.read_data\(df, "
    for way in (
        net.predict,
        igb.standardised,
        igb.read_data,
        lambda df: net.train(df, Y),
        lambda df: net.predict((df, Y)),
    ):
        with pytest.raises(ValueError, match=words):
            way(doubtful)
    pair = igb.read_data(doubtful, label_column="group", drop_columns=["customer", "end"])
    assert np.array_equal(pair[1], Y)
    assert net.predict(pair).gamma == net.predict(X).gamma
    caplog.clear()
    assert net.predict(frame(label=Y)).gamma == net.predict(X).gamma
    assert caplog.messages == ["read 24 data of 4 features (a ... d); labels: label (3 classes)"]


def test_a_frame_of_pandas_has_an_index_that_is_no_column() -> None:
    pd = pytest.importorskip("pandas")
    df = pd.DataFrame(X, columns=[*"abcd"]).assign(kind=pd.Categorical(np.array(["u", "v", "w"])[Y]))
    df = df.assign(a=df.a.astype("Float64"), flag=True).sample(frac=1, random_state=0)
    data, labels = igb.read_data(df)
    assert np.array_equal(data, np.column_stack([X, np.ones(24)])[df.index])
    assert np.array_equal(labels, Y[df.index])
    gap = df.assign(b=df.b.astype("Float64").where(df.b < 1))
    with pytest.raises(ValueError, match="column b has no number in"):
        igb.read_data(gap)


def test_values_of_an_output_are_trained_on_and_not_measured() -> None:
    data, values = igb.read_data(frame(target=RNG.permutation(24) * 7.0 + 3))
    assert np.shape(values) == (24, 1)
    assert values is not None
    igb.mlp(1).train(data, values - values.mean(), draws=2)
    nn = pytest.importorskip("torch").nn
    assert not igb.measure(lambda: nn.Linear(4, 1), (data, values), networks=2).by_label.size


def test_half_precision_and_sparse_tensors_are_read(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    half = torch.tensor(X).to(torch.bfloat16)
    for saved, truth in ((half, half.double().numpy()), (torch.tensor(X).to_sparse(), X)):
        torch.save((saved, torch.tensor(Y)), tmp_path / "x.pt")
        data, labels = igb.read_data(tmp_path / "x.pt")
        assert np.array_equal(data, truth)
        assert np.array_equal(labels, Y)
    assert igb.mlp(1).predict(half).gamma == igb.mlp(1).predict(half.double().numpy()).gamma


def test_several_inputs_are_for_models_only() -> None:
    with pytest.raises(TypeError, match="expected one array of data, got 'ids', 'image'; pass one of them"):
        igb.mlp(1).predict({"ids": X, "image": X, "label": Y})
