"""PyTorch models that are drawn to be read, and their graphs."""

import builtins
import copy
import logging
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, final

import numpy as np
import torch
from torch import fx, nn
from torch.nn.parameter import is_lazy

from igbtheory.layers.activation import Activation
from igbtheory.layers.registered import reader_of
from igbtheory.torch.failures import place_in_own_code
from igbtheory.torch.few_numbers import WHOLE, sparing
from igbtheory.torch.models import checked_model, refuse_arguments
from igbtheory.torch.operators import name_of, public
from igbtheory.torch.passes import logits_of, made, stream
from igbtheory.torch.rows import ROWS
from igbtheory.torch.steps import part_of

AUTHORS = {"torch", "_operator", "builtins", "math", ""}
"""Packages whose functions the table of layers knows."""
WRAPPING = {"DataParallel": "module", "DistributedDataParallel": "module", "OptimizedModule": "_orig_mod"}
"""Modules that PyTorch puts around a model, which compute the same, and where they have it."""
LONGEST = 200
"""Largest number of characters of an error of PyTorch within another one, whose first sentences tell the reason."""
DRAWS = 8
"""Number of models that are drawn to read the variances of their weights."""
ENTRIES = 2**25
"""Largest number of parameters of all these models together, unless they are two: 128 MiB in single precision."""


def draws_of(model: Any, seed: int) -> list[nn.Module]:
    """Return models that the function draws, fewer if they are large; of a model, a copy with the same parameters."""
    if isinstance(model, nn.Module):
        return [in_a_row(part) for part in copied([checked_model(model)])]
    refuse_arguments(model)
    models: list[nn.Module] = []
    while len(models) < DRAWS:
        with stream(seed, len(models)):
            models.append(in_a_row(_with_sizes(sparing(lambda: made(model, len(models))))))
        size = sum(p.numel() for p in models[0].parameters())
        if size > WHOLE or (len(models) > 1 and len(models) * size > ENTRIES):
            break
    _refuse_unlike(models)
    return models


def _refuse_unlike(models: list[nn.Module]) -> None:
    """Refuse models whose parameters differ in shape."""
    shapes = [{name: tuple(part.shape) for name, part in model.named_parameters()} for model in models]
    unlike = [
        (name, shape, other.get(name))
        for other in shapes
        for name, shape in shapes[0].items()
        if other.get(name) != shape
    ]
    for name, shape, other in unlike:
        raise ValueError(
            f"expected models of one size, got {name!r} of the shape {shape} in one and {other or 'none'} in another; "
            "draw nothing but weights in the function that makes them"
        )


def _with_sizes(model: nn.Module) -> nn.Module:
    """Return the model. ValueError: a lazy layer does not know its sizes yet."""
    lazy = [name for name, part in model.named_parameters() if is_lazy(part)]
    if lazy:
        raise ValueError(
            f"expected layers that know their sizes, got the lazy {lazy[0].rpartition('.')[0]!r}; pass data through "
            "the model in the function that makes it, as in: model = make(); model(X[:2]); return model"
        )
    return model


def in_a_row(model: nn.Module) -> nn.Module:
    """Return the model without what spreads or compiles it.

    A single layer of PyTorch becomes a Sequential, so that its inside is not traced.
    """
    while inner := WRAPPING.get(type(model).__name__):
        model = getattr(model, inner)
    return nn.Sequential(model) if fx.Tracer().is_leaf_module(model, "") else model


class _Tracer(fx.Tracer):  # type: ignore[misc]
    """A tracer that takes registered layers, activations with parameters, and modules with a row of their own whole."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.activations = {module for module in model.modules() if _is_activation(module)}

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        if _is_hooked(m):
            return False
        listed = reader_of(m) is not None or type(m).__name__ in ROWS
        return listed or m in self.activations or super().is_leaf_module(m, module_qualified_name)

    def create_node(
        self, kind: str, target: Any, args: Any, kwargs: Any, name: str | None = None, type_expr: Any = None
    ) -> fx.Node:
        """Return a node that is not called self, as a module may be: the code of a graph calls the graph so."""
        name = "self_" if target == "self" else name
        return super().create_node(kind, target, args, kwargs, name, type_expr)


def _is_hooked(module: nn.Module) -> bool:
    """Return whether a module has hooks that may change what it computes; those of PyTorch compute its weights."""
    hooks = (*module._forward_hooks.values(), *module._forward_pre_hooks.values())  # noqa: SLF001 - they have no other name
    return not all(str(hook.__module__).startswith("torch.") for hook in hooks)


def _is_activation(module: nn.Module) -> bool:
    """Return whether a user's module is an activation: it has no layers, and its parameters are single numbers."""
    numbers = (*module.parameters(), *module.buffers())
    if type(module).__module__.startswith("torch.") or any(module.children()) or any(x.numel() > 1 for x in numbers):
        return False
    state = torch.get_rng_state()
    try:
        module(torch.linspace(-3, 3, 7))
        if not torch.equal(torch.get_rng_state(), state):
            return False  # such as a layer that drops branches at random
        Activation(module)
    except Exception:  # noqa: BLE001 - of any kind, from the code of the module, which may need more axes
        return False
    finally:
        torch.set_rng_state(state)
    return True


def traced(model: nn.Module, x: torch.Tensor, output: str | int | None = None) -> fx.GraphModule:
    """Return a model as a graph, by torch.fx, which keeps its modules, or by torch.export, which needs some data x.

    output: which of several outputs counts, as in `measure`.
    ValueError: the control flow depends on the data, and the error names the line; or NumPy or Python draws numbers.
    """
    before = _states_of_others()
    try:
        with _lengths_in_the_graph():
            graph = _traced_by_fx(model)
    except Exception as error:  # noqa: BLE001 - of any kind, from the code of the model
        try:
            with _lengths_in_the_graph():
                graph = _exported(model, x, output)
        except Exception as exported:  # noqa: BLE001 - as above; the first error names the line
            raise ValueError(
                f"expected a model whose layers do not depend on the data, got {type(model).__name__}, which cannot be "
                f"traced: {_shortened(error)}{place_in_own_code(error)}; torch.export says: {_shortened(exported)}"
            ) from error
    else:
        if any(map(_is_wrapped, graph.graph.nodes)):
            with suppress(Exception):  # the graph of torch.fx stands, with a function that is not looked into
                graph = _exported(model, x, output)
    if _states_of_others() != before:
        raise ValueError(
            f"expected a model whose forward draws random numbers with PyTorch alone, got {type(model).__name__}, "
            "which draws them with NumPy or Python, so that a graph would keep them; igb.measure does not need it"
        )
    return graph


@contextmanager
def _lengths_in_the_graph() -> Iterator[None]:
    """Context in which len(x) is the size of x, which a graph keeps as that of any data; Python wants a number."""
    length = builtins.len

    def size(x: Any) -> Any:
        if isinstance(x, fx.Proxy):
            return x.size(0)
        return x.shape[0] if isinstance(x, torch.Tensor) and x.ndim else length(x)

    builtins.len = size
    try:
        yield
    finally:
        builtins.len = length


def _traced_by_fx(model: nn.Module) -> fx.GraphModule:
    """Return a model as a graph by torch.fx.

    ValueError: it would keep random numbers as if they were constants, or leave out a hook of the whole model.
    """
    if _is_hooked(model):
        raise ValueError("torch.fx does not call the hooks of the model itself")
    before = torch.get_rng_state()
    graph = fx.GraphModule(model, _Tracer(model).trace(model))
    if not torch.equal(torch.get_rng_state(), before):
        raise ValueError("torch.fx would keep the random numbers of this pass")
    return graph


def _states_of_others() -> tuple[Any, ...]:
    """Return the states of the random numbers of Python and NumPy."""
    of_numpy = np.random.get_state(legacy=False)["state"]  # noqa: NPY002 - the global one is meant
    return random.getstate(), bytes(of_numpy["key"]), of_numpy["pos"]


def _shortened(error: Exception) -> str:
    """Return the words of an error on one line."""
    return " ".join(str(error).split())[:LONGEST]


def _is_wrapped(node: fx.Node) -> bool:
    """Return whether a node is a function of other authors that torch.fx does not look into."""
    home = str(getattr(node.target, "__module__", "")).partition(".")[0]
    return node.op == "call_function" and home not in AUTHORS and name_of(node.target) not in ROWS


@final
class _Logits(nn.Module):  # type: ignore[misc] # PyTorch is an extra
    """A model that returns its logits alone."""

    def __init__(self, model: nn.Module, output: str | int | None) -> None:
        super().__init__()
        self.model, self.output = model, output

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return logits_of(self.model(x), self.output)


@contextmanager
def _silently() -> Iterator[None]:
    """Context in which torch.export neither warns, as of constants, nor prints the graph of a model that it refuses."""
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(disabled)


def _exported(model: nn.Module, x: torch.Tensor, output: str | int | None) -> fx.GraphModule:
    """Return the graph of a model as torch.export writes it for any number of data, with the functions of PyTorch."""
    with _silently(), torch.no_grad():
        wrapped, dynamic = _Logits(model, output), ({0: torch.export.Dim.AUTO},)
        program = torch.export.export(wrapped, (x,), strict=False, dynamic_shapes=dynamic)
        graph = program.module(check_guards=False)
    if any("vmap" in name_of(node.target) for node in graph.graph.nodes):
        raise ValueError("torch.vmap stays in the graph; call the model on all data")
    targets: dict[str, Any] = {}
    for node in graph.graph.nodes:
        if node.op == "call_function":
            node.target = public(node.target)
        if node.op in {"get_attr", "call_module"}:
            name = str(node.target)
            node.target = name.removeprefix("model.")
            targets[node.target] = part_of(graph, name)
        stack = node.meta.get("nn_module_stack", {})
        node.meta["nn_module_stack"] = {key: (path.removeprefix("model."), kind) for key, (path, kind) in stack.items()}
    graph.graph.set_codegen(fx.graph.CodeGen())  # one tensor comes in, and one goes out
    (*_, last) = graph.graph.nodes
    last.args = tuple(last.args[0])
    return fx.GraphModule(targets, graph.graph)


def on_weights_of(model: nn.Module, graph: fx.GraphModule) -> fx.GraphModule:
    """Return the graph of another model of the same kind with the weights and modules of this one.

    Constants that the graph was traced with stay.
    """
    targets: dict[str, Any] = {}
    for node in graph.graph.nodes:
        if node.op in {"get_attr", "call_module"}:
            name = str(node.target)
            targets[name] = part_of(model if has_part(model, name) else graph, name)
    return fx.GraphModule(targets, copy.deepcopy(graph.graph))


def has_part(model: nn.Module, name: str) -> bool:
    """Return whether a model has a module, parameter or buffer of this name."""
    try:
        part_of(model, name)
    except AttributeError:
        return False
    return True


def copied(models: list[nn.Module]) -> list[nn.Module]:
    """Return copies of models with the same weights, but with modes and buffers of their own."""
    weights = [part for model in models for part in model.parameters()]
    # weights that are computed of others, as by weight_norm, are no parameters
    attributes = (x for model in models for module in model.modules() for x in vars(module).values())
    computed = (x for x in attributes if isinstance(x, torch.Tensor))
    return copy.deepcopy(models, {id(part): part for part in (*weights, *computed)})
