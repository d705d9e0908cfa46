"""The command line: what it prints where, and the exit status."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from repeated import slow

import igbtheory as igb
from igbtheory.presentation.cli import main

Capture = pytest.CaptureFixture[str]


def printed(capsys: Capture, *tokens: str, told: str = "") -> Any:
    """Return the JSON that a command prints; told: what it tells beside it."""
    assert main(tokens) == 0
    out, err = capsys.readouterr()
    assert err == told
    return json.loads(out)


def refusal(capsys: Capture, *tokens: str) -> str:
    assert main(tokens) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("igb: error: ")
    return err


def test_predict_as_json_is_the_library_digit_by_digit(capsys: Capture) -> None:
    tokens = ["--depth", "4", "--activation", "tanh", "--sigma-w2", "1.5", "--sigma-b2", "0.1", "--shift", "0.3"]
    got = printed(capsys, "predict", *tokens, "--json")
    expected = igb.mlp(4, "tanh", sigma_w2=1.5, sigma_b2=0.1).predict(igb.GaussianInputs(0.3))
    for name in ("var_mu", "var_chi", "gamma", "c", "regime", "error"):
        assert got[name] == getattr(expected, name)
    assert got["per_layer"]["gamma"] == expected.per_layer.gamma.tolist()
    assert got["G0"] == {
        "mean": 0.5,
        "var": expected.G0.var(),
        "std": expected.G0.std(),
        "majority": expected.G0.majority(),
    }


def test_predict_prints_the_output_in_words(capsys: Capture) -> None:
    assert main(["predict", "--depth", "1"]) == 0
    out = capsys.readouterr().out
    assert "gamma   0.46694220692426" in out
    assert "neutral: on average the favoured class gets" in out


NET = igb.mlp(1)
DESCENT_OPTIONS = "--step .1 --momentum .5 --scale .5 --weight-decay 1 --step-data 8"
DESCENT: Any = {"step": 0.1, "momentum": 0.5, "scale": 0.5, "weight_decay": 1.0, "batch_size": 8}
RESULTS: list[tuple[str, Callable[[], Any]]] = [
    ("predict --depth 1", NET.predict),
    ("predict --depth 1 --digits 30", lambda: NET.predict(digits=30)),
    (
        "predict --depth 2 --width 9,4 --features 5 --networks 50 --seed 2",
        lambda: igb.mlp(2).predict(width=[9, 4], features=5, networks=50, seed=2),
    ),
    ("certify --depth 1", NET.certify),
    ("derive --depth 1", NET.derive),
    ("design 3 --depth 1 --vary sigma_b2", lambda: igb.design(3, "sigma_b2", depth=1)),
    ("simulate --depth 1 --networks 5 --width 8 --samples 9", lambda: NET.simulate(5, 8, 9)),
    (
        "train --depth 1 --data digits --first 9 --draws 20",
        lambda: NET.train(igb.standardised(igb.digits())[:9], igb.digit_labels()[:9], draws=20),
    ),
    (
        f"train --depth 1 --data digits --first 9 --draws 9 {DESCENT_OPTIONS}",
        lambda: NET.train(igb.standardised(igb.digits())[:9], igb.digit_labels()[:9], draws=9, **DESCENT),
    ),
    ("simulate --depth 1 --networks 5 --width 8 --samples 9 --compare", lambda: NET.simulate(5, 8, 9).compare()),
]


@pytest.mark.parametrize(("tokens", "result"), RESULTS, ids=[tokens for tokens, _ in RESULTS])
def test_a_command_prints_what_print_does(capsys: Capture, tokens: str, result: Callable[[], Any]) -> None:
    found = result()
    assert main(tokens.split()) == 0
    assert capsys.readouterr().out.endswith(f"{found}\n")
    keys = printed(capsys, *tokens.split(), "--json").keys()
    assert list(keys)[-len(found.to_dict()) :] == list(found.to_dict())


def test_predict_shows_a_selection_of_the_layers_of_a_deep_network(capsys: Capture) -> None:
    assert main(["predict", "--depth", "1e3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 45
    assert any(line.startswith("output") for line in lines)


def test_predict_with_many_digits(capsys: Capture) -> None:
    got = printed(capsys, "predict", "--depth", "1", "--digits", "40", "--json")
    with mpmath.workdps(50):
        assert got["gamma"] == mpmath.nstr(1 / (mpmath.pi - 1), 40)


def test_predict_on_data_prints_the_share_of_the_favoured_class(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", np.random.default_rng(0).standard_normal((25, 3)))
    assert main(["predict", "--data", "x.npy"]) == 0
    printed = re.search(r"the favoured class gets ([\d.]+) ± ([\d.]+) % of the data", capsys.readouterr().out)
    share = igb.mlp(3).predict(np.load("x.npy")).G0.majority()
    assert printed is not None
    assert [float(number) / 100 for number in printed.groups()] == pytest.approx([share.value, share.error], abs=1e-4)
    # on many data the guesses are not drawn: it is the share of the law that has their variance
    np.save("x.npy", np.random.default_rng(0).standard_normal((2100, 3)))
    assert main(["predict", "--data", "x.npy"]) == 0
    prediction = igb.mlp(3).predict(np.load("x.npy"))
    about = f"gets about {igb.GuessLaw(prediction.gamma_guess).majority():.0%} of the data"
    assert about in capsys.readouterr().out


def test_an_error_below_all_doubles_is_told_by_a_bound(capsys: Capture) -> None:
    assert main(["predict", "--depth", "1", "--digits", "400"]) == 0
    assert "error   below 1e-307 (estimated" in capsys.readouterr().out


def test_predict_on_the_digits_says_that_they_are_standardised(capsys: Capture) -> None:
    got = printed(capsys, "predict", "--data", "digits", "--first", "30", "--json")
    x = igb.standardised(igb.digits())[:30]
    assert got["G0"]["var"] == igb.mlp(3).predict(x).G0.var()
    assert "30 data" in got["inputs"]
    assert "standardised" in got["inputs"]


@pytest.mark.parametrize("suffix", ["npy", "csv"])
def test_predict_on_a_file_as_it_is(capsys: Capture, tmp_path: Path, suffix: str) -> None:
    x = np.random.default_rng(0).standard_normal((7, 3)) + 1
    path = tmp_path / f"x.{suffix}"
    np.save(path, x) if suffix == "npy" else np.savetxt(path, x, delimiter=",", fmt="%.17g")
    told = f"{path}: read 7 data of 3 features (0, 1, 2); no labels: 2 is a feature\n" if suffix == "csv" else ""
    got = printed(capsys, "predict", "--data", str(path), "--json", told=told)
    assert got["gamma"] == igb.mlp(3).predict(x).gamma


def test_a_table_with_a_header_comes_from_standard_input(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    data = np.random.default_rng(0).standard_normal((10, 3))
    rows = "\n".join(",".join(map(repr, row)) for row in data.tolist())
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"height,width,depth\n{rows}\n"))
    told = "standard input: read 10 data of 3 features (height, width, depth); no labels: depth is a feature\n"
    assert printed(capsys, "predict", "--data", "-", "--json", told=told)["gamma"] == igb.mlp(3).predict(data).gamma


def test_a_network_is_given_layer_by_layer(capsys: Capture) -> None:
    text = (
        "(Dense(2, 0.1) | BatchNorm(8) | relu | MaxPool(2)) * 2 | Residual(tanh | Dense, scale=0.5) | x*tanh(x) | Dense"
    )
    block = (igb.Dense(2, 0.1), igb.BatchNorm(8), igb.Activation("relu"), igb.MaxPool(2))
    branch = igb.Residual(igb.Activation("tanh"), igb.Dense(), scale=0.5)
    net = igb.Network(*block * 2, branch, igb.Activation("x*tanh(x)"), igb.Dense())
    assert igb.Network.read(text) == net
    found = printed(capsys, "predict", "Dense | relu | Dense", "--json")
    assert (found["network"], found["gamma"]) == ("Dense | relu | Dense", NET.predict().gamma)


def test_networks_are_read_as_python_prints_them() -> None:
    relu = igb.Activation("relu")
    block = igb.Concat((), (igb.BatchNorm(), relu, igb.Conv2d(3)), shares=(2, 1))
    factor = igb.Product(igb.GlobalAvgPool(), igb.Dense(), igb.Spread((4, 4)), shortcut=[relu, igb.Conv2d(1)])
    end = (igb.Gathered(((0, -1), (2, 3)), (2,)), igb.Attention(2, groups=((0, 1),), causal=True), igb.Flatten())
    net = igb.Network(igb.Conv2d(3), block, factor, *(relu, igb.Conv2d(2)) * 3, *end, igb.Dense())
    assert igb.Network.read(repr(net)) == net
    found = net.simulate(2, 4, inputs=np.random.default_rng(0).standard_normal((2, 1, 4, 4)), workers=1)
    assert type(found).from_json(found.to_json()).network == net
    text = "Conv2d(3) | Concat((), BatchNorm | relu | Conv2d(3), shares=(2, 1)) | Flatten | Dense(2.0)"
    assert igb.Network.read(text) == igb.Network(igb.Conv2d(3), block, igb.Flatten(), igb.Dense())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected layers with bars between them, got ''"),
        ("Dense | import os", "expected layers with bars between them"),
        ("Dense | Dense(__import__('os'))", 'expected a number as the parameter of a layer, got "__import__'),
        ("Dense | Dense(a=2)", "expected the parameters of Dense"),
        ("Dense | Residual | Dense", "expected the layers of a Residual, got none"),
        ("(Dense | tanh) * 0 | Dense", "expected repetitions >= 1, got 0"),
        ("Dense | rellu | Dense", "did you mean 'relu'"),
    ],
)
def test_what_is_no_network_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        igb.Network.read(text)


@pytest.mark.parametrize(
    "command",
    [
        *("predict --depth 1", "classes --draws 20", "losses --networks 9 --samples 9"),
        "draw --window 0.4 0.6 --data digits --first 20 --networks 2",
        slow("phase relu --diagram --points 3 --depth 2 --out ."),
    ],
)
def test_results_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*command.split(), "--plot", "picture.png"]) == 0
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow  # other tests run each of the commands with smaller networks
def test_without_arguments_it_shows_what_to_try(capsys: Capture) -> None:
    assert main([]) == 0
    commands = re.findall(r"^  igb (.*?)  ", capsys.readouterr().out, re.MULTILINE)
    assert len(commands) == 3
    for command in commands:
        assert main([token for token in shlex.split(command) if token not in {"--plot", "verdict.png"}]) == 0


@pytest.mark.parametrize(("name", "alias"), [("activation", "verdict"), slow(("phase", "classify"))])
def test_commands_have_the_names_of_the_library_too(capsys: Capture, name: str, alias: str) -> None:
    texts = []
    for command in (name, alias):
        assert main([command, "tanh"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]


def test_infinite_gamma_is_a_string_in_json(capsys: Capture) -> None:
    got = printed(capsys, "predict", "--sigma-w2", "0", "--sigma-b2", "1", "--json")
    assert got["gamma"] == "inf"


SMALL = ("--networks", "20", "--width", "8", "--samples", "10", "--depth", "1")


def test_simulate_as_json_is_the_library(capsys: Capture) -> None:
    got = printed(capsys, "simulate", *SMALL, "--seed", "3", "--json")
    expected = igb.mlp(1).simulate(20, 8, 10, 3)
    assert got["G0"] == expected.G0.tolist()
    assert got["gamma_error"] == expected.gamma_error


def test_simulate_prints_theory_beside(capsys: Capture) -> None:
    assert main(["simulate", *SMALL]) == 0
    assert "0.466942" in capsys.readouterr().out


def test_simulate_compares(capsys: Capture) -> None:
    got = printed(capsys, "simulate", *SMALL, "--compare", "--json")
    assert got["agrees"] is True
    assert got["widths"] == [8, 16, 32]
    assert main(["simulate", *SMALL, "--compare"]) == 0
    assert "Var(G0)" in capsys.readouterr().out


def test_disagreement_is_exit_status_1(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("igbtheory.networks.simulation.Comparison.agrees", lambda _: False)
    assert main(["simulate", *SMALL, "--compare"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ("predict --sigma-w2 -1", "--sigma-w2 >= 0"),
        ("predict --sigma-b2 nan", "--sigma-b2 >= 0"),
        ("predict --sigma-w2 0", "use --sigma-w2 > 0"),
        ("design -1 --vary sigma_w2", "a ratio of variances such as 2.0"),
        ("classes --temperature -1", "such as 1.0"),
        ("verify nosuch", "claims of A, B, C, D, E, W are known"),
        ("derive --data digits", "Unknown option"),
        ("certify --first 3", "Unknown option"),
        ("predict --variance -1", "--variance >= 0"),
        ("predict --shift inf", "--shift to be finite"),
        ("predict --depth 0", "--depth >= 1"),
        ("predict --depth 2.5", "whole number, got '2.5'"),
        ("predict --depth x", "whole number, got 'x'"),
        ("predict --width 9,x", "whole number, got 'x'"),
        ("predict --networks 9", "expected a width with networks, got none; pass --width 100"),
        ("predict --activation rleu", "did you mean 'relu'"),
        ("predict --digits 1", "--digits >= 2"),
        ("predict --data digits --first 1", "two data"),
        ("predict --data digits --first 0", "--first >= 1"),
        ("predict --data digits --shift 1", "Gaussian inputs"),
        ("predict --first 3", "--data"),
        ("predict --data digit", "FILE.npy"),
        ("predict --data missing.csv", "cannot read missing.csv"),
        ("predict --data missing.npy", "cannot read missing.npy"),
        ("predict --norm batsh", "did you mean 'batch'"),
        ("predict --norm layer --placement behind", "before, after"),
        ("predict --placement after", "--norm"),
        ("activation relu --depth 1e308", "--depth <= 10000000"),
        ("phase tanh --depth 1e308", "depths <= 10000000"),
        ("predict --placement middle", "unknown placement 'middle'; known: before, after"),
        ("figures --style nature", "unknown style 'nature'; known: icml, neurips, iclr, screen"),
        ("phase gelu", "at a variance that repels; pass --sigma-w2 4\n"),
        ("phase erf --norm layer --placement after", "'erf' with --norm layer with --placement after has no"),
        ("predict Conv2d(3,sigma_w2=2.5)|Dense", "in front of Conv2d(3, sigma_w2=2.5), got"),
        ("predict --batch-size 8", '--batch-size with --norm "batch" only'),
        ("predict --norm layer --batch-size 8", '--batch-size with --norm "batch" only'),
        ("predict --norm batch --batch-size 1", "--batch-size >= 2"),
        ("predict --norm batch --batch-size 7 --data digits --first 50", "batches of 7 divide"),
        ("predict --pool 0", "--pool >= 1"),
        ("simulate --norm batch --batch-size 3 --samples 10", "batches of 3 divide"),
        ("predict --dpeth 3", "--depth"),
        ("prdict", 'Did you mean "predict"'),
        ("predict 3", "got the constant '3'"),
        ("train", "name one with --data"),
        ("train --data digits --first 9 --loss hinge", "mse, cross-entropy"),
        ("train --data digits --first 9 --step-data 10", "expected --step-data <= 9, got 10"),
        ("train --data digits --first 9 --norm batch --batch-size 3", "expected the full batch"),
        ("predict Dense|relu|Dense --depth 2", "the layers of a network or --depth, got both"),
        ("predict Dense --depth=3", "the layers of a network or --depth, got both"),  # the default, too
        ("predict Dense|relu|Dense --activation relu", "the layers of a network or --activation, got both"),
        ("predict --data digits --first 9 --shift 0", "--shift and --variance of Gaussian inputs, got both"),
        ("predict Dense|Batchnorm|Dense", "did you mean 'BatchNorm'"),
        ("design 1 Dense --vary shift", "unexpected 'Dense'"),
        ("classes --classes 1", "--classes >= 2"),
        ("infer - --samples 0.5", "whole number, got '0.5'"),
        ("simulate --networks 1", "--networks >= 2"),
        ("simulate --seed -1", "--seed >= 0"),
        ("simulate --width 0", "--width >= 1"),
        ("simulate --workers 0", "--workers >= 1"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_status_2(capsys: Capture, tokens: str, words: str) -> None:
    message = refusal(capsys, *tokens.split())
    assert words in message
    assert not re.search(r"\b(sigma_w2|sigma_b2|batch_size|n_classes)\b", message.replace("sigma_w2=2.5", ""))


def test_values_that_an_option_takes_are_listed_as_they_are_written(capsys: Capture) -> None:
    message = refusal(capsys, "design", "3", "--vary", "foo")
    values = message.partition("known: ")[2].split(", ")
    assert "sigma_w2" in values
    for value in values[:3]:
        assert main(["design", "1", "--depth", "1", "--activation", "erf", "--vary", value.strip()]) in {0, 2}
        assert "unknown" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "expected rows of numbers, got none"),
        ("a,b\n", "column 0 has words or dates such as 'a'"),
        ("1,2\n", "two data"),
        ("a,b\n1,2\n", "two data"),
        ("a,b\nc,d\n1,2\n", "line 2 has names, too ('c')"),
        ("1,2\n3\n", "line 1 has 2 cells, and line 2 has 1"),
        ("1,2\n3,4\n5\n", "line 3 has 1 cells, and line 1 has 2"),
        ("1,2\nnan,4\n", "column 0 has no number in 1 of 2 rows, first in line 2"),
    ],
)
def test_bad_csv_files_are_named(capsys: Capture, tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(content)
    message = refusal(capsys, "predict", "--data", str(path))
    assert words in message
    assert "x.csv" in message


@pytest.mark.parametrize("array", [np.zeros((0, 3)), np.array([["a"], ["b"]]), np.array([1.0, 2.0])])
def test_bad_npy_files_are_named(capsys: Capture, tmp_path: Path, array: Any) -> None:
    np.save(tmp_path / "x.npy", array)
    assert "x.npy" in refusal(capsys, "predict", "--data", str(tmp_path / "x.npy"))


def test_a_file_that_is_no_array_is_named(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_text("")
    assert "x.npy" in refusal(capsys, "predict", "--data", str(tmp_path / "x.npy"))


def test_an_interrupt_is_exit_status_130(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("igbtheory.Network.predict", interrupted)
    assert main(["predict"]) == 130
    assert capsys.readouterr().err == "igb: error: interrupted\n"


def test_help_ends_in_a_window_without_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    with igb.runs.limited(30.0):
        assert main(["infer", "--help"]) == 0


def helped(capsys: Capture, *tokens: str) -> str:
    assert main([*tokens, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.slow  # it lays out the help of every command
def test_the_help_of_every_command_has_examples_with_its_options(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for command in re.findall(r"^│ ([a-z]+) ", helped(capsys), re.MULTILINE):
        out = helped(capsys, command)
        examples = [shlex.split(line) for line in out.splitlines() if line.startswith(f" igb {command}")]
        assert examples, command
        options = {token for example in examples for token in example if token.startswith("--")}
        assert options <= set(re.findall(r"--[a-z0-9-]+", out.partition("Parameters")[2])), command


@pytest.mark.parametrize(
    "tokens",
    [
        ["predict", "--norm"],
        slow(["predict", "--norm", "rms", "--placement"]),
        slow(["predict", "--width", "5", "--method"]),
        ["design", "1", "--vary"],
        ["figures", "--style"],
        slow(["train", "--data", "digits", "--first", "5", "--loss"]),
    ],
)
def test_help_lists_the_choices_that_the_library_knows(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tokens: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    known = refusal(capsys, *tokens, "?").partition("known: ")[2].strip()
    options = " ".join(helped(capsys, tokens[0]).partition("Parameters")[2].replace("│", " ").split())
    choices = re.search(rf" {tokens[-1]} CHOICE (?:(?!CHOICE).)*?\[choices: (.*?)\]", options)
    assert choices is not None
    assert choices[1] == known


def test_a_wrong_choice_has_the_same_words_where_another_package_has_loaded_pydantic(capsys: Capture) -> None:
    pytest.importorskip("pydantic")
    assert "unknown norm 'rmss'; did you mean 'rms'" in refusal(capsys, "predict", "--norm", "rmss")


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["predict", "--activation", "soft"], {"softplus", "softsign"}),
        (["figures", "gam"], {"gamma_of_layers"}),
        (["verify", "E-Eq4"], {"E-Eq47"}),
    ],
)
def test_names_are_completed(capsys: Capture, words: list[str], names: set[str]) -> None:
    assert main(["__complete", *words]) == 0
    assert names <= {line.partition("\t")[0] for line in capsys.readouterr().out.splitlines()}


def test_completion_is_written_to_the_given_file_only(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["--install-completion", "--shell", "bash", "--output", str(tmp_path / "igb.bash")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'igb.bash'}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["igb.bash"]
    script = (tmp_path / "igb.bash").read_text("utf-8")
    assert all(word in script for word in ("batch", "neurips", "piecewise-zero", "imbalance"))


def test_the_table_of_losses_fits_a_window_of_100_columns(capsys: Capture) -> None:
    assert main(["losses", "--depth", "1", "--networks", "20", "--samples", "50"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 100


def test_help_names_every_command(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    commands = {
        "predict": "Print the prediction",
        "simulate": "Draw finite networks",
        "measure": "Measure the bias of an untrained",
        "report": "Predict and simulate",
    }
    for command, summary in commands.items():
        assert any(command in line and summary in line for line in out.splitlines())


def test_predict_in_batches_tells_both_correlations(capsys: Capture) -> None:
    tokens = ["predict", "--norm", "batch", "--batch-size", "4"]
    got = printed(capsys, *tokens, "--json")
    expected = igb.mlp(3, norm="batch", batch_size=4).predict()
    assert got["c_within"] == expected.c_within != got["c"]
    assert got["per_layer"]["c_within"] == expected.per_layer.c_within.tolist()
    assert main(tokens) == 0
    assert f"{expected.c_within:.15g} within a batch of 4" in capsys.readouterr().out


@pytest.mark.filterwarnings("always::igbtheory.AccuracyWarning")
@pytest.mark.slow
def test_predict_tells_the_effective_rank_where_a_norm_is_approximate(capsys: Capture) -> None:
    tokens = ["predict", "--norm", "batch", "--data", "digits", "--first", "6"]
    assert "effective_rank" not in printed(capsys, *tokens, "--json")
    assert main([*tokens, "--activation", "tanh", "--json"]) == 0
    out, err = capsys.readouterr()
    assert "effective_rank" in err
    assert json.loads(out)["effective_rank"] > 1
    assert main([*tokens, "--activation", "tanh"]) == 0
    assert "effective: BatchNorm has no exact rule" in capsys.readouterr().out


def test_simulate_expects_of_a_full_batch_what_its_data_show(capsys: Capture) -> None:
    assert main(["simulate", *SMALL, "--norm", "batch", "--placement", "after"]) == 0
    lines = capsys.readouterr().out.splitlines()
    gamma, guess = (line.split() for line in lines if line.startswith("gamma"))
    assert float(gamma[1]) == pytest.approx(-1 / 10)  # the values of a batch of 10 add up to zero
    assert float(gamma[2]) == pytest.approx(-1 / 10, rel=1e-5)
    assert float(guess[1]) == float(guess[2]) == 0  # no law of G0 has a negative variance


def run(*tokens: str) -> subprocess.CompletedProcess[str]:
    # the width of the terminal decides how lines break
    environment = {**os.environ, "COLUMNS": "80"}
    command = [sys.executable, "-W", "error", "-m", "igbtheory", *tokens]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)  # noqa: S603


def test_the_process_refuses_without_a_traceback() -> None:
    found = run("predict", "--sigma-w2", "-1")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("igb: error: expected --sigma-w2 >= 0")


@pytest.mark.slow
def test_without_docstrings_the_process_predicts_and_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "2")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    found = run("predict", "--depth", "1", "--json")
    assert json.loads(found.stdout)["gamma"] == pytest.approx(NET.predict().gamma, rel=1e-13)
    assert "Print the prediction in infinite width" in run("predict", "--help").stdout


def shell(text: str) -> subprocess.CompletedProcess[str]:
    """Run a command line of igb in a shell, which closes its streams as the text says."""
    command = f"{shlex.quote(sys.executable)} -m igbtheory {text}"
    return subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="there is no shell that closes streams")
def test_closed_streams_are_told_or_not_missed() -> None:
    done = shell("predict --depth 1 >&-")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("igb: error: standard output is closed; ")
    assert shell("predict --depth 1 >&- 2>&-").returncode == 2
    done = shell("predict --depth 1 --json 2>&-")
    assert (done.returncode, json.loads(done.stdout)["gamma"]) == (0, igb.mlp(1).predict().gamma)


def test_the_version() -> None:
    assert run("--version").stdout.strip() == igb.__version__


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_device_is_an_error_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "igbtheory", "predict"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("igb: error: no space is left where the output goes; make room")


def test_a_reader_that_is_gone_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "igbtheory", "predict", "--json"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)  # noqa: S603
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
