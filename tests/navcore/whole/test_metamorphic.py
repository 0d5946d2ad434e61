"""What a change of the input must and must not change, on random levels."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navcore import NavmeshError, Settings, build_navmesh
from navcore.types import NO_INDEX, CompactHeightfield, PolygonMesh
from tests import scenes
from tests.soak.levels import PARTITIONS, Level, legal_level

# Seeded: the same examples every time. The soak is what goes further.
some = settings(max_examples=20, deadline=None, derandomize=True, database=None)
randoms = st.randoms(use_true_random=False)
CELL, HIGH = 0.5, 0.25  # powers of two, with which no sum or product of the levels below is rounded
EXACT: dict[str, Any] = {
    "cell_size": CELL, "cell_height": HIGH, "agent_radius": 0.5, "agent_height": 2.0, "agent_max_climb": 0.5,
    "region_min_size": 0, "detail_mesh": False,
}  # fmt: skip


def blocks(random: Random, size: int = 24) -> scenes.Mesh:
    """A floor with boxes on it, no face on a border between cells."""

    def box() -> scenes.Mesh:
        x, z = ((random.randint(1, size - 6) + 0.5) * CELL for _ in range(2))
        wide, deep = (random.randint(1, 5) * CELL for _ in range(2))
        return scenes.box(x, 0.0, z, wide, random.choice((0.375, 0.875, 2.125, 3.125)), deep)

    return scenes.join([scenes.flat(size * CELL), *(box() for _ in range(random.randint(0, 8)))])


def mesh_of(vertices: Any, triangles: Any, partition: str = "watershed", **values: Any) -> PolygonMesh:
    return build_navmesh(vertices, triangles, Settings(**EXACT | values, partition=partition), threads=1).polygon_mesh


def same(a: PolygonMesh, b: PolygonMesh) -> bool:
    fields = ("vertices", "polygons", "neighbors", "region", "area")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in fields)


def eroded(vertices: Any, triangles: Any, **values: Any) -> dict[str, Any]:
    return dict(build_navmesh(vertices, triangles, Settings(**EXACT | values), threads=1, keep_stages=True).stages)


def walkable(compact: CompactHeightfield) -> list[list[tuple[int, int]]]:
    """(floor, area) of what is walkable in each column."""
    first = compact.first.tolist()
    spans = list(zip(compact.floor.tolist(), compact.area.tolist(), strict=True))
    return [[span for span in spans[a:b] if span[1]] for a, b in pairwise(first)]


@pytest.mark.parametrize("partition", PARTITIONS)
@given(randoms, st.integers(-(2**16), 2**16), st.integers(-(2**16), 2**16))
@some
def test_moved_by_whole_cells(partition: str, random: Random, across: int, along: int) -> None:
    """As far as float32 holds every coordinate exactly."""
    vertices, triangles = blocks(random)
    away = np.array([across * CELL, 8 * HIGH, along * CELL], np.float32)
    assert same(mesh_of(vertices + away, triangles, partition), mesh_of(vertices, triangles, partition))


@given(randoms)
@some
def test_a_quarter_turn_leaves_the_same_ground(random: Random) -> None:
    vertices, triangles = blocks(random)
    side = float(vertices[:, 0].max())
    turned = np.stack([vertices[:, 2], vertices[:, 1], side - vertices[:, 0]], 1).astype(np.float32)
    before, after = (walkable(eroded(v, triangles)["eroded"]) for v in (vertices, turned))
    cells = round(side / CELL)
    assert after == [before[(cells - 1 - z) + x * cells] for z in range(cells) for x in range(cells)]


@pytest.mark.parametrize("partition", PARTITIONS)
@given(randoms)
@some
def test_twice_the_size_of_everything(partition: str, random: Random) -> None:
    """A level twice as large with cells and agents twice as large is the same to the last bit."""
    level = legal_level(random)
    metres = ("cell_size", "cell_height", "agent_height", "agent_radius", "agent_max_climb", "edge_max_length")
    large = {name: 2 * value if name in metres else value for name, value in level.settings.items()}

    def built(scale: int, values: dict[str, Any]) -> Any:
        volumes = [{name: _scaled(value, scale, name) for name, value in v.items()} for v in level.volumes]
        chosen = Settings(**values | {"partition": partition, "detail_mesh": False})
        try:
            return build_navmesh(
                level.vertices * np.float32(scale), level.triangles, chosen, volumes=volumes, threads=1
            )
        except NavmeshError as refused:
            return refused.code

    one, two = built(1, level.settings), built(2, large)
    assert one == two if isinstance(one, str) else same(one.polygon_mesh, two.polygon_mesh)


def _scaled(value: Any, scale: int, name: str) -> Any:
    if name in ("shape", "area"):
        return value
    return [_scaled(v, scale, "") for v in value] if isinstance(value, list) else value * scale


@pytest.mark.parametrize("partition", PARTITIONS)
@given(randoms)
@some
def test_every_triangle_twice_changes_nothing(partition: str, random: Random) -> None:
    vertices, triangles = blocks(random)
    twice = np.repeat(triangles, 2, axis=0)
    assert same(mesh_of(vertices, twice, partition), mesh_of(vertices, triangles, partition))


@given(randoms, st.integers(0, 5))
@some
def test_a_larger_radius_never_adds_ground(random: Random, radius: int) -> None:
    """Over levels of every kind, not blocks alone."""
    level = legal_level(random)
    masks = []
    for cells in (radius, radius + 1):
        values = level.settings | {"agent_radius": cells * level.settings["cell_size"], "median_filter": False}
        masks.append(_eroded_or_none(level, values))
    if masks[1] is not None:
        assert masks[0] is not None and not (masks[1] & ~masks[0]).any()


def _eroded_or_none(level: Level, values: dict[str, Any]) -> Any:
    try:
        stages = build_navmesh(level.vertices, level.triangles, Settings(**values), keep_stages=True, threads=1).stages
    except NavmeshError:
        return None
    return stages["eroded"].area != 0


@pytest.mark.parametrize("partition", PARTITIONS)
@given(randoms)
@some
def test_the_same_level_far_away_changes_nothing_here(partition: str, random: Random) -> None:
    vertices, triangles = blocks(random)
    far = float(vertices[:, 0].max()) + 16 * CELL
    two = scenes.join([(vertices, triangles), (vertices + np.float32([far, 0, 0]), triangles)])
    alone, both = mesh_of(vertices, triangles, partition), mesh_of(*two, partition)
    shift = round(far / CELL)
    here = {ring for ring in rings(both) if all(x < shift - 8 for x, _, _ in ring)}
    there = {tuple((x - shift, y, z) for x, y, z in ring) for ring in rings(both) if ring not in here}
    assert here == set(rings(alone))
    assert there == {tuple(corner for corner in ring) for ring in rings(alone)}


def rings(mesh: PolygonMesh) -> list[tuple[tuple[int, int, int], ...]]:
    """The corners of each polygon, beginning with the smallest."""
    found = []
    for row in mesh.polygons.tolist():
        ring = [tuple(mesh.vertices[v].tolist()) for v in row if v != NO_INDEX]
        at = ring.index(min(ring))
        found.append(tuple(ring[at:] + ring[:at]))
    return found


@given(randoms, st.sampled_from([16, 20]))
@some
def test_tiles_stand_on_the_ground_of_the_whole_level(random: Random, side: int) -> None:
    """Filters and erosion see far enough into the neighboring tiles that no border shows in what they leave."""
    vertices, triangles = blocks(random, 40)
    whole = eroded(vertices, triangles)["eroded"]
    expected, seen = walkable(whole), 0
    for place, stages in eroded(vertices, triangles, tile_size=side).items():
        x, z = (side * int(word) for word in place[1:].split("_"))
        part, border = stages["eroded"], stages["grid"].border
        found = walkable(part)
        for i in range(min(side, whole.width - x)):
            for j in range(min(side, whole.depth - z)):
                at = (i + border) + (j + border) * part.width
                assert found[at] == expected[x + i + (z + j) * whole.width]
                seen += 1
    assert seen == whole.width * whole.depth
