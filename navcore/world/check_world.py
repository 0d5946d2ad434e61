"""Whether the files of a world are what its manifest says, and what is there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..detour.reader import NavmeshFile, read_navmesh
from ..errors import BadInput
from .section_files import MANIFEST, read_manifest, read_stamp, sha256_of
from .section_grid import SectionGrid, grid_row
from .world_file import World, WorldSection


class WorldFault(NamedTuple):
    """Something that is wrong with the files of a world."""

    code: str
    section: str
    message: str


class SectionFacts(NamedTuple):
    """What is there of a section."""

    name: str
    tiles: int
    polygons: int | None  # None where no stamp says it
    bytes: int | None  # of its file; None where there is none
    neighbors: tuple[str, ...]


class WorldFacts(NamedTuple):
    """What is there of a world."""

    grid: Mapping[str, Any]
    sections: tuple[SectionFacts, ...]
    missing: tuple[str, ...]  # sections of the world that are not built
    sizes: tuple[Mapping[str, Any], ...] = ()  # of agents, as the manifest has them


def world_facts(world: World, folder: str | os.PathLike[str]) -> WorldFacts:
    """What the manifest in a folder tells of a world. Raises BadInput where there is none."""
    folder = Path(folder)
    manifest, by_name = _manifest(folder), {section.name: section for section in world.sections}
    rows = []
    for row in manifest["sections"]:
        section = by_name.get(row["name"])
        stamp = None if section is None else read_stamp(folder, section.name)
        path = None if row["file"] is None else folder / Path(row["file"]).name
        size = path.stat().st_size if path is not None and path.is_file() else None
        polygons = None if stamp is None else stamp.polygons
        rows.append(SectionFacts(row["name"], len(row["tiles"]), polygons, size, tuple(row["neighbors"])))
    there = {row.name for row in rows}
    missing = tuple(section.name for section in world.sections if section.name not in there)
    return WorldFacts(manifest["grid"], tuple(rows), missing, tuple(manifest.get("sizes", [])))


def check_world(world: World, folder: str | os.PathLike[str], only: Sequence[str] = ()) -> list[WorldFault]:
    """What does not fit between a world, its manifest and its files: nothing where all is sound. Builds nothing.

    Every file is read by all rules for files of unknown origin; its hash, grid and tiles are compared, and whether
    neighbors were built from the same along their common border. Raises BadInput where there is no manifest.
    """
    folder = Path(folder)
    chosen, manifest = world.named(list(only)), _manifest(folder)
    grid = SectionGrid(world, 64 if manifest["grid"].get("references") == 64 else 32)
    rows = {row["name"]: row for row in manifest["sections"]}
    faults = []
    for name in sorted(set(rows) - {section.name for section in world.sections}):
        faults.append(WorldFault("SECTION_NOT_BUILT", name, f"{MANIFEST} has it, and the world does not. Build it."))
    if manifest["grid"] != grid.manifest():
        wanted = "The manifest has another grid than the world's settings and bounds make. Build the world again."
        return [*faults, WorldFault("SECTION_TILES", "", wanted)]
    if manifest.get("sizes", []) != [size.to_mapping() for size in world.flagged_sizes()]:
        wanted = "The manifest is for other sizes of agents than the world. Build the world again."
        return [*faults, WorldFault("SECTION_TILES", "", wanted)]
    for number, section in enumerate(world.sections):
        if section.name in chosen:
            faults += _faults(number, section, rows.get(section.name), grid, folder)
    faults += _border_faults(world, grid, folder, chosen)
    return faults


def _manifest(folder: Path) -> dict[str, Any]:
    manifest = read_manifest(folder)
    if manifest is None:
        raise BadInput(
            f"{folder} holds no {MANIFEST}: the world is not built there. Build it, or name its folder with -o.",
            "NO_MANIFEST",
        )
    return manifest


def _faults(
    number: int, section: WorldSection, row: Mapping[str, Any] | None, grid: SectionGrid, folder: Path
) -> Iterator[WorldFault]:
    name = section.name
    if row is None:
        yield WorldFault("SECTION_NOT_BUILT", name, f"{MANIFEST} does not have it. Build it.")
        return
    if row["box"] != list(section.box) or row["neighbors"] != [grid.name(other) for other in grid.neighbors(number)]:
        yield WorldFault(
            "SECTION_TILES", name, "its box or its neighbors are others than in the world. Build it again."
        )
    own = set(grid.own[number].keys)
    if strange := [tile for tile in row["tiles"] if tuple(tile) not in own]:
        yield WorldFault("SECTION_TILES", name, f"tile {strange[0]} of the manifest is not its own. Build it again.")
    path = folder / section.file
    found = sha256_of(path)
    if found != row["sha256"]:
        what = "is not there" if found is None else "is not the file that the manifest tells of"
        yield WorldFault("SECTION_FILE", name, f"{section.file} {what}. Build it again.")
    elif found is not None:
        yield from _content_faults(section, row, grid, path)


def _content_faults(
    section: WorldSection, row: Mapping[str, Any], grid: SectionGrid, path: Path
) -> Iterator[WorldFault]:
    try:
        file = read_navmesh(path)
    except BadInput as reason:
        yield WorldFault("SECTION_FILE", section.name, f"{section.file} is damaged ({reason.code}): {reason}")
        return
    if [[tile.x, tile.y, tile.layer] for tile in file.tiles] != row["tiles"]:
        yield WorldFault("SECTION_TILES", section.name, f"{section.file} holds other tiles than the manifest says.")
    if _grid_of(file) != grid.manifest():
        yield WorldFault("SECTION_TILES", section.name, f"{section.file} lies on another grid than the manifest says.")


def _grid_of(file: NavmeshFile) -> dict[str, Any]:
    """As the file says it: those of 64 bits are read into fewer."""
    shared, wide = file.parameters, file.wide
    if wide is not None:
        shared = shared._replace(most_tiles=wide.max_tiles, most_polygons=wide.max_polygons)
    return grid_row(shared, wide is not None)


def _border_faults(world: World, grid: SectionGrid, folder: Path, chosen: set[str]) -> Iterator[WorldFault]:
    """Neighbors of which one was built before what both see along their border changed, and the other since."""
    stamps = [read_stamp(folder, section.name) for section in world.sections]
    for number, section in enumerate(world.sections):
        stamp = stamps[number]
        for other in grid.neighbors(number):
            beside, name = stamps[other], world.sections[other].name
            if other < number or stamp is None or beside is None or not chosen & {section.name, name}:
                continue
            if stamp.borders.get(name) != beside.borders.get(section.name):
                yield WorldFault(
                    "SECTION_BORDER",
                    section.name,
                    f"it and “{name}” were built from different geometry along their common border, so that their "
                    "tiles may not meet. Build both.",
                )
