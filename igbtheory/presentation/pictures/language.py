"""Pictures of routers and vocabularies: loads of experts and shares of tokens, the largest first."""

from typing import TYPE_CHECKING, Any

import numpy as np

from igbtheory.presentation.pictures.laws import by_place, draws_of
from igbtheory.presentation.pictures.pen import Pen
from igbtheory.presentation.pictures.style import GREY, LIMIT

if TYPE_CHECKING:
    from igbtheory.guesses.router import RouterLaw
    from igbtheory.guesses.vocabulary import Vocabulary


def loads(axes: Any, law: "RouterLaw", pen: Pen) -> None:
    """Draw the loads of the experts in units of the fair load, and those of infinitely many experts if known."""
    by_place(axes, law.ranked(draws_of(law.experts)).draws, "experts, the largest load first", pen)
    ranks = np.arange(1, law.experts + 1)
    if pen.alone:
        axes.axhline(1, color=GREY, lw=0.9, ls=":", label="fair load")
    if pen.alone and hasattr(law.source, "gamma"):
        axes.plot(ranks, law.of_many((ranks - 0.5) / law.experts) / law.fair, color=LIMIT, lw=1, label="many experts")
    axes.set(ylabel="load, in fair loads", ylim=(0, None))
    pen.title, pen.above = f"{law.experts} experts, top {law.top}", True


def vocabulary(axes: Any, first: "Vocabulary", pen: Pen) -> None:
    """Draw the shares of the positions that predict a token, by the rank of the token, and the even share."""
    draws = first.ranked.draws
    ranks = np.arange(1, draws.shape[1] + 1)
    low, high = np.quantile(draws, [0.1, 0.9], axis=0)
    axes.fill_between(ranks, low, high, lw=0, **pen.range("80 % of networks"))
    axes.plot(ranks, draws.mean(axis=0), **pen.curve("mean"))
    if pen.alone:
        axes.axhline(1 / first.size, color=GREY, lw=0.9, ls=":", label=f"1/{first.size}")
    axes.set(xscale="log", yscale="log", xlabel="tokens, the largest share first", ylabel="share of the positions")
    axes.set_ylim(0.3 / max(first.size, first.positions), None)
    pen.title, pen.above = f"{first.size} tokens, {first.positions} positions", True
