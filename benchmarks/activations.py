"""Check predictions for many activations: python benchmarks/activations.py literature|random [COUNT] [SEED].

literature: the formulas of `tests/literature.py` at depths 1, 10 and 100, with their times. They are compared with 25
digits if these take less than two minutes, and otherwise, at depth 1, with sums ("sum"). random: random formulas of the
reader's grammar at depth 1, compared with sums over panels that are halved until two Gauss rules agree. A stated error
must not be below the true one, only formulas without a finite variance may be refused, and a network of depth 10 should
take less than a second. The program prints what is wrong, and its exit status is then 1. The same seed gives the same
formulas.
"""

import signal
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.mathematics.formulas import function_of
from igbtheory.mathematics.formulas.function import Function
from igbtheory.mathematics.formulas.tree import evaluate
from igbtheory.mathematics.numbers import FLOAT64

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from literature import FORMULAS

NORMED = {"x**2", "x**3", "max(x, 0)**3", "2*expm1(x/2) + 1/2", "0.8944*max(x, 0)**2 - 0.4472"}
"""Formulas whose variances overflow within ten layers without a norm."""
DEPTHS = (1, 10, 100)
PATIENCE, SLOW = 120, 1.0
"""Seconds after which 25 digits are given up, and seconds from which a network of depth 10 is slow."""
SHARED, OWN = 0.1, 2.0
"""Variances var_mu and var_chi of the pre-activations of a random formula."""
REACH, NEAR, LEVELS, HARDEST = 40.0, 8.0, 44, 40_000
"""Standard deviations covered by a sum and by its narrow panels; the largest numbers of halvings and of panels."""
ROUNDED = 1e-12
"""Relative error of a sum."""
ATOMS = ("x", "x", "x", "(x - 1)", "(2*x + 1/3)", "2", "0.3", "pi")
UNARY = (
    "-{}", "exp({})", "tanh({})", "log({})", "sqrt({})", "abs({})", "sin({})", "cos({})", "atan({})", "erf({})",
    "sigmoid({})", "relu({})", "gelu({})", "sign({})", "heaviside({})", "exp(-({})**2)", "log(1 + exp({}))",
    "({})**2", "({})**3", "abs({})**0.7", "1/(1 + ({})**2)", "sinh({})", "asinh({})", "clip({}, -1, 2)", "floor({})",
    "sech({})", "expm1({})", "step({})", "mish({})", "tan({})",
)  # fmt: skip
BINARY = ("{} + {}", "{} - {}", "({})*({})", "({})*({})", "({})/({})", "max({}, {})", "min({}, {})")
CHOICES = ("where({} > {}, {}, {})", "where({} <= {} and x < 2, {}, {})", "where(not {} > {} or x > 1, {}, {})")


def random_formulas(count: int, seed: int) -> list[str]:
    """Return random formulas in x with up to three levels of functions and operators."""
    rng = Random(seed)  # noqa: S311 - nothing secret

    def grown(depth: int) -> str:
        if not depth or rng.random() < 0.15:
            return rng.choice(ATOMS)
        kind = rng.random()
        forms = UNARY if kind < 0.55 else BINARY if kind < 0.93 else CHOICES
        form = rng.choice(forms)
        return form.format(*(grown(depth - 1) for _ in range(form.count("{}"))))

    found: dict[str, None] = {}
    while len(found) < count:
        text = grown(rng.randint(1, 3))
        if "x" in text.replace("exp", "").replace("max", ""):
            found[text] = None
    return list(found)


def values(phi: Function, x: NDArray[Any]) -> NDArray[Any]:
    """Return the values of a formula as written, or of its pieces where an unused branch is not finite."""
    written = np.asarray(evaluate(phi.tree, FLOAT64, x) + 0 * x)
    return np.where(np.isfinite(written), written, phi(FLOAT64, x))


def nodes(phi: Function) -> tuple[NDArray[Any], NDArray[Any], float]:
    """Return points, weights and relative error of a quadrature rule for phi and phi^2, found by bisection."""
    fine, coarse = (np.polynomial.legendre.leggauss(order) for order in (20, 14))
    scale = np.sqrt(SHARED + OWN)
    kinks = [float(k) / scale for k in phi.kinks if abs(k) < REACH * scale]
    ends = np.unique(np.concatenate([np.linspace(-REACH, REACH, 321), np.linspace(-NEAR, NEAR, 3201), kinks]))
    low, high = ends[:-1], ends[1:]
    kept: list[tuple[NDArray[Any], NDArray[Any]]] = []
    missed = total = 0.0
    for level in range(LEVELS):
        sums = []
        for x, w in (fine, coarse):
            z = (low + high)[:, None] / 2 + (high - low)[:, None] / 2 * x
            y = values(phi, scale * z)
            weights = (high - low)[:, None] / 2 * w * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
            sums.append(np.array([(weights * y).sum(axis=1), (weights * y * y).sum(axis=1)]))
            if x is fine[0]:
                points = scale * z, weights
        total = max(total, float(np.nansum(sums[0][1])), 1e-300)
        gaps = (np.abs(sums[0] - sums[1]).T + hidden(phi, scale, low, high)) / (np.sqrt(total), total)
        gap = np.max(gaps, axis=1)
        rough = ~(gap <= 1e-16) & (level < LEVELS - 1)
        if rough.sum() > HARDEST:
            rough[:] = False
        kept.append((points[0][~rough].ravel(), points[1][~rough].ravel()))
        missed += float(gap[~rough].sum())
        low, high = low[rough], high[rough]
        middle = (low + high) / 2
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        if not low.size:
            break
    x, weights = (np.concatenate(part) for part in zip(*kept, strict=True))
    return x, weights, missed


def hidden(phi: Function, scale: float, low: NDArray[Any], high: NDArray[Any]) -> Any:
    """Return the errors in phi and phi^2 from jumps between an end and the first node, which both rules overlook."""
    x, _ = np.polynomial.legendre.leggauss(20)
    ends = np.array([-1, 1]) * (1 - 1e-9)
    through = np.polynomial.legendre.legvander(ends, 19) @ np.linalg.inv(np.polynomial.legendre.legvander(x, 19))
    middle, half = (low + high)[:, None] / 2, (high - low)[:, None] / 2
    y, seen = values(phi, scale * (middle + half * x)), values(phi, scale * (middle + half * ends))
    jumps = (1 - x[-1]) * half * np.exp(-((middle + half * ends) ** 2) / 2) * np.abs(seen - y @ through.T)
    return np.stack([jumps.sum(axis=1), (jumps * np.abs(seen)).sum(axis=1)], axis=1)


@np.errstate(all="ignore")
def truth(phi: Function) -> tuple[float, float, float]:
    """Return E x_a x_b, var_chi, and the error of both relative to the second moment."""
    x, weights, missed = nodes(phi)
    y, longer = (np.where(weights > 0, values(phi, x.astype(kind)), 0).astype(float) for kind in (float, np.longdouble))
    mean, second = weights @ y, weights @ (y * y)
    rounding = weights @ np.abs(y - longer) / np.sqrt(second), weights @ np.abs(y * y - longer**2) / second
    u, of_u = np.polynomial.hermite_e.hermegauss(80)
    q = SHARED + OWN
    given = np.array([_given(x, centre, q) @ (weights * y) for centre in np.sqrt(SHARED) * u])
    shared = (of_u / of_u.sum()) @ (given - mean) ** 2
    return float(mean**2 + shared), float(second - mean**2 - shared), missed + 2 * sum(rounding) + ROUNDED


def _given(x: NDArray[Any], centre: float, q: float) -> NDArray[Any]:
    """Return the density of x given the mean of its unit, divided by the density of N(0, q)."""
    return np.asarray(np.exp(x * x / (2 * q) - (x - centre) ** 2 / (2 * OWN)) * np.sqrt(q / OWN))


def unlike_sums(phi: Function, var_mu: float, var_chi: float, error: float) -> str:
    """Return how var_mu and var_chi of phi differ from sums by more than the stated error, or ""."""
    shared, own, missed = truth(phi)
    slack = missed * (shared + own)
    for value, true in ((var_mu, shared), (var_chi, own)):
        if not abs(value - true) <= error * max(abs(value), abs(true)) + slack:
            return f"{value} for {true}, stated {error:.1e}, sum {missed:.1e}"
    return ""


def tried(text: str) -> tuple[str, str]:
    """Return the verdict on a formula in a word, and its details."""
    start = time.process_time()
    try:
        phi = function_of(text)
    except (ValueError, TypeError) as error:
        return "no activation", str(error)
    except Exception as error:  # noqa: BLE001 - any other exception is a bug to be listed
        return "crashed", repr(error)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            net = igb.Network(igb.Dense(OWN, SHARED), igb.Activation(phi), igb.Dense(1.0))
            found = net.predict()
    except ValueError as error:
        return ("no activation" if "tie exactly" in str(error) else "refused"), str(error)
    except Exception as error:  # noqa: BLE001 - as above
        return "crashed", repr(error)
    taken = time.process_time() - start
    if wrong := unlike_sums(phi, float(found.var_mu), float(found.var_chi), float(found.error)):
        return "understated", wrong
    if found.error > 1e-10:
        return "rough", f"stated {float(found.error):.1e}"
    return ("slow", f"{taken:.1f} s") if taken > SLOW else ("good", "")


def random(count: int, seed: int) -> int:
    """Print what is wrong with the predictions for random formulas, and the number of formulas for each verdict."""
    counts: Counter[str] = Counter()
    texts = random_formulas(3 * count, seed)
    with ProcessPoolExecutor(2) as pool:
        for text, (word, detail) in zip(texts, pool.map(tried, texts, chunksize=5), strict=True):
            if word != "no activation" and sum(counts.values()) - counts["no activation"] >= count:
                break
            counts[word] += 1
            if word != "good":
                sys.stdout.write(f"{word}: {text!r}: {detail}\n")
                sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}\n")
    return int(bool(counts["refused"] + counts["understated"] + counts["crashed"]))


class _TooLongError(Exception):
    """Computing many digits takes too long."""


def _alarm(*_: object) -> None:
    raise _TooLongError


def network(text: str, depth: int) -> igb.Network:
    """Return the network of a formula, with a norm if its variances would overflow."""
    return igb.mlp(depth, text, sigma_w2=2.0, sigma_b2=SHARED, norm="layer" if text in NORMED else None)


def row(text: str, patience: int) -> tuple[str, bool]:
    """Return the row of a formula in the table, and whether something in it is wrong."""
    cells, wrong = [], False
    for depth in DEPTHS:
        start = time.process_time()
        found = network(text, depth).predict()
        taken = time.process_time() - start
        cells.append(f"{taken:6.2f} s {float(found.error):.0e}")
        wrong |= (taken > SLOW and depth == DEPTHS[1]) or not found.error < 1e-10
        signal.alarm(patience)
        try:
            exact = network(text, depth).predict(digits=25)
            true = max(abs(float(getattr(found, x) / getattr(exact, x) - 1)) for x in ("var_mu", "var_chi"))
            cells[-1] += f" {true:.0e}"
            wrong |= true > found.error
        except _TooLongError:
            signal.alarm(0)
            cells[-1] += "     -"
            if depth == 1 and text not in NORMED:
                moments = (float(found.var_mu) - SHARED) / 2, float(found.var_chi) / 2
                unlike = unlike_sums(function_of(text), *moments, float(found.error))
                cells[-1] = f"{cells[-1][:-1]}{unlike or 'sum'}"
                wrong |= bool(unlike)
        finally:
            signal.alarm(0)
    return " | ".join([f"{text:40.40s}", *cells]), wrong


def literature(patience: int) -> int:
    """Print a table of CPU seconds, stated and true error at every depth; "-" if 25 digits take too long."""
    signal.signal(signal.SIGALRM, _alarm)
    count = 0
    for text in FORMULAS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            line, wrong = row(text, patience)
        count += wrong
        sys.stdout.write(f"{line}{'   WRONG' * int(wrong)}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{len(FORMULAS)} formulas, {count} wrong\n")
    return int(count > 0)


def main(what: str, count: int | None = None, seed: int = 0) -> int:
    """Run one of the two programs; for the literature, COUNT is the time limit for 25 digits in seconds."""
    return random(count or 2000, seed) if what == "random" else literature(count or PATIENCE)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
