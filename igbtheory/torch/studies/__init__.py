"""Studies of how PyTorch models lose their bias in training. Importing this loads no PyTorch."""

from igbtheory.torch.studies.arm import Arm, Task
from igbtheory.torch.studies.course import Course
from igbtheory.torch.studies.preset import preset
from igbtheory.torch.studies.result import Study
from igbtheory.torch.studies.study import study

__all__ = ["Arm", "Course", "Study", "Task", "preset", "study"]
