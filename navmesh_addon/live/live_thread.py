"""What follows a level, apart from Blender: one job after the other on a thread. Nothing here may touch bpy."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...navcore.progress import Progress

Work = Callable[["LiveThread"], object]


def is_main_thread() -> bool:
    """Whether this is the thread that Blender's data may be changed from."""
    return threading.current_thread() is threading.main_thread()


class LiveThread:
    """One job on a thread of its own. The main thread reads its fields and calls `cancel()`."""

    def __init__(self, job: Work) -> None:
        self._job = job
        self.result: object = None
        self.error: Exception | None = None
        self.cancelled = False
        self.seconds = self.ended = 0.0  # how long it took, and when that was on the clock of `time.monotonic`
        self.stage, self.fraction = "", 0.0
        self.pictures: deque[object] = deque()  # what can be shown already; taken by the main thread
        self._progress: Progress | None = None
        self._thread = threading.Thread(target=self._run, name="navmesh-live", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def wait(self, seconds: float | None = None) -> bool:
        """Until it is done. Returns whether it is."""
        self._thread.join(seconds)
        return not self.running

    def cancel(self) -> None:
        """Ask it to stop; returns at once."""
        self.cancelled = True
        if self._progress is not None:
            self._progress.cancel()

    def _run(self) -> None:
        began = time.perf_counter()
        try:
            self.result = self._job(self)
        except Exception as error:  # noqa: BLE001 - an error that ends a thread would be seen by nobody
            self.error = error
        self.seconds, self.ended = time.perf_counter() - began, time.monotonic()

    def watch(self, progress: Progress) -> None:
        """Called on the thread once there is something to cancel."""
        self._progress = progress
        if self.cancelled:
            progress.cancel()

    def show_progress(self, _number: int, stage: str, fraction: float) -> None:
        """Called on the thread, as often as the builder likes."""
        self.stage, self.fraction = stage, fraction
