"""The papers whose claims are tested, by the letter with which the id of a claim begins."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Paper:
    """A paper; its `str` is a line for a list.

    document: what was read of it, in a few words. year: None if undated. arxiv: number on arXiv, or "". venue: where
    the paper appeared, or "". read: which version or part of the paper was read. replaced: whether the authors have
    replaced the version that was read.
    """

    document: str
    key: str
    authors: tuple[str, ...]
    title: str
    year: int | None
    arxiv: str = ""
    venue: str = ""
    read: str = ""
    replaced: bool = False

    @property
    def initials(self) -> str:
        """Authors with the initials of their first names."""
        names = (author.split() for author in self.authors)
        return ", ".join(" ".join([*(f"{name[0]}." for name in first), last]) for *first, last in names)

    def __str__(self) -> str:
        place = f"{self.venue} {self.year or ''}".strip()
        number = f"arXiv:{self.arxiv}" if self.arxiv else ""
        return ", ".join(part for part in (self.initials, self.title, place, number, self.read) if part)

    def bibtex(self) -> str:
        """Return the BibTeX entry."""
        fields = {"author": " and ".join(self.authors), "title": f"{{{self.title}}}".replace("&", r"\&")}
        if self.arxiv:
            fields |= {"year": str(self.year), "eprint": self.arxiv, "archivePrefix": "arXiv", "primaryClass": "cs.LG"}
        if self.venue:
            fields["booktitle" if self.arxiv else "howpublished"] = self.venue
        kind = "inproceedings" if self.arxiv and self.venue else "misc"
        lines = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
        return f"@{kind}{{{self.key},\n{lines}\n}}\n"


PAPERS = {
    "A": Paper(
        "text of version 4",
        "francazi2024initial",
        ("Emanuele Francazi", "Aurelien Lucchi", "Marco Baity-Jesi"),
        "Initial Guessing Bias: How Untrained Networks Favor Some Classes",
        2024,
        "2306.00809",
        "International Conference on Machine Learning (ICML)",
        "read in arXiv version 4, replaced by version 6, which we have not read",
        replaced=True,
    ),
    "B": Paper(
        "slides",
        "francazi-slides",
        ("Emanuele Francazi",),
        "Emergence of Bias in DNN Predictions & Its Impact on Trainability",
        None,
        venue="slides of a talk",
    ),
    "C": Paper(
        "summary",
        "pellegrino2025effects",
        ("Nicholas Pellegrino", "David Szczecina", "Paul W. Fieguth"),
        "Effects of Initialization Biases on Deep Neural Network Training Dynamics",
        2025,
        "2511.20826",
        read="read as a third-party summary",
    ),
    "D": Paper(
        "summary",
        "bassi2026when",
        ("Alberto Bassi", "Marco Baity-Jesi", "Aurelien Lucchi", "Carlo Albert", "Emanuele Francazi"),
        "When Bias Meets Trainability: Connecting Theories of Initialization",
        2026,
        "2505.12096",
        "International Conference on Learning Representations (ICLR)",
        "read as a third-party summary and a list of claims on its poster",
    ),
    "E": Paper(
        "preprint",
        "francazi2025where",
        ("Emanuele Francazi", "Francesco Pinto", "Aurelien Lucchi", "Marco Baity-Jesi"),
        "Where You Place the Norm Matters: From Prejudiced to Neutral Initializations",
        2025,
        "2505.11312",
        read="version 4 of 2026",
    ),
}
