"""Layers of users that are citizens: the notation, JSON, `certify` and `from_torch` know them by their names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, TypeVar, final

from igbtheory import layers
from igbtheory.foundations import saved
from igbtheory.layers.layer import Layer

L = TypeVar("L", bound=type[Layer])


@final
@dataclass(frozen=True)
class Registered:
    """What a user declares of a layer: see `register`."""

    exact: bool
    modules: Mapping[type, Callable[[Any], Layer]]


REGISTERED: dict[type[Layer], Registered] = {}
"""The layers of users."""


def register(layer: L, *, exact: bool = False, modules: Mapping[type, Callable[[Any], Layer]] | None = None) -> L:
    """Make a user's class of layers known by its name, and return it, so that this is a decorator, too.

    From then on `Network.read` reads the name, and results with the layer are saved as JSON and read again. exact: the
    rule of the layer is exact, and `certify` takes it. modules: classes of modules of PyTorch, each with a function
    that returns the layer for a module; `from_torch`, `measure` and `explain` read them. A class of the same name is
    replaced, as when a cell of a notebook runs again.

    layer: the class.

    TypeError: it is no layer, or no dataclass. ValueError: the package has a layer of this name.

    >>> import dataclasses
    >>> @igb.register
    ... @dataclasses.dataclass(frozen=True)
    ... class Doubled(igb.Layer):
    ...     def samples(self, x, rng, width):
    ...         return 2 * x
    >>> igb.Network("Dense | Doubled | Dense").layers[1]
    Doubled()
    """
    if not (isinstance(layer, type) and issubclass(layer, Layer)):
        raise TypeError(f"expected a class of layers, a subclass of igb.Layer, got {layer!r}; pass the class itself")
    name = layer.__name__
    if not is_dataclass(layer):
        raise TypeError(f"expected a dataclass, got {name}; put @dataclass(frozen=True) in front of its class")
    if name in layers.__all__:
        raise ValueError(f"expected a name that igbtheory does not use, got {name}; rename the class")
    for other in [other for other in REGISTERED if other.__name__ == name]:
        del REGISTERED[other]
    REGISTERED[layer] = Registered(exact, dict(modules or {}))
    saved.CITIZENS[name] = layer
    return layer


def named() -> dict[str, type[Layer]]:
    """Return the registered layers by their names."""
    return {layer.__name__: layer for layer in REGISTERED}


def is_exact(layer: Layer) -> bool:
    """Return whether the rule of a layer is exact: as layers of the package declare it themselves, and users here."""
    declared = REGISTERED.get(type(layer))
    return declared.exact if declared else type(layer).__module__.startswith("igbtheory.")


def reader_of(module: Any) -> Callable[[Any], Layer] | None:
    """Return the function that reads a layer from a module of PyTorch, or None if no registered layer has its class."""
    readers = [reader for declared in REGISTERED.values() for reader in declared.modules.items()]
    return next((reader for kind, reader in readers if isinstance(module, kind)), None)
