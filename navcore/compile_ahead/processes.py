"""Compile kernels ahead into the user's folder, in processes that `starter` starts.

On standard output the first process writes lines with the fraction that is done, how much of its time it gets a turn,
and a state. The state is LOADING until something had to be compiled, then COMPILING. From GROUND on a small build need
not wait, from READY on no build; where nothing was compiled so far these are LOADED_GROUND and LOADED. The others help
it until then, and then with what only some levels ask for. All end by themselves when standard input is closed: whoever
started them is gone. Of those that other programs have started for the same folder they know nothing; but what one of
them is compiling, no other compiles (kernels/kernel_store.py), and where too many are at work, one more ends at once.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path

from ..files import locks
from ..kernels.loaded_to_stay import loaded_to_stay

NEEDED, USUAL, EVERYTHING = "needed", "usual", "everything"  # each with those before it; the first process is for
HELP, HELP_WITH_EVERYTHING = "help", "help with everything"  # what the others are for
QUESTIONS, LINKS = "questions", "links"  # likewise, each alone: what goes beyond a usual build
ASKED = (QUESTIONS, LINKS)
LOADING, COMPILING, GROUND, READY = "loading", "compiling", "ground", "ready"  # what its lines say
LOADED_GROUND, LOADED = "loaded-ground", "loaded"  # likewise
MOST = 8  # processes at work for one folder, of however many programs
COMPILED = " compiled"  # ending of files that hold how many kernels a process has compiled
_NICE = 15
_BETWEEN_LINES, _BETWEEN_LOOKS = 0.1, 0.05  # seconds; looks at what the other processes have done
_BETWEEN_SHARES = 2.0  # seconds in which it is measured how often it gets a turn
_SHARE, _ALONE = "share", "alone"  # files that say whether the others have anything to do
_BEGUN, _DONE = " begun", " done"  # endings of files that each piece gets
_STEPS = "steps"  # where such files of the steps lie that compile everything
_LOCKS = "locks"  # where the user's folder has them
_SHARES_WITHIN = 60  # seconds in which the first process says whether it shares; later it must be gone
_REACHED = "reached"  # the file in the user's folder that says how far the processes came that were stopped
_STEP = 0.01  # of the fraction: it is written there so often
_PATIENCE = 3  # times as long as it worked itself is what one process waits for the others


def wanted(folder: Path, task: str = EVERYTHING) -> bool:
    """Whether there is anything to compile ahead: not if that was done with these sources on this Python."""
    tasks = (task, EVERYTHING) if task in ASKED else (NEEDED, USUAL, EVERYTHING)
    return not any(_is_stamped(stamp_of(folder, done)) for done in tasks[tasks.index(task) :])


def main(task: str, folder: Path, claims: Path, nice: int = _NICE) -> int:
    """Compile EVERYTHING, or the USUAL kernels alone, write how far it is, and leave a stamp; or HELP who does.

    `claims` is an empty folder that all of these processes share.
    """
    if hasattr(os, "nice"):  # on Windows the starter asks for it
        os.nice(nice)
    threading.Thread(target=_end_with_starter, daemon=True).start()
    if not _one_of_few(folder):
        return 0
    if task in ASKED:
        _compile_asked(task, folder, claims)
        return 0
    if task in (HELP, HELP_WITH_EVERYTHING):
        _help(folder, claims, task)
        return 0
    ready = not wanted(folder, USUAL)
    reached = _reached(folder)
    _write_line(_fraction_in(reached), LOADED if ready else LOADING)  # before the builder itself is loaded
    with loaded_to_stay():
        from ..kernels.kept_kernels import keep_kernels_in
    keep_kernels_in(folder)
    with _Lines(claims, ready, reached) as lines:
        if ready:
            (claims / _ALONE).touch()
        else:
            _compile_usual_kernels(folder, claims, lines)
            _leave_stamp(folder, USUAL)
        if task == EVERYTHING:
            _compile_every_kernel(claims, first=True)
            _leave_stamp(folder, EVERYTHING)
    return 0


def compile_here(task: str, folder: Path) -> None:
    """What the processes compile for a task, in this one, and the stamps."""
    from .every_kernel import steps
    from .usual_kernels import pieces

    for todo, done in ((pieces, USUAL), (steps, EVERYTHING))[: 1 + (task == EVERYTHING)]:
        for piece in todo():
            piece()
        _leave_stamp(folder, done)


def _compile_asked(task: str, folder: Path, claims: Path) -> None:
    """What a task is for, together with whoever else does; the last one first, for who asks compiles the first ones."""
    _write_line(0.0, LOADING)
    with loaded_to_stay():
        from ..kernels.kept_kernels import keep_kernels_in
        from .asked_kernels import foreseen
    keep_kernels_in(folder)
    with _Lines(claims, reached=claims / _REACHED):
        for call in foreseen(task):
            with contextlib.suppress(FileExistsError):  # another process has begun
                (claims / f"{sha256(call.name.encode()).hexdigest()[:32]}{_BEGUN}").touch(exist_ok=False)
                call.compile()
        if not foreseen(task):
            _leave_stamp(folder, task)


def _one_of_few(folder: Path) -> bool:
    """Whether this process is one of those that may be at work; it is until it ends, which lets go of the lock."""
    for number in range(MOST):
        try:
            locks.lock(folder / _LOCKS / f"process {number}")
        except locks.Held:
            continue
        return True
    return False


def _help(folder: Path, claims: Path, task: str) -> None:
    """Compile some of what a usual build needs, where the first process says so."""
    shares = _shares(claims)
    if not shares and task == HELP:
        return
    with loaded_to_stay():
        from ..kernels.kept_kernels import keep_kernels_in
        from .usual_kernels import LAST, pieces
    keep_kernels_in(folder)
    with _Lines(claims):
        todo, began = pieces(), time.monotonic()
        for numbers in _rounds(len(todo), LAST) if shares else ():
            _share(todo, numbers, claims, began)
        if task == HELP_WITH_EVERYTHING:
            _compile_every_kernel(claims, first=False)


def _shares(claims: Path) -> bool:
    """Whether the first process wants help with the usual pieces, once it has said so."""
    until = time.monotonic() + _SHARES_WITHIN
    while not (claims / _SHARE).exists():
        if (claims / _ALONE).exists() or time.monotonic() > until:
            return False
        time.sleep(_BETWEEN_LOOKS)
    return True


def _compile_every_kernel(claims: Path, *, first: bool) -> None:
    """The steps that compile everything, with whoever helps; the first process sees to it that all are done."""
    from .every_kernel import steps

    todo, done, began = steps(), claims / _STEPS, time.monotonic()
    done.mkdir(exist_ok=True)
    _share(todo, range(len(todo)), done, began)
    for number in sorted({*range(len(todo))} - _done(done)) if first else ():
        _do(number, todo, done)


def _compile_usual_kernels(folder: Path, claims: Path, lines: _Lines) -> None:
    """Everything that a usual build may need, together with the processes that help. Ready before the LAST pieces."""
    with loaded_to_stay():
        from ..kernels.kept_kernels import has_shipped_kernels
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
        _leave_stamp(folder, NEEDED)


def _rounds(count: int, last: int) -> tuple[range, range]:
    """The numbers of the pieces that every usual build needs, and of the last, which need what those compile."""
    return range(count - last), range(count - last, count)


def _share(todo: Sequence[Callable[[], object]], numbers: range, claims: Path, began: float) -> None:
    """Do what no other process has begun, and wait for what others have: so much longer than since `began`."""
    _take(todo, numbers, claims)
    until = time.monotonic() + _PATIENCE * (time.monotonic() - began)
    while not _done(claims).issuperset(numbers) and time.monotonic() < until:
        _turns.wait(_BETWEEN_LOOKS)


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


class _Turns:
    """How much of its time this process computes: one that stands back behind others may hardly get a turn."""

    def __init__(self) -> None:
        self._waited = 0.0
        self._since = (time.monotonic(), time.process_time(), self._waited)
        self._share = 1.0

    def wait(self, seconds: float) -> None:
        """Nothing is to be done."""
        began = time.monotonic()
        time.sleep(seconds)
        self._waited += time.monotonic() - began

    def share(self) -> float:
        """Of the time in which there was something to do, some seconds ago."""
        began, worked, waited = self._since
        busy = time.monotonic() - began - (self._waited - waited)
        if busy >= _BETWEEN_SHARES:
            self._share = (time.process_time() - worked) / busy
            self._since = (time.monotonic(), time.process_time(), self._waited)
        return self._share


_turns = _Turns()


def _write_line(fraction: float, state: str) -> None:
    sys.stdout.write(f"{fraction:.3f} {_turns.share():.2f} {state}\n")
    sys.stdout.flush()


def _reached(folder: Path) -> Path:
    """The file that says how far these sources were compiled when nobody waited any longer."""
    path = folder / _REACHED
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8").rpartition("\n")[0] == stamp():
            return path
    with contextlib.suppress(OSError):
        path.write_text(f"{stamp()}\n0", encoding="utf-8")
    return path


def _fraction_in(reached: Path) -> float:
    try:
        return min(max(float(reached.read_text(encoding="utf-8").rpartition("\n")[2]), 0.0), 1.0)
    except (OSError, ValueError):  # damaged, or no folder to write to: the bar begins anew
        return 0.0


class _Lines:
    """Tells again and again how far a process is, while the compiler is at work: the first by lines, all by a file.

    `reached` is what the first process has: how far it came is kept there, and a bar never goes back.
    """

    def __init__(self, claims: Path, ready: bool = False, reached: Path | None = None) -> None:
        self.ready = ready  # for a usual build
        self._claims, self._reached, self._compiled = claims, reached, 0
        self._fraction = self._kept = 0.0 if reached is None else _fraction_in(reached)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        while not self._ended.wait(_BETWEEN_LINES):
            self._write()

    def _write(self) -> None:
        from ..kernels.kernel_store import STORE

        if len(STORE.tally.compiled) != self._compiled:
            self._compiled = len(STORE.tally.compiled)
            (self._claims / f"{os.getpid()}{COMPILED}").write_text(str(self._compiled), encoding="utf-8")
        if self._reached is None:
            return
        self._fraction = max(self._fraction, len(STORE.tally.seen) / max(STORE.tally.known, 1))
        if self._fraction >= self._kept + _STEP:
            self._kept = self._fraction
            with contextlib.suppress(OSError):  # the next bar begins anew
                self._reached.write_text(f"{stamp()}\n{self._fraction:.3f}", encoding="utf-8")
        _write_line(self._fraction, self._state())

    def _state(self) -> str:
        from ..kernels.kernel_store import STORE
        from .usual_kernels import FIRST

        compiled = bool(STORE.tally.compiled or STORE.tally.waited_for)
        if self.ready:
            return READY if compiled else LOADED
        if _done(self._claims).issuperset(range(FIRST)):
            return GROUND if compiled else LOADED_GROUND
        return COMPILING if compiled else LOADING

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
