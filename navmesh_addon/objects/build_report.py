"""The report of a build, as it is kept on the navmesh's objects and given to programs."""

from __future__ import annotations

from typing import Any

from ...navcore.build_warning import place_in_words
from ..builds.request_and_result import BuiltNavmesh
from ..stored.area_types import area_table
from .edit_results import edit_rows

_MOST = 100  # rows of a list that may be long
JsonReport = dict[str, Any]  # as JSON has it


def report_of(built: BuiltNavmesh) -> JsonReport:
    """The builder's report, and what gathering left out."""
    from ...navcore.reasons.intent import OF_SCENE  # here: Blender's start does not wait for it

    gathered = built.request.gathered
    report: JsonReport = built.navmesh.report.to_mapping()
    report["warnings"] += [warning._asdict() for warning in built.checked.warnings]
    report["tests"] += [{**row.to_mapping(), "origin": OF_SCENE} for row in built.checked.paths]
    report["must_reach"] += [{**row.to_mapping(), "origin": OF_SCENE} for row in built.checked.places]
    report["left_out"] = left_out_rows(built)
    report["edits"] = edit_rows(built)
    conversion = built.navmesh.report.conversion
    if conversion is not None:  # of own meshes: what became of their faces
        told = {name: conversion[name][:_MOST] for name in ("dropped", "mended")}
        report["conversion"] = {**conversion, **told}
    for warning in (*report["warnings"], *report["notes"]):
        warning["message"] += _where(warning["place"], gathered.metres)
        warning["object"] = warning.pop("name")
    report["warnings"] += [
        {"code": n.code, "message": f"“{n.name}”: {n.message.rstrip('.')}.", "object": n.name} for n in built.notes
    ]
    report["seconds"]["gather"] = gathered.seconds  # beside the build's own time, not within it
    used = gathered.used
    report["used"], report["used_count"] = used[:_MOST], len(used)
    report["skipped"] = [list(row) for row in gathered.skipped[:_MOST]]
    report["skipped_count"] = len(gathered.skipped)
    report["triangles"] = len(gathered.triangles)
    report["area_types"] = area_table(built.request.area_types)
    return report


def left_out_rows(built: BuiltNavmesh) -> list[JsonReport]:
    """What it left out; `where` in this scene's coordinates."""
    metres = built.request.gathered.metres
    return [{**row.to_mapping(), "where": _place(row.place, metres)} for row in built.navmesh.report.left_out]


def _where(place: tuple[float, float, float] | None, metres: float) -> str:
    """A place of the builder's as a sentence in this scene's coordinates."""
    return "" if place is None else f" At {_place(place, metres)}."


def _place(place: tuple[float, float, float], metres: float) -> str:
    from ..axes import to_blender  # here, as it loads NumPy

    return place_in_words(to_blender([place], metres)[0].tolist())
