"""Random networks: all ways to compute the same agree, for a few hundred networks here and thousands in benchmarks."""

import pytest
from faces import COMPARISONS, compared


@pytest.mark.parametrize("name", COMPARISONS)
def test_faces_agree(name: str) -> None:
    row = COMPARISONS[name]
    counted = compared(name, row.networks)
    assert counted["compared"] >= row.least * counted.total(), f"too many are refused: {counted}"
