"""What all questions share: the mesh that is asked, the names of its polygons, and how it follows a level."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

import numpy as np

from ..detour.doors import parts_of_doors
from ..detour.reader import NavmeshFile
from ..errors import BadInput
from ..navquery.batches import as_points, as_references
from ..navquery.followed_tiles import FollowedCache, FollowedTiles
from ..navquery.kernels.points import PointsOn
from ..navquery.linked import mesh_of_tiles, ready_mesh
from ..navquery.mesh_in_tiles import MeshInTiles
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import QueryMesh, References
from ..result.navmesh import NavMesh
from ..shortest_paths.exact_paths import ShortestMeshes
from ..types import I32, I64, U16, AnyArray, ArrayLike

EXTENTS = (2.0, 4.0, 2.0)
EVERYBODY = QueryFilter()
UNLIMITED = 2**62
Usual: TypeAlias = Literal["usual"]  # Detour's number, and no limit where the shortest path is asked for
_Query = TypeVar("_Query", bound="AskedMesh")
_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
# What is made when it is first asked for.
_CACHES = ("_whole", "_areas_there", "_made", "_made_of_ground", "_kept_places", "_shortest", "_door_places")


class DoorPlaces(NamedTuple):
    """Where a door lies in the mesh."""

    polygons: I64
    flags: U16  # of each while it is open
    rows: I32  # of its tiles


class AskedMesh:
    """A navmesh as kernels ask it."""

    def __init__(self, navmesh: NavMesh | NavmeshFile) -> None:
        self._mesh, self._names, self._followed = ready_mesh(navmesh)
        self._doors = parts_of_doors(navmesh) if isinstance(navmesh, NavMesh) else {}
        self._sizes = navmesh.sizes if isinstance(navmesh, NavMesh) else ()
        self._tiled: MeshInTiles | None = None  # from the first change on
        self._is_shared = False  # somebody else asks the same arrays: they are copied before they are changed
        self._highest = 0  # reference of a tile that is gone
        self._kept_places: dict[str, Any] = {}  # of the one without gaps, too: compared before it is used
        self._changed_anything()

    def __repr__(self) -> str:
        count, tiles = int(self._names.count_of_slot.sum()), len(self._names.order)
        links = int(np.count_nonzero(self._mesh.polygons["kind"]))
        counts = ((count - links, "polygon"), (links, "off-mesh link"), (tiles, "tile"))
        return f"<NavQuery: {', '.join(f'{n:,} {name}' + ('s' if n != 1 else '') for n, name in counts)}>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _CACHES}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._kept_places = {}
        self._changed_anything()

    __copy__ = copy.deepcopy  # a flat copy would share what each changes in place

    def _with_the_same_arrays(self: _Query) -> _Query:
        other = type(self).__new__(type(self))
        other.__setstate__(self.__getstate__())
        return other

    def update(self, navmesh: NavMesh) -> None:
        """From now on ask this navmesh: what `Level.update` or `rebuild_tiles` returns, or any other that was built;
        or `cache.navmesh`, where that of the same TileCache is asked already.

        Of a navmesh in tiles only those that have changed are made anew, and the links around them: that costs what
        changed. References to polygons of the other tiles stay; those to polygons of tiles that have changed name
        nothing any more (each tile counts in ten bits how often it has changed, as in Detour). Areas and flags that
        were set stay in tiles that have not changed. Answers are those of a new `NavQuery`. The references of a tile
        cache are the cache's own: they go on rising in it. Do not ask while another thread updates.
        """
        if not isinstance(navmesh, NavMesh):
            raise BadInput(
                f"update takes a navmesh that was built, not {type(navmesh).__name__}. Make a new NavQuery of what was "
                "read from a file.",
                "WRONG_KIND",
            )
        followed = self._followed
        if navmesh.live is not None and not (isinstance(followed, FollowedCache) and followed.is_of(navmesh)):
            raise BadInput(
                "The navmesh of a tile cache is followed by queries that were made of the same cache: its references "
                "are the cache's own. Make a new NavQuery.",
                "WRONG_KIND",
            )
        change = None if self._followed is None else self._followed.follow(navmesh)
        if change is None:
            self._begin_again(navmesh)
        elif change.is_any:
            tiled = self._in_tiles()
            self._highest = max(self._highest, *change.gone, 0)
            tiled.change(change)
            self._mesh, self._names = tiled.mesh, tiled.names
            if tiled.is_wasteful and self._followed is not None:
                flags = self._set_of_all()
                self._mesh, self._names = mesh_of_tiles(self._followed)
                self._set_again(*flags)
                self._tiled = None
            self._changed_anything()
        self._doors, self._sizes = parts_of_doors(navmesh), navmesh.sizes
        self._door_places.clear()

    def as_it_is(self: _Query) -> _Query:
        """The same to ask, which does not follow any more: for who keeps numbers of polygons."""
        whole = self._in_one_piece()
        other = whole._with_the_same_arrays()
        whole._is_shared = other._is_shared = True
        if whole._tiled is not None:
            whole._tiled.is_shared = True
        other._tiled = other._followed = None
        other._changed_anything()
        return other

    def _begin_again(self, navmesh: NavMesh) -> None:
        """All is made anew, under references that are higher than those before."""
        self._highest = max(self._highest, int(self._names.of_polygon.max(initial=0)))
        self._followed = FollowedTiles(navmesh, self._highest)
        self._mesh, self._names = mesh_of_tiles(self._followed)
        self._tiled, self._is_shared = None, False
        self._changed_anything()

    def _in_tiles(self) -> MeshInTiles:
        if self._tiled is None:
            self._tiled = MeshInTiles(self._mesh, self._names)
            self._tiled.is_shared, self._is_shared = self._is_shared, False
        return self._tiled

    def _own_polygons(self) -> None:
        """Before polygons are changed: nobody else looks at these arrays."""
        tiled = self._in_tiles()
        tiled.own_arrays()
        self._mesh = tiled.mesh

    def _changed_anything(self) -> None:
        """What was made of the mesh is made anew when it is asked for."""
        self._areas_there: I64 | None = None
        self._made_of_ground: dict[str, Any] = {}  # whatever flags and areas are
        self._door_places: dict[str, DoorPlaces] = {}
        self._changed_flags()

    def _changed_flags(self) -> None:
        """The same where nothing but flags is another."""
        self._whole: Any = None  # another one without gaps
        self._made: dict[str, Any] = {}
        self._shortest = ShortestMeshes(self._mesh)

    @property
    def _areas(self) -> I64:
        """The areas that there are."""
        if self._areas_there is None:
            areas, known = self._mesh.polygons["area"], self._names.of_polygon != 0
            self._areas_there = np.flatnonzero(np.bincount(areas[known], minlength=1))
        return self._areas_there

    def _in_one_piece(self: _Query) -> _Query:
        """The same to ask, its polygons one behind the other in the order of the navmesh."""
        if self._tiled is None or self._followed is None or self._tiled.is_in_order:
            return self
        if self._whole is None:
            whole = self._with_the_same_arrays()
            whole._mesh, whole._names = mesh_of_tiles(self._followed)
            whole._set_again(*self._set_of_all())
            whole._tiled = whole._followed = None
            whole._changed_anything()
            whole._kept_places = self._kept_places
            self._whole = whole
        found: _Query = self._whole
        return found

    def _set_of_all(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        """All references, with the areas and flags that they have."""
        known = np.flatnonzero(self._names.of_polygon)
        polygons = self._mesh.polygons
        return self._names.of_polygon[known], polygons["area"][known], polygons["flags"][known]

    def _set_again(self, references: AnyArray, areas: AnyArray, flags: AnyArray) -> None:
        numbers, polygons = self._names.polygons(references), self._mesh.polygons
        polygons["area"][numbers], polygons["flags"][numbers] = areas, flags
        self._mesh.links["flags_there"] = polygons["flags"][self._mesh.links["target"]]

    def _polygons_and_points(
        self, references: ArrayLike, points: ArrayLike, name: str = "references", points_name: str = "points",
        rows: int | None = None,
    ) -> PointsOn:  # fmt: skip
        asked = as_points(points_name, points, rows)
        return PointsOn(self._names.polygons(as_references(name, references, len(asked))), asked)

    def _of_polygons(self, values: AnyArray, references: ArrayLike, nothing: int) -> AnyArray:
        """What each polygon has of one value for each; `nothing` for what is no polygon."""
        polygons = self._names.polygons(as_references("references", references))
        known = np.flatnonzero(polygons >= 0)
        found = np.full(len(polygons), nothing, values.dtype)
        found[known] = values[polygons[known]]
        return found


def of_the_whole(
    question: Callable[Concatenate[_Query, _Asked], _Answer],
) -> Callable[Concatenate[_Query, _Asked], _Answer]:
    """A question that looks at the whole navmesh: it is asked of one without gaps."""

    @functools.wraps(question)
    def asked(self: _Query, /, *given: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        return question(self._in_one_piece(), *given, **named)

    return asked


def mesh_of(query: AskedMesh) -> tuple[QueryMesh, References]:
    """What other rooms' kernels ask, and Detour's names for it. Of a query that follows they are those of now."""
    return query._mesh, query._names
