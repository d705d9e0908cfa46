"""Attack the package with random inputs: python benchmarks/attack.py networks|formulas|data [COUNT] [SEED].

networks: random networks in double precision are compared with 25 digits, and, without norms and pools, with plain sums
over panels; the stated error must not be below the true one. formulas: each random formula must be accepted or refused
within 5 CPU seconds and 1 GiB. data: random objects are passed as data sets. The program prints what is wrong, and its
exit status is then 1. The same seed gives the same inputs.
"""

import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.formulas import function_of

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
BENDS = (-8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0)
"""Ends of panels for smooth activations, which at a large variance look as if they had kinks."""
PLAIN: dict[str, tuple[Callable[[Any], Any], tuple[float, ...]]] = {
    "relu": (lambda x: np.maximum(x, 0), (0.0,)),
    "tanh": (np.tanh, BENDS),
    "hardtanh": (lambda x: np.clip(x, -1, 1), (-1.0, 1.0)),
    "silu": (lambda x: x / (1 + np.exp(-x)), BENDS),
    "elu": (lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), (0.0,)),
    "softplus": (lambda x: np.logaddexp(0, x), BENDS),
    "max(x, 0)**2": (lambda x: np.maximum(x, 0) ** 2, (0.0,)),
    "x*tanh(x)": (lambda x: x * np.tanh(x), BENDS),
    "abs(x - 1)": (lambda x: np.abs(x - 1), (1.0,)),
}
"""Activations written independently in NumPy, with the ends of their panels."""
PLAIN_ERROR = 1e-8
"""Relative error of the plain sums."""
ROUNDED = 1e-30
"""Rounding error of a plain sum whose value is 0, relative to the second moment."""
SECONDS, MEMORY = 5.0, 2**30


def plain(name: str, depth: int, sigma_w2: float, sigma_b2: float) -> tuple[float, float]:
    """Return var_mu and var_chi of a network without norms, by sums over panels in u and in z."""
    phi, kinks = PLAIN[name]
    var_mu, var_chi = sigma_b2, sigma_w2
    for _ in range(depth):
        shared, own = np.sqrt(var_mu), np.sqrt(var_chi)
        centres = [k / shared for k in kinks] if shared else []
        u, weights = _rule([c + t * own / max(shared, 1e-300) for c in centres for t in np.linspace(-8, 8, 33)])
        means, squares = np.transpose(
            [_moments(phi, [(k - shared * v) / own for k in kinks], shared * v, own) for v in u]
        )
        mean = weights @ means
        var_mu, var_chi = (
            sigma_w2 * (mean**2 + weights @ (means - mean) ** 2) + sigma_b2,
            sigma_w2 * (weights @ squares),
        )
    return float(var_mu), float(var_chi)


def _moments(phi: Callable[[Any], Any], ends: list[float], centre: float, own: float) -> tuple[float, float]:
    """Return the mean and the variance over z of phi(centre + own z)."""
    z, weights = _rule(ends)
    value = phi(centre + own * z)
    mean = weights @ value
    return float(mean), float(weights @ (value - mean) ** 2)


def _rule(ends: list[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return nodes and weights for N(0, 1) on panels with these ends and 24 more."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    cuts = np.unique(np.clip([*np.linspace(-9, 9, 25), *ends], -9, 9))
    low, high = cuts[:-1, None], cuts[1:, None]
    z = ((low + high + (high - low) * nodes) / 2).ravel()
    return z, ((high - low) / 2 * weights).ravel() * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)


def network(seed: int) -> str | None:
    """Return what is wrong with the prediction for the random network of a seed, or None."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice(list(PLAIN)))
    norm, pool = rng.choice(["", "layer", "rms", "batch"], p=[0.5, 0.2, 0.1, 0.2]), int(rng.choice([1, 1, 1, 2]))
    depth, sigma_w2 = int(rng.integers(1, 6)), float(np.exp(rng.normal(0.3, 0.8)))
    sigma_b2 = float(rng.choice([0.0, np.exp(rng.normal(-2, 1.5))]))
    options: dict[str, Any] = {"norm": norm or None, "pool": pool if pool > 1 else None}
    options["placement"] = str(rng.choice(["before", "after"]))
    said = f"seed {seed}: mlp({depth}, {name!r}, sigma_w2={sigma_w2}, sigma_b2={sigma_b2}, {options})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net = igb.mlp(depth, name, sigma_w2=sigma_w2, sigma_b2=sigma_b2, **options)
            found = net.predict()
            pairs = []
            if not norm and pool == 1:
                pairs.append((plain(name, depth, sigma_w2, sigma_b2), PLAIN_ERROR * depth))
            if function_of(name).closed is not None and pool == 1:
                exact = net.predict(digits=25)
                pairs.append(((float(exact.var_mu), float(exact.var_chi)), 0.0))
    except (ValueError, TypeError) as error:
        return None if len(str(error)) > 20 else f"{said}: {error}"
    for truth, slack in pairs:
        for value, true in zip((found.var_mu, found.var_chi), truth, strict=True):
            if abs(value - true) > (found.error + slack) * abs(true) + ROUNDED * sum(truth):
                return f"{said}: {value} for {true}, stated error {found.error:.1e}"
    return None


def formula(text: str) -> str | None:
    """Return what is wrong with the answer to a formula, or None."""
    resource.setrlimit(resource.RLIMIT_AS, (3 * MEMORY, 3 * MEMORY))  # libraries take a part of it
    start = time.process_time()
    try:
        igb.Activation(text)
    except (ValueError, TypeError) as error:
        if len(str(error)) <= 20:
            return f"{text!r}: {error}"
    except BaseException as error:  # noqa: BLE001 - any other exception is a bug
        return f"{text!r}: {type(error).__name__}: {error}"
    taken = time.process_time() - start
    return f"{text!r} took {taken:.1f} s" if taken > SECONDS else None


ENTRIES = (0.0, 1.0, -1.5, 1e-200, 1e200, np.nan, np.inf, None, "1", 1j, True, Fraction(1, 3), 10**400, b"2")


def data(seed: int) -> str | None:
    """Return what is wrong with the answer to a random object as a data set, or None."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(0, 4, size=rng.integers(0, 4)))
    entries = [ENTRIES[i] for i in rng.integers(0, rng.choice([3, len(ENTRIES)]), size=int(np.prod(shape)))]
    try:
        kind = rng.choice(["object", "list", "float", "masked", "text"])
        made: Any = np.empty(len(entries), dtype=object)
        made[:] = entries
        made = made.reshape(shape)
        if kind == "list":
            made = made.tolist()
        elif kind != "object":
            made = made.astype({"float": float, "masked": float, "text": str}[kind])
            made = np.ma.masked_array(made) if kind == "masked" else made
    except (TypeError, ValueError, OverflowError):
        return None  # no such object can be made
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = igb.mlp(1, norm=(None, "batch", "layer")[rng.integers(3)]).predict(made)
        return (
            None
            if np.isfinite(found.var_chi) and kind in {"float", "list"}
            else f"seed {seed}: {made!r} gave {found.var_chi}"
        )
    except (ValueError, TypeError) as error:
        return None if len(str(error)) > 20 else f"seed {seed}: {error}"
    except BaseException as error:  # noqa: BLE001 - as above
        return f"seed {seed}: {made!r}: {type(error).__name__}: {error}"


def formulas(count: int, seed: int) -> Iterator[str]:
    """Return random formulas, of which the tests try a thousand."""
    from test_hostile import hostile  # noqa: PLC0415 - lies in the folder of the tests

    yield from hostile(count, seed)


def main(what: str, count: int = 3000, seed: int = 0) -> int:
    """Print what is wrong, and how many cases were tried."""
    tried: dict[str, tuple[Callable[[Any], str | None], Any]] = {
        "networks": (network, range(seed, seed + count)),
        "formulas": (formula, formulas(count, 7 + seed)),
        "data": (data, range(seed, seed + count)),
    }
    attack, cases = tried[what]
    wrong = 0
    with ProcessPoolExecutor() as pool:
        for found in pool.map(attack, cases, chunksize=20):
            if found:
                wrong += 1
                sys.stdout.write(f"{found}\n")
    sys.stdout.write(f"{count} {what} tried, {wrong} wrong\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
