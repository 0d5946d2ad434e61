"""Operators that build: one verb each. They gather, let a thread build, and write back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...navcore.build_warning import counted
from ...navcore.errors import Cancelled
from .. import good_moment
from ..blender_types import Icon, layout_of, not_none, scene_of
from ..builds import active_build
from ..errors import sentence
from ..gather.gathered_level import MISSING
from ..gather.scene_intent import wanted_of
from ..objects.build_report import left_out_rows
from ..objects.built_from import finished_navmesh, follow_names, plans_again
from ..objects.hand_edits import edited_navmeshes, refuse_edited
from ..objects.kept_outcome import failures_in_words
from ..operator_types import Acting, Answer, Saying, refuse_linked
from ..stored.preferences import first_run_is_over
from ..stored.setting_properties import NAMES, setting_properties, write_values
from ..stored.setup_properties import COLLECTION, SCOPES, Sources
from ..watch import level_changes, out_of_date
from . import progress_display, redo_panel, refused_build

if TYPE_CHECKING:
    from ...navcore.result.navmesh import NavMesh
    from ..builds.request_and_result import BuiltNavmesh
    from ..gather.gathered_level import Gathered, Wanted

# --- Remove from a navmesh what no seed can reach.


class NAVMESH_OT_prune(Acting, bpy.types.Operator):
    """Remove from this navmesh the ground that no seed can reach. Mark empties as Seed where agents set out.

    To leave it out of every build, tick Only What Seeds Reach under Which Objects"""

    bl_idname = "navmesh.prune"
    bl_label = "Remove Unreachable"

    if TYPE_CHECKING:
        setup: str
    __annotations__ = {
        "setup": StringProperty(
            name="Setup", description="Whose navmesh; empty for the active one", options={"SKIP_SAVE"}
        ),
    }

    def act(self, context: bpy.types.Context) -> Answer | None:
        from ...navcore.detour.queries.prune import prune_navmesh
        from ..gather.gather_scene import gather_seeds
        from ..gather.gathered_level import geometry_of
        from ..objects.write_navmeshes import write_back

        active_build.check_idle()
        built = finished_navmesh(context, self.setup)
        metres = built.request.gathered.metres
        gathered = built.request.gathered._replace(seeds=gather_seeds(context, metres))
        seeds = built.request._replace(gathered=gathered).seeds
        pruned = prune_navmesh(built.navmesh, seeds, geometry_of(gathered))
        told = pruned.report.warnings[len(built.navmesh.report.warnings) :]
        for warning in told:
            self.report({"WARNING"}, warning.message)
        if pruned.report.counts["pruned_polygons"] == 0:
            if not told:
                self.report({"INFO"}, "Seeds reach all of the navmesh: nothing was removed.")
            return {"CANCELLED"}
        wanted = wanted_of(context, scene_of(context), built.request.setup, metres)
        write_back(scene_of(context), [_pruned_by_hand(built, gathered, pruned, wanted)])
        counts = pruned.report.counts
        self.report({"INFO"}, f"Removed {counted(counts['pruned_polygons'], 'polygon')}; {counts['polygons']:,} left.")
        return None


def _pruned_by_hand(built: BuiltNavmesh, gathered: Gathered, pruned: NavMesh, wanted: Wanted) -> BuiltNavmesh:
    """What its setup asks for does not make it out of date, but a seed that moves does."""
    from ..builds.intent_check import check_request
    from ..builds.run_builds import islands_of, values_of
    from ..gather.gathered_level import fingerprint, for_pruning

    gathered = for_pruning(gathered)
    request = built.request._replace(prune=True, by_hand=True, gathered=gathered, wanted=wanted)
    seen = fingerprint(gathered, True)
    return built._replace(
        request=request, navmesh=pruned, islands=islands_of(pruned), values=values_of(pruned), fingerprint=seen,
        checked=check_request(request, pruned),
    )  # fmt: skip


_TO_BUILD = StringProperty(
    name="Setup", description="Which setup to build; empty for the active one", options={"SKIP_SAVE"}
)
_TICK = 0.1  # seconds between two looks at the thread
_AT_ONCE = 0.1  # seconds of gathering that nobody notices
_SLICE, _PAUSE = 0.04, 0.005  # seconds: gathering, and what Blender gets at least in between


def summary(requests: list[Request]) -> str:
    """One line on what was built."""
    names = ", ".join(request.name for request in requests)
    levels = [request.gathered for request in requests if not request.gathered.own]
    faces = sum(len(mesh.starts) for request in requests for mesh in request.gathered.own)
    parts = [counted(sum(len(level.triangles) for level in levels), "triangle")] if levels else []
    parts += [f"{counted(faces, 'face')} of your own"] if faces else []
    return f"Built {names} from {' and '.join(parts)}."


def _watch_from_now(requests: list[Request]) -> None:
    """Later changes of these levels are those since now."""
    level_changes.begin_anew(frozenset().union(*(request.gathered.watched for request in requests)))


if TYPE_CHECKING:
    from ..builds.level_gathering import Plan
    from ..builds.request_and_result import BuiltNavmesh, Request
    from ..builds.run_builds import BuildJob


_ASK, _KEEP, _TAKE_OVER, _THROW_AWAY = "ASK", "KEEP", "TAKE_OVER", "THROW_AWAY"
_EDITED = EnumProperty(
    name="Edited by Hand",
    description="What becomes of changes to the navmesh's own mesh, whose place the build takes",
    items=(
        (_ASK, "Ask", "Ask where there are any. Without a window: nothing is built, and an error says so"),
        (_KEEP, "Keep as Edits", "Make edits of them, which this build and all others heed, and build"),
        (_TAKE_OVER, "Take Over by Hand", "The mesh is the navmesh of its setup from now on: build of its faces"),
        (_THROW_AWAY, "Throw Away", "Build, and lose them"),
    ),
    options={"SKIP_SAVE"},
)
_ASKED = (
    "A build would take the place of that. Undo the edits, or build with edited='KEEP' to make edits of them that all "
    "builds heed, with edited='TAKE_OVER' to have your own mesh, or with edited='THROW_AWAY' to lose them."
)
_ANSWERS: tuple[tuple[str, str, Icon], ...] = (
    (_KEEP, "Keep as Edits, and Build", "CHECKMARK"),
    (_TAKE_OVER, "Take Over by Hand, and Build of It", "MESH_DATA"),
    (_THROW_AWAY, "Build and Throw the Edits Away", "TRASH"),
)


class Building(Saying):
    """What the operators that build have in common: at once in `execute`, on a thread after `invoke`."""

    if TYPE_CHECKING:
        edited: str
    _timer: bpy.types.Timer | None = None
    _running: active_build.Running | None = None

    def make_plans(self, context: bpy.types.Context) -> list[Plan]:
        """What to build, before anything is gathered. Raises NavmeshError."""
        raise NotImplementedError

    def after_writing(self, context: bpy.types.Context, requests: list[Request]) -> None:
        """What else changes once the navmeshes are there."""

    def execute(self, context: bpy.types.Context) -> Answer:
        """Build at once: in background mode, for scripts and for the redo panel."""
        from ..builds.level_gathering import gather_at_once
        from ..builds.run_builds import build_all  # here: Blender's start does not wait for it
        from ..builds.threads_and_kernel_folder import usual_means
        from ..objects.write_navmeshes import write_back

        requests: list[Request] = []
        try:
            active_build.check_idle()
            refused_build.forget()
            refuse_linked(context)
            follow_names(scene_of(context))
            plans = self.make_plans(context)
            if self.edited == _ASK:
                refuse_edited(scene_of(context), {plan.setup for plan in plans}, _ASKED)
            self._keep_edited(context, plans)
            requests = gather_at_once(context, plans)
            _watch_from_now(requests)
            built = build_all(requests, usual_means())
            write_back(scene_of(context), built, over_edits=self.edited != _ASK)
            self.after_writing(context, requests)
        except Exception as error:  # noqa: BLE001 - never a traceback in front of an artist
            return refused_build.report_refusal(self, error, context, requests, window=False)
        self._report(built, summary(requests))
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        """Gather in slices and build on a thread, while Blender stays usable."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        try:
            active_build.check_idle()
            refused_build.forget()
            refuse_linked(context)
            follow_names(scene_of(context))
            given = self._given()
            plans = self.make_plans(context)
            edited = edited_navmeshes(scene_of(context), {plan.setup for plan in plans})
            if edited and self.edited == _ASK:
                return self._ask_about(edited, given, context)
            self._keep_edited(context, plans)
            self._running = active_build.gather(plans, scene_of(context))
            self._gather(context, _AT_ONCE)
        except Exception as error:  # noqa: BLE001 - likewise
            if self._is_running():  # it may have been refused because another one is
                self.cancel(context)
            return refused_build.report_refusal(self, error, context, (), window=True)
        not_none(context.window_manager).modal_handler_add(self)
        progress_display.show(context)
        return {"RUNNING_MODAL"}

    def _keep_edited(self, context: bpy.types.Context, plans: list[Plan]) -> None:
        """What was edited by hand, as somebody answered. Raises NavmeshError."""
        if self.edited not in (_KEEP, _TAKE_OVER):
            return
        from ..objects.edits_from_mesh import keep_edited  # here: Blender's start does not wait for NumPy

        keep_edited(context, {plan.setup for plan in plans}, self.edited == _TAKE_OVER)

    def _given(self) -> dict[str, object]:
        """What the operator was called with."""
        names = [known.identifier for known in self.properties.bl_rna.properties if not known.is_readonly]
        return {name: getattr(self.properties, name) for name in names if self.properties.is_property_set(name)}

    def _ask_about(
        self, edited: list[bpy.types.Object], given: dict[str, object], context: bpy.types.Context
    ) -> Answer:
        """Nothing that somebody did by hand goes without a word."""
        names = " and ".join(f"“{object_.name}”" for object_ in edited[:2])
        name = self.bl_idname

        def draw(menu: bpy.types.UIPopupMenu, _context: bpy.types.Context) -> None:
            layout = not_none(menu.layout)
            layout.operator_context = "INVOKE_DEFAULT"
            layout.label(text="The build would take the place of what was edited.")
            for answer, text, icon in _ANSWERS:
                again = layout.operator(name, text=text, icon=icon)
                for which, value in {**given, "edited": answer}.items():
                    setattr(again, which, value)

        not_none(context.window_manager).popup_menu(
            draw, title=f"{names} {'was' if len(edited) == 1 else 'were'} edited by hand", icon="QUESTION"
        )
        return {"CANCELLED"}

    def _gather(self, context: bpy.types.Context, seconds: float) -> None:
        """Gather for about so long; when all is there, the thread begins. Raises NavmeshError."""
        gathering = not_none(not_none(self._running).gathering)
        if gathering.go_on(context, seconds):
            requests = gathering.requests()
            _watch_from_now(requests)
            active_build.build(requests)
            self._set_timer(context, _TICK)
        elif self._timer is None:
            self._set_timer(context, _PAUSE)

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        if event.type == "ESC" and event.value == "PRESS" and self._is_running():
            active_build.cancel()
        if not self._is_running():  # cancelled, here or elsewhere
            self._clean_up(context)
            self.report({"WARNING"}, sentence(Cancelled()))
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        thread = not_none(self._running).thread
        if thread is not None and not thread.running and not good_moment.is_rendering():
            return self._finish(context, thread)  # nothing is written into a scene that renders
        try:
            if thread is None:
                self._gather(context, _SLICE)
        except Exception as error:  # noqa: BLE001 - likewise
            self.cancel(context)
            return refused_build.report_refusal(self, error, context, (), window=True)
        progress_display.update(context)
        return {"PASS_THROUGH"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator: its window was closed, or another file is loaded."""
        if self._is_running():
            active_build.cancel()
        self._clean_up(context)

    def _is_running(self) -> bool:
        return self._running is not None and active_build.running() is self._running

    def _finish(self, context: bpy.types.Context, thread: BuildJob) -> Answer:
        from ..objects.write_navmeshes import write_back

        try:
            level_changes.look_now()  # what happened while it was built
            scene, has_changed = active_build.finish()
            if thread.error is not None:
                raise thread.error
            built = thread.result or []
            written = write_back(scene, built, over_edits=self.edited != _ASK)
            for object_ in written if has_changed else ():
                out_of_date.doubt(object_, scene)
        except Exception as error:  # noqa: BLE001 - likewise
            return refused_build.report_refusal(self, error, context, thread.requests, window=True)
        finally:
            self._clean_up(context)
        first_run_is_over()
        self._report(built, f"{summary(thread.requests)} {thread.seconds:.1f} s")
        return {"FINISHED"}

    def _report(self, built: list[BuiltNavmesh], text: str) -> None:
        """What was built, what of it is not as its makers see it, and what should be there and is not."""
        for one in built:
            if one.navmesh.report.left_out:
                from ...navcore.commands.one_build import left_out_in_words  # here: it waits for flags of commands

                text = f"{text.removesuffix('.')}; {left_out_in_words(left_out_rows(one))}."
        notes = [note for one in built for note in one.request.gathered.notes if note.code in MISSING]
        failures = failures_in_words(one.checked for one in built)
        if notes or failures:
            text = f"{text.removesuffix('.')}."
        if notes:
            more = f" (and {len(notes) - 1} more: see Last Build)" if len(notes) > 1 else ""
            text += f" But “{notes[0].name}” {notes[0].message}{more}."
        self.say(not notes and not failures, text + failures)

    def _set_timer(self, context: bpy.types.Context, seconds: float | None) -> None:
        """The one that the operator lives by; None for none."""
        if self._timer is not None:
            not_none(context.window_manager).event_timer_remove(self._timer)
            self._timer = None
        if seconds is not None:
            self._timer = not_none(context.window_manager).event_timer_add(seconds, window=context.window)

    def _clean_up(self, context: bpy.types.Context) -> None:
        self._set_timer(context, None)
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
        "setup": _TO_BUILD,
        "all_setups": BoolProperty(
            name="All Setups", description="Build the navmesh of every setup", options={"SKIP_SAVE"}
        ),
        "prune": BoolProperty(
            name="Only What Seeds Reach",
            description="Leave out ground that no seed can reach; as the setup says where not given",
            options={"SKIP_SAVE"},
        ),
        "edited": _EDITED,
        # What the properties were when it was first executed, for the redo panel.
        "begun": StringProperty(options={"HIDDEN", "SKIP_SAVE"}),
        **setting_properties(options={"SKIP_SAVE"}),
    }

    def make_plans(self, context: bpy.types.Context) -> list[Plan]:
        from ..builds.make_requests import Overrides, make_plans

        metres = scene_of(context).unit_settings.scale_length
        self._asked = what = redo_panel.asked(self, metres)
        values = {name: value for name, value in what.given.items() if name in NAMES}
        prune = self.prune if "prune" in what.given else None
        kept = frozenset(what.by_hand)
        overrides = Overrides(self.setup, self.all_setups, self._sources, values, prune, kept, what.by_script)
        plans = make_plans(context, overrides)
        if len(plans) == 1:  # let the redo panel begin with the values that are used
            write_values(self, plans[0].settings.to_mapping(), metres)
            self.prune = plans[0].prune
        self.begun = self.begun or redo_panel.begun(what, plans)
        return plans

    def after_writing(self, context: bpy.types.Context, requests: list[Request]) -> None:
        redo_panel.keep(context, requests, self._asked.by_hand)

    def _sources(self, stored: Sources) -> Sources:
        from ..builds.make_requests import without_selection

        if self.scope == "SETUP":
            return without_selection(stored) if bpy.app.background else stored
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
    __annotations__ = {"setup": _TO_BUILD, "edited": _EDITED}

    def make_plans(self, context: bpy.types.Context) -> list[Plan]:
        return plans_again(context, self.setup)


class NAVMESH_OT_cancel(Acting, bpy.types.Operator):
    """Stop building. Nothing is changed"""

    bl_idname = "navmesh.cancel"
    bl_label = "Cancel"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return active_build.current() is not None

    def act(self, _context: bpy.types.Context) -> None:
        active_build.cancel()
