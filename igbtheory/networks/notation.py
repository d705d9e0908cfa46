"""The notation for layers as text, from the input to the output, separated by bars.

    Dense(2) | BatchNorm | relu | Dense(2)              a layer without parameters needs no parentheses
    (Dense(2, 0.1) | x*tanh(x) | MaxPool(2)) * 3 | Dense    repeated layers
    Dense | Residual(relu | Dense, scale=0.5) | Dense   a residual block; shortcut=Dense puts a Dense on the skip path
    Dense | Product(relu | Dense | sigmoid) | Dense     a product of the stream and a branch
    Dense | Concat((), relu | Dense, shares=(2, 1)) | Dense     ways side by side; () is the stream itself

What Python prints of a network is read, too. Layers of users that `igb.register` knows have their names, too.
Every other part is an activation, given by its name or its formula. The text is parsed and never executed.
"""

import ast
from collections.abc import Iterator
from typing import Any

from igbtheory import layers
from igbtheory.foundations import checks
from igbtheory.layers import registered
from igbtheory.layers.activation import Activation
from igbtheory.layers.concatenation import Concat
from igbtheory.layers.gates import Gate
from igbtheory.layers.layer import Layer
from igbtheory.layers.product import Product
from igbtheory.layers.residual import Residual
from igbtheory.mathematics.formulas.catalogue import NAMED
from igbtheory.mathematics.formulas.library_functions import SHAPES
from igbtheory.mathematics.formulas.reader import folded

LAYERS = {
    name: kind
    for name in layers.__all__
    if isinstance(kind := getattr(layers, name), type)
    and issubclass(kind, Layer)
    and kind not in {Layer, Gate, Activation, Residual, Product, Concat}
}
"""Layers by their names, except activations and layers of layers, which are read separately."""
BLOCKS: dict[str, type[Residual] | type[Product]] = {"Residual": Residual, "Product": Product}
"""Layers of a branch and a stream by their names."""
NAMES = (*BLOCKS, "Concat", "Activation", "Network")
"""Names that are read separately."""


def known_layers() -> dict[str, type[Layer]]:
    """Return the layers by their names, those of users that are registered among them."""
    return LAYERS | registered.named()


def read_layers(text: str) -> tuple[Layer, ...]:
    """Return the layers that a text such as "Dense(2) | BatchNorm | relu | Dense(2)" describes.

    ValueError: the text does not follow the notation.
    """
    checks.of_kind("layers as a text", text, str, '"Dense(2.0) | relu | Dense(2)"')
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(
            f'expected layers with bars between them, got {text!r:.80}; for example "Dense(2) | relu | Dense(2)"'
        ) from None
    return tuple(_chain(tree, text.strip()))


def _chain(node: ast.expr, text: str) -> Iterator[Layer]:
    """Yield the layers that a node of the syntax tree describes."""
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            yield from _chain(left, text)
            yield from _chain(right, text)
        case ast.BinOp(left, ast.Mult(), ast.Constant(int(count))) if _has_layers(left):
            yield from tuple(_chain(left, text)) * checks.whole("repetitions", count, 1, checks.DEEPEST)
        case ast.Tuple(row) | ast.List(row) | ast.Call(ast.Name("Network"), row):
            for one in row:
                yield from _chain(one, text)
        case ast.Starred(value):
            yield from _chain(value, text)
        case ast.Name(name) | ast.Call(ast.Name(name)) if name in BLOCKS:
            yield _block(BLOCKS[name], node, text)
        case ast.Call(ast.Name("Concat"), ways, named):
            yield Concat(*(tuple(_chain(way, text)) for way in ways), **_options(named, text))
        case ast.Call(ast.Name("Activation"), [ast.Constant(str(name))], named):
            yield Activation(name, **_options(named, text))
        case ast.Name(name) if name in known_layers():
            yield _made(name, [], {})
        case ast.Call(ast.Name(name), arguments, named) if name in known_layers():
            yield _made(name, [_number(part, text) for part in arguments], _options(named, text))
        case _:
            yield _activation(ast.get_source_segment(text, node) or "")


def _has_layers(node: ast.expr) -> bool:
    """Return whether a factor contains layers; otherwise the product belongs to a formula."""
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return bool(names & {*known_layers(), *NAMES}) or any(isinstance(part, ast.BitOr) for part in ast.walk(node))


def _block(kind: type[Residual] | type[Product], node: ast.expr, text: str) -> Layer:
    if not isinstance(node, ast.Call) or not node.args:
        name = kind.__name__
        raise ValueError(f"expected the layers of a {name}, got none; for example {name}(relu | Dense)")
    shortcut = [layer for part in node.keywords if part.arg == "shortcut" for layer in _chain(part.value, text)]
    options = _options([part for part in node.keywords if part.arg != "shortcut"], text)
    return kind(*(layer for part in node.args for layer in _chain(part, text)), shortcut=shortcut, **options)


def _made(name: str, arguments: list[Any], named: dict[str, Any]) -> Layer:
    try:
        return known_layers()[name](*arguments, **named)
    except TypeError as error:
        raise ValueError(f"expected the parameters of {name}, got others: {error}; see help({name})") from None


def _options(named: list[ast.keyword], text: str) -> dict[str, Any]:
    return {str(part.arg): _number(part.value, text) for part in named}


def _number(node: ast.expr, text: str) -> Any:
    """Return the value of a parameter: a number, a string or None."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        source = ast.get_source_segment(text, node)
        raise ValueError(
            f"expected a number as the parameter of a layer, got {source!r}; for example Dense(2.0)"
        ) from None


def _activation(text: str) -> Activation:
    name = text.partition("(")[0]
    if name[:1].isupper() and name.isidentifier() and folded(name) not in {*NAMED, *SHAPES}:
        checks.known("layer", name, (*known_layers(), *NAMES[:3]))
    return Activation(text)
