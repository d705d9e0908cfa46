"""Translation of the library's messages for the command line: sigma_w2=2.0 becomes --sigma-w2 2.0."""

import re
from functools import cache
from typing import Any

OPTIONS = {"n_classes": "classes", "D": "samples"}
"""Parameters of the library whose options have other names."""
OF_LAYERS = "sigma_b2|sigma_w2|activation|batch_size|depth|norm|placement|pool|"
"""Pattern of the parameters that are options of networks, but for those that are described layer by layer."""
PARAMETERS = (
    "activation_shift|axes|classes|cut_off|D|decimal|device|digits|draws|drop_columns|executor|first|header|key|"
    "label_column|level|n_classes|networks|samples|seed|separator|shift|store|temperature|variance|vary|width|within|workers"
)
"""Pattern of other parameters of the library that are options of commands."""
_LAYER = re.compile(r"(\b(?!GaussianInputs|Activation\(\.)[A-Z]\w*\((?:[^()]|\([^()]*\))*\))")
"""Pattern of a layer as text, with at most one call in its brackets, in which parameters keep their names."""


def spelled(message: str, *, layers: bool = False) -> str:
    """Return the message with the parameters and calls of the library replaced by options and commands.

    layers: whether the network is described layer by layer. The texts of layers, and the values that are known for an
    option, stay as the user writes them.
    """
    sentence, colon, values = message.partition("known: ")
    texts = _LAYER.split(sentence)
    for pattern, option in _rules(layers=layers):
        texts[::2] = [pattern.sub(option, text) for text in texts[::2]]  # between them stand the layers
    return "".join(texts) + colon + values


@cache
def _rules(*, layers: bool) -> tuple[tuple[re.Pattern[str], Any], ...]:
    """Return patterns, and what replaces them."""
    names = PARAMETERS if layers else OF_LAYERS + PARAMETERS
    long = "|".join(name for name in names.split("|") if "_" in name and name != "activation_shift")
    return (
        (
            re.compile(r"predict on a subsample, for example X\[\S+choice\(\d+, (\d+), replace=False\)\]"),
            r"pass --sample \1",
        ),
        (re.compile(r"(?:draw|pass) (images|sequences), for example .*?(?=, and move|$)"), r"name \1 with --data"),
        (re.compile(r"\bpass D\b"), "pass --samples"),
        (re.compile(r"Activation\(\.\.\., (\w+)=1\)"), r"--param \1=1"),
        (re.compile(r"\bGaussianInputs\(([-\d.]+), ([-\d.]+)\)"), r"--shift \1 --variance \2"),
        (
            re.compile(rf"\b(\w+)\(({names})=([^\s,;()]+)\)"),
            lambda match: f"igb {match[1]} {_option(match[2])} {match[3]}",
        ),
        (re.compile(r"\b(certify|derive|predict|simulate)\(\)"), r"igb \1"),
        (
            re.compile(rf"(?<![-\w.])({names})=\((\w+), (\w+)\)"),
            lambda match: f"{_option(match[1])} {match[2]} {match[3]}",
        ),
        (
            re.compile(rf"(?<![-\w.])({names})=('[^']*'|\([^()]*\)|[^\s,;()]+)"),
            lambda match: f"{_option(match[1])} {match[2]}",
        ),
        (re.compile(rf"(?<![-\w.])({names}|features)=(?=[\s,;)])"), lambda match: _option(match[1])),
        (re.compile(rf"(?<!--vary )(?<![-\w.\"'])({long})(?![\w(])"), lambda match: _option(match[1])),
        (re.compile(rf"^(expected |)({names})(?=:| [<>]=? | to be )"), lambda match: f"{match[1]}{_option(match[2])}"),
    )


def _option(name: str) -> str:
    return f"--{OPTIONS.get(name, name).replace('_', '-')}"
