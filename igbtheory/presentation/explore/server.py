"""The server of the page, which only this machine can reach."""

import logging
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from threading import Event, Thread
from typing import Any

from igbtheory.foundations import checks
from igbtheory.presentation.explore.answer import answer
from igbtheory.presentation.explore.worker import Worker

HOST = "127.0.0.1"
SECONDS = 30.0
"""Time limit of an answer."""
LONGEST = 2**16
"""Largest number of bytes of a request; those of the page have about three thousand."""


def explore(port: int = 8600, *, browser: bool = True) -> None:
    """Open a page in the browser, to play with the controls of a network, and serve it until it is interrupted.

    It prints the address of the page, which only this machine can reach. Ctrl-C, or the interruption of the kernel of a
    notebook, stops it. It needs the extra `explore`.

    port: on which the page is served; 0: any that is free. browser: whether to open the page.
    ValueError: the port is in use, or there is no browser. ImportError: the extra is not installed.

    >>> igb.explore()    # doctest: +SKIP
    """
    with serving(port) as address:
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        if checks.flag("browser", browser):
            _open_browser(address)
        with suppress(KeyboardInterrupt):
            Event().wait()


@contextmanager
def serving(port: int) -> Iterator[str]:
    """Serve the page on the port (0: any free one) while the context lasts, and yield its address.

    ValueError: the port is in use, or none. ImportError: Dash, the extra `explore`, is not installed.
    """
    checks.whole("port", port, 0, 65535)
    try:
        from igbtheory.presentation.explore.page import page  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if error.name != "dash":
            raise
        raise ImportError(
            'expected Dash, which makes the page, got none; install it with: pip install "igbtheory[explore]"'
        ) from None
    from werkzeug.serving import make_server  # noqa: PLC0415 - it comes with Dash

    with _listening(port) as listener, closing(Worker(answer, SECONDS)) as worker:
        app = page(worker.ask)
        app.server.config["TRUSTED_HOSTS"] = [HOST, "localhost"]  # refuse the host names of other sites (DNS rebinding)
        app.server.config["MAX_CONTENT_LENGTH"] = LONGEST
        app.server.register_error_handler(Exception, _refusal)
        logging.getLogger("werkzeug").setLevel(logging.ERROR)  # no line for each request
        server = make_server(HOST, port, app.server, threaded=True, fd=listener.fileno())
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{HOST}:{listener.getsockname()[1]}/"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _refusal(error: Exception) -> Any:
    """Return the answer to a request that the page did not send, instead of a traceback on the terminal."""
    from werkzeug.exceptions import HTTPException  # noqa: PLC0415 - it comes with Dash

    return error if isinstance(error, HTTPException) else (f"cannot answer: {type(error).__name__}: {error}", 400)


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on the port."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # the port is free at once after another run
    try:
        listener.bind((HOST, port))
    except OSError as error:
        listener.close()
        raise ValueError(
            f"expected a free port, got port {port} ({error.strerror}); name another, or 0 for any that is free"
        ) from None
    listener.listen()
    return listener


def _open_browser(address: str) -> None:
    """Open the address in a browser. ValueError: no browser can be started."""
    if not webbrowser.open(address):
        raise ValueError(
            "expected a browser on this machine, got none that can be started; add --no-browser, in Python "
            "browser=False, and open the address that it prints yourself"
        )
