"""Scene → triangles, areas, volumes, links and bounds. Reads the evaluated scene, changes nothing.

One rule for what is hidden: what the viewport does not show is not used.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from itertools import islice

import bpy

from ...navcore.errors import BadInput
from ..blender_types import not_none, scene_of, view_layer_of
from ..stored.setup_properties import Sources
from .gathered_level import Gathered, Note, OwnMesh, SceneItem, SceneObstacle, as_wanted
from .missing_sources import missing_in_steps
from .object_filter import ObjectFilter, why_nothing
from .own_meshes import own_mesh
from .triangle_collector import TriangleCollector
from .volumes_links_and_seeds import Markers, marker_of


def gather(context: bpy.types.Context, sources: Sources, *, prune: bool = False, setup: str = "") -> Gathered:
    """Everything within `sources` in the scene of `context`, for the navmesh of a setup. Raises BadInput where there is
    nothing.

    With `prune` seeds decide what is left of the navmesh: it is out of date when one of them moves.
    """
    gathering = Gathering(sources)
    gathering.go_on(context)
    return as_wanted(gathering.gathered(), prune, setup)


class Gathering:
    """A level while it is gathered: at once, or in slices, which give the same.

    Between slices nothing evaluated is held, which is only of one moment, and the list of instances, which has no
    beginning but its first, is gone through anew up to where the last slice ended. Whoever slices has to begin anew
    when something has changed meanwhile.
    """

    def __init__(self, sources: Sources, collector: Callable[[float], TriangleCollector] = TriangleCollector) -> None:
        """`collector` makes what grows the triangles, of the metres in a unit: anew whenever gathering begins."""
        self._sources = self._chosen = sources
        self._new_collector = collector
        self.counts = True  # whether somebody wants to know the total, for which all instances are gone through
        self.missing: list[Note] | None = None  # what is not there of the level; whoever knows may say it beforehand
        self.seconds = 0.0  # that it took so far
        self.begin_anew()

    def begin_anew(self) -> None:
        """The scene is another by now. What was selected in the beginning still counts."""
        self.done = self.total = 0  # instances
        self._begun, self.missing = False, None
        self._finding: Iterator[Note | None] | None = None
        self._placing: Iterator[None] | None = None
        self._placed = False
        self._gathered: Gathered | None = None

    def gathered(self) -> Gathered:
        """The level, once `go_on` has said that it is done."""
        return not_none(self._gathered)

    def go_on(self, context: bpy.types.Context, seconds: float = math.inf) -> bool:
        """Work for about so long. Returns whether it is done; raises BadInput where there is nothing."""
        if self._gathered is None:
            began = time.perf_counter()
            until, half = began + seconds, began + seconds / 2  # after which nothing is begun that takes as long
            only_begins = not self._begun and self._begin(context) > half
            is_prepared = not only_begins and self._find(until)
            if is_prepared and self._look(context, until, seconds) and self._place(until):
                if self._placed or time.perf_counter() <= half:
                    self._finish(began)
                self._placed = True
            self.seconds += time.perf_counter() - began
        return self._gathered is not None

    def _begin(self, context: bpy.types.Context) -> float:
        """Returns when it is done: of large levels this takes as long as a slice."""
        view_layer_of(context).update()  # a script may have linked objects that its list does not show yet
        self._used = ObjectFilter(context, self._chosen)
        self._chosen = self._used.sources
        for object_ in view_layer_of(context).objects:
            if object_.mode == "EDIT":
                object_.update_from_editmode()
        units = scene_of(context).unit_settings.scale_length
        metres = units * self._sources.scale
        self._collector, self._markers = self._new_collector(metres), Markers(metres, units)
        self._own, self._metres = list[OwnMesh](), metres
        self.total = len(context.evaluated_depsgraph_get().object_instances) if self.counts else 0
        if self.missing is None:
            self.missing, self._finding = [], _missing(context, self._used)
        self._begun = True
        return time.perf_counter()

    def _find(self, until: float) -> bool:
        """What is not there of the level, an object at a time. Returns whether all of that is known."""
        try:
            for note in self._finding or ():
                if note is not None:
                    not_none(self.missing).append(note)
                if time.perf_counter() >= until:
                    return False
        except ReferenceError:  # an object is gone that the scene does not have, of which Blender says nothing
            self.begin_anew()
            return False
        self._finding = None
        return True

    def _look(self, context: bpy.types.Context, until: float, seconds: float) -> bool:
        """At the next instances, for half of `seconds` at least. Returns whether there are no more."""
        if self._placing is not None:
            return True
        instances = islice(context.evaluated_depsgraph_get().object_instances, self.done, None)
        for number, instance in enumerate(instances):
            if number == 0:  # the way to where the last slice ended may take as long as a slice
                until = max(until, time.perf_counter() + seconds / 2)
            elif time.perf_counter() >= until:
                return False
            self._take(instance)
            self.done += 1
        self._placing = self._collector.place()
        return True

    def _place(self, until: float) -> bool:
        """Meshes where their instances are. Returns whether all are."""
        return not any(time.perf_counter() >= until for _ in not_none(self._placing))

    def _take(self, instance: bpy.types.DepsgraphObjectInstance) -> None:
        evaluated, object_, owner = _shown_by(instance)
        use = marker_of(object_)
        if use and instance.is_instance and owner == object_:
            return  # a curve's own faces come as an instance of itself
        if use == "NAVMESH":
            mesh = own_mesh(object_, evaluated, instance.matrix_world, self._metres, self._collector.areas_of)
            self._own.append(mesh)
        elif use:
            self._markers.add(object_, evaluated, instance.matrix_world, owner.name if owner != object_ else "")
        elif evaluated.type == "MESH" and instance.show_self and self._used.takes(owner, object_):
            self._collector.add(evaluated, object_, owner, instance.matrix_world)

    def _finish(self, began: float) -> None:
        markers, collector, used = self._markers, self._collector, self._used
        notes = [*not_none(self.missing), *(Note(*note) for note in (*markers.notes, *collector.notes))]
        skipped = used.explain({part.name for part in collector.parts})
        if not collector.parts and not self._own:
            raise BadInput(why_nothing(self._sources, skipped, used.helpers), "NO_TRIANGLES")
        self._gathered = Gathered(
            *collector.arrays(), tuple(markers.volumes), tuple(markers.links), markers.bounds, tuple(collector.parts),
            tuple(skipped.items()), tuple(notes), used.sources, frozenset(collector.watched | markers.watched),
            frozenset(markers.seeds_watched), tuple(markers.seeds), self.seconds + time.perf_counter() - began,
            tuple(markers.edits), tuple(self._own), tuple(markers.obstacles), tuple(markers.doors),
            used.listed, self._metres,
        )  # fmt: skip


def _missing(context: bpy.types.Context, used: ObjectFilter) -> Iterator[Note | None]:
    """A note for each thing that is missing; None for each step in between."""
    yield from used.find_operands()
    shown = []
    for object_ in view_layer_of(context).objects.values():
        yield None
        if object_ is not None and used.is_shown(object_):  # None: removed just now
            shown.append(object_)
    yield from missing_in_steps(context, used, shown)


def gather_seeds(context: bpy.types.Context, metres: float) -> tuple[SceneItem, ...]:
    """Only the seeds of a scene; `metres` to a unit."""
    return tuple(_marked(context, metres, "SEED").seeds)


def gather_obstacles(context: bpy.types.Context, metres: float) -> tuple[SceneObstacle, ...]:
    """Only the obstacles of a scene, where they stand now; `metres` to a unit."""
    return tuple(_marked(context, metres, "OBSTACLE").obstacles)


def _marked(context: bpy.types.Context, metres: float, use: str) -> Markers:
    """Only what has this use."""
    view_layer_of(context).update()
    markers = Markers(metres)
    for instance in context.evaluated_depsgraph_get().object_instances:
        evaluated, object_, owner = _shown_by(instance)
        if marker_of(object_) == use:
            markers.add(object_, evaluated, instance.matrix_world, owner.name if owner != object_ else "")
    return markers


def _shown_by(
    instance: bpy.types.DepsgraphObjectInstance,
) -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """What is seen, of which object, and which other one shows it, or itself."""
    evaluated = not_none(instance.object)
    object_ = not_none(evaluated.original)
    owner = not_none(not_none(instance.parent).original) if instance.is_instance else object_
    return evaluated, object_, owner
