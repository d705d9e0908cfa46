"""Phases: what depth does to the guessing bias and to the gradients of untrained networks."""

from igbtheory.phases.block import Block
from igbtheory.phases.class_gradients import ClassGradients, class_gradients
from igbtheory.phases.classify import Phase, classify
from igbtheory.phases.course import Course
from igbtheory.phases.critical_lines import (
    Thresholds,
    backward_line,
    edge_of_chaos,
    edges_of_chaos,
    neutrality_line,
    no_edge_of_chaos,
    thresholds,
)
from igbtheory.phases.depth_rates import Rate
from igbtheory.phases.diagram import Diagram, diagram
from igbtheory.phases.fixed_points import FixedPoint, fixed_points
from igbtheory.phases.gradients import Gradients, gradients
from igbtheory.phases.judgement import Cause
from igbtheory.phases.residual_limit import ResidualLimit, residual_limit
from igbtheory.phases.verdict import Verdict, verdict

__all__ = [
    "Block",
    "Cause",
    "ClassGradients",
    "Course",
    "Diagram",
    "FixedPoint",
    "Gradients",
    "Phase",
    "Rate",
    "ResidualLimit",
    "Thresholds",
    "Verdict",
    "backward_line",
    "class_gradients",
    "classify",
    "diagram",
    "edge_of_chaos",
    "edges_of_chaos",
    "fixed_points",
    "gradients",
    "neutrality_line",
    "no_edge_of_chaos",
    "residual_limit",
    "thresholds",
    "verdict",
]
