"""Write the pages that are made from the code: derivations, figures of the gallery, and public names."""

from pathlib import Path

import derivation_pages
import gallery_scripts
import reference_pages


def write_all(docs: Path) -> None:
    """Write all of them into folders beside the other pages."""
    derivation_pages.write_pages(docs / "derivations")
    gallery_scripts.write_scripts(docs / "gallery_scripts")
    reference_pages.write_pages(docs)
