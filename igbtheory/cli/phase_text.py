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
    at = ", ".join(f"{_gamma(gamma)} at {depth}" for depth, gamma in zip(found.depths, found.gamma, strict=True))
    said.append(f"gamma    {at} hidden layers")
    if found.rate is not None and found.point is not None:
        said.append(f"         {found.rate}")
        said.append(
            f"depths   {_layers(found.point.correlation_depth)} layers of correlations,"
            f" {_layers(found.point.gradient_depth)} of squared gradients, whose factor is {found.point.factor:.8g}"
        )
    edge = "sigma_w2 = " + ", ".join(f"{value:.12g}" for value in edges) if len(edges) else "at no sigma_w2"
    said.append(f"edge     {edge} (backward threshold: squared gradients keep their size)")
    where = "at no sigma_w2" if np.isnan(neutral) else f"sigma_w2 = {neutral:.12g}"
    said.append(f"neutral  {where} (gamma = 1 in deep networks)")
    return said


def _gamma(gamma: float) -> str:
    return "out of range" if np.isnan(gamma) else f"{gamma:.6g}"


def _layers(depth: float) -> str:
    return "infinitely many" if np.isinf(depth) else f"{depth:.6g}"


def _cell(value: float) -> str:
    return "-" if np.isnan(value) else output.number(value, 8)


def table(points: tuple[FixedPoint, ...]) -> Any:
    """The fixed points, one a line."""
    columns = ("q", "c", "gamma", "slope_q", "slope_c", "chi_1", "chi_tilde_1")
    rows = (
        [*(_cell(float(getattr(point, name))) for name in columns), "yes" if point.stable else "no"] for point in points
    )
    return output.table((*columns, "stable"), rows)
