"""Imports: the package is instant, and a prediction loads nothing that it does not need."""

import subprocess
import sys

import pytest

HEAVY = ("sympy", "matplotlib", "torch", "numpy", "scipy", "mpmath", "rich", "cyclopts")


@pytest.mark.parametrize(
    ("code", "spared"),
    [
        ("import igbtheory", HEAVY),
        (
            "import igbtheory as igb; igb.mlp(3, 'relu').predict().G0.std()",
            ("sympy", "matplotlib", "scipy.special", "mpmath"),
        ),
        ("import igbtheory as igb; igb.mlp(3, 'x*tanh(x)').predict()", ("sympy", "matplotlib", "torch")),
        ("import igbtheory as igb; igb.measure", ("sympy", "matplotlib", "torch")),
        ("from igbtheory.cli import app; app['measure']", ("sympy", "torch")),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code: str, spared: tuple[str, ...]) -> None:
    script = f"{code}\nimport sys\nprint([name for name in {spared!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"
