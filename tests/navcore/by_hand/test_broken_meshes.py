"""Twenty random broken meshes of each kind: mended, or refused with the place, and never wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest

from navcore import NavMesh, Settings, find_islands, navmesh_from_polygons
from navcore.by_hand.given_faces import BadFaces

from .modelled import Modelled, islands_by_edges, patchwork, perimeter, plan_area
from .test_from_polygons import area_of, assert_sound, told

SEEDS = range(20)


def near(at: object, place: np.ndarray, within: float) -> bool:
    return math.dist(tuple(at), place.tolist()) <= within  # type: ignore[call-overload,no-any-return]


def assert_area(navmesh: NavMesh, modelled: Modelled, faces: list[list[int]]) -> None:
    wanted = sum(abs(plan_area(modelled.vertices, ring)) for ring in faces)
    around = sum(perimeter(modelled.vertices, ring) for ring in faces)
    assert abs(area_of(navmesh) - wanted) <= max(1e-4 * wanted, around * told(navmesh)["cell_size"] / 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_t_junctions_are_split(seed: int) -> None:
    """Every other face gets corners of its own in the middle of edges, off by up to half a millimetre."""
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed)
    vertices, faces, count = modelled.vertices.tolist(), [list(ring) for ring in modelled.faces], 0
    for face in range(0, len(faces), 2):
        ring = faces[face]
        k = int(rng.integers(len(ring)))
        a, b = ring[k], ring[(k + 1) % len(ring)]
        place = modelled.vertices[a] + rng.uniform(0.2, 0.8) * (modelled.vertices[b] - modelled.vertices[a])
        vertices.append((place + rng.uniform(-0.0002, 0.0002, 3)).tolist())
        ring.insert(k + 1, len(vertices) - 1)
        count += 1
    navmesh = navmesh_from_polygons(vertices, faces)
    assert_sound(navmesh)
    assert len(find_islands(navmesh).square_metres) == islands_by_edges(modelled.faces)
    assert 0 < sum(row["reason"] == "T-junction" for row in told(navmesh)["mended"]) <= count
    assert navmesh.report.warnings == []
    assert_area(navmesh, modelled, modelled.faces)


@pytest.mark.parametrize("seed", SEEDS)
def test_doubles_are_dropped(seed: int) -> None:
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed)
    chosen = rng.choice(len(modelled.faces), 5, replace=False).tolist()
    doubles = [modelled.faces[face][::-1] if rng.random() < 0.5 else modelled.faces[face][2:] + modelled.faces[face][:2]
               for face in chosen]  # fmt: skip
    navmesh = navmesh_from_polygons(modelled.vertices, modelled.faces + doubles)
    assert [row["reason"] for row in told(navmesh)["dropped"]] == ["double"] * 5
    assert {row["face"] for row in told(navmesh)["dropped"]} == set(range(len(modelled.faces), len(modelled.faces) + 5))
    assert_sound(navmesh)
    assert_area(navmesh, modelled, modelled.faces)


@pytest.mark.parametrize("seed", SEEDS)
def test_flips_are_turned(seed: int) -> None:
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed, missing=0.0)
    chosen = set(rng.choice(len(modelled.faces), 4, replace=False).tolist())
    faces = [ring[::-1] if face in chosen else ring for face, ring in enumerate(modelled.faces)]
    navmesh = navmesh_from_polygons(modelled.vertices, faces)
    assert [row["reason"] for row in told(navmesh)["mended"]] == ["turned"] * 4
    all_down = navmesh_from_polygons(modelled.vertices, [ring[::-1] for ring in modelled.faces])
    assert [row["reason"] for row in told(all_down)["mended"]] == ["part turned"]
    for mesh in (navmesh, all_down):
        assert_sound(mesh)
        assert_area(mesh, modelled, modelled.faces)
        assert len(find_islands(mesh).square_metres) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_bow_ties_are_refused_with_the_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed)
    quads = [face for face, ring in enumerate(modelled.faces) if len(ring) == 4]
    tie = quads[int(rng.integers(len(quads)))]
    a, b, c, d = modelled.faces[tie]
    faces = [[a, c, b, d] if face == tie else ring for face, ring in enumerate(modelled.faces)]
    with pytest.raises(BadFaces) as refused:
        navmesh_from_polygons(modelled.vertices, faces)
    assert refused.value.code == "FACE_CROSSES_ITSELF" and tie in refused.value.faces
    assert near(refused.value.faults[0].at, modelled.vertices[[a, b, c, d]].mean(axis=0), 2.0)
    assert f"face {tie}" in str(refused.value)


@pytest.mark.parametrize("seed", SEEDS)
def test_bow_ties_of_two_equal_halves_are_refused_too(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turned, size = rng.uniform(0, math.tau), rng.uniform(0.05, 20)
    turns = turned + np.arange(4) * math.pi / 2
    square = np.stack([np.sin(turns) * size, rng.uniform(0, 0.1, 4), np.cos(turns) * size], axis=1)
    with pytest.raises(BadFaces) as refused:
        navmesh_from_polygons(square, [[0, 2, 1, 3]])
    assert refused.value.code == "FACE_CROSSES_ITSELF"


@pytest.mark.parametrize("seed", SEEDS)
def test_three_faces_at_an_edge_are_refused_with_the_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed)
    edges: dict[frozenset[int], int] = {}
    for ring in modelled.faces:
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
            edges[frozenset((a, b))] = edges.get(frozenset((a, b)), 0) + 1
    shared = sorted(sorted(edge) for edge, times in edges.items() if times == 2)
    a, b = shared[int(rng.integers(len(shared)))]
    p, q = modelled.vertices[a], modelled.vertices[b]
    out = np.array([q[2] - p[2], 0, p[0] - q[0]])
    top = (p + q) / 2 + out * rng.uniform(0.3, 0.6) + [0, rng.uniform(2, 4), 0]
    vertices = np.concatenate([modelled.vertices, [top]])
    with pytest.raises(BadFaces) as refused:
        navmesh_from_polygons(vertices, [*modelled.faces, [a, b, len(vertices) - 1]])
    codes = {fault.code for fault in refused.value.faults}
    assert "THREE_FACES_AT_EDGE" in codes
    crowded = [fault for fault in refused.value.faults if fault.code == "THREE_FACES_AT_EDGE"]
    assert len(crowded) == 1 and near(crowded[0].at, (p + q) / 2, 0.01)
    assert len(modelled.faces) in crowded[0].faces


@pytest.mark.parametrize("seed", SEEDS)
def test_sheets_with_too_little_room_are_refused_and_others_are_floors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed, rise=0.0)
    room = float(rng.uniform(0.5, 1.9))
    low, high = (modelled.vertices + np.array([rng.uniform(-1, 1), up, rng.uniform(-1, 1)]) for up in (room, 2.5))
    count = len(modelled.vertices)
    second = [[corner + count for corner in ring] for ring in modelled.faces]
    with pytest.raises(BadFaces) as refused:
        navmesh_from_polygons(np.concatenate([modelled.vertices, low]), modelled.faces + second)
    assert refused.value.code == "SHEETS_OVERLAP"
    for fault in refused.value.faults:
        assert fault.at[1] == pytest.approx(0, abs=0.01) or fault.at[1] == pytest.approx(room, abs=0.01)
        assert float(fault.detail.split()[0]) == pytest.approx(room, abs=0.01)
    lower = np.concatenate([modelled.vertices, low])
    half = len(modelled.faces)
    trusted = navmesh_from_polygons(lower, modelled.faces + second, trusted=np.ones(2 * half, np.bool_))
    assert len(find_islands(trusted).square_metres) == 2 * islands_by_edges(modelled.faces)
    with pytest.raises(BadFaces):
        navmesh_from_polygons(lower, modelled.faces + second, trusted=np.arange(2 * half) < half)
    floors = navmesh_from_polygons(np.concatenate([modelled.vertices, high]), modelled.faces + second)
    assert_sound(floors)
    assert len(find_islands(floors).square_metres) == 2 * islands_by_edges(modelled.faces)


@pytest.mark.parametrize("seed", SEEDS)
def test_faces_that_cross_are_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tilt = rng.uniform(0.2, 0.6)
    one = [[0, 0, 0], [0, 0, 6], [6, 0, 6], [6, 0, 0]]
    other = [[x + rng.uniform(-0.5, 0.5), (x - 3) * tilt, z + rng.uniform(-0.5, 0.5)] for x, _, z in one]
    with pytest.raises(BadFaces) as refused:
        navmesh_from_polygons(one + other, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert refused.value.code == "SHEETS_OVERLAP" and refused.value.faces == (0, 1)
    assert refused.value.faults[0].detail == "0 m between"


@pytest.mark.parametrize("seed", SEEDS)
def test_slivers_are_dropped_and_what_they_parted_meets(seed: int) -> None:
    """An edge of two faces is opened by less than a millimetre, and the gap filled with a sliver."""
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed, missing=0.0)
    vertices, faces = modelled.vertices.tolist(), [list(ring) for ring in modelled.faces]
    face = int(rng.integers(len(faces)))
    ring = faces[face]
    k = int(rng.integers(len(ring)))
    a, b = ring[k], ring[(k + 1) % len(ring)]
    p, q = modelled.vertices[a], modelled.vertices[b]
    side = np.array([p[2] - q[2], 0, q[0] - p[0]]) / np.hypot(q[0] - p[0], q[2] - p[2])
    vertices.append(((p + q) / 2 + side * rng.uniform(0.0001, 0.0006)).tolist())
    ring.insert(k + 1, len(vertices) - 1)
    faces.append([b, a, len(vertices) - 1] if rng.random() < 0.5 else [a, b, len(vertices) - 1])
    navmesh = navmesh_from_polygons(vertices, faces)
    assert [(row["face"], row["reason"]) for row in told(navmesh)["dropped"]] == [(len(faces) - 1, "sliver")]
    assert_sound(navmesh)
    assert len(find_islands(navmesh).square_metres) == 1
    assert_area(navmesh, modelled, modelled.faces)


@pytest.mark.parametrize("seed", SEEDS)
def test_concave_faces_with_holes(seed: int) -> None:
    """A star with a smaller star cut out of it, as one face on a bridge or as two halves around the hole."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 14))
    turns = np.sort(rng.uniform(0, math.tau / count * 0.8, count) + np.arange(count) * math.tau / count)
    outer = np.stack([np.sin(turns), 0 * turns, np.cos(turns)], 1) * rng.uniform(6, 10, (count, 1))
    inner = np.stack([np.sin(turns), 0 * turns, np.cos(turns)], 1) * rng.uniform(1, 4, (count, 1))
    vertices = np.concatenate([outer, inner])
    if seed % 2:
        hole = [count + k for k in range(count)][::-1]
        faces = [[*range(count), 0, count, *hole[:-1], count]]
    else:
        half = count // 2
        faces = [[*range(half + 1), *[count + k for k in range(half, -1, -1)]],
                 [*range(half, count), 0, count, *[count + k for k in range(count - 1, half - 1, -1)]]]  # fmt: skip
    navmesh = navmesh_from_polygons(vertices, faces)
    assert_sound(navmesh)
    wanted = plan_area(vertices, list(range(count))) - plan_area(vertices, list(range(count, 2 * count)))
    assert area_of(navmesh) == pytest.approx(wanted, rel=1e-3)
    assert len(find_islands(navmesh).square_metres) == 1


@pytest.mark.parametrize("seed", SEEDS)
def test_edges_beside_each_other_are_told_with_their_distance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gap, turned = float(rng.uniform(0.01, 0.45)), float(rng.uniform(0, math.tau))
    one = np.array([[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0]], float)
    other = one + np.array([4 + gap, 0, rng.uniform(-2, 2)])
    vertices = np.concatenate([one, other]) @ [
        [math.cos(turned), 0, math.sin(turned)], [0, 1, 0], [-math.sin(turned), 0, math.cos(turned)]
    ]  # fmt: skip
    faces = [[0, 1, 2, 3], [4, 5, 6, 7]]
    navmesh = navmesh_from_polygons(vertices, faces)
    warnings = [warning for warning in navmesh.report.warnings if warning.code == "EDGES_APART"]
    assert len(warnings) == 1 and warnings[0].place is not None
    assert f"{gap:.3f}".rstrip("0") in warnings[0].message
    for near, weld, words in ((0.0016, 0.001, "0.002 m"), (0.0008, 0.0, "0.8 mm")):
        beside = navmesh_from_polygons(np.concatenate([one, one + np.array([4 + near, 0, 0])]), faces, weld=weld)
        assert len(find_islands(beside).square_metres) == 2
        assert [w.code for w in beside.report.warnings] == ["EDGES_APART"] and words in beside.report.warnings[
            0
        ].message
    welded = navmesh_from_polygons(vertices, faces, Settings(), weld=0.0)
    assert len(find_islands(welded).square_metres) == 2
    wide = navmesh_from_polygons(np.concatenate([one, one + np.array([4.6, 0, 0])]), faces)
    assert wide.report.warnings == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_corner_beside_a_corner_splits_one_edge(seed: int) -> None:
    """A hair too far from a face's corner to be welded, and within the tolerance of both of its edges there."""
    rng = np.random.default_rng(seed)
    off, turned = float(rng.uniform(0.00101, 0.0013)), float(rng.uniform(0, math.tau))
    aside = rng.uniform(0.2, 0.8) * math.pi / 2  # between both edges
    near = [4 - off * math.cos(aside), 0, 4 - off * math.sin(aside)]
    vertices = np.array([[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0], near, [2, 0, 8], [8, 0, 8], [8, 0, 2]]) @ [
        [math.cos(turned), 0, math.sin(turned)], [0, 1, 0], [-math.sin(turned), 0, math.cos(turned)]
    ]  # fmt: skip
    navmesh = navmesh_from_polygons(vertices, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert_sound(navmesh)
    assert area_of(navmesh) == pytest.approx(16 + plan_area(vertices, [4, 5, 6, 7]), abs=0.02)
    assert {row["reason"] for row in told(navmesh)["mended"]} == {"T-junction"}


@pytest.mark.parametrize("far", [0, 9_000, 60_000, 700_000])
@pytest.mark.parametrize("seed", range(5))
def test_strips_that_are_narrower_than_a_step_part_nothing(seed: int, far: int) -> None:
    """Two rows of ground, and between them a zigzag of triangles that the grid makes lines of, or turns over."""
    rng = np.random.default_rng(seed)
    turned = float(rng.uniform(0, math.tau))
    step = max(far * 2.0**-23, 0.0005)
    low, high = np.cumsum(rng.uniform(20, 60, 6)) * max(step, 0.05), rng.uniform(0.3, 3, 6) * step
    middle = [*low, *((low[:-1] + low[1:]) / 2)]
    across = [*(0 * low), *high[:-1]]
    deep = 40 * max(step, 0.05)
    vertices = np.array([[x, 0, z] for x, z in zip(middle, across, strict=True)]
                        + [[low[0], 0, -deep], [low[-1], 0, -deep], [low[-1], 0, deep], [low[0], 0, deep]])  # fmt: skip
    vertices = vertices @ [
        [math.cos(turned), 0, math.sin(turned)], [0, 1, 0], [-math.sin(turned), 0, math.cos(turned)]
    ]  # fmt: skip
    vertices += np.array([far, 0, -far])
    ups = [6, 7, 8, 9, 10]
    zigzag = [[k, ups[k], k + 1] for k in range(5)] + [[k + 1, ups[k], ups[k + 1]] for k in range(4)]
    below = [11, 0, 1, 2, 3, 4, 5, 12]
    above = [13, 5, *ups[::-1], 0, 14]
    navmesh = navmesh_from_polygons(vertices, [below, above, *zigzag])
    assert_sound(navmesh)
    assert len(find_islands(navmesh).square_metres) == 1
    wanted = sum(abs(plan_area(vertices, ring)) for ring in [below, above, *zigzag])
    around = perimeter(vertices, below) + perimeter(vertices, above)
    assert abs(area_of(navmesh) - wanted) <= around * told(navmesh)["cell_size"] / 2


@pytest.mark.parametrize("seed", SEEDS)
def test_two_faces_on_one_side_of_an_edge_are_one_too_many(seed: int) -> None:
    """A narrow one is dropped, others are refused with the place."""
    rng = np.random.default_rng(seed)
    modelled = patchwork(seed, missing=0.0, rise=0.0)
    face = int(rng.integers(len(modelled.faces)))
    a, b = modelled.faces[face][:2]
    p, q = modelled.vertices[a], modelled.vertices[b]
    inner = np.array([q[2] - p[2], 0, p[0] - q[0]]) / math.dist(p, q)
    inner *= np.sign(inner @ (modelled.vertices[modelled.faces[face]].mean(axis=0) - (p + q) / 2))
    for depth, refused in ((float(rng.uniform(0.0011, 0.0018)), False), (0.3, True)):
        vertices = np.concatenate([modelled.vertices, [(p + q) / 2 + inner * depth]])
        faces = [*modelled.faces, [a, b, len(vertices) - 1]]
        if refused:
            with pytest.raises(BadFaces) as found:
                navmesh_from_polygons(vertices, faces)
            assert {len(modelled.faces), face} <= set(found.value.faces)
            continue
        navmesh = navmesh_from_polygons(vertices, faces)
        assert [(row["face"], row["reason"]) for row in told(navmesh)["dropped"]] == [(len(faces) - 1, "sliver")]
        assert_sound(navmesh)
        assert len(find_islands(navmesh).square_metres) == 1
        assert_area(navmesh, modelled, modelled.faces)
