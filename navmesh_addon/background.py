"""Work beside the main thread: a job on a thread of its own, or one thing after the other on one worker. No bpy.

Nothing that runs there may touch bpy; a test sees to it. Cancelling asks a job to stop and does not wait: a kernel that
is being compiled cannot be interrupted, so it ends unseen, and its result is thrown away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypeVar

from .long_lived import set_aside

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from ..navcore.progress import Progress

_Result = TypeVar("_Result")
_Parameters = ParamSpec("_Parameters")
_cancelled: list[threading.Thread] = []  # of jobs that were asked to stop, until they end


class Job(Generic[_Result]):
    """Work on a thread of its own. The main thread starts and cancels it, and reads its fields."""

    def __init__(self, name: str, work: Callable[[Any], _Result]) -> None:
        """`work` gets this job."""
        self.result: _Result | None = None  # None while it runs, and where it failed
        self.error: BaseException | None = None  # what ended it: else nobody would see it
        self.cancelled = False
        self.stage, self.fraction = "", 0.0
        self.began, self.ended = time.monotonic(), 0.0  # 0: it has not
        self._work = work
        self._watched: list[Progress] = []
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> Self:
        """The same job, which runs now."""
        self.began = time.monotonic()
        self._thread.start()
        return self

    def here_and_now(self) -> _Result:
        """What the work returns; not on its thread, but on the one that asks."""
        return self._work(self)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """For which it has run."""
        return (self.ended or time.monotonic()) - self.began

    def cancel(self) -> None:
        """Ask it to stop; returns at once."""
        self.cancelled = True
        for progress in self._watched:
            progress.cancel()
        _cancelled[:] = {thread for thread in (*_cancelled, self._thread) if thread.is_alive()}

    def wait(self, seconds: float | None = None) -> bool:
        """Until it has ended, at most so long. Returns whether it has."""
        if self._thread.ident is not None:
            self._thread.join(seconds)
        return not self.running

    def watch(self, progress: Progress) -> None:
        """Called on the thread once there is something to cancel."""
        self._watched.append(progress)
        if self.cancelled:
            progress.cancel()

    def new_progress(self) -> Progress:
        """Called on the thread: what is told how far it is, and asked whether to go on."""
        from ..navcore.progress import Progress

        progress = Progress(partial(self.show_progress, 0))
        self.watch(progress)
        return progress

    def show_progress(self, _number: int, stage: str, fraction: float) -> None:
        """Called on the thread, as often as the builder likes."""
        self.stage, self.fraction = stage, fraction

    def _run(self) -> None:
        try:
            self.result = self._work(self)
        except BaseException as error:  # noqa: BLE001 - the main thread says it
            self.error = error
        set_aside()
        self.ended = time.monotonic()


def wait_for_cancelled(seconds: float = 60.0) -> bool:
    """Wait until jobs that were cancelled have ended. Returns whether all have."""
    until = time.monotonic() + seconds
    for thread in list(_cancelled):
        thread.join(max(0.0, until - time.monotonic()))
        if not thread.is_alive():
            _cancelled.remove(thread)
    return not _cancelled


def is_main_thread() -> bool:
    """Whether this is the thread that Blender's data may be changed from."""
    return threading.current_thread() is threading.main_thread()


class OneWorker:
    """A thread that does one thing after the other. It is there from when it is asked first to when it is forgotten."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._executor: ThreadPoolExecutor | None = None

    def ask(
        self, work: Callable[_Parameters, _Result], *arguments: _Parameters.args, **more: _Parameters.kwargs
    ) -> Future[_Result]:
        """What the work returns, soon: after what was asked before."""
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor  # here: Blender's start does not wait for it

            self._executor = ThreadPoolExecutor(1, self._name)
        answer = self._executor.submit(work, *arguments, **more)
        answer.add_done_callback(lambda _: set_aside())
        return answer

    def forget(self) -> None:
        """Wait for what runs, give up what was asked besides, and let the thread go."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)
            self._executor = None
