"""The report of a build, as it is kept on the navmesh's objects and given to programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...navcore.build_warning import place_in_words
from ..builds.request_and_result import BuiltNavmesh
from ..stored.area_types import area_table
from .edit_results import edit_rows, told_by_object

if TYPE_CHECKING:
    from ...navcore.build_warning import Point
    from ...navcore.tile_cache.tile_cache import TileCache
    from ..gather.gathered_level import SceneObstacle

_MOST = 100  # rows of a list that may be long
JsonReport = dict[str, Any]  # as JSON has it


def report_of(built: BuiltNavmesh) -> JsonReport:
    """The builder's report, and what gathering left out."""
    from ...navcore.reasons.intent import OF_SCENE  # here: Blender's start does not wait for it

    gathered = built.request.gathered
    report: JsonReport = built.navmesh.report.to_mapping()
    report["warnings"] = [warning._asdict() for warning in (*told_by_object(built), *built.checked.warnings)]
    report["tests"] += [{**row.to_mapping(), "origin": OF_SCENE} for row in built.checked.paths]
    report["must_reach"] += [{**row.to_mapping(), "origin": OF_SCENE} for row in built.checked.places]
    report["left_out"] = left_out_rows(built)
    report["edits"] = edit_rows(built)
    conversion = built.navmesh.report.conversion
    if conversion is not None:  # of own meshes: what became of their faces
        told = {name: conversion[name][:_MOST] for name in ("dropped", "mended")}
        report["conversion"] = {**conversion, **told}
    for warning in (*report["warnings"], *report["notes"]):
        _tell_here(warning, gathered.metres)
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


def cache_rows(cache: TileCache, obstacles: Iterable[SceneObstacle], built: BuiltNavmesh) -> list[JsonReport]:
    """What a tile cache has to say and the build did not, as the report has warnings; of obstacles by object."""
    off_level = {warning.place: warning for warning in cache.warnings if warning.code == "OBSTACLE_OFF_LEVEL"}
    known, rows = built.navmesh.report.warnings, list[JsonReport]()
    for warning in cache.warnings:
        if warning not in known and warning.place not in off_level:
            rows.append(warning._asdict())
    for obstacle in obstacles:
        places = [_place_of(item) for item in obstacle.items]
        if places and off_level.keys() >= set(places):
            name = f"{obstacle.shown_by}/{obstacle.name}" if obstacle.shown_by else obstacle.name
            told = off_level[places[0]]
            _, _, rest = told.message.split(" ", 2)  # than “The box”
            rows.append({**told._asdict(), "message": f"“{name}” {rest}", "name": obstacle.name})
    for row in rows:
        _tell_here(row, built.request.gathered.metres)
    return rows


def _place_of(item: JsonReport) -> Point:
    """Where navcore says that an obstacle stands."""
    x, y, z = item["min" if item["kind"] == "aabb" else "at"]
    return float(x), float(y), float(z)


def _tell_here(warning: JsonReport, metres: float) -> None:
    """A warning of the builder's with its place in this scene's coordinates, and the object it names."""
    warning["message"] += _where(warning["place"], metres)
    warning["object"] = warning.pop("name")


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
