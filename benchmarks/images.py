"""Ten architectures of images against finite networks: python benchmarks/images.py [NETWORKS] [NAME ...].

Each is predicted on 20 digits of 8 x 8 pixels or on 6 Gaussian images of 3 x 16 x 16, and simulated at the widths N,
2 N and 4 N, extrapolated to infinite width. A line an architecture: gamma, its stated error, the extrapolated one, and
the largest z-score of var_mu and var_chi behind every layer, gamma and Var(G0). The exit status is 1 where one deviates
at the family-wise level 1e-6. With 60 networks all ten take some ten minutes on two cores.
"""

import sys
import time
import warnings
from typing import Any

import numpy as np

import igbtheory as igb

RELU, OUT, POOLED = igb.Activation("relu"), igb.Dense(1.0), igb.GlobalAvgPool()
HALVED = igb.AvgPool2d(2)
NETWORKS = {
    "circular, flatten": (igb.cnn(3, padding="circular"), "digits"),
    "zeros, flatten": (igb.cnn(3), "digits"),
    "circular, pooled": (igb.cnn(3, padding="circular", end=POOLED), "digits"),
    "zeros, pooled": (igb.cnn(3, end=POOLED), "images"),
    "stride": (igb.Network(*(igb.Conv2d(3, 2), RELU) * 3, POOLED, OUT), "images"),
    "BatchNorm": (igb.cnn(2, norm="batch", pool=HALVED, end=POOLED), "digits"),
    "LayerNorm": (igb.cnn(3, norm="layer", end=POOLED), "images"),
    "ResNet of four blocks": (igb.Network(igb.Conv2d(3, 2), *igb.resnet(4, norm=None).layers[1:]), "digits"),
    "mixer": (igb.mixer(2, patch=4), "images"),
    "ViT of two blocks": (igb.vit(2, patch=2), "digits"),
}


def data(name: str) -> Any:
    """Return the images of that name."""
    if name == "images":
        return igb.gaussian_images(6, 3, 16, 16, correlation_length=2.0)
    rows = np.random.default_rng(0).choice(1797, 20, replace=False)
    return igb.standardised(igb.digits())[rows].reshape(20, 1, 8, 8)


def main(networks: int = 200, names: tuple[str, ...] = tuple(NETWORKS)) -> int:
    """Print a line an architecture; return the number of those that deviate."""
    wrong = 0
    for name in names:
        net, kind = NETWORKS[name]
        start = time.perf_counter()
        prediction = net.predict(data(kind))
        predicted = time.perf_counter() - start
        compared = net.simulate(networks, 16, inputs=data(kind)).compare(prediction)
        gamma = next(row for row in compared.rows if row.name.startswith("gamma"))
        print(
            f"{name}, {kind}: gamma {prediction.gamma:.4g} (error {prediction.error:.1g}, {predicted:.0f} s), finite "
            f"{gamma.value:.4g} +- {gamma.error:.2g}, z {compared.largest_z.z:+.1f} ({compared.largest_z.name}), "
            f"{'agrees' if compared.agrees() else 'DEVIATES'}",
            flush=True,
        )
        wrong += not compared.agrees()
    return wrong


if __name__ == "__main__":
    warnings.simplefilter("ignore", igb.AccuracyWarning)
    count, *chosen = sys.argv[1:] or ["200"]
    sys.exit(main(int(count), tuple(chosen) or tuple(NETWORKS)) > 0)
