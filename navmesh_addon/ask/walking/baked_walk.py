"""A walk as animation: an object for each agent in the collection “Navmesh Walk”, with an action of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np

from ....navcore.build_warning import counted
from ....navcore.crowd.states import ARRIVED, NEAR, NO_WAY
from ....navcore.crowd.track import Track, walk
from ....navcore.errors import NavmeshError
from ...axes import to_blender
from ...blender_types import not_none
from ...objects.navmesh_objects import metres_of, shown_build
from ...objects.role_collections import home_of
from ...stored.object_properties import ROLE
from ..asked_navmesh import soon_ready
from .capsules import capsule, colors_of
from .current_walk import keep_heat, wanted_in
from .walk_job import free_places, on_thread

if TYPE_CHECKING:
    from ....navcore.crowd.heat.heat import Heat
    from ....navcore.progress import Progress
    from ....navcore.questions.nav_query import NavQuery
    from ....navcore.types import F32, F64
    from ... import background
    from .walk_job import WalkOrder

COLLECTION = "Navmesh Walk"
LONGEST = 600.0  # seconds of a walk that ends when all have arrived: who lock each other out never do
WALKER = "walker"  # the role of what is baked: no build takes it as input
_NUMBER = "navmesh_walker"  # custom property on an agent: its number
_LINEAR = 1  # what Blender counts this interpolation as


class BakeOrder(NamedTuple):
    """What is baked: who walks, how many, how long, and at which frames."""

    wanted: WalkOrder
    agents: int
    seconds: float  # 0: until all have arrived, and LONGEST at most
    rate: float  # frames a second
    build: str  # of the navmesh


class Baked(NamedTuple):
    """A walk that can be written."""

    track: Track
    heat: Heat  # where it loses time
    radius: float  # metres
    order: BakeOrder

    @property
    def said(self) -> tuple[bool, str]:
        """Whether all is as it was asked for, and one sentence for people."""
        count, states = len(self.track.positions), self.track.states[:, -1]
        seconds = (self.track.positions.shape[1] - 1) / self.order.rate
        text = (
            f"{counted(count, 'agent')} baked, {seconds:.1f} s; the longest walk is {self.track.lengths.max():.1f} m."
        )
        lost, missing = int((states == NO_WAY).sum()), self.order.agents - count
        late = int(np.isin(states, (ARRIVED, NEAR, NO_WAY), invert=True).sum())
        if late:
            way_out = "Bake more seconds." if self.order.seconds else "They stand in each other's way: bake fewer."
            text += f" {counted(late, 'agent')} did not arrive. {way_out}"
        if lost:
            text += f" For {lost} no way leads to the end."
        if missing:
            text += f" For {missing} there is no free ground near the start."
        if self.heat.chokepoints:
            worst = self.heat.chokepoints[0]
            who = counted(worst.agents, "agent")
            text += f" {worst.seconds:,.0f} s are lost by {who} at the worst chokepoint: see Heat."
        return not (late or lost or missing), text


def order_of(scene: bpy.types.Scene, count: int, seconds: float, speed: float, seed: int) -> BakeOrder:
    """What the scene asks for. Raises NavmeshError."""
    wanted = wanted_in(scene)._replace(speed=speed, seed=seed)
    return BakeOrder(wanted, count, seconds, scene.render.fps / scene.render.fps_base, shown_build(scene))


def bake_job(scene: bpy.types.Scene, order: BakeOrder) -> background.Job[Baked]:
    """Lets agents walk the tested way. The same navmesh and numbers give the same bytes of keyframes."""
    return on_thread(soon_ready(scene), lambda query, progress: computed(query, order, progress))


def write_walk(scene: bpy.types.Scene, baked: Baked) -> None:
    """Capsules with keyframes, in place of those of the last bake; and where they lose time, to be drawn."""
    track = baked.track
    agents = _agents(scene, len(track.positions), baked.radius, baked.order.wanted.height)
    metres, first = metres_of(scene), scene.frame_start
    frames = first + np.arange(track.positions.shape[1], dtype=np.float32)
    for agent, positions, headings in zip(agents, track.positions, track.headings, strict=True):
        turns = np.unwrap(headings.astype(np.float64))
        _write(agent, frames, np.column_stack([to_blender(positions, metres), turns]))
    keep_heat(scene, baked.order.build, baked.heat)


def computed(query: NavQuery, order: BakeOrder, progress: Progress | None = None) -> Baked:
    """The walk at the scene's frames. Raises NavmeshError. Nothing here touches bpy."""
    from ....navcore.crowd.crowd import Crowd
    from ....navcore.crowd.heat.heat_recorder import walk_heat

    wanted = order.wanted.of_size(query)
    radius = Crowd(query, size=wanted.size or None).radius
    starts = free_places(query, wanted.start, order.agents, radius, wanted.filter, np.zeros((0, 3), np.float32))
    ends = np.tile(np.array(wanted.end, np.float32), (len(starts), 1))
    track = walk(
        query, starts, ends, order.seconds or LONGEST, order.rate, filter=wanted.filter,
        until_arrived=not order.seconds, progress=progress, height=wanted.height, max_speed=wanted.speed,
        seed=wanted.seed, size=wanted.size or None,
    )  # fmt: skip
    if not len(starts) or (track.states[:, 0] == NO_WAY).all():
        raise NavmeshError(
            "No way leads from the start to the end. Move them with the tool Navmesh Test until it draws a whole way.",
            "NO_WAY_TO_WALK",
        )
    heat = walk_heat(query, track, ends, speed=wanted.speed, height=wanted.height, filter=wanted.filter)
    return Baked(track, heat, radius, order)


def _write(agent: bpy.types.Object, frames: F32, values: F64) -> None:
    """Keyframes of location and turn, in one go each."""
    action = _action_of(agent)
    for column, (path, index) in enumerate((("location", 0), ("location", 1), ("location", 2), ("rotation_euler", 2))):
        curve = _curve(action, agent, path, index)
        points: Any = curve.keyframe_points
        points.clear()
        points.add(len(frames))
        places = np.column_stack([frames, values[:, column]]).astype(np.float32)
        points.foreach_set("co", places.ravel())
        points.foreach_set("interpolation", np.full(len(frames), _LINEAR, np.int32))
        curve.update()


def _action_of(agent: bpy.types.Object) -> bpy.types.Action:
    """Its own action, made where there is none."""
    data = agent.animation_data or not_none(agent.animation_data_create())
    if data.action is None:
        data.action = bpy.data.actions.new(agent.name)
    return data.action


def _curve(action: Any, agent: bpy.types.Object, path: str, index: int) -> bpy.types.FCurve:
    """Blender 4.4 and newer have curves in layers, a channel bag for each object; 5.0 has no others."""
    if hasattr(action, "fcurve_ensure_for_datablock"):
        return not_none(action.fcurve_ensure_for_datablock(agent, path, index=index))
    return not_none(action.fcurves.find(path, index=index) or action.fcurves.new(path, index=index))


def _agents(scene: bpy.types.Scene, count: int, radius: float, height: float) -> Sequence[bpy.types.Object]:
    """Capsules in our collection: those of the last bake first; who is too many is removed, with its action."""
    home = home_of(scene, WALKER, COLLECTION)
    before: dict[int, bpy.types.Object] = {
        int(object_[_NUMBER]): object_ for object_ in home.objects if object_.get(ROLE) == WALKER
    }
    for number, object_ in list(before.items()):
        if number >= count:
            action = object_.animation_data and object_.animation_data.action
            bpy.data.objects.remove(before.pop(number))
            if action and not action.users:
                bpy.data.actions.remove(action)
    mesh = _mesh(before, radius / metres_of(scene), height / metres_of(scene))
    colors = colors_of(count)
    for number in range(count):
        if number not in before:
            before[number] = bpy.data.objects.new(f"Agent {number + 1}", mesh)
            before[number][ROLE], before[number][_NUMBER] = WALKER, number
            home.objects.link(before[number])
        before[number].data = mesh
        before[number].color = (*colors[number].tolist(), 1.0)
    return [before[number] for number in range(count)]


def _mesh(before: dict[int, bpy.types.Object], radius: float, height: float) -> bpy.types.Mesh:
    """One capsule for all, of the agent's size."""
    mesh = next((object_.data for object_ in before.values() if isinstance(object_.data, bpy.types.Mesh)), None)
    mesh = mesh or bpy.data.meshes.new("Navmesh Agent")
    corners, _, triangles = capsule(radius, height)
    mesh.clear_geometry()
    mesh.from_pydata(corners.tolist(), [], triangles.tolist())
    mesh.update()
    return mesh
