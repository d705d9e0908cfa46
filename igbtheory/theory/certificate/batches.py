"""The probability that all normal variables of a batch lie below a number, with proven error bounds.

Variables of unit variance and correlation rho are sqrt(rho) V + sqrt(1 - rho) xi, independent given the normal V. For
rho < 0 the same integral over V holds with an imaginary sqrt(rho). It is computed by the trapezoidal rule.

The rule of step h errs by the Fourier transform of the integrand at the multiples of w = 2 pi/h. Moved by w in the
complex plane, the integral is exp(-w^2/2) times a probability if rho < 0. If rho > 0, it is moved by w/excess,
excess = 1 + size rho/(1 - rho), and is at most GROWTH^size exp(-w^2/(2 excess)): |Phi(x + iy)| <= GROWTH exp(y^2/2), as
the integral of exp(u^2/2) from 0 to y is at most 0.7652 exp(y^2/2) (Dawson), and Phi(x) + 0.7652 npdf(x) <= GROWTH.
Where the sum ends, the integrand is at most npdf(v) if rho > 0, and GROWTH^size npdf(sqrt(excess) v) if rho < 0.
"""

from typing import Any

from flint import acb, arb

from igbtheory.mathematics.numbers.certified import Certified
from igbtheory.theory.certificate.proven_panels import TooWideError

GROWTH = arb("1.04")
MOST = 30_000
"""Largest number of terms: at 80 bits they take 0.6 s."""


def below(n: Certified, size: int, x: Any, q: Any, v: Any) -> Any:
    """Return the probability that `size` normal variables of variance q and covariance v are all below x.

    Return None if v has no rule, near the smallest v, where the sum has too many terms, and there for x other than 0.
    """
    covariance, edge = arb(v), arb(x) / q.sqrt()
    if covariance.is_zero():
        return n.ncdf(edge) ** size
    if not covariance.is_finite():
        return None
    rho = covariance / q
    spare = 1 + (size - 1) * rho
    if not spare > 0:
        return _of_balanced(n, size, spare) if edge.is_zero() else None
    excess, nats = spare / (1 - rho), 0.7 * n.bits + 0.04 * size + 4
    rate, decay = (1 / excess, arb(1)) if rho > 0 else (arb(1), excess)
    if not 2 * nats / (n.pi * (rate * decay).sqrt()) < MOST:
        return None
    step = arb(float(n.pi * (2 * rate / nats).sqrt()))
    count = 1 + int(float((2 * nats / decay).sqrt() / step))
    loading, root = acb(rho).sqrt(), (2 * (1 - rho)).sqrt()
    total = arb(0)
    for k in range(-count, count + 1):
        u = step * k
        total += ((-u * u / 2).exp() * ((loading * u - edge) / root).erfc() ** size).real
    whole = total * step / (2**size * (2 * n.pi).sqrt())
    aliases = 2 / (rate * (2 * n.pi / step) ** 2 / 2).expm1()
    beyond = (step * count * (decay / 2).sqrt()).erfc() / decay.sqrt()
    return (whole + arb(0, (GROWTH**size * (aliases + beyond)).abs_upper())).max(arb(0))


def _of_balanced(n: Certified, size: int, spare: Any) -> Any:
    """Return the probability that all are below 0 if spare = 1 + (size - 1) rho is 0, or so close that it may be.

    Their mean W is independent of their distances from it, and has the variance spare/size. If all are below 0, none is
    further above W than |W|, so that none is further below it than (size - 1) |W|. A distance has a density of at most
    1/sqrt(2 pi (1 - rho) (1 - 1/size)), rho < 0, and E max(-W, 0) = sqrt(spare/(2 pi size)).
    """
    if not spare < 1:
        raise TooWideError
    most = ((size - 1) * spare.abs_upper()).sqrt() / n.pi
    return arb(most.abs_upper() / 2, most.abs_upper() / 2)
