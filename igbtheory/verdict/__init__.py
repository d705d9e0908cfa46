"""The verdict on an activation: whether it biases, why, what depth makes of it, and which shift would remove it."""

from igbtheory.verdict.course import ROUNDING, Course
from igbtheory.verdict.result import Cause, Verdict, verdict
from igbtheory.verdict.tendency import Tendency

__all__ = ["ROUNDING", "Cause", "Course", "Tendency", "Verdict", "verdict"]
