"""The command line `igb`: thin, it parses, calls the library and prints.

Results go to standard output, progress, warnings and errors to standard error. Exit status: 0, 1 (a check
failed), 2 (bad input), 130 (interrupted).
"""

import sys
import warnings
from collections.abc import Sequence

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

import igbtheory

app = App(
    name="igb",
    help=igbtheory.__doc__.partition("\n")[0],
    version=igbtheory.__version__,
    default_parameter=Parameter(negative=""),
    suppress_keyboard_interrupt=False,
)
COMMANDS = (
    "predict",
    "classes",
    "derive",
    "certify",
    "simulate",
    "activation",
    "design",
    "draw",
    "figures",
    "infer",
    "losses",
    "measure",
    "report",
    "verify",
    "phase",
)
for name in COMMANDS:
    # by the name of its module: a command loads what it needs itself, and no other does
    app.command(f"igbtheory.cli.{name}:{name}")


def main(tokens: Sequence[str] | None = None) -> int:
    """The exit status of the command line `tokens` (default: that of the process)."""
    tokens = sys.argv[1:] if tokens is None else tokens
    if not set(tokens) & set(COMMANDS):
        _load_all()
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: _say("warning", message)
        try:
            status = app(tokens, exit_on_error=False, print_error=False, result_action="return_value")
        except UnusedCliTokensError as error:
            _say("error", f"unexpected {' '.join(error.unused_tokens or [])!r}; every option has a name, see --help")
            return 2
        except (CycloptsError, ValueError, TypeError, ImportError) as error:
            _say("error", error)
            return 2
        except KeyboardInterrupt:
            _say("error", "interrupted")
            return 130
    return int(status or 0)


def _load_all() -> None:
    """Load every command: the list of commands in the help shows what their docstrings say."""
    for name in COMMANDS:
        app[name]


def _say(kind: str, message: object) -> None:
    """A sentence on standard error, in one line."""
    sys.stderr.write(f"igb: {kind}: {' '.join(str(message).split())}\n")
