"""`python -m navcore`: exit statuses, outputs, reports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Settings
from navcore.__main__ import main
from navcore.commands import build_command
from navcore.compile_ahead import cold_start
from navcore.detour.reader import read_navmesh
from navcore.settings import settings_fields
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def plaza(tmp_path: Path) -> Path:
    return save(tmp_path / "plaza.npz", scenes.plaza(3))


def save(path: Path, mesh: scenes.Mesh, **more: Any) -> Path:
    np.savez(path, verts=mesh[0], tris=mesh[1], **more)
    return path


def read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def test_tiles_that_are_written_when_all_are_built_are_the_same(
    plaza: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where not all is compiled yet: of a small level they are."""
    made = []
    for later in (False, True):
        monkeypatch.setattr(build_command, "writes_later", lambda *_, later=later: later)
        names = [tmp_path / f"{later}{ending}" for ending in (".bin", ".json")]
        argv = ["build", plaza, "-o", names[0], "--report", names[1], "--tile-size", "32"]
        assert main([str(word) for word in argv]) == 0
        report = read(names[1])
        made.append([names[0].read_bytes(), *(report[key] for key in ("ground", "counts", "warnings"))])
    assert made[0] == made[1]


@pytest.mark.parametrize(("small", "shipped", "compiled", "later"), [
    (True, False, False, True), (False, False, False, False), (True, True, False, False), (True, False, True, False),
])  # fmt: skip
def test_when_tiles_are_written_later(
    monkeypatch: pytest.MonkeyPatch, small: bool, shipped: bool, compiled: bool, later: bool
) -> None:
    monkeypatch.setattr(cold_start, "kernel_folder", lambda: Path("kernels"))
    monkeypatch.setattr(cold_start, "has_shipped_kernels", lambda: shipped)
    monkeypatch.setattr(cold_start, "wanted", lambda *_: not compiled)
    vertices = scenes.flat(9 if small else 900)[0]
    assert cold_start.writes_later(vertices, Settings(tile_size=32), None) == later


def test_build_writes_every_output_and_a_report(plaza: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / "n.obj", tmp_path / "n.json"]
    report, stages = tmp_path / "r.json", tmp_path / "stages.npz"
    argv = [
        "build",
        plaza,
        *(w for o in outputs for w in ("-o", o)),
        "--report",
        report,
        "--dump-stages",
        stages,
        "--threads",
        "2",
    ]
    assert main([str(a) for a in argv]) == 0
    facts = read(report)
    assert facts["ok"] is True and facts["error"] is None and facts["threads"] == 2
    assert facts["settings"] == Settings().to_mapping()
    assert facts["voxels"]["height_vx"] == 10
    assert set(facts["counts"]) == {
        "spans", "open_spans", "regions", "contours", "polygons", "vertices", "detail_vertices", "detail_triangles",
        "tiles", "islands_removed",
    }  # fmt: skip
    assert all(count > 0 for name, count in facts["counts"].items() if name != "islands_removed")
    assert 0 < sum(facts["seconds"]["stages"].values()) <= facts["seconds"]["total"]
    assert facts["peak_memory_mb"] > 10
    with np.load(stages) as arrays:
        assert len(arrays["pm_polys"]) == facts["counts"]["polygons"]
        assert len(arrays["dm_verts"]) == facts["counts"]["detail_vertices"]
    assert all(o.stat().st_size > 100 for o in outputs)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["n.json", "n.obj", "plaza.npz", "r.json", "stages.npz"]


def test_flags_stand_above_the_settings_file(plaza: Path, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"cell_size": 0.5, "cell_height": 0.25, "median_filter": true}')
    argv = [
        "build",
        plaza,
        "--settings",
        tmp_path / "s.json",
        "--cell-size",
        "0.4",
        "--no-median-filter",
        "--partition",
        "layers",
    ]
    assert main([str(a) for a in [*argv, "--report", tmp_path / "r.json"]]) == 0
    used = read(tmp_path / "r.json")["settings"]
    assert (used["cell_size"], used["cell_height"], used["median_filter"], used["partition"]) == (
        0.4,
        0.25,
        False,
        "layers",
    )


def test_scene_bounds_and_volumes_are_used(plaza: Path, tmp_path: Path) -> None:
    scene = {
        "bounds": [0, -1, 0, 6, 4, 12],
        "volumes": [{"shape": "box", "area": 2, "min": [0, -1, 0], "max": [6, 2, 4]}],
        "links": [
            {"start": [1, 0, 1], "end": [5, 0, 5], "radius": 0.6, "bidirectional": True, "area": 5, "flags": 8, "id": 1}
        ],
    }
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    assert main(["build", str(plaza), "--scene", str(tmp_path / "scene.json"), "-o", str(tmp_path / "n.json")]) == 0
    exported = read(tmp_path / "n.json")
    assert set(exported["polygon_mesh"]["areas"]) == {0, 2}
    assert max(v[0] for v in exported["polygon_mesh"]["vertices"]) < 6
    assert exported["links"][0]["id"] == 1


def test_areas_of_an_npz_are_used(tmp_path: Path) -> None:
    mesh = scenes.flat(12)
    path = save(tmp_path / "m.npz", mesh, areas=np.array([3, 3], np.uint8))
    assert main(["build", str(path), "-o", str(tmp_path / "n.json")]) == 0
    exported = read(tmp_path / "n.json")["polygon_mesh"]
    assert set(exported["areas"]) == {3} and set(exported["flags"]) == {5}


def test_repeat_reports_best_and_median(plaza: Path, tmp_path: Path) -> None:
    assert main(["build", str(plaza), "--repeat", "3", "--report", str(tmp_path / "r.json")]) == 0
    repeat = read(tmp_path / "r.json")["seconds"]["repeat"]
    assert 0 < repeat["best"] <= repeat["median"]


REFUSED = [
    (["--cell-size", "0"], "BAD_SETTINGS", "cell_size must be"),
    (["--cell-size", "1e-6"], "TOO_LARGE", "Raise Cell Size"),
    (["--partition", "voronoi"], "BAD_SETTINGS", "partition must be one of"),
    (["--agent-max-slope", "0"], "NOTHING_WALKABLE", "Max Slope"),
    (["--threads", "0"], "BAD_INPUT", "at least 1 thread"),
    (["--repeat", "0"], "BAD_INPUT", "--repeat"),
    (["--settings", "missing.json"], "CANNOT_READ", "missing.json"),
    (["-o", "navmesh.fbx"], "UNKNOWN_FORMAT", ".json"),
    (["-o", "nowhere/navmesh.obj"], "CANNOT_WRITE", "folder does not exist"),
]


@pytest.mark.parametrize(("more", "code", "text"), REFUSED)
def test_a_refusal_is_one_sentence_and_exit_1(
    plaza: Path, tmp_path: Path, more: list[str], code: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    good = tmp_path / "good.obj"
    good.write_text("as it was")
    assert main(["build", str(plaza), "-o", str(good), "--report", str(tmp_path / "r.json"), *more]) == 1
    facts = read(tmp_path / "r.json")
    assert facts["ok"] is False and facts["error"]["code"] == code and text in facts["error"]["message"]
    said = capsys.readouterr().err
    assert said.startswith(f"navcore: {code}: ") and said.count("\n") == 1
    assert good.read_text() == "as it was"


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("m.obj", "v 0 0\n", "BAD_INPUT"),
        ("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2\n", "BAD_INPUT"),
        ("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 4\n", "INDEX_OUT_OF_RANGE"),
        ("m.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 0 1 2\n", "INDEX_OUT_OF_RANGE"),
        ("m.obj", "v 0 0 0\nv nan 0 0\nv 0 0 1\nf 1 2 3\n", "NOT_FINITE"),
        ("m.obj", "v 0 0 0\nf 1 2 99999999999999999999\n", "BAD_INPUT"),
        ("m.obj", "", "NO_TRIANGLES"),
        ("m.npz", "not a zip", "BAD_INPUT"),
        ("m.stl", "solid", "BAD_INPUT"),
        ("m.glb", "solid", "BAD_INPUT"),
        ("m.dae", "<COLLADA/>", "UNKNOWN_FORMAT"),
        (None, "", "CANNOT_READ"),
    ],
)
def test_bad_files_are_refused_by_code(tmp_path: Path, name: str | None, content: str, code: str) -> None:
    path = tmp_path / (name or "missing.obj")
    if name:
        path.write_text(content)
    assert main(["build", str(path), "--report", str(tmp_path / "r.json")]) == 1
    assert read(tmp_path / "r.json")["error"]["code"] == code


def test_an_npz_without_geometry_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", verts=np.zeros((3, 3), np.float32))
    assert main(["build", str(tmp_path / "m.npz"), "--dry-run"]) == 1


def test_an_npz_with_objects_is_not_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", verts=np.array([{}], object), tris=np.zeros((1, 3), np.int32))
    assert main(["build", str(tmp_path / "m.npz"), "--dry-run"]) == 1


@pytest.mark.parametrize(
    "argv", [[], ["build"], ["build", "m.obj", "--cell-size", "wide"], ["fly"], ["build", "m.obj", "--no-such-flag"]]
)
def test_wrong_usage_is_exit_2(argv: list[str]) -> None:
    assert main(argv) == 2


def test_help_is_exit_0_and_names_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--help"]) == 0
    text = capsys.readouterr().out
    assert all("--" + declared.name.replace("_", "-") in text for declared in settings_fields())


def test_settings_lists_every_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["default"] for row in rows} == Settings().to_mapping()
    assert main(["settings"]) == 0
    assert "cell_size" in capsys.readouterr().out


def test_settings_do_not_wait_for_numba() -> None:
    code = "import sys; from navcore.__main__ import main; main(['settings']); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


# (A process that was started in the background ignores interrupts, and so is what it starts.)
TELLING = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from navcore.__main__ import main
from navcore.commands import build_command
from navcore.compile_ahead import cold_start
from navcore.commands import build_command
begin = build_command.build_navmesh
def announced(*args, **options):
    print("building", flush=True)
    return begin(*args, **options)
build_command.build_navmesh = announced
sys.exit(main(sys.argv[1:]))
"""


def test_interrupting_before_the_build_is_exit_130(
    plaza: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While Numba is imported or a file is read, for one."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("navcore.commands.build_command.read_level", interrupted)
    assert main(["build", str(plaza), "--report", str(tmp_path / "r.json")]) == 130
    assert capsys.readouterr().err.startswith("navcore: CANCELLED: ")
    assert read(tmp_path / "r.json")["error"]["code"] == "CANCELLED"


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is sent the POSIX way")
def test_interrupting_a_long_build_is_exit_130_and_leaves_no_file(tmp_path: Path) -> None:
    path = save(tmp_path / "big.npz", scenes.flat(900))
    words = ["build", path, "-o", tmp_path / "n.obj", "--report", tmp_path / "r.json", "--repeat", "1000"]
    argv = [sys.executable, "-c", TELLING, *map(str, words)]
    running = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert running.stdout.readline() == "building\n"
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    try:
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()  # or a build that goes on would do so for ever
    assert running.returncode == 130
    assert said.startswith("navcore: CANCELLED: ")
    assert read(tmp_path / "r.json")["error"]["code"] == "CANCELLED"
    assert not (tmp_path / "n.obj").exists()


def test_a_terminal_sees_progress(
    plaza: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert main(["build", str(plaza), "--dry-run"]) == 0
    said = capsys.readouterr().err
    assert "rasterize" in said and "%" in said
    assert said.endswith("\r\x1b[K")  # the line is wiped when done


def test_the_readme_has_the_table_of_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["settings", "--markdown"]) == 0
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme.partition("<!-- settings:begin -->\n")[2].partition("<!-- settings:end -->")[0]
    assert table == capsys.readouterr().out, "put the output of `python -m navcore settings --markdown` into the README"


@pytest.mark.skipif(os.name != "posix", reason="pipes are closed the POSIX way")
def test_a_closed_pipe_is_no_error() -> None:
    listing = subprocess.Popen(
        [sys.executable, "-m", "navcore", "settings", "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert listing.stdout is not None and listing.stderr is not None
    listing.stdout.close()
    assert listing.wait(30) == 0
    assert listing.stderr.read() == b""


def test_tiles_written_as_they_are_built_are_the_same_file(tmp_path: Path) -> None:
    path = save(tmp_path / "city.npz", scenes.city(3))
    streamed, kept = tmp_path / "streamed.bin", tmp_path / "kept.bin"
    argv = ["build", str(path), "--tile-size", "32", "--report", str(tmp_path / "r.json")]
    assert main([*argv, "-o", str(streamed)]) == 0
    counts = read(tmp_path / "r.json")["counts"]
    assert main([*argv, "-o", str(kept), "-o", str(tmp_path / "n.json")]) == 0
    assert streamed.read_bytes() == kept.read_bytes()
    assert counts == read(tmp_path / "r.json")["counts"]
    assert counts["tiles"] > 9


def test_what_a_bin_cannot_hold_is_said_before_the_build(plaza: Path, tmp_path: Path) -> None:
    argv = [
        "build",
        str(plaza),
        "--vertices-per-polygon",
        "8",
        "-o",
        str(tmp_path / "n.bin"),
        "--report",
        str(tmp_path / "r.json"),
    ]
    assert main(argv) == 1
    facts = read(tmp_path / "r.json")
    assert "vertices_per_polygon" in facts["error"]["message"] and facts["seconds"]["stages"] == {}
    assert not (tmp_path / "n.bin").exists()


def test_the_scene_tells_the_flags_of_areas(plaza: Path, tmp_path: Path) -> None:
    scene = {
        "volumes": [{"shape": "box", "area": 7, "min": [0, -1, 0], "max": [6, 2, 4]}],
        "area_types": {"0": 3, "7": {"name": "mud", "flags": 64}},
    }
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    outputs = [tmp_path / "n.json", tmp_path / "n.bin"]
    argv = ["build", plaza, "--scene", tmp_path / "scene.json", *(w for o in outputs for w in ("-o", o))]
    assert main([str(a) for a in argv]) == 0
    exported = read(outputs[0])["polygon_mesh"]
    assert set(zip(exported["areas"], exported["flags"], strict=True)) == {(0, 3), (7, 64)}
    polygons = read_navmesh(outputs[1].read_bytes()).tiles[0].sections.polygons
    assert set(polygons["flags"].tolist()) == {3, 64}
