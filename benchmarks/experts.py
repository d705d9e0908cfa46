"""Compare the loads of new routers with plain PyTorch: six pre-norm networks of 256 units, and seven changes of one.

Each network is drawn 120 times, and four routers read its 1500 Gaussian tokens. Measured values have standard errors
over networks; the binomial scatter of finitely many tokens is taken off CV^2. It takes twenty CPU minutes.

Usage: python experts.py  (it writes experts.csv)
"""

import csv
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import igbtheory as igb

WIDTH, TOKENS, NETWORKS, ROUTERS, FIRST_SEED = 256, 1500, 120, 4, 1000
FUNCTIONS = {"relu": torch.relu, "gelu": functional.gelu, "tanh": torch.tanh, "silu": functional.silu}
COLUMNS = ("name", "quantity", "theory", "measured", "error")


@dataclass(frozen=True)
class Case:
    """A network of `depth` pre-norm blocks, and a router of `experts` experts, of which a token takes `top`.

    end: variance of the weights that end a branch; bias: variance of the biases in a branch; norm: in front of a branch
    and of the router.
    """

    name: str
    activation: str
    depth: int
    experts: int
    top: int
    end: float = 1.0
    bias: float = 0.0
    norm: str | None = "rms"
    width: int = WIDTH

    def theory(self) -> igb.Network:
        """Return the network of the theory."""
        norm = {"rms": (igb.RMSNorm(),), "layer": (igb.LayerNorm(),), None: ()}[self.norm]
        hidden = (igb.Dense(2.0, self.bias), igb.Activation(self.activation))
        block = igb.Residual(*norm, *hidden, igb.Dense(self.end, self.bias))
        return igb.Network(igb.Dense(1.0), *[block] * self.depth, *norm, igb.Dense(1.0))

    def features(self) -> torch.Tensor:
        """Return what the router of a new model reads at random tokens."""
        x = _linear(1.0, 0.0, self.width)(torch.randn(TOKENS, self.width))
        for _ in range(self.depth):
            first, second = _linear(2.0, self.bias, self.width), _linear(self.end, self.bias, self.width)
            x = x + second(FUNCTIONS[self.activation](first(self._normalised(x))))
        return self._normalised(x)

    def _normalised(self, x: torch.Tensor) -> torch.Tensor:
        if self.norm is None:
            return x
        return functional.rms_norm(x, x.shape[1:]) if self.norm == "rms" else functional.layer_norm(x, x.shape[1:])


def _linear(variance: float, bias: float, width: int) -> nn.Linear:
    layer = nn.Linear(width, width)
    nn.init.normal_(layer.weight, std=(variance / width) ** 0.5)
    nn.init.normal_(layer.bias, std=bias**0.5)
    return layer


CASES = (
    Case("8 experts, top 2", "relu", 4, 8, 2),
    Case("64 experts, top 6", "relu", 12, 64, 6),
    Case("GELU", "gelu", 12, 64, 6),
    Case("tanh", "tanh", 12, 64, 6),
    Case("LayerNorm and biases", "silu", 8, 16, 2, bias=0.05, norm="layer"),
    Case("deep and scaled", "relu", 24, 128, 8, end=1 / 48),
)
BASE = Case("base", "relu", 12, 64, 6)
REMEDIES = (
    replace(BASE, name="LayerNorm in place of RMSNorm", norm="layer"),
    replace(BASE, name="no norms", norm=None),
    replace(BASE, name="branches end in 1/sqrt(2 L)", end=1 / 24),
    replace(BASE, name="biases of variance 0.1", bias=0.1),
    replace(BASE, name="four times the width", width=4 * WIDTH),
    replace(BASE, name="a quarter of the width", width=WIDTH // 4),
    replace(BASE, name="tanh in place of ReLU", activation="tanh"),
)


def measured(case: Case) -> dict[str, tuple[float, float]]:
    """Return c, CV^2, and the choices that are dropped at a capacity of 1.25, with their errors over networks."""
    fair, rows = case.top / case.experts, []
    for network in range(NETWORKS):
        torch.manual_seed(FIRST_SEED + network)
        with torch.no_grad():
            x = case.features().double()
            unit = x / x.norm(dim=1, keepdim=True)
            c = (TOKENS * float(unit.mean(dim=0).square().sum()) - 1) / (TOKENS - 1)
            logits = x @ torch.randn(x.shape[1], ROUTERS * case.experts, dtype=x.dtype)
            taken = logits.reshape(TOKENS, ROUTERS, case.experts).topk(case.top, dim=2).indices
        loads = np.array([np.bincount(taken[:, i].flatten(), minlength=case.experts) for i in range(ROUTERS)]) / TOKENS
        noise = (loads * (1 - loads)).mean() / TOKENS / fair**2
        relative = loads / fair
        rows.append((c, relative.var(axis=1).mean() - noise, np.maximum(relative - 1.25, 0).mean()))
    table = np.array(rows)
    errors = table.std(axis=0, ddof=1) / NETWORKS**0.5
    return dict(zip(("c", "cv2", "dropped"), zip(table.mean(axis=0), errors, strict=True), strict=True))


def predicted(case: Case) -> dict[str, float]:
    """Return the same in theory: c in infinite width, and the loads at the width of the case."""
    net = case.theory()
    law = net.predict(width=case.width).router(case.experts, case.top)
    values: Any = {"cv2": law.cv2(), "dropped": law.dropped(1.25)}
    return {"c": float(net.predict().c), **{name: float(value.mean().value) for name, value in values.items()}}


def main() -> None:
    """Write the table."""
    torch.set_num_threads(1)
    with (Path(__file__).parent / "experts.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        for case in (*CASES, *REMEDIES):
            theory = predicted(case)
            for quantity, (value, error) in measured(case).items():
                table.writerow([case.name, quantity, *(f"{x:.5g}" for x in (theory[quantity], value, error))])
            file.flush()


if __name__ == "__main__":
    main()
