"""Sphinx: how the documentation is built. `sphinx-build -W docs docs/_build` from the root of the checkout."""

from typing import Any

import igbtheory

project = "igbtheory"
author = "The igbtheory developers"
release = igbtheory.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.doctest", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"igbtheory {release}"

autodoc_typehints = "none"
autodoc_member_order = "bysource"

# every example on every page is run by `sphinx-build -b doctest`
doctest_global_setup = "import numpy as np\nimport igbtheory as igb"


def _plain(_app: Any, _what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Docstrings are plain text with formulas, in which an asterisk is no markup."""
    lines[:] = [line.replace("*", r"\*") for line in lines]


def setup(app: Any) -> None:
    """What Sphinx calls to extend itself."""
    app.connect("autodoc-process-docstring", _plain)
