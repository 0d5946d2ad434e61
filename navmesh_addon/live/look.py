"""A look at the scene: what of the level came, went, moved or has another shape. In slices, or at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..axes import all_to_navcore
from ..blender_types import known, scene_of, view_layer_of
from ..gather.gather_scene import Gathering
from ..gather.gathered_level import for_pruning
from ..gather.placed_level import PlacedLevel
from .following_collector import FollowingCollector, Known, Placed
from .hints import Hints
from .live_level import Changes, Piece

if TYPE_CHECKING:
    from ..builds.level_gathering import Plan


class Look:
    """One look. Where the scene changes meanwhile it has to be dropped, with a new one in its place."""

    def __init__(self, plan: Plan, before: Known, hints: Hints) -> None:
        self._plan, self._before, self._hints = plan, before, hints
        self._collectors: list[FollowingCollector] = []
        self._gathering = Gathering(plan.sources, self._new_collector)
        self._gathering.counts = False
        self._gathering.missing = before.missing  # to look for it anew holds people up

    def _new_collector(self, metres: float) -> FollowingCollector:
        self._collectors[:] = [FollowingCollector(metres, self._before, self._hints)]
        return self._collectors[0]

    def go_on(self, context: bpy.types.Context, seconds: float = math.inf) -> bool:
        """Look for about so long. Returns whether it is done. Raises NavmeshError where there is nothing."""
        return self._gathering.go_on(context, seconds)

    def changes(self) -> Changes:
        """What it found; from now on that is known."""
        gathered, seen = self._gathering.gathered(), self._collectors[0]
        self._before.follow(seen)
        self._before.missing = self._gathering.missing
        level = for_pruning(gathered) if self._plan.prune else gathered
        return Changes(seen.changed, tuple(seen.order), self._plan.request(level))


def where_moved(context: bpy.types.Context, known_now: Known, moved: set[int], last: Changes) -> Changes | None:
    """What is known without a look where objects only moved; None where one is needed."""
    depsgraph, metres = context.evaluated_depsgraph_get(), scene_of(context).unit_settings.scale_length
    pieces: dict[str, Piece] = {}
    for uid in moved:
        key, name = known_now.single.get(uid, ("", ""))
        object_ = view_layer_of(context).objects.get(name) if key else None
        placed = known_now.placed.get(key)
        if object_ is None or object_.session_uid != uid or placed is None or not placed.size:
            return None
        mesh = known_now.meshes.find(placed.signature[0])
        if mesh is None:
            return None
        matrix = np.array(object_.evaluated_get(depsgraph).matrix_world, np.float64)[None]
        ways = all_to_navcore(matrix, metres)
        level = PlacedLevel([mesh], [(0, placed.signature[1])], ways)
        for _ in level.place():
            pass
        if not level.sound.all() or ways.flattens.any():
            return None
        rows = np.concatenate([ways.linear.reshape(-1, 9), ways.offset], axis=1).tobytes()
        signature = (placed.signature[0], placed.signature[1], rows)
        if signature != placed.signature:
            pieces[key] = Piece(*next(level.pieces()))
            known_now.placed[key] = Placed(signature, placed.size)
    return last._replace(pieces=pieces)


def view_center(context: bpy.types.Context) -> tuple[float, float, float] | None:
    """What the 3D view looks at, in metres and y up; None where there is none."""
    metres = scene_of(context).unit_settings.scale_length
    for window in context.window_manager.windows if context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                x, y, z = known(area.spaces.active).region_3d.view_location  # type: ignore[attr-defined]
                return x * metres, z * metres, -y * metres
    return None
