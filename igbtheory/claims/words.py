"""Words of a statement that decide whether it is true: numbers, directions, quantities."""

import re

OPPOSITES = (
    ("increase", "decrease"),
    ("increases", "decreases"),
    ("increasing", "decreasing"),
    ("raises", "lowers"),
    ("rises", "falls"),
    ("grows", "shrinks"),
    ("larger", "smaller"),
    ("largest", "smallest"),
    ("greater", "smaller"),
    ("higher", "lower"),
    ("wider", "narrower"),
    ("longer", "shorter"),
    ("faster", "slower"),
    ("more", "less"),
    ("most", "least"),
    ("above", "below"),
    ("exceeds", "stays below"),
    ("amplifies", "weakens"),
    ("creates", "removes"),
    ("keeps", "changes"),
    ("every", "no"),
    ("all", "no"),
    ("any", "no"),
    ("always", "never"),
    ("only", "not only"),
    ("reduces", "raises"),
    ("reduce", "raise"),
    ("reduction", "growth"),
    ("vanish", "explode"),
    ("vanishes", "diverges"),
    ("ordered", "chaotic"),
    ("stable", "unstable"),
    ("prejudiced", "neutral"),
    ("prejudice", "neutrality"),
    ("equal", "unequal"),
    ("equivalent", "not equivalent"),
    ("identical", "different"),
    ("independent", "dependent"),
    ("even", "odd"),
    ("exponentially", "linearly"),
    ("infinite", "finite"),
    ("infinity", "zero"),
    ("uniform", "peaked"),
    ("does", "does not"),
    ("is", "is not"),
    ("are", "are not"),
)
"""Pairs of words that turn a statement into another one."""
OPPOSITE = {b: a for a, b in reversed(OPPOSITES)} | dict(reversed(OPPOSITES))
"""The word that the benchmark of mutants puts in the place of another."""
AUXILIARY = {"is", "are", "does", "is not", "are not", "does not", "only", "not only"}
"""Words of the pairs that every sentence has; a quotation need not contain them."""
NUMBER = re.compile(r"(?<![\w^_.\[(-])\d+(\.\d+)?(?![\w.]*[\])_^(])")
"""A number in words; not an index or a power (l+1, q_11, x^2), nor the number of an equation in brackets."""


def weighty(text: str) -> list[str]:
    """Return the numbers, and the words of direction or quantity, of a text."""
    words = [word for word in re.findall(r"[a-z]+", text.lower()) if word in OPPOSITE and word not in AUXILIARY]
    return [match[0] for match in NUMBER.finditer(text)] + words
