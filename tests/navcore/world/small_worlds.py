"""A world of 3 × 3 sections on a hilly plain: crates, a table of areas, links across sections, a house across a border.

A section is 19.2 m wide, which is two tiles of 32 cells of 0.3 m.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from navcore import LevelSource, NavMesh, build_navmesh
from navcore.builder.parts.part import joined
from navcore.detour.byte_layout import NO_LINK, sections
from navcore.detour.reader import NavmeshFile, read_navmesh
from navcore.detour.tile_links import Linker
from navcore.formats.mset import tile_blobs
from navcore.level_source import NavmeshEdits
from navcore.types import Geometry
from navcore.world.world_file import World, read_world
from tests import scenes

SIDE, COUNT = 19.2, 3
NAMES = [f"s{x}{z}" for z in range(COUNT) for x in range(COUNT)]
SETTINGS = {"cell_size": 0.3, "tile_size": 32}
Mesh = tuple[Any, Any]


def ground(x: int, z: int) -> Mesh:
    """A part of the plain, in triangles of 2.4 m, with waves that go on beyond it."""
    lines = np.arange(9) * 2.4
    xs, zs = np.meshgrid(x * SIDE + lines, z * SIDE + lines, indexing="ij")
    vertices = np.stack([xs, 0.6 * np.sin(xs / 5) * np.cos(zs / 7), zs], axis=-1).reshape(-1, 3)
    a = (np.arange(8)[:, None] * 9 + np.arange(8)).ravel()
    triangles = np.concatenate([np.stack([a, a + 1, a + 10], 1), np.stack([a, a + 10, a + 9], 1)])
    return vertices.astype(np.float32), triangles.astype(np.int32)


def crate(x: float, z: float) -> Mesh:
    vertices, triangles = scenes.box(x, -1, z, 2, 4, 2)[:2]
    return np.asarray(vertices, np.float32), np.asarray(triangles, np.int32)


def write_mesh(path: Path, mesh: Mesh, areas: Any = None) -> None:
    more = {} if areas is None else {"areas": areas}
    np.savez(path, verts=mesh[0], tris=mesh[1], **more)


def write_world(folder: Path, **other: Any) -> Path:
    """The files of the world; `other` are keys of the file that are others."""
    rows = []
    for z in range(COUNT):
        for x in range(COUNT):
            name = f"s{x}{z}"
            write_mesh(folder / f"{name}.npz", ground(x, z))
            write_mesh(folder / f"{name}-crate.npz", crate(x * SIDE + 8, z * SIDE + 8))
            box = [x * SIDE, z * SIDE, (x + 1) * SIDE, (z + 1) * SIDE]
            rows.append({"name": name, "meshes": [f"{name}.npz", f"{name}-crate.npz"], "box": box})
    write_mesh(folder / "house.npz", crate(SIDE - 1, SIDE - 1.3))  # of one section, and on four
    rows[4]["meshes"].append("house.npz")  # type: ignore[attr-defined]
    links = [
        {"start": [17, 0, 5], "end": [22, 0, 5], "radius": 2},
        {"start": [25, 0, 36], "end": [25, 0, 41], "radius": 2},
    ]
    volume = {"shape": "box", "area": 1, "min": [15, -5, 21], "max": [24, 5, 27]}
    door = {"shape": "box", "door": "gate", "closed": True, "min": [36, -5, 30], "max": [41, 5, 32]}
    (folder / "marks.json").write_text(json.dumps({"links": links, "volumes": [volume, door]}))
    rows[8]["scene"] = "marks.json"
    whole = COUNT * SIDE
    content = {"format": 1, "settings": SETTINGS, "bounds": [0, -2, 0, whole, 6, whole], "sections": rows, **other}
    (folder / "world.json").write_text(json.dumps(content))
    return folder / "world.json"


def rewritten(path: Path, change: Any) -> World:
    """The world after its file was changed."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return read_world(path)


def in_one_piece(world: World) -> NavMesh:
    """One build of everything, by the same settings and bounds."""
    pieces, scenes_ = [], [section.scene for section in world.sections]
    for section in world.sections:
        for mesh in section.meshes:
            with np.load(mesh) as arrays:
                areas = arrays["areas"] if "areas" in arrays else np.zeros(0, np.uint8)
                pieces.append(Geometry(arrays["verts"], arrays["tris"], areas))
    geometry = joined(pieces)
    source = LevelSource(
        geometry.vertices, geometry.triangles, geometry.area if len(geometry.area) else None,
        [volume for scene in scenes_ for volume in scene.volumes], [link for scene in scenes_ for link in scene.links],
        world.bounds, sizes=world.sizes, edits=NavmeshEdits.of([edit for scene in scenes_ for edit in scene.edits]),
    )  # fmt: skip
    return build_navmesh(source, settings=world.settings)


def unlinked(data: Any) -> bytes:
    """A tile's bytes with links and first links zeroed, and the ends of connections where they were given.

    Linking moves them onto the ground, each as soon as the tile is there that it lies in.
    """
    data = np.frombuffer(bytes(data), np.uint8).copy()
    parts = sections(data)
    for connection in parts.connections:
        corners = parts.polygons["vertices"][connection["polygon"]][:2]
        parts.vertices[corners] = connection["points"].reshape(2, 3)
    parts.polygons["first_link"] = 0
    parts.links[:] = np.zeros(1, parts.links.dtype)
    return data.tobytes()


def tiles_of(folder: Path) -> dict[tuple[int, int], bytes]:
    """Of all files in a folder, unlinked."""
    found: dict[tuple[int, int], bytes] = {}
    for path in sorted(folder.glob("*.bin")):
        for tile in read_navmesh(path).tiles:
            assert (tile.x, tile.y) not in found
            found[tile.x, tile.y] = unlinked(tile.data)
    return found


def tiles_in_one_piece(navmesh: NavMesh) -> dict[tuple[int, int], bytes]:
    blobs = zip(navmesh.tiles, tile_blobs(navmesh), strict=True)
    return {(tile.x, tile.y): unlinked(blob) for tile, blob in blobs}


def links_after_loading(tiles: dict[tuple[int, int], bytes], parameters: Any) -> set[tuple[Any, ...]]:
    """Who is linked to whom once all tiles are added, in any order: by places, whatever the references."""
    linker, whose, added = Linker(), {}, []
    for slot, (place, content) in enumerate(tiles.items()):
        data, reference = np.frombuffer(content, np.uint8).copy(), parameters.reference(slot)
        whose[reference >> parameters.polygon_bits] = place
        linker.add(data, reference)
        added.append((place, data))
    found = set()
    for place, data in added:
        parts = sections(data)
        for polygon, k in enumerate(parts.polygons["first_link"].tolist()):
            while k != NO_LINK:
                target, following, *rest = parts.links[k].item()
                other = whose[target >> parameters.polygon_bits]
                found.add((place, polygon, other, target & (1 << parameters.polygon_bits) - 1, *rest))
                k = following
    return found


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def file_of(folder: Path, name: str) -> NavmeshFile:
    return read_navmesh(folder / f"{name}.bin")
