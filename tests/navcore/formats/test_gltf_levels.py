"""Levels from glTF files: nodes, instances, mirrors, strips, names; and what an .obj of the level gives."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from navcore import Scene, Settings, build_navmesh, read_mesh, write_navmesh
from navcore.formats.level_mesh import LevelMesh
from tests import scenes
from tests.navcore.formats.glb_files import HALVES, INT, SHORT, SQUARE, GltfFile, square


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "level.glb"


def corners(mesh: LevelMesh) -> list[list[list[float]]]:
    return mesh.vertices[mesh.triangles].tolist()


def ups(mesh: LevelMesh) -> np.ndarray:
    """How far up each triangle looks."""
    a, b, c = (mesh.vertices[mesh.triangles[:, corner]].astype(np.float64) for corner in range(3))
    return np.asarray(np.cross(b - a, c - a)[:, 1])


@pytest.mark.parametrize("name", ["level.glb", "level.gltf", "LEVEL.GLB"])
def test_a_square_is_read_as_it_stands(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(square().glb()) if name.lower().endswith("glb") else square().write(path)
    mesh = read_mesh(path)
    assert mesh.vertices.tolist() == SQUARE and mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.vertices.dtype == np.float32 and mesh.triangles.dtype == np.int32
    assert mesh.areas is None and mesh.warnings == () and (ups(mesh) > 0).all()


def test_a_level_gives_the_same_bytes_as_its_obj(tmp_path: Path) -> None:
    vertices, triangles = scenes.plaza(3)
    lines = [f"v {' '.join(map(repr, row))}\n" for row in vertices.tolist()]
    (tmp_path / "level.obj").write_text(
        "".join(lines + [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles.tolist()])
    )
    file = GltfFile()
    positions, indices = file.array(vertices), file.array(triangles, INT, "SCALAR")
    file.node(mesh=file.mesh({"attributes": {"POSITION": positions}, "indices": indices}))
    file.write(tmp_path / "level.glb")
    file.write(tmp_path / "level.gltf")
    contents = set()
    for ending in ("obj", "glb", "gltf"):
        mesh = read_mesh(tmp_path / f"level.{ending}")
        assert mesh.vertices.tobytes() == vertices.astype(np.float32).tobytes()
        assert mesh.triangles.tobytes() == triangles.astype(np.int32).tobytes()
        navmesh = build_navmesh(mesh.vertices, mesh.triangles, Settings(cell_size=0.3), areas=mesh.areas)
        write_navmesh(navmesh, tmp_path / "n.bin")
        contents.add((tmp_path / "n.bin").read_bytes())
    assert len(contents) == 1


def test_nodes_place_what_is_below_them_in_doubles(path: Path) -> None:
    file = GltfFile()
    mesh = file.mesh(file.primitive(SQUARE[:3], [0, 1, 2]))
    half = math.sqrt(0.5)
    above = file.node(translation=[100, 0, 0], rotation=[0, half, 0, half])  # a quarter turn: z becomes x
    file.node(above, mesh=mesh, scale=[2, 3, 4], translation=[0, 1, 0])
    file.node(mesh=mesh, matrix=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e8 + 1, 5, 7, 1])
    found = read_mesh(file.write(path))
    assert np.allclose(found.vertices[:3], [[100, 1, 0], [140, 1, 0], [140, 1, -20]], atol=1e-5)
    assert found.vertices[3].tolist() == [np.float32(1e8 + 1), 5.0, 7.0]
    assert found.triangles.tolist() == [[0, 1, 2], [3, 4, 5]] and (ups(found) > 0).all()


@pytest.mark.parametrize("scale", [[-1, 1, 1], [1, 1, -1], [-1, -1, -1], [-2, 3, 1]])
def test_a_mirror_turns_triangles_so_that_the_front_stays_in_front(path: Path, scale: list[float]) -> None:
    faces_up = scale[1] > 0
    mesh = read_mesh(square(scale=scale).write(path))
    assert (ups(mesh) > 0).all() == faces_up and (ups(mesh) != 0).all()
    flipped = GltfFile()
    above = flipped.node(scale=[-1, 1, 1])
    flipped.node(above, mesh=flipped.mesh(flipped.primitive()), scale=[1, 1, -1])  # two mirrors are a turn
    assert (ups(read_mesh(flipped.write(path))) > 0).all()


def test_the_order_is_that_of_the_scene_and_an_instance_is_a_copy(path: Path) -> None:
    file = GltfFile()
    low, high = file.mesh(file.primitive()), file.mesh(file.primitive([[x, 5, z] for x, _, z in SQUARE]))
    first = file.node()
    file.node(mesh=low)
    file.node(first, mesh=high)
    file.node(first, mesh=low, translation=[0, 9, 0])
    file.json["nodes"].append({"mesh": low})  # in no scene
    heights = [triangle[0][1] for triangle in corners(read_mesh(file.write(path)))]
    assert heights == [5, 5, 9, 9, 0, 0]
    file.json["scenes"].append({"nodes": [1]})
    file.json["scene"] = 1
    assert [triangle[0][1] for triangle in corners(read_mesh(file.write(path)))] == [0, 0]


def test_a_file_without_scenes_shows_all_its_nodes(path: Path) -> None:
    file = square()
    file.node(0, mesh=0, translation=[0, 1, 0])
    del file.json["scenes"], file.json["scene"]
    assert [triangle[0][1] for triangle in corners(read_mesh(file.write(path)))] == [0, 0, 1, 1]


def test_a_camera_or_a_light_takes_nothing_with_it(path: Path) -> None:
    file = GltfFile()
    camera = file.node(camera=0, translation=[0, 2, 0])
    file.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]
    file.node(camera, mesh=file.mesh(file.primitive()))
    assert [triangle[0][1] for triangle in corners(read_mesh(file.write(path)))] == [2, 2]


@pytest.mark.parametrize(
    ("mode", "indices", "triangles"),
    [
        (4, None, [[0, 1, 2]]),
        (5, [0, 1, 3, 2], [[0, 1, 3], [1, 2, 3]]),
        (6, [0, 1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
        (5, [0, 1], None),
        (1, [0, 1], None),
    ],
)
def test_strips_and_fans_are_triangles_and_lines_are_none(
    path: Path, mode: int, indices: list[int] | None, triangles: list[list[int]] | None
) -> None:
    file = GltfFile()
    points = SQUARE[:3] if indices is None else SQUARE
    file.node(mesh=file.mesh(file.primitive(points, indices, mode=mode), file.primitive()))
    mesh = read_mesh(file.write(path))
    assert mesh.triangles.tolist()[:-2] == (triangles or []) and (ups(mesh) > 0).all()


def test_positions_between_other_numbers_sparse_and_in_whole_numbers(path: Path) -> None:
    """A stride in the view, values that a sparse accessor replaces, and KHR_mesh_quantization."""
    file = GltfFile()
    between = file.array([[*row, 7, 7, 7] for row in SQUARE])
    file.json["accessors"][between]["count"] = 4
    file.json["bufferViews"][between]["byteStride"] = 24
    raised = file.array(SQUARE)
    where, what = file.array([2], SHORT, "SCALAR"), file.array([[10, 5, 10]])
    file.json["accessors"][raised]["sparse"] = {
        "count": 1, "indices": {"bufferView": where, "componentType": SHORT}, "values": {"bufferView": what},
    }  # fmt: skip
    whole = file.array([[0, 0, 0], [0, 0, 65535], [65535, 0, 65535]], SHORT)
    file.json["accessors"][whole]["normalized"] = True
    indices = file.array([0, 1, 2], SHORT, "SCALAR")
    for positions in (between, raised, whole):
        file.node(mesh=file.mesh({"attributes": {"POSITION": positions}, "indices": indices}))
    file.json["extensionsRequired"] = ["KHR_mesh_quantization", "KHR_materials_unlit"]
    assert corners(read_mesh(file.write(path))) == [
        SQUARE[:3],
        [*SQUARE[:2], [10, 5, 10]],
        [[0, 0, 0], [0, 0, 1], [1, 0, 1]],
    ]


def test_materials_nodes_and_meshes_become_areas(path: Path) -> None:
    file = GltfFile()
    wet = file.mesh(file.primitive(material="water"), file.primitive(material="stone"), name="Ground")
    street = file.node(name="Roads")
    file.node(street, name="Lane", mesh=wet)
    file.node(name="Hill", mesh=file.mesh(file.primitive()))
    file.node(mesh=wet)
    file.write(path)

    def areas(**mapped: dict[str, int | str]) -> list[int] | None:
        found = read_mesh(path, Scene(**mapped)).areas
        return None if found is None else found[::2].tolist()

    assert areas(materials={"water": 2}) == [2, 63, 63, 2, 63]
    assert areas(materials={"water": "water"}, groups={"Roads": "road", "Hill": 0}) == [1, 2, 0, 1, 63]
    assert areas(groups={"Ground": 7, "Roads": 5}) == [7, 7, 63, 7, 7], "a mesh stands before what is above its node"
    assert areas(groups={"Lane": 4, "Ground": 7}) == [4, 4, 63, 7, 7], "a node before its mesh"
    assert areas() is None
    missing = read_mesh(path, Scene(groups={"Rods": 1})).warnings
    assert [w.code for w in missing] == ["NAME_NOT_FOUND"] and "did you mean 'Roads'?" in missing[0].message


def test_primitives_that_share_positions_share_vertices(path: Path) -> None:
    file = GltfFile()
    positions = file.array(SQUARE)
    halves = [file.array(part, SHORT, "SCALAR") for part in (HALVES[:3], HALVES[3:])]
    mesh = file.mesh(*({"attributes": {"POSITION": positions}, "indices": part} for part in halves))
    file.node(mesh=mesh)
    file.node(mesh=mesh)
    found = read_mesh(file.write(path))
    assert len(found.vertices) == 8 and found.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]


def test_what_bones_move_is_left_out_and_named(path: Path) -> None:
    file = square(name="Floor")
    file.node(name="Guard", mesh=0, skin=0)
    found = read_mesh(file.write(path))
    assert len(found.triangles) == 2 and [w.code for w in found.warnings] == ["PARTS_LEFT_OUT"]
    assert "left out: 1, the first of them 'Guard'" in found.warnings[0].message


@pytest.mark.parametrize("seed", range(6))
def test_trimesh_sees_the_same_level(path: Path, seed: int) -> None:
    """The twin: random trees of nodes with instances, flattened by trimesh's own scene graph."""
    import trimesh

    generator = np.random.default_rng(seed)
    file = GltfFile()
    meshes = [file.mesh(file.primitive(generator.normal(size=(5, 3)), [0, 1, 2, 2, 3, 4])) for _ in range(3)]
    for number in range(12):
        values = {
            "translation": generator.normal(size=3).tolist(), "scale": generator.uniform(0.5, 2, 3).tolist(),
            "rotation": (lambda q: (q / np.linalg.norm(q)).tolist())(generator.normal(size=4)), "name": f"n{number}",
        }  # fmt: skip
        above = None if number == 0 else int(generator.integers(-1, number))
        file.node(None if above in (None, -1) else above, mesh=meshes[number % 3], **values)
    mesh = read_mesh(file.write(path))
    scene = trimesh.load_scene(path, process=False)
    expected = []
    for name in scene.graph.nodes_geometry:
        matrix, geometry = scene.graph.get(name)
        part = scene.geometry[geometry]
        expected.append(trimesh.transform_points(part.vertices, matrix)[part.faces])
    ours, theirs = mesh.vertices[mesh.triangles].reshape(-1, 9), np.concatenate(expected).reshape(-1, 9)
    assert np.allclose(ours[np.lexsort(ours.T.round(3))], theirs[np.lexsort(theirs.T.round(3))], atol=1e-4)
    assert len(ours) == 24
