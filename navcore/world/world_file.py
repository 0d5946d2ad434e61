"""WORLD.json: settings, bounds, and sections with their meshes and scenes, checked by name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import checked_fields as check
from ..agent_sizes import AgentSize, as_sizes, joint_settings, with_flags
from ..area_types import AREA_TYPES, AreaType
from ..builder.checked_input import CheckedLevel
from ..builder.parts.part import NOTHING
from ..errors import BadInput, BadSettings, Cancelled, NavmeshError
from ..files.strict_json import load_json
from ..scene import Drop, Scene
from ..settings import Settings

FORMAT = 1
_NAME = re.compile(r"\w(?:[\w. -]*[\w-])?")
_MOST_NAME = 100  # letters: file systems take no more than about 250 bytes
_MOST_BYTES = 64 << 20  # of a file: thousands of sections with many meshes each


@dataclass(frozen=True, kw_only=True)
class Section(check.CheckedFields):
    """One section as the file has it."""

    name: str = check.by(lambda name, value: _name(name, value))
    meshes: tuple[str, ...] = check.by(lambda name, value: _paths(name, value))
    box: tuple[float, ...] = check.by(lambda name, value: _box(name, value))
    scene: str | None = check.by(lambda name, value: None if value is None else _path(name, value), None)


@dataclass(frozen=True)
class WorldSection:
    """One section with what its scene file holds."""

    name: str
    meshes: tuple[Path, ...]
    box: tuple[float, float, float, float]  # x0, z0, x1, z1: half open
    scene: Scene

    @property
    def file(self) -> str:
        """The name of its navmesh."""
        return f"{self.name}.bin"


@dataclass(frozen=True)
class World:
    """A world as its file describes it: made by `read_world`. No Recast ancestor."""

    path: Path
    settings: Settings
    bounds: tuple[float, ...]  # minimum x, y, z, then maximum
    sections: tuple[WorldSection, ...]
    area_types: Mapping[int, AreaType]
    sizes: tuple[AgentSize, ...] = ()  # of agents, where all sections are for several

    def flagged_sizes(self) -> tuple[AgentSize, ...]:
        """The sizes, each with a flag that nothing in any section has. Raises BadInput where none is left."""
        if not self.sizes:
            return ()
        volumes = [volume for section in self.sections for volume in section.scene.volumes]
        links = tuple(link for section in self.sections for link in section.scene.links)
        level = CheckedLevel(NOTHING, volumes, links, area_types=self.area_types)
        return with_flags(self.sizes, level.used_flags(self.settings))

    def named(self, names: Iterator[str] | tuple[str, ...] | list[str]) -> set[str]:
        """These names, or all where there are none; refused are those that no section has."""
        known, asked = [section.name for section in self.sections], list(names)
        for name in asked:
            if name not in known:
                shown = ", ".join(known[:8]) + (" …" if len(known) > 8 else "")
                raise BadInput(f"The world has no section “{name}”. It has {shown}.", "NO_SECTION")
        return set(asked or known)


def read_world(path: str | os.PathLike[str]) -> World:
    """A world from its file, WORLD.json. Raises `BadInput` that names the section and the field.

    Scene files of sections are read, meshes are not: their paths, and those of scenes, are beside the file.
    """
    path = Path(path)
    content = load_json(path, "world", _MOST_BYTES)
    try:
        values = check.mapping("A world", content)
        if values.pop("format", None) != FORMAT:
            raise check.refused(f"format must be {FORMAT}: this navcore knows no other.")
        for name in ("settings", "bounds", "sections"):
            if name not in values:
                raise check.refused(f"{name} is missing.")
        if unknown := sorted(set(values) - {"settings", "bounds", "sections", "sizes"}):
            raise check.refused(
                f"{check.shown(unknown[0])} is not known; known are settings, bounds, sections and sizes."
            )
        given = check.mapping("settings", values["settings"])
        bounds = check.box("bounds", values["bounds"])
        if bounds is None:
            raise check.refused("bounds must be [x0, y0, z0, x1, y1, z1]: all sections lie on the grid that they fix.")
        rows = [_section(number, item) for number, item in enumerate(check.sequence("sections", values["sections"]), 1)]
        if not rows:
            raise check.refused("sections must name at least one.")
        _check_names(rows)
    except BadInput as reason:
        if reason.code != "BAD_SCENE":
            raise
        raise BadInput(f"{path.name}: {reason}", "BAD_WORLD") from None
    settings = Settings.from_mapping(given)
    _check_settings(settings)
    sizes = as_sizes(values.get("sizes", ()))
    sections = tuple(_with_scene(row, path.parent) for row in rows)
    world = World(path, joint_settings(settings, sizes), bounds, sections, _area_types(sections), sizes)
    world.flagged_sizes()  # refused where no flag is left
    return world


def with_sections(world: World, sections: tuple[WorldSection, ...]) -> World:
    """The same world with other meshes and scenes. Raises BadInput where their area types differ."""
    other = replace(world, sections=sections, area_types=_area_types(sections))
    other.flagged_sizes()
    return other


def is_blend(path: Path) -> bool:
    """Whether a mesh is a file of Blender's, which navcore does not read."""
    return path.suffix.lower() == ".blend"


@contextmanager
def of_section(name: str) -> Iterator[None]:
    """What is refused meanwhile names the section."""
    try:
        yield
    except Cancelled:
        raise
    except NavmeshError as reason:
        begin = f"Section “{name}”: "
        if not str(reason).startswith(begin):  # whoever was asked by somebody of the same section has named it
            reason.args = (f"{begin}{reason}",)
        raise


def _section(number: int, item: Any) -> Section:
    where = f"section {number}"
    values = check.mapping(where, item)
    if isinstance(values.get("name"), str):
        where = f"section “{values['name'][:_MOST_NAME]}”"
    for name in ("settings", "bounds"):
        if name in values:
            raise BadInput(
                f"{where[0].upper()}{where[1:]} has {name} of its own. All sections of a world share those of the "
                "world, or their tiles would not meet: leave them out there.",
                "SECTION_SETTINGS",
            )
    return check.part_from(Section, where, values)


def _check_names(rows: list[Section]) -> None:
    seen: dict[str, str] = {}
    for row in rows:
        other = seen.setdefault(row.name.casefold(), row.name)
        if sum(1 for one in rows if one.name == row.name) > 1 or other != row.name:
            raise check.refused(
                f"two sections are called “{row.name}” and “{other}”, which are one file on some disks."
            )


def _check_settings(settings: Settings) -> None:
    if settings.tile_size == 0:
        raise BadSettings(
            "A world is built in tiles, and tile_size is 0. Set it in the settings of the world, to 64 say.",
            "WORLD_WITHOUT_TILES",
        )
    if settings.generate_links:
        raise BadSettings(
            "Links are found on a finished navmesh, and a world is never in memory as a whole. Set generate_links to "
            "false, and give links in the scenes of sections.",
            "NEEDS_THE_WHOLE",
        )


def _with_scene(row: Section, folder: Path) -> WorldSection:
    scene = Scene()
    if row.scene is not None:
        with of_section(row.name):
            scene = Scene.from_file(folder / row.scene)
            if scene.bounds is not None:
                raise BadInput(
                    "its scene has bounds of its own. The tiles of all sections lie within those of the world: leave "
                    "them out there.",
                    "SECTION_SETTINGS",
                )
            if any(isinstance(edit, Drop) for edit in scene.edits):
                raise BadInput(
                    "its scene drops islands, which only a navmesh that is in memory as a whole knows. Leave drops "
                    "out, and give blocks instead.",
                    "NEEDS_THE_WHOLE",
                )
    x0, z0, x1, z1 = row.box
    return WorldSection(row.name, tuple(folder / mesh for mesh in row.meshes), (x0, z0, x1, z1), scene)


def _area_types(sections: tuple[WorldSection, ...]) -> Mapping[int, AreaType]:
    """Those that scenes give; a game has one filter for all sections, so no two may say different things."""
    chosen: WorldSection | None = None
    for section in sections:
        types = section.scene.area_types
        if types == AREA_TYPES:
            continue
        if chosen is not None and types != chosen.scene.area_types:
            raise BadInput(
                f"Section “{section.name}”: its scene has other area types than that of “{chosen.name}”. Give the same "
                "in both, or in one alone.",
                "SECTION_SETTINGS",
            )
        chosen = section
    return AREA_TYPES if chosen is None else chosen.scene.area_types


def _name(name: str, value: Any) -> str:
    text = check.text(name, value)
    if len(text) > _MOST_NAME or not _NAME.fullmatch(text):
        raise check.refused(
            f"{name} must be letters, digits, - and _ (spaces and dots within), at most {_MOST_NAME}, as files are "
            f"called by it; not {check.shown(text)}."
        )
    return text


def _path(name: str, value: Any) -> str:
    text = check.text(name, value)
    if not text or "\0" in text:
        raise check.refused(f"{name} must be the path of a file, not {check.shown(text)}.")
    return text


def _paths(name: str, value: Any) -> tuple[str, ...]:
    listed = check.as_list(value)
    if listed is None:
        raise check.refused(f"{name} must be a list of paths, not {check.shown(value)}.")
    return tuple(_path(f"a path of {name}", item) for item in listed)


def _box(name: str, value: Any) -> tuple[float, ...]:
    listed = check.as_list(value)
    if listed is None or len(listed) != 4:
        raise check.refused(f"{name} must be [x0, z0, x1, z1], not {check.shown(value)}.")
    x0, z0, x1, z1 = (check.finite(f"a number of {name}", number) for number in listed)
    if not (x0 < x1 and z0 < z1):
        raise check.refused(f"{name} must be [x0, z0, x1, z1] with x0 < x1 and z0 < z1, not {check.shown(value)}.")
    return x0, z0, x1, z1
