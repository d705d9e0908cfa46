"""Compare what theory predicts for models that people have, at their own widths, with 200 networks of a plain loop.

    python benchmarks/compare_models.py               # do what has no row in compare_models.csv, and print the table
    python benchmarks/compare_models.py --only LeNet5 # the models whose names contain a text
    python benchmarks/compare_models.py --side models --device cuda --part 0/2
                                                      # the plain loop alone, every second model from the first one

The loop makes the models anew, as users do, and uses nothing of the package: var_mu and var_chi of the outputs, and the
variance of G0 between neighbouring classes. The table may be interrupted, and goes on when it is called again. The exit
status is 1 if the values differ by more than chance. Needs: pip install -r benchmarks/read_models.txt.
"""

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from zoo.libraries import TRANSFORMERS, define_compiled_operators
from zoo.tutorials import foreign, images, perceptrons, tokens

import igbtheory as igb

TABLE = Path(__file__).with_suffix(".csv")
NETWORKS = 200
CLASSES = 100
"""Number of outputs, each of which adds an estimate of the same moments, where a model has no number of its own."""
FARTHEST, ROOT_MEAN_SQUARE = 3.0, 1.3
"""Largest difference in standard errors, and largest root mean square of them all, that is taken for chance."""
MODELS, THEORY = "models", "theory"
Array = NDArray[Any]
Make = Callable[[], Any]


@final
@dataclass(frozen=True)
class Row:
    """Estimates of one side, models or theory, with standard errors, from so many networks, and the CPU seconds."""

    model: str
    side: str
    gamma: float
    gamma_error: float
    var_g0: float
    var_g0_error: float
    networks: int
    seconds: float


@final
@dataclass(frozen=True)
class Case:
    """A model, its data, and whether it is in training mode."""

    name: str
    make: Make
    data: Callable[[], Array]
    train: bool

    def model(self) -> Any:
        """Return a new model."""
        return self.make().train(self.train)


def photographs(count: int, channels: int, size: int) -> Any:
    """Return random images, smooth over an eighth of their sides."""
    return igb.gaussian_images(count, channels=channels, height=size, width=size, correlation_length=size / 8)


def digits(count: int, size: int) -> Array:
    """Return handwritten digits, enlarged, with a margin if need be."""
    small = igb.digits()[:count].reshape(-1, 1, 8, 8) / 16
    large = np.repeat(np.repeat(small, size // 8, axis=2), size // 8, axis=3)
    margin = size % 8 // 2
    return np.pad(large, [(0, 0), (0, 0), (margin, margin), (margin, margin)])


def numbers(*shape: int) -> Array:
    """Return normal numbers."""
    return np.random.default_rng(0).standard_normal(shape)


def words(count: int, length: int, vocabulary: int = 100) -> Array:
    """Return texts of random tokens."""
    return np.random.default_rng(0).integers(1, vocabulary, (count, length))


def cases() -> Iterator[Case]:
    """Yield all models."""
    define_compiled_operators()
    for make, data, train in (
        (perceptrons.Quickstart, partial(digits, 100, 28), False),
        (perceptrons.Tabular, partial(numbers, 100, 20), True),
        (images.LeNet5, partial(digits, 100, 32), False),
        (images.CifarTutorial, partial(photographs, 50, 3, 32), False),
        (images.VggStyle, partial(photographs, 32, 3, 32), False),
        (images.CifarResNet, partial(photographs, 32, 3, 32), True),
        (images.DepthwiseSeparable, partial(photographs, 32, 3, 32), True),
        (images.Dense, partial(photographs, 32, 3, 16), True),
        (images.Inception, partial(photographs, 32, 3, 32), False),
        (images.GroupNorms, partial(photographs, 32, 3, 16), False),
        (images.SqueezeExcite, partial(photographs, 32, 3, 16), False),
        (images.TimeSeries, partial(numbers, 50, 3, 32), False),
        (tokens.TextCNN, partial(words, 32, 12), False),
        (tokens.MlpMixer, partial(photographs, 32, 1, 28), False),
    ):
        yield Case(make.__name__, make, data, train)
    for name, size, train in (
        ("alexnet", 64, False),
        ("resnet18", 64, False),
        ("resnet50", 64, True),
        ("densenet121", 64, False),
        ("mobilenet_v2", 64, True),
        ("mobilenet_v3_small", 64, False),
        ("shufflenet_v2_x1_0", 64, True),
        ("efficientnet_b0", 64, False),
        ("regnet_y_400mf", 64, True),
        ("mnasnet0_5", 64, True),
        ("convnext_tiny", 64, False),
    ):
        yield Case(name, partial(of_torchvision, name), partial(photographs, 16, 3, size), train)
    yield Case("resnet50 at 224", partial(of_torchvision, "resnet50"), partial(photographs, 8, 3, 224), train=False)
    for name, train in (("dla46_c", True), ("gernet_s", False), ("cspnext_tiny", True), ("hrnet_w18_small", True)):
        yield Case(f"timm {name}", partial(of_timm, name), partial(photographs, 16, 3, 64), train)
    for name in ("Bert", "GPT2", "DistilBert", "T5"):
        yield Case(name, partial(of_transformers, name), partial(words, 32, 8), train=False)
    for name, size in (("ViT", 32), ("ConvNext", 64), ("ResNet", 64)):
        yield Case(
            f"{name} of transformers", partial(of_transformers, name), partial(photographs, 16, 3, size), train=False
        )
    yield from foreign_cases()


def foreign_cases() -> Iterator[Case]:
    """Yield models with unusual functions, branches that start at 0, shared vectors and odd heads."""
    vectors, sequences = partial(numbers, 30, foreign.FEATURES), partial(numbers, 20, foreign.TOKENS, foreign.FEATURES)
    pictures = partial(photographs, 20, 3, 8)
    for name, function in foreign.FUNCTIONS.items():
        # of few units that are much larger than the others, uniform weights make units that are not normal
        perceptron = partial(foreign.Elementwise, function, normal=name == "squared ReLU")
        yield Case(f"foreign {name}", perceptron, vectors, train=True)
    doubled = partial(foreign.Elementwise, foreign.crelu, made=200)
    others: tuple[tuple[str, Make, Callable[[], Array]], ...] = (
        ("CReLU", doubled, vectors),
        ("SIREN", foreign.Siren, vectors),
        ("maxout", foreign.Maxout, vectors),
        *((name, partial(foreign.Branches, name), vectors) for name in foreign.BRANCHES),
        ("LoRA", foreign.LoRA, vectors),
        ("ControlNet", foreign.ControlNet, pictures),
        ("Fixup", foreign.Fixup, pictures),
        *((name, partial(foreign.Tokens, name), sequences) for name in foreign.SHARED),
        *((name, partial(foreign.Heads, name), vectors) for name in foreign.HEADS),
        ("spectrogram", foreign.Spectrum, partial(numbers, 30, 64)),
        *((name, partial(foreign.Mixing, name), sequences) for name in ("FNet", "GFNet")),
        ("NeuMF", foreign.NeuMF, partial(words, 30, 2, 20)),
        ("GIN", foreign.GIN, sequences),
    )
    for name, make, data in others:
        yield Case(f"foreign {name}", make, data, train=True)
    for name, train in (("convnextv2_atto", False), ("test_resnet", True)):
        yield Case(f"foreign {name} of timm", partial(of_timm, name), partial(photographs, 8, 3, 32), train)
    yield Case("foreign FNet of transformers", fnet, partial(words, 20, 8), train=False)


def of_torchvision(name: str) -> Any:
    """Return a model of torchvision."""
    from torchvision import models  # noqa: PLC0415 - its operators are defined above

    return models.get_model(name, weights=None, num_classes=CLASSES)


def of_timm(name: str) -> Any:
    """Return a model of timm."""
    import timm  # noqa: PLC0415 - as above

    return timm.create_model(name, pretrained=False, num_classes=CLASSES)


def of_transformers(name: str) -> Any:
    """Return a small model of transformers with many outputs."""
    import transformers  # noqa: PLC0415 - as above
    from zoo.libraries import Head  # noqa: PLC0415 - as above

    purpose, sizes = TRANSFORMERS[name]
    kind = purpose if purpose == "EncoderModel" else f"For{purpose}"
    sizes = {**sizes, "num_labels": CLASSES} if "num_labels" in sizes else sizes
    model = getattr(transformers, name + kind)(getattr(transformers, f"{name}Config")(**sizes))
    return Head(model) if kind == "EncoderModel" else model


def fnet() -> Any:
    """Return a small FNet of transformers."""
    import transformers  # noqa: PLC0415 - as above

    sizes = {"vocab_size": 100, "hidden_size": 32, "num_hidden_layers": 1, "intermediate_size": 64}
    config = transformers.FNetConfig(**sizes, max_position_embeddings=8, num_labels=CLASSES)
    return transformers.FNetForSequenceClassification(config)


def looped(case: Case, device: str) -> Row:
    """Return what a plain loop over new models measures."""
    start = time.process_time()
    data = torch.as_tensor(case.data(), device=device)
    data = data.float() if data.is_floating_point() else data
    of_networks = []
    for seed in range(NETWORKS):
        torch.manual_seed(seed)
        with torch.device(device), torch.no_grad():
            outputs = case.model()(data)
        if not isinstance(outputs, torch.Tensor):
            outputs = outputs["logits"]
        of_networks.append(moments(outputs.double().cpu().numpy()))
    var_mu, var_chi, var_g0 = np.array(of_networks).T
    left = [(values.sum() - values) / (NETWORKS - 1) for values in (var_mu, var_chi)]
    gammas = left[0] / left[1]
    error = np.sqrt((NETWORKS - 1) * gammas.var())
    errors = var_g0.std(ddof=1) / np.sqrt(NETWORKS)
    gamma = NETWORKS * var_mu.mean() / var_chi.mean() - (NETWORKS - 1) * gammas.mean()
    seconds = time.process_time() - start
    return Row(case.name, MODELS, gamma, error, var_g0.mean(), errors, NETWORKS, seconds)


def moments(outputs: Array) -> tuple[float, float, float]:
    """Return var_mu and var_chi of differences of outputs, (data, classes), and the mean of (G0 - 1/2)^2.

    A term that all outputs share, as of log_softmax, changes nothing.
    """
    count = outputs.shape[1]
    apart = outputs - outputs.mean(axis=1, keepdims=True)
    centres = apart.mean(axis=0)
    shares = (outputs > np.roll(outputs, 1, axis=1)).mean(axis=0)
    squares = np.square(centres).sum(), np.square(apart - centres).sum() / len(outputs)
    return squares[0] / (count - 1), squares[1] / (count - 1), float(np.mean((shares - 0.5) ** 2))


def predicted(case: Case) -> Row:
    """Return what theory predicts at the widths of the model."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # errors are part of the row
        data = case.data()
        network = igb.from_torch(case.model, data)
        found = network.predict(data, width=network.widths)
    values = found.gamma, found.gamma_error, found.var_g0, found.var_g0_error
    return Row(case.name, THEORY, *values, found.networks, time.process_time() - start)


def stored() -> dict[tuple[str, str], Row]:
    """Return the rows by model and side."""
    if not TABLE.exists():
        return {}
    with TABLE.open(newline="", encoding="utf-8") as file:
        rows = [
            Row(*(kind(row[field.name]) for field, kind in zip(fields(Row), KINDS, strict=True)))
            for row in csv.DictReader(file)
        ]
    return {(row.model, row.side): row for row in rows}


KINDS = str, str, float, float, float, float, int, float


def store(row: Row) -> None:
    """Append a row."""
    fresh = not TABLE.exists()
    with TABLE.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if fresh:
            writer.writerow([field.name for field in fields(Row)])
        writer.writerow([f"{value:.6g}" if isinstance(value, float) else value for value in astuple(row)])


def compared(rows: dict[tuple[str, str], Row]) -> int:
    """Print the table of all models that have both rows; return 1 if they differ by more than chance, else 0."""
    scores = []
    for name in dict.fromkeys(model for model, _ in rows):
        if {(name, MODELS), (name, THEORY)} <= rows.keys():
            ours, theirs = rows[name, THEORY], rows[name, MODELS]
            z = [difference(ours, theirs, value) for value in ("var_g0", "gamma")]
            scores.append(z)
            print(
                f"{name:24} Var(G0) {ours.var_g0:.5f} ± {ours.var_g0_error:.5f}, {theirs.var_g0:.5f} ± "
                f"{theirs.var_g0_error:.5f}: {z[0]:+.1f}   gamma {ours.gamma:.4g} ± {ours.gamma_error:.2g}, "
                f"{theirs.gamma:.4g} ± {theirs.gamma_error:.2g}: {z[1]:+.1f}   {ours.networks} in {ours.seconds:.0f} s"
            )
    if not scores:
        return 0
    every = np.array(scores)
    root = np.sqrt(np.mean(every**2, axis=0))
    farthest = abs(every).max(axis=0)
    print(f"{len(every)} models, largest |z| {farthest.round(1)}, root mean square {root.round(2)} of Var(G0), gamma")
    return int(farthest.max() > FARTHEST or root.max() > ROOT_MEAN_SQUARE)


def difference(ours: Row, theirs: Row, value: str) -> float:
    """Return the difference of a measured and a predicted value in units of their joint standard error."""
    error = np.hypot(getattr(ours, f"{value}_error"), getattr(theirs, f"{value}_error"))
    return float((getattr(theirs, value) - getattr(ours, value)) / error)


def main() -> int:
    """Do what has no row, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="a text in the names of models")
    parser.add_argument("--side", choices=(MODELS, THEORY), help="the plain loop or theory alone")
    parser.add_argument("--device", default="cpu", help="where the plain loop runs")
    parser.add_argument("--part", default="0/1", help="i/n: every n-th model, from the i-th one on")
    given = parser.parse_args()
    first, every = map(int, given.part.split("/"))
    torch.backends.cudnn.allow_tf32 = False
    for case in [case for case in cases() if given.only in case.name][first::every]:
        for side, row_of in ((THEORY, predicted), (MODELS, partial(looped, device=given.device))):
            if given.side in {None, side} and (case.name, side) not in stored():
                try:
                    store(row_of(case))
                except Exception as error:  # noqa: BLE001 - another version of a library may have another model
                    print(f"{case.name}: {error}"[:300], file=sys.stderr)
    return compared(stored())


if __name__ == "__main__":
    sys.exit(main())
