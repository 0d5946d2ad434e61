"""A navmesh of either origin, built or read from a file, as linked tiles under the references that its file has."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..detour.reader import NavmeshFile
from ..detour.tile_links import linked_tiles
from ..errors import BadInput
from ..result.navmesh import NavMesh
from .followed_tiles import FollowedCache, FollowedTiles
from .query_mesh import QueryMesh, References, query_mesh

Followed: TypeAlias = FollowedTiles | FollowedCache


def ready_mesh(navmesh: NavMesh | NavmeshFile) -> tuple[QueryMesh, References, Followed | None]:
    """What kernels ask, and what follows a built navmesh or that of a tile cache. A file is what it is.

    Raises BadInput for what is no navmesh, TooLarge for what no `.bin` holds.
    """
    if isinstance(navmesh, NavmeshFile):
        references = [tile.reference for tile in navmesh.tiles]
        return *query_mesh(navmesh.parameters, references, linked_tiles(navmesh)), None
    if isinstance(navmesh, NavMesh) and navmesh.live is not None:
        cache = FollowedCache(navmesh.live)
        return *mesh_of_tiles(cache), cache
    if isinstance(navmesh, NavMesh):
        followed = FollowedTiles(navmesh)
        return *mesh_of_tiles(followed), followed
    raise BadInput(
        f"NavQuery takes a navmesh that was built, or what read_navmesh returns, not {type(navmesh).__name__}.",
        "WRONG_KIND",
    )


def mesh_of_tiles(followed: Followed) -> tuple[QueryMesh, References]:
    """All tiles anew, one behind the other in the order of the navmesh."""
    tiles = followed.tiles()
    mesh, names = query_mesh(followed.parameters, [tile.reference for tile in tiles], [tile.data for tile in tiles])
    if isinstance(followed, FollowedCache):
        return mesh, names  # Detour looks at the tiles of a cache slot by slot
    return mesh, names._replace(order=names.order[np.argsort(names.first_of_slot[names.order])])
