"""The constants of a Python file as parameters: names in capitals whose values are literals."""

import ast
from collections.abc import Iterator, Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, final


def parameters(path: Path) -> dict[str, Any]:
    """Return the values of the parameters in a file by their names."""
    return {node.targets[0].id: ast.literal_eval(node.value) for node in _constants(ast.parse(path.read_bytes()))}


def literal(name: str, text: str, usual: Any) -> Any:
    """Return the value of a parameter that a text contains; usual: the one in the file, whose kind it must have."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = None
    kind: Any = (int, float) if isinstance(usual, float) else type(usual)
    if not isinstance(value, kind) or isinstance(value, bool) != isinstance(usual, bool):
        raise ValueError(f"expected {name} as in the file, {usual!r}, got {text!r}; write another value of this kind")
    return value


@final
class WithValues(SourceFileLoader):
    """Loads a file with other values of some of its parameters. Constants that follow from them change as well."""

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        super().__init__(path.stem, str(path))
        self._values = values

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the file with the values."""
        tree = ast.parse(self.get_data(self.path))
        for node in _constants(tree):
            if node.targets[0].id in self._values:
                node.value = ast.parse(repr(self._values[node.targets[0].id]), mode="eval").body
        return compile(tree, self.path, "exec")


def _constants(tree: ast.Module) -> Iterator[Any]:
    """Yield the assignments of literals to single names in capitals."""
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], value) if name.isupper():
                try:
                    ast.literal_eval(value)
                except ValueError:  # it is computed
                    continue
                yield node
