"""The report of a build, as it is kept on the navmesh's objects and given to programs."""

from __future__ import annotations

from typing import Any

import bpy

from ...navcore.build_warning import place_in_words
from ..blender_types import scene_of
from ..builds.request_and_result import BuiltNavmesh
from ..stored.area_types import area_table

JsonReport = dict[str, Any]  # as JSON has it


def report_of(built: BuiltNavmesh) -> JsonReport:
    """The builder's report, and what gathering left out."""
    from ...navcore.reasons.intent import OF_SCENE  # here: Blender's start does not wait for it

    gathered = built.request.gathered
    report: JsonReport = built.navmesh.report.to_mapping()
    report["warnings"] += [warning._asdict() for warning in built.checked.warnings]
    report["tests"] += [{**row.to_mapping(), "origin": OF_SCENE} for row in built.checked.paths]
    report["must_reach"] += [{**row.to_mapping(), "origin": OF_SCENE} for row in built.checked.places]
    for warning in report["warnings"]:
        warning["message"] += _where(warning["place"])
        warning["object"] = warning.pop("name")
    report["warnings"] += [
        {"code": n.code, "message": f"“{n.name}”: {n.message.rstrip('.')}.", "object": n.name} for n in built.notes
    ]
    report["seconds"]["gather"] = gathered.seconds  # beside the build's own time, not within it
    used = gathered.used
    report["used"], report["used_count"] = used[:100], len(used)
    report["skipped"] = [list(row) for row in gathered.skipped[:100]]
    report["skipped_count"] = len(gathered.skipped)
    report["triangles"] = len(gathered.triangles)
    report["area_types"] = area_table(built.request.area_types)
    return report


def _where(place: tuple[float, float, float] | None) -> str:
    """A place of the builder's as a sentence in this scene's coordinates."""
    from ..axes import to_blender  # here, as it loads NumPy

    if place is None:
        return ""
    scene: bpy.types.Scene = scene_of(bpy.context)
    return f" At {place_in_words(to_blender([place], scene.unit_settings.scale_length)[0].tolist())}."
