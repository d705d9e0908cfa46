"""Random networks: all ways to compute the same agree, for some networks here and thousands in benchmarks."""

import secrets

import pytest
from faces import COMPARISONS, answer, compared
from hypothesis import settings
from networks import SIDE, Case

import igbtheory as igb

RELU, OUT = igb.Activation("relu"), igb.Dense()
WRITTEN = {
    "means of both parts of a sum": (
        "exact law and kernel",
        Case((OUT, RELU, igb.Residual(OUT, RELU), igb.RMSNorm(), OUT)),
    ),
    "a mean in front of Dropout": ("exact law and kernel", Case((OUT, RELU, igb.Dropout(0.3), OUT))),
    "blocks of blocks of blocks": (
        "law and samples",
        Case(
            (
                OUT,
                igb.Residual(
                    igb.Residual(igb.Residual(igb.Dense(4.0)), scale=0.6),
                    igb.Residual(igb.Residual(RELU, igb.Dense(2.0)), scale=0.8),
                    scale=0.5,
                ),
                OUT,
            )
        ),
    ),
    "variance of a class token": (
        "sequences and samples",
        Case((igb.PatchEmbedding(2), igb.ClassToken(0.5), igb.FirstToken(), OUT), shape=(SIDE, SIDE)),
    ),
    "tangents behind a norm over positions": (
        "tangents of images",
        Case(
            (igb.Conv2d(3, sigma_b2=0.1), igb.LayerNorm(positions_too=True), igb.Conv2d(2), igb.Flatten(), OUT),
            shape=(SIDE, SIDE),
        ),
    ),
}
"""Networks with a term that few random networks have, or that they hide behind others."""


@pytest.mark.parametrize("name", COMPARISONS)
def test_faces_agree(name: str) -> None:
    row = COMPARISONS[name]
    counted = compared(name, row.networks, 0 if settings().derandomize else secrets.randbelow(2**32))
    assert counted["compared"] >= row.least * counted.total(), f"too many are refused: {counted}"


@pytest.mark.parametrize("name", WRITTEN)
def test_faces_agree_on_a_written_network(name: str) -> None:
    comparison, case = WRITTEN[name]
    assert answer(COMPARISONS[comparison], case) == "compared"
