"""Starting the processes that compile kernels, and looking at how far they are. Nothing here loads Numba.

One lot at a time for this process. Where kernels are shipped for this computer, the processes find nothing to compile
and end within seconds; once they have ended well they are not started again. Several programs may do this at once: no
kernel is compiled twice, and only so many processes of one folder are at work.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, NamedTuple

from ..errors import BadSettings
from ..version import FOLDER
from .processes import (
    ASKED,
    COMPILED,
    COMPILING,
    EVERYTHING,
    GROUND,
    HELP,
    HELP_WITH_EVERYTHING,
    LOADED,
    LOADED_GROUND,
    LOADING,
    MOST,
    READY,
    USUAL,
    wanted,
)

VARIABLE = "NAVMESH_KERNEL_PROCESSES"  # of the environment: how many processes compile; 0: none but the one that builds
# Our own Python. It gets our own path: Blender's does not know the wheels of extensions by itself.
_SCRIPT = (
    "import json, sys; from pathlib import Path; sys.path[:] = json.loads(sys.argv[1]); "
    "from navcore.compile_ahead.processes import main; "
    "sys.exit(main(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]), int(sys.argv[5])))"
)
_PATIENCE = 20.0  # seconds until it must have written something: it may be another program than it should be
_PATIENCE_AT_WORK = 180.0  # seconds in which it may be silent later: loading Numba takes a busy machine long
_SOON = 0.05  # seconds
_AT_MOST = 4  # processes, unless somebody asks for more; each takes a quarter of a gigabyte
_LOADS = 4.0  # seconds: loading Numba, before which it writes nothing, takes one or two
_STARVED = 0.5  # of its time: a process that computes less stands back behind others
_LOW_PRIORITY = 0x08000000 | 0x00004000  # Windows: no window, below normal
_running: list[CompilerProcesses] = []


class Manner(NamedTuple):
    """How kernels are compiled, beside which ones."""

    nice: int = 5  # how far the processes stand back behind others, as Unix counts it; here somebody waits for them
    share_all: bool = False  # all processes take part in everything: over sooner, with more memory until then
    spared: int = 0  # of the processes: who starts them compiles as well
    to_the_end: bool = False  # who started them waits for them before it ends: the next one must not begin anew


USUALLY = Manner()


class CompilerProcesses:
    """The processes, and how far the first of them says it is."""

    def __init__(self, folder: Path, task: str, count: int, manner: Manner) -> None:
        self._aside = tempfile.mkdtemp(prefix="navmesh-")  # (a TemporaryDirectory may be gone before we are at exit)
        self._output = Path(self._aside) / "output.txt"
        self.folder, self.manner = folder, manner
        self._task = task
        self._owner, self._compiled = os.getpid(), 0
        self.began = time.monotonic()
        try:
            self._start(folder, count)
        except (OSError, ValueError):
            shutil.rmtree(self._aside, ignore_errors=True)
            raise

    def _start(self, folder: Path, count: int) -> None:
        """The first process, and those that help it where there is anything to share."""
        with self._output.open("wb") as output:
            self._process = self._started(self._task, folder, output)
        if self._task in ASKED:
            self._helpers = [self._started(self._task, folder) for _ in range(count - 1)]
            return
        share_all = self.manner.share_all and self._task == EVERYTHING
        helpers = count - 1 if share_all or wanted(folder, USUAL) else 0
        task = HELP_WITH_EVERYTHING if share_all else HELP
        self._helpers = [self._started(task, folder) for _ in range(helpers)]

    def _started(
        self, task: str, folder: Path, output: IO[bytes] | int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        path = json.dumps([str(FOLDER.parent), *sys.path])
        return subprocess.Popen(
            [sys.executable, "-I", "-c", _SCRIPT, path, task, str(folder), self._aside, str(self.manner.nice)],
            stdin=subprocess.PIPE,  # closed when we end, whatever way; then it ends, too
            stdout=output,
            stderr=subprocess.DEVNULL,
            creationflags=_LOW_PRIORITY if sys.platform == "win32" else 0,
        )

    @property
    def running(self) -> bool:
        return self._owner == os.getpid() and self._process.poll() is None

    @property
    def fraction(self) -> float:
        """Of all kernels."""
        return float(self._last_line().partition(" ")[0] or 0)

    @property
    def compiled(self) -> int:
        """How many kernels all of them have compiled."""
        count = 0
        for path in Path(self._aside).glob(f"*{COMPILED}"):
            with contextlib.suppress(OSError, ValueError):  # it is being written
                count += int(path.read_text(encoding="utf-8"))
        self._compiled = max(self._compiled, count)
        return self._compiled

    @property
    def compiles(self) -> bool:
        """Whether there is something to see of it: shipped kernels are only looked at."""
        return self.running and self._state() in {COMPILING, GROUND, READY}

    def holds_up(self, small: bool = False) -> bool:
        """Whether a build does better to wait: it would compile at the same time what is being compiled.

        To be asked once the builder is loaded.
        """
        from ..kernels.kept_kernels import has_shipped_kernels

        state = self._state()
        ground_is_there = state in {GROUND, LOADED_GROUND}
        if self._task in ASKED:  # who asks compiles, too; what Python stands in for goes on
            waits = True
        elif self._task == USUAL:  # begun where kernels are missing
            waits = state not in {READY, LOADED}
        else:
            waits = state in {COMPILING, GROUND}
            waits = waits or (state in {LOADING, LOADED_GROUND} and not has_shipped_kernels())
        return waits and not (small and ground_is_there) and self.running and self._writes()

    @property
    def is_whole(self) -> bool:
        """Whether everything is compiled, and not only what a usual build needs."""
        return self._task == EVERYTHING

    @property
    def is_starved(self) -> bool:
        """Whether other programs leave it hardly a turn, because it stands back behind them."""
        if not self.running or self.manner.nice == 0:
            return False
        share = self._last_line().partition(" ")[2].partition(" ")[0]
        return float(share or 1) < _STARVED or self._silent_for() > _LOADS

    def _state(self) -> str:
        return self._last_line().rpartition(" ")[2]

    def stop(self) -> None:
        """End it, or let it end by itself if that is its manner. A fork of who started it leaves it alone."""
        if self._owner != os.getpid():
            return
        while self.manner.to_the_end and self.running and self._writes():
            time.sleep(_SOON)
        for process in (self._process, *self._helpers):
            with contextlib.suppress(OSError):
                process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
        shutil.rmtree(self._aside, ignore_errors=True)

    def _writes(self) -> bool:
        """Whether it is the program that it should be, and not asleep: that one writes several times a second.

        Where others leave it hardly a turn much less often. Whoever took it for gone would do its work once more.
        """
        return self._silent_for() < (_PATIENCE_AT_WORK if self._last_line() else _PATIENCE)

    def _silent_for(self) -> float:
        """Seconds since it wrote."""
        try:
            return time.time() - self._output.stat().st_mtime
        except OSError:  # stopped in between
            return math.inf

    def _last_line(self) -> str:
        try:
            whole = self._output.read_text(encoding="utf-8").rpartition("\n")[0]
        except OSError:  # stopped in between
            return ""
        return whole.rpartition("\n")[2].strip()


def begin(folder: Path, *, whole: bool = True, manner: Manner = USUALLY) -> CompilerProcesses | None:
    """Start compiling, unless that was done. None where nothing is to be done, or no process can be started.

    With `whole` everything, and builds wait for what they need; else only that, and builds wait for all of it.
    """
    return _begin(folder, EVERYTHING if whole else USUAL, manner)


def begin_asked(folder: Path, task: str, spared: int) -> CompilerProcesses | None:
    """Start compiling what goes beyond a usual build. None where that was done, or others compile already."""
    return None if current() is not None else _begin(folder, task, Manner(spared=spared))


def _begin(folder: Path, task: str, manner: Manner) -> CompilerProcesses | None:
    begins, count = would_begin(folder, task), how_many()
    stop()
    if not begins:
        return None
    with contextlib.suppress(OSError, ValueError):  # builds then compile for themselves
        _running.append(CompilerProcesses(folder, task, max(count - manner.spared, 1), manner))
        atexit.register(stop)
    return current()


def would_begin(folder: Path, task: str) -> bool:
    """Whether there is something to compile, and somebody who may. Raises BadSettings, as `how_many` does."""
    return how_many() > 0 and _starts_python() and wanted(folder, task)


def hurry() -> None:
    """Somebody waits: processes that others leave hardly a turn begin again, and stand back no more.

    Only what they compile this moment is lost.
    """
    compiler = current()
    if compiler is not None and compiler.is_starved:
        manner = compiler.manner._replace(nice=0)
        compiler.manner = manner._replace(to_the_end=False)  # what stands back is not waited for
        begin(compiler.folder, whole=compiler.is_whole, manner=manner)


def how_many() -> int:
    """Processes that compile side by side. Raises BadSettings where the environment names no number."""
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return min(cores(), _AT_MOST)
    if not given.isdecimal():
        raise BadSettings(
            f"{VARIABLE} is {given!r:.40}, and should be a number of processes, or 0 for none. Correct it or unset it."
        )
    return min(int(given), MOST)


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _starts_python() -> bool:
    """Some Blenders name themselves there: starting that would open a second window."""
    return Path(sys.executable or "").stem.lower().startswith("python")


def current() -> CompilerProcesses | None:
    """The one that runs. To be asked from any thread: another may stop it meanwhile."""
    return next((processes for processes in _running[:1] if processes.running), None)


def stop() -> None:
    """End it, if it runs."""
    while _running:
        _running.pop().stop()
