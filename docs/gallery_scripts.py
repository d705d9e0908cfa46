"""Write a script for each figure of the gallery, which shows a stored picture.

Drawing the pictures takes minutes, so they are stored in `gallery_pictures`. `python docs/gallery_scripts.py [NAME]`
draws those whose figure has changed, and the named ones in any case, each with its caption.
"""

import hashlib
import io
import json
import re
import sys
from pathlib import Path

from changed_files import write_changed
from derivation_pages import plain
from PIL import Image

from igbtheory.foundations.shipped import own_folder
from igbtheory.presentation.pictures import STYLES, Run, Sheet, sheets

PICTURES = Path(__file__).parent / "gallery_pictures"
LIST = PICTURES / "pictures.json"
"""The list of the pictures of each figure, with a digest of the file of the figure."""
EFFORT, DPI, COLOURS = 0.5, 100, 256
HEAD = f"""Gallery
=======

``igb figures --style screen`` draws these figures, among them those of the papers; here with {EFFORT:.0%} of the
simulated networks. Lines are theory; the caption of a figure says what its points and histograms are.
"""
SCRIPT = '''r"""
{title}
{line}

{text}

{images}
"""
# sphinx_gallery_thumbnail_path = "gallery_pictures/{thumbnail}"
import igbtheory as igb

igb.write_figures("{name}", style="screen")

# %%
# The file of this figure:
#
# .. literalinclude:: ../../figures/{name}.py
'''


def write_scripts(folder: Path) -> None:
    """Write a script for every figure into the folder."""
    scripts = {"GALLERY_HEADER.rst": HEAD}
    stored = json.loads(LIST.read_text(encoding="utf-8"))
    for sheet in sheets():
        title = re.sub(r"([\\*`_|])", r"\\\1", sheet.title)
        pictures = stored[sheet.name]["pictures"]
        scripts[f"{sheet.name}.py"] = SCRIPT.format(
            title=title,
            line="=" * len(title),
            text=plain(caption_file(sheet).read_text(encoding="utf-8").partition("\n\n")[2]),
            name=sheet.name,
            images="\n".join(f".. image:: /gallery_pictures/{picture}\n   :alt: {sheet.title}" for picture in pictures),
            thumbnail=pictures[0],
        )
    write_changed(folder, scripts)


def source(sheet: Sheet) -> str:
    """Return the source code of a figure."""
    return (own_folder("figures") / f"{sheet.name}.py").read_text(encoding="utf-8")


def caption_file(sheet: Sheet) -> Path:
    """Return the file of the caption of a figure."""
    return PICTURES / f"{sheet.name}.txt"


def digest(sheet: Sheet) -> str:
    """Return a digest of the source code of a figure, without the places from which it imports."""
    drawing = re.sub(r"^(from|import) .*\n", "", source(sheet), flags=re.MULTILINE)
    return hashlib.sha256(drawing.encode()).hexdigest()[:16]


def draw(sheet: Sheet) -> list[str]:
    """Draw the pictures of a figure, write its caption, and return the names of the pictures."""
    found = []
    style, run = STYLES["screen"], Run(EFFORT)
    with style.context():
        pages = sheet.pages(sheet.compute(run), style)
        caption_file(sheet).write_text(sheet.caption(run, pages), encoding="utf-8")
        for page, figure in pages.items():
            file = io.BytesIO()
            figure.savefig(file, dpi=DPI)
            found.append(f"{sheet.name}-{page}.png" if page else f"{sheet.name}.png")
            picture = Image.open(file).convert("RGB")
            picture.quantize(COLOURS, dither=Image.Dither.NONE).save(PICTURES / found[-1], optimize=True)
    return found


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    known = json.loads(LIST.read_text(encoding="utf-8")) if LIST.exists() else {}
    for each in sheets():
        if each.name in sys.argv[1:] or known.get(each.name, {}).get("digest") != digest(each):
            known[each.name] = {"digest": digest(each), "pictures": draw(each)}
            LIST.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
