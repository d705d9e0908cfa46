"""Compare predictions at finite width with whole networks: python benchmarks/widths.py table | random | law [SECONDS].

Whole networks have all their weights, in plain PyTorch and double precision, on a GPU if there is one. table: networks
of the page on finite width; random: 200 random networks, whose stated errors are judged; law: distances of the law of
G0 from counts. SECONDS: how long whole networks of one kind are drawn.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from os import sched_getaffinity
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.stats import binom
from torch.nn import functional

import igbtheory as igb
from igbtheory.networks.simulation.estimates import ratio_of_means

Array = NDArray[np.float64]
Estimates = dict[str, tuple[float, float]]
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ENTRIES = 2**26 if DEVICE.type == "cuda" else 2**20
"""Number of weights of a layer, or of units of the data, that are drawn at once."""
DATA = 16
"""Number of Gaussian data of each network."""
COUNTED, OUTPUTS = 400, 8
"""Number of data, and of outputs, of each network whose guesses are counted."""
RANDOM = 200
FEW = 1000
"""Moments that rest on fewer networks are not compared: see `effective`."""
ROUNDING = 1e-8
"""Relative difference that is rounding: arcsin near 1 has half of the digits of its argument."""
CHANCE = 3.0
"""Number of standard errors of whole networks by which a difference may exceed the stated size of the second order."""
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": torch.relu,
    "tanh": torch.tanh,
    "gelu": functional.gelu,
    "elu": functional.elu,
    "silu": functional.silu,
    "softplus": functional.softplus,
    "leaky_relu": functional.leaky_relu,
    "hardtanh": functional.hardtanh,
}
NAMES = ("var_mu", "var_chi", "gamma", "var_g0")


@dataclass(frozen=True)
class Case:
    """An architecture on Gaussian data, or on the first hundred digits. residual: blocks of a norm, phi and a Dense.

    tilted: networks are drawn in proportion to the mean square of their outputs, see `layers_of`.
    """

    width: int
    depth: int
    phi: str = "relu"
    norm: Any = None
    placement: Any = "before"
    residual: bool = False
    sigma_w2: float = 2.0
    sigma_b2: float = 0.0
    features: int | None = None
    shift: float = 0.0
    digits: bool = False
    tilted: bool = False

    @property
    def network(self) -> igb.Network:
        """The network of this package."""
        if not self.residual:
            options: dict[str, Any] = {"sigma_w2": self.sigma_w2, "sigma_b2": self.sigma_b2}
            return igb.mlp(self.depth, self.phi, norm=self.norm, placement=self.placement, **options)
        dense = igb.Dense(self.sigma_w2, self.sigma_b2)
        norm = igb.LayerNorm() if self.norm == "layer" else igb.RMSNorm()
        block = igb.Residual(norm, igb.Activation(self.phi), dense)
        return igb.Network(dense, *[block] * (self.depth - 1), dense)

    @property
    def inputs(self) -> Any:
        """The inputs of the package's prediction."""
        return igb.digits()[:100] / 16 if self.digits else igb.GaussianInputs(self.shift)

    def predicted(self, method: Any) -> tuple[str, Estimates, bool]:
        """Return the method that was used, the estimates with their stated errors, and whether it warned."""
        features = None if self.digits else self.features
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            # with other random numbers for every network, so that chance is not the same in all of them
        drawn = {} if method == "expansion" else {"seed": self.width * self.depth}
        p = self.network.predict(self.inputs, width=self.width, features=features, method=method, **drawn)
        return p.method, {name: (getattr(p, name), getattr(p, f"{name}_error")) for name in NAMES}, bool(warned)

    def __str__(self) -> str:
        """Return what differs from a ReLU network of He's variances."""
        plain = replace(Case(self.width, self.depth), tilted=self.tilted)
        unlike = {name: value for name, value in vars(self).items() if value != getattr(plain, name)}
        told = ", ".join(
            f"{name}={value:.3g}" if isinstance(value, float) else f"{value}" for name, value in unlike.items()
        )
        return f"N={self.width} L={self.depth} {told}"


def normalised(h: Any, norm: str | None) -> Any:
    """Return the units behind a norm over them."""
    if norm == "layer":
        h = h - h.mean(dim=2, keepdim=True)
    if norm is None:
        return h
    root = h.square().mean(dim=2, keepdim=True).sqrt()
    return h / torch.where(root > 0, root, 1.0)  # dead data stay 0


def dense(h: Any, case: Case, units: int) -> Any:
    """Return the units behind a layer whose weights are new in every network. h: (networks, data, units)."""
    # drawn in single precision, which is faster
    weights = torch.randn(len(h), h.shape[2], units, device=h.device).double() * (case.sigma_w2 / h.shape[2]) ** 0.5
    return h @ weights + torch.randn(len(h), 1, units, device=h.device) * case.sigma_b2**0.5


def tilted(h: Any) -> Any:
    """Return networks drawn in proportion to the mean square of their units, scaled to the mean of all these squares.

    Later layers draw new weights, so that means of kernels stay the same, without their heavy tails; this holds if
    layers are homogeneous, and biases are 0.
    """
    squares = h.square().mean(dim=(1, 2))
    places = (torch.arange(len(h), device=h.device) + torch.rand(1, device=h.device)) / len(h)
    chosen = torch.searchsorted((squares / squares.sum()).cumsum(0), places.double()).clamp(max=len(h) - 1)
    return h[chosen] * (squares.mean() / squares[chosen]).sqrt()[:, None, None]


def last_units(case: Case, networks: int, rows: int) -> Any:
    """Return what the outputs read, (networks, data, units)."""
    phi = ACTIVATIONS[case.phi]
    if case.digits:
        h = torch.tensor(case.inputs, device=DEVICE).expand(networks, -1, -1)
    else:
        shape = networks, rows, case.features or case.width
        h = case.shift + torch.randn(shape, dtype=torch.float64, device=DEVICE)
    if case.residual:
        h = dense(h, case, case.width)
        for _ in range(case.depth - 1):
            h = h + dense(phi(normalised(h, case.norm)), case, case.width)
        return h
    for _ in range(case.depth):
        z = dense(h, case, case.width)
        h = phi(normalised(z, case.norm)) if case.placement == "before" else normalised(phi(z), case.norm)
        h = tilted(h) if case.tilted else h
    return h


def batches(case: Case, seconds: float, rows: int) -> Iterator[Any]:
    """Yield what the outputs of many networks read until the time is over."""
    end, rows = time.monotonic() + seconds, 100 if case.digits else rows
    largest = max(case.width, rows) * max(case.width, case.features or case.width)
    while True:
        yield last_units(case, max(1, ENTRIES // largest), rows)
        if time.monotonic() > end:
            return


def drawn_moments(case: Case, seconds: float) -> Array:
    """Return four numbers of every whole network, as `moments_of`; of tilted networks, of every batch."""
    blocks = []
    for h in batches(case, seconds, DATA):
        moments = moments_of(h, case).cpu().numpy()
        blocks.append(moments.mean(axis=0, keepdims=True) if case.tilted else moments)
    return np.concatenate(blocks)


def estimated(moments: Array) -> Estimates:
    """Return estimates with standard errors."""
    var_mu, var_chi, angles, pairs = moments.T
    whole, count = np.ones(1), len(moments)
    estimates = {
        name: (float(x.mean()), float(x.std() / count**0.5)) for name, x in (("var_mu", var_mu), ("var_chi", var_chi))
    }
    for name, a, b in (("gamma", var_mu, var_chi), ("var_g0", angles, pairs)):
        value, error = ratio_of_means(a[None], b[None], whole)
        estimates[name] = (float(value), float(error))
    return estimates


def effective(moments: Array) -> float:
    """Return the number of networks that make up the mean square of an output."""
    squares = moments[:, :2].sum(axis=1)
    return float(squares.sum() ** 2 / np.square(squares).sum())


def moments_of(h: Any, case: Case) -> Any:
    """Return var_mu, var_chi, the sum of arcsin(c_ab)/(2 pi) and its number of pairs, for each network.

    On digits a datum is a pair with itself.
    """
    kernel = case.sigma_w2 / h.shape[2] * h @ h.mT + case.sigma_b2
    q = kernel.diagonal(dim1=1, dim2=2)
    scale = (q[:, :, None] * q[:, None, :]).sqrt()
    pair = torch.ones_like(scale[0]) if case.digits else 1 - torch.eye(len(scale[0]), dtype=h.dtype, device=h.device)
    alive = (scale > 0) * pair
    angles = torch.where(alive > 0, (kernel / scale).clamp(-1, 1).asin(), 0.0) / (2 * torch.pi)
    var_mu = (kernel * pair).sum(dim=(1, 2)) / pair.sum()
    return torch.stack([var_mu, q.mean(dim=1) - var_mu, angles.sum(dim=(1, 2)), alive.sum(dim=(1, 2))], dim=1)


TABLE: list[tuple[Case, Estimates]] = [
    (Case(100, 20), {"gamma": (8.375, 0.091), "var_g0": (0.2024, 0.0001)}),
    (Case(100, 50), {"gamma": (10.7, 0.3), "var_g0": (0.2294, 0.0001)}),
    (Case(500, 50), {"gamma": (33.5, 0.9), "var_g0": (0.2262, 0.0001)}),
    (Case(32, 50, digits=True), {"gamma": (6.2, 0.7), "var_g0": (0.2388, 0.0006)}),
    (Case(64, 20, "gelu", "layer"), {"var_g0": (0.1410, np.nan)}),
    (Case(64, 20, norm="layer", placement="after"), {"var_g0": (0.0061, np.nan)}),
    (Case(30, 20, "tanh", sigma_w2=3.0, sigma_b2=0.1), {"var_g0": (0.0895, np.nan)}),
    (Case(100, 20, "gelu"), {"var_g0": (0.0714, np.nan)}),
    (Case(16, 5), {"gamma": (1.730, 0.032)}),
    (Case(16, 5, "tanh", sigma_w2=1.5, sigma_b2=0.1), {"var_g0": (0.1099, 0.0005)}),
    (Case(100, 50, "tanh", sigma_w2=3.0, sigma_b2=0.1), {"gamma": (1.021, 0.007), "var_g0": (0.0860, 0.0003)}),
    (Case(100, 20, "gelu", sigma_w2=2.5), {"gamma": (4.21, 0.07), "var_g0": (0.1818, 0.0003)}),
    (Case(64, 20, norm="layer"), {"gamma": (20.3, 0.3), "var_g0": (0.2057, 0.0003)}),
    (Case(64, 20, norm="layer", residual=True), {"gamma": (0.842, 0.008), "var_g0": (0.0764, 0.0004)}),
]
"""Networks in which finite width was found, with the values and standard errors of a few hundred whole networks."""


def compare_table(seconds: float) -> None:
    """Print what was found at first, the expansion, pairs, and whole networks, plain and tilted."""
    for case, at_first in TABLE:
        homogeneous = case.phi == "relu" and case.norm is None
        rows: dict[str, Estimates] = {"at first": at_first}
        for method in ("expansion", "pairs"):
            try:
                rows[method] = case.predicted(method)[1]
            except ValueError as error:
                print(f"{case}: no {method}, since {error}")
        drawn = drawn_moments(case, seconds)
        rows["whole"] = estimated(drawn)
        if homogeneous:
            tilted_ones = estimated(drawn_moments(replace(case, tilted=True), seconds))
            rows["tilted"] = {"gamma": tilted_ones["gamma"]}
        print(f"{case}: {effective(drawn):.0f} of {len(drawn)} networks make up the mean square")
        ratios = [part[:, 0].mean() / part[:, 1].mean() for part in np.array_split(drawn, max(1, len(drawn) // FEW))]
        print(f"    gamma of {FEW} networks: quartiles", *(f"{x:.4g}" for x in np.quantile(ratios, [0.25, 0.5, 0.75])))
        for name, estimates in rows.items():
            told = (
                f"{key} {estimates[key][0]:.6g} ± {estimates[key][1]:.2g}"
                for key in ("gamma", "var_g0")
                if key in estimates
            )
            print(f"    {name:10}", ", ".join(told), flush=True)


def random_case(rng: np.random.Generator) -> Case:
    """Return a random architecture that people could run."""
    width, depth = (int(np.exp(rng.uniform(*np.log(range_)))) for range_ in ((12, 250), (2, 41)))
    norm = (None, None, "layer", "rms")[rng.integers(4)]
    return Case(
        width,
        depth,
        str(rng.choice(list(ACTIVATIONS))),
        norm,
        str(rng.choice(["before", "after"])),
        bool(norm and rng.random() < 0.3),
        round(rng.uniform(0.8, 3), 2),
        float(rng.choice([0.0, round(rng.uniform(0, 0.5), 2)])),
        int(rng.choice([width, 20, 300])),
        float(rng.choice([0.0, 0.0, 0.5])),
    )


def both_methods(case: Case) -> list[tuple[str, Estimates, bool]]:
    """Return the prediction by the default method and, where that is the expansion, by pairs."""
    taken = case.predicted(None)
    return [taken] if taken[0] == "pairs" else [taken, case.predicted("pairs")]


def compare_random(seconds: float) -> int:
    """Print how far predictions of random networks are from whole networks, in stated errors; return failures."""
    cases = [random_case(np.random.default_rng([41, i])) for i in range(RANDOM)]
    beyond: dict[tuple[str, str], list[float]] = {}
    understated = 0
    with ProcessPoolExecutor(len(sched_getaffinity(0)), get_context("spawn")) as pool:
        for case, predictions in zip(cases, pool.map(both_methods, cases), strict=True):
            moments = drawn_moments(case, seconds)
            drawn, heavy = estimated(moments), effective(moments) < FEW
            for method, estimates, warned in predictions:
                names = ["var_g0"] if warned or heavy else NAMES
                for name in names:
                    (value, error), (truth, chance) = estimates[name], drawn[name]
                    size, off = np.hypot(error, chance), abs(value - truth)
                    beyond.setdefault((method, name), []).append(off / size if off > ROUNDING * abs(truth) else 0.0)
                    # the size of the second order is a bound, and the error of pairs a standard error
                    most = error + CHANCE * chance if method == "expansion" else (CHANCE + 1) * size
                    if off > most + ROUNDING * abs(truth):
                        understated += 1
                        print(f"{case}: {method} {name} {value:.6g} ± {error:.2g}, drawn {truth:.6g} ± {chance:.2g}")
    for (method, name), ratios in sorted(beyond.items()):
        x = np.array(ratios)
        shares = ", ".join(f"{(x > most).sum()} beyond {most}" for most in (1, 2, 3))
        print(f"{method:10} {name:8} {len(x)} compared, rms {np.sqrt(np.mean(x * x)):.2f} joint errors, {shares}")
    return understated


def compare_law(seconds: float) -> None:
    """Print Kolmogorov distances of counts in whole networks from the law at finite width, and in infinite width."""
    for case in (Case(16, 5), Case(30, 20), Case(100, 20)):
        counts = np.zeros(COUNTED + 1)
        for h in batches(case, seconds, COUNTED):
            alive = h.amax(dim=2).amin(dim=1) > 0
            outputs = dense(h[alive], case, OUTPUTS)
            counts += np.bincount((outputs > 0).sum(dim=1).ravel().cpu().numpy(), minlength=COUNTED + 1)
        drawn, net = counts.cumsum() / counts.sum(), case.network
        laws = {
            "expansion": net.predict(width=case.width).G0,
            "pairs": net.predict(width=case.width, method="pairs").G0,
            "infinite width": net.predict().G0,
        }
        shares = {name: np.asarray(law.ppf((np.arange(4000) + 0.5) / 4000)) for name, law in laws.items()}
        at = np.arange(COUNTED + 1)[:, None]
        far = {
            name: np.abs(drawn - np.asarray(binom.cdf(at, COUNTED, x)).mean(axis=1)).max() for name, x in shares.items()
        }
        print(
            f"{case}: {counts.sum():.0f} outputs;", ", ".join(f"{name} {d:.4f}" for name, d in far.items()), flush=True
        )


def main(what: str, seconds: float = 1.0) -> int:
    """Run one comparison; return how many errors are understated."""
    torch.manual_seed(0)
    compare = {"table": compare_table, "random": compare_random, "law": compare_law}[what]
    return compare(seconds) or 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(float, sys.argv[2:])) > 0)
