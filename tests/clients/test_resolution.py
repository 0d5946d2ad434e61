"""Tiles with cells of several sizes in recast-navigation-js: joined as our own linker joins them, and walked across."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from navcore import BoxVolume, NavMesh, NavQuery, PathStatus, Settings, build_navmesh, read_navmesh, write_navmesh
from navcore.detour.byte_layout import sections
from navcore.detour.reader import NavmeshFile
from navcore.detour.tile_links import linked_tiles
from navcore.geometry.tile_key import TileKey
from tests import scenes
from tests.clients.test_sections import links_in

HERE = Path(__file__).parent
SETTINGS = Settings(cell_size=0.3, cell_height=0.1, tile_size=32, agent_radius=0.4, agent_max_climb=0.4)

pytestmark = pytest.mark.skipif(
    not (HERE / "node_modules").is_dir(), reason="the npm packages are not there: run `python3 dev.py clients`"
)


@pytest.fixture(scope="module")
def mixed() -> NavMesh:
    """A city with tiles of ¼, ½ and 2 × beside usual ones."""
    places = [(8, 8, 30, 30, 0.5), (34, 10, 50, 24, 0.25), (10, 40, 40, 60, 2)]
    volumes = [BoxVolume(min=(x0, 0, z0), max=(x1, 0, z1), resolution=scale) for x0, z0, x1, z1, scale in places]
    return build_navmesh(*scenes.city(4, 16), SETTINGS, volumes=volumes)


def test_detour_joins_tiles_of_several_cells_and_walks_across(mixed: NavMesh, tmp_path: Path) -> None:
    """The links that Detour makes are the same set as ours, and each way is as long as ours, or found by neither."""
    query = NavQuery(mixed)
    random = np.random.default_rng(5)
    points = np.zeros((4000, 3))
    points[:, [0, 2]] = random.uniform(0, 64, (4000, 2))
    near = query.nearest(points, extents=(0.5, 0.5, 0.5))
    ends = near.points[(near.references != 0) & (near.points[:, 1] < 0.3)]  # on the streets, not on stairs
    ends = ends[: len(ends) // 2 * 2].reshape(-1, 6)
    write_navmesh(mixed, tmp_path / "mixed.bin")
    (tmp_path / "pairs.json").write_text(json.dumps(ends.astype(float).tolist()))
    files = [str(tmp_path / name) for name in ("mixed.bin", "pairs.json", "exported.bin")]
    done = subprocess.run(["node", str(HERE / "resolution.mjs"), *files], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    theirs = json.loads(done.stdout.splitlines()[-1])["lengths"]
    ours = query.find_paths(ends[:, :3], ends[:, 3:])
    whole = np.asarray(ours.status) == PathStatus.COMPLETE
    assert [length is not None for length in theirs] == whole.tolist() and whole.sum() > 1000
    found = np.array([length for length in theirs if length is not None])
    assert found == pytest.approx(ours.length[whole], rel=1e-4, abs=1e-3)
    file = read_navmesh(tmp_path / "mixed.bin")
    assert isinstance(file, NavmeshFile)
    linked = linked_tiles(file)
    own = file._replace(
        tiles=tuple(tile._replace(sections=sections(data)) for tile, data in zip(file.tiles, linked, strict=True))
    )
    exported = read_navmesh(tmp_path / "exported.bin")
    assert isinstance(exported, NavmeshFile)
    assert links_in(own) == links_in(exported)
    across = [(a, b) for a, _, b, *_ in links_in(exported) if cells(mixed, a) != cells(mixed, b)]
    kinds = {frozenset((cells(mixed, a), cells(mixed, b))) for a, b in across}
    assert len(across) > 50 and {frozenset((0.25, 1.0)), frozenset((0.5, 1.0)), frozenset((2.0, 1.0))} <= kinds


def cells(navmesh: NavMesh, place: tuple[int, int]) -> float:
    assert navmesh.tile_grid is not None
    return navmesh.tile_grid.scale_of(TileKey(*place))
