"""Configure Sphinx. Run `sphinx-build -W docs docs/_build` in the root of the checkout to build the documentation."""

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

import igbtheory

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from notebook_page import page  # noqa: E402 - a file of this folder
from reference_pages import described  # noqa: E402 - as above

project = "igbtheory"
author = "The igbtheory developers"
release = igbtheory.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".ipynb": "restructuredtext"}
exclude_patterns = ["_build", "gallery_scripts", "gallery/*.ipynb"]

# -t written, for builds beside each other, spares seconds where an earlier one has written all pages
written = tags.has("written")  # noqa: F821 - Sphinx defines it
if not written:
    from written_pages import write_all

    write_all(HERE)
sphinx_gallery_conf = {
    "examples_dirs": [] if written else [str(HERE / "gallery_scripts")],
    "gallery_dirs": [] if written else [str(HERE / "gallery")],
    "plot_gallery": False,  # the pictures are stored
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "remove_config_comments": True,
}

html_theme = "furo"
html_title = f"igbtheory {release}"
html_show_copyright = False
html_math_renderer = "mathml"

autosummary_generate = False  # reference_pages writes the pages
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False  # what all layers have is told once, on the page of Layer
maximum_signature_line_length = 88
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# `sphinx-build -b doctest` runs every example on every page
doctest_global_setup = """
import importlib.util
import mpmath
import numpy as np
import igbtheory as igb
torch = importlib.util.find_spec("torch")  # None if PyTorch is missing: skip the examples that need it
distributed = importlib.util.find_spec("distributed")  # None if dask is missing
"""


def _inline(writer: Any, node: Any) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(writer: Any, node: Any) -> None:
    # without the padding the theme adds a scroll bar
    writer.body.append(f"<div style='padding: 0.5em 0'>{convert(node.astext(), display='block')}</div>")
    raise nodes.SkipNode


def _plain(_app: Any, _what: str, _name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Make a page of a docstring, which is plain text with formulas, not reStructuredText."""
    lines[:] = described(thing, lines)


def _notebook(app: Any, name: str, source: list[str]) -> None:
    if app.env.doc2path(name).suffix == ".ipynb":
        source[0] = page(source[0], name)


def setup(app: Any) -> None:
    """Render formulas as MathML, which browsers show offline; read docstrings as plain text and notebooks as pages."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("autodoc-process-docstring", _plain)
    app.connect("source-read", _notebook)
