"""Random networks: all ways to compute the same agree, for some networks here and thousands in benchmarks."""

import secrets

import pytest
from faces import COMPARISONS, answer, compared
from hypothesis import settings
from networks import SIDE, Case

import igbtheory as igb

RELU, OUT = igb.Activation("relu"), igb.Dense()
CONVOLUTION = igb.Conv2d(3, sigma_b2=0.1)
WAYS = igb.Concat((), (RELU, igb.Dense(1.5, 0.1)), shares=(1, 2))
SUM = igb.Residual(RELU, OUT)
DENSE_BLOCK = igb.Concat((), (igb.BatchNorm(), RELU, igb.Conv2d(3)), shares=(2, 1))
EXCITED = igb.Product(igb.GlobalAvgPool(), igb.Dense(2.0), RELU, igb.Dense(2.0), igb.Activation("erf"))
HALVES = tuple(tuple(range(start, start + SIDE**2 // 2)) for start in (0, SIDE**2 // 2))
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
    "each token": (
        "sequences and samples",
        Case((igb.PatchEmbedding(2), igb.Activation("relu"), igb.EachToken(), OUT), shape=(SIDE, SIDE)),
    ),
    "tangents behind a norm over positions": (
        "tangents of images",
        Case(
            (igb.Conv2d(3, sigma_b2=0.1), igb.LayerNorm(positions_too=True), igb.Conv2d(2), igb.Flatten(), OUT),
            shape=(SIDE, SIDE),
        ),
    ),
    **{
        f"ways: {name}": (name, Case((OUT, WAYS, SUM, igb.LayerNorm(0.1), igb.Activation("tanh"), OUT)))
        for name in ("tangents", "gradients and twins")
    },
    "ways: formulas": ("formulas", Case((OUT, igb.Concat((), igb.Dense(1.5, 0.1), shares=(1, 2)), OUT))),
    "ways: balls": ("balls", Case((OUT, WAYS, igb.BatchNorm(), RELU, OUT))),
    "ways: norms of batches": ("law and samples", Case((OUT, WAYS, igb.BatchNorm(3), igb.AvgPool(2), OUT), shift=0.4)),
    "ways: a sum": ("kernel and samples", Case((OUT, WAYS, SUM, RELU, OUT))),
    "ways of images": (
        "images and samples",
        Case(
            (CONVOLUTION, DENSE_BLOCK, igb.BatchNorm(), RELU, igb.AvgPool2d(2), igb.Flatten(), OUT), shape=(SIDE, SIDE)
        ),
    ),
    "ways that end": (
        "images and samples",
        Case(
            (CONVOLUTION, RELU, igb.Concat(igb.GlobalAvgPool(), (igb.MaxPool2d(4), igb.Flatten())), OUT),
            0.4,
            shape=(SIDE, SIDE),
        ),
    ),
    "squeeze and excite": (
        "images and samples",
        Case((CONVOLUTION, DENSE_BLOCK, EXCITED, igb.Conv2d(1), RELU, igb.Flatten(), OUT), 0.4, shape=(SIDE, SIDE)),
    ),
    "merged positions": (
        "images and samples",
        Case((CONVOLUTION, igb.Gathered(((3, 5), (-1, 1)), (2,)), RELU, igb.Flatten(), OUT), 0.4, shape=(SIDE, SIDE)),
    ),
    "tangents of products and merged positions": (
        "tangents of images",
        Case((CONVOLUTION, EXCITED, igb.Gathered(((3, 5), (-1, 1)), (2,)), igb.Flatten(), OUT), shape=(SIDE, SIDE)),
    ),
    "windows of attention": (
        "images and samples",
        Case((CONVOLUTION, igb.Attention(4, 2.0, groups=HALVES, causal=True), igb.Flatten(), OUT), shape=(SIDE, SIDE)),
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
