"""A vision transformer without norms and skips has the phases of a multilayer perceptron.

L blocks of attention and a perceptron with erf, which has a closed form and is like tanh; all weights have one
variance, and all biases another. Squared gradients are those of the outputs along random changes of the images, over
those of the network without blocks: for small weights they vanish with depth, and for large ones they explode, until
the outputs of changed images are no longer alike. The bias ratio grows with depth where they vanish. The grey line is
the edge of chaos of perceptrons. The images are noise.
Source: bias-meets-trainability (vanilla ViT: gradients show the same phase transition as in MLPs).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb

import igbtheory as igb
from igbtheory.presentation.pictures import Run, Style
from igbtheory.presentation.pictures.caption import Drawn
from igbtheory.presentation.pictures.marks import level, points, theory
from igbtheory.presentation.pictures.style import GREY, MARKERS, SERIES, shared_legend

DEPTHS = (1, 2, 4)
HEADS, SIGMA_B2 = 8, 0.05
GRID, TICKS = np.geomspace(0.25, 8.0, 11), (0.25, 0.5, 1, 2, 4, 8)
DATA, CLOSE = 8, 1e-3
"""Number of images, and size of the changes of their pixels."""
NETWORKS, WIDTH, SEED = 60, 128, 3


@dataclass(frozen=True)
class Case:
    """Squared gradients and gamma over GRID, of one depth: theory, and means and errors of finite networks."""

    theory: Any
    finite: Any
    errors: Any


def transformer(depth: int, sigma_w2: float) -> igb.Network:
    """Return the transformer, whose tokens are patches of 4 x 4 pixels."""
    dense = igb.Dense(sigma_w2, SIGMA_B2)
    block = (igb.Attention(HEADS, sigma_w2, sigma_w2), dense, igb.Activation("erf"), dense)
    return igb.Network(igb.PatchEmbedding(4, 1.0), *block * depth, igb.GlobalAvgPool(), igb.Dense(1.0))


def compute(run: Run) -> dict[int, Case]:
    """Theory and finite networks by depth."""
    rng, networks = np.random.default_rng(SEED), run.some(NETWORKS)
    images = rng.standard_normal((DATA, 1, 8, 8))
    images = np.concatenate([images, images + CLOSE * rng.choice([-1.0, 1.0], images.shape)])
    start = _ratios(_moments(run.predict(transformer(0, 1.0), images).kernel()))[0]
    scale = np.array([1 / start, 1.0])
    cases = {}
    for depth in DEPTHS:
        expected, finite, errors = [], [], []
        for sigma_w2 in GRID.tolist():
            network = transformer(depth, sigma_w2)
            expected.append(scale * _ratios(_moments(run.predict(network, images).kernel())))
            moments = np.array([_moments(_drawn(network, images, rng)) for _ in range(networks)])
            mean = moments.mean(axis=0)
            gamma = mean[1] / mean[2]
            spread = np.stack([moments[:, 0], (moments[:, 1] - gamma * moments[:, 2]) / mean[2]], axis=1)
            finite.append(scale * _ratios(mean))
            errors.append(scale * spread.std(axis=0, ddof=1) / np.sqrt(networks))
            run.record.append({"outputs of": repr(network), "networks": networks, "width": WIDTH})
            run.drawn.append(Drawn(repr(network), networks, WIDTH, len(images), of_its_own=False))
        cases[depth] = Case(*(np.array(part).T for part in (expected, finite, errors)))
    return cases


def _drawn(network: igb.Network, images: Any, rng: np.random.Generator) -> Any:
    """Return the mean products of WIDTH outputs of one finite network at all pairs of images."""
    for layer in network.layers:
        images = layer.samples(images, rng, WIDTH)
    return images @ images.T / WIDTH


def _moments(kernel: Any) -> Any:
    """Return the mean squared distance of images from their changed copies, and var_mu and var_chi of the images."""
    half = len(kernel) // 2
    images, copies, across = kernel[:half, :half], kernel[half:, half:], kernel[:half, half:]
    shared = images.mean()
    return np.array(
        [np.trace(images + copies - 2 * across) / half, shared, np.trace(images) / half - shared], dtype=float
    )


def _ratios(moments: Any) -> Any:
    return np.array([moments[0], moments[1] / moments[2]])


def draw(data: dict[int, Case], style: Style) -> Any:
    """Squared gradients on the left, bias ratios on the right."""
    figure = style.figure(1.3)
    panels = figure.subplots(1, 2)
    edge = igb.phases.edge_of_chaos("erf", SIGMA_B2)
    for part, (axes, title) in enumerate(zip(panels, ("squared gradient", "bias ratio $\\gamma$"), strict=True)):
        for number, (depth, case) in enumerate(data.items()):
            theory(axes, number, GRID, case.theory[part], f"$L$ = {depth}")
            pale = tuple(0.4 + 0.6 * np.array(to_rgb(SERIES[number]["color"])))
            how: Any = {"color": pale, "label": f"_finite networks: L = {depth}"}
            points(axes, GRID, case.finite[part], case.errors[part], MARKERS[number], **how)
        axes.axvline(edge, color=GREY, ls="--", zorder=0, label="edge of chaos of perceptrons")
        level(axes, 1)
        axes.set(xscale="log", yscale="log", ylabel=title)
        axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        axes.minorticks_off()
    figure.supxlabel("variance of the weights $\\sigma_w^2$", fontsize=style.size)
    shared_legend(figure, columns=4)
    return figure
