"""Which kernels some work calls, and for what types: plain Python does it, and what it stands in for is noted."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from .dispatcher import KernelDispatcher
from .kernel_store import Kernel
from .plain_python import NotByPython, is_standing_in, standing_in


class NotedCall(NamedTuple):
    """A kernel that is not kept, and the types that it was called with."""

    kernel: Any
    kinds: tuple[Any, ...]

    @property
    def name(self) -> str:
        """The same in every process."""
        return Kernel(self.kernel.py_func, self.kinds, False).name

    def compile(self) -> None:
        """Without calling it; where another process does so now, its result is waited for."""
        self.kernel.compile(self.kinds)


def calls_of(work: Callable[[], object]) -> list[NotedCall]:
    """In their order, each once. Of work that Python cannot finish those until there, and the one that it could not."""
    calls: dict[NotedCall, None] = {}
    ask = KernelDispatcher._compile_for_args

    def note(kernel: Any, *arguments: Any, **names: Any) -> Any:
        if is_standing_in() and not kernel.is_kept(arguments):
            calls[NotedCall(kernel, kinds_of(kernel, arguments))] = None
        return ask(kernel, *arguments, **names)

    KernelDispatcher._compile_for_args = note  # type: ignore[method-assign, assignment]
    try:
        with contextlib.suppress(NotByPython), standing_in():
            work()
    finally:
        KernelDispatcher._compile_for_args = ask  # type: ignore[method-assign]
    return list(calls)


def kinds_of(kernel: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types of arguments, as Numba sees them."""
    try:
        return tuple(kernel.typeof_pyval(argument) for argument in arguments)
    finally:
        kernel._types_active_call.clear()  # as Numba does after every call
