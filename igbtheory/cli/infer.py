"""`igb infer`: gamma from the guesses of observed networks."""

from dataclasses import asdict
from typing import Any

import numpy as np

import igbtheory as igb
from igbtheory.cli import data, output
from igbtheory.cli.options import Whole
from igbtheory.inference import GammaEstimate
from igbtheory.inference.unbiased import RESOLUTION


def infer(
    file: str,
    *,
    samples: Whole | None = None,
    level: float = 0.95,
    against: str | None = None,
    json: bool = False,
) -> None:
    """Estimate gamma, with an interval and tests, from the shares of the data that networks gave to their classes.

    FILE.csv or FILE.npy has a row for every network: its G0, the share of class 0, or the shares of all classes.

    Parameters
    ----------
    file
        The shares of the networks.
    samples
        Data among which the guesses were counted; infinitely many unless named.
    level
        Probability with which the interval contains gamma.
    against
        The shares of networks of another architecture: print the ratio of the first gamma to theirs, and a test.
    json
        Print JSON.

    """
    first = igb.infer(_shares(file), samples, level=level)
    values: dict[str, Any] = {"file": file, "samples": samples, **_as_dict(first)}
    if against is not None:
        second = igb.infer(_shares(against), samples, level=level)
        values["against"] = {"file": against, **_as_dict(second)}
        values["comparison"] = asdict(igb.compare(first, second, level=level))
    if json:
        output.show_json(values)
    else:
        output.show(*_lines(values))


def _shares(file: str) -> Any:
    """Shares of a file; one column is G0."""
    array = np.asarray(data.numbers(file, "a table of shares"))
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _as_dict(found: GammaEstimate) -> dict[str, Any]:
    """The estimate as JSON has it, with the tests that there are."""
    tests = {}
    for name in ("unbiased", "fit"):
        try:
            tests[name] = asdict(getattr(found, name)())
        except ValueError as error:
            tests[name] = {"not known": str(error)}
    names = ("networks", "gamma", "low", "high", "level")
    return {**{name: getattr(found, name) for name in names}, **tests}


def _lines(values: dict[str, Any]) -> list[str]:
    among = "infinitely many" if values["samples"] is None else values["samples"]
    lines = [f"{_networks(values)}, {among} data each", "", *_estimate(values)]
    if "against" in values:
        other, ratio = values["against"], values["comparison"]
        lines += ["", f"{_networks(other)}, {among} data each", "", *_estimate(other)]
        lines += ["", f"ratio of the gammas   {_interval(ratio['ratio'], ratio)}"]
        lines += [f"test that it is 1     p = {ratio['pvalue']:.3g}"]
    return lines


def _networks(values: dict[str, Any]) -> str:
    return f"{values['networks']} network{'s' * (values['networks'] != 1)} from {values['file']}"


def _estimate(values: dict[str, Any]) -> list[str]:
    said = {"unbiased": "test of gamma = 0", "fit": "test of the law of the guesses"}
    tests = ((said[name], values[name]) for name in said if "pvalue" in values[name])
    return [f"gamma   {_interval(values['gamma'], values)}", *(f"{text}: {_pvalue(test)}" for text, test in tests)]


def _pvalue(test: dict[str, float]) -> str:
    return f"p {'<=' if test['pvalue'] <= RESOLUTION else '='} {test['pvalue']:.3g}"


def _interval(value: float, values: dict[str, Any]) -> str:
    return f"{value:.6g}, {100 * values['level']:.4g} % within [{values['low']:.6g}, {values['high']:.6g}]"
