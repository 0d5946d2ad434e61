"""The build, apart from Blender: on a thread of its own. Nothing here may touch bpy; a test sees to it.

The thread gets arrays and plain values, and gives back finished navmeshes. Cancelling asks it to stop and does not
wait: a kernel that is being compiled cannot be interrupted, so it ends unseen, and its result is thrown away.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from .request_and_result import BuiltNavmesh, Means, Request
from .run_builds import build_all

if TYPE_CHECKING:
    from ...navcore.progress import Progress

_unfinished: list[threading.Thread] = []  # threads whose build was cancelled, until they end


class BuildThread:
    """One or several builds on a thread. The main thread reads its fields and calls `cancel()`."""

    def __init__(self, requests: list[Request], means: Means) -> None:
        self.requests, self._means = requests, means
        self.stage, self.fraction = "preparing", 0.0
        self.built: list[BuiltNavmesh] = []
        self.error: Exception | None = None
        self.cancelled = False
        self.began = time.monotonic()
        self._progress: Progress | None = None
        self._thread = threading.Thread(target=self._run, name="navmesh-build", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """Since this was made."""
        return time.monotonic() - self.began

    def cancel(self) -> None:
        """Ask the thread to stop; returns at once."""
        self.cancelled = True
        if self._progress is not None:
            self._progress.cancel()
        if self.running and self._thread not in _unfinished:
            _unfinished.append(self._thread)

    def _run(self) -> None:
        try:
            self.built = build_all(self.requests, self._means, self)
        except Exception as error:  # noqa: BLE001 - an error that ends a thread would be seen by nobody
            self.error = error

    def watch(self, progress: Progress) -> None:
        """Called on the thread once there is something to cancel."""
        self._progress = progress
        if self.cancelled:
            progress.cancel()

    def show_progress(self, number: int, stage: str, fraction: float) -> None:
        """Called on the thread, as often as the builder likes."""
        self.stage = stage
        self.fraction = (number + fraction) / len(self.requests)


def wait_for_threads(seconds: float = 60.0) -> bool:
    """Wait until cancelled builds have ended. Returns whether all have."""
    until = time.monotonic() + seconds
    for thread in list(_unfinished):
        thread.join(max(0.0, until - time.monotonic()))
        if not thread.is_alive():
            _unfinished.remove(thread)
    return not _unfinished
