"""`navcore convert`: a mesh whose faces are the polygons, or a navmesh of another format, into navmesh files."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from ...build_warning import BuildWarning, counted, in_words
from ...by_hand.from_polygons import navmesh_from_polygons
from ...by_hand.given_faces import BadFaces
from ...detour.queries.islands import find_islands
from ...errors import BadInput, NavmeshError
from ...files.atomic_write import check_apart, check_folder, staged, write_whole
from ...files.strict_json import json_text
from ...formats import holds_detour_data, read_navmesh_file, target_for, write_navmesh
from ...formats.plain_faces import named_materials, navmesh_of_plain, read_faces
from ...formats.plain_navmesh import PlainNavmesh, plain_navmesh
from ...formats.read_any import is_navmesh_file, refuse_sets_of_names
from ...progress import Progress
from ...result.navmesh import NavMesh
from ...scene import Scene
from ...settings import Settings
from ..command_flags import given_scene
from ..console import interruptible, write_error, write_out
from ..exit_status import DONE
from ..one_build import Said, warning_lines, where_all_are
from ..settings_flags import given_settings

_WELD = 0.001  # metres, unless said otherwise
_HOLD_FLAGS = (".bin", ".json", ".tres", ".tscn")  # of each polygon; other formats hold those of its area


def run(arguments: argparse.Namespace) -> int:
    """Convert, write the outputs, and say what became of the faces."""
    mesh, outputs = _files(arguments)
    written = [*outputs, *filter(None, [arguments.report])]
    for output in written:
        check_folder(output)
    check_apart(written, [mesh, arguments.scene, arguments.settings])
    progress = Progress()
    try:
        line = interruptible(lambda: _convert(arguments, mesh, outputs, progress), progress.cancel)
    except NavmeshError as refused:
        if arguments.report:
            write_whole(arguments.report, json_text(_refusal(refused)))
        raise
    if not arguments.quiet:
        write_out(f"{line}\n")
    return DONE


def _files(arguments: argparse.Namespace) -> tuple[Path, list[Path]]:
    """The mesh and the outputs. A mesh that is named after them stands last among them."""
    outputs: list[Path] = list(arguments.outputs)
    mesh = arguments.mesh if arguments.mesh is not None or len(outputs) < 2 else outputs.pop()
    if mesh is None or not outputs:
        raise BadInput("convert takes a mesh and outputs: navcore convert MESH -o OUTPUT.", "NOTHING_TO_WRITE")
    return mesh, outputs


def _convert(arguments: argparse.Namespace, mesh: Path, outputs: list[Path], progress: Progress) -> str:
    given = given_settings(arguments)
    scene = given_scene(arguments)
    plain = _plain_of(mesh)
    if plain is not None:
        _refuse_flags_of_meshes(arguments, mesh)
    navmesh = _navmesh(arguments, mesh, plain, given, scene, progress)
    conversion = navmesh.report.conversion or {}
    warnings = navmesh.report.warnings  # what writing it says is added to them
    warnings += _marks_nothing(scene)
    beside_bin = any(map(holds_detour_data, outputs))
    stays = None if plain is None or given else _with_references_of(navmesh, plain) if beside_bin else plain
    if stays is not None and not beside_bin:
        warnings[:] = [warning for warning in warnings if warning.code != "DOORS_RENUMBERED"]
    sources = [_as_it_is(stays, output) for output in outputs]
    if all(
        it is not None and output.suffix.lower() in _HOLD_FLAGS for it, output in zip(sources, outputs, strict=True)
    ):
        warnings[:] = [warning for warning in warnings if warning.code != "LOST_IN_EXPORT"]
    with staged(outputs) as places:
        for place, whole in zip(places, sources, strict=True):
            said = write_navmesh(whole or navmesh, place, target_for(place, arguments.target))
            warnings += said if whole is not None else []
    shown = [Said(warning.code, warning.sentence) for warning in warnings]
    for line in warning_lines(shown, where_all_are(arguments.report)):
        write_error(f"navcore: {line}")
    if arguments.report:
        told = [warning._asdict() for warning in warnings]
        write_whole(arguments.report, json_text({**conversion, "warnings": told}))
    return _line(mesh.name, navmesh, conversion)


def _as_it_is(stays: PlainNavmesh | None, output: Path) -> PlainNavmesh | None:
    """A navmesh to be written as its file has it, with the ground between corners and the flags of each polygon.

    None where a `.bin` is made of what is none: its tiles are made anew.
    """
    return stays if stays is not None and (stays.file is not None or not holds_detour_data(output)) else None


def _marks_nothing(scene: Scene) -> list[BuildWarning]:
    """What is said of a scene that marks ground, as builds heed it: faces are what they are."""
    volumes, edits, told = len(scene.volumes), len(scene.edits), list[BuildWarning]()
    text = "of the scene left out: faces are polygons as they are. Give faces areas by material or group."
    if volumes:
        told.append(BuildWarning("VOLUME_UNUSED", f"{counted(volumes, 'volume')} {text}"))
    if edits:
        told.append(BuildWarning("EDIT_UNUSED", f"{counted(edits, 'edit')} {text}"))
    return told


def _refuse_flags_of_meshes(arguments: argparse.Namespace, navmesh: Path) -> None:
    """Raises BadInput for what only the faces of a mesh are made with: a navmesh stays what it is."""
    asked = {"--scene": arguments.scene is not None, "--keep-faces": arguments.keep_faces,
             "--weld": arguments.weld is not None}  # fmt: skip
    if given := [flag for flag, is_given in asked.items() if is_given]:
        raise BadInput(
            f"{navmesh.name} is a navmesh already, whose polygons, areas and links stay what they are. {given[0]} is "
            "for a mesh whose faces become polygons: leave it out.",
            "WRONG_QUESTION",
        )


def _plain_of(mesh: Path) -> PlainNavmesh | None:
    """The navmesh that a file holds; None for a mesh."""
    refuse_sets_of_names(mesh)
    return read_navmesh_file(mesh) if is_navmesh_file(mesh) else None


def _with_references_of(navmesh: NavMesh, plain: PlainNavmesh) -> PlainNavmesh | None:
    """A navmesh as its file has it, with doors as the `.bin` beside it has them; None where polygons are others now."""
    if plain.doors is None or plain.file is not None:
        return plain
    doors = plain_navmesh(navmesh).doors
    is_same = navmesh.tile_grid is None and doors is not None and len(doors.of_polygon) == len(plain.area)
    return plain._replace(doors=doors) if is_same else None


def _navmesh(
    arguments: argparse.Namespace, mesh: Path, plain: PlainNavmesh | None, given: dict[str, Any], scene: Scene,
    progress: Progress,
) -> NavMesh:  # fmt: skip
    if plain is not None:
        known = plain.settings.to_mapping() if plain.settings is not None else {}
        return navmesh_of_plain(plain, Settings.from_mapping({**known, **given}))
    materials, groups = scene.named_areas()
    faces = read_faces(mesh, materials or named_materials(scene.area_types), groups)
    return navmesh_from_polygons(
        faces.vertices, faces.faces, Settings.from_mapping(given), faces.areas, arguments.keep_faces,
        _WELD if arguments.weld is None else arguments.weld, area_types=scene.area_types, links=scene.links,
        progress=progress,
    )  # fmt: skip


def _line(name: str, navmesh: NavMesh, conversion: dict[str, Any]) -> str:
    """What became of the faces, on one line."""
    islands = find_islands(navmesh)
    dropped = Counter(row["reason"] for row in conversion["dropped"])
    mended = Counter(row["reason"] for row in conversion["mended"])
    parts = [
        f"{counted(len(plain_navmesh(navmesh).area), 'polygon')} of {counted(conversion['faces'], 'face')}",
        f"{float(islands.square_metres.sum()):,.1f} m²",
        counted(len(islands.square_metres), "island"),
        f"corners moved {in_words(1000 * conversion['moved'], 2)} mm at most",
    ]
    for word, counts in (("dropped", dropped), ("mended", mended)):
        if counts:
            told = ", ".join(f"{reason} {count:,}" for reason, count in sorted(counts.items()))
            parts.append(f"{word} {sum(counts.values()):,} ({told})")
    return f"{name}: {', '.join(parts)}"


def _refusal(refused: NavmeshError) -> dict[str, Any]:
    faults = [fault._asdict() for fault in refused.faults] if isinstance(refused, BadFaces) else []
    return {"ok": False, "error": {"code": refused.code, "message": str(refused)}, "faults": faults}
