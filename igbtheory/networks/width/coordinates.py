"""The law over networks of the kernel K of two data, to first order in 1/width, and how layers change it.

The coordinates are log K_aa, log K_bb and y = log((1 - c)/(1 + c)) = 2 log tan(theta/2), c = cos theta the cosine of
the two data. Layers of finite width multiply K_aa and tan(theta/2) by random factors, so that these logarithms stay
nearly normal.

All data are alike in law, so the coordinates have a part of the network, a part of each datum and a part of the pair:

    log K_aa = log_q + n_q + d_q(a),      y_ab = y + n_y + d_y(a) + d_y(b) + p(ab)

The seven covariances of pairs of data follow from the covariances of these independent parts.
"""

from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Taylor = Array
"""A function of s = (log K_aa + log K_bb)/2, y, and d = (log K_aa - log K_bb)/2, in which it is even: its value and its
derivatives by s, y, ss, sy, yy, dd."""


@final
@dataclass(frozen=True, eq=False)
class Pair:
    """Means of log K_aa and y, and covariances of their parts: `network` of (n_q, n_y), `datum` of (d_q, d_y), both
    matrices, and `pair` of p.

    drift: what order 1/width adds to the two means; bent: the part of it that comes from the curvature of the layers;
    turns: the size of this part of log_q, of which contributions of unlike signs add up. Squares of these are of the
    second order, which is left out, as is skew, the size of what third cumulants of the noise add to the mean of y.
    """

    log_q: float
    y: float
    network: Array = field(default_factory=lambda: np.zeros((2, 2)))
    datum: Array = field(default_factory=lambda: np.zeros((2, 2)))
    pair: float = 0.0
    drift: Array = field(default_factory=lambda: np.zeros(2))
    bent: Array = field(default_factory=lambda: np.zeros(2))
    turns: float = 0.0
    skew: float = 0.0

    @property
    def q(self) -> float:
        """The geometric mean of K_aa."""
        return float(np.exp(self.log_q))

    @property
    def c(self) -> float:
        """The cosine at the mean of y."""
        return float(-np.tanh(self.y / 2))

    @property
    def less(self) -> float:
        """1 - c, without cancellation."""
        return float(2 / (1 + np.exp(-self.y)))

    @property
    def of_log_q(self) -> float:
        """The variance of log K_aa."""
        return float(self.network[0, 0] + self.datum[0, 0])

    @property
    def of_y(self) -> float:
        """The variance of y."""
        return float(self.network[1, 1] + 2 * self.datum[1, 1] + self.pair)

    def plus(self, noise: "Pair", share: float) -> "Pair":
        """Return the pair with `share` of independent noise added, whose means are shifts."""
        shift = share * np.array([noise.log_q, noise.y])
        return Pair(
            self.log_q + shift[0],
            self.y + shift[1],
            self.network + share * noise.network,
            self.datum + share * noise.datum,
            self.pair + share * noise.pair,
            self.drift + shift,
            self.bent,
            self.turns,
            self.skew + share**2 * noise.skew,
        )

    def through(self, q: Array, apart: Taylor, together: Taylor) -> "Pair":
        """Return the pair behind a deterministic map of kernels, to second order.

        q: K'_aa and its first two derivatives by log K_aa; apart, together: r' - K'_ab and r' + K'_ab, where r' =
        sqrt(K'_aa K'_bb). The means are mean' = T(mean) + T'' : V/2, the covariances V' = J V J^T.
        """
        slope = q[1] / q[0]
        y = logarithm(apart) - logarithm(together)
        joint = self.network + self.datum  # by exchange of a and b, cov(s, y) = cov(log K_aa, y)
        spread = self.datum[0, 0] / 2
        of_y = y[3:] @ [joint[0, 0] - spread, 2 * joint[0, 1], self.of_y, spread]
        curved = np.array([(q[2] / q[0] - slope**2) * self.of_log_q, of_y]) / 2
        jacobian = np.array([[slope, 0.0], [y[1], y[2]]])
        of_datum = np.array([[slope, 0.0], [y[1] / 2, y[2]]])  # a datum has half of s
        return Pair(
            float(np.log(q[0]) + curved[0]),
            float(y[0] + curved[1]),
            jacobian @ self.network @ jacobian.T,
            of_datum @ self.datum @ of_datum.T,
            y[2] ** 2 * self.pair,
            jacobian @ self.drift + curved,
            jacobian @ self.bent + curved,
            float(abs(slope) * self.turns + abs(curved[0])),
            float(abs(y[2]) * self.skew),
        )

    def weighted(self, sigma_w2: float, sigma_b2: float) -> "Pair":
        """Return the pair behind a Dense: K' = sigma_w2 K + sigma_b2."""
        q, less, (c, by_y, by_yy) = sigma_w2 * self.q, self.less, cosine(self.y)
        of_q = np.array([q + sigma_b2, q, q])
        root = q * sigma_b2 / (q + sigma_b2)  # of sqrt(K'_aa K'_bb), by d twice
        apart = np.array([*(q * np.array([less, less, -by_y, less, -by_y, -by_yy])), root])
        together = np.array([*(q * np.array([1 + c, 1 + c, by_y, 1 + c, by_y, by_yy])), root])
        together[0] += 2 * sigma_b2
        return self.through(of_q, apart, together)

    def normalised(self, q: float) -> "Pair":
        """Return the pair with every datum scaled to K_aa = q, which changes no angle."""
        only_y = np.diag([0.0, 1.0])
        network, datum = (only_y @ part @ only_y for part in (self.network, self.datum))
        return Pair(
            float(np.log(q)), self.y, network, datum, self.pair, only_y @ self.drift, only_y @ self.bent, skew=self.skew
        )


def cosine(y: float) -> tuple[float, float, float]:
    """Return c = -tanh(y/2) and its first two derivatives by y."""
    c = -np.tanh(y / 2)
    slope = -1 / (1 + np.cosh(y))  # -(1 - c^2)/2, which keeps its digits as c -> 1
    return float(c), float(slope), float(c * slope)


def logarithm(x: Taylor) -> Taylor:
    """Return the Taylor numbers of log x."""
    value, *rest = x
    s, y, ss, sy, yy, dd = np.array(rest) / value
    return np.array([np.log(value), s, y, ss - s * s, sy - s * y, yy - y * y, dd])
