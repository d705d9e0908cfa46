"""Trees of laws that earlier commits saved, when each law had a class of its own, as trees of a source and a statistic.

Trees are plain values, and nothing is run to rewrite them: see `saved`.
"""

from typing import Any

Tree = dict[str, Any]
GUESSES = "igbtheory.guesses:"
ALONE = ("VariedGuessLaw", "DatasetGuessLaw", "DrawnGuessLaw")
"""Laws of the share of class 0 that are now a source, by whose names they are read."""
SOURCES = dict(zip(ALONE, ("VariedOutputs", "KernelOutputs", "FeatureOutputs"), strict=True))


def renewed(name: str, fields: Tree) -> tuple[str, Tree]:
    """Return the name of a class and the trees of its fields, as they are written now."""
    last = name.rpartition(":")[2]
    if last in ALONE:
        return "igbtheory:GuessLaw", {"source": _source(name, fields)}
    if last == "WidthPrediction" and "G0" in fields:
        rest = {key: value for key, value in fields.items() if key != "G0"}
        return name, {**rest, "source": _source_of(fields["G0"])}
    if last == "Prediction" and fields.get("dataset"):
        return name, {**fields, "dataset": _source_of(fields["dataset"])}
    if last in _STATISTICS and "source" not in fields:
        statistic, used = _STATISTICS[last]
        kept = {key: value for key, value in fields.items() if key in used}
        if last.startswith("Batched"):
            kept["D"] = fields.get("D") or fields["binary"]["fields"]["D"]
        return statistic, {"source": _source(name, fields), **kept}
    return name, fields


_STATISTICS = {
    "GuessLaw": ("igbtheory:GuessLaw", ()),
    "ClassGuessLaw": (f"{GUESSES}ClassGuessLaw", ("n_classes",)),
    "DatasetClassLaw": (f"{GUESSES}ClassGuessLaw", ("n_classes",)),
    "SoftmaxLaw": (f"{GUESSES}SoftmaxLaw", ("n_classes", "temperature")),
    "DatasetSoftmaxLaw": (f"{GUESSES}SoftmaxLaw", ("n_classes", "temperature")),
    "FiniteGuessLaw": (f"{GUESSES}FiniteGuessLaw", ("D",)),
    "BatchedGuessLaw": (f"{GUESSES}FiniteGuessLaw", ()),
    "FiniteClassLaw": (f"{GUESSES}FiniteClassLaw", ("n_classes", "D")),
    "BatchedClassLaw": (f"{GUESSES}FiniteClassLaw", ("n_classes",)),
    "RouterLaw": (f"{GUESSES}RouterLaw", ("experts", "top")),
    "DatasetRouterLaw": (f"{GUESSES}RouterLaw", ("experts", "top")),
}
"""What each law was: its statistic, and the fields of the statistic."""


def _source_of(law: Tree) -> Tree:
    """Return the tree of the source of a law, or what is no law as it is."""
    return _source(law["type"], law["fields"]) if law.get("type", "").endswith("Law") else law


def _source(name: str, fields: Tree) -> Tree:
    """Return the tree of the source of a law."""
    last = name.rpartition(":")[2]
    if last in SOURCES:
        return {"type": GUESSES + SOURCES[last], "fields": fields}
    for inner in ("binary", "law"):
        if inner in fields:
            return _source_of(fields[inner])
    if "c_within" in fields:
        c, size = fields["c"], fields["batch_size"]
        batches = {"c": c, "c_within": fields["c_within"], "size": size}
        gamma = c / (1.0 - c) if c < 1.0 else {"float": "inf"}
        return _gaussian(gamma=gamma, batches={"type": f"{GUESSES}Batches", "fields": batches})
    if "var_chi" in fields:
        var_mu, var_chi = fields["var_mu"], fields["var_chi"]
        gamma = var_mu / var_chi if var_chi else {"float": "inf"}
        return _gaussian(gamma=gamma, variances={"tuple": [var_mu, var_chi]})
    return _gaussian(gamma=fields["gamma"], **({"batches": fields["counts"]} if "counts" in fields else {}))


def _gaussian(**fields: Any) -> Tree:
    return {"type": f"{GUESSES}GaussianOutputs", "fields": fields}
