"""A kernel as plain Python: the same source and the same result a hundred times later, but at once.

For what works on little while other processes still compile it. What Python calls is given back what a compiled kernel
would give: Python's own numbers. Where integers grow beyond their type the compiler widens them and NumPy does not:
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
def interpreting() -> Iterator[None]:
    """Meanwhile kernels that are neither loaded nor kept run as plain Python, on this thread and those that help it."""
    before = is_interpreting()
    interpret_here(True)
    try:
        yield
    finally:
        interpret_here(before)


def is_interpreting() -> bool:
    return getattr(_here, "on", False)


def interpret_here(on: bool) -> None:
    """The first thing that a helping thread is told: whether that which it helps does."""
    _here.on = on


def interpreted(kernel: Any) -> Callable[..., Any]:
    """What to call in its place."""
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
