"""What is wrong with a world is named with its section, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.errors import BadInput, NavmeshError, TooLarge
from navcore.world import section_work
from navcore.world.build_world import build_world, plan_world
from navcore.world.section_files import read_manifest
from navcore.world.world_file import read_world

from .small_worlds import SETTINGS, crate, rewritten, write_mesh, write_world

Change = Callable[[Any], None]


def scene(content: dict[str, Any], section: int = 0) -> Change:
    def change(world: Any) -> None:
        (Path(world["folder"]) / "scene.json").write_text(json.dumps(content))
        world["sections"][section]["scene"] = "scene.json"

    return change


def put(*keys: Any, value: Any) -> Change:
    def change(world: Any) -> None:
        for key in keys[:-1]:
            world = world[key]
        world[keys[-1]] = value

    return change


def both(*changes: Change) -> Change:
    return lambda world: [change(world) for change in changes] and None


BAD = [
    (put("sections", 1, "box", value=[9.6, 0, 38.4, 19.2]), "SECTIONS_OVERLAP", "Sections “s00” and “s10” both own"),
    (put("sections", 1, "box", value=[30, 0, 38.4, 19.2]), "GEOMETRY_WITHOUT_SECTION", "Section “s10”: its mesh s10"),
    (put("sections", 1, "box", value=[19.2, 0, 20, 19.2]), "SECTION_WITHOUT_TILES", "Section “s10” owns no tile"),
    (put("sections", 4, "settings", value=SETTINGS), "SECTION_SETTINGS", "Section “s11” has settings of its own"),
    (scene({"bounds": [0, 0, 0, 9, 9, 9]}, 2), "SECTION_SETTINGS", "Section “s20”: its scene has bounds"),
    (put("sections", 4, "meshes", 0, value="gone.npz"), "MESH_MISSING", "Section “s11”: its mesh gone.npz is"),
    (put("sections", 4, "scene", value="gone.json"), "CANNOT_READ", "Section “s11”: "),
    (put("sections", 4, "meshes", 0, value="world.json"), "UNKNOWN_FORMAT", "Section “s11”: world.json"),
    (put("sections", 4, "name", value="../up"), "BAD_WORLD", "section “../up”: name must be letters"),
    (put("sections", 4, "name", value="S00"), "BAD_WORLD", "two sections are called “S00” and “s00”"),
    (put("sections", 4, "box", value=[3, 0, 2, 1]), "BAD_WORLD", "section “s11”: box must be"),
    (put("sections", 4, "mesh", value=[]), "BAD_WORLD", "section “s11”: 'mesh' is not known; did you mean meshes?"),
    (put("sections", value=[]), "BAD_WORLD", "sections must name at least one"),
    (put("format", value=2), "BAD_WORLD", "format must be 1"),
    (put("bounds", value=None), "BAD_WORLD", "bounds must be"),
    (put("scale", value=2), "BAD_WORLD", "'scale' is not known"),
    (put("settings", "tile_size", value=0), "WORLD_WITHOUT_TILES", "tile_size is 0"),
    (put("settings", "generate_links", value=True), "NEEDS_THE_WHOLE", "generate_links"),
    (put("settings", "cells", value=1), "UNKNOWN_SETTING", "cells"),
    (scene({"links": [{"start": [1, 0, 20], "end": [1e20, 0, 1]}]}, 3), "LINK_TOO_FAR", "Section “s01”: Link 1"),
    (put("settings", "vertices_per_polygon", value=8), "DETOUR_VERTICES_PER_POLYGON", "vertices_per_polygon is 8"),
    (scene({"edits": [{"kind": "drop", "at": [1, 0, 1], "m2": 3}]}), "NEEDS_THE_WHOLE", "“s00”: its scene drops"),
    (
        both(
            scene({"volumes": [{"shape": "box", "min": [1, 0, 1], "max": [9, 1, 9], "resolution": 2}]}, 1),
            put("settings", "tile_size", value=16),
        ),
        "BAD_RESOLUTION", "Section “s10”: Resolution 2 needs a tile_size of at least 32",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "code", "said"), BAD, ids=[f"{code}-{said[:28]}" for _, code, said in BAD])
def test_it_is_named_and_nothing_is_written(change: Change, code: str, said: str, tmp_path: Path) -> None:
    path = write_world(tmp_path)
    content = json.loads(path.read_text())
    content["folder"] = str(tmp_path)
    change(content)
    del content["folder"]
    path.write_text(json.dumps(content))
    with pytest.raises(NavmeshError) as refused:
        build_world(read_world(path), tmp_path / "out")
    assert refused.value.code == code and said in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_area_types_that_differ(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    content = json.loads(path.read_text())
    for number, flags in ((0, 4), (1, 2)):
        (tmp_path / f"types{number}.json").write_text(
            json.dumps({"area_types": {"1": {"name": "wet", "flags": flags}}})
        )
        content["sections"][number]["scene"] = f"types{number}.json"
    path.write_text(json.dumps(content))
    with pytest.raises(NavmeshError, match="Section “s10”: its scene has other area types than that of “s00”"):
        read_world(path)


def test_a_mesh_beyond_the_bounds(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    write_mesh(tmp_path / "s21-crate.npz", crate(70, 30))
    with pytest.raises(NavmeshError, match=r"Section “s21”: its mesh s21-crate\.npz lies beyond the bounds") as refused:
        plan_world(read_world(path), tmp_path / "out")
    assert refused.value.code == "GEOMETRY_WITHOUT_SECTION"


def test_a_slope_beside_what_nobody_owns_is_no_fault(tmp_path: Path) -> None:
    """The box of a long triangle covers a tile without an owner, which the triangle itself does not touch."""
    path = write_world(tmp_path)
    content = json.loads(path.read_text())
    content["sections"].pop()  # an L
    path.write_text(json.dumps(content))
    long = np.float32([[0, 5, 0], [0, 5, 50], [57, 5, 0]]), np.int32([[0, 1, 2]])
    write_mesh(tmp_path / "s00-crate.npz", long)
    assert len(plan_world(read_world(path), tmp_path / "out")) == 8
    long[0][1:] = [[0, 5, 57], [57, 5, 57]]
    write_mesh(tmp_path / "s00-crate.npz", long)
    with pytest.raises(NavmeshError, match=r"Section “s00”: its mesh s00-crate\.npz has triangles on tile \(\d, \d\)"):
        plan_world(read_world(path), tmp_path / "out")


_ROW: dict[str, Any] = {
    "name": "gone", "file": None, "sha256": None, "tiles": [[0, 0, 0]], "neighbors": ["s00"], "box": [0, 0, 1, 1],
}  # fmt: skip
_WHOLE: dict[str, Any] = {
    "format": 1,
    "grid": {"origin": [0, 0, 0], "tile": 9.6, "max_tiles": 4, "max_polygons": 64},
    "sections": [_ROW],
    "sizes": [{"name": "rat", "radius": 0.2, "height": 0.5, "exclude": 1}],
}


def _without(name: str, part: str, number: int | None = None) -> dict[str, Any]:
    """A manifest one of whose parts lacks a field."""
    given = _WHOLE[part] if number is None else _WHOLE[part][number]
    left = {key: value for key, value in given.items() if key != name}
    return {**_WHOLE, part: left if number is None else [left]}


def _damaged_manifests() -> list[Any]:
    lacking = [_without(name, "grid") for name in _WHOLE["grid"]]
    lacking += [_without(name, "sections", 0) for name in _ROW]
    lacking += [_without(name, "sizes", 0) for name in _WHOLE["sizes"][0]]
    wrong = [{**_WHOLE, "sections": [{**_ROW, name: 3}]} for name in _ROW]
    return [{"format": 2}, [], {**_WHOLE, "sections": [3]}, {**_WHOLE, "sizes": 5}, *lacking, *wrong]


def test_a_manifest_that_lacks_nothing(tmp_path: Path) -> None:
    """Those below are refused for what they lack and for nothing else."""
    (tmp_path / "world.manifest.json").write_text(json.dumps(_WHOLE))
    assert read_manifest(tmp_path) == _WHOLE


@pytest.mark.parametrize("content", _damaged_manifests())
def test_a_manifest_of_another_format(content: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_world(tmp_path)
    before = json.dumps(content)
    (tmp_path / "world.manifest.json").write_text(before)
    files = sorted(tmp_path.iterdir())
    for act in ("build", "plan", "check", "info"):
        assert main(["world", act, str(path)]) == 1
        assert "OTHER_MANIFEST" in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == files and (tmp_path / "world.manifest.json").read_text() == before


def test_a_manifest_that_is_empty_says_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "world.manifest.json").touch()
    with pytest.raises(NavmeshError, match=r"is not JSON: .* Remove it, and build the world again\.$"):
        read_manifest(tmp_path)


def test_a_section_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_world(tmp_path)
    assert main(["world", "build", str(path), "--only", "s99", "-o", str(tmp_path / "out")]) == 1
    assert "NO_SECTION: The world has no section “s99”. It has s00, s10" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_section_that_fails_leaves_the_others_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Detour cannot hold shows only when a section is built; those before it are there, and in the manifest."""
    path, out, built = write_world(tmp_path), tmp_path / "out", section_work._built

    def refusing(work: Any, *more: Any) -> Any:
        if work.name == "s01":
            raise TooLarge("Tile (0, 3) has too many polygons.", "DETOUR_POLYGONS")
        return built(work, *more)

    monkeypatch.setattr(section_work, "_built", refusing)
    assert main(["world", "build", str(path), "-o", str(out), "--threads", "1"]) == 1
    assert "navcore: DETOUR_POLYGONS: Section “s01”: Tile (0, 3) has" in capsys.readouterr().err
    rows = json.loads((out / "world.manifest.json").read_text())["sections"]
    assert [row["name"] for row in rows] == ["s00", "s10", "s20"]
    assert {path.name for path in out.glob("*.bin")} == {row["file"] for row in rows}


@pytest.mark.parametrize("act", ["check", "info"])
@pytest.mark.parametrize("flag", ["--references=64", "--store=kept", "--dask=tcp://127.0.0.1:1"])
def test_flags_of_builds_are_refused_where_files_stay(
    tmp_path: Path, act: str, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A world with references of 32 bits was said to fit those of 64."""
    assert main(["world", act, str(write_world(tmp_path)), flag]) == 1
    said = capsys.readouterr().err
    assert f"WRONG_QUESTION: {flag.split('=')[0]} is for `world build` and `world plan`" in said


def test_what_the_command_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = write_world(tmp_path), tmp_path / "out"

    def said(act: str, *more: str) -> Any:
        assert main(["world", act, str(path), "-o", str(out), *more]) == 0
        return capsys.readouterr().out

    assert said("plan").splitlines()[-1] == "world.json: 9 of 9 sections to build" and not out.exists()
    assert "world.json: 9 of 9 sections built in " in said("build", "--threads", "1")
    assert json.loads(said("build", "--json"))["built"] == 0
    assert said("plan", "--only", "s11").splitlines() == [
        "s11: keep: nothing has changed", "world.json: 0 of 1 section to build",
    ]  # fmt: skip
    assert said("check") == "world.json: all files fit the manifest and their neighbors\n"
    assert json.loads(said("check", "--json")) == {"ok": True, "faults": []}
    facts = json.loads(said("info", "--json"))
    assert [row["name"] for row in facts["sections"]][:2] == ["s00", "s10"] and facts["missing"] == []
    assert said("info", "--only", "s00").startswith("s00: 4 tiles, ")
    (out / "s00.bin").unlink()
    assert main(["world", "check", str(path), "-o", str(out)]) == 1
    assert "navcore: SECTION_FILE: section “s00”: s00.bin is not there" in capsys.readouterr().err


def test_a_section_of_blenders_names_blenders_command(tmp_path: Path) -> None:
    path = write_world(tmp_path)
    (tmp_path / "town.blend").write_bytes(b"BLENDER")
    world = rewritten(path, lambda content: content["sections"][2]["meshes"].append("town.blend"))
    for act in (plan_world, build_world):
        with pytest.raises(BadInput) as refused:
            act(world, tmp_path / "out")
        assert refused.value.code == "NEEDS_BLENDER" and "“s20”" in str(refused.value)
        assert "blender --command navmesh world build world.json" in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_file_where_a_folder_is_named_is_refused_by_plan_as_by_build(tmp_path: Path) -> None:
    """The plan was to build all, which no build could."""
    world = read_world(write_world(tmp_path))
    for act in (plan_world, build_world):
        with pytest.raises(NavmeshError, match="it is a file"):
            act(world, tmp_path / "world.json")
