"""Kernels are compiled right after enabling, by a process of its own at low priority: Blender does not feel it.

Where the zip brought compiled kernels for this computer, that process finds nothing to compile and ends within seconds;
once it has ended well it is not started again. Nothing here may touch bpy: the thread that builds asks, too.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
# Blender's Python, told where Blender finds things: it does not know the wheels of extensions by itself.
_SCRIPT = (
    "import json, sys; from pathlib import Path; sys.path[:] = json.loads(sys.argv[1]); "
    "from navcore.prepare import main; sys.exit(main(Path(sys.argv[2])))"
)
_LOW_PRIORITY = 0x08000000 | 0x00004000  # Windows: no window, below normal
_running: list[Preparation] = []


class Preparation:
    """The process, and how far it says it is."""

    def __init__(self, folder: Path) -> None:
        self._aside = tempfile.TemporaryDirectory(prefix="navmesh-", ignore_cleanup_errors=True)
        self._told = Path(self._aside.name) / "told.txt"
        path = json.dumps([str(_ROOT), *sys.path])
        with self._told.open("wb") as told:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _SCRIPT, path, str(folder)],
                stdin=subprocess.PIPE,  # closed when we end, whatever way; then it ends, too
                stdout=told,
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
        return self.running and self._last_line().endswith(("compiling", "ready"))

    @property
    def holds_up(self) -> bool:
        """Whether a build does better to wait: it would compile at the same time what is being compiled."""
        return self.running and self._last_line().endswith("compiling")

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._aside.cleanup()

    def _last_line(self) -> str:
        try:
            whole = self._told.read_text(encoding="utf-8").rpartition("\n")[0]
        except OSError:  # stopped in between
            return ""
        return whole.rpartition("\n")[2].strip()


def begin(folder: Path) -> Preparation | None:
    """Start preparing, unless that was done. None where nothing is to be done, or no process can be started."""
    from ..navcore.prepare import wanted

    stop()
    if not _starts_python() or not wanted(folder):
        return None
    with contextlib.suppress(OSError, ValueError):  # builds then compile for themselves
        _running.append(Preparation(folder))
    return current()


def _starts_python() -> bool:
    """Some Blenders name themselves there: starting that would open a second window."""
    return Path(sys.executable or "").stem.lower().startswith("python")


def current() -> Preparation | None:
    """The one that runs."""
    return _running[0] if _running and _running[0].running else None


def stop() -> None:
    """End it, if it runs."""
    while _running:
        _running.pop().stop()
