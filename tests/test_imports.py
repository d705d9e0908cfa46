"""Imports: the package is instant, and a prediction loads nothing that it does not need."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import igbtheory.layers

HEAVY = ("sympy", "matplotlib", "torch", "numpy", "scipy", "mpmath", "rich", "cyclopts")


ONE_NUMBER = "import igbtheory as igb; igb.mlp(3, 'relu').predict().gamma"
SUBSYSTEMS = (
    *(f"igbtheory.{name}" for name in ("certificate", "cli", "control", "derivation", "exact", "inference", "losses")),
    *(f"igbtheory.{name}" for name in ("phases", "printing", "simulation", "text", "torch", "verdict", "guesses")),
    *(f"igbtheory.mathematics.averages.{name}" for name in ("rules", "slopes")),
    "igbtheory.layers.batches.law",
    *(f"igbtheory.formulas.{name}" for name in ("callables", "sympy_reader")),
    *(f"igbtheory.layers.{name}" for name in ("attention", "convolution", "residual")),
    "igbtheory.mathematics.numbers.certified",
    "igbtheory.mathematics.numbers.symbolic",
    "igbtheory.theory.data_set",
)
"""Parts that the bias ratio of one network does not need."""


@pytest.mark.parametrize(
    ("code", "spared"),
    [
        ("import igbtheory", HEAVY),
        (ONE_NUMBER, SUBSYSTEMS),
        (f"{ONE_NUMBER}; igb.mlp(3).predict().G0", ("igbtheory.guesses.finite", "igbtheory.guesses.several")),
        (
            "import igbtheory as igb; igb.mlp(3, 'relu').predict().G0.std()",
            ("sympy", "matplotlib", "scipy.special", "mpmath"),
        ),
        ("import igbtheory as igb; igb.mlp(3, 'x*tanh(x)').predict()", ("sympy", "matplotlib", "torch")),
        ("import igbtheory as igb; igb.measure", ("sympy", "matplotlib", "torch")),
        ("import igbtheory as igb; igb.study, igb.studies.preset", ("sympy", "matplotlib", "torch", "scipy.stats")),
        (
            "from igbtheory.cli import main; main(['--help'])",
            (*HEAVY[:6], "igbtheory.network", "igbtheory.presentation.cli.phase"),
        ),
        *(
            (f"from igbtheory.cli import main; main(['{command}', '--help'])", (*HEAVY[:6], "igbtheory.network"))
            for command in ("predict", "infer", "measure")
        ),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code: str, spared: tuple[str, ...]) -> None:
    # what the code itself prints goes to standard error
    lines = ("import sys", "shown, sys.stdout = sys.stdout, sys.stderr", code, "sys.stdout = shown")
    script = "\n".join([*lines, f"print([name for name in {spared!r} if name in sys.modules])"])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"


def imported(node: ast.AST) -> Iterator[str]:
    """Parts of the package that a module imports, but for type annotations."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ImportFrom) and child.module and child.module.split(".")[0] == "igbtheory":
            first = child.module.split(".")[1:2]
            yield from first or (name.name for name in child.names)
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from imported(child)


def test_no_folder_imports_from_one_below_it() -> None:
    checkout = Path(__file__).parent.parent
    root, listed = checkout / "igbtheory", (checkout / "docs" / "extend.rst").read_text(encoding="utf-8")
    order = re.findall(r"^``(\w+)[/.]\S*`` ", listed.partition("The folders\n")[2], re.MULTILINE)
    parts = {path.relative_to(root).parts[0].removesuffix(".py") for path in root.rglob("*.py")}
    assert {part for part in parts if not part.startswith("__")} == set(order)
    for path in root.rglob("*.py"):
        own = path.relative_to(root).parts[0].removesuffix(".py")
        if own in order:
            found = set(imported(ast.parse(path.read_text(encoding="utf-8"))))
            assert {name for name in found if order.index(name) > order.index(own)} == set(), path


def test_a_misspelt_name_is_answered_by_the_nearest_one() -> None:
    for package, name, nearest in ((igbtheory, "mpl", "mlp"), (igbtheory.layers, "Dens", "Dense")):
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; did you mean '{nearest}'\?$"):
            getattr(package, name)
