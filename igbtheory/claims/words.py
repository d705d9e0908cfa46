"""Words of a statement that decide whether it is true: numbers, signs, directions, quantities, and quotations."""

import re
from collections.abc import Iterable, Iterator

from igbtheory.claims.finding import Finding

OPPOSITES = (
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("increasing", "decreasing"),
    ("raises", "lowers"),
    ("raise", "lower"),
    ("rises", "falls"),
    ("grows", "shrinks"),
    ("grow", "shrink"),
    ("larger", "smaller"),
    ("largest", "smallest"),
    ("large", "small"),
    ("greater", "smaller"),
    ("higher", "lower"),
    ("high", "low"),
    ("wider", "narrower"),
    ("wide", "narrow"),
    ("longer", "shorter"),
    ("faster", "slower"),
    ("more", "less"),
    ("most", "least"),
    ("strong", "weak"),
    ("stronger", "weaker"),
    ("above", "below"),
    ("exceeds", "stays below"),
    ("amplifies", "weakens"),
    ("creates", "removes"),
    ("keeps", "changes"),
    ("keep", "lose"),
    ("loses", "gains"),
    ("every", "no"),
    ("all", "no"),
    ("any", "no"),
    ("always", "never"),
    ("both", "neither"),
    ("only", "not only"),
    ("reduces", "raises"),
    ("reduce", "raise"),
    ("reduction", "growth"),
    ("multiplies", "divides"),
    ("multiplied", "divided"),
    ("doubles", "halves"),
    ("vanish", "explode"),
    ("vanishes", "diverges"),
    ("ordered", "chaotic"),
    ("stable", "unstable"),
    ("persistent", "transient"),
    ("prejudiced", "neutral"),
    ("prejudice", "neutrality"),
    ("equal", "unequal"),
    ("equivalent", "not equivalent"),
    ("identical", "different"),
    ("identically", "differently"),
    ("independent", "dependent"),
    ("uncorrelated", "correlated"),
    ("even", "odd"),
    ("positive", "negative"),
    ("exponentially", "linearly"),
    ("infinite", "finite"),
    ("infinitely", "finitely"),
    ("infinity", "zero"),
    ("bounded", "unbounded"),
    ("continuous", "discontinuous"),
    ("smooth", "jagged"),
    ("linear", "curved"),
    ("homogeneous", "inhomogeneous"),
    ("centred", "shifted"),
    ("isotropic", "correlated"),
    ("uniform", "peaked"),
    ("full", "mini"),
    ("left", "right"),
    ("upper", "lower"),
    ("in front of", "behind"),
    ("without", "with"),
    ("does", "does not"),
    ("is", "is not"),
    ("are", "are not"),
    ("not", "indeed"),
)
"""Pairs of words that turn a statement into another one."""
SIGNS = ("<=", ">="), ("<", ">"), ("<<", ">>")
"""Pairs of signs that turn a relation around."""
COUNTS = "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
"""Small numbers as words."""
PAIRS = *OPPOSITES, *SIGNS, *((COUNTS[i], COUNTS[i - 1]) for i in range(len(COUNTS)))
OPPOSITE = {b: a for a, b in reversed(PAIRS)} | dict(reversed(PAIRS))
"""What the benchmark of mutants puts in the place of a word, of a number as a word, or of a sign."""
AUXILIARY = {"is", "are", "does", "is not", "are not", "does not", "only", "not only", "with", "indeed"}
"""Words of the pairs that every sentence has; they need no evidence."""
NUMBER = re.compile(r"(?<![\w^_.\[(-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*[\])_^(])")
"""A number in words; not an index or a power (l+1, q_11, x^2), nor the number of an equation in brackets."""
_WORDS = sorted((word for word in OPPOSITE if word not in AUXILIARY and word[0].isalpha()), key=len, reverse=True)
DECIDING = re.compile(rf"{NUMBER.pattern}|(?<=\s)(?:<<|>>|[<>]=?)(?=\s)|\b(?i:{'|'.join(_WORDS)})\b")
"""A number, sign or word of these lists."""
QUOTED = re.compile(r"[“\"](.+?)[”\"](?: \(([^()]*)\))?")
"""A quotation, and its place in the document if that stands behind it in brackets."""


def weighty(text: str) -> list[str]:
    """Return the numbers and signs, and the words of direction or quantity, of a text."""
    return [match[0].lower() for match in DECIDING.finditer(text)]


def places_of(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Yield the places where a phrase stands in a text as whole words."""
    return re.finditer(rf"(?<![\w.]){re.escape(phrase)}(?!\w|\.\d)", text)


def plain(text: str) -> str:
    """Return the words of a text, without punctuation and in small letters, with a space on either side of each."""
    words = re.sub(r"[^\w.]+", " ", text).lower().split()
    return " ".join(["", *(word.strip(".") for word in words), ""])


def loose(text: str, findings: Iterable[Finding]) -> list[str]:
    """Return the deciding words of a text that no evidence fills in and that stand in no quotation."""
    bound = [match.span() for match in QUOTED.finditer(text)]
    for finding in findings:
        for place in places_of(finding.label, text) if finding.filled else ():
            bound += [(place.start() + start, place.start() + end) for start, end in finding.filled]
    return [
        match[0]
        for match in DECIDING.finditer(text)
        if not any(start <= match.start() and match.end() <= end for start, end in bound)
    ]
