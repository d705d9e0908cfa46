"""Class labels: by which names they are known, which arrays contain them, and which of them outputs guess."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from igbtheory.foundations import checks

Labels = NDArray[np.int64]
_LABELS = """y ytrain label labels target targets class classes category species outcome diagnosis survived
klasse ziel zielvariable etikett classe etiquette cible clase etiqueta objetivo rotulo alvo etichetta
метка класс цель 标签 标记 类别 目标 ラベル クラス 라벨 클래스"""
LABELS = {*_LABELS.split()}
"""Words by which labels are known, in lower case: "Class Label" has two of them."""
SURE = {"label", "labels", "target", "targets"}
"""Those that are names of nothing else."""


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case: those of targetClass are target and class."""
    return [word for word in re.split(r"[\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()) if word]


def named_as_labels(name: str) -> bool:
    """Return whether a column or an array has a name as of labels."""
    words = words_of(name)
    return bool(words) and ("".join(words) in LABELS or LABELS.issuperset(words))


def surely_labels(name: str) -> bool:
    """Return whether a name of labels is the name of nothing else."""
    return not SURE.isdisjoint(words_of(name))


def labels_in(y: Any) -> Labels | None:
    """Return the class labels that an array holds, (n_samples,), or None if it holds numbers that outputs should have.

    Whole numbers from 0 on in one dimension, or integers in one column, are labels, whatever their type. The numbers
    -1 and 1 together are values of one output, and so are numbers that are not whole; an array of floats in two
    dimensions has the values of several outputs. ValueError: other negative whole numbers.
    """
    array = np.asarray(checks.unmasked("labels", y))
    column = array.ndim == 2 and array.shape[1] == 1 and array.dtype.kind in "iub"
    line = array[:, 0] if column else array
    if line.ndim != 1 or not line.size or line.dtype.kind not in "iufb":
        return None
    if not np.all(np.isfinite(line)) or np.any(line != np.round(line)) or np.array_equal(np.unique(line), (-1, 1)):
        return None
    if line.min() < 0:
        raise ValueError(
            f"expected class labels 0, 1, ..., got {line.min():g}; number the classes from 0, or pass values of "
            "outputs as floats in an array of two dimensions"
        )
    return line.astype(np.int64)


def empty_classes(labels: Labels) -> list[str]:
    """Return a warning if numbers below the largest label are no labels: the network has outputs for them as well."""
    classes = np.unique(labels)
    count = int(classes[-1]) + 1 - len(classes)
    if count <= 0:
        return []
    first = int(np.argmax(np.append(classes, -1) != np.arange(len(classes) + 1)))
    others = f" and {count - 1} other labels" if count > 1 else ""
    sentence = f"no data have the label {first}{others} below {classes[-1]}"
    return [f"{sentence}; if there are no such classes, number the labels anew from 0, without gaps"]


def guesses(outputs: NDArray[np.floating[Any]]) -> Labels:
    """Return the guessed classes, (...), for outputs (..., outputs): the first of the largest, as argmax returns it.

    A single output is that of class 0; class 1 then has the output 0.
    """
    return np.asarray(outputs[..., 0] < 0 if outputs.shape[-1] == 1 else outputs.argmax(axis=-1), dtype=np.int64)
