"""Options that several commands have: the network, its inputs, the run, and how the result is shown."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

import igbtheory as igb
from igbtheory.foundations.progress import progress_bar
from igbtheory.foundations.shipped import load_file
from igbtheory.foundations.whole_files import whole_file
from igbtheory.presentation.cli import output
from igbtheory.presentation.cli.given import given
from igbtheory.presentation.cli.parameters import (
    Activation,
    Assignments,
    Choice,
    DataFile,
    Norm,
    Placement,
    Style,
    Whole,
)

if TYPE_CHECKING:
    from igbtheory.foundations.result import Result
    from igbtheory.presentation.cli.data import Taken

PICTURES = (".png", ".pdf", ".svg")
"""Suffixes of picture files."""


def with_parameters(activation: str, assignments: Assignments) -> str:
    """Return the formula of an activation after the values have been inserted for its parameters."""
    values: dict[str, Any] = assigned(assignments)
    return igb.Activation(activation, **values).phi.name if values else activation


def assigned(assignments: Sequence[str]) -> dict[str, str]:
    """Return the texts of values by their names, from texts NAME=VALUE."""
    values: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = (part.strip() for part in assignment.partition("="))
        if not (equals and name.isidentifier() and value):
            raise ValueError(f"expected --param NAME=VALUE, got {assignment!r}; for example --param a=5")
        values[name] = value
    return values


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Run:
    """How a run of many pieces of work is executed, and where its results are kept."""

    workers: Whole | None = None
    """Number of processes on this machine, or of threads in short runs; by default one for each core."""
    executor: str | None = None
    """What executes the run instead: processes:4, threads:4, or a dask cluster, dask:tcp://host:8786."""
    store: Path | None = None
    """Keep finished work in this file at once; the same command continues from there when it is repeated."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Printed:
    """How the result is printed and drawn."""

    json: bool = False
    """Print JSON with everything that is known."""
    plot: Path | None = None
    """Draw the result to this file: FILE.png, FILE.pdf or FILE.svg."""
    style: Annotated[Style | None, Choice] = None
    """Give the picture the fonts and the width of a venue, or of a screen."""

    def drawn(self, compute: Callable[[], "Result"]) -> Any:
        """Return the result of `compute`, beside a bar if it takes long, and draw it if a picture is wanted."""
        if self.plot is None:
            if self.style is not None:
                raise ValueError("expected --plot with --style, got no file; add, say, --plot gamma.pdf")
            with progress_bar():
                return compute()
        # the file is opened first, so that an impossible picture is refused before anything is computed
        with whole_file(self.plot, PICTURES) as file:
            from igbtheory.presentation.pictures import plots, style  # noqa: PLC0415 - Matplotlib loads slowly

            in_style = nullcontext() if self.style is None else style.style(self.style)
            with in_style:
                with progress_bar():
                    result = compute()
                style.write(plots.picture, result, file)
        return result

    def answer(self, origin: dict[str, Any], result: Any, digits: int = 17) -> None:
        """Print what was computed from (`origin`) and the result: its text, or its `to_dict` as JSON."""
        if self.json:
            output.show_json({**origin, **result.to_dict()}, digits)
        else:
            output.show(*map(str, origin.values()), *([""] if origin else []), str(result))


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
    """A multilayer perceptron: `depth` hidden layers and the output Dense."""

    depth: Whole = 3
    """Number of hidden layers."""
    activation: Activation = "relu"
    """A name such as relu, tanh, linear, or a formula in x such as "x*tanh(x)"."""
    param: Assignments = ()
    norm: Norm = None
    """Norm of every hidden layer. By default there is none."""
    placement: Placement = "before"
    """Place of the norm: before the activation, or after the activation and its pool."""
    pool: Whole | None = None
    """Take the maximum over this many units after every activation."""
    batch_size: Whole | None = None
    """Number of data in a batch of --norm batch; by default the full batch, which has all data."""

    def options(self) -> dict[str, Any]:
        """Return the options as keyword arguments of `igb.mlp`."""
        if self.norm is None and self.placement == "after":
            raise ValueError("expected --norm with --placement after, got no norm; add, say, --norm layer")
        arguments = {field.name: getattr(self, field.name) for field in fields(Architecture)}
        arguments["activation"] = with_parameters(self.activation, arguments.pop("param"))
        return arguments


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """Gaussian inputs."""

    shift: float = 0.0
    """Mean of the Gaussian inputs."""
    variance: float = 1.0
    """Variance of the Gaussian inputs."""

    def values(self) -> Any:
        """Return the inputs as the library takes them."""
        return igb.GaussianInputs(self.shift, self.variance)

    def text(self, values: Any) -> str:
        """Return the inputs in words; the shift and the variance may be symbols."""
        numbers = (f"{part:g}" if isinstance(part, float) else str(part) for part in (values.shift, values.variance))
        return f"Gaussian inputs N({', '.join(numbers)})"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Data(DataFile):
    """A data set, how its file is read, and which of its rows are taken."""

    @cached_property
    def taken(self) -> "Taken":
        """The data that are taken, for networks of theory."""
        from igbtheory.presentation.cli.data import taken  # noqa: PLC0415 - --help must not load NumPy

        return taken(self)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Inputs(Data, Gaussian):
    """Gaussian inputs or a data set."""

    def values(self) -> Any:
        """Return the inputs as the library takes them."""
        if self.data is None:
            for option in given(self, Data):
                if option != "--seed":
                    raise ValueError(f"expected a data set with {option}, got none; name one with --data")
            return super().values()
        if given(self, Gaussian):
            raise ValueError("expected --data, or --shift and --variance of Gaussian inputs, got both; leave one out")
        return self.taken.values

    def text(self, values: Any) -> str:
        """Return the inputs in words, with the number of data."""
        return super().text(values) if self.data is None else self.taken.text


@Parameter(name="*")
@dataclass(frozen=True)
class Layers:
    """The layers of a network as text."""

    layers: str | None = None
    """The network, layer by layer: "Dense(2) | BatchNorm | relu | Dense(2)"; by default the options describe it."""
    register: Path | None = field(default=None, kw_only=True)
    """Run this file first, FILE.py, which registers layers of yours by igb.register."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class GaussianCase(Printed, Gaussian, Architecture, Layers):
    """A network with Gaussian inputs, and how the result is shown."""

    def network(self) -> "igb.Network":
        """Return the network that the layers or the options describe."""
        if self.register is not None:
            _run(self.register)
        if self.layers is None:
            return igb.mlp(**self.options())
        for option in given(self, Architecture):
            raise ValueError(f"expected the layers of a network or {option}, got both; write it into the layers")
        return igb.Network.read(self.layers)

    def call(self) -> str:
        """Return the layers as given, or the call of `mlp`, which is shorter than the layers of a deep network."""
        if self.layers is not None:
            return self.layers
        usual = {field.name: field.default for field in fields(Architecture)}
        options = self.options()
        depth, activation = options.pop("depth"), options.pop("activation")
        said = [f"{name}={value!r}" for name, value in options.items() if name == "sigma_w2" or value != usual[name]]
        return f"mlp({depth}, {activation!r}, {', '.join(said)})"

    def origin(self, values: Any) -> dict[str, str]:
        """Return the network and its inputs in words."""
        return {"network": self.call(), "inputs": self.text(values)}

    def compute(self, work: Callable[[Any, Any], Any], digits: int = 17) -> Any:
        """Return the result of `work` on the network and its inputs, after drawing it if wanted and printing it."""
        values, network = self.values(), self.network()
        if self.layers is None and len(getattr(values, "shape", ())) > 2:
            output.tell("the images are flattened; describe the network layer by layer to keep their positions")
            values = values.reshape(len(values), -1)
        result = self.drawn(lambda: work(network, values))
        self.answer(self.origin(values), result, digits)
        return result


def _run(file: Path) -> None:
    """Run a file of the user. ValueError: it fails."""
    try:
        load_file(file)
    except Exception as error:
        raise ValueError(f"cannot run {file}: {type(error).__name__}: {error}") from error


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Case(GaussianCase, Inputs):
    """A network with Gaussian inputs or a data set, and how the result is shown."""
