"""Write a script for each figure when the documentation is built; Sphinx-Gallery runs the scripts for the gallery."""

import re
from pathlib import Path
from typing import Any

from derivation_pages import plain, write_changed
from sphinx_gallery.scrapers import figure_rst

from igbtheory.pictures import STYLES, sheets
from igbtheory.shipped import own_folder

STYLE = "screen"
HEAD = """Gallery
=======

These are the figures of the papers, and others, as ``igb figures --quick --style screen`` draws them. Lines are theory;
points and histograms are simulated networks. Without ``--quick`` the command simulates more networks.
"""
SCRIPT = '''r"""
{title}
{line}

{text}
"""

from igbtheory.pictures import STYLES, Run, sheets

(sheet,) = sheets(["{name}"])
style = STYLES["{style}"]
with style.context():
    drawn = sheet.draw(sheet.compute(Run(0.08)), style)
pages = drawn if isinstance(drawn, dict) else {{"": drawn}}

# %%
# The file of this figure:
#
# .. literalinclude:: ../../figures/{name}.py
'''


def write_scripts(folder: Path) -> None:
    """Write a script for every figure into the folder; leave unchanged scripts alone."""
    scripts = {"GALLERY_HEADER.rst": HEAD}
    for sheet in sheets():
        text = (own_folder("figures") / f"{sheet.name}.py").read_text(encoding="utf-8").split('"""')[1]
        about = plain(text.partition("\n")[2].strip() or sheet.title + ".")
        title = re.sub(r"([\\*`_|])", r"\\\1", sheet.title)
        scripts[f"{sheet.name}.py"] = SCRIPT.format(
            title=title, line="=" * len(title), text=about, name=sheet.name, style=STYLE
        )
    write_changed(folder, scripts)


def drawn_figures(block: Any, variables: dict[str, Any], settings: dict[str, Any]) -> str:
    """Save the figures that a script drew and return the text that shows them."""
    del block
    pages = variables["example_globals"].pop("pages", {})
    paths = [path for _, path in zip(pages, variables["image_path_iterator"], strict=False)]
    with STYLES[STYLE].context():
        for figure, path in zip(pages.values(), paths, strict=True):
            figure.savefig(path)
    return str(figure_rst(paths, settings["src_dir"]))
