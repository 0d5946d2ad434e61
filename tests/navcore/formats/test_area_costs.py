"""What areas are called, cost and look like: in every target that can hold it, read back, and told where it is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.area_types import AREA_TYPES, AreaType, area_types, told_area_types
from navcore.errors import BadInput, NavmeshError
from navcore.formats import read_navmesh_file, write_navmesh
from navcore.formats.godot.mesh_and_scene import MapCells
from navcore.formats.godot.scene_reader import check_tscn
from navcore.formats.mesh_checks import Unsound
from navcore.formats.plain_navmesh import PlainNavmesh, plain_navmesh
from navcore.formats.target_catalog import ExportOptions
from navcore.level_source import LevelSource
from tests.navcore.formats.target_examples import JUMPS, LAKE, LEVELS, tiny, written

TYPES = area_types(
    {
        "0": {"name": "floor", "flags": 3, "cost": 0.5},
        "1": {"name": "deep water", "flags": 2, "cost": 10, "color": [0.1, 0.1, 0.9]},
        "5": {"name": "leap", "flags": 8, "cost": 1.5},
    }
)
FLAT = AreaType("floor", 3)
HOLD_ALL = (".json", ".glb", ".tscn")


def dear(**settings: Any) -> NavMesh:
    return build_navmesh(*LEVELS["yard"], Settings(**settings), volumes=[LAKE], links=[JUMPS["yard"]], area_types=TYPES)


@pytest.mark.parametrize("tile_size", [0, 16])
@pytest.mark.parametrize("ending", HOLD_ALL)
def test_costs_come_back(tmp_path: Path, ending: str, tile_size: int) -> None:
    warnings = write_navmesh(dear(tile_size=tile_size), tmp_path / f"n{ending}")
    assert "LOST_IN_EXPORT" not in {warning.code for warning in warnings}
    again = read_navmesh_file(tmp_path / f"n{ending}")
    plain = plain_navmesh(dear(tile_size=tile_size))
    assert {area: again.area_types[area] for area in (0, 1, 5)} == {area: TYPES[area] for area in (0, 1, 5)}
    assert set(zip(again.area.tolist(), again.flags.tolist(), strict=True)) == {(0, 3), (1, 2)}
    assert again.links == plain.links and again.settings == plain.settings
    assert ground(again) == pytest.approx(ground(plain)) and islands(again) == islands(plain)


def ground(mesh: PlainNavmesh) -> list[float]:
    from navcore.formats.mesh_measures import areas_from_above

    return [float(areas_from_above(mesh)[mesh.area == area].sum()) for area in (0, 1)]


def islands(mesh: PlainNavmesh) -> int:
    from navcore.formats.mesh_measures import plain_islands

    return len(plain_islands(mesh)[1])


def test_a_tres_keeps_them_for_us_though_godot_has_no_place(tmp_path: Path) -> None:
    warnings = write_navmesh(dear(), tmp_path / "n.tres")
    assert "no areas and no links" in next(w.message for w in warnings if w.code == "LOST_IN_EXPORT")
    again = read_navmesh_file(tmp_path / "n.tres")
    assert again.area_types == {area: TYPES[area] for area in (0, 1)}


def test_godot_gets_travel_costs(tmp_path: Path) -> None:
    text = written(dear(), tmp_path / "n.tscn").decode()
    costs = {
        section.split('"')[1]: [line for line in section.splitlines() if line.startswith("travel_cost")]
        for section in text.split("[node name=")[1:]
    }
    assert costs == {
        "navmesh": [], "floor": ["travel_cost = 0.5"], "deep water": ["travel_cost = 10.0"],
        "Link 1": ["travel_cost = 1.5"],
    }  # fmt: skip
    plain = tiny()._replace(area_types={0: FLAT, 1: FLAT._replace(name="even"), 5: FLAT})
    assert b"travel_cost" not in written(plain, tmp_path / "n.tscn")


def test_costs_that_were_changed_in_godot_count(tmp_path: Path) -> None:
    content = written(tiny(), tmp_path / "n.tscn")
    old, new = b"navigation_layers = 3\n", b"navigation_layers = 3\ntravel_cost = 7.5\n"
    assert content.count(old) == 1
    (tmp_path / "n.tscn").write_bytes(content.replace(old, new))
    again = read_navmesh_file(tmp_path / "n.tscn")
    assert again.area_types[1] == AreaType("water", 2, 7.5) and again.area_types[0] == AREA_TYPES[0]


@pytest.mark.parametrize(
    ("name", "target", "text"),
    [
        ("n.bin", None, "A .bin holds no costs of areas: floor 0.5, deep water 10, leap 1.5. Give them to the game's"),
        ("n.obj", None, "An .obj holds no costs of areas: floor 0.5, deep water 10. Give"),
        ("n.gset", None, "a .gset holds no costs of areas: floor 0.5. Give"),
        ("n.tres", None, "A NavigationMesh has no areas and no links: left out."),
    ],
)
def test_costs_that_a_target_cannot_hold_are_told(tmp_path: Path, name: str, target: str | None, text: str) -> None:
    """RecastDemo itself takes 10 for water and 1.5 for jumps."""
    options = ExportOptions(level=LevelSource(*LEVELS["yard"]))
    lost = [w for w in write_navmesh(dear(), tmp_path / name, target, options) if w.code == "LOST_IN_EXPORT"]
    assert [text in warning.message for warning in lost].count(True) == 1
    assert len(lost) == (2 if name == "n.obj" else 1), "an .obj holds no links, either"


@pytest.mark.parametrize("target", ["pathfinding", "godot"])
def test_one_area_that_is_dear_is_told_too(tmp_path: Path, target: str) -> None:
    ending = {"pathfinding": ".glb", "godot": ".tres"}[target]
    plain = tiny()._replace(area=np.zeros(2, np.uint8), links=(), area_types=TYPES)
    [warning] = [w for w in write_navmesh(plain, tmp_path / f"n{ending}", target) if w.code == "LOST_IN_EXPORT"]
    assert "no costs of areas: floor 0.5." in warning.message


@pytest.mark.parametrize("name", ["n.bin", "n.obj", "n.gset", "n.json", "n.glb"])
def test_nothing_is_said_where_nothing_is_dear(tmp_path: Path, name: str) -> None:
    links = [] if name == "n.obj" else [JUMPS["yard"]]
    even = build_navmesh(*LEVELS["yard"], volumes=[LAKE], links=links)
    options = ExportOptions(level=LevelSource(*LEVELS["yard"]))
    assert write_navmesh(even, tmp_path / name, options=options) == []


def test_a_color_is_there_only_where_somebody_chose_one() -> None:
    assert AreaType("mud", 1).to_mapping() == {"name": "mud", "flags": 1, "cost": 1.0}
    kept = {str(area): kind.to_mapping() for area, kind in TYPES.items()}
    assert json.loads(json.dumps(kept))["1"]["color"] == [0.1, 0.1, 0.9]
    assert told_area_types(json.loads(json.dumps(kept))) == TYPES


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"cost": -1}, "cost of area 1 must be a number of at least 0, not -1."),
        ({"cost": True}, "cost of area 1 must be a number"),
        ({"cost": None}, "cost of area 1 must be a number"),
        ({"cost": 1e39}, "cost of area 1 must be a number"),
        ({"cost": float("nan")}, "cost of area 1 must be a number"),
        ({"color": [0, 0]}, "color of area 1 must be [red, green, blue] from 0 to 1, not [0, 0]."),
        ({"color": [0, 0, 1.5]}, "color of area 1 must be"),
        ({"color": "red"}, "color of area 1 must be"),
        ({"price": 2}, "area 1 must have a name and flags"),
    ],
)
def test_what_is_no_cost_or_color_is_refused(row: dict[str, Any], text: str) -> None:
    with pytest.raises(BadInput) as refused:
        area_types({"1": {"flags": 1, **row}})
    assert refused.value.code == "BAD_AREA_TABLE" and text in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b"[gd_scene", b"[gd_resource", "no Godot scene"),
        (b'type="NavigationRegion3D"', b'type="Node3D"', "has no NavigationRegion3D"),
        (b'SubResource("NavigationMesh_1")', b'SubResource("NavigationMesh_9")', "names no NavigationMesh of the file"),
        (b'SubResource("NavigationMesh_1")', b'SubResource("NavigationMesh_0")', "or that of another region"),
        (b"navigation_layers = 3\n", b"navigation_layers = 3\ntransform = Transform3D(1)\n", "was moved in Godot"),
        (b"navigation_layers = 3\n", b"navigation_layers = 3\ntravel_cost = -1\n", "travel_cost of the node 'water'"),
        (b'"area\\":1', b'"area\\":64', "area of the node 'water' must be a whole number from 0 to 63"),
        (b'"area\\":1', b'"place\\":1', "area of the node 'water' must be a whole number"),
        (b'"regions\\":[2]', b'"regions\\":[2,3]', "regions in metadata/navmesh must be 1 whole numbers"),
        (b"bidirectional = true", b"bidirectional = 1", "bidirectional of the node 'Link 1' must be true or false"),
        (b"start_position = Vector3(0.5, 0.0, 0.5)", b"start_position = Vector3(0.5, x, 0.5)", "must be a Vector3"),
        (b'"radius\\":0.6', b'"radius\\":-1', "radius must be a number above 0"),
        (b'"area_types\\":{', b'"area_types\\":7,\\"x\\":{', "area_types in metadata/navmesh must be an object"),
        (b"\n[node name=", b"\nnode name=", "is no assignment"),
        (b"PackedInt32Array(3, 5, 4, 2)", b"PackedInt32Array(3, 5, 4, 9)", "beyond the 4"),
    ],
)  # fmt: skip
def test_a_scene_that_is_wrong_is_refused_by_name(tmp_path: Path, old: bytes, new: bytes, text: str) -> None:
    content = written(tiny(), tmp_path / "n.tscn")
    if b"PackedInt32Array(3, 5" in old:
        old = content[(at := content.rindex(b"PackedInt32Array(")) : content.index(b")", at) + 1]
        new = old.replace(b")", b", 9)")
    assert old in content
    (tmp_path / "n.tscn").write_bytes(content.replace(old, new))
    with pytest.raises(NavmeshError, match=text):
        read_navmesh_file(tmp_path / "n.tscn")


def test_scenes_of_others_are_refused(tmp_path: Path) -> None:
    content = written(tiny(), tmp_path / "n.tscn").decode().splitlines()
    (tmp_path / "n.tscn").write_text("\n".join(line for line in content if not line.startswith("metadata")))
    with pytest.raises(Unsound, match="The node 'ground' was not written here: it has no metadata/navmesh") as refused:
        read_navmesh_file(tmp_path / "n.tscn")
    assert refused.value.code == "NOT_A_NAVMESH"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b'\\"water\\"', b'\\"puddle\\"', "What areas mean and cost, or the settings, do not come back"),
        (b"0.0, 0.0, 2.0", b"0.0, 0.0, 2.5", "The ground or the links of the .tscn do not come back"),
        (b'\\"area\\":5', b'\\"area\\":6', "The ground or the links of the .tscn do not come back"),
    ],
)  # fmt: skip
def test_a_scene_is_read_back_before_it_is_written(tmp_path: Path, old: bytes, new: bytes, text: str) -> None:
    content, cells = written(tiny(), tmp_path / "n.tscn"), MapCells(0.25, 0.25)
    check_tscn(content, tiny(), cells)
    assert old in content
    with pytest.raises(Unsound, match=text):
        check_tscn(content.replace(old, new), tiny(), cells)
