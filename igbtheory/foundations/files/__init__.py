"""Reading of data sets: tables, arrays, IDX and CIFAR files, folders of pictures. Nothing is unpickled."""

from igbtheory.foundations.files.contents import Choices, Contents, refuse_unused
from igbtheory.foundations.files.reading import KINDS, STDIN, read, read_data

__all__ = ["KINDS", "STDIN", "Choices", "Contents", "read", "read_data", "refuse_unused"]
