"""The phase of a network in words."""

from typing import Any

import numpy as np

from igbtheory.cli import output
from igbtheory.phases import FixedPoint, Phase


def lines(found: Phase, sigma_w2: float, sigma_b2: float, edges: Any, neutral: float) -> list[str]:
    """The phase in words and numbers."""
    outside = "" if found.in_table else " (a case that the table of phases leaves out)"
    said = [
        f"sigma_w2 = {sigma_w2:.12g}, sigma_b2 = {sigma_b2:g}",
        f"phase    {found.name}{outside}: {found.meaning}",
    ]
    if found.remark:
        said.append(f"variance {found.remark}")
    if found.rate is not None and found.point is not None:
        said.append(f"gamma    {found.rate}")
        said.append(
            f"depths   {found.point.correlation_depth:.6g} layers of correlations,"
            f" {found.point.gradient_depth:.6g} of squared gradients, whose factor is {found.point.factor:.8g}"
        )
    at = ", ".join(f"{gamma:.6g} at {depth}" for depth, gamma in zip(found.depths, found.gamma, strict=True))
    edge = ", ".join(f"{value:.12g}" for value in edges) or "none"
    said.append(f"         {at} hidden layers")
    said.append(f"edge     sigma_w2 = {edge} (backward threshold: squared gradients keep their size)")
    said.append(
        f"neutral  sigma_w2 = {'none' if np.isnan(neutral) else f'{neutral:.12g}'} (gamma = 1 in deep networks)"
    )
    return said


def table(points: tuple[FixedPoint, ...]) -> Any:
    """The fixed points, one a line."""
    columns = ("q", "c", "gamma", "slope_q", "slope_c", "chi_1", "chi_tilde_1")
    rows = (
        [*(output.number(float(getattr(point, name)), 8) for name in columns), "yes" if point.stable else "no"]
        for point in points
    )
    return output.table((*columns, "stable"), rows)
