"""An operator whose work is a job: on a thread while Blender stays usable, or at once for scripts. Esc stops it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ..blender_types import not_none
from ..operator_types import Answer, Saying, report_error

if TYPE_CHECKING:
    from .. import background

_TICK = 0.05  # seconds between two looks at the thread


class RunsJob(Saying):
    """What such an operator does itself is to make the job and to show what came of it."""

    if TYPE_CHECKING:
        _job: background.Job[Any] | None
        _timer: bpy.types.Timer | None
    _job = _timer = None  # without a type here, which would make settings of them
    stopped = "Nothing was done."  # what is said once nobody wants it any more
    is_fine_to_stop = True  # or it is a warning

    def new_job(self, context: bpy.types.Context) -> background.Job[Any]:
        """Raises NavmeshError."""
        raise NotImplementedError

    def show(self, result: Any) -> Answer:
        """Say what came of the job."""
        raise NotImplementedError

    def begin(self, job: background.Job[Any]) -> None:
        """Start it on its thread."""
        job.start()

    def is_wanted(self, job: background.Job[Any]) -> bool:
        """Whether its result is still waited for."""
        return not job.cancelled

    def goes_on(self, job: background.Job[Any]) -> bool:
        """Whether its result is not taken yet."""
        return job.running

    def let_go(self, job: background.Job[Any]) -> None:
        """It has ended, or nobody wants it."""

    def execute(self, context: bpy.types.Context) -> Answer:
        """At once: in background mode, and for scripts."""
        try:
            return self.show(self.new_job(context).here_and_now())
        except Exception as error:  # noqa: BLE001 - never a traceback in front of an artist
            return report_error(self, error)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        """On a thread."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        try:
            self._job = self.new_job(context)
        except Exception as error:  # noqa: BLE001 - likewise
            return report_error(self, error)
        self.begin(self._job)
        self._timer = not_none(context.window_manager).event_timer_add(_TICK, window=context.window)
        not_none(context.window_manager).modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        job = not_none(self._job)
        if event.type == "ESC" and event.value == "PRESS":
            job.cancel()
        if not self.is_wanted(job):
            self.cancel(context)
            self.say(self.is_fine_to_stop, self.stopped)
            return {"CANCELLED"}
        if event.type != "TIMER" or self.goes_on(job):
            return {"PASS_THROUGH"}
        self.cancel(context)
        return report_error(self, job.error) if job.error is not None else self.show(job.result)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator, or it is done."""
        if self._timer is not None:
            not_none(context.window_manager).event_timer_remove(self._timer)
            self._timer = None
        job = not_none(self._job)
        if job.running:
            job.cancel()
        self.let_go(job)
