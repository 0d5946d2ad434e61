"""A world in sections in recast-navigation-js: added and removed along a walk, and all of it at once."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import LevelSource, NavQuery, build_navmesh, build_world, read_navmesh, read_world, write_navmesh
from navcore.builder.parts.part import joined
from navcore.detour.byte_layout import NO_LINK
from navcore.detour.reader import NavmeshFile
from navcore.types import Geometry
from tests import scenes

HERE = Path(__file__).parent
SIDE, COLUMNS, ROWS = 512.0, 9, 3  # metres of a section: 8 tiles of 64 cells of a metre
MOST = 9  # sections in memory

pytestmark = pytest.mark.skipif(
    not (HERE / "node_modules").is_dir(), reason="the npm packages are not there: run `python3 dev.py clients`"
)


def section(x: float, z: float, random: np.random.Generator) -> Geometry:
    """Ground with long walls on it, some of which reach beyond the section."""
    lines = np.linspace(0, SIDE, 17)
    xs, zs = np.meshgrid(x + lines, z + lines, indexing="ij")
    vertices = np.stack([xs, 3 * np.sin(xs / 90) * np.cos(zs / 70), zs], -1).reshape(-1, 3).astype(np.float32)
    a = (np.arange(16)[:, None] * 17 + np.arange(16)).ravel()
    triangles = np.concatenate([np.stack([a, a + 1, a + 18], 1), np.stack([a, a + 18, a + 17], 1)]).astype(np.int32)
    pieces = [Geometry(vertices, triangles, np.zeros(0, np.uint8))]
    for _ in range(24):
        wide, deep = (140.0, 4.0) if random.random() < 0.5 else (4.0, 140.0)
        at = random.uniform((x, z), (x + SIDE, z + SIDE))
        box = scenes.box(at[0], -6, at[1], wide, 12, deep)
        pieces.append(Geometry(np.float32(box[0]), np.int32(box[1]), np.zeros(0, np.uint8)))
    return joined(pieces)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, random, rows = tmp_path_factory.mktemp("world"), np.random.default_rng(8), []
    for column in range(COLUMNS):
        for row in range(ROWS):
            x, z, name = column * SIDE, row * SIDE, f"{column}-{row}"
            mesh = section(x, z, random)
            keep = mesh.vertices.reshape(-1, 3)
            keep[:, 0], keep[:, 2] = keep[:, 0].clip(0, COLUMNS * SIDE), keep[:, 2].clip(0, ROWS * SIDE)
            np.savez(folder / f"{name}.npz", verts=keep, tris=mesh.triangles)
            rows.append({"name": name, "meshes": [f"{name}.npz"], "box": [x, z, x + SIDE, z + SIDE]})
    links = [{"start": [SIDE - 9, 0, 700], "end": [SIDE + 9, 0, 700], "radius": 5}]
    (folder / "links.json").write_text(json.dumps({"links": links}))
    rows[0]["scene"] = "links.json"
    settings = {"cell_size": 1.0, "cell_height": 0.5, "tile_size": 64, "agent_radius": 1.0, "agent_max_climb": 1.0}
    bounds = [0, -10, 0, COLUMNS * SIDE, 10, ROWS * SIDE]
    content = {"format": 1, "settings": settings, "bounds": bounds, "sections": rows}
    (folder / "world.json").write_text(json.dumps(content))
    return folder


def test_a_walk_of_four_kilometres_with_nine_sections_in_memory(world: Path) -> None:
    """Every leg is found, as long as in one piece to 1 %; and with all sections loaded the links are the same set."""
    read = read_world(world / "world.json")
    build_world(read, world / "out")
    pieces = []
    for path in (mesh for section in read.sections for mesh in section.meshes):
        with np.load(path) as arrays:
            pieces.append(Geometry(arrays["verts"], arrays["tris"], np.zeros(0, np.uint8)))
    whole = joined(pieces)
    links = [link for section in read.sections for link in section.scene.links]
    source = LevelSource(whole.vertices, whole.triangles, links=links, bounds=read.bounds)
    navmesh = build_navmesh(source, settings=read.settings)
    write_navmesh(navmesh, world / "whole.bin")
    points = way_points(NavQuery(navmesh), [260, 1250, 2250, 3250, 4250])
    (world / "walk.json").write_text(json.dumps({"points": points, "most": MOST}))
    command = ["node", str(HERE / "sections.mjs"), *(str(world / name) for name in ("out", "whole.bin", "walk.json"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["inMemory"] <= MOST and None not in told["legs"] and None not in told["wanted"]
    assert sum(told["wanted"]) > 4000 and sum(told["legs"]) == pytest.approx(sum(told["wanted"]), rel=0.01)
    ours, theirs = (links_in(read_navmesh(world / f"{name}.exported.bin")) for name in ("walked", "one"))
    assert ours == theirs and len(ours) > 5000
    assert any((a[0] < 8) != (b[0] < 8) for a, _, b, *_ in ours), "sections are linked"


def way_points(query: NavQuery, distances: list[float]) -> list[list[float]]:
    """On the ground, not on walls, and each to be reached from the one before."""
    points: list[list[float]] = []
    for x in distances:
        for z in range(640, 900, 10):
            near = query.nearest([[x, 0, z]], extents=(4, 4, 4))
            point = near.points[0].tolist()
            if near.references[0] and abs(point[1]) < 3.5:
                if not points or query.find_paths([points[-1]], [point]).status[0] == 0:
                    points.append(point)
                    break
    assert len(points) == len(distances)
    return points


def links_in(file: NavmeshFile) -> set[tuple[Any, ...]]:
    """Every link by the places of its tiles, whatever their references."""
    shared, found = file.parameters, set()
    slots = (1 << shared.tile_bits) - 1
    whose = {tile.reference >> shared.polygon_bits & slots: (tile.x, tile.y) for tile in file.tiles}
    for tile in file.tiles:
        parts = tile.sections
        links = parts.links.tolist()
        for polygon, k in enumerate(parts.polygons["first_link"].tolist()):
            while k != NO_LINK:
                target, following, *rest = links[k]
                other = whose[target >> shared.polygon_bits & slots]
                found.add(((tile.x, tile.y), polygon, other, target & (1 << shared.polygon_bits) - 1, *rest))
                k = following
    return found
