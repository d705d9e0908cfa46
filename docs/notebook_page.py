"""Turn a notebook into a page whose code cells are doctest examples."""

import ast
import json
import os
import re
from typing import Any

HEADINGS = {"#": "=", "##": "-"}
"""The character that underlines a heading of each rank."""
MARKUP = (
    (r"(?<!`)`([^`]+)`(?!`)", r"``\1``"),
    (r"\$([^$]+)\$", r":math:`\1`"),
    (r"\[([^]]+)\]\((\w+)\.\w+\)", r":doc:`\1 <\2>`"),
    (r"\[([^]]+)\]\((http[^)]+)\)", r"`\1 <\2>`__"),
)
"""Patterns of Markdown, and their replacements in reStructuredText."""


PLACES = {
    "Colab": "https://colab.research.google.com/github/{repository}/blob/main/docs/{name}.ipynb",
    "Binder": "https://mybinder.org/v2/gh/{repository}/main?labpath=docs/{name}.ipynb",
}
"""Where a notebook runs without an installation: addresses by names. The folder .binder says what Binder installs."""


def page(text: str, name: str) -> str:
    """Return a notebook as reStructuredText; it may contain headings, paragraphs, lists, code, links and formulas.

    Where GitHub builds the page, links open the notebook in a browser: only there is the address of the repository
    known. A cell with the tag install, which such a place needs, is left out.
    """
    first, *others = json.loads(text)["cells"]
    makers = {"markdown": _markdown, "code": _code}
    cells = [makers[cell["cell_type"]](cell) for cell in others if "install" not in cell["metadata"].get("tags", ())]
    return "\n\n".join([_markdown(first), *_links(name), *cells]) + "\n"


def _links(name: str) -> list[str]:
    """Return the paragraph of links to the places where a notebook runs, or none where no repository is known."""
    repository = os.environ.get("GITHUB_REPOSITORY")
    links = (f"`Open in {place} <{url.format(repository=repository, name=name)}>`__" for place, url in PLACES.items())
    return [", ".join(links)] if repository else []


def _markdown(cell: Any) -> str:
    found = "".join(cell["source"])
    # text, language, code, text, language, code, ..., text
    parts = re.split(r"```(\w+)\n(.*?)```", found, flags=re.DOTALL)
    made = []
    for i in range(0, len(parts), 3):
        made.append("\n".join(_line(line) for line in parts[i].strip().splitlines()))
        if i + 2 < len(parts):
            made.append(_block(f"code-block:: {parts[i + 1]}", parts[i + 2]))
    return "\n\n".join(made)


def _line(line: str) -> str:
    rank, _, title = line.partition(" ")
    if rank in HEADINGS:
        return f"{title}\n{HEADINGS[rank] * len(title)}"
    for pattern, replacement in MARKUP:
        line = re.sub(pattern, replacement, line)
    return line


def _code(cell: Any) -> str:
    """Return the statements with prompts and their printed output, followed by pictures and HTML."""
    source = "".join(cell["source"])
    first = {statement.lineno for statement in ast.parse(source).body}
    lines = [f"{'>>>' if i in first else '...'} {line}" for i, line in enumerate(source.splitlines(), 1) if line]
    printed = "".join(_text(output) for output in cell["outputs"])
    blocks = [_block("doctest::", "\n".join([*lines, re.sub(r"\n(?=\n)", "\n<BLANKLINE>", printed)]))]
    return "\n\n".join(blocks + [_block("raw:: html", html) for html in map(_shown, cell["outputs"]) if html])


def _text(output: Any) -> str:
    if output["output_type"] == "stream":
        return "".join(output["text"])
    # the text of a picture, its size, is not printed outside a notebook
    return "".join(output["data"]["text/plain"]) if output["output_type"] == "execute_result" else ""


def _shown(output: Any) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        text = "".join(data["image/png"]).replace("\n", "")
        return f'<img alt="The picture that the example draws" src="data:image/png;base64,{text}">'
    return "".join(data.get("text/html", ""))


def _block(directive: str, text: str) -> str:
    return f".. {directive}\n\n" + "\n".join(f"   {line}".rstrip() for line in text.strip().splitlines())
