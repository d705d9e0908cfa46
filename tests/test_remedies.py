"""What messages tell to do is done: a command or line that fails, words of its message, and the remedy."""

import shlex
from dataclasses import dataclass  # noqa: F401 - the lines of Python use it
from pathlib import Path

import numpy as np
import pytest
import sympy  # noqa: F401 - as above

import igbtheory as igb  # noqa: F401 - as above
from igbtheory.cli import main

X = np.random.default_rng(0).standard_normal((10, 4))
SMALL = np.random.default_rng(0).random((4, 1, 4, 4))
FILES = {
    "x.npy": X,
    "y.npy": np.arange(10) % 2,
    "zeros.npy": X * (np.arange(10) > 0)[:, None],
    "huge.npy": 1e200 * X,
    "grey.npy": np.random.default_rng(0).random((6, 8, 8)),
    "images.npy": np.random.default_rng(0).random((60, 1, 8, 8)),
    "many.npy": np.random.default_rng(1).standard_normal((129, 3)),
    "shares.npy": np.array([0.1, 0.5, 1.0]),
    "tiny.npy": 1e-200 * X,
    "small.npy": SMALL,
    "ones.npy": np.ones(10, int),
    "nan.npy": np.where(X > 1, np.nan, X),
    "empty.npy": X[:0],
    "equal.npy": X[[0, 0, *range(1, 9)]],
    "channels.npy": np.random.default_rng(0).random((6, 3, 8, 3)),
}
TABLES = {
    "semicolons.csv": "a;b\n1;2\n3;4",
    "commas.csv": "a,b\n1,2\n3,4",
    "word.csv": "a,b\n1,2\n3,x",
    "labelled.csv": "a,b,label\n1,2,0\n3,4,1",
    "counts.csv": "a,b\n0,2.5\n1,1.5\n2,2.5\n3,4",
    "classes.csv": "a,b,c\n" + "\n".join(f"{i + 0.5},{i * i},{i % 2}" for i in range(40)),
    "numbers.csv": "0,1,2\n0.5,2.5,3.5\n1,4.5,1.5",
    "damaged.gz": "\x1f\x8b",
    "utf16.csv": "\xff\xfe1\x00",
}
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
        'predict "Dense | BatchNorm | relu | Dense" --data many.npy',
        "pass --sample 128",
        'predict "Dense | BatchNorm | relu | Dense" --data many.npy --sample 128',
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
    ("predict --networks 50", "pass --width 100", "predict --networks 50 --width 100"),
    ("predict --width 20 --digits 30", "leave it out", "predict --width 20 --networks 9"),
    ("predict --shift 1 --data x.npy", "leave one out", "predict --shift 1"),
    (
        'predict "Dense | relu | Dense" --depth 2',
        "write it into the layers",
        'predict "Dense | relu | Dense | relu | Dense"',
    ),
    ("phase relu --points 5", "add --diagram", "phase relu --points 2 --diagram --workers 1 --depth 2"),
    (
        "phase relu --diagram --sigma-w2 2",
        "leave --sigma-w2 and --sigma-b2 out",
        "phase relu --diagram --points 2 --workers 1 --depth 2",
    ),
    ("predict 3 4", "every option has a name", "predict --depth 3"),
    ("draw --window 0.5 0.6", '"--data digits --first 500"', "draw --window 0.5 0.6 --data digits --first 500"),
    ("train", "for example --data digits --first 200", "train --data digits --first 20 --draws 20"),
    (
        "design --gamma 2 --vary sigma_b2 --sigma-b2 0.5",
        "--vary sigma_b2 finds its value; leave --sigma-b2 out",
        "design --gamma 2 --vary sigma_b2",
    ),
    (
        "design --gamma 1 --vary sigma_b2",
        "--within low high scans elsewhere",
        "design --gamma 2 --vary sigma_b2 --within 0 1",
    ),
    (
        "design --gamma 0 --vary sigma_b2",
        '--vary "activation_shift"',
        'design --gamma 0 --vary "activation_shift" --depth 1',
    ),
    (
        "design --gamma 0.1 --vary activation_shift --sigma-b2 1",
        "pass a larger gamma",
        "design --gamma 2 --vary activation_shift --sigma-b2 1 --depth 1",
    ),
    ("train --data x.npy --labels ones.npy", "add data of another one", "train --data x.npy --labels y.npy --draws 20"),
    ("draw --window 0.51 0.52 --data x.npy", "widen the window", "draw --window 0.5 0.6 --data x.npy"),
    (
        'draw "Dense | Dropout(0.1) | relu | Dense" --window 0.5 0.6 --data x.npy',
        "leave it out",
        'draw "Dense | relu | Dense" --window 0.5 0.6 --data x.npy',
    ),
    (
        'predict "Dense | Residual() | Dense"',
        "for example Residual(relu | Dense)",
        'predict "Dense | Residual(relu | Dense) | Dense"',
    ),
    ("predict --activation 1", "as in tanh(x)", 'predict --activation "tanh(x)"'),
    ("predict --activation softmax", "leave it out", "predict"),
    ('predict --activation "sin x"', "write sin(x)", 'predict --activation "sin(x)"'),
    ('predict --activation "x + tanh"', "write tanh(x)", 'predict --activation "x + tanh(x)"'),
    ("predict --activation tnah(x)", "did you mean 'tanh'?", 'predict --activation "tanh(x)"'),
    ("predict --activation relu --param a=1", "leave them out", "predict --activation relu"),
    ('predict --activation "a*x" --param a=inf', "write one such as a=0.5", 'predict --activation "a*x" --param a=0.5'),
    (
        "predict \"Dense | gelu(approximate='foo') | Dense\"",
        "write approximate='tanh'",
        "predict \"Dense | gelu(approximate='tanh') | Dense\"",
    ),
    (
        "predict \"Dense | BatchNorm(4, law='proxy') | relu | Dense\"",
        'use law="exact"',
        "predict \"Dense | BatchNorm(4, law='exact') | relu | Dense\"",
    ),
    (
        "predict \"Dense | relu | BatchNorm(8, law='proxy') | Dense\"",
        'use law="exact"',
        "predict \"Dense | relu | BatchNorm(8, law='exact') | Dense\"",
    ),
    (
        "predict \"Dense | BatchNorm(8, eps=0.1, law='proxy') | relu | Dense\"",
        "or use eps=0",
        "predict \"Dense | BatchNorm(8, eps=0, law='proxy') | relu | Dense\"",
    ),
    (
        'predict "Dense(0, 1) | BatchNorm(4) | relu | Dense"',
        "use sigma_w2 > 0",
        'predict "Dense(1, 1) | BatchNorm(4) | relu | Dense"',
    ),
    (
        'predict "Conv2d(3, groups=2) | relu | Flatten | Dense" --data small.npy',
        "take groups=1 in the first Conv2d",
        'predict "Conv2d(3, groups=1) | relu | Flatten | Dense" --data small.npy',
    ),
    (
        'predict "Conv2d(3) | relu | AvgPool2d(3) | Flatten | Dense" --data small.npy',
        "or take another k",
        'predict "Conv2d(3) | relu | AvgPool2d(2) | Flatten | Dense" --data small.npy',
    ),
    (
        'predict "Conv2d(9, padding=0) | relu | Flatten | Dense" --data small.npy',
        "take a smaller kernel",
        'predict "Conv2d(3, padding=0) | relu | Flatten | Dense" --data small.npy',
    ),
    (
        'predict "Tokens | Flatten | Dense" --data x.npy',
        "name images with --data",
        'predict "Tokens | Flatten | Dense" --data small.npy',
    ),
    (
        'predict "PatchEmbedding(2) | Dense" --data small.npy',
        "put Flatten() or GlobalAvgPool() in front of it",
        'predict "PatchEmbedding(2) | Flatten() | Dense" --data small.npy',
    ),
    (
        'predict "Conv2d(3) | Residual(relu | Conv2d(3, 2)) | Flatten | Dense" --data small.npy',
        "give it a shortcut",
        'predict "Conv2d(3) | Residual(relu | Conv2d(3, 2), shortcut=Conv2d(1, 2)) | Flatten | Dense" --data small.npy',
    ),
    ("predict --data nan.npy", "remove or impute it", "predict --data x.npy"),
    ("predict --data empty.npy", "pass at least two data", "predict --data x.npy"),
    ("predict --data two.npz", "choose one with --key 'a'", "predict --data two.npz --key 'a'"),
    (
        "predict --data labelled.csv",
        "pass --label-column 'label' if",
        "predict --data labelled.csv --label-column 'label'",
    ),
    (
        "predict --data labelled.csv",
        "--label-column None to take all",
        "predict --data labelled.csv --label-column None",
    ),
    ("predict --data counts.csv", "counts the data like an index", "predict --data counts.csv --label-column None"),
    (
        "predict --data classes.csv",
        "pass --label-column 'c' if it has labels",
        "predict --data classes.csv --label-column 'c'",
    ),
    ("predict --data numbers.csv", "pass --header True if", "predict --data numbers.csv --header True"),
    ("predict --data numbers.csv", "or --header False if", "predict --data numbers.csv --header False"),
    ("predict --data channels.npy", "or --axes 'NHWC'", "predict --data channels.npy --axes 'NHWC'"),
    (
        "certify --sigma-w2 0",
        "use --sigma-b2 > 0, --sigma-w2 > 0",
        "certify --sigma-w2 1 --sigma-b2 1 --depth 1 --digits 4",
    ),
    (
        'certify "Dense | sin | MaxPool(2) | Dense"',
        "put MaxPool(2) before the activation",
        'certify "Dense | MaxPool(2) | sin | Dense" --digits 4',
    ),
    (
        'certify "Dense | relu | BatchNorm(4) | Dense"',
        "use the full batch",
        'certify "Dense | relu | BatchNorm() | Dense" --digits 4',
    ),
    (
        'predict "Dense | BatchNorm | relu | Dense" --width 20',
        "give its batch_size",
        'predict "Dense | BatchNorm(4) | relu | Dense" --width 20 --networks 9',
    ),
    (
        "predict --width 20 --features 3 --data x.npy",
        "expected --features of Gaussian inputs, got data of 4 features; leave it out",
        "predict --width 20 --data x.npy --networks 9",
    ),
    ("predict --width 20,30", "pass one number for all of them", "predict --width 20 --networks 9"),
    (
        'predict "MaxPool(3) | Dense | relu | Dense" --width 20 --features 4',
        "pass a multiple of 3",
        'predict "MaxPool(3) | Dense | relu | Dense" --width 20 --features 6 --networks 9',
    ),
    ("phase relu --sigma-w2 0", "pass a variance such as 2.0", "phase relu --sigma-w2 2.0"),
    ("phase step", "use a continuous one", "phase relu"),
    (
        'train "Dense | BatchNorm | relu | Dense" --data x.npy --labels y.npy --draws 20',
        "use LayerNorm or RMSNorm",
        'train "Dense | LayerNorm | relu | Dense" --data x.npy --labels y.npy --draws 20',
    ),
    (
        "train --data equal.npy --labels y.npy --draws 20",
        "remove one of them",
        "train --data x.npy --labels y.npy --draws 20",
    ),
    (
        "infer shares.npy --samples 7",
        "pass --samples, the number of data that were counted",
        "infer shares.npy --samples 10",
    ),
    ("infer shares.npy --samples 10 --level 2", "pass for instance 0.95", "infer shares.npy --samples 10 --level 0.95"),
    ("predict --plot no/a.png", "make the folder, or name another file", "predict --plot a.png"),
    (
        "simulate --networks 2 --width 8 --samples 8 --store x.npy",
        "delete it, or name another",
        "simulate --networks 2 --width 8 --samples 8 --store other.db",
    ),
    (
        "simulate --networks 2 --width 8 --samples 8 --executor foo",
        'such as "processes:4"',
        "simulate --networks 2 --width 8 --samples 8 --executor threads:1",
    ),
    ("predict --data utf16.csv", "save it as CSV in UTF-8", "predict --data commas.csv"),
    ("predict --data objects.npz", "save arrays of numbers in it", "predict --data x.npy"),
    ("predict --data damaged.gz", "write or download it again", "predict --data x.npy"),
    (
        'simulate "Dense | GroupNorm(3) | relu | Dense" --networks 2 --width 8 --samples 8',
        "choose another width or size",
        'simulate "Dense | GroupNorm(4) | relu | Dense" --networks 2 --width 8 --samples 8 --executor threads:1',
    ),
    ("predict --data both.npz", "choose with --key 'a,y'", "predict --data both.npz --key 'a,y'"),
    (
        'predict --activation "where(x > 0, 1/min(0, x), 1)"',
        "divides by 0 on an interval of x; give it a value there",
        'predict --activation "where(x > 0, 2, 1/min(-1, x))"',
    ),
    ("predict --data /dev/null", "write its data into a file", "predict --data x.npy"),
    (
        "predict \"Dense | BatchNorm(8, law='proxy') | x**3 | Dense\"",
        "or a larger batch",
        "predict \"Dense | BatchNorm(16, law='proxy') | x**3 | Dense\"",
    ),
    (
        "predict \"Dense | BatchNorm(8, law='proxy') | x**3 | Dense\"",
        'use law="exact"',
        "predict \"Dense | BatchNorm(8, law='exact') | x**3 | Dense\"",
    ),
    (
        'derive --activation "where(x > 0.3, x, 0)" --norm batch --batch-size 4 --placement after',
        "derive the full batch",
        'derive --activation "where(x > 0.3, x, 0)" --norm batch --placement after --depth 1',
    ),
    (
        "design --gamma 2 --vary activation_shift --norm layer --placement after",
        "put it before the activation",
        "design --gamma 2 --vary activation_shift --norm layer --depth 1",
    ),
    ('predict "FirstToken | Dense" --data x.npy', "remove it", 'predict "Dense" --data x.npy'),
    (
        'predict "ClassToken | FirstToken | Dense" --data small.npy',
        "put PatchEmbedding(2) in front",
        'predict "PatchEmbedding(2) | ClassToken | FirstToken | Dense" --data small.npy',
    ),
    (
        'simulate "Conv2d(3) | relu | Conv2d(3, groups=3) | Flatten | Dense" --data small.npy --networks 2 --width 8',
        "choose another width or number of groups",
        'simulate "Conv2d(3) | relu | Conv2d(3, groups=2) | Flatten | Dense" --data small.npy --networks 2 --width 8',
    ),
    ("predict --shift inf", "pass a real number", "predict --shift 1"),
    ("predict --plot folder", "a file that ends in .png or .pdf or .svg", "predict --plot a.png"),
    ("predict --batch-size 3", '--batch-size with --norm "batch" only', "predict --norm batch --batch-size 3"),
    ("predict --norm foo", "known: batch, layer, rms", "predict --norm layer"),
    (
        'certify --activation "max(exp(-1/x), 0)"',
        "guard it by where(...)",
        'certify --activation "where(x > 1, exp(-1/x), 0)" --depth 1 --digits 4',
    ),
    (
        'predict --activation "exp(x**3)"',
        "clip it, for example with min(..., 10)",
        'predict --activation "min(exp(x**3), 10)"',
    ),
]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, array in FILES.items():
        np.save(name, array)
    for name, text in TABLES.items():
        Path(name).write_text(text, encoding="latin-1")
    np.savez("two.npz", a=X, b=X)
    np.savez("objects.npz", X=np.array([None, 1]))
    np.savez("both.npz", a=X, y=np.arange(10) % 2, labels=np.arange(10) % 2)
    monkeypatch.setattr("igbtheory.theory.refusals.LARGEST_WHOLE", 128)


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
    ("igb.mlp(1).predict(5)", "got int; pass an array", "igb.mlp(1).predict(X)"),
    ("igb.mlp(1).predict(X[:, 0])", "X.reshape(len(X), -1)", "igb.mlp(1).predict(X[:, 0].reshape(len(X), -1))"),
    ("igb.mlp(1.5)", "round it first", "igb.mlp(round(1.5))"),
    (
        "igb.mlp(1, sigma_w2=sympy.Symbol('s')).predict()",
        "or call derive()",
        "igb.mlp(1, sigma_w2=sympy.Symbol('s')).derive()",
    ),
    ("igb.GaussianInputs(np.inf)", "pass a real number", "igb.GaussianInputs(1.0)"),
    ("igb.GuessLaw(1).cdf('a')", "pass numbers", "igb.GuessLaw(1).cdf(0.5)"),
    ("igb.GuessLaw(-1)", "pass the gamma of a prediction", "igb.GuessLaw(igb.mlp(1).predict().gamma)"),
    (
        "igb.GuessLaw(-1)",
        "var_mu / var_chi",
        "igb.GuessLaw(igb.mlp(1).predict().var_mu / igb.mlp(1).predict().var_chi)",
    ),
    ("igb.GuessLaw(1).finite(-1)", "pass for instance D=1000", "igb.GuessLaw(1).finite(D=1000)"),
    (
        "igb.GuessLaw([1, 2]).cdf(np.full(3, 0.5))",
        "g.reshape((3, 1))",
        "igb.GuessLaw([1, 2]).cdf(np.full(3, 0.5).reshape((3, 1)))",
    ),
    ("igb.GuessLaw([1, 2]).rvs(3)", "(n, 2)", "igb.GuessLaw([1, 2]).rvs((3, 2))"),
    ("igb.GuessLaw(1).interval(2)", "pass for instance 0.95", "igb.GuessLaw(1).interval(0.95)"),
    ("igb.GuessLaw(1).stats('x')", 'pass for instance "mv"', "igb.GuessLaw(1).stats('mv')"),
    ("igb.mlp(1).predict().softmax(3, temperature=0)", "use prediction.guesses", "igb.mlp(1).predict().guesses(3)"),
    ("igb.infer([0.0, 0.5])", "pass D", "igb.infer([0.0, 0.5], D=10)"),
    ("igb.infer([[0.5, 0.6]])", "divide them by it", "igb.infer(np.array([[0.5, 0.6]]) / 1.1)"),
    ("igb.infer([[5, 6]])", "divide counts by their sum", "igb.infer(np.array([[5, 6]]) / 11, D=11)"),
    (
        "igb.compare(igb.infer([0.2, 0.5]), igb.infer([0.2, 0.5], D=10))",
        "infer both from the same kind",
        "igb.compare(igb.infer([0.2, 0.5], D=10), igb.infer([0.2, 0.5], D=10))",
    ),
    (
        "igb.Network(igb.Attention(2), igb.Flatten(), igb.Dense()).simulate(2, 3, inputs=SMALL[:, 0])",
        "choose another width",
        "igb.Network(igb.Attention(2), igb.Flatten(), igb.Dense()).simulate(2, 4, inputs=SMALL[:, 0])",
    ),
    (
        "igb.mlp(1, sigma_w2=[1, 2]).simulate(2, 3, 2)",
        "loop over its values",
        "[igb.mlp(1, sigma_w2=x).simulate(2, 3, 2) for x in (1, 2)]",
    ),
    (
        "igb.mlp(1, sigma_w2=[1, 2]).predict(X)",
        "loop over its values",
        "[igb.mlp(1, sigma_w2=x).predict(X) for x in (1, 2)]",
    ),
    (
        "igb.mlp(1).simulate(2, 3, 2, inputs=igb.GaussianInputs([0, 1]))",
        "loop over its values",
        "[igb.mlp(1).simulate(2, 3, 2, inputs=igb.GaussianInputs(x)) for x in (0, 1)]",
    ),
    (
        "igb.mlp(1).simulate(network=5)",
        "did you mean 'networks'?",
        "igb.mlp(1).simulate(networks=5, width=8, samples=8)",
    ),
    ("igb.mlp(1).simulate(2, 8, 8, worker=1)", "did you mean 'workers'?", "igb.mlp(1).simulate(2, 8, 8, workers=1)"),
    ("igb.mlp(1).train(X, [0, 1] * 5, draw=20)", "did you mean 'draws'?", "igb.mlp(1).train(X, [0, 1] * 5, draws=20)"),
    ("igb.mlp(1).predict(digts=30)", "did you mean 'digits'?", "igb.mlp(1).predict(digits=30)"),
    (
        "igb.mlp(1).predict(width=20, feature=3)",
        "did you mean 'features'?",
        "igb.mlp(1).predict(width=20, features=3, networks=9)",
    ),
    (
        "igb.mlp(1).simulate(2, 8, 8).compare(worker=1)",
        "did you mean 'workers'?",
        "igb.mlp(1).simulate(2, 8, 8).compare(workers=1)",
    ),
    ("igb.edges_of_chaos", "did you mean 'igbtheory.phases.edges_of_chaos'?", "igb.phases.edges_of_chaos"),
    ("igb.register(3)", "pass the class itself", "igb.register(dataclass(frozen=True)(type('L', (igb.Layer,), {})))"),
    (
        "igb.register(type('L', (igb.Layer,), {}))",
        "put @dataclass(frozen=True) in front",
        "igb.register(dataclass(frozen=True)(type('L', (igb.Layer,), {})))",
    ),
    ("igb.Activation(['relu', 'tanh'])", "pass one of them", "igb.Activation('relu')"),
    ("igb.Activation(lambda x: 1.0)", "let it act on every number on its own", "igb.Activation(lambda x: x * 1.0)"),
    ("igb.Activation(lambda x: x - x.mean())", "leave out means", "igb.Activation(lambda x: x)"),
    ("igb.Activation(lambda x: 1.0 + 0 * x)", "let it use its argument", "igb.Activation(lambda x: 1.0 + x)"),
    ("igb.Activation(([1, 2], [1]))", "two sequences of one length", "igb.Activation(([1, 2], [1, 2]))"),
    ("igb.Activation('relu', a=1)", "leave them out", "igb.Activation('relu')"),
    (
        "igb.Activation(sympy.Symbol('y') * sympy.Symbol('z'))",
        "call one of them x",
        "igb.Activation(sympy.Symbol('x') * sympy.Symbol('z'), z=2)",
    ),
    (
        "igb.Activation(sympy.Lambda(sympy.symbols('x z'), sympy.Symbol('z')))",
        "make the others free symbols",
        "igb.Activation(sympy.Lambda(sympy.Symbol('x'), sympy.sympify('x * z')), z=2)",
    ),
    ("igb.Activation('a*x', a=sympy.Symbol('x'))", "write x into the formula", "igb.Activation('x*x')"),
    (
        "igb.design(2, 'sigma_b2', depth=2, within=3)",
        "expected within=(low, high)",
        "igb.design(2, 'sigma_b2', depth=2, within=(0, 1))",
    ),
    (
        "igb.design(2, lambda s: igb.mlp(2, sigma_b2=s))",
        "expected within=(low, high)",
        "igb.design(2, lambda s: igb.mlp(2, sigma_b2=s), within=(0, 1))",
    ),
    (
        "igb.draw(igb.cnn(1), SMALL, (0.2, 0.8))",
        "X.reshape(len(X), -1), for a network of Dense layers",
        "igb.draw(igb.mlp(1), SMALL.reshape(len(SMALL), -1), (0.2, 0.8), networks=2, width=8)",
    ),
    ("igb.draw(3, X, (0, 1))", "such as igb.mlp(3)", "igb.draw(igb.mlp(3), X, (0, 1), networks=1, width=4)"),
    ("igb.mlp(1).predict(kind=3)", "or digits=30", "igb.mlp(1).predict(digits=30)"),
    ("igb.Network.read(3)", "Dense(2.0) | relu | Dense(2)", "igb.Network.read('Dense(2.0) | relu | Dense(2)')"),
    ("igb.phases.edge_of_chaos('tanh', q=0)", "known: activation, pool", "igb.phases.edge_of_chaos('relu', pool=2)"),
    (
        "igb.phases.classify('relu', depths=3)",
        "(10, 30, 100)",
        "igb.phases.classify('relu', depths=(10, 30, 100))",
    ),
    (
        "igb.mlp(1, norm='batch').predict(igb.GaussianInputs(1, 0))",
        "inputs that vary, such as GaussianInputs(0, 1)",
        "igb.mlp(1, norm='batch').predict(igb.GaussianInputs(0, 1))",
    ),
    ("igb.mlp(1).derive().pdf(3)", "pass for example 0.3", "igb.mlp(1).derive().pdf(0.3)"),
    ("igb.Residual(igb.Dense(), shortcut=3)", "Dense(1.0)", "igb.Residual(igb.Dense(), shortcut=igb.Dense(1.0))"),
    (
        "igb.guesses.accuracy_bounds(3)",
        "prediction.guesses(10)",
        "igb.guesses.accuracy_bounds(igb.mlp(1).predict().guesses(10), draws=9)",
    ),
    ("igb.runs.blocks(3, 0)", "pass a time such as 120.0", "igb.runs.blocks(3, 120.0)"),
    ("igb.design(20.0, 'sigma_b2')", "pass depth=10", "igb.design(20.0, 'sigma_b2', depth=10)"),
    ("igb.Activation('x*2**max(1e99, E)')", "write less", "igb.Activation('x*2**max(9, E)')"),
    (
        "igb.mlp(1).train(X, np.arange(10) + 0.5)",
        "subtract their mean",
        "igb.mlp(1).train(X, np.arange(10) - 4.5, draws=2)",
    ),
    ("igb.draw(igb.mlp(1), X, 3)", "pass for instance (0.8, 0.9)", "igb.draw(igb.mlp(1), X, (0.8, 0.9))"),
    (
        "igb.losses.predicted(3, igb.losses.CrossEntropy(), 2)",
        "pass net.predict()",
        "igb.losses.predicted(igb.mlp(1).predict(), igb.losses.CrossEntropy(), 2, networks=9, samples=9)",
    ),
    (
        "igb.losses.predicted(igb.mlp(1, sigma_w2=[1, 2]).predict(), igb.losses.CrossEntropy(), 2)",
        "loop over its values",
        "igb.losses.predicted(igb.mlp(1, sigma_w2=1).predict(), igb.losses.CrossEntropy(), 2, networks=9, samples=9)",
    ),
    (
        "igb.losses.measured([X], igb.losses.CrossEntropy())",
        "pass more",
        "igb.losses.measured([X, X + 1], igb.losses.CrossEntropy())",
    ),
    (
        "igb.mlp(1, sigma_w2=[1, 2]).predict(width=10)",
        "loop over its values",
        "[igb.mlp(1, sigma_w2=x).predict(width=10, networks=9) for x in (1, 2)]",
    ),
    ("igb.mlp(1).predict(X[[0, 0]], width=10)", "pass data that vary", "igb.mlp(1).predict(X, width=10, networks=9)"),
    ("igb.mlp(1).train(X, ['a', 'b'] * 5)", "number the classes", "igb.mlp(1).train(X, [0, 1] * 5, draws=20)"),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, times=[2, 1])",
        "pass for example [0, 0.1, 1, 10]",
        "igb.mlp(1).train(X, [0, 1] * 5, times=[0, 0.1, 1, 10], draws=20)",
    ),
    ("igb.mlp(1).simulate(2, 4, 4).compare(3)", "or None", "igb.mlp(1).simulate(2, 8, 8).compare(None)"),
    ("igb.phases.class_gradients(3)", "pass net.predict()", "igb.phases.class_gradients(igb.mlp(1).predict())"),
    (
        "igb.phases.class_gradients(igb.mlp(1).predict(X))",
        "pass net.predict()",
        "igb.phases.class_gradients(igb.mlp(1).predict())",
    ),
    (
        "igb.phases.class_gradients(igb.mlp(1, sigma_w2=[1, 2]).predict())",
        "loop over its values",
        "igb.phases.class_gradients(igb.mlp(1).predict())",
    ),
    (
        "igb.phases.class_gradients(igb.mlp(1).predict(), 3).ppf(0.5)",
        "use rvs(size)",
        "igb.phases.class_gradients(igb.mlp(1).predict(), 3).rvs(5)",
    ),
    (
        "igb.phases.classify('relu', sigma_w2=[1, 2])",
        "loop over its values",
        "[igb.phases.classify('relu', sigma_w2=x) for x in (1, 2)]",
    ),
    ("igb.phases.verdict('tanh', inputs=X)", "pass a data set to Network.predict", "igb.mlp(1, 'tanh').predict(X)"),
    (
        "igb.phases.gradients(igb.mlp(1, norm='batch', batch_size=4))",
        "use the full batch",
        "igb.phases.gradients(igb.mlp(1, norm='batch'))",
    ),
    ("igb.phases.gradients(igb.mlp(1, 'step'))", "use a continuous one", "igb.phases.gradients(igb.mlp(1, 'relu'))"),
    (
        "igb.phases.diagram('relu', [1], [0, 1])",
        "np.linspace(0.5, 4, 100)",
        "igb.phases.diagram('relu', np.linspace(0.5, 4, 2), [0, 1], depth=1)",
    ),
    (
        "igb.Prediction.from_json(igb.GuessLaw(1).to_json())",
        "call GuessLaw.from_json",
        "igb.GuessLaw.from_json(igb.GuessLaw(1).to_json())",
    ),
    ("igb.mlp(1).derive(X)", "use predict(X)", "igb.mlp(1).predict(X)"),
    (
        "igb.mlp(1, sigma_w2=[1, 2]).derive()",
        "derive() with SymPy symbols",
        "igb.mlp(1, sigma_w2=sympy.Symbol('s', positive=True)).derive()",
    ),
    (
        "igb.cnn(1).predict()",
        "igb.gaussian_images(100, 3, 8, 8, correlation_length=2.0)",
        "igb.gaussian_images(100, 3, 8, 8, correlation_length=2.0)",
    ),
    ("igb.mlp(1).predict([[1, 2], [np.nan, 1]])", "remove or impute it", "igb.mlp(1).predict([[1, 2], [0, 1]])"),
    (
        "igb.Network(igb.Dense(), igb.Residual(igb.Activation('relu')), igb.Dense())",
        "append Dense(sigma_w2)",
        "igb.Network(igb.Dense(), igb.Residual(igb.Activation('relu'), igb.Dense(1)), igb.Dense())",
    ),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, X_test=X, y_test=X[:, :3])",
        "pass both alike",
        "igb.mlp(1).train(X, [0, 1] * 5, X_test=X + 1, y_test=[0, 1] * 5, draws=20)",
    ),
    (
        "igb.Activation(sympy.loggamma(sympy.Symbol('x')))",
        "pass a callable instead",
        "igb.Activation(lambda x: np.log1p(x * x))",
    ),
    (
        "igb.Network(igb.Conv2d(1), igb.Flatten(), igb.Dense()).predict(np.tile(X, 16))",
        "X.reshape(len(X), 1, 8, 8)",
        "igb.Network(igb.Conv2d(1), igb.Flatten(), igb.Dense()).predict(np.tile(X, 16).reshape(len(X), 1, 8, 8))",
    ),
    (
        "igb.mlp(1, norm='batch', batch_size=4).predict().G0.finite(D=10)",
        "take D as a multiple",
        "igb.mlp(1, norm='batch', batch_size=4).predict().G0.finite(D=12)",
    ),
    (
        "igb.mlp(1, sigma_w2=[1, 2]).predict().softmax(3)",
        "loop over its values",
        "igb.mlp(1, sigma_w2=1).predict().softmax(3)",
    ),
    ("igb.mlp(1).predict().guesses(3).pdf(2)", "pass for instance g=0.3", "igb.mlp(1).predict().guesses(3).pdf(g=0.3)"),
    (
        "igb.phases.verdict('tanh', inputs=igb.GaussianInputs([0, 1]))",
        "loop over its values",
        "[igb.phases.verdict('tanh', inputs=igb.GaussianInputs(x)) for x in (0, 1)]",
    ),
    ("igb.Activation(lambda x: x.foo)", "let it return a float for every float", "igb.Activation(lambda x: float(x))"),
    (
        "igb.mlp(sympy.Symbol('L')).predict()",
        "call derive().at_depth(L) of a network of some depth",
        "igb.mlp(3).derive().at_depth(sympy.Symbol('L'))",
    ),
    ("igb.mlp(1).derive().at_depth(5)", "derive mlp(3, ...) and ask it", "igb.mlp(3).derive().at_depth(5)"),
    (
        "igb.Network(igb.Dense(), igb.Activation('a*x', a=np.ones(2)), igb.Dense()).simulate(2, 4, 4)",
        "loop over its values",
        "igb.Network(igb.Dense(), igb.Activation('a*x', a=1), igb.Dense()).simulate(2, 4, 4)",
    ),
    (
        "igb.phases.thresholds('relu', q=0)",
        "pass the variance of the units, such as 1.0",
        "igb.phases.thresholds('relu', q=1.0)",
    ),
    (
        "igb.losses.predicted(igb.mlp(1).predict(), 'mse', 2)",
        "such as CrossEntropy() or PiecewiseZero(0.1)",
        "igb.losses.predicted(igb.mlp(1).predict(), igb.losses.PiecewiseZero(0.1), 2, networks=9, samples=9)",
    ),
    (
        "igb.losses.measured([np.full((4, 2), np.inf)] * 2, igb.losses.CrossEntropy())",
        "scale the inputs",
        "igb.losses.measured([np.ones((4, 2))] * 2, igb.losses.CrossEntropy())",
    ),
    ("igb.BatchNorm(eps=np.ones(2))", "loop over its values", "[igb.BatchNorm(eps=x) for x in np.ones(2)]"),
    ("igb.BatchNorm(eps=-1)", "pass a small number such as 1e-5", "igb.BatchNorm(eps=1e-5)"),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, X_test=X + 1, y_test=[0, 2] * 5)",
        "check both sets",
        "igb.mlp(1).train(X, [0, 1] * 5, X_test=X + 1, y_test=[0, 1] * 5, draws=20)",
    ),
    (
        "igb.mlp(1, 'x**3').simulate(2, 8, inputs=1e20 * X)",
        "scale the inputs or the variances down",
        "igb.mlp(1, 'x**3').simulate(2, 8, inputs=X)",
    ),
    (
        "igb.phases.verdict('relu', inputs=igb.GaussianInputs(0, 0))",
        "a variance > 0",
        "igb.phases.verdict('relu', inputs=igb.GaussianInputs(0, 1))",
    ),
    (
        "igb.mlp(1).predict(igb.GaussianInputs(sympy.Symbol('s')))",
        "pass a number",
        "igb.mlp(1).predict(igb.GaussianInputs(1))",
    ),
    (
        "igb.mlp(1, sigma_w2=[1, 2], sigma_b2=[0, 1, 2]).predict()",
        "as in a[:, None]",
        "igb.mlp(1, sigma_w2=np.array([1, 2])[:, None], sigma_b2=[0, 1, 2]).predict()",
    ),
    ("igb.infer([0.0, 0.5, 1.0])", "pass D, the number of data that were counted", "igb.infer([0.0, 0.5, 1.0], D=10)"),
    (
        "igb.GuessLaw([1.0, 2.0]).pdf([0.1, 0.2, 0.3])",
        "put axes behind, g.reshape((3, 1))",
        "igb.GuessLaw([1.0, 2.0]).pdf(np.array([0.1, 0.2, 0.3]).reshape((3, 1)))",
    ),
    (
        "igb.GuessLaw([1.0, 2.0]).rvs(size=3)",
        "put further axes in front: (n, 2)",
        "igb.GuessLaw([1.0, 2.0]).rvs(size=(3, 2))",
    ),
    (
        "igb.mlp(1, sigma_w2=[1, 2]).predict().guesses(3).rvs(size=3)",
        "put further axes in front: (n, 2)",
        "igb.mlp(1, sigma_w2=[1, 2]).predict().guesses(3).rvs(size=(3, 2))",
    ),
    (
        "igb.guesses.accuracy_bounds(igb.mlp(1, sigma_w2=[1, 2]).predict().guesses(3))",
        "loop over the values",
        "igb.guesses.accuracy_bounds(igb.mlp(1).predict().guesses(3), draws=9)",
    ),
    (
        "igb.guesses.mean_shares(1.0, 3, D=0)",
        "pass the number of data, or inf",
        "igb.guesses.mean_shares(1.0, 3, D=np.inf)",
    ),
    (
        "igb.Network(igb.Conv2d(3, groups=2), igb.Flatten(), igb.Dense()).predict(SMALL)",
        "take groups=1 in the first Conv2d",
        "igb.Network(igb.Conv2d(3, groups=1), igb.Flatten(), igb.Dense()).predict(SMALL)",
    ),
    ("igb.Activation(lambda x: 'a')", "return floats", "igb.Activation(lambda x: 1.0 * x)"),
    (
        "igb.mlp(1, 'log(max(x, 0))').predict()",
        "give it a value there by where(...)",
        "igb.mlp(1, 'where(x > 1, log(max(x, 1)), 0)').predict()",
    ),
    ("igb.Activation('tanh + x')", "write tanh(x)", "igb.Activation('tanh(x) + x')"),
    (
        "igb.Activation('where(x, 1, 0)')",
        "compares formulas with <, <=, > or >=",
        "igb.Activation('where(x > 0, 1, 0)')",
    ),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, draws=50, times=[0, 1]).split((0.001, 0.002))",
        "widen the interval",
        "igb.mlp(1).train(X, [0, 1] * 5, draws=50, times=[0, 1]).split((0.25, 0.75))",
    ),
    (
        "igb.phases.residual_limit(igb.Network.read('Dense | Residual(Dense | relu) | Dense'))",
        "end the branch with a Dense",
        "igb.phases.residual_limit(igb.Network.read('Dense | Residual(relu | Dense) | Dense'))",
    ),
    (
        "igb.Network(igb.Conv1d(3), igb.Flatten(), igb.Dense()).predict()",
        "draw sequences, for example numpy.random.default_rng(0).normal(size=(100, 8, 16))",
        "igb.Network.read('Conv1d(3) | Flatten | Dense').predict(np.random.default_rng(0).normal(size=(9, 8, 16)))",
    ),
    ("igb.infer([2, 3], D=5)", "divide counts by the number of data", "igb.infer([2 / 5, 3 / 5], D=5)"),
    (
        "igb.mlp(1).simulate(2, 8, 8, workers=2, executor='threads:2')",
        'write the number behind it: "processes:2"',
        "igb.mlp(1).simulate(2, 8, 8, executor='threads:2')",
    ),
    (
        "igb.guesses.accuracy_bound([2, 7], [0.5, 0.5])",
        "divide counts by their sum",
        "igb.guesses.accuracy_bound([2 / 9, 7 / 9], [0.5, 0.5])",
    ),
    (
        "igb.phases.gradients(igb.mlp(1, lambda x: np.float32(np.tanh(x))))",
        "pass its formula as text",
        "igb.phases.gradients(igb.mlp(1, 'tanh'))",
    ),
    ("igb.mlp(1, 'floor(400*x)').certify(5)", "use predict()", "igb.mlp(1, 'floor(4*x)').predict()"),
    ("igb.mlp(1).predict(1e200 * X)", "scale the data", "igb.mlp(1).predict(X)"),
    (
        "igb.Network(igb.Dense(), igb.BatchNorm(4, eps=0.1), igb.Activation('relu'), igb.Dense()).certify(5)",
        "or of batches with eps=0",
        "igb.Network(igb.Dense(), igb.BatchNorm(4), igb.Activation('relu'), igb.Dense()).certify(5)",
    ),
    (
        "igb.mlp(1).train(np.arange(40_000.0)[:, None], [0, 1] * 20_000)",
        "train on a subsample",
        "igb.mlp(1).train(X[:6], [0, 1] * 3, draws=20)",
    ),
    ("igb.mlp(1, 'SwiGLU')", "use the layer SwiGLU(), as in mlp(3, igb.SwiGLU())", "igb.mlp(3, igb.SwiGLU())"),
]


@pytest.mark.parametrize(("line", "words", "remedy"), LINES)
@pytest.mark.usefixtures("few_draws")
def test_what_a_message_in_python_tells_works(line: str, words: str, remedy: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)) as caught:
        eval(line)  # noqa: S307 - a line of the table
    assert words in str(caught.value)
    eval(remedy)  # noqa: S307 - as above
