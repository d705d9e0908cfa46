"""A page in headless Chromium, driven through its debugging pipe: no library is needed."""

import json
import os
import subprocess
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Self

PROGRAM = Path("/usr/bin/chromium")
OPTIONS = "--headless --no-sandbox --disable-gpu --no-first-run --remote-debugging-pipe"
PATIENCE = 60.0
"""Seconds after which what is waited for counts as missing."""


class Page:
    """The page at an address; profile: an empty folder for the browser. It reads commands at 3 and writes to 4."""

    def __init__(self, address: str, profile: Path) -> None:
        theirs, self._commands = os.pipe()
        self._answers, other = os.pipe()
        script = f"exec {PROGRAM} {OPTIONS} --user-data-dir='{profile}' 3<&{theirs} 4>&{other}"
        self._browser = subprocess.Popen(  # noqa: S603 - a fixed program
            ["/bin/bash", "-c", script], pass_fds=(theirs, other), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs)
        os.close(other)
        self._number, self._rest = 0, b""
        self._session: dict[str, str] = {}
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = {"sessionId": self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]}
        for domain in ("Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=address)

    def call(self, method: str, **parameters: Any) -> Any:
        """Return the result of a command of the DevTools protocol; events that come before it are kept."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters, **self._session}
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (message := self._message()).get("id") != self._number:
            self.events.append(message)
        return message["result"]

    def __call__(self, script: str) -> Any:
        """Return the value of JavaScript in the page."""
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until JavaScript is true."""
        end = monotonic() + PATIENCE
        while not self(script):
            assert monotonic() < end, script
            sleep(0.05)

    def write(self, name: str, text: str) -> None:
        """Put a text into a field, as a user does."""
        self(f"document.getElementById('{name}').focus(); document.getElementById('{name}').select()")
        self.call("Input.insertText", text=text)

    def press(self, key: str, code: int) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._browser.kill()
        self._browser.wait()
        os.close(self._commands)
        os.close(self._answers)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            self._rest += os.read(self._answers, 1 << 20)
        found, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(found))
