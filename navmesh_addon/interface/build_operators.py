"""Operators that build: one verb each. They gather, let a thread build, and write back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...navcore.errors import Cancelled
from ..blender_types import known, layout_of, scene_of, view_layer_of
from ..builds import active_build
from ..errors import report_error, sentence
from ..objects.built_from import requests_again
from ..operator_types import Answer
from ..stored.setting_properties import NAMES, setting_properties, write_values
from ..stored.setups import SCOPES
from ..stored.source_objects import COLLECTION, Sources
from ..watch import out_of_date
from . import progress_display, redo_panel

_TICK = 0.1  # seconds between two looks at the thread


def summary(requests: list[Request]) -> str:
    """One line on what was built."""
    names = ", ".join(request.name for request in requests)
    triangles = sum(len(request.gathered.triangles) for request in requests)
    return f"Built {names} from {triangles:,} triangles."


if TYPE_CHECKING:
    from ..builds.request_and_result import Request

    _Operator = bpy.types.Operator
else:
    _Operator = object  # Blender's own class comes last, in the classes that it registers


class Building(_Operator):
    """What the operators that build have in common: at once in `execute`, on a thread after `invoke`."""

    if TYPE_CHECKING:
        _timer: bpy.types.Timer | None

    def make_requests(self, context: bpy.types.Context) -> list[Request]:
        raise NotImplementedError

    def after_writing(self, context: bpy.types.Context, requests: list[Request]) -> None:
        """What else changes once the navmeshes are there."""

    def gather(self, context: bpy.types.Context) -> list[Request]:
        """All requests, unless a build runs already. Raises NavmeshError."""
        active_build.check_idle()
        requests = self.make_requests(context)
        # Objects that are shown later are compared with those that are shown now.
        out_of_date.objects_may_have_come_or_gone(scene_of(context), view_layer_of(context))
        return requests

    def execute(self, context: bpy.types.Context) -> Answer:
        """Build at once: in background mode, for scripts and for the redo panel."""
        from ..builds.builder import build_all  # here: Blender's start does not wait for it
        from ..builds.threads_and_kernel_folder import usual_means
        from ..objects.write_navmeshes import write_back

        try:
            requests = self.gather(context)
            write_back(scene_of(context), build_all(requests, usual_means()))
            self.after_writing(context, requests)
        except Exception as error:  # noqa: BLE001 - never a traceback in front of an artist
            return report_error(self, error)
        self.report({"INFO"}, summary(requests))
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        """Build on a thread, while Blender stays usable."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        try:
            self._thread = active_build.start(self.gather(context), scene_of(context))
        except Exception as error:  # noqa: BLE001 - likewise
            return report_error(self, error)
        self._timer = known(context.window_manager).event_timer_add(_TICK, window=context.window)
        known(context.window_manager).modal_handler_add(self)
        progress_display.show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        if event.type == "ESC" and event.value == "PRESS" and active_build.current() is self._thread:
            active_build.cancel()
        if active_build.current() is not self._thread:  # cancelled, here or elsewhere
            self._clean_up(context)
            self.report({"WARNING"}, sentence(Cancelled()))
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        if self._thread.running or bpy.app.is_job_running("RENDER"):  # nothing is written into a scene that renders
            progress_display.update(context)
            return {"PASS_THROUGH"}
        return self._finish(context)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator: its window was closed, or another file is loaded."""
        if active_build.current() is self._thread:
            active_build.cancel()
        self._clean_up(context)

    def _finish(self, context: bpy.types.Context) -> Answer:
        from ..objects.write_navmeshes import write_back

        thread = self._thread
        try:
            scene, has_changed = active_build.finish()
            if thread.error is not None:
                raise thread.error
            written = write_back(scene, thread.built)
            for object_ in written if has_changed else ():
                out_of_date.doubt(object_)
        except Exception as error:  # noqa: BLE001 - likewise
            return report_error(self, error)
        finally:
            self._clean_up(context)
        self.report({"INFO"}, f"{summary(thread.requests)} {thread.seconds:.1f} s")
        return {"FINISHED"}

    def _clean_up(self, context: bpy.types.Context) -> None:
        if self._timer is not None:
            known(context.window_manager).event_timer_remove(self._timer)
            self._timer = None
        progress_display.hide(context)


class NAVMESH_OT_build(Building, bpy.types.Operator):
    """Build a navigation mesh: where an agent of this size can walk"""

    bl_idname = "navmesh.build"
    bl_label = "Build Navmesh"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        scope: str
        collection: str
        setup: str
        all_setups: bool
        prune: bool
        begun: str
        _asked: redo_panel.Asked
    __annotations__ = {
        "scope": EnumProperty(
            name="From",
            description="What the navmesh is built from",
            items=(("SETUP", "As Stored", "As the setup says, selected objects without one"), *SCOPES),
            options={"SKIP_SAVE"},
        ),
        "collection": StringProperty(name="Collection", description="For a scope of Collection", options={"SKIP_SAVE"}),
        "setup": StringProperty(
            name="Setup", description="Which setup to build; empty for the active one", options={"SKIP_SAVE"}
        ),
        "all_setups": BoolProperty(
            name="All Setups", description="Build the navmesh of every setup", options={"SKIP_SAVE"}
        ),
        "prune": BoolProperty(
            name="Only What Seeds Reach",
            description="Leave out ground that no seed can reach; as the setup says where not given",
            options={"SKIP_SAVE"},
        ),
        # What the properties were when it was first executed, for the redo panel.
        "begun": StringProperty(options={"HIDDEN", "SKIP_SAVE"}),
        **setting_properties(options={"SKIP_SAVE"}),
    }

    def make_requests(self, context: bpy.types.Context) -> list[Request]:
        from ..builds.make_requests import Overrides, make_requests

        metres = scene_of(context).unit_settings.scale_length
        self._asked = what = redo_panel.asked(self, metres)
        values = {name: value for name, value in what.given.items() if name in NAMES}
        prune = self.prune if "prune" in what.given else None
        kept = frozenset(what.by_hand)
        overrides = Overrides(self.setup, self.all_setups, self._sources, values, prune, kept, what.by_script)
        requests = make_requests(context, overrides)
        if len(requests) == 1:  # let the redo panel begin with the values that were used
            write_values(self, requests[0].settings.to_mapping(), metres)
            self.prune = requests[0].prune
        self.begun = self.begun or redo_panel.begun(what, requests)
        return requests

    def after_writing(self, context: bpy.types.Context, requests: list[Request]) -> None:
        redo_panel.keep(context, requests, self._asked.by_hand)

    def _sources(self, stored: Sources) -> Sources:
        if self.scope == "SETUP":
            return stored
        collection = self.collection or stored.collection if self.scope == COLLECTION else ""
        return stored._replace(scope=self.scope, collection=collection)

    def draw(self, _context: bpy.types.Context) -> None:
        """Names stand in their fields: the redo panel is too narrow for names beside them."""
        layout = layout_of(self)
        layout.prop(self, "scope")
        if self.scope == COLLECTION:
            layout.prop_search(self, "collection", bpy.data, "collections")
        layout.prop(self, "prune")
        if self.all_setups:
            layout.label(text="Settings are those of each setup")
            return
        for name in NAMES:
            layout.prop(self, name)


class NAVMESH_OT_rebuild(Building, bpy.types.Operator):
    """Build the navmesh again from the objects and settings it was built from"""

    bl_idname = "navmesh.rebuild"
    bl_label = "Rebuild Navmesh"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        setup: str
    __annotations__ = {
        "setup": StringProperty(
            name="Setup", description="Which setup to build; empty for the active one", options={"SKIP_SAVE"}
        ),
    }

    def make_requests(self, context: bpy.types.Context) -> list[Request]:
        return requests_again(context, self.setup)


class NAVMESH_OT_cancel(bpy.types.Operator):
    """Stop building. Nothing is changed"""

    bl_idname = "navmesh.cancel"
    bl_label = "Cancel"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return active_build.current() is not None

    def execute(self, _context: bpy.types.Context) -> Answer:
        active_build.cancel()
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_build, NAVMESH_OT_rebuild, NAVMESH_OT_cancel)
