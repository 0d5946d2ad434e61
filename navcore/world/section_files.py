"""What lies in the folder of a world: a navmesh and a stamp for each section, and the manifest of all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..build_warning import BuildWarning
from ..errors import BadInput
from ..files.atomic_write import remove, write_whole
from ..files.strict_json import json_object, json_text, load_json
from .section_grid import SectionGrid
from .section_meshes import hash_of_file
from .world_file import FORMAT, World

MANIFEST = "world.manifest.json"
_STAMP = ".stamp.json"
_MOST_BYTES = 256 << 20


class SectionKeys(NamedTuple):
    """What a section's navmesh depends on, as hashes: where one is as it was, what it stands for is."""

    code: str  # this navcore
    setup: str  # settings, the grid, the section's tiles, area types
    own: str  # the files of the section itself
    sources: str  # all files that reach into it, and all of the above


class Stamp(NamedTuple):
    """What a section's file was built from, and what came of it. Of a section without ground there is no file."""

    keys: SectionKeys
    content: str
    borders: Mapping[str, str]  # by neighbor, a hash of what both see
    sha256: str | None
    tiles: tuple[tuple[int, int, int], ...]
    polygons: int
    warnings: tuple[BuildWarning, ...] = ()  # what was said when it was built
    marks: Mapping[str, int] = {}  # by key, how many cells each edit marks here, and which volumes and ends of links do


def read_stamp(folder: Path, name: str) -> Stamp | None:
    """The stamp of a section; None where it is missing or damaged: what it was built from is not known then."""
    content = json_object(folder / f"{name}.bin{_STAMP}", "stamp", _MOST_BYTES)
    if content.get("format") != FORMAT:
        return None
    try:
        keys = SectionKeys(*(_text(content[name]) for name in SectionKeys._fields))
        borders = {str(name): _text(value) for name, value in dict(content["borders"]).items()}
        tiles = tuple((int(x), int(y), int(layer)) for x, y, layer in content["tiles"])
        sha256 = None if content["sha256"] is None else _text(content["sha256"])
        warnings = tuple(map(_warning, content.get("warnings", [])))
        marks = {str(key): int(count) for key, count in dict(content.get("marks", {})).items()}
        return Stamp(keys, _text(content["content"]), borders, sha256, tiles, int(content["polygons"]), warnings, marks)
    except (KeyError, TypeError, ValueError):
        return None


def write_stamp(folder: Path, name: str, stamp: Stamp) -> None:
    """Beside the section's file, once that is there."""
    content = {
        "format": FORMAT, **stamp.keys._asdict(), "content": stamp.content, "borders": dict(stamp.borders),
        "sha256": stamp.sha256, "tiles": [list(tile) for tile in stamp.tiles], "polygons": stamp.polygons,
        "warnings": [warning._asdict() for warning in stamp.warnings], "marks": dict(stamp.marks),
    }  # fmt: skip
    write_whole(folder / f"{name}.bin{_STAMP}", json_text(content))


def file_fits(folder: Path, name: str, stamp: Stamp) -> bool:
    """Whether the section's file is the one that its stamp tells of."""
    return sha256_of(folder / f"{name}.bin") == stamp.sha256


def sha256_of(path: Path) -> str | None:
    """Of a file; None where there is none."""
    return hash_of_file(path) if path.is_file() else None


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest in a folder, None where there is none. Raises BadInput where it is of another format."""
    path = folder / MANIFEST
    if not path.is_file():
        return None
    try:
        content = load_json(path, "manifest", _MOST_BYTES)
    except BadInput as reason:
        way_out = "" if reason.code == "CANNOT_READ" else " Remove it, and build the world again."
        raise BadInput(f"{reason}{way_out}", reason.code) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else None
        raise BadInput(
            f"{path} is of format {found!r}, and this navcore knows format {FORMAT}. Choose another folder with -o, or "
            "use the navcore that made it.",
            "OTHER_MANIFEST",
        )
    parts = (("grid", [content.get("grid")], _is_grid), ("sections", content.get("sections"), _is_row))
    for name, rows, is_one in (*parts, ("sizes", content.get("sizes", []), _is_size)):
        if not isinstance(rows, list) or not all(map(is_one, rows)):
            raise BadInput(
                f"{path} is damaged: what it says of {name} no build wrote. Remove it, and build the world again.",
                "OTHER_MANIFEST",
            )
    return content


def manifest_of(world: World, grid: SectionGrid, stamps: Sequence[Stamp | None]) -> bytes:
    """The manifest of the sections whose stamps are given; those that are not built on this grid have none."""
    rows = []
    for number, (section, stamp) in enumerate(zip(world.sections, stamps, strict=True)):
        if stamp is not None:
            rows.append({
                "name": section.name,
                "file": None if stamp.sha256 is None else section.file,
                "sha256": stamp.sha256,
                "box": list(section.box),
                "tiles": [list(tile) for tile in stamp.tiles],
                "neighbors": [world.sections[other].name for other in grid.neighbors(number)],
            })  # fmt: skip
    content: dict[str, Any] = {"format": FORMAT, "grid": grid.manifest(), "sections": rows}
    if world.sizes:
        content["sizes"] = [size.to_mapping() for size in world.flagged_sizes()]
    return json_text(content)


def remove_section(folder: Path, name: str) -> None:
    """The file of a section that has no ground any more."""
    remove(folder / f"{name}.bin")


def remove_gone(folder: Path, world: World) -> None:
    """Files of sections that the world no longer has, where we have stamped them.

    Manifests do not tell: one that was written since, with `--only` or of a build that was refused, leaves them out.
    """
    there = {section.file.casefold() for section in world.sections}
    for stamp in folder.glob(f"*.bin{_STAMP}"):
        file = stamp.with_name(stamp.name.removesuffix(_STAMP))
        if file.name.casefold() not in there and read_stamp(folder, file.stem) is not None:
            kept = re.compile(rf"{re.escape(file.stem)}\.\d+\.level\.(json|npz)")  # of .blend files: blender_levels.py
            for path in [file, stamp, *(path for path in folder.iterdir() if kept.fullmatch(path.name))]:
                remove(path)


def _is_grid(grid: Any) -> bool:
    if not isinstance(grid, dict) or not _are_numbers(grid.get("origin"), 3) or not _are_numbers([grid.get("tile")], 1):
        return False
    return all(_is_whole(grid.get(name)) for name in ("max_tiles", "max_polygons"))


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or not {"file", "sha256"} <= set(row):
        return False
    tiles, neighbors = row.get("tiles"), row.get("neighbors")
    if not isinstance(tiles, list) or not isinstance(neighbors, list) or not _are_numbers(row.get("box"), 4):
        return False
    texts = [row.get("name"), *neighbors, *(row[name] for name in ("file", "sha256") if row[name] is not None)]
    places = all(isinstance(tile, list) and len(tile) == 3 and all(map(_is_whole, tile)) for tile in tiles)
    return places and all(isinstance(text, str) for text in texts)


def _is_size(size: Any) -> bool:
    if not isinstance(size, dict) or not isinstance(size.get("name"), str) or not _is_whole(size.get("exclude")):
        return False
    return _are_numbers([size.get("radius"), size.get("height")], 2)


def _are_numbers(values: Any, count: int) -> bool:
    if not isinstance(values, list) or len(values) != count:
        return False
    return all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _warning(row: Any) -> BuildWarning:
    place = row["place"]
    if place is not None:
        x, y, z = map(float, place)
        place = x, y, z
    return BuildWarning(_text(row["code"]), _text(row["message"]), place, _text(row["name"]))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
