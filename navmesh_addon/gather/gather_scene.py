"""Scene → triangles, areas, volumes, links and bounds. Reads the evaluated scene, changes nothing.

One rule for what is hidden: what the viewport does not show is not used.
"""

from __future__ import annotations

import bpy

from ...navcore.errors import BadInput
from ..blender_types import known, scene_of, view_layer_of
from ..stored.source_objects import Sources
from .gathered_level import Gathered, Note, SceneItem, for_pruning
from .object_filter import ObjectFilter, why_nothing
from .triangle_collector import TriangleCollector
from .volumes_links_and_seeds import Markers, marker_of


def gather(context: bpy.types.Context, sources: Sources, *, prune: bool = False) -> Gathered:
    """Everything within `sources` in the scene of `context`. Raises BadInput where there is nothing.

    With `prune` seeds decide what is left of the navmesh: it is out of date when one of them moves.
    """
    view_layer_of(context).update()  # a script may have linked objects that its list does not show yet
    used = ObjectFilter(context, sources)
    for object_ in view_layer_of(context).objects:
        if object_.mode == "EDIT":
            object_.update_from_editmode()
    collector = TriangleCollector(scene_of(context).unit_settings.scale_length)
    markers = Markers(collector.metres)
    for instance in context.evaluated_depsgraph_get().object_instances:
        evaluated = known(instance.object)
        object_ = known(evaluated.original)
        owner = known(known(instance.parent).original) if instance.is_instance else object_
        if marker_of(object_):
            if not instance.is_instance or owner != object_:  # a curve's own faces come as an instance of itself
                markers.add(object_, evaluated, instance.matrix_world)
        elif evaluated.type == "MESH" and instance.show_self and used.takes(owner, object_):
            collector.add(instance, owner)
    notes = [Note(*note) for note in markers.finish()]
    notes += [Note(*note) for note in collector.notes]
    skipped = used.explain(collector.names())
    if not collector.parts:
        raise BadInput(why_nothing(sources, skipped), "NO_TRIANGLES")
    gathered = Gathered(
        *collector.arrays(), tuple(markers.volumes), tuple(markers.links), markers.bounds, tuple(collector.parts),
        tuple(skipped.items()), tuple(notes), used.sources, frozenset(collector.watched | markers.watched),
        tuple(markers.seeds),
    )  # fmt: skip
    return for_pruning(gathered) if prune else gathered


def gather_seeds(context: bpy.types.Context) -> tuple[SceneItem, ...]:
    """Only the seeds of a scene."""
    view_layer_of(context).update()
    markers = Markers(scene_of(context).unit_settings.scale_length)
    for instance in context.evaluated_depsgraph_get().object_instances:
        evaluated = known(instance.object)
        object_ = known(evaluated.original)
        if marker_of(object_) == "SEED":
            markers.add(object_, evaluated, instance.matrix_world)
    return tuple(markers.seeds)
