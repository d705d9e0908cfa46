"""Change the rules one operator or number at a time, and see whether the tests notice: mutate_rules.py [COUNT] [SEED].

Each mutant takes up to two minutes, in a copy of the checkout. Survivors are printed: change a test, or say why the
change does not matter (a number of quadrature nodes, for example).
"""

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
RULES = ("averages/state", "layers/[!_]*", "guesses/binary", "guesses/finite", "guesses/count", "formulas/catalogue/*")
TESTS = (
    "table",
    "network",
    "numbers",
    "dataset",
    "guesses",
    "guesses_finite",
    "grouped",
    "compositions",
    "batch_kernel",
    "batch_normalised",
    "estimated",
    "own_layers",
)
SWAPPED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


def places(tree: ast.AST) -> Iterator[ast.expr]:
    """Return what may be changed: arithmetic, and numbers inside of functions."""
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    for node in (inner for function in functions for part in function.body for inner in ast.walk(part)):
        number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        if isinstance(node, ast.expr) and (number or (isinstance(node, ast.BinOp) and type(node.op) in SWAPPED)):
            yield node


def mutants(count: int, seed: int) -> Iterator[tuple[Path, str, str]]:
    """Return files, with their changed text and what was changed."""
    files = sorted(path for rule in RULES for path in (ROOT / "igbtheory").glob(f"{rule}.py"))
    rng = random.Random(seed)  # noqa: S311 - nothing secret
    for _ in range(count):
        path = rng.choice([file for file in files if any(places(ast.parse(file.read_text())))])
        tree = ast.parse(path.read_text())
        node = rng.choice(list(places(tree)))
        before = ast.unparse(node)
        if isinstance(node, ast.BinOp):
            node.op = SWAPPED[type(node.op)]()
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            node.value += 1
        name = f"{path.relative_to(ROOT)}:{node.lineno}: {before} -> {ast.unparse(node)}"
        yield path.relative_to(ROOT), ast.unparse(tree), name


def killed(folder: Path) -> bool:
    """Return whether a test fails in the folder."""
    tests = [f"tests/test_{name}.py" for name in TESTS]
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", "-p", "no:cacheprovider", *tests]
    environment = os.environ | {"PYTHONPATH": str(folder), "MPLBACKEND": "Agg"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)  # noqa: S603
    return done.returncode != 0


def main(count: int = 60, seed: int = 0) -> None:
    """Print the mutants that survive, and how many are killed."""
    found = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "copy"
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(".git", ".venv", "docs", "*_cache", "__pycache__"))
        for path, text, name in mutants(count, seed):
            original = (folder / path).read_text()
            (folder / path).write_text(text)
            noticed = killed(folder)
            (folder / path).write_text(original)
            found += noticed
            sys.stdout.write(f"{'killed' if noticed else 'SURVIVES'}  {name}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{found} of {count} mutants are killed\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
