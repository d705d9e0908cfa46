"""Translation of the library's messages for the command line: sigma_w2=2.0 becomes --sigma-w2 2.0."""

import re

OPTIONS = {"n_classes": "classes", "D": "samples"}
"""Parameters of the library whose options have other names."""
PARAMETERS = (
    *("activation_shift", "batch_size", "cut_off", "label_column", "n_classes", "sigma_b2", "sigma_w2"),
    *(
        "D",
        "activation",
        "axes",
        "classes",
        "depth",
        "digits",
        "draws",
        "executor",
        "first",
        "header",
        "key",
        "level",
        "networks",
        "norm",
    ),
    *("placement", "pool", "samples", "seed", "shift", "store", "temperature", "variance", "vary", "width", "within"),
    *("device", "workers"),
)
"""Parameters of the library that are options of commands."""
_NAME = "|".join(PARAMETERS)
_LONG = "|".join(name for name in PARAMETERS if "_" in name and name != "activation_shift")
_RULES = (
    (re.compile(r"Activation\(\.\.\., (\w+)=1\)"), lambda found: f"--param {found[1]}=1"),
    (
        re.compile(r"\bGaussianInputs\(([-\d.]+), ([-\d.]+)\)"),
        lambda found: f"--shift {found[1]} --variance {found[2]}",
    ),
    (re.compile(rf"\b\w+\(({_NAME})=([^\s,;()]+)\)"), lambda found: f"{_option(found[1])} {found[2]}"),
    (re.compile(rf"(?<![-\w.])({_NAME})=(\([^()]*\)|[^\s,;()]+)"), lambda found: f"{_option(found[1])} {found[2]}"),
    (re.compile(rf"(?<![-\w.\"'])({_LONG})(?![\w(])"), lambda found: _option(found[1])),
    (re.compile(rf"^(expected |)({_NAME})(?=:| [<>]=? | to be )"), lambda found: f"{found[1]}{_option(found[2])}"),
)
_LAYER = re.compile(r"(\b(?!GaussianInputs|Activation\(\.)[A-Z]\w*\((?:[^()]|\([^()]*\))*\))")
"""Pattern of a layer as text, with at most one call in its brackets, in which parameters keep their names."""


def spelled(message: str) -> str:
    """Return the message with the parameters of the library replaced by the options of the command line.

    The texts of layers, and the values that are known for an option, stay as the user writes them.
    """
    sentence, colon, values = message.partition("known: ")
    texts = _LAYER.split(sentence)
    texts[::2] = map(_replaced, texts[::2])  # between them stand the layers
    return "".join(texts) + colon + values


def _replaced(text: str) -> str:
    for pattern, option in _RULES:
        text = pattern.sub(option, text)
    return text


def _option(name: str) -> str:
    return f"--{OPTIONS.get(name, name).replace('_', '-')}"
