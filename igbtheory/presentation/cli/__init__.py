"""The command line `igb`: it parses options, calls the library and prints results.

Results go to standard output; progress, warnings and errors go to standard error. Exit status: 0 (success), 1 (a check
failed), 2 (bad input, or output that cannot be written), 130 (interrupted), 141 (the reader of the output has exited).
"""

import ast
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from errno import ENOSPC
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, CycloptsError, Parameter, UnusedCliTokensError

import igbtheory
from igbtheory.presentation.cli.given import command_line
from igbtheory.presentation.cli.spelling import spelled

COMMANDS = (
    "predict",
    "classes",
    "derive",
    "certify",
    "check",
    "simulate",
    "activation",
    "design",
    "draw",
    "explain",
    "explore",
    "figures",
    "infer",
    "losses",
    "measure",
    "report",
    "router",
    "study",
    "train",
    "verify",
    "vocabulary",
    "phase",
)
"""Modules in this folder; each contains a function of the same name and is loaded when the command runs."""
ALIASES = {"activation": "verdict", "classes": "guesses", "phase": "classify"}
"""Second names of commands: the names of the functions in the library."""
TO_TRY = """igb predicts how an untrained network guesses. Three things to try:

  igb predict --depth 20 --activation relu              the bias of a deep network, layer by layer
  igb predict "Dense | BatchNorm | relu | Dense"        any network, in layers
  igb activation "x*tanh(x)" --plot verdict.png         what an activation does, with a picture

igb --help lists all commands, and igb COMMAND --help explains one.
"""
FULL = "no space is left where the output goes; make room, or write to another place, and repeat the command"
NARROWEST = 20
"""Least number of columns: in fewer than five, Rich never ends to break lines."""
CLOSED = "standard output is closed; leave >&- out, or write > /dev/null to see no output"


def main(tokens: Sequence[str] | None = None) -> int:
    """Run the command line `tokens`, by default the arguments of the process, and return the exit status."""
    of_process = tokens is None
    tokens = sys.argv[1:] if tokens is None else tokens
    say = partial(_say, layers=any("|" in token for token in tokens))  # bars divide layers
    if sys.stderr is None:  # closed by the shell, as in igb predict 2>&-
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open until the process ends
    if sys.stdout is None:
        say("error", CLOSED)
        return 2
    if not tokens:
        sys.stdout.write(TO_TRY)
        return 0
    if os.environ.get("COLUMNS", "").isdigit() and int(os.environ["COLUMNS"]) < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)
    with warnings.catch_warnings(), command_line(tokens):
        warnings.showwarning = lambda message, *_: say("warning", message)
        try:
            status = _app(tokens)(tokens, exit_on_error=False, print_error=False, result_action="return_value")
            sys.stdout.flush()  # a full device raises its error here
        except UnusedCliTokensError as error:
            say("error", f"unexpected {' '.join(error.unused_tokens or [])!r}; every option has a name, see --help")
            return 2
        except (CycloptsError, ValueError, TypeError, ImportError) as error:
            say("error", error)
            return 2
        except KeyboardInterrupt as error:
            say("error", "; ".join(["interrupted", *map(str, error.args)]))
            if of_process:  # end the process at once: a regular exit takes a second if PyTorch is loaded
                with suppress(OSError):
                    sys.stdout.flush()
                os._exit(130)
            return 130
        except BrokenPipeError:
            _forget_output()
            return 141
        except OSError as error:
            say("error", FULL if error.errno == ENOSPC else error)
            _forget_output()
            return 2
    return int(status or 0)


def _app(tokens: Sequence[str]) -> App:
    """Return the application; it reads the summaries of the commands only if no command tells its own."""
    app = App(
        name="igb",
        help=(igbtheory.__doc__ or "").partition("\n")[0],
        version=igbtheory.__version__,
        default_parameter=Parameter(negative=""),
        suppress_keyboard_interrupt=False,
    )
    lists = sys.flags.optimize > 1 or not set(tokens) & {*COMMANDS, *ALIASES.values()}  # -OO removes docstrings
    for name in COMMANDS:
        names = (name, ALIASES[name]) if name in ALIASES else name
        app.command(f"igbtheory.presentation.cli.{name}:{name}", name=names, help=_summary(name) if lists else None)
    app.command(partial(_install_completion, app), name="--install-completion", help=_install_completion.__doc__)
    return app


def _install_completion(
    app: App,
    *,
    shell: Literal["bash", "zsh", "fish", "powershell"] | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
) -> None:
    """Install completion of commands, options and values for your shell.

    Parameters
    ----------
    shell
        The shell; by default the one that runs this command.
    output
        Write the script to this file only; by default it is written where the shell looks, and the startup file of the
        shell loads it.

    """
    from cyclopts.completion.detect import ShellDetectionError  # noqa: PLC0415 - other commands do not need it

    try:
        path = app.install_completion(shell=shell, output=output, add_to_startup=output is None)
    except ShellDetectionError:
        raise ValueError("expected a shell that can be recognised, got none; name one with --shell") from None
    sys.stdout.write(f"{path}\n")


def _summary(name: str) -> str:
    """Return the first line of a command's docstring, read from the source without loading the module."""
    source = (Path(__file__).parent / f"{name}.py").read_text(encoding="utf-8")
    functions = (part for part in ast.parse(source).body if isinstance(part, ast.FunctionDef) and part.name == name)
    return (ast.get_docstring(next(functions)) or "").partition("\n\n")[0]


def _forget_output() -> None:
    """Discard the output that is still to be written, so that Python does not try to write it when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(kind: str, message: object, *, layers: bool) -> None:
    """Print a message on standard error in one line; layers: see `spelled`."""
    sys.stderr.write(f"igb: {kind}: {spelled(' '.join(str(message).split()), layers=layers)}\n")
