"""Modules that are loaded until the process ends: Python's search for garbage has nothing to find in them.

Numba and our kernels are a hundred thousand objects. The search went through them again and again while they were
loaded, and once more when the process ended: a third of a second of every command.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """While this lasts nothing is searched for garbage."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def loaded_to_stay() -> Iterator[None]:
    """While this lasts nothing is searched, and what is there at its end never is."""
    with without_collecting():
        try:
            yield
        finally:
            gc.freeze()
