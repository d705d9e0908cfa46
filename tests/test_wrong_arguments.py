"""Every argument of public functions is replaced by things of a wrong kind: a sentence refuses them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import igbtheory as igb

X, Y = np.random.default_rng(0).standard_normal((4, 2)), [0, 1, 0, 1]
NET = igb.mlp(1)
P = NET.predict()
D10 = igb.infer([0.2, 0.5, 0.7], D=10)
RUN = NET.train(X, Y, draws=40, times=[0, 1])
DERIVED = igb.mlp(3, "linear").derive()
NORM = {"norm": None, "pool": None, "sigma_w2": 2.0}
CONV = {"kernel": 3, "stride": 1, "padding": "zeros", "sigma_w2": 2.0, "sigma_b2": 0.0, "groups": 1, "dilation": 1}
POOL = {"k": 2, "stride": 1, "padding": 0}
RVS = {"size": 2, "random_state": 0}
LOSS = igb.losses.CrossEntropy()
FEW = {"networks": 2, "width": 2, "samples": 4, "seed": 0}
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    # a function, and arguments that are right
    "Activation": (igb.Activation, {"activation": "relu"}),
    "Attention": (igb.Attention, {"heads": 1, "sigma_qk2": 1.0, "sigma_v2": 1.0, "scaling": "sqrt", "seed": None}),
    "AvgPool": (igb.AvgPool, {"m": 2}),
    "AvgPool2d": (igb.AvgPool2d, POOL),
    "BatchNorm": (igb.BatchNorm, {"batch_size": 4, "law": "exact", "eps": 0.0}),
    "ClassToken": (igb.ClassToken, {"variance": 1.0}),
    "Conv1d": (igb.Conv1d, CONV),
    "Conv2d": (igb.Conv2d, CONV),
    "Dense": (igb.Dense, {"sigma_w2": 2.0, "sigma_b2": 0.0}),
    "Dropout": (igb.Dropout, {"p": 0.5}),
    "GaussianInputs": (igb.GaussianInputs, {"shift": 0.0, "variance": 1.0}),
    "GroupNorm": (igb.GroupNorm, {"size": 2, "eps": 0.0}),
    "GuessLaw": (igb.GuessLaw, {"source": 1.0}),
    "LayerNorm": (igb.LayerNorm, {"eps": 0.0, "positions_too": False}),
    "MaxPool": (igb.MaxPool, {"m": 2}),
    "Network": (lambda layer: igb.Network(layer, igb.Dense()), {"layer": igb.Dense()}),
    "Network.read": (igb.Network.read, {"text": "Dense | relu | Dense"}),
    "PatchEmbedding": (igb.PatchEmbedding, {"size": 2, "sigma_w2": 1.0, "sigma_b2": 0.0}),
    "Residual": (lambda **k: igb.Residual(igb.Dense(), **k), {"scale": 1.0, "shortcut": ()}),
    "TokenMixing": (igb.TokenMixing, {"tokens": 3, "sigma_w2": 1.0, "sigma_b2": 0.0, "seed": None}),
    "cnn": (igb.cnn, {"depth": 1, "activation": "relu", "kernel": 3, "padding": "zeros", "end": None, **NORM}),
    "mlp": (igb.mlp, {"depth": 1, "activation": "relu", "placement": "before", "batch_size": None, **NORM}),
    "mixer": (igb.mixer, {"depth": 1, "activation": "relu", "patch": 4, "sigma_w2": 1.0}),
    "resnet": (igb.resnet, {"depth": 1, "activation": "relu", "kernel": 3, "padding": "zeros", **NORM}),
    "vit": (igb.vit, {"depth": 1, "patch": 4, "heads": 4, "sigma_w2": 1.0, "class_variance": 1.0}),
    "compare": (igb.compare, {"first": D10, "second": D10, "level": 0.95}),
    "draw": (igb.draw, {"network": NET, "data": X, "window": (0, 1), "networks": 2, "width": 2, "seed": 0}),
    "gaussian_images": (igb.gaussian_images, {"D": 2, "channels": 1, "height": 2, "width": 2, "seed": 0}),
    "read_data": (igb.read_data, {"path": "no.npy"}),
    "standardised": (igb.standardised, {"data": X, "reference": X}),
    "predict": (NET.predict, {"inputs": None, "digits": None, "kind": None}),
    "predict, width": (NET.predict, {"width": 2, "features": 2, "method": "pairs", "networks": 2, "seed": 0}),
    "certify": (NET.certify, {"digits": 5, "inputs": None}),
    "derive": (NET.derive, {"inputs": None}),
    "simulate": (NET.simulate, {**FEW, "workers": 1, "executor": None, "progress": False}),
    "split": (RUN.split, {"neutral": (0.45, 0.55)}),
    "train": (NET.train, {"inputs": X, "y": Y, "loss": "mse", "times": [0, 1], "draws": 2, "seed": 0}),
    "train, steps": (
        partial(NET.train, X, Y, draws=2),
        {"step": 1e-3, "momentum": 0.9, "scale": 1.0, "weight_decay": 0.0, "batch_size": 2},
    ),
    "class_gradients": (igb.phases.class_gradients, {"prediction": P, "n_classes": 2}),
    "classify": (igb.phases.classify, {"activation": "relu", "sigma_w2": 2.0, "sigma_b2": 0.0, "depths": (1, 2)}),
    "edge_of_chaos": (igb.phases.edge_of_chaos, {"activation": "relu", "sigma_b2": 0.0, "pool": None, "norm": None}),
    "gradients": (igb.phases.gradients, {"net": NET, "inputs": None, "digits": None}),
    "residual_limit": (igb.phases.residual_limit, {"net": igb.resnet(1, norm=None), "inputs": None}),
    "thresholds": (igb.phases.thresholds, {"activation": "relu", "q": 1.0}),
    "accuracy_bound": (igb.guesses.accuracy_bound, {"fractions": [0.2, 0.8], "proportions": [0.5, 0.5]}),
    "accuracy_bounds": (igb.guesses.accuracy_bounds, {"law": P.guesses(3), "draws": 4, "random_state": 0}),
    "gamma_of_variance": (igb.guesses.gamma_of_variance, {"variance": 0.1}),
    "mean_shares": (igb.guesses.mean_shares, {"gamma": 1.0, "n_classes": 3, "D": 8, "ranks": None}),
    "losses.measured": (igb.losses.measured, {"outputs": [X, X + 1], "loss": LOSS}),
    "losses.predicted": (igb.losses.predicted, {"prediction": P, "loss": LOSS, "n_classes": 2}),
    "losses.simulated": (igb.losses.simulated, {"network": NET, "loss": LOSS, "n_classes": 2, **FEW}),
    "losses_table": (igb.losses.losses_table, {"found": {}}),
    "claims.run": (igb.claims.run, {"claims": [], "seed": 0, "seconds": 1.0, "progress": False}),
    "Store": (igb.runs.Store, {"path": ":memory:", "configuration": {"seed": 0}}),
    "blocks": (igb.runs.blocks, {"networks": 2, "seconds": 1.0}),
    "in_order": (igb.runs.in_order, {"pieces": [], "store": None, "executor": None}),
    "guesses": (P.guesses, {"n_classes": 3}),
    "from_json": (igb.Prediction.from_json, {"text": "{"}),
    "G0.pdf": (P.G0.pdf, {"g": 0.3}),
    "G0.ppf": (P.G0.ppf, {"p": 0.3}),
    "G0.rvs": (P.G0.rvs, RVS),
    "G0.finite": (P.G0.finite, {"D": 4}),
    "finite.rvs": (P.G0.finite(4).rvs, RVS),
    "classes.rvs": (P.guesses(3).rvs, RVS),
    "derived.pdf": (DERIVED.pdf, {"g": sp.Symbol("g")}),
    "at_depth": (DERIVED.at_depth, {"depth": sp.Symbol("L")}),
    "plot": (P.plot, {"axes": None}),
}


class Thing:
    """An object that no function knows."""


WRONG: tuple[Any, ...] = (None, "x", [], {}, float("nan"), np.ones((2, 2)), Thing(), -1)


@pytest.mark.parametrize("name", CALLS)
def test_what_is_of_a_wrong_kind_is_refused_in_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x").touch()
    function, right = CALLS[name]
    refused = 0
    for argument in right:
        for wrong in WRONG if argument != "axes" else WRONG[1:]:
            try:
                made = function(**right | {argument: wrong})
                if isinstance(made, igb.runs.Store):  # a text is a path
                    made.close()
            except (ValueError, TypeError) as error:
                said = str(error)
                assert said.count("\n") <= 2, (argument, wrong)
                assert "expected" in said or "unknown" in said, (argument, wrong, said)
                refused += 1
    assert refused >= len(right), "a wrong argument of every kind was taken"
