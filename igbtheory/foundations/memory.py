"""Memory that freed arrays leave to the next ones."""

import numpy as np

LEARNT = 31 * 2**20
"""Bytes of an array: glibc learns from blocks of up to 32 MiB, with what it writes beside them."""


def keep_freed() -> None:
    """Let freed arrays leave their memory to the next ones, until twice as much as LEARNT is free.

    Otherwise glibc returns it to the system, which hands out the pages of every new array again, one by one: that takes
    longer than the arithmetic. glibc learns how much to keep from the largest block that a program has freed; this one
    is not written, so that it takes no memory. Other libraries of C do not learn. Source: mallopt(3), M_MMAP_THRESHOLD.
    """
    np.empty(LEARNT, dtype=np.uint8)
