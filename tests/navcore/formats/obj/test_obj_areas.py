"""Materials and groups by name become areas, and what nobody names is as it would be without."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from navcore import BadInput, Scene, Settings, build_navmesh, read_mesh
from navcore.__main__ import main
from navcore.formats import read_navmesh_file
from navcore.formats.level_mesh import AreaMarker
from navcore.formats.obj.obj_reader import read_obj
from navcore.stages.walkable import mark_walkable_triangles
from navcore.types import F32, I32
from tests import scenes

STRIPS = "".join(f"v {x} 0 {z}\n" for x in range(0, 60, 10) for z in (0, 10))


def strip(number: int) -> str:
    """A face of ten metres square."""
    a, b, c, d = (2 * number + i for i in (1, 2, 4, 3))
    return f"f {a} {b} {c} {d}\n"


def areas_of(path: Path, body: str, **mapped: dict[str, int | str]) -> list[int] | None:
    """The area of each face; both ways to read agree."""
    path.write_text(STRIPS + body)
    scene = Scene(**mapped)
    found = read_mesh(path, scene)
    compiled = read_obj(path, *scene.named_areas(), by_kernel=True)
    assert (found.areas is None) == (compiled.areas is None) and found.warnings == compiled.warnings
    if found.areas is None or compiled.areas is None:
        return None
    assert found.areas.tobytes() == compiled.areas.tobytes() and found.areas.dtype == np.uint8
    assert found.areas[0::2].tolist() == found.areas[1::2].tolist()
    return found.areas[0::2].tolist()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "level.obj"


def test_a_material_gives_its_area_from_its_line_on(path: Path) -> None:
    body = strip(0) + "usemtl water\n" + strip(1) + "usemtl lava_2\n" + strip(2) + "usemtl Water\n" + strip(3)
    assert areas_of(path, body, materials={"water": 2, "lava*": 0}) == [63, 2, 0, 63]


def test_areas_may_be_called_by_their_names_and_ground_is_plain(path: Path) -> None:
    body = "".join(f"usemtl {name}\n{strip(i)}" for i, name in enumerate(["a", "b", "c"]))
    assert areas_of(path, body, materials={"a": "water", "b": "ground", "c": "road"}) == [1, 63, 2]
    scene = Scene.from_mapping({"materials": {"a": "mud"}, "area_types": {"9": {"name": "mud", "flags": 1}}})
    assert read_obj(path, *scene.named_areas()).areas.tolist() == [9, 9, 63, 63, 63, 63]


def test_groups_and_objects_are_asked_where_no_material_is_mapped(path: Path) -> None:
    body = (
        f"o Pond\n{strip(0)}g north shore\n{strip(1)}usemtl grass\n{strip(2)}usemtl other\n{strip(3)}o Hill\n{strip(4)}"
    )
    mapped = {"groups": {"Pond": 1, "shore": 2}, "materials": {"grass": 4}}
    assert areas_of(path, body, **mapped) == [1, 2, 4, 2, 63]
    assert areas_of(path, body, groups={"north shore": 3, "Hill": 5}) == [63, 3, 3, 3, 5]


def test_a_name_as_it_stands_goes_before_patterns_and_of_those_the_first(path: Path) -> None:
    body = "".join(
        f"usemtl {name}\n{strip(i)}" for i, name in enumerate(["lava_crust", "lava_hot", "rock[1]", "rock 2"])
    )
    mapped = {"lava*": 0, "l*": 7, "lava_crust": 5, "rock[1]": 6, "rock ?": 8}
    assert areas_of(path, body, materials=mapped) == [5, 0, 6, 8]


def test_names_are_unicode_and_may_hold_spaces(path: Path) -> None:
    body = "usemtl  Straße  nass \n" + strip(0) + "usemtl\n" + strip(1)
    assert areas_of(path, body, materials={"Straße  nass": 3}) == [3, 63]


def test_a_mapped_name_that_is_nowhere_is_a_warning_with_what_there_is(path: Path) -> None:
    path.write_text(STRIPS + "usemtl Water\n" + strip(0) + "usemtl stone\n" + strip(1))
    scene = Scene(materials={"water": 1, "stone": 2, "qqq*": 3}, groups={"Pond": 1})
    mesh = read_mesh(path, scene)
    assert [warning.code for warning in mesh.warnings] == ["NAME_NOT_FOUND"] * 3
    way_out = " Change the name in the scene file."
    assert all(warning.message.endswith(way_out) for warning in mesh.warnings)
    water, other, pond = (warning.message.removesuffix(way_out) for warning in mesh.warnings)
    assert water == "level.obj has no material 'water', which is mapped to an area: did you mean 'Water'?"
    assert other == "level.obj has no material 'qqq*', which is mapped to an area: it has 'Water', 'stone'."
    assert pond == "level.obj has no group 'Pond', which is mapped to an area: it names no groups at all."


def test_names_are_looked_for_in_other_files_as_well(tmp_path: Path) -> None:
    vertices, triangles = scenes.flat(8)
    np.savez(tmp_path / "m.npz", verts=vertices, tris=triangles, areas=np.full(len(triangles), 4, np.uint8))
    mesh = read_mesh(tmp_path / "m.npz", Scene(materials={"water": 1}))
    assert mesh.areas is not None and mesh.areas.tolist() == [4, 4]
    assert [warning.code for warning in mesh.warnings] == ["NAME_NOT_FOUND"]


def test_without_a_mapped_name_there_are_no_areas(path: Path) -> None:
    assert areas_of(path, "usemtl water\n" + strip(0)) is None
    assert areas_of(path, "usemtl water\n" + strip(0), materials={"lava": 0}) is None


@pytest.mark.parametrize(
    ("mapping", "text"),
    [
        ({"materials": ["water"]}, "materials must map names to areas, not ['water']"),
        ({"materials": {"water": 64}}, "'water' in materials must be a whole number from 0 to 63, not 64"),
        ({"groups": {"a": True}}, "'a' in groups must be a whole number from 0 to 63, not True"),
        ({"groups": {"a": None}}, "'a' in groups must be a whole number from 0 to 63, not None"),
        ({"groups": {"a": "watre"}}, "'a' in groups: there is no area 'watre'; did you mean water?"),
    ],
)
def test_a_mapping_that_says_nothing_is_refused(mapping: dict[str, object], text: str) -> None:
    with pytest.raises(BadInput, match="^" + text.replace("[", r"\[").replace("?", r"\?")) as found:
        Scene.from_mapping(mapping)
    assert found.value.code == "BAD_SCENE"


def test_a_mapping_comes_back_from_json() -> None:
    given = {"materials": {"water": "water", "lava*": 0}, "groups": {"Pond": 1}}
    scene = Scene.from_mapping(given)
    again = Scene.from_mapping(json.loads(json.dumps(scene.to_mapping())))
    assert again == scene and {name: scene.to_mapping()[name] for name in given} == given


def degenerate(seed: int) -> tuple[F32, I32]:
    """Triangles of which many are lines, points, or so small or so large that float32 loses them."""
    rng = np.random.default_rng(seed)
    corners = rng.integers(-2, 3, (4000, 3, 3)).astype(np.float32)
    corners[1000:2000] *= np.float32(1e-23)
    corners[2000:3000] *= np.float32(1e19)
    corners[3000:] = rng.uniform(-9, 9, (1000, 3, 3))
    return corners.reshape(-1, 3), np.arange(12000, dtype=np.int32).reshape(-1, 3)


def test_what_is_not_mapped_is_walkable_exactly_where_it_is_without_a_mapping() -> None:
    """At every slope: a build with areas clears what is steep, and one without marks what is flat."""
    from navcore.stages.walkable import clear_unwalkable_triangles

    vertices, triangles = degenerate(1)
    marker = AreaMarker({"a": 2}, {})
    marker.read("usemtl", b"usemtl a\n", len(triangles) - 1)  # one mapped triangle
    areas = marker.areas(vertices, triangles)
    assert areas is not None and 0 < (areas == 0).sum() < len(triangles) and areas[-1] == 2
    for slope in (0.0, 20.0, 45.0, 89.9, 90.0):
        cleared = clear_unwalkable_triangles(vertices, triangles, areas, slope)
        marked = mark_walkable_triangles(vertices, triangles, slope)
        assert cleared[:-1].tobytes() == marked[:-1].tobytes()


def test_a_level_with_a_mapping_is_built_as_without_but_for_what_is_mapped(tmp_path: Path) -> None:
    """Lines (triangles without area) in the level included."""
    vertices, triangles = scenes.plaza(3)
    lines = np.array([[0, 0, 1], [2, 3, 3], [5, 9, 5]], np.int32)
    text = scenes.obj_text((vertices, np.concatenate([lines, triangles])))
    far = "v 50 0 50\nv 50 0 60\nv 60 0 60\nusemtl water\nf -3 -2 -1\n"
    (tmp_path / "m.obj").write_text(text + far)
    built = []
    for scene in (Scene(), Scene(materials={"water": 63})):
        mesh = read_mesh(tmp_path / "m.obj", scene)
        assert (mesh.areas is None) == (not scene.materials)
        built.append(build_navmesh(mesh.vertices, mesh.triangles, Settings(), areas=mesh.areas))
    plain, mapped = built
    for one, other in zip(plain.tiles, mapped.tiles, strict=True):
        for left, right in zip(one.polygon_mesh[:5], other.polygon_mesh[:5], strict=True):
            assert left.tobytes() == right.tobytes()


def test_the_command_takes_the_mapping_from_the_scene_file(path: Path) -> None:
    folder = path.parent
    path.write_text(
        STRIPS + strip(0) + "usemtl water\n" + strip(1) + "usemtl lava_1\n" + strip(2) + "o Road\nusemtl x\n" + strip(3)
    )
    scene = {"materials": {"water": "water", "lava*": 0, "ice": 3}, "groups": {"Road": 2}}
    (folder / "scene.json").write_text(json.dumps(scene))
    words = ["build", path, "--scene", folder / "scene.json", "-o", folder / "n.json", "--report", folder / "r.json"]
    assert main([str(word) for word in words]) == 0
    assert set(read_navmesh_file(folder / "n.json").area.tolist()) == {0, 1, 2}
    report = json.loads((folder / "r.json").read_text())
    assert [warning["code"] for warning in report["warnings"]] == ["NAME_NOT_FOUND"]
    assert main([str(word) for word in [*words, "--fail-on", "NAME_NOT_FOUND"]]) == 3
    tiled = [*words[:4], "-o", folder / "n.bin", "--tile-size", "32", "--report", folder / "r.json"]
    assert main([str(word) for word in tiled]) == 0
    report = json.loads((folder / "r.json").read_text())
    assert [warning["code"] for warning in report["warnings"]] == ["NAME_NOT_FOUND"]
