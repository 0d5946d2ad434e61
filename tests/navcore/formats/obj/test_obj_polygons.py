"""Faces with many corners become triangles that cover what they go around, once."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.formats.level_mesh import LevelMesh
from navcore.formats.obj.obj_reader import read_obj

U_SHAPE = [(0, 0), (0, 9), (9, 9), (9, 0), (6, 0), (6, 6), (3, 6), (3, 0)]
TURNS = [np.eye(3), np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]), np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]])]


def read_face(path: Path, corners: np.ndarray, face: str | None = None) -> LevelMesh:
    """A file of one face, read in both ways."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(corners, np.float64).tolist()]
    path.write_text("\n".join([*lines, face or "f " + " ".join(str(i + 1) for i in range(len(corners)))]) + "\n")
    plain, compiled = (read_obj(path, by_kernel=by_kernel) for by_kernel in (False, True))
    assert plain.triangles.tobytes() == compiled.triangles.tobytes() and plain.warnings == compiled.warnings
    return plain


def on_ground(outline: list[tuple[float, float]], height: float = 0.0) -> np.ndarray:
    """(x, z) → (x, height, z)."""
    return np.array([(x, height, z) for x, z in outline], float)


def signed_areas(mesh: LevelMesh) -> np.ndarray:
    """Of the triangles as seen from above."""
    a, b, c = (mesh.vertices[mesh.triangles[:, i]][:, [2, 0]].astype(float) for i in range(3))
    e, f = b - a, c - a
    return (e[:, 0] * f[:, 1] - e[:, 1] * f[:, 0]) / 2


def covered(mesh: LevelMesh, points: np.ndarray) -> np.ndarray:
    """How many triangles each point (x, z) is inside of."""
    count = np.zeros(len(points), int)
    for a, b, c in mesh.vertices[mesh.triangles][:, :, [0, 2]].astype(float):
        sides = [(q - p)[0] * (points - p)[:, 1] - (q - p)[1] * (points - p)[:, 0] for p, q in ((a, b), (b, c), (c, a))]
        inside = np.all([side > 0 for side in sides], axis=0) | np.all([side < 0 for side in sides], axis=0)
        count += inside
    return count


def fan(count: int) -> list[list[int]]:
    return [[0, i, i + 1] for i in range(1, count - 1)]


@pytest.mark.parametrize("start", range(8))
@pytest.mark.parametrize("backwards", [False, True])
def test_a_u_shaped_face_leaves_its_pit_open(tmp_path: Path, start: int, backwards: bool) -> None:
    outline = U_SHAPE[start:] + U_SHAPE[:start]
    mesh = read_face(tmp_path / "m.obj", on_ground(outline[::-1] if backwards else outline))
    areas = signed_areas(mesh)
    assert (areas > 0).all() != backwards or (areas < 0).all() == backwards
    assert abs(areas.sum()) == np.abs(areas).sum() == 63 and mesh.warnings == ()
    assert covered(mesh, np.array([[4.5, 3.1], [1.5, 4.1], [7.4, 3.3], [4.4, 7.9]])).tolist() == [0, 1, 1, 1]


def test_nobody_walks_over_the_pit_of_a_u_shaped_face(tmp_path: Path) -> None:
    mesh = read_face(tmp_path / "m.obj", on_ground([(3 * x, 3 * z) for x, z in U_SHAPE]))
    navmesh = build_navmesh(mesh.vertices, mesh.triangles, Settings(agent_radius=0))
    assert navmesh.detail_mesh is not None
    built = LevelMesh(mesh.vertices, mesh.triangles)
    assert covered(built, np.array([[13.5, 9.0]])).tolist() == [0]
    polygons = navmesh.polygon_mesh
    assert polygons is not None and len(polygons.polygons) > 1, "one polygon would be the whole square"


@pytest.mark.parametrize("turn", TURNS)
def test_faces_are_cut_however_they_lie(tmp_path: Path, turn: np.ndarray) -> None:
    mesh = read_face(tmp_path / "m.obj", on_ground(U_SHAPE) @ turn.T + [100, -20, 7])
    points = mesh.vertices[mesh.triangles].astype(float)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]) / 2
    assert np.allclose(normals.sum(0), turn @ [0, 63, 0], atol=1e-3)
    assert np.isclose(np.linalg.norm(normals, axis=1).sum(), 63, atol=1e-3)


@pytest.mark.parametrize("count", [4, 5, 6, 8, 31])
@pytest.mark.parametrize("turn", TURNS)
def test_convex_faces_stay_the_fan_that_they_were(tmp_path: Path, count: int, turn: np.ndarray) -> None:
    angles = np.arange(count) * 2 * np.pi / count + 0.3
    corners = np.stack([5 * np.cos(angles), 0 * angles, 3 * np.sin(angles)], 1) @ turn.T
    assert read_face(tmp_path / "m.obj", corners).triangles.tolist() == fan(count)
    bent = corners + [[0, 0.1 * (i % 2), 0] for i in range(count)]
    assert read_face(tmp_path / "m.obj", bent).triangles.tolist() == fan(count)


def test_corners_on_a_straight_edge_leave_the_fan_as_it_was(tmp_path: Path) -> None:
    """Also where decimal places have moved them a little inwards."""
    square = [(0, 0), (0, 3), (0, 9), (5, 9), (9, 9), (9, 4), (9, 0), (2, 0)]
    for turn in TURNS:
        corners = on_ground(square) @ turn.T / 7
        assert read_face(tmp_path / "m.obj", corners.round(6)).triangles.tolist() == fan(8)
        assert read_face(tmp_path / "m.obj", corners + 1000).triangles.tolist() == fan(8)


def test_a_concave_face_whose_fan_was_right_keeps_it(tmp_path: Path) -> None:
    arrow = [(0, 0), (-3, 3), (0, -5), (3, 3)]  # its first corner is the notch
    assert read_face(tmp_path / "m.obj", on_ground(arrow)).triangles.tolist() == fan(4)
    from_its_tip = read_face(tmp_path / "m.obj", on_ground(arrow[1:] + arrow[:1]))
    assert sorted(map(sorted, from_its_tip.triangles.tolist())) == [[0, 1, 3], [1, 2, 3]]


def test_repeated_and_colinear_corners_are_no_hindrance(tmp_path: Path) -> None:
    outline = [(0, 0), (0, 0), (0, 5), (0, 9), (9, 9), (9, 9), (9, 0), (6, 0), (6, 3), (6, 6), (3, 6), (3, 6), (3, 0)]
    for start in range(len(outline)):
        mesh = read_face(tmp_path / "m.obj", on_ground(outline[start:] + outline[:start]))
        areas = signed_areas(mesh)
        assert (areas >= 0).all() and areas.sum() == 63 and mesh.warnings == ()
    again = read_face(tmp_path / "m.obj", on_ground(U_SHAPE), "f 1 1 2 3 3 4 5 6 7 8 8")
    assert signed_areas(again).sum() == np.abs(signed_areas(again)).sum() == 63


def test_a_hole_on_a_bridge_stays_open(tmp_path: Path) -> None:
    outline = [(0, 0), (0, 9), (9, 9), (9, 0)]
    hole = [(3, 3), (6, 3), (6, 6), (3, 6)]
    mesh = read_face(tmp_path / "m.obj", on_ground([*outline, outline[0], *hole, hole[0]]))
    areas = signed_areas(mesh)
    assert (areas >= 0).all() and areas.sum() == 72
    assert covered(mesh, np.array([[4.5, 4.6], [1.1, 5.0], [8.0, 5.3]])).tolist() == [0, 1, 1]


BOW_TIE, STAR = [(0, 0), (0, 4), (4, 0), (4, 4)], [(0, 5), (3, -4), (-5, 1.5), (5, 1.5), (-3, -4)]


@pytest.mark.parametrize("outline", [BOW_TIE, [(0, 0), (0, 6), (4, 0), (4, 4)], STAR])
def test_a_face_that_crosses_itself_is_a_fan_and_a_warning_with_its_line(
    tmp_path: Path, outline: list[tuple[float, float]]
) -> None:
    mesh = read_face(tmp_path / "m.obj", on_ground(outline))
    assert mesh.triangles.tolist() == fan(len(outline))
    (warning,) = mesh.warnings
    assert warning.code == "FACES_NOT_CUT"
    assert warning.message.startswith("m.obj: faces that cross themselves, or are bent too far")
    assert f"cut into triangles: 1 (line {len(outline) + 1}). They are fans" in warning.message


def test_a_face_without_area_is_no_concern(tmp_path: Path) -> None:
    mesh = read_face(tmp_path / "m.obj", on_ground([(0, 0), (5, 5), (2, 2), (9, 9)]))
    assert mesh.triangles.tolist() == fan(4) and mesh.warnings == ()


def test_faces_may_come_before_their_vertices(tmp_path: Path) -> None:
    lines = [f"v {x} 0 {z}" for x, z in U_SHAPE]
    faces = ["f 1 2 3", "f 1 2 3 4 5 6 7 8", "f 4 3 2 1"]
    (tmp_path / "after.obj").write_text("\n".join(lines + faces))
    (tmp_path / "before.obj").write_text("\n".join(faces + lines))
    for by_kernel in (False, True):
        before, after = (read_obj(tmp_path / name, by_kernel=by_kernel) for name in ("before.obj", "after.obj"))
        assert before.triangles.tobytes() == after.triangles.tobytes()
        assert before.vertices.tobytes() == after.vertices.tobytes()


def grown_outline(chance: random.Random, count: int) -> tuple[list[tuple[int, int]], set[tuple[int, int, int]]]:
    """Triangles of a grid, glued to each other along one edge each, and the way around them.

    Where they also touch otherwise the outline meets itself: in points, along edges, around holes.
    """

    def halves(x: int, z: int) -> list[tuple[tuple[int, int], ...]]:
        return [((x, z), (x, z + 1), (x + 1, z + 1)), ((x, z), (x + 1, z + 1), (x + 1, z))]

    cells = [(x, z, half) for x in range(6) for z in range(6) for half in (0, 1)]
    edges = {
        (a, b): (cell, c)
        for cell in cells
        for corners in [halves(*cell[:2])[cell[2]]]
        for a, b, c in (corners[i:] + corners[:i] for i in range(3))
    }
    taken = {cells[20]}
    outline = list(halves(*cells[20][:2])[cells[20][2]])
    while len(taken) < count:
        i = chance.randrange(len(outline))
        a, b = outline[i], outline[(i + 1) % len(outline)]
        cell, corner = edges.get((b, a), (None, None))
        if cell is not None and corner is not None and cell not in taken:
            taken.add(cell)
            outline.insert(i + 1, corner)
    return outline, taken


@pytest.mark.parametrize("seed", range(60))
def test_outlines_that_meet_themselves_are_covered_once(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    outline, taken = grown_outline(chance, chance.randint(5, 45))
    start = chance.randrange(len(outline))
    mesh = read_face(tmp_path / "m.obj", on_ground(outline[start:] + outline[:start]))
    assert mesh.warnings == () and (signed_areas(mesh) >= 0).all() and len(mesh.triangles) == len(outline) - 2
    centers = [(x + (1 + half) / 3 + 0.01, z + (2 - half) / 3 - 0.02, half) for x, z, half in ALL]
    wanted = [int(cell in taken) for cell in ALL]
    assert covered(mesh, np.array([center[:2] for center in centers])).tolist() == wanted


ALL = [(x, z, half) for x in range(6) for z in range(6) for half in (0, 1)]


def test_a_face_of_thousands_of_corners_is_cut_in_good_time(tmp_path: Path) -> None:
    """A comb: half of its corners turn inwards."""
    teeth = [(x, z) for x in range(0, 4000, 2) for z in ((1, 9) if x % 4 else (9, 1))]
    mesh = read_face(tmp_path / "m.obj", on_ground([*teeth, (3998, 0), (0, 0)][::-1]))
    areas = signed_areas(mesh)
    assert abs(areas.sum()) == pytest.approx(np.abs(areas).sum()) and mesh.warnings == ()
