"""`read_navmesh`: a navmesh from a file of any format that holds polygons, ready to be asked."""

from __future__ import annotations

import os
from pathlib import Path

from ..by_hand.from_polygons import navmesh_from_polygons
from ..detour.reader import MOST_BYTES, NavmeshFile
from ..detour.reader import read_navmesh as read_detour
from ..errors import BadInput
from ..result.navmesh import NavMesh
from . import READ, read_navmesh_file
from .gltf.glb_reader import is_navmesh_glb
from .obj.obj_faces import read_obj_faces
from .plain_faces import named_materials, navmesh_of_plain

_MADE_OF_POLYGONS = tuple(ending for ending in READ if ending != ".bin")


def read_navmesh(
    content: bytes | bytearray | memoryview | str | os.PathLike[str], most_bytes: int = MOST_BYTES
) -> NavmeshFile | NavMesh:
    """A navmesh from a file's path, or from the bytes of a Detour file.

    A `.bin` comes back as its tiles, byte for byte. What holds polygons without tiles (.json, .glb, .tres, .tscn, and
    the .obj that `write_navmesh` writes) becomes a `NavMesh` of these polygons, with their areas, flags and links; of
    the ground between their corners' heights nothing is known. Either answers `NavQuery`, and is written again by
    `write_navmesh`. Raises NavmeshError with the broken rule. Recast: Sample::loadAll, for sets of tiles.
    """
    if not isinstance(content, (str, os.PathLike)):
        return read_detour(content, most_bytes)
    path = Path(content)
    ending = path.suffix.lower()
    refuse_sets_of_names(path)
    if ending == ".obj":
        faces = read_obj_faces(path, named_materials(), {}, ours_alone=True)
        return navmesh_from_polygons(*faces[:2], None, faces.areas, True, 0.0, trusted=True)
    if ending in _MADE_OF_POLYGONS:
        return navmesh_of_plain(read_navmesh_file(path))
    return read_detour(path, most_bytes)


def is_navmesh_file(path: Path) -> bool:
    """Whether a file holds a navmesh, by its ending; a .glb may hold anything, and is looked into."""
    ending = path.suffix.lower()
    return ending in READ and (ending != ".glb" or is_navmesh_glb(path))


def refuse_sets_of_names(path: Path) -> None:
    """Refuse what is written here, and holds no polygons to read."""
    if path.suffix.lower() == ".gset":
        raise BadInput(
            f"{path.name} is a RecastDemo set: it names a level, and holds no polygons. Build that level, or read the "
            ".bin that was saved of it.",
            "UNKNOWN_FORMAT",
        )
