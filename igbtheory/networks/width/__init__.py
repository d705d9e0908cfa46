"""Finite width: gamma and the law of the guesses of networks that are not infinitely wide.

`predicted` checks what the user asks for, and `result` is what is returned. `widths` has the units that each layer
makes. `chain` draws the units of one or of many networks, without weights where that is cheaper; `igb.simulate` draws
its networks in such chains, too. `data` has the inputs, and `moments` what is measured of each network. `mixing` finds
the layers for which pairs of data are not enough. `cases` says which networks are drawn on Gaussian inputs and on data
sets, `laws` makes the law of the guesses of them, and `pairs` the prediction.

`expansion` is of first order in 1/width: `blocks` has the layers that it knows, `units` averages over their units,
`gram` makes of them the mean and the noise of their Gram matrix, and `coordinates` passes the law of the kernel of two
data through the layers; `data_set` is where it starts on given data.
"""

from typing import Any

from igbtheory.foundations.lazy import homes, loaded

_HOMES = homes(__file__)

__all__ = tuple(_HOMES)


def __getattr__(name: str) -> Any:
    return loaded(__name__, _HOMES, name)
