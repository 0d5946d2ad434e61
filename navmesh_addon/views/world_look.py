"""What is known of the world that a scene names, and outlines of its sections: read on a thread, kept until something
is built or another file is opened. Nothing here may touch bpy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ...navcore.errors import NavmeshError
from ..background import OneWorker
from .overlay_colors import NEIGHBOR, OWN_SECTION

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from concurrent.futures import Future

    from ...navcore.views.picture import Picture
    from ...navcore.world.check_world import SectionFacts
    from ...navcore.world.world_file import World

_Made = TypeVar("_Made")
_ABOVE = 0.1  # metres: lines lie over the ground that they were made of
worker = OneWorker("navmesh-world")


class WorldLook(NamedTuple):
    """A world, and what is there of it."""

    world: World | None  # None where it cannot be read
    why: str
    facts: Mapping[str, SectionFacts]
    neighbors: Mapping[str, tuple[str, ...]]


_asked: dict[Hashable, Future[object]] = {}


def look(file: Path, folder: Path, at_once: bool) -> WorldLook | None:
    """At a world; None where that is on its way."""
    return _kept((file, folder), lambda: _look(file, folder), at_once)


def outlines(folder: Path, own: str, files: tuple[str, ...], at_once: bool) -> Picture | None:
    """Edges of the navmeshes of sections; None where they are on their way."""
    return _kept((folder, own, files), lambda: _outlines(folder, own, files), at_once)


def _kept(key: Hashable, make: Callable[[], _Made], at_once: bool) -> _Made | None:
    if key not in _asked:
        _asked[key] = worker.ask(make)
    made: Future[_Made] = _asked[key]  # type: ignore[assignment]
    return made.result() if at_once or made.done() else None


def is_coming() -> bool:
    """Whether somebody should look again soon."""
    return any(not future.done() for future in _asked.values())


def forget() -> None:
    """Something was built, or it is another file."""
    _asked.clear()
    worker.forget()


def _look(file: Path, folder: Path) -> WorldLook:
    from ...navcore.world.check_world import world_facts
    from ...navcore.world.section_grid import SectionGrid
    from ...navcore.world.world_file import read_world

    try:
        world = read_world(file)
        grid = SectionGrid(world)
    except NavmeshError as reason:
        return WorldLook(None, str(reason), {}, {})
    names = [section.name for section in world.sections]
    neighbors = {name: tuple(map(grid.name, grid.neighbors(k))) for k, name in enumerate(names)}
    try:
        facts = {row.name: row for row in world_facts(world, folder).sections}
    except NavmeshError:  # nothing is built yet, or there is another manifest, which a build says
        facts = {}
    return WorldLook(world, "", facts, neighbors)


def _outlines(folder: Path, own: str, files: tuple[str, ...]) -> Picture:
    from ...navcore.detour.reader import read_navmesh
    from ...navcore.views.picture import EMPTY, Picture, joined

    pictures = [EMPTY]
    for file in files:
        try:
            tiles = read_navmesh(folder / file).tiles
        except NavmeshError:  # `world check` says what is wrong with it
            continue
        color = OWN_SECTION if file == own else NEIGHBOR
        for tile in tiles:
            lines = _edges(tile.sections.vertices, tile.sections.polygons)
            colors = np.tile(np.array(color, np.uint8), (len(lines), 1))
            pictures.append(Picture(EMPTY.corners, EMPTY.face_colors, lines, colors))
    return joined(pictures)


def _edges(vertices: npt.NDArray[Any], polygons: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Of the ground: each edge of a tile's polygons once."""
    ground = polygons[polygons["area_and_kind"] >> 6 == 0]
    corners, counts = ground["vertices"].astype(np.int64), ground["corners"].astype(np.int64)
    here = np.arange(corners.shape[1])
    following = np.where(here[None] + 1 < counts[:, None], here[None] + 1, 0)
    ends = np.take_along_axis(corners, following, axis=1)
    inside = here[None] < counts[:, None]
    pairs = np.unique(np.sort(np.stack([corners[inside], ends[inside]], axis=1), axis=1), axis=0)
    lines: npt.NDArray[np.float32] = vertices.reshape(-1, 3)[pairs].astype(np.float32)
    lines[:, :, 1] += np.float32(_ABOVE)
    return lines
