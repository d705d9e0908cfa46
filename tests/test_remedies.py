"""What messages tell to do is done: a command or line that fails, words of its message, and the remedy."""

import ast
import gzip
import pickle  # noqa: F401 - the lines of Python use it
import re
import shlex
import shutil
import struct
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt  # noqa: F401 - as above
import numpy as np
import pytest
import sympy  # noqa: F401 - as above
from PIL import Image

import igbtheory as igb
from igbtheory.presentation.cli import main

X = np.random.default_rng(0).standard_normal((10, 4))
IDS = np.arange(12).reshape(4, 3) % 5
IDS_OF_FOUR = np.arange(40).reshape(10, 4) % 5
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
    "image.npy": np.random.default_rng(0).random((9, 9, 3)),
    "channels.npy": np.random.default_rng(0).random((6, 3, 8, 3)),
}
MODEL = "import torch\n\ndef Net():\n    return torch.nn.Linear(4, 2)\n\n"
TABLES = {
    "model.py": MODEL,
    "exits.py": MODEL + "exit()",
    "guarded.py": MODEL + "if __name__ == '__main__':\n    exit()",
    "ragged.csv": "a,b\n1,2\n3,4,5\n6,7",
    "heads.csv": "a,b\ncm,kg\n1.5,2\n2.5,3",
    "mixed.csv": "a,b\n1.5,1\n2.5,x\n0.5,2",
    "gap.csv": "a,b\n1.5,1\n2.5,\n0.5,2",
    "named.csv": "a,b\n1,2,3,4\n3,4,5,6",
    "no.csv": "",
    "quoted.csv": 'a,b\n1,"2\n' + "3,4\n" * 40000,
    "records.jsonl": '{"a": 1.5}\nhello',
    "numbers.json": "[1, 2]",
    "right.jsonl": '{"a": 1.5, "b": 2}\n{"a": 2.5, "b": 2}',
    "sheet.xlsx": "",
    "data.svm": "1 1:0.5 3:2.5\n-1 2:0.5\n",
    "digit.png": "",
    "kinds.csv": "kind,a,b\n" + "\n".join(f"{'uvv'[i % 3]},{i % 4 + 1},{i * i % 7}" for i in range(9)),
    "one.csv": "x\n1,25\n4,5\n2,75",
    "page.html": "<!DOCTYPE html>",
    "signs.csv": "\n".join(f"{i * i % 7}.5;n{i},{i % 5}.5" for i in range(9)),
    "commas.csv": "a,b\n1,2\n3,4",
    "word.csv": "a,b\n1,2\n3,x",
    "labelled.csv": "a,b,c,Class Name\n"
    + "\n".join(f"{i * i % 7 + 0.5},{'uv'[i % 2]},{'st'[i % 2]},{i % 2}" for i in range(9)),
    "counts.csv": "a,b\n0,2.5\n1,1.5\n2,2.5\n3,4",
    "index.csv": "a,b,label\n0,2.5,0\n1,1.5,1\n2,2.5,1\n3,4,0",
    "classes.csv": "a,b,c\n" + "\n".join(f"{i * i % 41 + 0.5},{i * i % 31 / 3},{i % 2}" for i in range(40)),
    "thousands.csv": "1,125;2,250\n3,375;1,500\n2,625;1,750",
    "dates.csv": "a,b\n2024-01-01,2.5\n2024-01-02,1.5",
    "numbers.csv": "0,1,2\n0.5,2.5,3.5\n1,4.5,1.5",
    "damaged.gz": "\x1f\x8b",
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
        "predict --data word.csv",
        "pass --drop-columns 'b', or change the table",
        "predict --data word.csv --drop-columns b",
    ),
    (
        "predict --data ragged.csv",
        "line 3 has 3 cells, and line 2 has 2; give every row the same",
        "predict --data commas.csv",
    ),
    ("predict --data heads.csv", "line 2 has names, too ('cm'); keep one line of names", "predict --data commas.csv"),
    (
        "predict --data mixed.csv --label-column b",
        "'x' among numbers in line 3: correct the cell",
        "predict --data commas.csv",
    ),
    ("predict --data gap.csv --label-column b", "first in line 3; remove these rows", "predict --data commas.csv"),
    (
        "predict --data named.csv --header yes",
        "line 1 names 2 columns, and line 2 has 4 cells; name every column",
        "predict --data commas.csv",
    ),
    ("predict --data no.csv", "got none; write a row for each datum", "predict --data commas.csv"),
    ("predict --data quoted.csv", "close its quotes", "predict --data commas.csv"),
    (
        "predict --data records.jsonl",
        "line 2 is no JSON (Expecting value); write a record in each line",
        "predict --data right.jsonl",
    ),
    (
        "predict --data numbers.json",
        'such as {"a": 1.5, "label": 0}; write one in each line',
        "predict --data right.jsonl",
    ),
    (
        "predict --data commas.csv --separator ab",
        "pass for example --separator ';'",
        "predict --data thousands.csv --separator ';' --decimal ,",
    ),
    (
        "predict --data sheet.xlsx",
        "save it as CSV, or call igb.read_data(pandas.read_excel('sheet.xlsx'))",
        "predict --data commas.csv",
    ),
    (
        "predict --data data.svm",
        "convert it in Python: from sklearn.datasets import load_svmlight_file",
        "predict --data x.npy",
    ),
    ("predict --data digit.png", "name the folder of all, ", "predict --data x.npy"),
    ("predict --data thousands.csv", "or write thousands without commas", "predict --data commas.csv"),
    ("predict --data x.npy --decimal ,", "leave --decimal out", "predict --data x.npy"),
    (
        "predict --data one.csv",
        "pass --decimal ',' if it is one, or --decimal '.'",
        "predict --data one.csv --decimal ','",
    ),
    ("predict --data kinds.csv", "or name another column", "predict --data kinds.csv --label-column kind"),
    ("predict --data page.html", "download the file that it shows", "predict --data commas.csv"),
    (
        "predict --data image.npy",
        "save several images, or pass --axes 'NHW' for grey images",
        "predict --data image.npy --axes NHW",
    ),
    ("predict --data signs.csv", "pass --separator ',' or --separator ';'", "predict --data signs.csv --separator ';'"),
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
    ("phase gelu", "pass --sigma-w2 4", "phase gelu --sigma-w2 4"),
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
        "pass --label-column 'Class Name' and --drop-columns 'b,c'",
        "predict --data labelled.csv --label-column 'Class Name' --drop-columns 'b,c'",
    ),
    (
        "predict --data classes.csv",
        "pass --label-column 'c', or --label-column None if all",
        "predict --data classes.csv --label-column 'c'",
    ),
    ("predict --data classes.csv", "or --label-column None if all", "predict --data classes.csv --label-column None"),
    ("predict --data counts.csv", "pass --drop-columns 'a', or", "predict --data counts.csv --drop-columns 'a'"),
    ("predict --data counts.csv", "or --label-column None if", "predict --data counts.csv --label-column None"),
    (
        "train --data index.csv",
        "or --drop-columns '' if all",
        "train --data index.csv --drop-columns '' --label-column label",
    ),
    ("predict --data thousands.csv", "pass --decimal ','", "predict --data thousands.csv --decimal ','"),
    ("predict --data dates.csv", "pass --drop-columns 'a'", "predict --data dates.csv --drop-columns 'a'"),
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
        'train "Dense | BatchNorm | tanh | Dense" --data x.npy --labels y.npy --draws 20',
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
    ("predict --style icml", "add, say, --plot gamma.pdf", "predict --style icml --plot gamma.pdf"),
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
    (
        "simulate --networks 2 --width 9 --samples 8 --store finished.db",
        "name another store",
        "simulate --networks 2 --width 9 --samples 8 --store another.db",
    ),
    (
        "simulate --networks 2 --width 9 --samples 8 --store finished.db",
        "or repeat the command that made it",
        "simulate --networks 2 --width 8 --samples 8 --store finished.db",
    ),
    (
        "predict --plot folder.png",
        "is a folder; name a file in it, such as folder.png/activation.png",
        "predict --plot folder.png/activation.png",
    ),
    ("predict --data x.npy --axes NHW", "pass no axes", "predict --data x.npy"),
    ("predict --data bomb.gz", "take fewer data, or save them unpacked", "predict --data x.npy"),
    ("predict --data deep", "save the images as FILE.npy", "predict --data images.npy"),
    (
        "measure model.py --data x.npy",
        "name the function after a colon",
        "measure model.py:Net --data x.npy --networks 2",
    ),
    (
        "measure exits.py:Net --data x.npy",
        "put the call of exit() under if __name__ == '__main__'",
        "measure guarded.py:Net --data x.npy --networks 2",
    ),
    (
        "study model.py:Net --data x.npy --labels y.npy --quick",
        "pass small --networks and --steps instead",
        "study model.py:Net --data x.npy --labels y.npy --networks 2 --steps 1 --batch-size 2 --executor threads:1",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the commands name."""
    path = tmp_path_factory.mktemp("files")
    for name, array in FILES.items():
        np.save(path / name, array)
    for name, text in TABLES.items():
        (path / name).write_text(text, encoding="latin-1")
    (path / "folder.png").mkdir()
    (path / "bomb.gz").write_bytes(gzip.compress(struct.pack(">4BI", 0, 0, 14, 1, 2**32 - 1)))
    (path / "deep").mkdir()
    Image.fromarray(np.full((4, 4), 10**6, dtype=np.int32)).save(path / "deep/a.tif")
    np.savez(path / "two.npz", a=X, b=X)
    np.savez(path / "objects.npz", X=np.array([None, 1]))
    np.savez(path / "both.npz", a=X, y=np.arange(10) % 2, labels=np.arange(10) % 2)
    igb.mlp(3).simulate(2, 8, 8, store=path / "finished.db")
    return path


@pytest.fixture
def files(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("igbtheory.theory.refusals.LARGEST_WHOLE", 128)


@cache
def status(remedy: str) -> int:
    """Return the exit status of a command, which runs once for all messages that tell it."""
    return main(shlex.split(remedy))


@pytest.mark.parametrize(("command", "words", "remedy"), COMMANDS)
@pytest.mark.usefixtures("files", "few_draws")
def test_what_a_message_of_a_command_tells_works(
    command: str, words: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if command.startswith(("measure", "study")):
        pytest.importorskip("torch")
    assert main(shlex.split(command)) == 2
    assert words in capsys.readouterr().err
    assert status(remedy) == 0


@pytest.mark.parametrize("array", [X + 1j, X.astype(str), X.reshape(5, 2, 2, 2, 1)], ids=["complex", "text", "axes"])
@pytest.mark.usefixtures("files")
def test_the_program_that_a_message_on_a_file_prints_writes_data(
    array: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save("wrong.npy", array)
    assert main(["predict", "--data", "wrong.npy"]) == 2
    exec(capsys.readouterr().err.partition("in Python: ")[2])  # noqa: S102 - a program of a message
    assert main(["predict", "--data", "new.npy"]) == 0


@dataclass(frozen=True)
class Doubled(igb.Layer):
    """A layer that doubles its units."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return 2 * x

    def rule(self, node: Any) -> Any:
        return node.times_number(2.0)


class Counting(Doubled):
    """A layer whose rule returns a number."""

    def rule(self, node: Any) -> Any:
        return 2


class Halving(igb.Layer):
    """A layer that leaves every other datum out."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x[::2]


def doubled() -> str:
    """Return a result with a registered layer as text."""
    igb.register(Doubled)
    return str(igb.Network(igb.Dense(), Doubled(), igb.Dense()).predict().to_json())


class Summing(igb.Layer):
    """A layer whose samples are a number."""

    def samples(self, x: Any, rng: Any, width: int) -> Any:
        return x.sum()


BATCHES = igb.mlp(1, norm="batch", batch_size=4)
LINES = [
    # a line of Python, words of its message, remedy
    (
        "igb.mlp(1).predict(np.ones((28, 28, 3), np.uint8))",
        "pass an array of images (n_samples, channels, height, width)",
        "igb.cnn(1).predict(np.random.default_rng(0).integers(0, 9, (5, 3, 8, 8), dtype=np.uint8))",
    ),
    (
        "igb.mlp(1).predict(X.reshape(5, 2, 2, 2, 1))",
        "X.reshape(len(X), -1)",
        "igb.mlp(1).predict(X.reshape(len(X), -1))",
    ),
    ("igb.mlp(1).predict().router(8, 9)", "take top=2", "igb.mlp(1).predict().router(8, 2)"),
    ("igb.mlp(1).predict().router(1, 1)", "pass a number of experts such as 8", "igb.mlp(1).predict().router(8, 1)"),
    (
        "igb.mlp(1).predict().router(8, 0)",
        "pass the number of experts that a token takes, such as 2",
        "igb.mlp(1).predict().router(8, 2)",
    ),
    (
        "igb.mlp(1).predict().router(8, 2).dropped(0)",
        "pass 1.25, or leave it out",
        "igb.mlp(1).predict().router(8, 2).dropped(1.25)",
    ),
    (
        "igb.mlp(1).predict(X).compare(np.ones((3, 5, 1)))",
        "pass outputs at these data",
        "igb.mlp(1).predict(X).compare(np.ones((3, 10, 1)))",
    ),
    (
        "igb.mlp(1).predict().compare(np.ones((2, 2, 2, 2)))",
        "pass shares of class 0, one for each network",
        "igb.mlp(1).predict().compare([0.2, 0.9])",
    ),
    (
        "igb.mlp(1).predict(X).router(8, 2).means()",
        "draw their loads instead: router.cv2().mean()",
        "igb.mlp(1).predict(X).router(8, 2).cv2().mean()",
    ),
    ("igb.mlp(1).predict().router(8, 2).starved(2)", "pass 0.1", "igb.mlp(1).predict().router(8, 2).starved(0.1)"),
    (
        "igb.mlp(1).predict().guesses(10**6).ranked()",
        "take 67 draws or fewer",
        "igb.mlp(1).predict().guesses(10**6).ranked(2)",
    ),
    (
        "igb.mlp(1).predict().vocabulary(50, positions=0)",
        "pass a number of positions such as 1000",
        "igb.mlp(1).predict().vocabulary(50, positions=1000)",
    ),
    (
        "igb.mlp(1).predict().vocabulary(50, tied=8)",
        "leave tied out",
        "igb.mlp(1).predict().vocabulary(50)",
    ),
    (
        (
            "igb.Network(igb.Embedding(1), igb.EachToken(), igb.Dense(1))"
            ".predict(IDS, width=4, networks=9).vocabulary(5, tied=8)"
        ),
        "pass tied=4",
        (
            "igb.Network(igb.Embedding(1), igb.EachToken(), igb.Dense(1))"
            ".predict(IDS, width=4, networks=9).vocabulary(5, tied=4)"
        ),
    ),
    (
        "igb.Network(igb.Embedding(1.0), igb.EachToken(), igb.Dense(1.0)).predict(IDS).vocabulary(3)",
        "pass size=5 or more",
        "igb.Network(igb.Embedding(1.0), igb.EachToken(), igb.Dense(1.0)).predict(IDS).vocabulary(5)",
    ),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, step=0, times=[0, 1], draws=20)",
        "pass for example step=0.01",
        "igb.mlp(1).train(X, [0, 1] * 5, step=0.01, times=[0, 1], draws=20)",
    ),
    ("igb.classes(igb.mlp(1), 3)", "pass network.predict()", "igb.classes(igb.mlp(1).predict(), 3)"),
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
    (
        "igb.mlp(1).train(X, [0, 1] * 5, momentum=1)",
        "momentum=0.9",
        "igb.mlp(1).train(X, [0, 1] * 5, momentum=0.9, draws=20)",
    ),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, step=1.0)",
        "pass a smaller step",
        "igb.mlp(1).train(X, [0, 1] * 5, step=0.01, draws=20)",
    ),
    (
        "igb.mlp(1).train(X, [0, 1] * 5, step=0.01, times=[0.5])",
        "[0, 1, 10]",
        "igb.mlp(1).train(X, [0, 1] * 5, step=0.01, times=[0, 1, 10], draws=20)",
    ),
    (
        "igb.mlp(1, 'tanh').train(X, [0, 1] * 5, weight_decay=0.1)",
        "weight_decay=0",
        "igb.mlp(1, 'tanh').train(X, [0, 1] * 5, weight_decay=0, draws=20)",
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
    ("igb.compare(igb.mlp(1), igb.infer([0.2, 0.5]))", "pass two of one kind", "igb.compare(igb.mlp(1), igb.mlp(2))"),
    ("igb.mlp(1).kernel(X, X[:, :2])", "pass data of one kind", "igb.mlp(1).kernel(X[:, :2], X[:, :2])"),
    ("igb.mlp(1).predict().kernel()", "pass data, as in predict(X)", "igb.mlp(1).predict(X).kernel()"),
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
    (
        "type('Form', (igb.formulas.ClosedForm,), {})",
        "got Form; write spread",
        "type('Form', (igb.formulas.ClosedForm,), {'spread': lambda *_: 0.0})",
    ),
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
    (
        "igb.mlp(1).simulate(2, 4, 4).compare(igb.mlp(1).predict(width=8))",
        "pass net.predict(width=4)",
        "igb.mlp(1).simulate(2, 4, 4).compare(igb.mlp(1).predict(width=4))",
    ),
    (
        "BATCHES.simulate(2, 4, 8).compare(BATCHES.predict(width=4, networks=4))",
        "pass None",
        "BATCHES.simulate(2, 4, 8).compare(None)",
    ),
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
        "igb.phases.gradients(igb.mlp(1, norm='batch', batch_size=4, placement='after'))",
        "use the full batch",
        "igb.phases.gradients(igb.mlp(1, norm='batch', placement='after'))",
    ),
    (
        "igb.training.kernels(igb.Network(igb.Attention(), igb.Flatten(), igb.Dense()), X[None])",
        "pass scaling='linear'",
        "igb.training.kernels(igb.Network(igb.Attention(scaling='linear'), igb.Flatten(), igb.Dense()), X[None])",
    ),
    (
        "igb.training.kernels(igb.mlp(1, norm='batch', batch_size=3), np.eye(6))",
        "use BatchNorm()",
        "igb.training.kernels(igb.mlp(1, norm='batch'), np.eye(6))",
    ),
    (
        "igb.mlp(1, norm='batch').train(np.eye(4), np.arange(4) % 2, batch_size=2, draws=9)",
        "leave them out",
        "igb.mlp(1, norm='batch').train(np.eye(4), np.arange(4) % 2, draws=9)",
    ),
    (
        "igb.losses.output_scale(igb.mlp(1).predict(), 10, 2.3)",
        "pass a larger one",
        "igb.losses.output_scale(igb.mlp(1).predict(), 10, 2.31)",
    ),
    (
        "igb.losses.output_scale(igb.mlp(1).predict(), 10, 100)",
        "pass a smaller one",
        "igb.losses.output_scale(igb.mlp(1).predict(), 10, 10)",
    ),
    (
        "igb.phases.gradients(igb.mlp(1, norm='batch', batch_size=3))",
        "use BatchNorm(4)",
        "igb.phases.gradients(igb.mlp(1, norm='batch', batch_size=4))",
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
        "igb.mlp(3, 'x').derive().at_depth(sympy.Symbol('L'))",
    ),
    ("igb.mlp(1).derive().at_depth(5)", "derive mlp(3, ...) and ask it", "igb.mlp(3, 'x').derive().at_depth(5)"),
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
    (
        "igb.design(-1.0, 'sigma_b2', depth=2)",
        "pass a ratio of variances such as 2.0",
        "igb.design(2.0, 'sigma_b2', depth=2)",
    ),
    ("igb.GuessLaw(1).plot(3)", "pass one of plt.subplots(), or none", "igb.GuessLaw(1).plot(plt.subplots()[1])"),
    (
        "igb.overlay({'law': igb.GuessLaw(1), 'layers': igb.mlp(2).predict()}, plt.subplots()[1])",
        "draw it into other axes",
        "igb.mlp(2).predict().plot(plt.subplots()[1], label='layers')",
    ),
    (
        "igb.GuessLaw(1).plot(igb.phases.diagram('relu', [1.0, 2.0], [0.1, 0.2], 2).plot())",
        "draw this result into other axes",
        "igb.GuessLaw(1).plot(plt.subplots()[1])",
    ),
    (
        "igb.phases.diagram('relu', [1.0, 2.0], [0.1, 0.2], 2).plot(label='ReLU')",
        "draw it with plot() or plot(ax) only",
        "igb.phases.diagram('relu', [1.0, 2.0], [0.1, 0.2], 2).plot(plt.subplots()[1])",
    ),
    ("igb.overlay({})", "pass, say, {'ReLU': igb.mlp(20).predict()}", "igb.overlay({'ReLU': igb.mlp(20).predict()})"),
    ("igb.GuessLaw(1).finite([5, 6])", "make one law for each D", "[igb.GuessLaw(1).finite(D) for D in (5, 6)]"),
    (
        "igb.mlp(1, sigma_b2=1e9).predict().softmax(3).var()",
        "use rvs, or prediction.guesses(n_classes).var()",
        "igb.mlp(1, sigma_b2=1e9).predict().guesses(3).var()",
    ),
    (
        "igb.phases.gradients(igb.mlp(2, 'relu', norm='batch', placement='after', sigma_b2=0.1, pool=2))",
        "use sigma_b2=0 and centred inputs",
        "igb.phases.gradients(igb.mlp(2, 'relu', norm='batch', placement='after', pool=2))",
    ),
    (
        "igb.phases.gradients(igb.mlp(2, 'relu', norm='batch', placement='after', sigma_b2=0.1, pool=2))",
        "or put the norm in front of the activation",
        "igb.phases.gradients(igb.mlp(2, 'relu', norm='batch', sigma_b2=0.1, pool=2))",
    ),
    ("igb.Spread((1, 2, 3))", "give two sides at most", "igb.Spread((1, 2))"),
    (
        "igb.Network(igb.Spread((2, 2)), igb.Flatten(), igb.Dense()).predict(SMALL)",
        "put GlobalAvgPool() in front of it",
        "igb.Network(igb.GlobalAvgPool(), igb.Spread((2, 2)), igb.Flatten(), igb.Dense()).predict(SMALL)",
    ),
    (
        "igb.Product(igb.Activation('relu'))",
        "put Dense(sigma_w2) into its layers",
        "igb.Product(igb.Activation('relu'), igb.Dense(1))",
    ),
    (
        "igb.Product(igb.Activation('relu'))",
        "or write a function of one unit as an Activation",
        "igb.Activation('x*max(x, 0)')",
    ),
    (
        "igb.Network(igb.Product(igb.Conv2d(3), igb.AvgPool2d(2)), igb.Flatten(), igb.Dense()).predict(SMALL)",
        "end the branch with GlobalAvgPool()",
        "igb.Network(igb.Product(igb.Conv2d(3), igb.GlobalAvgPool()), igb.Flatten(), igb.Dense()).predict(SMALL)",
    ),
    (
        "igb.Network(igb.Product(igb.Conv2d(3, 2)), igb.Flatten(), igb.Dense()).predict(SMALL)",
        "or give both the same strides",
        "igb.Network(igb.Product(igb.Conv2d(3)), igb.Flatten(), igb.Dense()).predict(SMALL)",
    ),
    (
        "igb.Network(igb.Concat((), igb.AvgPool2d(2)), igb.Flatten(), igb.Dense()).predict(SMALL)",
        "give all of them the same strides and pools",
        "igb.Network(igb.Concat((), igb.AvgPool2d(1)), igb.Flatten(), igb.Dense()).predict(SMALL)",
    ),
    (
        "igb.Network(igb.Concat(igb.Embedding(1.0, 0), igb.Embedding()), igb.Flatten(), igb.Dense()).predict(IDS)",
        "give them one padding",
        "igb.Network(igb.Concat(igb.Embedding(), igb.Embedding()), igb.Flatten(), igb.Dense()).predict(IDS)",
    ),
    (
        "igb.Network(igb.Dense(), igb.Embedding(), igb.Flatten(), igb.Dense()).predict(X)",
        "whole numbers of shape (n_samples, tokens), got vectors; put it first, and pass ids as data",
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict(IDS)",
    ),
    (
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict(SMALL[:, 0])",
        "got 4 features for each token; pass ids, or",
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict(IDS)",
    ),
    (
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict(SMALL[:, 0])",
        "leave the layer out and pass the vectors of the tokens",
        "igb.Network(igb.Flatten(), igb.Dense()).predict(SMALL[:, 0])",
    ),
    (
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict(np.arange(30000).reshape(300, 100))",
        "predict on fewer data, or on fewer tokens",
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict(IDS)",
    ),
    (
        "igb.mlp(1, 'hardtanh', pool=2).train(X[:3], [0, 1, 1])",
        "use AvgPool(2)",
        "igb.Network.read('Dense | hardtanh | AvgPool(2) | Dense').train(X[:3], [0, 1, 1], draws=20)",
    ),
    (
        "igb.Network(igb.Dense(), *map(igb.Activation, (lambda x: np.float32(x), 'relu')), igb.Dense()).predict()",
        "pass one callable that does both",
        "igb.Activation(lambda x: np.maximum(np.tanh(x), 0))",
    ),
    (
        "igb.Activation('maxout')",
        "use the layer MaxPool(m), the largest of m units, behind a Dense",
        "igb.Network(igb.Dense(), igb.MaxPool(2), igb.Dense())",
    ),
    ("igb.Activation('sin*x', sin=2)", "rename it", "igb.Activation('a*x', a=2)"),
    (
        "igb.Activation('max(' + ', '.join(f'sin({i}*x)' for i in range(250)) + ')')",
        "use fewer arguments",
        "igb.Activation('max(0, x, 2*x)')",
    ),
    ("igb.mlp(1, 'x*1e99**4').predict()", "scale it", "igb.mlp(1, 'x*1e9').predict()"),
    (
        "igb.phases.residual_limit(igb.Network.read('Dense | Residual(relu | Dense, shortcut=Dense(1)) | Dense'))",
        "leave the shortcut out",
        "igb.phases.residual_limit(igb.Network.read('Dense | Residual(relu | Dense) | Dense'))",
    ),
    (
        "igb.mlp(1, sigma_w2=0).certify(4)",
        "use sigma_b2 > 0, sigma_w2 > 0 or inputs that vary",
        "igb.mlp(1, sigma_w2=0, sigma_b2=1).certify(4)",
    ),
    (
        "igb.mlp(3, 'step').derive().at_depth(sympy.Symbol('L'))",
        "use derive() of a given depth",
        "igb.mlp(3, 'step').derive()",
    ),
    (
        "igb.mlp(3, 'step').derive().at_depth(sympy.Symbol('L'))",
        "or phases.verdict for the limit of gamma",
        "igb.phases.verdict('step')",
    ),
    (
        "igb.mlp(1, 'x', sigma_b2=sympy.Symbol('s')).derive().value()",
        "substitute numbers for them in the network, and derive or predict again",
        "igb.mlp(1, 'x', sigma_b2=1).derive().value()",
    ),
    ("igb.Conv2d(3, 2.0)", "sigma_w2=2.0 for the variance of the weights", "igb.Conv2d(3, sigma_w2=2.0)"),
    ("igb.Conv2d(3, 2.0)", "pass stride=2", "igb.Conv2d(3, stride=2)"),
    (
        "igb.Network('Dense | Concat((), (Dense | relu)) | Dense').predict(width=[96, 96])",
        "pass one width for all layers",
        "igb.Network('Dense | Concat((), (Dense | relu)) | Dense').predict(width=96, networks=2)",
    ),
    (
        "igb.mlp(600, sigma_w2=8).predict()",
        "use a sigma_w2 nearer to the critical one (2.0 for relu)",
        "igb.mlp(600, sigma_w2=2.0).predict()",
    ),
    (
        "igb.mlp(1, norm='batch', batch_size=2).predict(np.repeat(X[:2], 2, axis=0))",
        "remove data that are equal",
        "igb.mlp(1, norm='batch', batch_size=2).predict(X[:2])",
    ),
    (
        "igb.mlp(1).predict(np.arange(90_002.0)[:, None] + 1)",
        "predict on a subsample, for example X[np.random.default_rng(0).choice(90002, 30000, replace=False)]",
        "igb.mlp(1).predict(X[np.random.default_rng(0).choice(10, 3, replace=False)])",
    ),
    (
        "igb.cnn(1, end=igb.GlobalAvgPool()).predict(np.ones((3, 1, 64, 64)) + np.arange(64), digits=20)",
        "average them first, for example by AvgPool2d(2) in front of all layers",
        "igb.Network(igb.AvgPool2d(2), igb.Conv2d(1), igb.GlobalAvgPool(), igb.Dense()).predict(SMALL)",
    ),
    (
        "igb.GuessLaw.from_json(igb.GuessLaw(1).to_json().replace('gamma', 'gama'))",
        "compute the result again",
        "igb.GuessLaw.from_json(igb.GuessLaw(1).to_json())",
    ),
    (
        "igb.Network(igb.Conv2d(3, 2), igb.Flatten(), igb.Dense()).predict(SMALL[:, :, :3, :3])",
        "or take padding=1, which leaves the rest out",
        "igb.Network(igb.Conv2d(3, 2, padding=1), igb.Flatten(), igb.Dense()).predict(SMALL[:, :, :3, :3])",
    ),
    (
        "igb.Network(igb.Conv2d(2, 2), igb.Flatten(), igb.Dense()).predict(SMALL[:, :, :3, :3])",
        "crop or pad them",
        "igb.Network(igb.Conv2d(2, 2), igb.Flatten(), igb.Dense()).predict(SMALL[:, :, :2, :2])",
    ),
    (
        "igb.register(dataclass(frozen=True)(type('Dense', (igb.Layer,), {})))",
        "rename the class",
        "igb.register(dataclass(frozen=True)(type('L', (igb.Layer,), {})))",
    ),
    (
        "igb.Network(igb.Dense(), Counting(), igb.Dense()).predict()",
        "return what a verb of the node returns, such as node.times_number(2.0)",
        "igb.Network(igb.Dense(), Doubled(), igb.Dense()).predict()",
    ),
    (
        "igb.Network(igb.Dense(), Summing(), igb.Dense()).predict()",
        "to return an array (data, units), got float64; return units",
        "igb.Network(igb.Dense(), Doubled(), igb.Dense()).predict()",
    ),
    (
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict()",
        "put it first, and pass ids as data: whole numbers of shape",
        "igb.Network(igb.Embedding(), igb.Flatten(), igb.Dense()).predict(IDS)",
    ),
    (
        "igb.Network(igb.Dense(), Doubled(), igb.Dense()).predict().to_json()",
        "save it with pickle instead",
        "pickle.dumps(igb.Network(igb.Dense(), Doubled(), igb.Dense()).predict())",
    ),
    (
        "igb.mlp(1, sigma_w2=sympy.Symbol('s')).simulate(2, 4, 4)",
        "pass a number, or call derive(), which keeps symbols",
        "igb.mlp(1, sigma_w2=sympy.Symbol('s')).derive()",
    ),
    (
        "igb.GuessLaw.from_json(igb.GuessLaw(1).to_json().replace(igb.__version__, '0.0.1'))",
        "compute it again, or read it with igbtheory 0.0.1",
        "igb.GuessLaw.from_json(igb.GuessLaw(1).to_json())",
    ),
    (
        "igb.Network(igb.Dense(), Halving(), igb.Dense()).predict()",
        "predict on a given data set, where a layer may change it",
        "igb.Network(igb.Dense(), Halving(), igb.Dense()).predict(X)",
    ),
    (
        "igb.phases.gradients(igb.mlp(1, 'floor(400*x)'))",
        "use one that is smooth",
        "igb.phases.gradients(igb.mlp(1, 'tanh'))",
    ),
    (
        "igb.design(2.0, 'sigma_w2', inputs=igb.GaussianInputs(1, 0), depth=1)",
        "pass other inputs",
        "igb.design(2.0, 'sigma_w2', inputs=igb.GaussianInputs(1, 1), depth=1, sigma_b2=1)",
    ),
    (
        "igb.Prediction.from_json(doubled().replace('Doubled', 'Unknown'))",
        "call igb.register with its class first",
        "igb.Prediction.from_json(doubled())",
    ),
    ("igb.phases.thresholds('relu', q=-1)", "pass such a number", "igb.phases.thresholds('relu', q=1)"),
    (
        "igb.GuessLaw(igb.guesses.Batches(0.5, 7.0, 4).outputs).finite(8)",
        "pass the covariance of two data divided by the variance of one",
        "igb.GuessLaw(igb.guesses.Batches(0.5, 0.5, 4).outputs).finite(8)",
    ),
    (
        "igb.mlp(3, sigma_w2=0.1).predict(width=2, method='expansion')",
        'pass method="pairs", which draws networks',
        "igb.mlp(3, sigma_w2=0.1).predict(width=2, method='pairs', networks=9)",
    ),
    ("igb.mlp(60).predict(width=1, networks=4)", "pass a larger width", "igb.mlp(3).predict(width=9, networks=4)"),
    ("igb.mlp(60).predict(width=1, networks=4)", "or biases", "igb.mlp(3, sigma_b2=0.1).predict(width=1, networks=4)"),
]


@pytest.mark.parametrize(("line", "words", "remedy"), LINES)
@pytest.mark.filterwarnings("ignore::igbtheory.EstimateWarning")
@pytest.mark.usefixtures("few_draws")
def test_what_a_message_in_python_tells_works(line: str, words: str, remedy: str) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)) as caught:
        eval(line)  # noqa: S307 - a line of the table
    assert words in str(caught.value)
    eval(remedy)  # noqa: S307 - as above


MODELS = [
    # a line of Python with models, words of its message, remedy
    (
        "igb.measure(lambda: nn.Linear(4, 2), (X, [0, 1] * 5), networks=2, multi_label=True)",
        "pass a column for each label, or leave multi_label out",
        "igb.measure(lambda: nn.Linear(4, 2), (X, np.eye(2)[[0, 1] * 5]), networks=2, multi_label=True)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), (X, np.ones((10, 2))), networks=2)",
        "pass multi_label=True to measure or explain, or leave the labels out",
        "igb.measure(lambda: nn.Linear(4, 2), (X, np.ones((10, 2))), networks=2, multi_label=True)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2, device='meta'), X, networks=2)",
        "make the model on the CPU",
        "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)",
    ),
    (
        "igb.from_torch(lambda: with_bias(-4.6), X)",
        "set it to 0, or draw it anew in every model",
        "igb.from_torch(lambda: with_bias(0.0), X)",
    ),
    (
        "igb.measure(3, X)",
        "pass the model's class, or a function that makes a new one",
        "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)",
    ),
    (
        "igb.measure(nn.Linear(4, 2), X)",
        "pass its class, or put the lines that make it into a function",
        "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)",
    ),
    ("igb.measure(lambda: 3, X)", "return the model itself", "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)"),
    (
        "igb.measure(nn.Linear, X)",
        "pass a function that fills them in, such as lambda: Model(10)",
        "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)",
    ),
    (
        "igb.measure(lambda model=nn.Linear(4, 2): model, X, networks=2)",
        "create the model inside make_model",
        "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), {'labels': X[:, 0]})",
        "pass the arrays that the model takes, or (X, y)",
        "igb.measure(lambda: nn.Linear(4, 2), (X, np.arange(10) % 2), networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), X + 1j)",
        "pass real and imaginary parts as features",
        "igb.measure(lambda: nn.Linear(8, 2), np.hstack([X.real, X.imag]), networks=2)",
    ),
    (
        "igb.measure(of_images, (255 * SMALL).astype(np.uint8))",
        "pass X / 255",
        "igb.measure(of_images, (255 * SMALL).astype(np.uint8) / 255, networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), np.where(X > 1, np.nan, X))",
        "remove or impute such data",
        "igb.measure(lambda: nn.Linear(4, 2), np.where(X > 1, 0, X), networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), igb.GaussianInputs(0, 1))",
        "draw data from it, such as numpy.random.default_rng(0).normal(0, 1 ** 0.5, (1000, 64))",
        "igb.measure(lambda: nn.Linear(64, 2), np.random.default_rng(0).normal(0, 1 ** 0.5, (1000, 64)), networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), 'x')",
        "or pass data and labels 0, 1, ... as a pair (X, y)",
        "igb.measure(lambda: nn.Linear(4, 2), (X, np.arange(10) % 2), networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), [X, X[:3, :2]])",
        "stack the data into one",
        "igb.measure(lambda: nn.Linear(4, 2), np.concatenate([X, X[:3]]), networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), (X, np.arange(9) % 2))",
        "pass as many",
        "igb.measure(lambda: nn.Linear(4, 2), (X, np.arange(10) % 2), networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Sequential(nn.Linear(4, 3), nn.Softmax(-1)), X)",
        "return logits, leave the softmax out",
        "igb.measure(lambda: nn.Linear(4, 3), X, networks=2)",
    ),
    (
        "igb.from_torch(lambda: nn.Sequential(nn.Linear(4, 3), nn.Softmax(-1)), X)",
        "leave it out if it makes the outputs",
        "igb.from_torch(lambda: nn.Linear(4, 3), X)",
    ),
    (
        "igb.measure(lambda: nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()), X)",
        "return logits, leave the sigmoid out",
        "igb.measure(lambda: nn.Linear(4, 1), X, networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, int(np.random.default_rng().integers(2, 9))), X, networks=20)",
        "fix their number",
        "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)",
    ),
    (
        "igb.measure(with_norm, X, batch_size=3, networks=2)",
        "pass batch_size=2, which divides",
        "igb.measure(with_norm, X, batch_size=2, networks=2)",
    ),
    (
        "igb.measure(with_norm, X[:7], batch_size=3, networks=2)",
        "leave batch_size out, no other divides",
        "igb.measure(with_norm, X[:7], networks=2)",
    ),
    (
        "igb.measure(of_tokens, IDS * 1.0)",
        "pass X.astype(int)",
        "igb.measure(of_tokens, (IDS * 1.0).astype(int), networks=2)",
    ),
    (
        "igb.measure(lambda: nn.Linear(4, 2), IDS_OF_FOUR)",
        "pass X.astype(float)",
        "igb.measure(lambda: nn.Linear(4, 2), IDS_OF_FOUR.astype(float), networks=2)",
    ),
    (
        "igb.measure(of_images, SMALL.reshape(4, -1))",
        "pass X.reshape(-1, 1, 4, 4)",
        "igb.measure(of_images, SMALL.reshape(4, -1).reshape(-1, 1, 4, 4), networks=2)",
    ),
    (
        "igb.measure(of_images, SMALL[:, 0])",
        "pass X[:, None]",
        "igb.measure(of_images, SMALL[:, 0][:, None], networks=2)",
    ),
    (
        "igb.measure(of_images, SMALL.transpose(0, 2, 3, 1))",
        "pass X.transpose(0, 3, 1, 2)",
        "igb.measure(of_images, SMALL.transpose(0, 2, 3, 1).transpose(0, 3, 1, 2), networks=2)",
    ),
    ("igb.initialise(nn.Linear(4, 2), X)", "pass exactly one", "igb.initialise(nn.Linear(4, 2), X, neutral=True)"),
    (
        "igb.initialise(nn.Linear(4, 2), X, shares=[0.5])",
        "pass one number for each class",
        "igb.initialise(nn.Linear(4, 2), X, shares=[0.5, 0.5])",
    ),
    (
        "igb.initialise(cubed(), np.tile(X, 16), G0=(0.8, 0.9))",
        "pass shares, for which the biases move alone",
        "igb.initialise(cubed(), np.tile(X, 16), shares=[0.8, 0.2])",
    ),
    (
        "igb.initialise(nn.Linear(4, 2, bias=False), X, neutral=True)",
        "give it biases",
        "igb.initialise(nn.Linear(4, 2), X, neutral=True)",
    ),
    (
        "igb.measure(lambda: nn.Bilinear(4, 4, 2), ((X, X[:9]), None))",
        "pass as many in each",
        "igb.measure(lambda: nn.Bilinear(4, 4, 2), ((X, X), None), networks=2)",
    ),
    (
        "igb.from_torch(lambda: nn.Sequential(nn.Linear(4, 3), nn.ReLU()), X)",
        "return logits",
        "igb.from_torch(lambda: nn.Linear(4, 3), X)",
    ),
    (
        "igb.from_torch(lambda: nn.Sequential(*[nn.Linear(4, 4)] * 2), X)",
        "make a layer for each place",
        "igb.from_torch(lambda: nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), X)",
    ),
    (
        "igb.from_torch(lambda: nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 2)), X)",
        "model = make(); model(X[:2]); return model",
        "igb.from_torch(ran, X)",
    ),
    (
        "igb.from_torch(copied, SMALL[:, 0])",
        "put layers that are drawn on their own into nn.Sequential",
        "igb.from_torch(lambda: encoder(batch_first=True, dropout=0), SMALL[:, 0])",
    ),
    (
        "igb.from_torch(lambda: encoder(dropout=0), SMALL[:, 0])",
        "take batch_first=True",
        "igb.from_torch(lambda: encoder(batch_first=True, dropout=0), SMALL[:, 0])",
    ),
    (
        "igb.from_torch(lambda: nn.Sequential(nn.GLU(), nn.Linear(2, 2)), X)",
        "put one in front",
        "igb.from_torch(lambda: nn.Sequential(nn.Linear(4, 4), nn.GLU(), nn.Linear(2, 2)), X)",
    ),
    (
        "igb.measure(lambda: nn.Sequential(nn.Conv2d(1, 3, 3), nn.Conv2d(3, 2, 1)), SMALL, networks=2)",
        "let the model return one row of logits for each datum",
        "igb.measure(of_images, SMALL, networks=2)",
    ),
    (
        "igb.measure(pair, X, networks=2)",
        "choose one, such as output=",
        "igb.measure(pair, X, networks=2, output=0)",
    ),
    (
        "igb.measure(argmax, X, networks=2)",
        "let the model return its logits",
        "igb.measure(lambda: nn.Linear(4, 2), X, networks=2)",
    ),
    (
        "igb.from_torch(twins, X)",
        "draw them anew in every layer",
        "igb.from_torch(lambda: nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), X)",
    ),
    (
        "igb.study(lambda: nn.Linear(4, 2), X, [0, 1] * 5, rates=0.0, batch_size=2)",
        "pass for example 1e-3",
        "igb.study(lambda: nn.Linear(4, 2), X, [0, 1] * 5, rates=1e-3, **short)",
    ),
    (
        "igb.mlp(1).predict(loader([{'a': x} for x in X]))",
        "pass one of them, or a pair (X, y)",
        "igb.mlp(1).predict(loader(X))",
    ),
    (
        "saved(nn.Linear(4, 2).state_dict())",
        "no data; save data by torch.save((X, y))",
        "saved((nn.Linear(4, 2).weight, nn.Linear(4, 2).bias))",
    ),
    (
        "saved(nn.Linear(4, 2))",
        "write them by torch.save((X, y))",
        "saved((nn.Linear(4, 2).weight, nn.Linear(4, 2).bias))",
    ),
    (
        "igb.study(same, X, [0, 1] * 5, **short)",
        "remove the seed that is set inside make_model",
        "igb.study(lambda: nn.Linear(4, 2), X, [0, 1] * 5, **short)",
    ),
    (
        "igb.initialise(nn.Sequential(nn.Conv2d(1, 2, 4), nn.Flatten()), SMALL, neutral=True)",
        "return the outputs of such a layer",
        "igb.initialise(nn.Linear(4, 3), X, neutral=True)",
    ),
    (
        "igb.from_torch(of_any_size, X)",
        "draw nothing but weights in the function that makes them",
        "igb.from_torch(with_norm, X)",
    ),
]


def models() -> dict[str, Any]:
    """Return the names that the lines of the table use besides those of this file."""
    nn = pytest.importorskip("torch.nn")

    def of_images(*norm: Any) -> Any:
        return nn.Sequential(nn.Conv2d(1, 3, 3), *norm, nn.Flatten(), nn.Linear(12, 2))

    def of_tokens() -> Any:
        return nn.Sequential(nn.Embedding(5, 3), nn.Flatten(), nn.Linear(9, 2))

    def with_norm() -> Any:
        return nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), nn.Linear(3, 2))

    def encoder(**options: Any) -> Any:
        return nn.Sequential(nn.TransformerEncoderLayer(4, 2, **options), nn.Flatten(), nn.Linear(16, 2))

    def copied() -> Any:
        return nn.Sequential(nn.TransformerEncoder(encoder(batch_first=True)[0], 2), nn.Flatten(), nn.Linear(16, 2))

    def with_bias(value: float) -> Any:
        last = nn.Linear(3, 1)
        nn.init.constant_(last.bias, value)
        return nn.Sequential(nn.Linear(4, 3), last)

    def cubed() -> Any:
        layer = nn.Linear(64, 2)
        layer.weight.data.pow_(9)  # no initialiser has this law
        return layer

    def pair() -> Any:
        layer = nn.Linear(4, 2)
        layer.forward = lambda x: (x[:, :2] @ layer.weight[:, :2], x @ layer.weight.T)
        return layer

    def ran() -> Any:
        model = nn.Sequential(nn.LazyLinear(4), nn.Linear(4, 2))
        model(nn.Parameter(nn.Linear(4, 2).weight.data))
        return model

    def argmax() -> Any:
        layer = nn.Linear(4, 2)
        layer.forward = lambda x: (x @ layer.weight.T).argmax(1)
        return layer

    def same() -> Any:
        layer = nn.Linear(4, 2)
        layer.weight.data.fill_(0.5)
        layer.bias.data.fill_(0.5)
        return layer

    short = {"networks": 2, "steps": 1, "batch_size": 2, "executor": "threads:1"}
    sizes = count(3)

    def of_any_size() -> Any:
        size = next(sizes)
        return nn.Sequential(nn.Linear(4, size), nn.Linear(size, 2))

    def twins() -> Any:
        layer = nn.Linear(4, 4)
        return nn.Sequential(layer, deepcopy(layer))

    def loader(data: Any) -> Any:
        return pytest.importorskip("torch.utils.data").DataLoader(data)

    def saved(content: Any) -> Any:
        pytest.importorskip("torch").save(content, "saved.pt")
        return igb.read_data("saved.pt")

    return {**globals(), **locals()}


@pytest.mark.parametrize(("line", "words", "remedy"), MODELS)
@pytest.mark.usefixtures("files")
def test_what_a_message_on_a_model_tells_works(line: str, words: str, remedy: str) -> None:
    names = models()
    with pytest.raises((ValueError, TypeError, RuntimeError)) as caught:
        eval(line, names)  # noqa: S307 - a line of the table
    assert words in "; ".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    eval(remedy, names)  # noqa: S307 - as above


VERBS = (
    "add|append|average|call|check|choose|clip|compute|convert|create|crop|delete|derive|divide|draw|fix|give|guard|infer|"
    "install|leave|let|loop|make|move|name|number|pass|predict|put|raise|register|remove|rename|repeat|reshape|return|round|"
    "save|scale|set|shift|start|subtract|substitute|take|train|use|widen|write"
)
REMEDY = re.compile(rf"(?:; |^(?=\w+ \w)|, or |: (?=leave))((?:{VERBS})\b(?!:)[^;\0]*)")
"""What follows a semicolon in a message, or begins a part of one, with a verb; \0 stands for a value."""
NOT_DONE = {
    "another program, machine or card is needed": (
        "install it with",
        "install the same versions",
        "start one with: dask",
        "start some with: dask",
        "pass a new one",
        'write "threads:4"',
        "start the study in a new Python process",
        "add --no-browser, in Python browser=False",
        "name another, or 0 for any that is free",
        "give the Dataset transform",
        "take mode='row'",
        "make room",
        "leave >&- out",
    ),
    "it takes seconds or minutes": (
        "crop or pad them",
        "pass them as labels",
        "repeat the command to go on",
        "make it, or choose another with --out",
        "name a new folder inside it",
        "choose another name with --out",
        "move it away",
        "name another folder with",
        "use predict(digits=30)",
        "use a smaller scale or sigma_w2",
        "pass earlier times",
        "pass a share such as 0.5",
        "use another sigma_w2 or sigma_b2",
    ),
    "`test_claims` does it": ("substitute its value on the left", "name one with --folder", "write SECTION"),
    "`test_file_forms` does it": (
        "choose a table with key=",
        "name one of its files",
        "call igb.read_data(df",
        "convert it in Python: import datasets",
        "save data and labels as arrays with names",
    ),
    "`test_runs` does it": ("return what the piece computes",),
    "`test_figures` does it": ("write another value of this kind",),
    "it writes into the home of the user": ("name one with --shell",),
    "the page of `igb explore` says it": ("choose fewer layers", "choose those", "write one such as 2"),
    "it is a warning or a remark": (
        "make the models in double precision",
        "pass a formula",
        "return the model in training mode",
        "check that the weights",
        "draw the biases",
        "draw them by net",
        "check=True",
    ),
    "no case is known that reaches it, and it would help there": (
        "predict without `digits`",
        "put a Dense in front of it",
        "put a Dense between them",
        "put a Conv2d or a Dense between them",
        "put a Dense behind the Concat",
        "use a smaller sigma_w2 or a formula",
        "use a smooth formula",
        "take such a function",
        "take an Embedding, and join them",
        "take a fresh model, or training mode",
        "take track_running_stats=False",
        "check the initialisation",
        "check the loss",
        "call the model on all",
        "pass them at once",
    ),
    "it is no remedy": ("use `usecols`", "write into", "write a folder", "name in", "number ", "repeat it for each"),
}
"""Why a remedy has no row, and the beginnings of such remedies."""


def test_every_remedy_has_a_row() -> None:
    rows = [words for _, words, _ in COMMANDS + LINES + MODELS]
    without = tuple(beginning for beginnings in NOT_DONE.values() for beginning in beginnings)
    rows += [re.sub(r"--([a-z-]+) (?=\S)", lambda match: f"{match[1].replace('-', '_')}=", words) for words in rows]
    for path in Path(igb.__file__).parent.rglob("*.py"):
        for text in texts(ast.parse(path.read_text(encoding="utf-8"))):
            for remedy in REMEDY.findall(text):
                done = any(remedy[:22].rstrip() in words or words in text for words in rows)
                assert done or len(remedy) < 8 or remedy.startswith(without), f"{path}: {text!r}: {remedy!r}"


def texts(tree: ast.Module) -> Iterator[str]:
    """Yield the texts in a module but docstrings, with a null character for every value in them."""
    nodes = list(ast.walk(tree))
    left_out = {node.value for node in nodes if isinstance(node, ast.Expr)}
    left_out |= {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr | ast.Constant) and node not in left_out:
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in parts)
