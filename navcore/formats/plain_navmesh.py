"""A navmesh as plain arrays in metres: what most writers write and every reader returns, wherever it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..agent_sizes import AgentSize, flags_with_sizes, size_called
from ..area_types import AreaType, area_flags, runtime_areas
from ..geometry.polygon_rings import first_of_each
from ..resolution import RESOLUTIONS
from ..result.navmesh import detail_triangles, world_vertices
from ..result.wide_link_records import wide_link_records
from ..scene import Link
from ..settings import Settings
from ..types import F32, I32, NO_INDEX, U8, U16, AnyArray
from ..wide_links import WideLink
from .plain_doors import PlainDoors

if TYPE_CHECKING:
    from ..detour.reader import NavmeshFile
    from ..result.navmesh import NavMesh


_OFF_LATTICE = 0.1  # cells that rounding may take a corner away from where it belongs
FINEST_CELL = 0.01  # metres: levels are not built in cells as small


class PlainDetail(NamedTuple):
    """Triangles that follow the ground; T of them."""

    vertices: F32  # (., 3) metres
    triangles: I32  # (T, 3)
    polygon: I32  # (T,) that each belongs to


class PlainNavmesh(NamedTuple):
    """Convex polygons with all that is known about them; areas and flags as runtime data has them (ground is 0)."""

    vertices: F32  # (V, 3) metres, y up
    first: I32  # (P + 1,) polygon p is corners[first[p]:first[p + 1]]
    corners: I32  # (.,) vertex ids
    neighbors: I32  # (.,) polygon across the edge from each corner to the next, -1 for none
    area: U8  # (P,)
    flags: U16  # (P,)
    region: U16  # (P,)
    detail: PlainDetail | None
    links: tuple[Link, ...]
    area_types: Mapping[int, AreaType]
    settings: Settings | None  # None where a file has none
    lattice: float | None  # metres; x and z are whole multiples apart, None where that is not known
    file: NavmeshFile | None = None  # the Detour file it was read from
    wide_links: tuple[WideLink, ...] = ()  # those that were found; `links` has their points after those that were given
    doors: PlainDoors | None = None  # None where there is none
    sizes: tuple[AgentSize, ...] = ()  # of agents, where it is for several

    def told_links(self) -> dict[str, list[dict[str, Any]]]:
        """All links, and the wide ones among them where there are any, ready for JSON."""
        links = [link.to_mapping() for link in self.links]
        return {"links": links} | ({"wide_links": wide_link_records(self.wide_links)} if self.wide_links else {})

    def told_sizes(self) -> dict[str, list[dict[str, Any]]]:
        """The sizes of agents, ready for JSON; nothing where there is one."""
        return {"sizes": [size.to_mapping() for size in self.sizes]} if self.sizes else {}

    def told_types(self, links: bool = True) -> dict[str, dict[str, Any]]:
        """The rows of the area table that the ground needs, and the links with it, ready for JSON."""
        used = set(self.area.tolist()) | ({link.area for link in self.links} if links else set())
        return {str(area): self.area_types[area].to_mapping() for area in sorted(used) if area in self.area_types}

    @property
    def detail_there(self) -> PlainDetail | None:
        """Its detail, None where that has no triangles: ground is then as polygons have it."""
        return self.detail if self.detail is not None and len(self.detail.triangles) else None

    @property
    def seen_cell(self) -> float | None:
        """Metres within which ground is looked at: the lattice's, or where that is as fine as numbers are, as in what
        somebody has modelled, the size of the settings' cells. None where neither is known."""
        if self.lattice is not None and self.lattice >= FINEST_CELL:
            return self.lattice
        if self.settings is not None and self.settings.cell_size >= FINEST_CELL:
            return self.settings.cell_size
        return None

    def of_size(self, name: str) -> PlainNavmesh:
        """The polygons that a size of agents fits on, without links. Raises BadInput for a size that there is not."""
        size = size_called(self.sizes, name)
        keep = self.flags & np.uint16(size.exclude) == 0
        number = np.where(keep, np.cumsum(keep) - 1, -1)
        counts, of_corner = np.diff(self.first), np.repeat(keep, np.diff(self.first))
        across = self.neighbors[of_corner]
        return self._replace(
            first=np.concatenate([[0], np.cumsum(counts[keep])]).astype(np.int32), corners=self.corners[of_corner],
            neighbors=np.where(across >= 0, number[across], -1).astype(np.int32), area=self.area[keep],
            flags=self.flags[keep], region=self.region[keep], detail=None, links=(), wide_links=(), doors=None,
            file=None,
        )  # fmt: skip

    def rings(self) -> list[list[int]]:
        """The vertex ids of each polygon."""
        return _rows(self.corners, self.first)

    def rows(self, values: AnyArray) -> list[list[int]]:
        """`values`, one for each corner, polygon by polygon."""
        return _rows(values, self.first)


def lattice_of(vertices: F32, settings: Settings | None) -> float | None:
    """How far corners that a file holds lie apart: cells of its settings, or of tiles that have finer ones."""
    if settings is None:
        return None
    away = vertices[:, ::2].astype(np.float64) - vertices[:1, ::2]
    if np.isfinite(away).all():  # whether corners are sound is seen later
        for scale in (1.0, *(scale for scale in reversed(RESOLUTIONS) if scale < 1)):
            cells = away / float(np.float32(settings.cell_size * scale))
            if np.abs(cells - np.rint(cells)).max(initial=0) < _OFF_LATTICE:
                return settings.cell_size * scale
    return settings.cell_size


def plain_navmesh(navmesh: NavMesh | PlainNavmesh) -> PlainNavmesh:
    """A built navmesh as plain arrays; tiles are stitched, so that polygons on their borders share whole edges."""
    if isinstance(navmesh, PlainNavmesh):
        return navmesh
    vertices, first, corners, neighbors = _one_piece(navmesh) if navmesh.tile_grid is None else _stitched(navmesh)
    area = runtime_areas(np.concatenate([tile.polygon_mesh.area for tile in navmesh.tiles]))
    flags = flags_with_sizes(area_flags(area, navmesh.area_types), too_small_for(navmesh))
    region = np.concatenate([tile.polygon_mesh.region for tile in navmesh.tiles])
    doors = _doors(navmesh)
    flags = flags if doors is None else doors.flags(flags)
    finest = min(float(tile.polygon_mesh.grid.cell_size) for tile in navmesh.tiles)
    return PlainNavmesh(
        vertices, first, corners, neighbors, area, flags, region,
        _detail(navmesh), tuple(map(_nameless, navmesh.links)), navmesh.area_types, navmesh.settings,
        finest, wide_links=tuple(map(_of_no_tile, navmesh.wide_links)), doors=doors, sizes=navmesh.sizes,
    )  # fmt: skip


def too_small_for(navmesh: NavMesh) -> U16 | None:
    """The flags of each polygon that keep sizes of agents out; None where it is for one size."""
    rows = [tile.too_small for tile in navmesh.tiles if tile.too_small is not None]
    return np.concatenate(rows) if rows else None


def _doors(navmesh: NavMesh) -> PlainDoors | None:
    if not navmesh.doors:
        return None
    from ..detour.doors import door_of_each_polygon  # here, so that only levels with doors wait for it

    return PlainDoors(navmesh.doors, door_of_each_polygon(navmesh))


def _nameless(link: Link) -> Link:
    return replace(link, name="") if link.name else link


def _of_no_tile(wide: WideLink) -> WideLink:
    """As it is where tiles are one mesh."""
    return replace(wide, points=tuple(map(_nameless, wide.points)), tile=(0, 0))


def one_at_each_place(vertices: F32) -> tuple[F32, I32]:
    """Vertices without those that lie where an earlier one does, and for each the number of the one that is left."""
    kept, number = first_of_each(vertices)
    return vertices[kept], number


def _one_piece(navmesh: NavMesh) -> tuple[F32, I32, I32, I32]:
    """The polygon mesh as it is, numbered as the build numbered it."""
    mesh = navmesh.polygon_mesh
    used = mesh.polygons != NO_INDEX
    first = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int32)
    links = mesh.neighbors[used].astype(np.int32)
    neighbors = np.where(links < len(mesh.polygons), links, -1).astype(np.int32)
    return world_vertices(mesh), first, mesh.polygons[used].astype(np.int32), neighbors


def _stitched(navmesh: NavMesh) -> tuple[F32, I32, I32, I32]:
    from ..result.stitch import stitch_tiles  # here, so that only tiled levels wait for its kernels

    mesh = stitch_tiles(navmesh)
    return mesh.vertices, mesh.first, mesh.corners, mesh.neighbors


def _detail(navmesh: NavMesh) -> PlainDetail | None:
    detail = navmesh.detail_mesh
    if detail is None:
        return None
    triangles, polygon = detail_triangles(detail)
    return PlainDetail(detail.vertices, triangles.astype(np.int32), polygon.astype(np.int32))


def _rows(values: AnyArray, first: I32) -> list[list[int]]:
    flat, ends = values.tolist(), first.tolist()
    return [flat[a:b] for a, b in pairwise(ends)]
