"""Places of cover in files: they come back from glTF and from Godot's scene where they were, looking at their walls."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from navcore import Cover, Settings, Sight, build_navmesh, find_cover, read_navmesh, write_cover
from navcore.errors import BadInput, NavmeshError
from navcore.types import F64
from tests import scenes

from .made_levels import joined


@pytest.fixture(scope="module")
def cover() -> Cover:
    """At a wall that is turned, a high one and a low one."""
    turned, triangles = scenes.box(6, 0, 7, 5, 2.4, 0.4)
    turned[:, [0, 2]] = turned[:, [0, 2]] @ np.array([[0.8, 0.6], [-0.6, 0.8]], np.float32)
    level = joined(scenes.box(-8, -1, 0, 24, 1, 20), (turned, triangles), scenes.box(9, 0, 2, 3, 1, 1))
    found = find_cover(build_navmesh(*level, Settings()), Sight(*level), spacing=1.0)
    assert {"low", "high"} == set(found.kind.tolist()) and found.lean.any(axis=0).all()
    return found


def nodes_of(path: Path) -> list[dict[str, object]]:
    data = path.read_bytes()
    magic, version, total, length, chunk = np.frombuffer(data, "<u4", 5).tolist()
    assert (magic, version, total, length, chunk) == (0x46546C67, 2, len(data), len(data) - 20, 0x4E4F534A)
    content = json.loads(data[20:])
    assert content["scenes"] == [{"nodes": [0]}] and content["nodes"][0]["name"] == "Cover"
    assert content["nodes"][0].get("children", []) == list(range(1, len(content["nodes"])))
    nodes: list[dict[str, object]] = content["nodes"][1:]
    return nodes


def turned_by(quaternion: F64, way: F64) -> F64:
    axis, w = quaternion[:3], quaternion[3]
    return way + 2 * np.cross(axis, np.cross(axis, way) + w * way)


def test_empties_of_a_gltf_stand_there_and_look_at_the_wall(cover: Cover, tmp_path: Path) -> None:
    write_cover(cover, tmp_path / "cover.glb")
    points = cover.to_mapping()["points"]
    nodes = nodes_of(tmp_path / "cover.glb")
    assert len(nodes) == len(points) > 5
    for point, node in zip(points, nodes, strict=True):
        assert node["translation"] == point["at"]
        looks = turned_by(np.array(node["rotation"], np.float64), np.array([0.0, 0.0, -1.0]))
        assert np.allclose(looks, point["towards"], atol=1e-5)
        assert node["extras"] == {name: point[name] for name in ("kind", "lean", "height", "exposure")}


def test_a_gltf_of_cover_is_no_navmesh(cover: Cover, tmp_path: Path) -> None:
    write_cover(cover, tmp_path / "cover.glb")
    with pytest.raises(NavmeshError):
        read_navmesh(tmp_path / "cover.glb")


def test_markers_of_a_godot_scene_stand_there_and_look_at_the_wall(cover: Cover, tmp_path: Path) -> None:
    write_cover(cover, tmp_path / "cover.tscn")
    text = (tmp_path / "cover.tscn").read_text()
    points = cover.to_mapping()["points"]
    pattern = (
        r'\[node name="Cover (\d+)" type="Marker3D" parent="\." groups=\["cover", "cover_(\w+)"\]\]\n'
        r'transform = Transform3D\((.*)\)\nmetadata/kind = "(\w+)"\nmetadata/lean = (.*)\nmetadata/height = (.*)\n'
        r"metadata/exposure = (.*)\n"
    )
    found = re.findall(pattern, text)
    assert len(found) == len(points) == text.count("[node ") - 1
    for number, (point, (name, group, transform, kind, *more)) in enumerate(zip(points, found, strict=True), 1):
        numbers = [float(value) for value in transform.split(",")]
        basis, origin = np.array(numbers[:9]).reshape(3, 3), numbers[9:]
        assert int(name) == number and group == kind == point["kind"] and origin == point["at"]
        assert np.allclose(basis @ [0, 0, -1], point["towards"], atol=1e-5) and np.linalg.det(basis) > 0.999
        assert [json.loads(value) for value in more] == [point["lean"], point["height"], point["exposure"]]


@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn"])
def test_no_place_at_all_is_a_file_without_any(cover: Cover, ending: str, tmp_path: Path) -> None:
    nothing = Cover(*(part[:0] for part in cover))
    write_cover(nothing, tmp_path / f"cover{ending}")
    text = (tmp_path / f"cover{ending}").read_bytes().decode("latin-1")
    assert "Cover 1" not in text and '"at"' not in text and len(text) > 20


def test_another_ending_is_refused(cover: Cover, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cover\.bin: cover is written to") as refused:
        write_cover(cover, tmp_path / "cover.bin")
    assert refused.value.code == "UNKNOWN_FORMAT"
