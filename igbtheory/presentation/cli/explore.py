"""`igb explore`: a page in the browser to play with."""

import igbtheory as igb
from igbtheory.presentation.cli.parameters import Whole


def explore(*, port: Whole = 8600, no_browser: bool = False) -> None:
    """Open a page in the browser: move the controls of a network, and see at once how it guesses.

    This needs the extra `explore`. Only this machine can reach the page. Ctrl-C stops the server.

    ```
    igb explore
    igb explore --port 0 --no-browser
    ```

    Parameters
    ----------
    port
        The port on which the page is served; 0 chooses a free port.
    no_browser
        Print the address of the page, but do not open it.

    """
    igb.explore(port, browser=not no_browser)
