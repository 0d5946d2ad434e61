"""Why there is no navmesh at a place, asked of the level as it was built from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy

from ...navcore.errors import NavmeshError
from ..gather.scene_intent import in_metres
from ..kept_value import KeptValue
from ..objects.navmesh_objects import metres_of, polygon_mesh_of, shown_build
from ..stored.setups import active_setup
from ..watch.out_of_date import out_of_date
from .asked_navmesh import built_navmesh
from .shown_reason import AskedPlace, prepare_soon

if TYPE_CHECKING:
    from ...navcore.reasons.reason import Reason
    from ...navcore.reasons.why import WhyHere
    from ..builds.request_and_result import BuiltNavmesh
    from ..gather.gathered_level import Gathered, Part

PlaceFacts = dict[str, Any]
_ABOVE = 0.5  # metres from which a place is looked down from, for what was not gathered
_ready: KeptValue[tuple[str, WhyHere] | None] = KeptValue(None)  # the build, and its level prepared for questions


def why_here(
    context: bpy.types.Context, scene: bpy.types.Scene, location: Sequence[float]
) -> tuple[PlaceFacts, AskedPlace]:
    """The answer as JSON has it, with `object`, the name of the culprit, and `setup`; and what was asked.

    Raises NavmeshError.
    """
    from ...navcore.reasons.reason import Reason

    setup, build = active_setup(scene), shown_build(scene)
    if setup is None:
        raise NavmeshError("There is no navmesh to ask yet. Press Build Navmesh first.", "NOTHING_TO_ASK")
    built = built_navmesh(scene, setup)
    if built.request.gathered.own:
        raise NavmeshError(
            f"“{setup.name}” is a mesh of your own: there is navmesh where it has faces, and no level says why not.",
            "NEEDS_THE_LEVEL",
        )
    metres = metres_of(scene)
    level, (x, y, z) = _level_of(build, built), in_metres(location, metres)
    asked = AskedPlace(build, level, (x, y, z), level.ask((x, y, z)))
    facts: PlaceFacts = _facts(asked.reason, built.request.gathered)
    facts["setup"] = setup.name
    if asked.reason.code in ("NOTHING_HERE", "OUTSIDE_BOUNDS"):
        facts = _not_gathered(context, scene, location, built.request.gathered) or facts
    object_ = polygon_mesh_of(scene, setup.uid)
    if object_ is not None and out_of_date(object_, setup):
        said = "The level or its settings changed since the navmesh was built. Build it again, then ask again."
        stale = Reason("STALE", "gather", said).to_mapping()
        return {**stale, "object": None, "setup": setup.name, "next": facts}, asked
    return facts, asked


def forget() -> None:
    """Another file, or the extension is disabled."""
    _ready.forget()


def _level_of(build: str, built: BuiltNavmesh) -> WhyHere:
    from ...navcore.reasons.why import WhyHere

    if _ready.value is None or _ready.value[0] != build:
        level = WhyHere(built.request.level, settings=built.request.settings)
        _ready.value = build, level
        prepare_soon(level)
    return _ready.value[1]


def _facts(reason: Reason, gathered: Gathered) -> PlaceFacts:
    facts = reason.to_mapping()
    culprit, obstacle = (_part_of(triangle, gathered) for triangle in (reason.triangle, reason.obstacle))
    facts["object"] = None if culprit is None else culprit.name
    facts["part"] = "" if culprit is None else culprit.member
    facts["in_the_way"] = "" if obstacle is None else obstacle.member or obstacle.name
    facts["next"] = None if reason.next is None else _facts(reason.next, gathered)
    return facts


def _part_of(triangle: int | None, gathered: Gathered) -> Part | None:
    """The object, or the part of an instance, that a triangle came from."""
    if triangle is None:
        return None
    number = bisect_right([part.first for part in gathered.parts], triangle) - 1
    return gathered.parts[number] if number >= 0 else None


def _not_gathered(
    context: bpy.types.Context, scene: bpy.types.Scene, location: Sequence[float], gathered: Gathered
) -> PlaceFacts | None:
    """Where an object lies there that the build did not use."""
    above = (location[0], location[1], location[2] + _ABOVE / metres_of(scene))
    found: Any = scene.ray_cast(context.evaluated_depsgraph_get(), above, (0, 0, -1))  # the stubs know no tuple
    if not found[0] or found[4] is None or found[4].name in gathered.used or "navmesh_role" in found[4]:
        return None
    name = found[4].name
    from ...navcore.reasons.reason import Reason

    why = dict(gathered.skipped).get(name)
    said = f"“{name}” was left out: {why}" if why else f"“{name}” is not among what the navmesh is built from"
    reason = Reason("NOT_GATHERED", "gather", f"{said.rstrip('.')}. Let it be used, and build again.")
    return {**reason.to_mapping(), "object": name}
