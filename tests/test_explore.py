"""The page to play with: what its controls mean, what it shows, and the page itself in headless Chromium."""

import json
import re
import shlex
import socket
import sys
import time
import warnings
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from chromium import PROGRAM, Page

import igbtheory as igb
from igbtheory import AccuracyWarning
from igbtheory.presentation.cli import main
from igbtheory.presentation.explore import panels
from igbtheory.presentation.explore.answer import answer
from igbtheory.presentation.explore.settings import DEFAULTS
from igbtheory.presentation.explore.worker import Worker

needs_dash = pytest.mark.skipif(not find_spec("dash"), reason="Dash, the extra explore, is not installed")
START = {name: "" if value is None else str(value) for name, value in DEFAULTS.items()}
"""What the fields hold at the beginning."""


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"depth": "2", "activation": "-max(x, 0)", "sigma_b2": "0.1", "shift": "-0.5"},
        {"norm": "batch", "batch_size": "4", "pool": "2"},
        {"norm": "rms", "placement": "after", "activation": "gelu", "batch_size": "left out"},
        {"data": "digits", "first": "20", "shift": "left out"},
    ],
)
def test_the_python_line_and_the_command_give_what_the_page_shows(
    capsys: pytest.CaptureFixture[str], changed: dict[str, str]
) -> None:
    found = answer({**START, **changed})
    prediction = eval(found.python, {"igb": igb})  # noqa: S307 - the line is the package's own
    shown = found.panels["ratio"].figure
    assert shown is not None
    assert shown["data"][0]["y"] == pytest.approx(prediction.per_layer.gamma, rel=1e-5)  # the page has six digits
    assert main([*shlex.split(found.command)[1:], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gamma"] == prediction.gamma


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"activation": "x*tanh(x"}, {"activation": "at column 9"}),
        ({"activation": "__import__('os').system('true')"}, {"activation": "has no meaning in a formula"}),
        ({"depth": "", "sigma_w2": "-1"}, {"depth": "a number, got ''", "sigma_w2": "variance >= 0"}),
        ({"pool": "1.5", "depth": "1001"}, {"pool": "whole number", "depth": "<= 1000"}),
        ({"data": "digits", "first": "1798"}, {"first": "<= 1797"}),
        ({"sigma_b2": "nan"}, {"sigma_b2": "finite"}),
        ({"sigma_b2": None, "activation": None}, {"sigma_b2": "a number, got None", "activation": "got None"}),
        ({"sigma_b2": 10**400, "depth": 10**400}, {"sigma_b2": "to be a number, got 1000", "depth": "to be a number"}),
    ],
)
def test_an_error_stands_beside_its_control_and_no_picture_comes(
    changed: dict[str, str], words: dict[str, str]
) -> None:
    found = answer({**START, **changed})
    assert found.errors.keys() == words.keys()
    assert all(word in found.errors[name] for name, word in words.items())
    assert not found.panels


def test_finite_width_and_a_pinned_network_stand_beside_infinite_width() -> None:
    found = answer({**START, "width": "20"}, 0, {**START, "activation": "gelu", "depth": "9", "sigma_w2": "6"})
    predictions = [eval(line, {"igb": igb}) for line in found.python.splitlines()]  # noqa: S307 - the package's own
    predictions.append(igb.mlp(9, "gelu", sigma_w2=6.0).predict())
    figure = found.panels["ratio"].figure
    assert figure is not None
    assert [trace["name"].partition(",")[0] for trace in figure["data"]] == ["theory", "theory", "pinned"]
    for trace, prediction in zip(figure["data"], predictions, strict=True):
        assert trace["y"] == pytest.approx(prediction.per_layer.gamma, rel=1e-5)
    assert found.command.endswith(" --width 20")
    assert found.pinned == "Pinned: igb predict --depth 9 --activation gelu --sigma-w2 6.0"
    place = found.panels["place"].figure
    assert place is not None
    assert place["layout"]["xaxis"]["range"][1] > 6, "the pinned network is on the map"


@pytest.mark.parametrize(
    ("changed", "reason"), [({"depth": "abc"}, "a number, got 'abc'"), ({"activation": "rellu"}, "unknown activation")]
)
def test_a_pinned_network_that_cannot_be_shown_says_why_beside_the_others(changed: dict[str, str], reason: str) -> None:
    found = answer(START, 0, {**START, **changed})
    assert found.pinned.startswith("Nothing is pinned: ")
    assert reason in found.pinned
    assert found.panels["ratio"] == answer(START).panels["ratio"]


def test_without_a_prediction_at_finite_width_infinite_width_is_shown() -> None:
    found = answer({**START, "norm": "batch", "width": "20"})
    assert "Infinite width only: expected layers that act on every datum alone" in found.message
    assert len(found.panels) == 6


def test_what_the_library_refuses_is_the_message() -> None:
    found = answer({**START, "sigma_w2": "0"})
    assert ("its weights are 0" in found.message, found.panels) == (True, {})


def test_what_the_library_warns_of_is_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panels, "classes", lambda _: warnings.warn("not exact", AccuracyWarning, stacklevel=1))
    found = answer(START)
    assert (found.message, len(found.panels)) == ("not exact", 6)


def test_pictures_without_a_curve_say_why() -> None:
    found = answer({**START, "activation": "sign"}).panels
    assert found["growth"].figure is None
    assert all("jumps at 0" in found[name].caption for name in ("growth", "place"))
    assert "all mass at 1/2" in found["law"].caption


@pytest.mark.parametrize("changed", [{"depth": "3"}, {"data": "digits", "first": "40"}])
def test_the_page_says_how_many_networks_favour_one_class_strongly(changed: dict[str, str]) -> None:
    """By other draws: with 20,000 of them and the 2000 of the page, 0.06 is five standard errors and the rounding."""
    found = answer({**START, **changed})
    law = eval(found.python, {"igb": igb}).G0  # noqa: S307 - the line is the package's own
    drawn = law.rvs(20_000, 1)
    (percent,) = re.findall(r"at least 90% in (\d+)% of the networks", found.panels["law"].caption)
    assert int(percent) / 100 == pytest.approx(np.mean(np.maximum(drawn, 1 - drawn) >= panels.LARGE), abs=0.06)


def test_finite_networks_stand_beside_the_theory() -> None:
    found = answer({**START, "depth": "1"}, 20).panels
    shares, gamma = (figure["data"] for name in ("law", "ratio") if (figure := found[name].figure))
    assert gamma[1]["y"][-1] == pytest.approx(gamma[0]["y"][-1], rel=0.8)
    assert np.mean(shares[1]["y"]) == pytest.approx(1)
    assert len(shares) == 2


def test_a_question_has_a_time_limit_and_gives_way_to_a_newer_one() -> None:
    worker = Worker(time.sleep, 2.0)  # a busy machine takes a while to start its process again
    try:
        with pytest.raises(TimeoutError, match=r"within 2 s"):
            worker.ask(60)
        assert worker.ask(0) is None
    finally:
        worker.close()


def test_without_dash_the_command_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "igbtheory.presentation.explore.page", raising=False)
    monkeypatch.setitem(sys.modules, "dash", None)
    assert main(["explore"]) == 2
    assert 'pip install "igbtheory[explore]"' in capsys.readouterr().err


@needs_dash
def test_a_port_in_use_and_no_browser_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(["explore", "--port", str(port)]) == 2
    assert f"expected a free port, got port {port}" in capsys.readouterr().err
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    assert main(["explore", "--port", "0"]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("http://127.0.0.1:")
    assert "--no-browser" in err


def posted(address: str, body: bytes) -> int:
    """Return the status of the answer to a request."""
    request = Request(f"{address}_dash-update-component", body, {"Content-Type": "application/json"})  # noqa: S310 - http
    with pytest.raises(HTTPError) as refused:
        urlopen(request)  # noqa: S310 - as above
    refused.value.close()
    return refused.value.code


@needs_dash
def test_requests_that_the_page_does_not_send_are_refused_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    from igbtheory.presentation.explore.server import LONGEST, serving  # noqa: PLC0415 - an extra

    forged = (b"", b"{", b"[]", b"{}", b"5", b'{"output": "x"}', b"[" * 10_000, b"9" * 400)
    with serving(0) as address:
        assert {posted(address, body) for body in forged} == {400}
        assert posted(address, b" " * (LONGEST + 1)) == 413
    assert "Traceback" not in capfd.readouterr().err


def text(name: str) -> str:
    """JavaScript for the text of an element."""
    return f"document.getElementById('{name}').innerText"


@needs_dash
@pytest.mark.skipif(not PROGRAM.exists(), reason="Chromium is not installed")
def test_the_page_in_a_browser(tmp_path: Path) -> None:
    from igbtheory.presentation.explore.server import serving  # noqa: PLC0415 - an extra

    with serving(0) as address, Page(address, tmp_path) as page:
        page.wait(f"{text('law-caption')}.includes('= 1.531: two peaks')")
        page.wait("document.querySelectorAll('.main-svg').length >= 12")

        page.write("activation", "x*tanh(x")
        page.wait(f"{text('activation-error')}.includes('column 9')")
        page.write("depth", "abc")
        page.wait(f"{text('depth-error')}.includes('a number')")
        page.write("sigma_w2", "2,5")
        page.wait(f"{text('sigma_w2-error')}.includes('2,5')")
        assert page("['depth', 'sigma_w2'].map(name => document.getElementById(name).value).join()") == "abc,2,5"
        page.write("sigma_w2", "2")
        page.write("depth", "5")
        page.wait("document.getElementById('depth-slider').value == '5'")
        assert "= 1.531: two peaks" in page(text("law-caption"))

        page.write("activation", "linear")
        page.wait(f"{text('command')} == 'igb predict --depth 5 --activation linear --sigma-w2 2.0'")
        assert (page(text("activation-error")), page(text("message"))) == ("", "")

        # by keyboard: the slider of the depth follows its field, and the focus is seen
        page("document.getElementById('depth').focus()")
        page.press("Tab", 9)
        page.press("ArrowRight", 39)
        page.wait(f"{text('python')}.includes('depth=6')")
        assert page("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        fields = "[...document.querySelectorAll('.controls input[type=text]')]"
        assert page(f"{fields}.every(field => field.labels.length == 1)")

        page("document.getElementById('pin').click()")
        page.wait(f"{text('pinned')}.includes('--depth 6')")
        page.write("depth", "4")
        page.wait("location.search.startsWith('?depth=4&activation=linear&pinned=')")
        page("location.reload()")
        page.wait(f"document.getElementById('pinned') && {text('pinned')}.includes('--depth 6')")
        page.wait(f"{text('command')} == 'igb predict --depth 4 --activation linear --sigma-w2 2.0'")
        page("document.getElementById('reset').click()")
        page.wait(f"location.search == '' && {text('law-caption')}.includes('= 1.531: two peaks')")
        assert page(text("pinned")) == ""

        page("document.getElementById('simulate').click()")
        page.wait(f"{text('law-figure')}.includes('finite networks')")

        page.call("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=True)
        assert page("document.documentElement.scrollWidth <= 400")
        asked = [event["params"]["request"]["url"] for event in page.events if "request" in event.get("params", {})]
        assert asked
        assert all(url.startswith(address) for url in asked)
        assert not [event for event in page.events if event["method"] in {"Log.entryAdded", "Runtime.exceptionThrown"}]
