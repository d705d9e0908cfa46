"""Passes through random networks without their matrices have the law of passes with them."""

import numpy as np

from igbtheory.claims.wide import Array, backward, forward, growth, tanh

NETWORKS, WIDTH, SIGMA_W2 = 20_000, 3, 2.0


def with_matrices(rng: np.random.Generator, h: Array, layers: int) -> tuple[Array, Array]:
    """Return what `growth` does, from the entries of all matrices."""
    start, passed = (h**2).mean(axis=(1, 2)), []
    for _ in range(layers):
        w = np.sqrt(SIGMA_W2 / WIDTH) * rng.standard_normal((len(h), WIDTH, WIDTH))
        x, slope = tanh(h)
        passed.append((w, slope))
        h = w @ x[..., None]
    delta = rng.standard_normal(h.shape)
    end = (delta**2).mean(axis=(1, 2))
    for w, slope in reversed(passed):
        delta = slope * (w.transpose(0, 2, 1) @ delta)
    return (delta**2).mean(axis=(1, 2)) / end, (h**2).mean(axis=(1, 2)) / start


def test_growth_has_the_law_of_matrices_at_a_width_of_three() -> None:
    rng = np.random.default_rng(0)
    h = np.sqrt(2.0) * rng.standard_normal((NETWORKS, WIDTH, 1))
    ours, theirs = growth(rng, h, tanh, SIGMA_W2), with_matrices(rng, h, 3)
    for one, other in zip((*ours, ours[0] * ours[1]), (*theirs, theirs[0] * theirs[1]), strict=True):
        gap = np.log(one) - np.log(other)  # both passes in one: how they depend on one another counts as well
        assert abs(gap.mean()) < 5 * gap.std() / np.sqrt(NETWORKS)
        spread = np.log(one).std() / np.log(other).std() - 1
        assert abs(spread) < 0.05  # 5 standard errors of a ratio of deviations are 5/sqrt(n) = 0.035 for normal ones


def test_a_matrix_is_the_same_on_both_ways() -> None:
    rng = np.random.default_rng(1)
    x, delta = rng.standard_normal((4, 5, 1)), rng.standard_normal((4, 6))
    y = forward(rng, x, SIGMA_W2, units=6)[..., 0]
    back = backward(rng, delta, x[..., 0], y, SIGMA_W2)
    np.testing.assert_allclose((x[..., 0] * back).sum(axis=1), (y * delta).sum(axis=1), rtol=1e-12)
