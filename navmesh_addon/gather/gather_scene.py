"""Scene → triangles, areas, volumes, links and bounds. Reads the evaluated scene, changes nothing.

One rule for what is hidden: what the viewport does not show is not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ...navcore.errors import BadInput
from ..axes import Transform, to_navcore
from ..stored.object_properties import PLAIN, area_of, excludes, is_ours, matches, object_use
from ..stored.sources import COLLECTION, KINDS, LISTED, SELECTED, VISIBLE, Sources
from .gathered import Gathered, Note, Part
from .mesh_arrays import RawMesh, raw_mesh
from .volumes_and_links import Markers, marker_of


def gather(context: Any, sources: Sources) -> Gathered:
    """Everything within `sources` in the scene of `context`. Raises BadInput where there is nothing."""
    context.view_layer.update()  # a script may have linked objects that its list does not show yet
    scope = Scope(context, sources)
    for thing in context.view_layer.objects:
        if thing.mode == "EDIT":
            thing.update_from_editmode()
    collector = _Collector(context.scene.unit_settings.scale_length)
    markers = Markers(collector.metres)
    for instance in context.evaluated_depsgraph_get().object_instances:
        evaluated = instance.object
        owner, thing = (instance.parent if instance.is_instance else evaluated).original, evaluated.original
        if marker_of(thing):
            if not instance.is_instance or owner != thing:  # a curve's own faces come as an instance of itself
                markers.add(thing, evaluated, instance.matrix_world)
        elif evaluated.type == "MESH" and instance.show_self and scope.takes(owner, thing):
            collector.add(instance, owner)
    notes = [Note(*note) for note in markers.finish()]
    notes += [Note(*note) for note in collector.notes]
    skipped = scope.explain(collector.names())
    if not collector.parts:
        raise BadInput(why_nothing(sources, skipped), "NO_TRIANGLES")
    return Gathered(
        *collector.arrays(), tuple(markers.volumes), tuple(markers.links), markers.bounds, tuple(collector.parts),
        tuple(skipped.items()), tuple(notes), scope.sources, frozenset(collector.watched | markers.watched),
        tuple(markers.seeds),
    )  # fmt: skip


def gather_seeds(context: Any) -> tuple[dict[str, Any], ...]:
    """Only the seeds of a scene."""
    context.view_layer.update()
    markers = Markers(context.scene.unit_settings.scale_length)
    for instance in context.evaluated_depsgraph_get().object_instances:
        if marker_of(instance.object.original) == "SEED":
            markers.add(instance.object.original, instance.object, instance.matrix_world)
    return tuple(markers.seeds)


class Scope:
    """Decides which objects are used, and remembers why others are not."""

    def __init__(self, context: Any, sources: Sources) -> None:
        self._objects = context.view_layer.objects
        self._chosen = {thing.as_pointer() for thing in self._chosen_objects(context, sources)}
        self._left_out = self._in_excluded_collections(context.scene)
        self._asked: dict[tuple[int, int], bool] = {}
        self.skipped: dict[str, str] = {}
        names = [t.name for t in self._objects if t.as_pointer() in self._chosen] if sources.scope == SELECTED else []
        self.sources = sources._replace(scope=LISTED, names=tuple(names)) if names else sources
        self._rules = sources

    def _chosen_objects(self, context: Any, sources: Sources) -> Iterator[Any]:
        if sources.scope == SELECTED:
            return (t for t in self._objects if t.select_get(view_layer=context.view_layer))
        if sources.scope == LISTED:
            return (t for t in self._objects if t.name in set(sources.names))
        if sources.scope == COLLECTION:
            found = context.scene.collection.children_recursive
            collection = next((c for c in found if c.name == sources.collection), None)
            if collection is None:
                raise BadInput(f"There is no collection named “{sources.collection}” in this scene.", "NO_COLLECTION")
            return iter(collection.all_objects)
        return iter(self._objects)

    def _in_excluded_collections(self, scene: Any) -> dict[int, str]:
        found: dict[int, str] = {}
        for collection in (scene.collection, *scene.collection.children_recursive):
            if excludes(collection):
                found |= {thing.as_pointer(): collection.name for thing in collection.all_objects}
        return found

    def takes(self, owner: Any, thing: Any) -> bool:
        """Whether to use `thing`, which `owner` shows (itself, or by instancing)."""
        key = owner.as_pointer(), thing.as_pointer()
        if key not in self._asked:
            self._asked[key] = (
                key[0] in self._chosen and self._passes(owner) and (key[0] == key[1] or self._passes(thing))
            )
        return self._asked[key]

    def _passes(self, thing: Any) -> bool:
        why = self._objection(thing)
        if why:
            self.skipped[thing.name] = why
        return not why

    def _objection(self, thing: Any) -> str:
        use = object_use(thing)
        if is_ours(thing):
            return "a navmesh"
        if use == "EXCLUDE":
            return "left out on the object"
        if use == "INCLUDE":
            return ""
        if thing.as_pointer() in self._left_out:
            return f"its collection {self._left_out[thing.as_pointer()]} is left out"
        if thing.type not in self._rules.kinds and thing.type in KINDS:
            return f"objects of type {thing.type.title()} are left out"
        if pattern := matches(thing.name, self._rules.skip_names):
            return f"its name fits {pattern}"
        if self._rules.only_names and thing.type in KINDS and not matches(thing.name, self._rules.only_names):
            return f"its name does not fit {self._rules.only_names}"
        return ""

    def explain(self, used: set[str]) -> dict[str, str]:
        """Every chosen object that gave nothing, and why."""
        for thing in self._objects:
            if thing.as_pointer() in self._chosen and thing.name not in used and thing.name not in self.skipped:
                if marker_of(thing) or is_ours(thing) or (thing.type not in KINDS and self._rules.scope == VISIBLE):
                    continue  # used otherwise, or nothing that anyone would expect to walk on
                self.skipped[thing.name] = "has no faces" if thing.visible_get() else "hidden"
        return self.skipped


class _Collector:
    """Grows the arrays. A mesh that many instances share is read once."""

    def __init__(self, metres_per_unit: float) -> None:
        self.metres = metres_per_unit
        self.parts: list[Part] = []
        self.notes: list[tuple[str, str, str]] = []
        self._meshes: dict[tuple[int, int], RawMesh] = {}
        self._points: list[npt.NDArray[np.float32]] = []
        self._triangles: list[npt.NDArray[np.int32]] = []
        self._areas: list[tuple[npt.NDArray[np.int32] | int, int]] = []
        self._vertex_count = self._triangle_count = 0
        self._noted: set[tuple[str, str]] = set()
        self.watched: set[str] = set()

    def names(self) -> set[str]:
        return {part.name for part in self.parts}

    def add(self, instance: Any, owner: Any) -> None:
        """Add one instance; keeps nothing of it but arrays."""
        evaluated = instance.object
        thing = evaluated.original
        transform = to_navcore(instance.matrix_world, self.metres)
        key = evaluated.data.as_pointer(), thing.as_pointer()
        if key not in self._meshes:
            self._meshes[key] = self._read(evaluated, owner.name)
        raw = self._meshes[key]
        if len(raw.triangles) == 0:
            return
        points, triangles, areas = self._placed(raw, transform, owner.name)
        if len(triangles) == 0:
            return
        self._points.append(points)
        self._triangles.append(triangles + np.int32(self._vertex_count) if self._vertex_count else triangles)
        whole = _area_of_object(thing) or _area_of_object(owner)
        self._areas.append((whole if areas is None else np.where(areas != 0, areas, whole), len(triangles)))
        self.watched |= {owner.name, thing.name}
        self.parts.append(Part(owner.name, self._triangle_count, len(triangles)))
        self._vertex_count += len(points)
        self._triangle_count += len(triangles)

    def _read(self, evaluated: Any, name: str) -> RawMesh:
        mesh = evaluated.to_mesh()
        slots = [slot.material for slot in evaluated.material_slots]
        slots = slots if len(slots) >= len(mesh.materials) else list(mesh.materials)
        raw = raw_mesh(mesh, [0 if material is None else area_of(material.original) for material in slots])
        evaluated.to_mesh_clear()
        if raw.dropped:
            self._note("NOT_FINITE", f"{raw.dropped:,} faces with coordinates that are no numbers were left out", name)
        if raw.odd_attribute:
            self._note("ODD_ATTRIBUTE", "navmesh_area must be an integer attribute on faces: it was not used", name)
        return raw

    def _placed(self, raw: RawMesh, transform: Transform, name: str) -> tuple[Any, Any, Any]:
        """Points where the object is, triangles that face outward, areas."""
        points, triangles, areas = transform.points(raw.vertices), raw.triangles, raw.areas
        if not np.isfinite(points).all():  # only the object's matrix can do this
            self._note("NOT_FINITE", "its location, rotation or scale is no number: it was left out", name)
            return points[:0], triangles[:0], None
        if transform.flattens:
            self._note("ZERO_SCALE", "is scaled to nothing along an axis", name)
        if transform.mirrors:
            triangles = np.ascontiguousarray(triangles[:, [0, 2, 1]])
        return points, triangles, areas

    def _note(self, code: str, message: str, name: str) -> None:
        if (code, name) not in self._noted:  # once for a thousand instances
            self._noted.add((code, name))
            self.notes.append((code, message, name))

    def arrays(self) -> tuple[Any, Any, Any]:
        """Vertices, triangles and areas of everything."""
        return _joined(self._points), _joined(self._triangles), self._joined_areas()

    def _joined_areas(self) -> npt.NDArray[np.uint8] | None:
        if not any(isinstance(area, np.ndarray) or area for area, _ in self._areas):
            return None
        said = np.concatenate([np.broadcast_to(np.int32(0) + area, count) for area, count in self._areas])
        # Outside, 0 says nothing and −1 forbids; inside, 63 is plain ground and 0 forbids.
        return np.where(said == 0, PLAIN, np.where(said < 0, 0, said)).astype(np.uint8)


def _joined(arrays: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(arrays[0]) if len(arrays) == 1 else np.concatenate(arrays)


def _area_of_object(thing: Any) -> int:
    """The object's area, else that of the first of its collections that has one."""
    return area_of(thing) or next((a for a in map(area_of, thing.users_collection) if a), 0)


def why_nothing(sources: Sources, skipped: dict[str, str]) -> str:
    """One sentence on why there is nothing to build from."""
    if skipped:
        name, why = next(iter(skipped.items()))
        more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
        return f"There is nothing to build from: “{name}”{more} was not used: {why}."
    if sources.scope == SELECTED:
        return "Nothing is selected. Select the objects of your level, or build from everything visible."
    if sources.scope == COLLECTION:
        return f"The collection “{sources.collection}” shows no object with faces."
    if sources.scope == LISTED:
        return "None of the objects that this navmesh was built from is there any more. Select the level and build."
    return "There is nothing visible with faces. Add or unhide the level."
