"""Kernels are compiled right after enabling, by processes of their own at low priority: Blender does not feel it.

Where the zip brought compiled kernels for this computer, they find nothing to compile and end within seconds; once they
have ended well they are not started again. Nothing here may touch bpy: the thread that builds asks, too.
"""

from __future__ import annotations

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
from typing import IO

from ..package_names import FOLDER_OF_BOTH

# Blender's Python. It gets Blender's own path: it does not know the wheels of extensions by itself.
_SCRIPT = (
    "import json, sys; from pathlib import Path; sys.path[:] = json.loads(sys.argv[1]); "
    "from navcore.compile_ahead.processes import main; "
    "sys.exit(main(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))"
)
_PATIENCE = 20.0  # seconds
_SOON = 0.05  # seconds
_MOST = 4  # processes; each takes a quarter of a gigabyte
_LOW_PRIORITY = 0x08000000 | 0x00004000  # Windows: no window, below normal
_running: list[CompilerProcesses] = []


class CompilerProcesses:
    """The processes, and how far the first of them says it is."""

    def __init__(self, folder: Path, task: str) -> None:
        self._aside = tempfile.mkdtemp(prefix="navmesh-")  # (a TemporaryDirectory may be gone before we are at exit)
        self._output = Path(self._aside) / "output.txt"
        self._task = task
        try:
            self._start(folder)
        except (OSError, ValueError):
            shutil.rmtree(self._aside, ignore_errors=True)
            raise

    def _start(self, folder: Path) -> None:
        """The first process, and those that help it where there is anything to share."""
        from ...navcore.compile_ahead.processes import HELP, USUAL, wanted

        with self._output.open("wb") as output:
            self._process = self._started(self._task, folder, output)
        helpers = min(_cores(), _MOST) - 1 if wanted(folder, USUAL) else 0
        self._helpers = [self._started(HELP, folder) for _ in range(helpers)]

    def _started(
        self, task: str, folder: Path, output: IO[bytes] | int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        path = json.dumps([str(FOLDER_OF_BOTH), *sys.path])
        return subprocess.Popen(
            [sys.executable, "-I", "-c", _SCRIPT, path, task, str(folder), self._aside],
            stdin=subprocess.PIPE,  # closed when we end, whatever way; then it ends, too
            stdout=output,
            stderr=subprocess.DEVNULL,
            creationflags=_LOW_PRIORITY if sys.platform == "win32" else 0,
        )

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    @property
    def fraction(self) -> float:
        """Of all kernels."""
        return float(self._last_line().partition(" ")[0] or 0)

    @property
    def compiles(self) -> bool:
        """Whether there is something to see of it: shipped kernels are only looked at."""
        from ...navcore.compile_ahead.processes import COMPILING, GROUND, READY

        return self.running and self._state() in {COMPILING, GROUND, READY}

    def holds_up(self, small: bool = False) -> bool:
        """Whether a build does better to wait: it would compile at the same time what is being compiled.

        To be asked once the builder is loaded.
        """
        from ...navcore.compile_ahead.processes import COMPILING, GROUND, LOADED, LOADING, READY, USUAL
        from ...navcore.jit import has_shipped_kernels

        state = self._state()
        if self._task == USUAL:  # begun where kernels are missing
            waits = state not in {READY, LOADED}
        else:
            waits = state in {COMPILING, GROUND} or (state == LOADING and not has_shipped_kernels())
        return waits and not (small and state == GROUND) and self.running and self._silent_for() < _PATIENCE

    def _state(self) -> str:
        return self._last_line().rpartition(" ")[2]

    def stop(self) -> None:
        """End it. What a script's Blender has begun is ended by itself: the next script must not begin anew."""
        from ...navcore.compile_ahead.processes import USUAL

        while self._task == USUAL and self.running and self._silent_for() < _PATIENCE:
            time.sleep(_SOON)
        for process in (self._process, *self._helpers):
            with contextlib.suppress(OSError):
                process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
        shutil.rmtree(self._aside, ignore_errors=True)

    def _silent_for(self) -> float:
        """Seconds since it wrote. It does several times a second, unless it is another program than it should be."""
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


def begin(folder: Path, *, whole: bool = True) -> CompilerProcesses | None:
    """Start compiling, unless that was done. None where nothing is to be done, or no process can be started.

    With `whole` everything, and builds wait for what they need; else only that, and builds wait for all of it.
    """
    from ...navcore.compile_ahead.processes import EVERYTHING, USUAL, wanted

    task = EVERYTHING if whole else USUAL
    stop()
    if not _starts_python() or not wanted(folder, task):
        return None
    with contextlib.suppress(OSError, ValueError):  # builds then compile for themselves
        _running.append(CompilerProcesses(folder, task))
    return current()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _starts_python() -> bool:
    """Some Blenders name themselves there: starting that would open a second window."""
    return Path(sys.executable or "").stem.lower().startswith("python")


def current() -> CompilerProcesses | None:
    """The one that runs."""
    return _running[0] if _running and _running[0].running else None


def stop() -> None:
    """End it, if it runs."""
    while _running:
        _running.pop().stop()
