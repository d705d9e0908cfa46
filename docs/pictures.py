"""Draw the pictures of the documentation: `python docs/pictures.py` writes them into this folder."""

from doctest import DocTestParser
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure
from scipy.stats import norm

import igbtheory as igb
from igbtheory.presentation.pictures.marks import gaps
from igbtheory.presentation.pictures.style import GREY, MARKERS, SERIES, STYLE

DEPTHS = {1: "#0072B2", 3: "#009E73", 20: "#D55E00"}
"""Depths of the ReLU networks and their colours (by Okabe and Ito, for colour-blind readers)."""
SIGMA_B2 = 0.1
PHASES = {"ordered": 1.3, "edge of chaos": 1.986072640, "chaotic": 3.5}
"""Phases of tanh networks with biases SIGMA_B2, and variances of their weights."""
NORMS: dict[str, tuple[Literal["batch", "layer", "rms"] | None, Literal["before", "after"]]] = {
    "no norm": (None, "before"),
    "BatchNorm before": ("batch", "before"),
    "BatchNorm after": ("batch", "after"),
    "LayerNorm before": ("layer", "before"),
    "LayerNorm after": ("layer", "after"),
    "RMSNorm before": ("rms", "before"),
    "RMSNorm after": ("rms", "after"),
}
"""Norm and placement for each label of the picture of norms."""


def picture() -> Figure:
    """Draw the density of G0 for ReLU at depths 1, 3 and 20, and the point mass at 1/2 of odd activations."""
    figure = Figure(figsize=(6.0, 3.1))
    axes = figure.subplots()
    g = np.linspace(0, 1, 2001)[1:-1]
    # an arrow stands for the point mass, as is usual for delta functions
    axes.annotate("", xy=(0.5, 3.05), xytext=(0.5, 0), arrowprops={"arrowstyle": "-|>", "color": "#555555", "lw": 1.6})
    axes.text(0.515, 2.72, "linear and tanh without biases:\n$\\gamma$ = 0, all mass at 1/2", color="#555555")
    for depth, colour in DEPTHS.items():
        prediction = igb.mlp(depth, "relu").predict()
        label = f"ReLU, depth {depth}: $\\gamma$ = {prediction.gamma:.3g}"
        axes.plot(g, prediction.G0.pdf(g), color=colour, lw=1.8, label=label)
    axes.set(xlim=(0, 1), ylim=(0, 3.2), xlabel="fraction $G_0$ of the data assigned to class 0")
    axes.set_ylabel("density of $G_0$ over initialisations")
    axes.legend(loc="upper left", bbox_to_anchor=(0.05, 1.0))
    return figure


def theory_networks() -> Figure:
    """Draw the outputs of two networks over the data, and the law of G0 over all networks."""
    figure = Figure(figsize=(7.2, 2.5))
    panels = figure.subplots(1, 3)
    prediction = igb.mlp(3, "relu").predict()
    spread = np.sqrt(prediction.var_chi)
    g = np.linspace(0, 1, 501)[1:-1]
    panels[2].plot(g, prediction.G0.pdf(g), color="k")
    drawn = (("A", (0.9, -0.5), "right"), ("B", (-0.75, 0.1), "left"))
    for axes, (name, centres, side) in zip(panels, drawn, strict=False):
        x = np.linspace(-4, 4, 401)
        for c, (centre, series) in enumerate(zip(centres, SERIES[1:], strict=False)):
            axes.plot(x, norm.pdf(x, centre, spread), **series)
            axes.plot([centre, centre], [0, norm.pdf(0, 0, spread)], color=series["color"], lw=0.8)
            axes.annotate(f"$\\mu_{c}$", (centre, 0.46), ha="center", va="bottom", color=series["color"])
        share = norm.cdf((centres[0] - centres[1]) / (np.sqrt(2) * spread))
        axes.set(xlim=(-4, 4), ylim=(0, 0.55), xlabel="outputs over the data", yticks=[])
        axes.set_title(f"network {name}: $G_0$ = {share:.0%}", loc="center")
        panels[2].plot([share], [prediction.G0.pdf(share)], "ko")
        panels[2].annotate(f" {name} ", (share, prediction.G0.pdf(share)), ha=side, va="bottom")
    panels[2].set(xlim=(0, 1), ylim=(0, 2), xlabel="$G_0$")
    panels[2].set_title("all networks: density of $G_0$", loc="center")
    return figure


def theory_depth() -> Figure:
    """Draw the map of the correlation of two data by a layer, and gamma over depth, in three phases of tanh."""
    figure = Figure(figsize=(7.2, 2.9))
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], color=GREY)
    left.annotate("unchanged", (0.22, 0.18), rotation=41, color="#777777", ha="center", va="center")
    share = 1 - np.geomspace(1, 1e-6, 200)
    for (name, sigma_w2), series in zip(PHASES.items(), SERIES[1:], strict=False):
        q = igb.phases.fixed_points("tanh", sigma_w2, SIGMA_B2)[0].q
        # inputs for which the first Dense has the variance q, and correlations up to 1
        second = (q - SIGMA_B2) / sigma_w2
        inputs = igb.GaussianInputs(shift=np.sqrt(share * second), variance=(1 - share) * second)
        c = igb.mlp(1, "tanh", sigma_w2=sigma_w2, sigma_b2=SIGMA_B2).predict(inputs).per_layer.c
        left.plot(c[0], c[1], **series, label=f"{sigma_w2:.3g}: {name}")
        deep = igb.mlp(60, "tanh", sigma_w2=sigma_w2, sigma_b2=SIGMA_B2).predict()
        right.plot(deep.per_layer.gamma, **series)
    right.plot(gaps(igb.mlp(60, "relu").predict().per_layer.gamma), **SERIES[0])
    right.annotate("ReLU", (46, 105), ha="center")
    right.axhline(1, color=GREY, lw=0.7, zorder=0)
    left.set(xlim=(0, 1), ylim=(0, 1), xlabel="correlation of two data", ylabel="... one layer later")
    left.legend(loc="upper left", title="tanh, $\\sigma_w^2$ =", alignment="left", bbox_to_anchor=(-0.01, 1.07))
    right.set(xlim=(0, 60), ylim=(0.03, 1e3), yscale="log", xlabel="layer", ylabel="$\\gamma$")
    return figure


def which_norm() -> Figure:
    """Draw the share of the favoured class, and the growth of gradients, for every norm and placement."""
    figure = Figure(figsize=(7.2, 2.9))
    left, right = figure.subplots(1, 2, sharey=True)
    rows = np.arange(len(NORMS))
    for number, (phi, sigma_b2) in enumerate((("relu", 0), ("tanh", 0.1), ("gelu", 0))):
        look = {"color": SERIES[number]["color"], "marker": MARKERS[number], "ls": "none", "mfc": "none"}
        look["label"] = phi + (", biases of variance 0.1" if sigma_b2 else ", no biases")
        nets = [
            igb.mlp(20, phi, norm=norm, placement=placement, sigma_b2=sigma_b2) for norm, placement in NORMS.values()
        ]
        at = rows + 0.28 * (number - 1)  # beside each other, so that none hides another
        left.plot([net.predict().G0.majority() for net in nets], at, **look)
        right.plot([igb.phases.gradients(net).factor[-1] for net in nets], at, **look)
    for axes, label in ((left, "share of the favoured class"), (right, "growth of the squared gradient, per layer")):
        axes.set_xlabel(label)
        axes.grid(axis="y", color=GREY, lw=0.4)
    left.set(xlim=(0.48, 1), yticks=rows, ylim=(len(NORMS) - 0.5, -0.5))
    left.set_yticklabels(NORMS)
    right.set_xlim(0.45, 1.55)
    right.axvline(1, color=GREY, lw=0.9, zorder=0)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def curves() -> Figure:
    """Draw gamma over depth, and the law of the guesses, of networks with several activations."""
    figure = Figure(figsize=(7.2, 2.9))
    left, right = figure.subplots(1, 2)
    networks = {phi: igb.mlp(20, phi, sigma_b2=0.1).predict() for phi in ("relu", "tanh", "gelu", "silu")}
    igb.overlay(networks, left)
    igb.overlay({phi: prediction.G0 for phi, prediction in networks.items()}, right)
    return figure


def experts() -> Figure:
    """Draw the loads of 64 experts in theory, and those of one network: the example of the page on experts."""
    example = (Path(__file__).parent / "experts.rst").read_text(encoding="utf-8").partition(".. image:: experts.png")[0]
    names: dict[str, Any] = {"np": np, "igb": igb}
    with rc_context({"figure.figsize": (6.0, 3.1)}):
        for part in DocTestParser().get_examples(example):
            exec(part.source, names)  # noqa: S102 - the page is of this folder
    figure: Figure = names["axes"].figure
    return figure


def training() -> Figure:
    """Draw how training absorbs the bias: theory and finite networks, neutral and prejudiced starts."""
    figure = Figure(figsize=(7.2, 2.9))
    left, right = figure.subplots(1, 2)
    x, digit = igb.standardised(igb.digits())[:60], igb.digit_labels()[:60]
    y = np.where(digit < 9, 1.0, -1.0)
    found = igb.mlp(1, "relu").train(x, y)
    time = found.times[1:] * found.rate
    mean, std = found.G0.mean().value[1:], found.G0.std().value[1:]
    left.fill_between(time, mean - std, mean + std, color=GREY, alpha=0.5, lw=0)
    left.plot(time, mean, **SERIES[0], label="infinite width")
    steps, shares = trained_shares(x, y, found.rate)
    left.errorbar(
        steps[1::3],
        shares.mean(axis=0)[1::3],
        shares.std(axis=0)[1::3],
        fmt="o",
        ms=3,
        color=SERIES[1]["color"],
        label="PyTorch, width 300",
    )
    left.axhline(found.labels[0], color=GREY, lw=0.7, zorder=0)
    left.set(xscale="log", xlim=(0.1, 1e3), ylim=(0, 1), ylabel="$G_0$, mean ± standard deviation")
    left.legend(loc="lower right")
    parts = igb.mlp(3, "relu").train(x, np.where(digit < 5, 1.0, -1.0)).split()
    for part, name, series in zip(parts, ("neutral", "prejudiced"), SERIES[1:], strict=False):
        time = part.times[1:] * part.rate
        right.plot(
            time, np.abs(part.G0.draws - part.labels[0]).mean(axis=0)[1:], **series, label=f"{name} starts: bias"
        )
        right.plot(time, part.accuracy.mean().value[1:], color=series["color"], lw=0.8, label="accuracy")
    right.set(xscale="log", xlim=(0.1, 1e3), ylim=(0, 1.02), ylabel="$|G_0 - $share of label$|$, accuracy")
    right.legend(loc="center right")
    for axes in (left, right):
        axes.set_xlabel("time, in units of 1/largest eigenvalue")
    return figure


def trained_shares(x: Any, y: Any, rate: float) -> tuple[Any, Any]:
    """Return the times and G0, shape (networks, times), of PyTorch models in NTK parametrisation, with small steps."""
    from torch import nn  # noqa: PLC0415 - an extra, which the other pictures do not need

    def wide() -> Any:
        model = nn.Sequential(nn.Linear(x.shape[1], 300, bias=False), nn.ReLU(), nn.Linear(300, 1, bias=False))
        for layer in (model[0], model[2]):
            nn.init.normal_(layer.weight)
            layer.register_forward_hook(lambda own, _, z: (2 / own.in_features) ** 0.5 * z)
        return model

    size, options = 0.1, {"losses": "mse", "optimiser": "SGD", "networks": 100, "steps": 300, "batch_size": None}
    # the loss of a study is a mean over the data, that of the theory a sum
    found = igb.study(wide, x, np.where(y > 0, 0, 1), rates=size * len(x) / rate, **options).courses[0]
    return size * found.steps, found.shares[..., 0]


if __name__ == "__main__":
    with rc_context(STYLE):
        for draw in (picture, theory_networks, theory_depth, which_norm, curves, experts, training):
            draw().savefig(Path(__file__).with_name(f"{draw.__name__}.png"), dpi=180)
