"""`blender --command navmesh build` in a pipeline: several files and setups, gates, what is left out, refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_empty, add_plane, save

ISLANDS = 3  # of the level below: ground, the roof of the block, and its inside


@pytest.fixture
def command(addon: Any) -> Any:
    """The command with words and paths."""
    main = addon("command.blender_command").main
    return lambda *words: main([str(word) for word in words])


@pytest.fixture
def level(bpy: Any, tmp_path: Path) -> Path:
    """A saved level with two setups and two seeds, of which one stands on a roof; another file is open."""
    make_level(bpy)
    return save(bpy, tmp_path / "level.blend")


def make_level(bpy: Any) -> None:
    add_plane(bpy)
    block = add_cube(bpy, "Block", (0, 0, 1.5))
    block.scale = (3, 3, 1.5)
    for name, at in (("Spawn", (8, 8, 0)), ("Roof", (0, 0, 3))):
        add_empty(bpy, name, at).navmesh.use = "SEED"
    for name, radius in (("Human", 0.6), ("Giant", 1.5)):
        bpy.ops.navmesh.setup_add(name=name)
        setup = bpy.context.scene.navmesh.setups[-1]
        setup.scope = "VISIBLE"
        setup.set_metres(agent_radius=radius, cell_size=0.25)
    bpy.context.scene.navmesh.active = 0


def read_report(path: Path) -> Any:
    return json.loads(path.read_text())


# ------------------------------------------------------------------------ batch


def test_every_setup_of_two_files(bpy: Any, command: Any, level: Path, tmp_path: Path) -> None:
    make_level(bpy)
    other = save(bpy, tmp_path / "other.blend")
    report = tmp_path / "report.json"
    out = tmp_path / "{file}-{setup}.bin"
    assert command("build", level, other, "--all-setups", "-o", out, "--report", report) == 0
    names = ["level-Giant.bin", "level-Human.bin", "other-Giant.bin", "other-Human.bin"]
    assert sorted(path.name for path in tmp_path.glob("*.bin")) == names
    content = {path.name: path.read_bytes() for path in tmp_path.glob("*.bin")}
    assert content["level-Human.bin"] == content["other-Human.bin"] != content["level-Giant.bin"]
    report_of = read_report(report)
    assert report_of["ok"] and [(b["file"], b["setup"]) for b in report_of["builds"]] == [
        ("level", "Human"), ("level", "Giant"), ("other", "Human"), ("other", "Giant"),
    ]  # fmt: skip
    assert {b["settings"]["agent_radius"] for b in report_of["builds"]} == {0.6, 1.5}
    assert all(b["ground"]["islands"] >= 1 for b in report_of["builds"])


def test_reports_hold_what_their_schema_has(command: Any, level: Path, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with `dev.py test`")
    schema = json.loads((Path(__file__).parents[3] / "docs/report.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    words = ["-o", tmp_path / "{file}.bin", "--connected-seeds", "--skip-unchanged"]
    assert command("build", level, *words, "--report", tmp_path / "one.json") == 3
    assert command("build", level, tmp_path / "none.blend", *words, "--report", tmp_path / "all.json") == 1
    reports = [read_report(tmp_path / "one.json"), *read_report(tmp_path / "all.json")["builds"]]
    assert [report["file"] for report in reports] == ["level", "level", "none"] and reports[0]["setup"] == "Human"
    assert not [f"{wrong.json_path}: {wrong.message}" for one in reports for wrong in validator.iter_errors(one)]


def test_a_report_for_each(command: Any, level: Path, tmp_path: Path) -> None:
    words = ["--setup", "Giant", "--setup", "Human", "--report", tmp_path / "{file} {setup}.json"]
    assert command("build", level, *words) == 0
    assert read_report(tmp_path / "level Giant.json")["settings"]["agent_radius"] == 1.5
    assert read_report(tmp_path / "level Human.json")["setup"] == "Human"


def test_an_error_stops_no_other_build(bpy: Any, command: Any, level: Path, tmp_path: Path, capfd: Any) -> None:
    empty = save(bpy, tmp_path / "empty.blend")
    words = [tmp_path / "none.blend", empty, level, "-o", tmp_path / "{file}.bin", "--report", tmp_path / "r.json"]
    assert command("build", *words) == 1
    said = capfd.readouterr().err
    assert "navmesh: CANNOT_READ: none" in said and "navmesh: NO_TRIANGLES: empty" in said
    builds = read_report(tmp_path / "r.json")["builds"]
    assert [(b["file"], b["ok"]) for b in builds] == [("none", False), ("empty", False), ("level", True)]
    assert [path.name for path in tmp_path.glob("*.bin")] == ["level.bin"]


def test_a_level_with_its_navmeshes(bpy: Any, command: Any, level: Path, tmp_path: Path) -> None:
    out = tmp_path / "with.blend"
    assert command("build", level, "--all-setups", "-o", out) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert {"Navmesh Human", "Navmesh Giant", "Navmesh Human Detail"} <= {object_.name for object_ in bpy.data.objects}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--all-setups", "-o", "{tmp}/n.bin"], "would be written for each setup. Put {setup} into its name"),
        (["{level}", "-o", "{tmp}/n.bin"], "would be written for each of 2 files. Put {file} into its name"),
        (["{level}", "-o", "{tmp}/{file}.bin"], "was already written for level, Human"),
        (["--setup", "Human", "--setup", "Dwarf", "-o", "{tmp}/{setup}.bin"], "There is no setup named “Dwarf”"),
        (["-o", "{tmp}/n-{name}.bin"], "stands for nothing here. Write {file} or {setup}."),
        (["--report", "{tmp}/{setups}.json"], "{setups} in "),
        (["-o", "{tmp}/no/n.bin"], "the folder does not exist"),
        (["-o", "{tmp}/{setup}/n.bin"], "the folder does not exist"),
        (["-o", "{tmp}/n.{setup}"], "unknown ending"),
        (["-o", "{tmp}/no/n.blend"], "the folder does not exist"),
        (["--report", "{tmp}/no/r.json"], "the folder does not exist"),
        (["--skip-unchanged"], "give one with -o"),
        (["--max-islands", "-1"], "--max-islands must be at least 0"),
        (["--threads", "0"], "at least 1 thread"),
        (["--vertices-per-polygon", "9", "-o", "{tmp}/n.bin"], "vertices_per_polygon is 9"),
    ],
)
def test_refusals_are_sentences_and_exit_1(
    command: Any, level: Path, tmp_path: Path, capfd: Any, words: list[str], text: str
) -> None:
    filled = [word.replace("{tmp}", str(tmp_path)).replace("{level}", str(level)) for word in words]
    assert command("build", level, *filled, "--dry-run") == 1
    assert text in capfd.readouterr().err
    assert not (tmp_path / "n.bin").exists()


def test_a_setup_with_a_name_that_no_file_can_have(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    make_level(bpy)
    bpy.context.scene.navmesh.setups[1].name = "Giant: 3/4"
    level = save(bpy, tmp_path / "level.blend")
    words = ["--all-setups", "-o", tmp_path / "{setup}.bin", "--report", tmp_path / "{setup}.json"]
    assert command("build", level, *words) == 1
    assert "The setup “Giant: 3/4” cannot be part of a file's name because of ':'. Rename it." in capfd.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["Human.bin", "Human.json", "Navmesh.json", "level.blend"]
    assert read_report(tmp_path / "Navmesh.json")["error"]["code"] == "BAD_NAME"


def test_an_unwritable_folder(command: Any, level: Path, tmp_path: Path, capfd: Any, monkeypatch: Any) -> None:
    """Root may write anywhere, so that the system's answer is made up."""
    monkeypatch.setattr("os.access", lambda *_: False)
    assert command("build", level, "-o", tmp_path / "n.bin") == 1
    assert "the folder cannot be written to" in capfd.readouterr().err


# ------------------------------------------------------------------------ gates


def test_gates(command: Any, level: Path, tmp_path: Path, capfd: Any) -> None:
    out, report = tmp_path / "n.bin", tmp_path / "r.json"
    words = ["build", level, "-o", out, "--report", report]
    assert command(*words, "--max-islands", ISLANDS, "--max-area-change", 1, "--fail-on", "any") == 0
    content = out.read_bytes()
    assert command(*words, "--connected-seeds") == 3
    assert (
        "GATE_FAILED: Seed “Roof” is cut off from “Spawn”: there is no way there, and none back."
        in capfd.readouterr().err
    )
    assert command(*words, "--agent-radius", 1.5, "--max-area-change", 1) == 3
    assert command(*words, "--agent-radius", 1.5, "--max-area-change", 1) == 3
    assert command(*words, "--max-islands", ISLANDS - 1) == 3
    assert out.read_bytes() == content
    assert (
        read_report(report)["error"]["code"] == "GATE_FAILED" and read_report(report)["gates"][0]["gate"] == "islands"
    )


def test_a_gate_on_a_warning_of_gathering(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    make_level(bpy)
    add_cube(bpy, "Flat", (8, 0, 0)).scale = (1, 1, 0)
    level = save(bpy, tmp_path / "level.blend")
    assert command("build", level, "--dry-run", "--fail-on", "ZERO_SCALE") == 3
    assert "ZERO_SCALE: “Flat”: is scaled to nothing" in capfd.readouterr().err
    assert command("build", level, "--dry-run", "--fail-on", "NOT_FINITE") == 0


def test_each_setup_is_compared_with_its_own_last_report(command: Any, level: Path, tmp_path: Path) -> None:
    words = ["build", level, "--all-setups", "--report", tmp_path / "r.json", "--max-area-change", 0]
    assert command(*words) == 0
    assert command(*words) == 0
    human, giant = read_report(tmp_path / "r.json")["builds"]
    assert human["reference_square_metres"] > giant["reference_square_metres"] > 0


def test_the_worst_error_decides_the_status(command: Any, level: Path, tmp_path: Path) -> None:
    assert command("build", level, "--dry-run", "--all-setups", "--max-islands", 0) == 3
    assert command("build", level, tmp_path / "none.blend", "--dry-run", "--max-islands", 0) == 1


def test_prune_by_command(command: Any, level: Path, tmp_path: Path) -> None:
    words = ["build", level, "--report", tmp_path / "r.json"]
    assert command(*words, "--prune", "--max-islands", ISLANDS - 1) == 0
    assert read_report(tmp_path / "r.json")["counts"]["pruned_polygons"] > 0
    assert command(*words, "--prune", "--collection", "None such") == 1


# -------------------------------------------------------------------- unchanged


def test_nothing_changed_is_left_out(bpy: Any, command: Any, level: Path, tmp_path: Path, capfd: Any) -> None:
    report = tmp_path / "r.json"
    words = ["build", level, "--all-setups", "-o", tmp_path / "{setup}.bin", "--report", report, "--skip-unchanged"]
    assert command(*words) == 0
    first = {path.name: path.read_bytes() for path in tmp_path.glob("*.bin")}
    bpy.ops.wm.open_mainfile(filepath=str(level))
    bpy.data.objects["Block"].location.x = 0  # saved anew, with the same content
    save(bpy, level)
    assert command(*words, "--threads", 1) == 0
    assert capfd.readouterr().out.count("nothing has changed") == 2
    assert all(build["unchanged"] and build["counts"]["polygons"] for build in read_report(report)["builds"])
    bpy.ops.wm.open_mainfile(filepath=str(level))
    bpy.context.scene.navmesh.setups["Giant"].set_metres(agent_radius=2.0)
    save(bpy, level)
    assert command(*words) == 0
    assert ["unchanged" in build for build in read_report(report)["builds"]] == [True, False]
    assert (tmp_path / "Human.bin").read_bytes() == first["Human.bin"]
    assert (tmp_path / "Giant.bin").read_bytes() != first["Giant.bin"]


def test_a_level_with_its_navmesh_is_saved_again_only_when_it_changed(
    bpy: Any, command: Any, level: Path, tmp_path: Path
) -> None:
    words = ["build", level, "-o", tmp_path / "with.blend", "--report", tmp_path / "r.json", "--skip-unchanged"]
    assert command(*words) == 0
    assert command(*words) == 0
    assert read_report(tmp_path / "r.json")["unchanged"]
    bpy.ops.wm.open_mainfile(filepath=str(level))
    bpy.data.objects.new("Camera far away", None)
    bpy.context.scene.collection.objects.link(bpy.data.objects["Camera far away"])
    save(bpy, level)
    assert command(*words) == 0
    assert "unchanged" not in read_report(tmp_path / "r.json")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "with.blend"))
    assert "Camera far away" in bpy.data.objects
