"""What messages tell to do is done: a command or line that fails, words of its message, and the remedy."""

import shlex
from pathlib import Path

import numpy as np
import pytest

import igbtheory as igb  # noqa: F401 - the lines of Python use it
from igbtheory.cli import main
from igbtheory.theory import refusals

X = np.random.default_rng(0).standard_normal((10, 4))
FILES = {
    "x.npy": X,
    "y.npy": np.arange(10) % 2,
    "zeros.npy": X * (np.arange(10) > 0)[:, None],
    "huge.npy": 1e200 * X,
    "grey.npy": np.random.default_rng(0).random((6, 8, 8)),
    "images.npy": np.random.default_rng(0).random((60, 1, 8, 8)),
    "eleven.npy": np.random.default_rng(1).standard_normal((11, 3)),
    "shares.npy": np.array([0.1, 0.5, 1.0]),
    "tiny.npy": 1e-200 * X,
}
TABLES = {"semicolons.csv": "a;b\n1;2\n3;4", "commas.csv": "a,b\n1,2\n3,4", "word.csv": "a,b\n1,2\n3,x"}
COMMANDS = [
    # command, words of its message, remedy
    (
        'predict "Dense | relu | Dense" --data zeros.npy',
        "set sigma_b2 > 0",
        'predict "Dense(sigma_b2=0.1) | relu | Dense" --data zeros.npy',
    ),
    ("predict --data zeros.npy", "set --sigma-b2 > 0", "predict --data zeros.npy --sigma-b2 0.1"),
    ("predict --data zeros.npy", "shift the data", "predict --data zeros.npy --standardise"),
    ("predict --sigma-w2 0", "use --sigma-w2 > 0", "predict --sigma-w2 0.1"),
    ("predict --sigma-w2 0", "set --sigma-b2 > 0", "predict --sigma-w2 0 --sigma-b2 0.1"),
    ("predict --variance 0", "--shift 0 --variance 1", "predict --shift 0 --variance 1"),
    ("predict --sigma-w2=-1", "pass a variance such as 2.0", "predict --sigma-w2 2.0"),
    ('predict "Dense(-1) | relu | Dense"', "expected sigma_w2 >= 0", 'predict "Dense(sigma_w2=1) | relu | Dense"'),
    (
        'predict "Dense | relu | Dense" --data images.npy',
        "put Flatten() or GlobalAvgPool() in front",
        'predict "Flatten() | Dense | relu | Dense" --data images.npy',
    ),
    ('predict "Flatten | Dense"', "name images with --data", 'predict "Flatten | Dense" --data images.npy'),
    (
        'predict "Conv2d(3) | relu | Flatten | Dense" --data x.npy',
        "name images with --data",
        'predict "Conv2d(3) | relu | Flatten | Dense" --data images.npy',
    ),
    (
        'predict "Dense | BatchNorm | relu | Dense" --data eleven.npy',
        "pass --sample 10",
        'predict "Dense | BatchNorm | relu | Dense" --data eleven.npy --sample 10',
    ),
    (
        "predict --data grey.npy",
        "pass --axes 'NHW' for images, or --axes 'NTF'",
        "predict --data grey.npy --axes 'NHW'",
    ),
    ("predict --data images.npy --axes NHW", "pass --axes 'NCHW'", "predict --data images.npy --axes 'NCHW'"),
    ("predict --data tiny.npy", "use --digits 30", "predict --data tiny.npy --digits 30 --depth 1"),
    (
        "predict --activation x**3 --depth 9 --sigma-w2 100 --digits 20",
        "or a norm",
        "predict --activation x**3 --depth 9 --sigma-w2 100 --norm layer",
    ),
    (
        "predict --data semicolons.csv",
        "'1;2' to float64 at row 0, column 0; write rows of numbers separated by commas",
        "predict --data commas.csv",
    ),
    ("predict --data word.csv", "'x' to float64 at row 1, column 1", "predict --data commas.csv"),
    ("predict --data x.npy --first 5 --sample 4", "leave one out", "predict --data x.npy --first 5"),
    ("predict --sample 4", "name one with --data", "predict --sample 4 --data x.npy"),
    ("predict --placement after", "add, say, --norm layer", "predict --placement after --norm layer"),
    ("predict --placement middle", "unknown placement 'middle'; known: before, after", "predict --placement before"),
    ("predict --activation tahn", "did you mean 'tanh'?", "predict --activation tanh"),
    ('predict --activation "x + sin(a*x)"', "--param a=1", 'predict --activation "x + sin(a*x)" --param a=1'),
    ('predict --activation "exp(x**2)"', "or clip the formula", 'predict --activation "min(exp(x**2), 10)"'),
    (
        'predict --activation "log(x)"',
        "with where(x > 0, ..., 0) or abs(x)",
        'predict --activation "log(abs(x))" --depth 1',
    ),
    ('predict "relu | Dense | relu"', "append Dense()", 'predict "relu | Dense | relu | Dense()"'),
    (
        'predict "Dense | Residual(relu) | Dense"',
        "append Dense(sigma_w2) to its layers",
        'predict "Dense | Residual(relu | Dense(sigma_w2=1)) | Dense"',
    ),
    (
        'predict "Dense | BatchNorm(3) | relu | Dense" --data x.npy',
        "take 9 of them",
        'predict "Dense | BatchNorm(3) | relu | Dense" --data x.npy --first 9',
    ),
    ('predict "GlobalAvgPool | Dense" --data x.npy', "remove it", 'predict "Dense" --data x.npy'),
    (
        'predict "Conv2d(5, 3) | Flatten | Dense" --data images.npy',
        "take padding=2",
        'predict "Conv2d(5, 3, padding=2) | Flatten | Dense" --data images.npy',
    ),
    ("train --data x.npy", "name their file with --labels", "train --data x.npy --labels y.npy --draws 20"),
    (
        'derive "Dense | BatchNorm(4, eps=0.1) | relu | Dense"',
        "use igb predict",
        'predict "Dense | BatchNorm(4, eps=0.1) | relu | Dense"',
    ),
    (
        'certify "Dense | GroupNorm(4) | relu | Dense"',
        "use igb predict",
        'predict "Dense | GroupNorm(4) | relu | Dense"',
    ),
    ("design --gamma 2 --vary foo", "known: sigma_w2, sigma_b2", "design --gamma 2 --vary sigma_b2"),
    ("draw --window 0.9 0.8 --data x.npy", "(0.8, 0.9)", "draw --window 0.8 0.9 --data x.npy"),
    ("phase gelu", "at --sigma-w2 4", "phase gelu --sigma-w2 4"),
    (
        "simulate --networks 2 --width 8 --samples 8 --store :memory:",
        "name one such as run.db",
        "simulate --networks 2 --width 8 --samples 8 --store run.db",
    ),
    (
        "simulate --networks 2 --width 8 --samples 8 --executor processes --workers 2",
        "processes:2",
        "simulate --networks 2 --width 8 --samples 8 --executor processes:2",
    ),
    ("infer shares.npy", "pass --samples", "infer shares.npy --samples 10"),
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, array in FILES.items():
        np.save(name, array)
    for name, text in TABLES.items():
        Path(name).write_text(text)
    monkeypatch.setattr(refusals, "LARGEST_WHOLE", 10)


@pytest.mark.parametrize(("command", "words", "remedy"), COMMANDS)
@pytest.mark.usefixtures("files", "few_draws")
def test_what_a_message_of_a_command_tells_works(
    command: str, words: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(command)) == 2
    assert words in capsys.readouterr().err
    assert main(shlex.split(remedy)) == 0


LINES = [
    # a line of Python, words of its message, remedy
    (
        "igb.mlp(1).predict(X.reshape(5, 2, 2, 2, 1))",
        "X.reshape(len(X), -1)",
        "igb.mlp(1).predict(X.reshape(len(X), -1))",
    ),
    (
        "igb.cnn(1).predict(np.ones((2, 5, 5, 3)))",
        "np.moveaxis(X, -1, 1)",
        "igb.cnn(1).predict(np.moveaxis(np.ones((2, 5, 5, 3)), -1, 1))",
    ),
    ("igb.mlp(1).predict(X + 1j)", "np.hstack([X.real, X.imag])", "igb.mlp(1).predict(np.hstack([X.real, X.imag]))"),
    (
        "igb.mlp(1).predict(X.astype(object))",
        "np.asarray(X, dtype=float)",
        "igb.mlp(1).predict(np.asarray(X, dtype=float))",
    ),
    (
        "igb.mlp(1).predict(np.ma.masked_array(X, X > 1))",
        "x.filled(0.0)",
        "igb.mlp(1).predict(np.ma.masked_array(X, X > 1).filled(0.0))",
    ),
    (
        "igb.mlp(1, sigma_w2=np.ones(3)).predict(X)",
        "loop over its values",
        "[igb.mlp(1, sigma_w2=x).predict(X) for x in np.ones(3)]",
    ),
    (
        "igb.mlp(1, sigma_w2=np.ones(3), sigma_b2=np.ones(2)).predict()",
        "a[:, None]",
        "igb.mlp(1, sigma_w2=np.ones(3)[:, None], sigma_b2=np.ones(2)).predict()",
    ),
    (
        "igb.mlp(1, norm=igb.LayerNorm())",
        "Network(Dense(2.0), LayerNorm(), Activation('relu'), Dense(2.0))",
        "igb.Network(igb.Dense(2.0), igb.LayerNorm(), igb.Activation('relu'), igb.Dense(2.0))",
    ),
    ("igb.mlp(1, batch_size=4)", 'norm="batch"', 'igb.mlp(1, norm="batch", batch_size=4)'),
    (
        "igb.Network(igb.Dense(), igb.Activation('relu'))",
        "append Dense()",
        "igb.Network(igb.Dense(), igb.Activation('relu'), igb.Dense())",
    ),
    ("igb.Residual(igb.Dense(), 0.5)", "Residual(..., scale=1)", "igb.Residual(igb.Dense(), scale=0.5)"),
    ("igb.mlp(1).certify(inputs=X)", "use predict(X)", "igb.mlp(1).predict(X)"),
    (
        "igb.mlp(1).predict().from_json('{}')",
        "write it with to_json()",
        "igb.Prediction.from_json(igb.mlp(1).predict().to_json())",
    ),
    ("igb.mlp(1).predict().G0.finite(1.5)", "D=1000", "igb.mlp(1).predict().G0.finite(D=1000)"),
    ("igb.mlp(1).predict(X).G0.pdf(0.5)", "use cdf, ppf or rvs", "igb.mlp(1).predict(X).G0.rvs(3)"),
    ("igb.mlp(1).train(X, [-1, 2] * 5)", "number the classes from 0", "igb.mlp(1).train(X, [0, 1] * 5, draws=20)"),
    (
        "igb.mlp(1).train(X, [-1, 2] * 5)",
        "values of outputs as floats in an array of two",
        "igb.mlp(1).train(X, np.array([[-1.0], [2.0]] * 5), draws=20)",
    ),
    ("igb.mlp(1).train(X, X, loss='cross-entropy')", "use 'mse'", "igb.mlp(1).train(X, X, loss='mse', draws=20)"),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, X_test=X)",
        "pass both",
        "igb.mlp(1).train(X, [0, 1] * 5, X_test=X + 1, y_test=[0, 1] * 5, draws=20)",
    ),
    ("igb.mlp(1, 'foo')", "'x*tanh(x)'", "igb.mlp(1, 'x*tanh(x)')"),
    ("igb.Activation((X[:, 0], X[:, 1]))", "np.argsort(x)", "igb.Activation((X[np.argsort(X[:, 0]), 0], X[:, 1]))"),
    ("igb.mpl", "did you mean 'mlp'?", "igb.mlp"),
    ("igb.infer([0.1, 0.5, 1.0])", "pass D", "igb.infer([0.1, 0.5, 1.0], D=10)"),
    (
        "igb.design(0.0, 'sigma_w2', depth=2)",
        'vary="activation_shift"',
        "igb.design(0.0, depth=2, vary='activation_shift')",
    ),
    (
        "igb.phases.gradients(igb.mlp(1), X)",
        "GaussianInputs(variance=(X**2).mean(axis=1))",
        "igb.phases.gradients(igb.mlp(1), igb.GaussianInputs(variance=(X**2).mean(axis=1)))",
    ),
]


@pytest.mark.parametrize(("line", "words", "remedy"), LINES)
def test_what_a_message_in_python_tells_works(line: str, words: str, remedy: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)) as caught:
        eval(line)  # noqa: S307 - a line of the table
    assert words in str(caught.value)
    eval(remedy)  # noqa: S307 - as above
