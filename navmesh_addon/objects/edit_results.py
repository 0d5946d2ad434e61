"""What each edit made by hand does in the navmesh that was built last, and how much it did when it was made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ..builds import finished_navmeshes
from ..stored.edit_objects import edits_in, is_of_gone_setup, read_made
from ..stored.object_properties import EDITS, marks_of, object_use
from .navmesh_objects import BUILD, read_report

if TYPE_CHECKING:
    from ...navcore.build_warning import BuildWarning
    from ..builds.request_and_result import BuiltNavmesh

UNUSED, SHIFTED = "EDIT_UNUSED", "EDIT_SHIFTED"


class EditResult(NamedTuple):
    """What became of one edit's object."""

    object_: bpy.types.Object
    square_metres: float  # that it marks
    made: float  # that it marked when it was made; 0 where nobody knows
    code: str  # EDIT_UNUSED, EDIT_SHIFTED, or "" where all is fine
    is_known: bool  # whether the last build heeded it
    is_own: bool = False  # whether that was of a mesh by hand, which has no edits
    is_of_gone: bool = False  # whether the setup whose builds heed it was removed


def edit_rows(built: BuiltNavmesh) -> list[dict[str, Any]]:
    """The rows of the builder's report on edits, each with the object that it comes of, and square metres."""
    marks, rows = built.request.gathered.marks, built.navmesh.report.edits
    if len(marks) != len(rows):  # an own mesh has none
        return []
    cell, seen = built.request.settings.cell_size**2, set[str]()
    found = []
    for mark, row in zip(marks, rows, strict=True):
        # A patch in place of several outlines is the same faces for each: they count once.
        ground = json.dumps([mark.uid, mark.item.get("vertices"), mark.item.get("faces")])
        counts = mark.kind != "patch" or ground not in seen
        seen.add(ground)
        m2, made = row["cells"] * cell * counts, row["cells_when_made"] * cell * counts
        found.append({
            **row, "m2": m2, "m2_when_made": made, "uid": mark.uid,
            "object": mark.item["name"], "library": mark.library, "digest": mark.digest,
        })  # fmt: skip
    return found


def told_by_object(built: BuiltNavmesh) -> list[BuildWarning]:
    """The builder's warnings; of an object that is several edits one says what the list does, of all of them."""
    told, rows = list(built.navmesh.report.warnings), edit_rows(built)
    by_uid: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        by_uid.setdefault(int(row["uid"]), []).append(number)
    if len(by_uid) == len(rows):
        return told
    from ...navcore.builder.edit_marks import edit_warning  # here: Blender's start does not wait for it
    from ...navcore.scene import as_edits

    edits = as_edits([mark.item for mark in built.request.gathered.marks])
    for own in by_uid.values():
        of_parts = [(n, edit_warning(edits[n], rows[n]["cells"], rows[n]["cells_when_made"])) for n in own]
        said = [(number, warning) for number, warning in of_parts if warning is not None]
        if len(own) < 2 or not said:
            continue
        first = told.index(said[0][1])
        for _, warning in said:
            told.remove(warning)
        counted = [rows[number] for number in own if rows[number]["m2"] or not rows[number]["cells"]]
        cells, made = (sum(row[name] for row in counted) for name in ("cells", "cells_when_made"))
        whole = edit_warning(edits[said[0][0]], cells, made)
        told[first:first] = [] if whole is None else [whole]
    return told


def remember_made(scene: bpy.types.Scene, built: BuiltNavmesh) -> None:
    """Of edits that are new: how much they mark is what they marked when they were made."""
    by_uid: dict[int, dict[str, float]] = {}
    for row in edit_rows(built):
        known = by_uid.setdefault(int(row["uid"]), {})
        known[row["digest"]] = known.get(row["digest"], 0.0) or row["m2_when_made"] or row["m2"]
    for object_ in scene.objects if by_uid else ():
        known = {digest: m2 for digest, m2 in by_uid.get(object_.session_uid, {}).items() if m2}
        if known and object_.library is None and object_.is_editable:
            stored = read_made(object_)
            if stored.get(built.request.setup) != known:
                marks_of(object_).edit_made = json.dumps({**stored, built.request.setup: known})


def edit_results(scene: bpy.types.Scene, setup: str, navmesh: bpy.types.Object | None) -> list[EditResult]:
    """Every edit that the navmesh of a setup heeds, with what it did in the last build; then those that none heeds."""
    report = {} if navmesh is None else read_report(navmesh)
    rows, is_own = report.get("edits", []), bool(report.get("conversion"))  # an older version said none
    of_now = navmesh is not None and finished_navmeshes.find(str(navmesh.get(BUILD, ""))) is not None
    found = []
    for object_ in edits_in(scene, setup):
        own = [row for row in rows if _is_of(row, object_, of_now)]
        m2, made = sum(float(row["m2"]) for row in own), sum(float(row["m2_when_made"]) for row in own)
        code = "" if not own else UNUSED if m2 == 0 else SHIFTED if 2 * m2 < made else ""
        found.append(EditResult(object_, m2, made, code, bool(own), is_own))
    gone = [one for one in scene.objects if object_use(one) in EDITS and is_of_gone_setup(scene, one)]
    return [*found, *(EditResult(object_, 0.0, 0.0, "", False, is_own, True) for object_ in gone)]


def _is_of(row: dict[str, Any], object_: bpy.types.Object, of_now: bool) -> bool:
    """By its identity, which is of one session; a file that was opened again has names and libraries."""
    if of_now:
        return bool(row["uid"] == object_.session_uid)
    library = "" if object_.library is None else object_.library.filepath
    return bool((row["object"], row["library"]) == (object_.name, library))
