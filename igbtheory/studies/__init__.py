"""Studies of how PyTorch models lose their bias in training. Importing this loads no PyTorch."""

from igbtheory.studies.arm import Arm, Task
from igbtheory.studies.course import Course
from igbtheory.studies.preset import preset
from igbtheory.studies.result import Study
from igbtheory.studies.study import study

__all__ = ["Arm", "Course", "Study", "Task", "preset", "study"]
