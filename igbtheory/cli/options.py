"""Options that commands share: which network, on which inputs."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Annotated, Any

from cyclopts import Parameter, Token

import igbtheory as igb
from igbtheory.cli import data


def _whole(_: type, tokens: Sequence[Token]) -> int:
    """A whole number, also written 1e6. Cyclopts alone would read 2.5 as 2, without a word."""
    value = tokens[0].value
    with suppress(ValueError):
        return int(value)
    with suppress(ValueError, OverflowError):
        if (number := float(value)) == int(number):
            return int(number)
    raise ValueError(f"expected a whole number, got {value!r}")


Whole = Annotated[int, Parameter(converter=_whole, n_tokens=1)]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Architecture:
    """A multilayer perceptron: `depth` times Dense and activation, then the output Dense."""

    depth: Whole = 3
    """Hidden layers."""
    activation: str = "relu"
    """A name such as relu, tanh, linear, or a formula in x such as "x*tanh(x)"."""
    norm: str | None = None
    """The norm of every hidden layer: batch, layer or rms. None unless named."""
    placement: str = "before"
    """Where the norm stands: before the activation, or after it and its pool."""
    pool: Whole | None = None
    """Take the maximum over so many units behind every activation."""
    batch_size: Whole | None = None
    """Data in a batch of --norm batch; the full batch, all data, unless named."""
    sigma_w2: float = 2.0
    """Variance of the weights, times the units they read."""
    sigma_b2: float = 0.0
    """Variance of the biases."""

    def network(self) -> igb.Network:
        """The network with these options."""
        if self.norm is None and self.placement != "before":
            raise ValueError(f"--placement {self.placement} is that of a norm; name one with --norm")
        return igb.mlp(
            self.depth,
            self.activation,
            norm=self.norm,
            placement=self.placement,
            pool=self.pool,
            batch_size=self.batch_size,
            sigma_w2=self.sigma_w2,
            sigma_b2=self.sigma_b2,
        )

    def __str__(self) -> str:
        """The call that makes the network: a deep one is too long to print layer by layer."""
        given = ((field.name, getattr(self, field.name), field.default) for field in fields(self)[2:])
        said = [f"{name}={value!r}" for name, value, default in given if name == "sigma_w2" or value != default]
        return f"mlp({self.depth}, {self.activation!r}, {', '.join(said)})"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """What goes into the network: Gaussian inputs."""

    shift: float = 0.0
    """Mean of the Gaussian inputs."""
    variance: float = 1.0
    """Variance of the Gaussian inputs."""

    def values(self) -> Any:
        """The inputs as the library takes them."""
        return igb.GaussianInputs(self.shift, self.variance)

    def text(self, values: Any) -> str:
        """The inputs in words."""
        del values
        return f"Gaussian inputs N({self.shift:g}, {self.variance:g})"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Inputs(Gaussian):
    """What goes into the network: Gaussian inputs, or the data set `data`."""

    data: str | None = None
    """A data set instead: "digits" (standardised), or FILE.npy, FILE.csv (as they are, one datum a row)."""
    first: Whole | None = None
    """Only the first rows of the data set."""

    def values(self) -> Any:
        """The inputs as the library takes them."""
        if self.data is None:
            if self.first is not None:
                raise ValueError("--first takes rows of a data set; name one with --data")
            return super().values()
        if (self.shift, self.variance) != (0.0, 1.0):
            raise ValueError("--shift and --variance are of Gaussian inputs; leave them or --data out")
        return data.first_rows(data.read(self.data), self.first, self.data)

    def text(self, values: Any) -> str:
        """The inputs in words, with the number of data."""
        if self.data is None:
            return super().text(values)
        return data.text(self.data, values)
