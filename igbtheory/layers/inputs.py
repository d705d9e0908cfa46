"""Inputs of a network: Gaussian inputs, and data sets as arrays."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks
from igbtheory.foundations.given import real_data
from igbtheory.mathematics.averages.state import Moments
from igbtheory.mathematics.numbers import Kind


@final
@dataclass(frozen=True)
class GaussianInputs:
    """Independent data whose components are N(shift, variance).

    shift, variance: numbers, or arrays for a sweep. After the first Dense var_mu = sigma_w2 shift^2 + sigma_b2 and
    var_chi = sigma_w2 variance. Source: initial-guessing-bias, section 4 (shift 0, variance 1) and Eq. 13 (shift).

    >>> shifted = igb.mlp(2, "tanh").predict(igb.GaussianInputs(shift=1.0, variance=0.5))
    >>> print(f"{shifted.gamma:.3f}")
    1.328
    """

    shift: Any = 0.0
    variance: Any = 1.0

    def __post_init__(self) -> None:
        checks.finite("shift", self.shift)
        checks.non_negative("variance", self.variance)
        for name in ("shift", "variance"):
            value = getattr(self, name)
            object.__setattr__(self, name, checks.sweep(value))

    def moments(self, n: Kind) -> Moments:
        """Return the moments of one input component, as numbers of kind n."""
        centred = np.ndim(self.shift) == 0 and self.shift == 0
        return Moments(0 if centred else n.number(self.shift), n.number(0), n.number(self.variance))


def digits() -> NDArray[np.float64]:
    """Return the 1,797 handwritten digits that scikit-learn ships: shape (1797, 64), grey values 0 to 16.

    Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998
    (CC BY 4.0), https://doi.org/10.24432/C50P49.

    >>> igb.digits().shape
    (1797, 64)
    """
    return _shipped("images").astype(np.float64)


def digit_labels() -> NDArray[np.int64]:
    """Return the labels 0 to 9 of the handwritten digits, shape (1797,).

    >>> igb.digit_labels()[:5]
    array([0, 1, 2, 3, 4])
    """
    return _shipped("labels").astype(np.int64)


def _shipped(name: str) -> NDArray[np.uint8]:
    with np.load(Path(__file__).parent / "digits.npz") as archive:
        return np.asarray(archive[name])


def gaussian_images(
    D: int,  # noqa: N803 - the papers' letter
    channels: int,
    height: int,
    width: int,
    correlation_length: float = 0.0,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return Gaussian images of mean 0 and variance 1, shape (D, channels, height, width).

    Data and channels are independent. correlation_length: with l > 0 pixels at a small distance r have the correlation
    exp(-(r/l)^2), with periodic boundaries; with 0 pixels are independent. seed: seed of the random generator.

    D, channels, height, width: the four numbers of the shape.

    >>> igb.gaussian_images(10, channels=3, height=8, width=8, correlation_length=2.0).shape
    (10, 3, 8, 8)
    """
    sizes = {"channels": channels, "height": height, "width": width}
    shape = tuple(checks.whole(name, size, 1) for name, size in sizes.items())
    checks.non_negative("correlation_length", correlation_length)
    white = np.random.default_rng(checks.whole("seed", seed, 0)).standard_normal((checks.whole("D", D, 2), *shape))
    waves = np.add.outer(*(np.square(2 * np.pi * np.fft.fftfreq(length)) for length in shape[1:]))
    # the square of the filter exp(-(k l)^2/8) is exp(-(k l)^2/4), the Fourier transform of exp(-(r/l)^2)
    spectrum = np.exp(-waves * correlation_length**2 / 8)
    smooth = np.fft.ifft2(np.fft.fft2(white) * (spectrum / np.sqrt(np.mean(spectrum**2)))).real
    return np.asarray(smooth)


def standardised(data: Any, reference: Any | None = None) -> NDArray[np.float64]:
    """Return the data less the mean, over the standard deviation, of all entries of `reference` (default: the data).

    data: an array of numbers. reference: the data whose mean and standard deviation are taken, such as the training
    set.

    >>> igb.standardised(np.array([[1.0, 3.0], [1.0, 3.0]]))
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    array = real_data(data)
    whole = array if reference is None else real_data(reference)
    spread = whole.std()
    if not spread > 0:
        raise ValueError("expected data that vary, got a constant; nothing can be standardised")
    return np.asarray((array - whole.mean()) / spread)
