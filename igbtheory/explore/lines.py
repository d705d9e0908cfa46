"""The line of Python and the command that give the same prediction as the page."""

import shlex

from igbtheory.explore.settings import DEFAULTS, INPUTS, Settings

ALWAYS = {"depth", "activation", "sigma_w2"}
"""What is always said; of the rest, what is not the default."""


def python(settings: Settings) -> str:
    """Return the call in Python."""
    said = _said(settings)
    network = ", ".join(f"{name}={value!r}" for name, value in said.items() if name not in INPUTS)
    inputs = f"igb.GaussianInputs(shift={settings.shift!r})" if settings.shift else ""
    if settings.data:
        inputs = "igb.standardised(igb.digits())" + (f"[:{settings.first}]" if settings.first else "")
    return f"igb.mlp({network}).predict({inputs})"


def command(settings: Settings) -> str:
    """Return the command for a shell; a value that begins with a hyphen is tied to its option."""
    tokens = ["igb", "predict"]
    for name, value in _said(settings).items():
        option, text = f"--{name.replace('_', '-')}", str(value)
        tokens += [f"{option}={text}"] if text.startswith("-") else [option, text]
    return shlex.join(tokens)


def _said(settings: Settings) -> dict[str, object]:
    values = vars(settings).items()
    return {name: value for name, value in values if name in ALWAYS or value != DEFAULTS[name]}
