"""Write the files of a folder of pages."""

from pathlib import Path


def write_changed(folder: Path, texts: dict[str, str]) -> None:
    """Write files with these names and texts, and remove all others. Sphinx skips unchanged files, so leave those."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.is_file() and old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
