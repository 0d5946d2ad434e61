"""Compile kernels ahead into the user's folder, in processes that the extension starts once it is enabled.

On standard output the first process writes lines with the fraction that is done and a state. The state is LOADING until
something had to be compiled, then COMPILING. From GROUND on a small build need not wait, from READY on no build; nor
from LOADED on, where nothing was compiled so far. The others help it until then, and then with what only some levels
ask for. All end by themselves when standard input is closed: whoever started them is gone.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

EVERYTHING, USUAL, HELP = "everything", "usual", "help"  # what a process is for
LOADING, COMPILING, GROUND, READY, LOADED = "loading", "compiling", "ground", "ready", "loaded"  # what its lines say
_NICE = 15
_BETWEEN_LINES, _BETWEEN_LOOKS = 0.1, 0.05  # seconds; looks at what the other processes have done
_SHARE, _ALONE = "share", "alone"  # files that say whether the others have anything to do
_BEGUN, _DONE = " begun", " done"  # endings of files that each piece gets
_SHARES_WITHIN = 60  # seconds in which the first process says whether it shares; later it must be gone
_PATIENCE = 3  # times as long as it worked itself is what one process waits for the others


def wanted(folder: Path, task: str = EVERYTHING) -> bool:
    """Whether there is anything to compile ahead: not if that was done with these sources on this Python."""
    return not any(_is_stamped(stamp_of(folder, done)) for done in {task, EVERYTHING})


def main(task: str, folder: Path, claims: Path) -> int:
    """Compile EVERYTHING, or the USUAL kernels alone, write how far it is, and leave a stamp; or HELP who does.

    `claims` is an empty folder that all of these processes share.
    """
    if hasattr(os, "nice"):  # on Windows the starter asks for it
        os.nice(_NICE)
    threading.Thread(target=_end_with_starter, daemon=True).start()
    if task == HELP:
        _help(folder, claims)
        return 0
    ready = not wanted(folder, USUAL)
    _write_line(0.0, LOADED if ready else LOADING)  # before the builder itself is loaded
    from ..jit import keep_kernels_in
    from .every_kernel import compile_every_kernel

    keep_kernels_in(folder)
    with _Lines(claims, ready) as lines:
        if ready:
            (claims / _ALONE).touch()
        else:
            _compile_usual_kernels(claims, lines)
            _leave_stamp(folder, USUAL)
        if task == EVERYTHING:
            compile_every_kernel()
            _leave_stamp(folder, EVERYTHING)
    return 0


def _help(folder: Path, claims: Path) -> None:
    """Compile some of what a usual build needs, where the first process says so."""
    until = time.monotonic() + _SHARES_WITHIN
    while not (claims / _SHARE).exists():
        if (claims / _ALONE).exists() or time.monotonic() > until:
            return
        time.sleep(_BETWEEN_LOOKS)
    from ..jit import keep_kernels_in
    from .usual_kernels import LAST, pieces

    keep_kernels_in(folder)
    todo, began = pieces(), time.monotonic()
    for numbers in _rounds(len(todo), LAST):
        _share(todo, numbers, claims, began)


def _compile_usual_kernels(claims: Path, lines: _Lines) -> None:
    """Everything that a usual build may need, together with the processes that help. Ready before the LAST pieces."""
    from ..jit import has_shipped_kernels
    from .usual_kernels import LAST, pieces

    alone = has_shipped_kernels()
    (claims / (_ALONE if alone else _SHARE)).touch()
    todo, began = pieces(), time.monotonic()
    for numbers in _rounds(len(todo), LAST):
        if not alone:
            _share(todo, numbers, claims, began)
        for number in sorted({*numbers} - _done(claims)):  # to be loaded; or what a process that died left undone
            _do(number, todo, claims)
        lines.ready = True


def _rounds(count: int, last: int) -> tuple[range, range]:
    """The numbers of the pieces that every usual build needs, and of the last, which need what those compile."""
    return range(count - last), range(count - last, count)


def _share(todo: Sequence[Callable[[], object]], numbers: range, claims: Path, began: float) -> None:
    """Do what no other process has begun, and wait for what others have: so much longer than since `began`."""
    _take(todo, numbers, claims)
    until = time.monotonic() + _PATIENCE * (time.monotonic() - began)
    while not _done(claims).issuperset(numbers) and time.monotonic() < until:
        time.sleep(_BETWEEN_LOOKS)


def _take(todo: Sequence[Callable[[], object]], numbers: range, claims: Path) -> None:
    for number in numbers:
        try:
            (claims / f"{number}{_BEGUN}").touch(exist_ok=False)
        except FileExistsError:
            continue
        _do(number, todo, claims)


def _do(number: int, todo: Sequence[Callable[[], object]], claims: Path) -> None:
    todo[number]()
    (claims / f"{number}{_DONE}").touch()


def _done(claims: Path) -> set[int]:
    """The numbers of the pieces that are compiled."""
    return {int(path.name.removesuffix(_DONE)) for path in claims.glob(f"*{_DONE}")}


def _write_line(fraction: float, state: str) -> None:
    sys.stdout.write(f"{fraction:.3f} {state}\n")
    sys.stdout.flush()


class _Lines:
    """Writes again and again how many kernels have been asked for, while the compiler is at work."""

    def __init__(self, claims: Path, ready: bool) -> None:
        self.ready = ready  # for a usual build
        self._claims = claims
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._ended.wait(_BETWEEN_LINES):
            self._write()

    def _write(self) -> None:
        from ..kernels.kernel_store import STORE

        _write_line(len(STORE.tally.seen) / max(STORE.tally.known, 1), self._state())

    def _state(self) -> str:
        from ..kernels.kernel_store import STORE
        from .usual_kernels import FIRST

        compiled = bool(STORE.tally.compiled)
        if self.ready:
            return READY if compiled else LOADED
        if not compiled:
            return LOADING
        return GROUND if _done(self._claims).issuperset(range(FIRST)) else COMPILING

    def __enter__(self) -> _Lines:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self._write()


def _end_with_starter() -> None:
    while os.read(0, 1):  # not through sys.stdin, whose lock Python wants for itself when it ends
        pass
    os._exit(1)


def _leave_stamp(folder: Path, task: str) -> None:
    with contextlib.suppress(OSError):  # compiled ahead again next time
        stamp_of(folder, task).write_text(stamp(), encoding="utf-8")


def stamp_of(folder: Path, task: str) -> Path:
    """The file whose content says for which sources and which Python the kernels are there."""
    return folder / f"prepared {task}"


def _is_stamped(path: Path) -> bool:
    try:
        return path.read_text(encoding="utf-8") == stamp()
    except (OSError, UnicodeDecodeError):
        return False


def stamp() -> str:
    """These sources, on this Python."""
    from ..version import code_fingerprint

    return f"{code_fingerprint()} {sys.version}"
