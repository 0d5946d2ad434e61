"""Standard output, standard error and signals, as terminals, pipelines and build machines use them.

What is asked for goes to standard output: listings, and one line for each navmesh that was built. Warnings, errors and
progress go to standard error. So a pipeline that keeps standard error sees only what is wrong, and one that fails on
any word there passes what is sound. One thing is told there that is not wrong: kernels that are compiled, once on a
machine, unless `--quiet` is given; without a word nobody would know what takes so long.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from types import FrameType
from typing import TYPE_CHECKING, TypeVar

from ..errors import Cancelled, NavmeshError
from .exit_status import exit_status

if TYPE_CHECKING:
    from ..progress import Progress

_PLAIN = {
    "²": "2", "×": "x", "→": "->", "°": " degrees", "−": "-", "–": "-", "—": "-", "≤": "<=", "≥": ">=", "…": "...",
    "“": '"', "”": '"', "’": "'",
}  # fmt: skip
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")  # how systems and people ask a program to end
_LOOKS = 0.2  # seconds between looks at a thread, between which signals are heard
_Made = TypeVar("_Made")
_Parsed = TypeVar("_Parsed")


@contextlib.contextmanager
def ready_console() -> Iterator[None]:
    """While this lasts, any text can be written in any encoding, and signals end a command as Ctrl-C does."""
    with _any_letter(), _signals_interrupt():
        yield


def run_command(program: str, parse: Callable[[], _Parsed], run: Callable[[_Parsed], int]) -> int:
    """Parse and run; returns the exit status. What is refused or cancelled meanwhile is one line of `program`."""
    with ready_console():
        try:
            return run(parse())
        except SystemExit as leaving:  # argparse has printed help (0) or what is wrong (2)
            write_out()
            return int(leaving.code or 0)
        except KeyboardInterrupt:
            refused: NavmeshError = Cancelled()
        except NavmeshError as error:
            refused = error
        write_error(f"{program}: {refused.code}: {refused}")
        return exit_status(refused)


def write_out(text: str = "") -> None:
    """Write to standard output at once. A reader that has seen enough, as `head` has, is no error."""
    if sys.stdout is None:  # a program without a console, on Windows
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = _nowhere()
    except OSError as reason:
        sys.stdout = _nowhere()
        why = reason.strerror or reason
        raise NavmeshError(f"Could not write to standard output: {why}. Free some space.", "CANNOT_WRITE") from None


def write_error(line: str, end: str = "\n") -> None:
    """Write a line to standard error, as long as anybody listens."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(line + end)
        sys.stderr.flush()
    except OSError:  # nobody can be told any more, and the files that are being written matter more
        sys.stderr = _nowhere()


def interruptible(work: Callable[[], _Made], cancel: Callable[[], object]) -> _Made:
    """Run `work` on a thread of its own, so that signals are heard while a kernel runs: they then call `cancel`."""
    asked, future = False, None
    with ThreadPoolExecutor(1, "navmesh-build") as pool:
        while future is None or not future.done():
            try:
                future = future or pool.submit(work)
                wait([future], _LOOKS)
            except KeyboardInterrupt:
                asked = True
                cancel()
    made = future.result()
    if asked:  # too late for `work` to see it
        raise KeyboardInterrupt
    return made


def watched(work: Callable[[], _Made], progress: Progress) -> _Made:
    """The same of what tells its progress, which is over afterwards."""
    try:
        return interruptible(work, progress.cancel)
    finally:
        progress.done()


def _nowhere() -> io.TextIOWrapper:
    """What Python flushes at exit goes nowhere."""
    return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - it stays open


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """What is written for letters that an encoding does not have: like ones, else their numbers."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c) or c.encode("ascii", "backslashreplace").decode() for c in letters), error.end


codecs.register_error("navcore-plain", _plainly)


@contextlib.contextmanager
def _any_letter() -> Iterator[None]:
    """Redirected output has the system's encoding, which may know neither m² nor the names in a level."""
    streams = [stream for stream in (sys.stdout, sys.stderr) if isinstance(stream, io.TextIOWrapper)]
    before = [stream.errors for stream in streams]
    for stream in streams:
        stream.reconfigure(errors="navcore-plain")
    try:
        yield
    finally:
        for stream, errors in zip(streams, before, strict=True):
            with contextlib.suppress(OSError, ValueError):  # its reader is gone, or somebody has closed it
                stream.reconfigure(errors=errors)


@contextlib.contextmanager
def _signals_interrupt() -> Iterator[None]:
    """What asks a program to end becomes KeyboardInterrupt; what its starter had it ignore stays ignored."""
    if threading.current_thread() is not threading.main_thread():  # only this one may say what signals do
        yield
        return
    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    heard = {number: handler for number, handler in before.items() if handler != signal.SIG_IGN}
    for number in heard:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in heard.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: not Python's own


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
