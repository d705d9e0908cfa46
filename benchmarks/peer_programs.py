"""The works of `peers.py`: for each, igbtheory's call and the programs that users would write or install instead.

A program is a function that prepares what is not timed (data, compilation) and returns the function that is timed.
"""

import itertools
import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, final

import numpy as np
from scipy import integrate, special, stats

import igbtheory as igb

Program = Callable[[], Callable[[], Any]]

DIGITS = 25
"""Digits of the numbers from which errors are measured."""
NETWORKS, WIDTH, SAMPLES = 32, 100, 1000


@final
@dataclass(frozen=True)
class Work:
    """One row of the table.

    ours, peers: programs, the peers by their names; exact: returns the right values at some places of the flattened
    result, as a mapping from places to values.
    """

    ours: Program
    peers: Mapping[str, Program]
    exact: Callable[[], Mapping[int, float]] = field(default=dict)


def sweep(side: int) -> tuple[Any, Any]:
    """Return the variances of weights and biases of a grid with side x side points."""
    return np.linspace(0.08, 4, side)[:, None], np.linspace(0.004, 2, side)


def digits_data(count: int) -> Any:
    """Return noisy repeated digits as vectors of 784 numbers: they are correlated, as images are."""
    rng = np.random.default_rng(0)
    images = igb.digits()
    x = np.tile(images[rng.integers(len(images), size=count)], (1, 13))[:, :784]
    x = x + 0.3 * x.std() * rng.standard_normal(x.shape)
    return (x - x.mean()) / x.std()


def images(count: int) -> Any:
    """Return digits as images of one channel."""
    return igb.digits()[:count].reshape(count, 1, 8, 8)


# Programs of igbtheory.


def our_grid(phi: str, side: int, depth: int) -> Callable[[], Any]:
    """Return gamma on the grid, of the last layer alone, as the other programs do."""
    sigma_w2, sigma_b2 = sweep(side)
    return lambda: igb.mlp(depth, phi, sigma_w2=sigma_w2, sigma_b2=sigma_b2).predict(layers="last").gamma


def our_kernel(phi: str, count: int, depth: int) -> Callable[[], Any]:
    """Return the kernel of the outputs."""
    x = digits_data(count)
    return lambda: igb.mlp(depth, phi, sigma_w2=2.0, sigma_b2=0.1).predict(x, layers="last").kernel()


def exact_grid(phi: str, side: int, depth: int, digits: int | None) -> Mapping[int, float]:
    """Return gamma at five points of the diagonal of a grid, one by one, which takes no table.

    digits: None for double precision, because many layers of a smooth function take minutes in more.
    """
    sigma_w2, sigma_b2 = sweep(side)
    places = np.linspace(0, side - 1, 5).astype(int)
    values = {}
    for i in places:
        net = igb.mlp(depth, phi, sigma_w2=float(sigma_w2[i, 0]), sigma_b2=float(sigma_b2[i]))
        values[int(i * side + i)] = float(net.predict(digits=digits).gamma)
    return values


# NumPy, as a competent user writes it: vectorised recursions of q_aa and q_ab.


def numpy_grid(step: Callable[..., Any], side: int, depth: int) -> Callable[[], Any]:
    """Return a recursion of q_aa and q_ab; step: takes them to the averages of phi phi."""
    sigma_w2, sigma_b2 = sweep(side)

    def gamma() -> Any:
        q, q_ab = sigma_w2 + sigma_b2, sigma_b2 + 0 * sigma_w2
        with np.errstate(all="ignore"):
            for _ in range(depth):
                q, q_ab = step(q, q_ab)
                q, q_ab = sigma_w2 * q + sigma_b2, sigma_w2 * q_ab + sigma_b2
            return q_ab / (q - q_ab)

    return gamma


def relu_step(q: Any, q_ab: Any) -> tuple[Any, Any]:
    """Return the averages of ReLU."""
    c = np.minimum(q_ab / q, 1)
    return q / 2, q * (np.sqrt((1 - c) * (1 + c)) + c * (np.pi - np.arccos(c))) / (2 * np.pi)


def erf_step(q: Any, q_ab: Any) -> tuple[Any, Any]:
    """Return the averages of erf."""
    size = 1 + 2 * q
    return 2 / np.pi * np.arcsin(2 * q / size), 2 / np.pi * np.arcsin(2 * q_ab / size)


def gelu_step(q: Any, q_ab: Any) -> tuple[Any, Any]:
    """Return the averages of GELU."""

    def average(x: Any) -> Any:
        p = (1 + q) * (1 + q)
        root = np.sqrt(p - x * x)
        return x / 4 + (x * np.arctan2(x, root) + (q * q * root + x * x / root) / p) / (2 * np.pi)

    return average(q), average(q_ab)


# The same, as accurate as igbtheory: recursions of q_ab and of q_aa - q_ab, whose digits the difference would lose.

BEND = [(-1.0) ** (k + 1) * 2 * k / math.factorial(2 * k + 1) for k in range(11, 0, -1)]
"""Coefficients of (sin t - t cos t)/t at the powers of t^2 from the eleventh to the first."""


def accurate_grid(step: Callable[..., Any], side: int, depth: int) -> Callable[[], Any]:
    """Return a recursion of q_ab and q_aa - q_ab; step: takes them to those of phi."""
    sigma_w2, sigma_b2 = sweep(side)

    def gamma() -> Any:
        q_ab, apart = sigma_b2 + 0 * sigma_w2, sigma_w2 + 0 * sigma_b2
        for _ in range(depth):
            q_ab, apart = step(q_ab, apart)
            q_ab, apart = sigma_w2 * q_ab + sigma_b2, sigma_w2 * apart
        return q_ab / apart

    return gamma


def accurate_relu(q_ab: Any, apart: Any) -> tuple[Any, Any]:
    """Return the averages of ReLU; sin t - t cos t by its series, of the angle t between the data."""
    q = q_ab + apart
    angle = 2 * np.arcsin(np.sqrt(apart / (2 * q)))
    squared = angle * angle
    series = BEND[0] * squared
    for coefficient in BEND[1:]:
        series += coefficient
        series *= squared
    bend = q * series * angle / (2 * np.pi)
    return q_ab / 2 + bend, apart / 2 - bend


def accurate_erf(q_ab: Any, apart: Any) -> tuple[Any, Any]:
    """Return the averages of erf; the difference of two arcsines from its sine and cosine."""
    q = q_ab + apart
    of_one, of_pair = np.sqrt(1 + 4 * q), np.sqrt((1 + 2 * apart) * (1 + 2 * q + 2 * q_ab))
    sine = 2 * apart * (q + q_ab) / (q * of_pair + q_ab * of_one)
    turn = np.arctan(sine * (1 + 2 * q) ** 2 / (of_one * of_pair + 4 * q * q_ab))
    return 2 / np.pi * np.arctan(2 * q_ab / of_pair), 2 / np.pi * turn


def accurate_gelu(q_ab: Any, apart: Any) -> tuple[Any, Any]:
    """Return the averages of GELU; differences of roots and of angles, which keep the digits of moderate q."""
    q = q_ab + apart
    root, of_one, of_pair = 1 + q, np.sqrt(1 + 2 * q), np.sqrt((1 + apart) * (1 + q + q_ab))
    step = apart * (q + q_ab)
    angle, product = np.arctan(q_ab / of_pair), of_one * of_pair
    turn = np.arctan(step / (q * of_pair + q_ab * of_one) * root * root / (product + q * q_ab))
    rest = step / (of_one + of_pair) * (2 / root - 1 + 1 / product)
    size = q * q * of_pair + q_ab * q_ab / of_pair
    of_phi = q_ab / 4 + (q_ab * angle + size / (root * root)) / (2 * np.pi)
    return of_phi, apart / 4 + (apart * (angle + turn) + q_ab * turn + rest) / (2 * np.pi)


def trapezoid_grid(phi: Callable[[Any], Any], side: int, depth: int) -> Callable[[], Any]:
    """Return gamma from trapezoidal sums over both Gaussians, whose error falls geometrically for smooth phi.

    h_a and h_b are (h_a + h_b)/2 plus and minus (h_a - h_b)/2, so that q_aa - q_ab is a mean square.
    """
    sigma_w2, sigma_b2 = (np.ravel(part) for part in np.broadcast_arrays(*sweep(side)))
    z = np.linspace(-9, 9, 57)
    weights = np.exp(-z * z / 2) / np.exp(-z * z / 2).sum()

    def gamma() -> Any:
        shared, apart = sigma_b2.copy(), sigma_w2.copy()
        for _ in range(depth):
            for part in np.array_split(np.arange(shared.size), 1 + shared.size // 64):
                half = np.sqrt(apart[part] / 2)[:, None, None] * z
                x = phi(np.sqrt(shared[part] + apart[part] / 2)[:, None, None] * z[:, None] + half)
                y = x[:, :, ::-1]
                apart[part] = ((x - y) ** 2 @ weights @ weights) / 2
                shared[part] = (x * y) @ weights @ weights
            shared, apart = sigma_w2 * shared + sigma_b2, sigma_w2 * apart
        return shared / apart

    return gamma


def numpy_scalars(depth: int) -> Callable[[], Any]:
    """Return a loop over the correlation of ReLU in Python's own numbers."""

    def gamma() -> Any:
        c = 0.0
        for _ in range(depth):
            c = (math.sqrt((1 - c) * (1 + c)) + (math.pi - math.acos(c)) * c) / math.pi
        return c / (1 - c)

    return gamma


def numpy_kernel(count: int, depth: int) -> Callable[[], Any]:
    """Return the kernel of a ReLU network."""
    x = digits_data(count)

    def kernel() -> Any:
        q_ab = 2.0 * (x @ x.T) / x.shape[1] + 0.1
        for _ in range(depth):
            root = np.sqrt(np.diag(q_ab))
            size = root[:, None] * root
            c = np.clip(q_ab / size, -1, 1)
            q_ab = size * (np.sqrt((1 - c) * (1 + c)) + c * (np.pi - np.arccos(c))) / np.pi + 0.1
        return q_ab

    return kernel


def hermite_kernel(count: int, depth: int) -> Callable[[], Any]:
    """Return the kernel of a tanh network from Hermite series, whose even terms vanish: 60 terms are right to 3e-13."""
    x = digits_data(count)
    z, weights = np.polynomial.hermite_e.hermegauss(300)
    weights /= weights.sum()
    polynomials = [np.ones_like(z), z]
    for k in range(2, 120):
        polynomials.append((z * polynomials[-1] - math.sqrt(k - 1) * polynomials[-2]) / math.sqrt(k))
    odd = np.array(polynomials[1::2]).T * weights[:, None]

    def kernel() -> Any:
        q_ab = 2.0 * (x @ x.T) / x.shape[1] + 0.1
        for _ in range(depth):
            root = np.sqrt(np.diag(q_ab))
            c = q_ab / (root[:, None] * root)
            phi, square, total = np.tanh(root[:, None] * z), c * c, np.zeros_like(c)
            for terms in (phi @ odd).T[::-1]:
                total *= square
                total += terms[:, None] * terms
            q_ab = 2.0 * c * total
            np.fill_diagonal(q_ab, 2.0 * (phi * phi) @ weights)
            q_ab += 0.1
        return q_ab

    return kernel


# neural-tangents, in double precision, compiled before the clock starts.


def tangents() -> Any:
    """Return JAX, in double precision, and the layers of neural-tangents."""
    import jax  # noqa: PLC0415 - an extra of this program
    from neural_tangents import stax  # noqa: PLC0415 - as above

    jax.config.update("jax_enable_x64", True)  # noqa: FBT003 - the way of JAX
    return jax, stax


def of_tangents(stax: Any, phi: str) -> Any:
    """Return an activation of neural-tangents; the smooth ones without a closed form by its Gauss-Hermite sums."""
    import jax  # noqa: PLC0415 - as above

    closed = {"relu": stax.Relu, "erf": stax.Erf, "gelu": stax.Gelu}
    return closed[phi]() if phi in closed else stax.ElementwiseNumerical(getattr(jax.nn, phi), deg=40)


def compiled(function: Any, *inputs: Any) -> Callable[[], Any]:
    """Return a call of a compiled function, after the first one, which compiles it."""
    function(*inputs).block_until_ready()
    return lambda: np.asarray(function(*inputs).block_until_ready())


def tangents_grid(phi: str, side: int, depth: int) -> Callable[[], Any]:
    """Return gamma on the grid."""
    jax, stax = tangents()
    sigma_w2, sigma_b2 = (np.ravel(part) for part in np.broadcast_arrays(*sweep(side)))
    x = np.sqrt(2) * np.eye(2)  # of mean square 1 and covariance 0, as independent Gaussian inputs

    def gamma(w: Any, b: Any) -> Any:
        dense = stax.Dense(2, W_std=w, b_std=b)
        layers = stax.repeat(stax.serial(dense, of_tangents(stax, phi)), depth)
        kernel = stax.serial(layers, dense)[2](x, None, "nngp")
        return kernel[0, 1] / (kernel[0, 0] - kernel[0, 1])

    return compiled(jax.jit(jax.vmap(gamma)), np.sqrt(sigma_w2), np.sqrt(sigma_b2))


def tangents_depth(depth: int) -> Callable[[], Any]:
    """Return gamma of one deep ReLU network."""
    jax, stax = tangents()
    x = np.sqrt(2) * np.eye(2)
    kernel = stax.repeat(stax.serial(stax.Dense(2, W_std=math.sqrt(2)), stax.Relu()), depth)[2]

    def gamma(x: Any) -> Any:
        k = kernel(x, None, "nngp")
        return k[0, 1] / (k[0, 0] - k[0, 1])

    return compiled(jax.jit(gamma), x)


def tangents_kernel(phi: str, count: int, depth: int, which: str = "nngp") -> Callable[[], Any]:
    """Return the kernel of the outputs, or their tangent kernel."""
    jax, stax = tangents()
    dense = stax.Dense(1, W_std=math.sqrt(2), b_std=math.sqrt(0.1))
    kernel = stax.serial(*([dense, of_tangents(stax, phi)] * depth), dense)[2]
    return compiled(jax.jit(lambda x: kernel(x, None, which)), digits_data(count))


def tangents_images(count: int, pool: str) -> Callable[[], Any]:
    """Return the kernel of a convolutional ReLU network."""
    jax, stax = tangents()
    block = [stax.Conv(1, (3, 3), padding="SAME", W_std=math.sqrt(2)), stax.Relu()]
    end = stax.Flatten() if pool == "flatten" else stax.GlobalAvgPool()
    kernel = stax.serial(*block * 6, end, stax.Dense(1, W_std=math.sqrt(2)))[2]
    return compiled(jax.jit(lambda x: kernel(x, None, "nngp")), np.moveaxis(images(count), 1, -1))


def our_images(count: int, pool: str) -> Callable[[], Any]:
    """Return the kernel of a convolutional ReLU network."""
    x = images(count)
    block = (igb.Conv2d(3, padding="zeros", sigma_w2=2.0), igb.Activation("relu"))
    end = igb.Flatten() if pool == "flatten" else igb.GlobalAvgPool()
    return lambda: igb.Network(*block * 6, end, igb.Dense(2.0)).predict(x, layers="last").kernel()


HEADS, WORLDS = 4, 104
"""Heads of attention, and draws of their scores that a prediction takes for 400 tokens."""


def our_attention() -> Callable[[], Any]:
    """Return the kernel of a network with four heads of attention, whose scores are drawn; the rows are tokens."""
    x = igb.digits()[:50].reshape(50, 8, 8)
    net = igb.Network(igb.Dense(), igb.Attention(HEADS), igb.Dense(), igb.Flatten(), igb.Dense())
    return lambda: net.predict(x, layers="last").kernel()


def numpy_attention() -> Callable[[], Any]:
    """Return the same from as many draws of the scores, by the features, which are as few as the rank of the kernel."""
    units = igb.digits()[:50].reshape(50, 8, 8) / 2  # their products are the kernel behind the first Dense

    def kernel() -> Any:
        rng, total = np.random.default_rng(0), 0.0
        for _ in range(WORLDS):
            scores = units @ rng.standard_normal((HEADS, 1, 8, 8)) @ units.swapaxes(1, 2)
            weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
            weights /= weights.sum(axis=-1, keepdims=True)
            values = (weights @ units).swapaxes(0, 1).reshape(len(units), -1)
            total = total + 4 * values @ values.T / (HEADS * 8)
        return total / WORLDS

    return kernel


def tangents_attention() -> Callable[[], Any]:
    """Return the kernel in the only limit that neural-tangents has: keys are queries, and scores are constant."""
    jax, stax = tangents()
    dense = stax.Dense(1, W_std=math.sqrt(2))
    kernel = stax.serial(dense, stax.GlobalSelfAttention(1, 1, 1, 4), stax.Flatten(), dense)[2]
    return compiled(jax.jit(lambda x: kernel(x, None, "nngp")), igb.digits()[:50].reshape(50, 8, 8))


SHIFTS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
"""Roots of the correlations of a unit of variance 1."""


def our_correlations(digits: int | None = None) -> Callable[[], Any]:
    """Return the correlations behind tanh, which dks calls the C map."""
    pairs = [(shift, round(1 - shift**2, 2)) for shift in SHIFTS.tolist()]  # decimals, as digits= takes them
    if digits is None:
        inputs = igb.GaussianInputs(*map(np.array, zip(*pairs, strict=True)))
        return lambda: igb.mlp(1, "tanh", sigma_w2=1.0).predict(inputs).c
    return lambda: [
        igb.mlp(1, "tanh", sigma_w2=1.0).predict(igb.GaussianInputs(*pair), digits=digits).c for pair in pairs
    ]


def dks_correlations() -> Callable[[], Any]:
    """Return the same from the function that dks itself uses."""
    from autograd import numpy as differentiable  # noqa: PLC0415 - as above
    from dks.base import activation_transform  # noqa: PLC0415 - as above

    c_map = activation_transform._calc_c_map  # noqa: SLF001 - dks exports no other
    return lambda: [c_map(differentiable.tanh, c=c) for c in (SHIFTS**2).tolist()]


def our_tangent_kernel(count: int, depth: int) -> Callable[[], Any]:
    """Return the tangent kernel."""
    from igbtheory.networks.training.tangent import kernels  # noqa: PLC0415 - the part of `train` that NT has, too

    x = digits_data(count)
    return lambda: kernels(igb.mlp(depth, "relu", sigma_w2=2.0, sigma_b2=0.1), x)[1]


def labels(count: int) -> Any:
    """Return random labels of two classes."""
    return np.random.default_rng(1).integers(2, size=count)


def our_training(count: int) -> Callable[[], Any]:
    """Return the mean share of class 0 over time."""
    x, y = digits_data(count), labels(count)
    return lambda: igb.mlp(3, "relu", sigma_w2=2.0, sigma_b2=0.1).train(x, y, loss="mse", draws=1000).G0.mean()  # noqa: PLW0108 - as above


def tangents_training(count: int) -> Callable[[], Any]:
    """Return the share of class 0 over time in 1000 draws of the Gaussian law that neural-tangents predicts."""
    _, stax = tangents()
    import neural_tangents as nt  # noqa: PLC0415 - as above

    x, y = digits_data(count), np.eye(2)[labels(count)]
    dense = stax.Dense(1, W_std=math.sqrt(2), b_std=math.sqrt(0.1))
    kernel = stax.serial(*([dense, stax.Relu()] * 3), dense)[2]

    def shares() -> Any:
        predict = nt.predict.gradient_descent_mse_ensemble(kernel, x, y, learning_rate=1.0)
        times = np.geomspace(0.1, 1e5, 20)
        law = [predict(t=t, get="ntk", compute_cov=True) for t in times]
        rng, means = np.random.default_rng(0), []
        for at_time in law:
            values, vectors = np.linalg.eigh(np.asarray(at_time.covariance))
            noise = rng.standard_normal((1000, 2, count)) * np.sqrt(np.maximum(values, 0)) @ vectors.T
            outputs = np.asarray(at_time.mean).T + noise
            means.append((outputs[:, 0] > outputs[:, 1]).mean())
        return means

    shares()
    return shares


# Other packages and plain programs.


def fresh(*arguments: str) -> Callable[[], Any]:
    """Return a run of this Python in a process of its own, with the arguments."""

    def process() -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - constants

    return process


FRESH_TANGENTS = """
import numpy as np
from neural_tangents import stax
dense = stax.Dense(1, W_std=2**.5)
kernel = stax.serial(*[dense, stax.Relu()] * 100, dense)[2]
print(kernel(np.sqrt(2) * np.eye(2, dtype="float32"), None, "nngp"))
"""


def our_integral() -> Callable[[], Any]:
    """Return gamma of one layer of hardtanh on inputs N(1, 1), at another mean in each call: averages are kept."""
    shifts = itertools.count()
    return lambda: igb.mlp(1, "hardtanh").predict(igb.GaussianInputs(shift=1 + 1e-6 * next(shifts))).gamma


def double_integral() -> Callable[[], Any]:
    """Return gamma of one layer of hardtanh on inputs N(1, 1), from SciPy's adaptive integrals."""
    var_mu, q = 2.0, 4.0
    determinant = q * q - var_mu * var_mu

    def phi(x: float) -> float:
        return min(max(x, -1.0), 1.0)

    def one(x: float) -> float:
        return phi(x) ** 2 * math.exp(-x * x / (2 * q)) / math.sqrt(2 * math.pi * q)

    def two(x: float, y: float) -> float:
        exponent = -(q * (x * x + y * y) - 2 * var_mu * x * y) / (2 * determinant)
        return phi(x) * phi(y) * math.exp(exponent) / (2 * math.pi * math.sqrt(determinant))

    def gamma() -> float:
        q_ab = integrate.dblquad(two, -18, 18, -18, 18)[0]
        return float(q_ab / (integrate.quad(one, -18, 18)[0] - q_ab))

    return gamma


COUNTS = np.array([10, 3000, 5000])


def binomial_integrals() -> Callable[[], Any]:
    """Return probabilities of counts among 10,000 data at gamma = 2, on one Gauss-Hermite-free grid of u."""
    u = np.linspace(-9, 9, 20_001)
    weights = stats.norm.pdf(u) * (u[1] - u[0])
    return lambda: stats.binom.pmf(COUNTS[:, None], 10_000, special.ndtr(math.sqrt(2) * u)) @ weights


def our_networks() -> Callable[[], Any]:
    """Return an ensemble with the moments of all its layers."""
    return lambda: igb.mlp(3, "relu").simulate(NETWORKS, WIDTH, SAMPLES)


def torch_networks() -> Callable[[], Any]:
    """Return the shares of class 0 and the moments of all layers of networks that PyTorch multiplies in batches."""
    import torch  # noqa: PLC0415 - an extra of this program

    torch.set_num_threads(1)

    def shares() -> Any:
        x = torch.randn(NETWORKS, SAMPLES, WIDTH)
        for _ in range(3):
            h = torch.bmm(x, torch.randn(NETWORKS, WIDTH, WIDTH) * math.sqrt(2 / WIDTH))
            h.mean(1).square().mean(1), h.var(1).mean(1)
            x = torch.relu(h)
        outputs = torch.bmm(x, torch.randn(NETWORKS, WIDTH, 2))
        return (outputs[..., 0] > outputs[..., 1]).float().mean(1)

    return shares


def torch_model() -> Any:
    """Return a small network of PyTorch."""
    from torch import nn  # noqa: PLC0415 - as above

    return nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))


def our_measure() -> Callable[[], Any]:
    """Return what untrained models guess."""
    x = igb.digits()[:500].astype(np.float32)
    return lambda: igb.measure(torch_model, x, networks=100)


def plain_measure() -> Callable[[], Any]:
    """Return the mean shares of the classes in a loop over models."""
    import torch  # noqa: PLC0415 - as above

    torch.set_num_threads(1)
    x = torch.as_tensor(igb.digits()[:500].astype(np.float32))

    def shares() -> Any:
        counts = []
        with torch.no_grad():
            for seed in range(100):
                torch.manual_seed(seed)
                counts.append(torch.bincount(torch_model()(x).argmax(1), minlength=10))
        return torch.stack(counts).float().mean(0)

    return shares


def grid(phi: str, steps: tuple[Callable[..., Any], ...], side: int = 50, depth: int = 100) -> Work:
    """Return the work of a grid; steps: of a closed form, the usual one and the accurate one; empty for sums."""
    sums: dict[str, Callable[[Any], Any]] = {"tanh": np.tanh, "silu": lambda x: x * special.expit(x)}
    peers: dict[str, Program] = {"neural-tangents": partial(tangents_grid, phi, side, depth)}
    if steps:
        usual, accurate = steps
        peers["numpy"] = partial(numpy_grid, usual, side, depth)
        peers["numpy, accurate"] = partial(accurate_grid, accurate, side, depth)
    else:
        peers["numpy"] = partial(trapezoid_grid, sums[phi], side, depth)
    exact = partial(exact_grid, phi, side, depth, DIGITS if steps else None)
    return Work(partial(our_grid, phi, side, depth), peers, exact)


WORKS: Mapping[str, Work] = {
    "fresh process, relu, depth 100": Work(
        partial(fresh, "-m", "igbtheory", "predict", "--depth", "100"),
        {"neural-tangents": partial(fresh, "-c", FRESH_TANGENTS)},
    ),
    "relu, 1000 layers": Work(
        lambda: lambda: igb.mlp(1000, "relu").predict().gamma,
        {"python numbers": partial(numpy_scalars, 1000), "neural-tangents": partial(tangents_depth, 1000)},
        lambda: {0: float(igb.mlp(1000, "relu").predict(digits=DIGITS).gamma)},
    ),
    "grid 2,500 x 100, relu": grid("relu", (relu_step, accurate_relu)),
    "grid 2,500 x 100, erf": grid("erf", (erf_step, accurate_erf)),
    "grid 2,500 x 100, gelu": grid("gelu", (gelu_step, accurate_gelu)),
    "grid 2,500 x 100, tanh": grid("tanh", ()),
    "grid 2,500 x 10, silu": grid("silu", (), depth=10),
    "grid 250,000 x 100, relu": grid("relu", (relu_step, accurate_relu), 500),
    "kernel of 2,000 data, relu, 20 layers": Work(
        partial(our_kernel, "relu", 2000, 20),
        {"numpy": partial(numpy_kernel, 2000, 20), "neural-tangents": partial(tangents_kernel, "relu", 2000, 20)},
    ),
    # neural-tangents does not end within seven minutes
    "kernel of 500 data, tanh, 20 layers": Work(
        partial(our_kernel, "tanh", 500, 20), {"numpy": partial(hermite_kernel, 500, 20)}
    ),
    "tangent kernel of 500 data, relu, 3 layers": Work(
        partial(our_tangent_kernel, 500, 3),
        {"neural-tangents": partial(tangents_kernel, "relu", 500, 3, "ntk")},
    ),
    "50 digits, 6 convolutions, flatten": Work(
        partial(our_images, 50, "flatten"), {"neural-tangents": partial(tangents_images, 50, "flatten")}
    ),
    "50 digits, 6 convolutions, global pooling": Work(
        partial(our_images, 50, "global"), {"neural-tangents": partial(tangents_images, 50, "global")}
    ),
    "50 digits of 8 tokens, attention": Work(
        our_attention, {"numpy": numpy_attention, "neural-tangents, other scores": tangents_attention}
    ),
    "tanh, one layer, 5 correlations": Work(
        our_correlations,
        {"dks": dks_correlations},
        lambda: dict(enumerate(map(float, our_correlations(digits=DIGITS)()))),
    ),
    "training law of 100 data": Work(partial(our_training, 100), {"neural-tangents": partial(tangents_training, 100)}),
    "hardtanh, one layer": Work(
        our_integral,
        {"scipy dblquad": double_integral},
        lambda: {0: float(igb.mlp(1, "hardtanh").predict(igb.GaussianInputs(shift=1.0), digits=DIGITS).gamma)},
    ),
    "law of the guesses, 10,000 data": Work(
        lambda: lambda: igb.GuessLaw(2.0).finite(10_000).pmf(COUNTS), {"scipy": binomial_integrals}
    ),
    "simulate 32 networks of width 100": Work(our_networks, {"torch bmm": torch_networks}),
    "measure 100 small models": Work(our_measure, {"torch loop": plain_measure}),
}
