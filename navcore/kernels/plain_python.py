"""Plain Python that stands in for a kernel: the same source and the same result, a hundred times slower, but at once.

For kernels that work on little, while other processes still compile them. They return what compiled kernels return to
Python: Python's own numbers. Where integers grow beyond their type the compiler widens them and NumPy does not:
that is left to the compiler. The loops that would take longest have a function beside them that does the same with
whole arrays (`stands_in_for`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from types import FunctionType
from typing import Any, TypeVar

import numpy as np

_FLOATS = (".detail.",)  # modules that compute in float32, which may become infinite here as there
# Modules whose kernels come after those that go through every column, and work on less than these. Links are found
# along the outlines of few polygons: that takes seconds, where compiling takes half a minute.
_LATE = (
    *(".regions.", ".contours.", ".polygons.", ".detail.", ".validate.", ".detour."),
    *(".surroundings.", ".link_finder."),
)
_OF_INPUT = (".odd_input.",)  # and those that look at each triangle for what is hardly meant: quick where there are few
_MOMENT = 1.0  # seconds of a processor's work that may be in vain
_refused_until = [0.0]  # of this process's time
_here = threading.local()
_Function = TypeVar("_Function", bound=Callable[..., Any])
_by_arrays: dict[Any, FunctionType] = {}  # by kernel: what does the same with whole arrays
_functions: dict[Any, FunctionType] = {}  # by kernel
_names: dict[int, dict[str, Any]] = {}  # by what a module's names are, the same with kernels as plain functions


class NotByPython(BaseException):
    """A kernel that does with compiled numbers what cannot be done with Python's. It has to be compiled.

    No fault of the build, so that what catches faults lets it pass.
    """


class NotKept(BaseException):
    """A kernel would have to be compiled, and whoever called it wants to see to that first. No fault, either."""

    def __init__(self, kernel: Any) -> None:
        super().__init__(f"{kernel.__module__}.{kernel.__qualname__} is not compiled yet.")
        self.is_late = _is_of(kernel, _LATE)  # a build gets far before it needs this one


class Way(Enum):
    """What becomes of a kernel that is neither loaded nor kept."""

    COMPILE = "compile"
    STAND_IN = "stand in"  # plain Python does
    STAND_IN_LATE = "stand in late"  # the same, after those that go through every column: these are compiled
    STAND_IN_FEW = "stand in few"  # the same where there are few triangles: also for what looks at each of them
    REFUSE = "refuse"  # NotKept is raised


@contextmanager
def standing_in(way: Way = Way.STAND_IN) -> Iterator[None]:
    """While this lasts, Python stands in for kernels that are neither loaded nor kept; on helping threads, too."""
    with _going(way):
        yield


@contextmanager
def only_kept() -> Iterator[None]:
    """While this lasts, such kernels raise NotKept; after a moment they are compiled, as too much was done by then."""
    _refused_until[:] = [time.process_time() + _MOMENT]
    with _going(Way.REFUSE):
        yield


@contextmanager
def _going(way: Way) -> Iterator[None]:
    before = way_here()
    go_here(way)
    try:
        yield
    finally:
        go_here(before)


def is_standing_in() -> bool:
    """Whether plain Python stands in on this thread."""
    return way_here() in (Way.STAND_IN, Way.STAND_IN_LATE, Way.STAND_IN_FEW)


def way_here() -> Way:
    """What this thread does about kernels that are not kept."""
    return getattr(_here, "way", Way.COMPILE)


def go_here(way: Way) -> None:
    """Choose the way on this thread; a helping thread begins as the one that it helps."""
    _here.way = way


def is_at_hand(kernel: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether a kernel that others could do without may be called: it is kept, or all that lack are compiled here."""
    return way_here() is Way.COMPILE or (hasattr(kernel, "is_kept") and kernel.is_kept(arguments))


def is_for_compiler(kernel: Any) -> bool:
    """Whether a kernel that is not kept is compiled on this thread all the same. Raises NotKept where it is refused."""
    way = way_here()
    if way is Way.REFUSE and time.process_time() < _refused_until[0]:
        raise NotKept(kernel)
    late = {Way.STAND_IN_LATE: _LATE, Way.STAND_IN_FEW: (*_LATE, *_OF_INPUT)}
    return way in (Way.COMPILE, Way.REFUSE) or (way in late and not _is_of(kernel, late[way]))


def _is_of(kernel: Any, modules: tuple[str, ...]) -> bool:
    return any(part in f"{kernel.__module__}." for part in modules)


def stands_in_for(kernel: Any) -> Callable[[_Function], _Function]:
    """A decorator: what Python runs in the place of `kernel`, the same with whole arrays."""

    def remember(function: _Function) -> _Function:
        _by_arrays[kernel] = function  # type: ignore[assignment]
        _functions.clear()  # others that call it may have been looked up before
        _names.clear()
        return function

    return remember


def stand_in(kernel: Any) -> Callable[..., Any]:
    """The function to call in the place of a kernel."""
    function = _plain(kernel)
    infinite = _is_of(function, _FLOATS)

    def call(*arguments: Any) -> Any:
        with np.errstate(all="ignore", over="ignore" if infinite else "raise"):
            try:
                return _as_compiled(function(*arguments))
            except Exception as reason:  # kernels don't raise
                raise NotByPython(f"{function.__module__}.{function.__qualname__}: {reason}") from reason

    return call


def _plain(kernel: Any) -> FunctionType:
    """Its function, calling those of other kernels directly."""
    if kernel in _by_arrays:
        return _by_arrays[kernel]
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
