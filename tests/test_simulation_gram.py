from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import igbtheory as igb
from igbtheory.layers import dense

FAMILY = 6.0
"""Standard errors that none of 100 z-scores exceeds but with probability 2e-7."""


def data(size: int, units: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((size, units), dtype=np.float32) + np.float32(0.5)


def drawn(x: NDArray[np.float32], width: int = 300, times: int = 40) -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    return np.hstack([igb.Dense(1.5, 0.2).samples(x, rng, width) for _ in range(times)]).astype(float)


def check_covariance(z: NDArray[np.float64], x: NDArray[np.float32]) -> None:
    kernel = 1.5 * (x.astype(float) @ x.T.astype(float)) / x.shape[1] + 0.2
    error = np.sqrt((np.outer(np.diag(kernel), np.diag(kernel)) + kernel**2) / z.shape[1])
    assert np.max(np.abs(z @ z.T / z.shape[1] - kernel) / error) < FAMILY


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    real = dense.condensed

    def spy(x: NDArray[np.float32]) -> NDArray[np.float32]:
        calls.append(x.shape)
        return real(x)

    monkeypatch.setattr(dense, "condensed", spy)
    return calls


@pytest.mark.parametrize(("size", "units", "roots"), [(10, 400, 40), (10, 8, 0)], ids=["Gram root", "weights"])
def test_both_ways_to_draw_a_dense_layer_have_its_covariance(
    size: int, units: int, roots: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = counted(monkeypatch)
    x = data(size, units)
    check_covariance(drawn(x), x)
    assert len(calls) == roots


@pytest.mark.parametrize("copies", [2, 8])
def test_a_singular_gram_matrix_is_drawn_exactly(copies: int, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    x = np.repeat(data(10 // copies + 1, 400), copies, axis=0)
    z = drawn(x)
    assert calls
    check_covariance(z, x)
    twins = z.reshape(-1, copies, z.shape[1])
    assert np.abs(twins - twins[:, :1]).max() < 1e-5


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6])
def test_nearly_equal_data_keep_the_law_of_their_difference(distance: float) -> None:
    x = data(6, 400)
    x[1] = x[0] + np.float32(distance) * x[2]
    step = (x[1].astype(float) - x[0]).astype(float)
    z = drawn(x)
    difference = np.square(z[1] - z[0])
    rounding = (1e-7 * np.abs(z).max()) ** 2
    expected = 1.5 * float(step @ step) / 400
    assert abs(difference.mean() - expected) < FAMILY * expected * np.sqrt(2 / z.shape[1]) + 4 * rounding


def test_double_precision_draws_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch)
    z = igb.Dense().samples(data(3, 400).astype(float), np.random.default_rng(0), 300)
    assert z.dtype == np.float64
    assert not calls


def test_the_condensed_units_have_the_same_gram_matrix() -> None:
    x = data(20, 400)
    root = dense.condensed(x)
    assert root.shape == (20, 20)
    assert root @ root.T / 20 == pytest.approx(x @ x.T / 400, abs=2e-6)  # single precision, numbers of order 1
