"""Measure how time and memory grow, and draw docs/growth.png: python benchmarks/growth.py (three minutes).

CPU time is that of one thread, and memory what NumPy and Python hold at once. Exponents are slopes between the last two
sizes of each line, where fixed costs matter least.
"""

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

import igbtheory as igb

mpl.use("Agg")

SHORT = 0.05
"""Seconds up to which a call is repeated, and its shortest time is kept."""


def data(size: int) -> Any:
    """Return data of 20 features."""
    return np.random.default_rng(0).standard_normal((size, 20))


def images(count: int, pixels: int) -> Any:
    """Return square images of three channels."""
    side = int(pixels**0.5)
    return np.random.default_rng(0).standard_normal((count, 3, side, side))


RELU = igb.mlp(3).predict()
CONVOLUTION = igb.Conv2d(3, padding="zeros"), igb.Activation("relu")
FLAT, POOLED = (
    igb.Network(*CONVOLUTION, *CONVOLUTION, end, igb.Dense()) for end in (igb.Flatten(), igb.GlobalAvgPool())
)
LINES: dict[str, tuple[tuple[int, ...], Callable[[int], Any]]] = {
    "layers": ((10, 100, 1000, 10_000), lambda n: igb.mlp(n).predict().gamma),
    "certified layers, ReLU": ((3, 10, 100, 1000), lambda n: igb.mlp(n).certify().gamma),
    "certified layers, tanh": (
        (3, 10, 100),
        lambda n: igb.mlp(n, "tanh", sigma_w2=1.5, sigma_b2=0.1).certify(15).gamma,
    ),
    "points of a sweep": (
        (100, 1000, 10_000, 100_000),
        lambda n: igb.mlp(3, sigma_w2=np.linspace(1, 3, n)).predict().gamma,
    ),
    "data": ((10, 100, 1000, 3000), lambda n: igb.mlp(3).predict(data(n)).gamma),
    "pixels of 10 images, flatten": ((16, 64, 256, 1024), lambda n: FLAT.predict(images(10, n)).gamma),
    "pixels of 10 images, average": ((16, 64, 256), lambda n: POOLED.predict(images(10, n)).gamma),
    "images of 64 pixels, average": ((10, 40, 160), lambda n: POOLED.predict(images(n, 64)).gamma),
    "classes, mean shares": ((2, 10, 100, 1000), lambda n: igb.guesses.mean_shares(float(RELU.gamma), n, 1000)),
    "classes, 2,000 draws": ((10, 100, 1000), lambda n: igb.classes(RELU, n)),
    "data of a count": ((10, 100, 1000, 10_000), lambda n: RELU.G0.finite(n).pmf(np.arange(n + 1))),
    "networks": ((10, 100, 1000), lambda n: igb.mlp(3).simulate(n, 50, 100, workers=1).gamma),
}
"""The sizes of each line, and what is computed at a size."""


def cost(compute: Callable[[int], Any], size: int) -> tuple[float, float]:
    """Return the CPU seconds and the megabytes of a computation."""
    times: list[float] = []
    while not times or (sum(times) < SHORT and len(times) < 5):
        start = time.process_time()
        compute(size)
        times.append(time.process_time() - start)
    tracemalloc.start()
    compute(size)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return min(times), peak / 1e6


def main() -> None:
    """Measure all lines, print their numbers and exponents, and draw them."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - after the choice of a backend

    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2)
    for i, (name, (sizes, compute)) in enumerate(LINES.items()):
        compute(sizes[0])  # what is loaded and made once
        costs = np.array([cost(compute, size) for size in sizes])
        exponents = np.diff(np.log(costs[-2:]), axis=0)[0] / np.log(sizes[-1] / sizes[-2])
        numbers = "; ".join(f"{size}: {s:.2g} s, {mb:.2g} MB" for size, (s, mb) in zip(sizes, costs, strict=True))
        print(f"{name}: exponents {exponents[0]:.2f} (time), {exponents[1]:.2f} (memory); {numbers}", flush=True)
        for axes, values in zip(panels, costs.T, strict=True):
            axes.loglog(sizes, values, f"C{i % 6}", marker="o", ms=3, ls="-" if i < 6 else "--", label=name)
    for axes, label in zip(panels, ("CPU seconds", "megabytes"), strict=True):
        axes.set(xlabel="size", ylabel=label)
        axes.grid(alpha=0.3)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right center", fontsize=8)
    figure.savefig(Path(__file__).parent.parent / "docs" / "growth.png", dpi=110)


if __name__ == "__main__":
    main()
