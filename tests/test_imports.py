"""Imports: the package is instant, and a prediction loads nothing that it does not need."""

# what is wrong is passed on purpose, and which of several types a result has is known here
# mypy: disable-error-code="attr-defined"

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import igbtheory.layers

HEAVY = ("sympy", "matplotlib", "torch", "numpy", "scipy", "mpmath", "rich", "cyclopts")


SUBSYSTEMS = (
    *("igbtheory.foundations.text", "igbtheory.guesses", "igbtheory.phases", "igbtheory.presentation"),
    *(f"igbtheory.networks.{name}" for name in ("control", "losses", "printing", "simulation", "training")),
    *(f"igbtheory.theory.{name}" for name in ("certificate", "data_set", "derivation", "exact")),
    *(f"igbtheory.mathematics.averages.{name}" for name in ("rules", "slopes")),
    *(f"igbtheory.mathematics.formulas.{name}" for name in ("callables", "sympy_reader")),
    *(f"igbtheory.mathematics.numbers.{name}" for name in ("certified", "symbolic")),
    *(f"igbtheory.layers.{name}" for name in ("attention", "batches.law", "convolution", "residual")),
    "igbtheory.torch",
)
"""Parts that the bias ratio of one network does not need."""


@pytest.mark.parametrize(
    "steps",
    [
        [
            ("import igbtheory as igb", HEAVY),
            ("igb.mlp(3, 'relu').predict().gamma", SUBSYSTEMS),
            ("igb.mlp(3).predict().G0", ("igbtheory.guesses.finite", "igbtheory.guesses.several")),
            ("igb.mlp(3).predict().G0.std()", ("sympy", "matplotlib", "scipy.special", "mpmath")),
            ("igb.mlp(3, 'x*tanh(x)').predict(), igb.measure", ("sympy", "matplotlib", "torch")),
            ("igb.study, igb.studies.preset", ("sympy", "matplotlib", "torch", "scipy.stats")),
        ],
        [
            (
                "from igbtheory.presentation.cli import main; main(['--help'])",
                (*HEAVY[:6], "igbtheory.networks.network", "igbtheory.presentation.cli.phase"),
            ),
            *(
                (f"main(['{command}', '--help'])", (*HEAVY[:6], "igbtheory.networks.network"))
                for command in ("predict", "infer", "measure", "activation", "phase", "train", "verify")
            ),
        ],
    ],
    ids=["library", "commands"],
)
def test_nothing_heavy_is_loaded_before_it_is_used(steps: list[tuple[str, tuple[str, ...]]]) -> None:
    """Each step may load more than those in front of it."""
    checked = (
        f"{code}\nprint([name for name in {spared!r} if name in sys.modules], file=shown)" for code, spared in steps
    )
    # what the steps themselves print goes to standard error
    script = "\n".join(["import sys", "shown, sys.stdout = sys.stdout, sys.stderr", *checked])
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.split() == ["[]"] * len(steps)


WINGS = (
    *("foundations", "mathematics", "layers", "guesses", "theory", "networks", "phases", "claims", "torch"),
    "presentation",
)
"""The wings, lower ones first, in the order of docs/extend.rst."""
CHECKOUT = Path(__file__).parent.parent
ROOT = CHECKOUT / "igbtheory"
FILES = {
    ".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in ROOT.rglob("*.py")
    if not {"derivations", "figures"} & set(path.relative_to(ROOT).parts)
}
"""Paths of the modules of the package by their names."""
NAME = re.compile(r"igbtheory(\.\w+)+\.?(:\w+)?")
"""Pattern of the name of a module, or of the part of it in front of a variable."""


@cache
def nodes(module: str) -> tuple[ast.AST, ...]:
    """Return the nodes of the syntax tree of a module of the package."""
    return tuple(ast.walk(ast.parse(FILES[module].read_text(encoding="utf-8"))))


def imported(module: str) -> Iterator[str]:
    """Yield the modules of the package that a module imports, in functions and for types too, or names in a text.

    The public names of a folder that are loaded when they are used count; those of the package itself are for users.
    """
    for node in nodes(module):
        match node:
            case ast.ImportFrom(str(place), names):
                yield from (f"{place}.{name.name}" if f"{place}.{name.name}" in FILES else place for name in names)
            case ast.Import(names):
                yield from (name.name for name in names)
            case ast.Constant(str(text)) if module != "igbtheory" and NAME.fullmatch(text):
                yield text.partition(":")[0].rstrip(".")
            case ast.Call(ast.Name("homes"), [ast.Name("__file__")]) if module != "igbtheory":
                yield from import_module(module)._HOMES.values()  # noqa: SLF001 - what a package has for its names


@cache
def graph() -> dict[str, set[str]]:
    """Return the modules of the package that each of them imports, by their names in the wings."""
    edges = {module: {name for name in imported(module) if f"{name}.".startswith("igbtheory.")} for module in FILES}
    assert set().union(*edges.values()) <= FILES.keys()
    return {module: names - {module} for module, names in edges.items()}


def floor(module: str) -> float:
    """Return the height of a module: of its wing, or of the public names, which the presentation may use."""
    _, wing, *_ = f"{module}.".split(".")
    heights = {"": len(WINGS) - 1.5, "__main__": len(WINGS)}
    return heights[wing] if wing in heights else WINGS.index(wing)


def test_no_wing_imports_from_one_above_it() -> None:
    table = (CHECKOUT / "docs" / "extend.rst").read_text(encoding="utf-8").partition("The folders\n")[2]
    assert tuple(re.findall(r"^``(\w+)/`` ", table, re.MULTILINE)) == WINGS
    expected = {*WINGS, "__init__.py", "__init__.pyi", "__main__.py", "py.typed"}
    assert {path.name for path in ROOT.iterdir()} - {"__pycache__"} == expected
    assert [(a, b) for a, names in graph().items() for b in names if floor(b) > floor(a)] == []


def test_no_files_import_each_other_in_a_circle() -> None:
    graphlib.TopologicalSorter(graph()).prepare()  # CycleError names the files


def test_whoever_writes_a_layer_reads_twelve_members() -> None:
    """What one reading needs of layers stands with that reading, and not in their base class."""
    named = {name for kind in igbtheory.Layer.__mro__ for name in vars(kind) if not name.startswith("_")}
    assert len(named | {"__repr__"}) <= 12
    page = (CHECKOUT / "docs" / "extend.rst").read_text(encoding="utf-8")
    table = page.partition("A layer has eleven members")[2].partition("Nothing else is asked")[0]
    assert set(re.findall(r"^``(\w+)", table, re.MULTILINE)) == named


def test_nothing_stands_in_the_way_of_python_s_own_imports() -> None:
    script = "import sys; before = list(sys.meta_path); import igbtheory; assert sys.meta_path == before"
    subprocess.run([sys.executable, "-c", script], check=True)  # noqa: S603


def test_no_public_function_has_the_name_of_a_module_at_the_top() -> None:
    functions = {name for name in igbtheory.__all__ if not isinstance(getattr(igbtheory, name), ModuleType)}
    assert not functions & {*WINGS, *igbtheory.NAMESPACES, "derivations", "figures"}


def test_a_name_that_resembles_none_is_answered_by_five() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'qqq'; it has, among others, ") as caught:
        igbtheory.qqq  # noqa: B018 - it raises
    names = str(caught.value).partition("others, ")[2].split(", ")
    assert len(names) == 5
    assert set(names) < set(igbtheory.__all__)


def test_a_misspelt_name_is_answered_by_the_nearest_one() -> None:
    for package, name, nearest in ((igbtheory, "mpl", "mlp"), (igbtheory.layers, "Dens", "Dense")):
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}'; did you mean '{nearest}'\?$"):
            getattr(package, name)


def test_what_the_command_line_does_is_done_by_functions() -> None:
    """A module or a folder of the same name would take the place of the function after its first call."""
    for _ in range(2):
        assert igbtheory.classify("tanh", 1.5, 0.1).name == "ordered deep prejudice"
        assert "relu" in str(igbtheory.verdict("relu"))
        assert igbtheory.classes(igbtheory.mlp(1).predict(), 3, draws=10).draws == 10
        with pytest.raises(ValueError, match="did you mean 'norms'"):
            igbtheory.write_figures("norm")
        # refused before Dash is loaded, with whose libraries Cyclopts has other words for wrong choices
        with pytest.raises(ValueError, match="expected port <= 65535"):
            igbtheory.explore(65536)


NAMES = Path(__file__).parent / "public_names.txt"
"""What users may rely on: a name that goes or changes its place breaks their programs."""


def test_the_public_names_are_those_that_were_promised() -> None:
    """A name that is added on purpose is written into the file by hand, and into CHANGELOG.md."""
    parts = {"igb": igbtheory, **{part: getattr(igbtheory, part) for part in igbtheory.NAMESPACES}}
    found = [f"{part}.{name}" for part, module in sorted(parts.items()) for name in sorted(module.__all__)]
    assert found == NAMES.read_text(encoding="utf-8").splitlines()


DOCUMENTED = re.findall(r"igbtheory\.([\w.]+)", (CHECKOUT / "docs" / "api.rst").read_text(encoding="utf-8"))
TESTS = sorted(Path(__file__).parent.glob("test_*.py"))


@cache
def public() -> set[str]:
    """Return the public names and the documented ones, and the namespaces that they are in."""
    listed = (name.partition(".") for name in (*NAMES.read_text(encoding="utf-8").split(), *DOCUMENTED))
    folders = {part: folder.removeprefix("igbtheory.") for part, folder in igbtheory.NAMESPACES.items()}
    names = {"presentation.cli.main", *(f"{folders.get(part, part)}.{name}".rstrip(".") for part, _, name in listed)}
    return names | {name.rpartition(".")[0] for name in names}


def internal(names: Iterator[str]) -> set[str]:
    """Return the names of the package among some that are neither public nor documented, nor members of such names."""
    ours = (name.removeprefix("igbtheory.") for name in names if name.startswith("igbtheory."))
    of = {name: {name, f"igb.{name}", f"igb.{name.rpartition('.')[0]}"} for name in ours}
    return {name for name, places in of.items() if not places & public()}


def imports(tree: list[ast.AST]) -> Iterator[str]:
    """Yield the names that a file of tests with these nodes imports."""
    for node in tree:
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def paths(tree: list[ast.AST]) -> Iterator[str]:
    """Yield the names that a file of tests with these nodes patches or imports by a text."""
    for node in tree:
        match node:
            case ast.Call(ast.Name("import_module") | ast.Attribute(attr="setattr" | "import_module"), [where, *_]):
                yield from (ast.literal_eval(part) for part in ast.walk(where) if isinstance(part, ast.Constant))


def test_at_most_a_third_of_the_test_files_speak_with_more_than_the_public_names() -> None:
    """The others test averages, draws, proofs, pictures and the like alone, or make what is large small; both fall."""
    trees = {file.name: list(ast.walk(ast.parse(file.read_text(encoding="utf-8")))) for file in TESTS}
    speaking = [name for name, tree in trees.items() if internal(imports(tree))]
    assert len(speaking) <= 22, speaking
    assert 3 * len(speaking) <= len(TESTS)
    patched = [(file, name) for file, tree in trees.items() for name in internal(paths(tree))]
    assert len(patched) <= 22, patched


VAGUE = {"found", "known", "lost", "own", "parts", "seen"}
"""Names that do not say what a value is."""
FIELDS = {"networks.losses.start.own", "torch.studies.arm.seen"}
"""Public fields of results and tasks, which users and files name."""


def assigned(module: str) -> Iterator[str]:
    """Yield the names of the variables, parameters and attributes that a module assigns."""
    for node in nodes(module):
        match node:
            case ast.Name(name, ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(name):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name


def test_names_say_what_their_values_are() -> None:
    vague = {f"{module}.{name}" for module in FILES for name in assigned(module) if name.strip("_") in VAGUE}
    assert {name.removeprefix("igbtheory.") for name in vague} == FIELDS
