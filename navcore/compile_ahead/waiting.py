"""While other processes compile kernels: what waits for which of them.

A large level waits for all that a usual build needs. A small one waits for the kernels that go through every column;
the source of the others Python runs as it is, while the compiler goes on. Both make the same, whoever is first.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..errors import Cancelled
from . import starter

if TYPE_CHECKING:
    from ..kernels.plain_python import Way
    from ..progress import Progress
    from .starter import CompilerProcesses

COMPILING = "compiling"  # the stage that whoever waits is told
_LOOKS = 0.1  # seconds between looks at how far compiling is
_TURNS = 0.001  # seconds that Python leaves a thread alone: an interface wants its turns, too
_Made = TypeVar("_Made")


class Waiter(Protocol):
    """Who waits for kernels: shows how far they are, and may be cancelled meanwhile."""

    @property
    def cancelled(self) -> bool:
        """Whether to stop."""

    def show_progress(self, number: int, stage: str, fraction: float) -> None:
        """How far a stage of the build with this number is."""


def build(
    make: Callable[[Progress], _Made], begin: Callable[[], Progress], small: bool, waiter: Waiter | None
) -> _Made:
    """What `make` returns, which is called with what `begin` returns, once or twice. Raises Cancelled."""
    from ..kernels.plain_python import NotByPython

    wait(waiter, small=small)
    compiler = starter.current()
    if small and compiler is not None and compiler.holds_up():
        try:
            return without_all_kernels(make, begin(), compiler)
        except (NotByPython, Cancelled):  # the compiler is needed, or it was first
            wait(waiter)
    return make(begin())


def read_or_write(work: Callable[[], _Made]) -> _Made:
    """What `work` returns, which reads or writes a file while an interface stands still."""
    from ..kernels.plain_python import NotByPython, standing_in

    compiler = starter.current()
    if compiler is not None and compiler.compiles:
        with contextlib.suppress(NotByPython), standing_in():
            return work()
    wait()
    return work()


def wait(waiter: Waiter | None = None, *, small: bool = False) -> None:
    """Until what a build needs is compiled. Raises Cancelled."""
    while (compiler := starter.current()) is not None and compiler.holds_up(small):
        if waiter is not None:
            waiter.show_progress(0, COMPILING, compiler.fraction)
        time.sleep(_LOOKS)
        _check(waiter)
        starter.hurry()
    _check(waiter)


def _check(waiter: Waiter | None) -> None:
    if waiter is not None and waiter.cancelled:
        raise Cancelled


def without_all_kernels(
    make: Callable[[Progress], _Made], progress: Progress, compiler: CompilerProcesses | None, way: Way | None = None
) -> _Made:
    """What `make` returns while Python stands in. Raises NotByPython; Cancelled, too, when all kernels are there.

    Without a `compiler` it is one that starts meanwhile.
    """
    from ..kernels.plain_python import Way, standing_in

    import_module("..builder.loops_by_arrays", __package__)
    ended = threading.Event()

    def watch() -> None:
        watched = compiler
        while not ended.wait(_LOOKS):
            watched = watched or starter.current()
            if watched is not None and not watched.holds_up():
                progress.cancel()
                return

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        with standing_in(way or Way.STAND_IN), _short_turns():
            return make(progress)
    finally:
        ended.set()
        watching.join()


@contextlib.contextmanager
def _short_turns() -> Iterator[None]:
    usual = sys.getswitchinterval()
    sys.setswitchinterval(min(usual, _TURNS))
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
