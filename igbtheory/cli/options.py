"""Options that commands share: which network, on which inputs, and whether to print JSON."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from cyclopts import Parameter, Token

import igbtheory as igb
from igbtheory.cli import output
from igbtheory.whole_files import whole_file

if TYPE_CHECKING:
    from igbtheory.result import Result

PICTURES = (".png", ".pdf", ".svg")
"""Endings of the files of pictures."""


def _whole(_: type, tokens: Sequence[Token]) -> int:
    """Return a whole number, also written 1e6. Cyclopts alone would read 2.5 as 2, without a word."""
    value = tokens[0].value
    with suppress(ValueError):
        return int(value)
    with suppress(ValueError, OverflowError):
        if (number := float(value)) == int(number):
            return int(number)
    raise ValueError(f"expected a whole number, got {value!r}")


Whole = Annotated[int, Parameter(converter=_whole, n_tokens=1)]
Text = Annotated[str, Parameter(allow_leading_hyphen=True)]
_DATA = """The data set: "digits" (standardised), or a file or folder that igb.read_data reads, such as FILE.npy,
FILE.npz, FILE.pt, an IDX file, a folder of images; - for a CSV from standard input."""
DataSet = Annotated[Text, Parameter(help=_DATA)]
Rows = Annotated[Whole | None, Parameter(help="Only the first rows of the data set.")]
_OUTPUT = "Which of several outputs of the model holds the logits: its name, or its place, 0, 1, ..."
Output = Annotated[int | str | None, Parameter(help=_OUTPUT)]
Seed = Annotated[Whole, Parameter(help="The same seed gives the same numbers.")]
_LAYERS = 'The network, layer by layer: "Dense(2) | BatchNorm | relu | Dense(2)". Without it, the options describe one.'
Layers = Annotated[str | None, Parameter(help=_LAYERS)]


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Printed:
    """How the result is printed."""

    json: bool = False
    """Print JSON, with all that is known."""

    def answer(self, origin: dict[str, Any], result: Any, digits: int = 17) -> None:
        """Print what a result is of, and the result itself: its `str`, or its `to_dict` as JSON."""
        if self.json:
            output.show_json({**origin, **result.to_dict()}, digits)
        else:
            output.show(*map(str, origin.values()), *([""] if origin else []), str(result))


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Run:
    """Who does a run of many pieces of work, and what is kept of it."""

    workers: Whole | None = None
    """Processes on this machine, in short runs threads; the default is one a core."""
    executor: str | None = None
    """Who works instead: processes:4, threads:4, or a cluster of dask, dask:tcp://host:8786."""
    store: Path | None = None
    """Keep what is done in this file, at once; the same command, repeated, goes on from there."""

    def options(self) -> dict[str, Any]:
        """Return the options as keywords of the library, with a bar on a terminal."""
        return {**vars(self), "progress": sys.stderr.isatty()}


Assignments = Annotated[tuple[str, ...], Parameter(name="--param", negative="")]
"""Values of the parameters of a formula: --param a=5."""


def with_parameters(activation: str, assignments: Assignments) -> str:
    """Return the formula with the values of its parameters in their places."""
    values: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not (equals and name.isidentifier() and value):
            raise ValueError(f"expected --param NAME=VALUE, got {assignment!r}; for example --param a=5")
        values[name] = value
    return igb.Activation(activation, **values).phi.name if values else activation


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Pictured(Printed):
    """How the result is printed and drawn."""

    plot: Path | None = None
    """Draw the result to this file, FILE.png, FILE.pdf or FILE.svg."""

    def drawn(self, compute: Callable[[], "Result"]) -> Any:
        """Return the result that is computed, drawn where a picture is wanted."""
        if self.plot is None:
            return compute()
        # the file first: a picture that cannot be written is refused before anything is computed
        with whole_file(self.plot, PICTURES) as file:
            from igbtheory.pictures import plots, style  # noqa: PLC0415 - Matplotlib takes its time

            found = compute()
            style.write(plots.picture, found, file)
        return found


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Variances:
    """Variances of the parameters of every Dense layer."""

    sigma_w2: float = 2.0
    """Variance of the weights, multiplied by the number of units that a layer reads."""
    sigma_b2: float = 0.0
    """Variance of the biases."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Architecture(Variances):
    """A multilayer perceptron: `depth` times Dense and activation, then the output Dense."""

    depth: Whole = 3
    """Hidden layers."""
    activation: str = "relu"
    """A name such as relu, tanh, linear, or a formula in x such as "x*tanh(x)"."""
    param: Assignments = ()
    """The value of a parameter in the formula, as a=5 of "x + sin(a*x)**2/a"; once for each."""
    norm: str | None = None
    """The norm of every hidden layer: batch, layer or rms. None unless named."""
    placement: str = "before"
    """Where the norm stands: before the activation, or after it and its pool."""
    pool: Whole | None = None
    """Take the maximum over so many units behind every activation."""
    batch_size: Whole | None = None
    """Data in a batch of --norm batch; the full batch, all data, unless named."""

    def options(self) -> dict[str, Any]:
        """Return the options as keywords of `igb.mlp`."""
        if self.norm is None and self.placement != "before":
            raise ValueError(f"--placement {self.placement} is that of a norm; name one with --norm")
        found = {field.name: getattr(self, field.name) for field in fields(Architecture)}
        found["activation"] = with_parameters(self.activation, found.pop("param"))
        return found

    def network(self) -> "igb.Network":
        """Return the network with these options."""
        return igb.mlp(**self.options())

    def call(self) -> str:
        """Return the call that makes the network: a deep one is too long to print layer by layer."""
        usual = {field.name: field.default for field in fields(Architecture)}
        options = self.options()
        depth, activation = options.pop("depth"), options.pop("activation")
        said = [f"{name}={value!r}" for name, value in options.items() if name == "sigma_w2" or value != usual[name]]
        return f"mlp({depth}, {activation!r}, {', '.join(said)})"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """What goes into the network: Gaussian inputs."""

    shift: float = 0.0
    """Mean of the Gaussian inputs."""
    variance: float = 1.0
    """Variance of the Gaussian inputs."""

    def values(self) -> Any:
        """Return the inputs as the library takes them."""
        return igb.GaussianInputs(self.shift, self.variance)

    def text(self, values: Any) -> str:
        """Return the inputs in words; a variance may be a symbol."""
        parts = (f"{part:g}" if isinstance(part, float) else str(part) for part in (values.shift, values.variance))
        return f"Gaussian inputs N({', '.join(parts)})"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Inputs(Gaussian):
    """What goes into the network: Gaussian inputs, or the data set `data`."""

    data: Text | None = None
    """A data set instead: "digits" (standardised), FILE.npy, FILE.npz, FILE.csv, FILE.pt, an IDX or CIFAR file, a
    folder of images, or - for a CSV from standard input."""
    first: Rows = None

    def values(self) -> Any:
        """Return the inputs as the library takes them."""
        if self.data is None:
            if self.first is not None:
                raise ValueError("--first takes rows of a data set; name one with --data")
            return super().values()
        if (self.shift, self.variance) != (0.0, 1.0):
            raise ValueError("--shift and --variance are of Gaussian inputs; leave them or --data out")
        from igbtheory.cli.data import first_rows, read  # noqa: PLC0415 - it loads NumPy, which no help needs

        return first_rows(read(self.data), self.first, self.data)

    def text(self, values: Any) -> str:
        """Return the inputs in words, with the number of data."""
        if self.data is None:
            return super().text(values)
        from igbtheory.cli.data import text  # noqa: PLC0415 - as above

        return text(self.data, values)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class GaussianCase(Pictured, Gaussian, Architecture):
    """A network on Gaussian inputs, and how its result is printed."""

    layers: Annotated[str | None, Parameter(parse=False)] = None
    """The network, layer by layer, instead of the options of `Architecture`."""

    def of(self, layers: str | None) -> Self:
        """Return the case with the layers that the command was given."""
        return replace(self, layers=layers)

    def network(self) -> "igb.Network":
        """Return the network of the layers, or of the options."""
        if self.layers is None:
            return super().network()
        for one in fields(Architecture):
            if getattr(self, one.name) != one.default:
                option = f"--{one.name.replace('_', '-')}"
                raise ValueError(f"expected the layers of a network or {option}, got both; write it into the layers")
        return igb.Network.read(self.layers)

    def call(self) -> str:
        """Return the layers as they were given, or the call of `mlp`."""
        return super().call() if self.layers is None else self.layers

    def origin(self, values: Any) -> dict[str, str]:
        """Return the network and its inputs in words."""
        return {"network": self.call(), "inputs": self.text(values)}


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Case(GaussianCase, Inputs):
    """A network on Gaussian inputs or a data set, and how its result is printed."""
