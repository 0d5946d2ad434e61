"""Plain Python that stands in for a kernel: the same source and the same result, a hundred times slower, but at once.

For kernels that work on little, while other processes still compile them. They return what compiled kernels return to
Python: Python's own numbers. Where integers grow beyond their type the compiler widens them and NumPy does not:
that is left to the compiler.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

_FLOATS = (".detail.",)  # modules that compute in float32, which may become infinite here as there
_here = threading.local()
_functions: dict[Any, FunctionType] = {}  # by kernel
_names: dict[int, dict[str, Any]] = {}  # by what a module's names are, the same with kernels as plain functions


class NotByPython(Exception):
    """A kernel that does with compiled numbers what cannot be done with Python's. It has to be compiled."""


@contextmanager
def standing_in() -> Iterator[None]:
    """While this lasts, Python stands in for kernels that are neither loaded nor kept; on helping threads, too."""
    before = is_standing_in()
    stand_in_here(True)
    try:
        yield
    finally:
        stand_in_here(before)


def is_standing_in() -> bool:
    """Whether plain Python stands in on this thread."""
    return getattr(_here, "on", False)


def stand_in_here(on: bool) -> None:
    """Let plain Python stand in on this thread, or no longer; a helping thread begins as the one that it helps."""
    _here.on = on


def stand_in(kernel: Any) -> Callable[..., Any]:
    """The function to call in the place of a kernel."""
    function = _plain(kernel)
    infinite = any(part in f"{function.__module__}." for part in _FLOATS)

    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore", over="ignore" if infinite else "raise"):
            try:
                return _as_compiled(function(*arguments))
            except Exception as reason:  # kernels don't raise
                raise NotByPython(f"{function.__module__}.{function.__qualname__}: {reason}") from reason

    return call


def _plain(kernel: Any) -> FunctionType:
    """Its function, calling those of other kernels directly."""
    if kernel not in _functions:
        source = kernel.py_func
        names = _with_plain(source.__globals__, type(kernel))
        _functions[kernel] = FunctionType(source.__code__, names, source.__name__, source.__defaults__)
        _functions[kernel].__module__ = source.__module__
    return _functions[kernel]


def _with_plain(names: dict[str, Any], kind: type) -> dict[str, Any]:
    if id(names) not in _names:
        plain = _names[id(names)] = dict(names)  # known before it is complete: modules' kernels call one another
        plain.update({name: _plain(value) for name, value in names.items() if isinstance(value, kind)})
    return _names[id(names)]


def _as_compiled(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, tuple):
        parts = [_as_compiled(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value
