"""docs/report.schema.json says what `--report` holds: of builds that went well, were refused, or failed a gate."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Settings
from navcore.__main__ import main
from navcore.report import Report
from tests import scenes

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
LEVEL = scenes.join([scenes.box(0, -1, 0, 12, 1, 12), scenes.box(5, 0, 5, 2, 3, 2)])
SCENE = {
    "seeds": [{"name": "spawn", "point": [2, 0, 2]}, [40, 0, 40]],
    "volumes": [{"shape": "box", "area": 3, "min": [1, -1, 1], "max": [3, 2, 3]}],
    "links": [{"start": [2, 0, 2], "end": [9, 0, 9]}, {"start": [2, 9, 2], "end": [9, 0, 9]}],
}


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with `dev.py test`")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """A report for every kind of end that a build comes to."""
    folder = tmp_path_factory.mktemp("reports")
    np.savez(folder / "level.npz", verts=LEVEL[0], tris=LEVEL[1])
    np.savez(folder / "none.npz", verts=np.zeros((3, 3)), tris=[[0, 1, 2]])
    (folder / "scene.json").write_text(json.dumps(SCENE))
    (folder / "tests.json").write_text(json.dumps({"tests": [{"name": "far", "from": [2, 0, 2], "to": [90, 0, 90]}]}))
    (folder / "places.json").write_text(json.dumps({"points": [[2, 0, 2], {"name": "Flag", "point": [70, 3, 7]}]}))
    intent = ["--test", str(folder / "tests.json"), "--must-reach", str(folder / "places.json")]
    scene = ["--scene", str(folder / "scene.json")]
    ways: dict[str, tuple[int, list[str]]] = {
        "whole": (0, [*scene, "-o", str(folder / "a.json")]),
        "unchanged": (0, ["-o", str(folder / "b.json"), "--skip-unchanged"]),
        "tiles": (0, ["--tile-size", "16", "--store", str(folder / "store"), "-o", str(folder / "t.json")]),
        "cells": (0, ["--tile-size", "16", "--resolution", "0.5,0,0,3,3", "-o", str(folder / "r.json")]),
        "streamed": (0, ["--tile-size", "16", "-o", str(folder / "t.bin")]),
        "gates": (
            3,
            ["--max-islands", "0", "--connected-seeds", *scene, *intent, "--prune", "-o", str(folder / "c.json")],
        ),
        "repeated": (0, ["--repeat", "1", "-o", str(folder / "d.json")]),
        "refused": (1, ["--cell-size", "0.00001", "-o", str(folder / "e.json")]),
    }
    made = {}
    for name, (status, flags) in ways.items():
        words = ["build", str(folder / "level.npz"), *flags, "--quiet", "--report", str(folder / f"{name} report.json")]
        for _ in range(1 + (name in ("unchanged", "tiles"))):
            assert main(words) == status, name
        made[name] = json.loads((folder / f"{name} report.json").read_text(encoding="utf-8"))
    return made


def test_reports_are_as_the_schema_has_them(validator: Any, reports: dict[str, dict[str, Any]]) -> None:
    wrong = {name: [f"{e.json_path}: {e.message}" for e in validator.iter_errors(r)] for name, r in reports.items()}
    assert not any(wrong.values()), wrong
    assert reports["unchanged"]["unchanged"] and reports["tiles"]["store"]["reused"] > 0
    assert not reports["gates"]["ok"] and reports["gates"]["tests"] and reports["gates"]["left_out"] is not None
    assert reports["refused"]["error"]["code"] and reports["repeated"]["seconds"]["repeat"]
    assert [row["scale"] for row in reports["cells"]["resolutions"]] == [0.5, 1]
    assert reports["whole"]["ground"]["seeds"]["off_navmesh"] and reports["whole"]["warnings"]


def test_nothing_is_said_of_what_no_report_has(reports: dict[str, dict[str, Any]]) -> None:
    """But for what only Blender's command adds, which says so."""
    said, there = set(SCHEMA["properties"]), set().union(*reports.values())
    only_blender = {
        "file",
        "setup",
        "used",
        "used_count",
        "skipped",
        "skipped_count",
        "triangles",
        "area_types",
        "conversion",
    }
    assert there <= said and said - there == only_blender
    assert set(SCHEMA["required"]) == set(Report(Settings()).to_mapping())


def test_a_report_on_several_builds_holds_one_for_each(validator: Any, tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", verts=LEVEL[0], tris=LEVEL[1])
    np.savez(tmp_path / "none.npz", verts=np.zeros((3, 3)), tris=[[0, 1, 2]])
    meshes = [str(tmp_path / name) for name in ("one.npz", "none.npz")]
    assert main(["build", *meshes, "-o", str(tmp_path / "{file}.bin"), "--report", str(tmp_path / "r.json")]) == 1
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert set(report) == {"ok", "builds"} and [build["file"] for build in report["builds"]] == ["one", "none"]
    assert not [f"{e.json_path}: {e.message}" for build in report["builds"] for e in validator.iter_errors(build)]


@pytest.mark.parametrize(
    ("key", "value"),
    [("ok", 1), ("warnings", [{"code": "x", "message": ""}]), ("threads", 0), ("extra", 1), ("error", "none")],
)
def test_what_is_no_report_is_refused(
    validator: Any, reports: dict[str, dict[str, Any]], key: str, value: object
) -> None:
    report = copy.deepcopy(reports["whole"])
    assert not list(validator.iter_errors(report))
    report[key] = value
    assert list(validator.iter_errors(report))
