"""What pipelines rely on: gates that fail a build with exit status 3, and builds left out when nothing changed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.builder.build_level import build_navmesh
from navcore.commands.unchanged_stamps import ENDING, fingerprint
from navcore.detour.queries.prune import prune_navmesh
from navcore.formats.mset import mset_bytes
from navcore.settings import Settings
from tests import scenes

SEEDS = [[1, 0, 1], {"point": [7, 3, 7], "name": "Roof"}]
Run = Callable[..., int]


@pytest.fixture
def level(tmp_path: Path) -> Path:
    """A floor with a closed block on it: three islands, two of which nobody can reach."""
    path = tmp_path / "level.npz"
    save(path, scenes.join([scenes.box(0, -1, 0, 20, 1, 20), scenes.box(4, 0, 4, 6, 3, 6)]))
    (tmp_path / "scene.json").write_text(json.dumps({"seeds": SEEDS}))
    (tmp_path / "spawn.json").write_text(json.dumps({"seeds": SEEDS[:1]}))
    return path


def save(path: Path, mesh: scenes.Mesh) -> None:
    np.savez(path, verts=mesh[0], tris=mesh[1])


@pytest.fixture
def run(level: Path) -> Run:
    folder = level.parent

    def build(*more: str, scene: str = "scene.json") -> int:
        words = [word.format(folder=folder) for word in more]
        output, report = str(folder / "n.bin"), str(folder / "r.json")
        return main(["build", str(level), "-o", output, "--scene", str(folder / scene), "--report", report, *words])

    return build


def report_of(level: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((level.parent / "r.json").read_text())
    return content


# ------------------------------------------------------------------------ prune


@pytest.mark.parametrize("more", [[], ["-o", "{folder}/second.bin"]])
def test_a_tile_cache_cannot_be_pruned(
    run: Run, level: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its gates looked at the navmesh without the islands, and the file had them."""
    words = ["-o", "{folder}/n.tilecache.bin", "--tile-size", "48", "--max-islands", "1", "--prune", *more]
    assert run(*words, scene="spawn.json") == 1
    assert "TILE_CACHE_PRUNED" in capsys.readouterr().err and not (level.parent / "n.tilecache.bin").exists()


@pytest.mark.parametrize("tile_size", [0, 32])
def test_prune_leaves_out_what_no_seed_reaches(run: Run, level: Path, tile_size: int) -> None:
    assert run("--prune", "--tile-size", str(tile_size), scene="spawn.json") == 0
    with np.load(level) as mesh:
        navmesh = build_navmesh(mesh["verts"], mesh["tris"], Settings(tile_size=tile_size))
    assert (level.parent / "n.bin").read_bytes() == mset_bytes(prune_navmesh(navmesh, SEEDS[:1]))
    report = report_of(level)
    assert report["ground"]["islands"] == 1 and report["counts"]["pruned_polygons"] > 0


def test_prune_without_seeds_is_refused_before_the_build(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(level), "--prune", "--dry-run"]) == 1
    assert "NO_SEEDS: Pruning keeps what a seed can reach" in capsys.readouterr().err


# ------------------------------------------------------------------------ gates

PASSED = [
    ["--max-islands", "3"],
    ["--prune", "--max-islands", "2"],
    ["--max-area-change", "5"],
    ["--fail-on", "REGIONS_OVERLAP,OUTLINES"],
    ["--fail-on", "any"],
    ["--tile-size", "32", "--fail-on", "any"],
]
FAILED = [
    (["--max-islands", "2"], "islands", "has 3 islands (limit 2)"),
    (["--connected-seeds"], "seeds", "“Roof” is cut off from seed 1 at (1, 0, 1)"),
]


@pytest.mark.parametrize("more", PASSED)
def test_a_build_that_passes_its_gates(run: Run, level: Path, more: list[str]) -> None:
    assert run(*more) == 0
    report = report_of(level)
    assert report["ok"] and report["gates"] and all(gate["ok"] for gate in report["gates"])
    assert report["reference_square_metres"] == report["ground"]["square_metres"] > 250


@pytest.mark.parametrize("codes", ["REGION_OVERLAP", "OUTLINES,REGION_OVERLAP", "nonsense"])
def test_a_gate_on_a_warning_that_does_not_exist_is_refused(
    run: Run, capsys: pytest.CaptureFixture[str], codes: str
) -> None:
    assert run("--fail-on", codes) == 1
    message = capsys.readouterr().err
    assert "there is no such warning" in message and "BORDER_LINKS" in message
    assert ("Did you mean REGIONS_OVERLAP?" in message) == (codes != "nonsense")


@pytest.mark.parametrize(("more", "gate", "text"), FAILED)
def test_a_gate_that_fails_is_exit_3_and_no_output(
    run: Run, level: Path, more: list[str], gate: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = level.parent / "n.bin"
    output.write_text("as it was")
    assert run(*more) == 3
    said = capsys.readouterr().err
    assert said.startswith("navcore: GATE_FAILED: ") and text in said and said.count("\n") == 1
    report = report_of(level)
    assert not report["ok"] and report["error"]["code"] == "GATE_FAILED"
    assert [(v["gate"], v["ok"]) for v in report["gates"]] == [(gate, False)]
    assert report["counts"]["polygons"] > 0 and report["ground"]["islands"] == 3
    assert output.read_text() == "as it was"


def test_seeds_without_any_are_not_connected(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(level), "--connected-seeds", "--dry-run"]) == 3
    assert "No seed is marked" in capsys.readouterr().err


def test_a_seed_off_the_navmesh_fails(run: Run, level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (level.parent / "scene.json").write_text(json.dumps({"seeds": [[1, 0, 1], [99, 0, 0]]}))
    assert run("--connected-seeds") == 3
    assert "2 at (99, 0, 0) stands on no navmesh" in capsys.readouterr().err
    assert run("--prune", "--fail-on", "SEED_OFF_NAVMESH") == 3
    assert "SEED_OFF_NAVMESH: Seed 2 at (99, 0, 0) stands on no navmesh" in capsys.readouterr().err


@pytest.mark.parametrize("tiles", ["0", "32"])
def test_ground_is_compared_with_the_last_report_that_passed(run: Run, level: Path, tiles: str) -> None:
    gate = ["--max-area-change", "5", "--tile-size", tiles]
    assert run(*gate) == 0
    area = report_of(level)["ground"]["square_metres"]
    whole = level.read_bytes()
    save(level, scenes.box(0, -1, 0, 12, 1, 20))
    assert run(*gate) == 3
    assert run(*gate) == 3, "a level that lost its ground must not pass the second time"
    assert run("--cell-size", "-1") == 1 and run("--max-islands", "-1") == 1
    assert report_of(level)["reference_square_metres"] == area
    assert run(*gate) == 3
    level.write_bytes(whole)
    assert run(*gate) == 0
    assert report_of(level)["ground"]["square_metres"] == area
    save(level, scenes.box(0, -1, 0, 12, 1, 20))
    (level.parent / "r.json").unlink()
    assert run(*gate) == 0, "without a last report every ground is the first"


def test_a_last_report_may_be_given(run: Run, level: Path) -> None:
    assert run() == 0
    shutil.copy(level.parent / "r.json", level.parent / "accepted.json")
    save(level, scenes.box(0, -1, 0, 12, 1, 20))
    gate = ["--max-area-change", "5", "--last-report", "{folder}/accepted.json"]
    assert run() == 0
    assert run(*gate) == 3
    assert "-" in report_of(level)["error"]["message"].split(" are walkable, ")[1].split(" %")[0]


@pytest.mark.parametrize(
    ("more", "content", "text"),
    [
        (["--max-islands", "-1"], "", "--max-islands must be at least 0, not -1"),
        (["--max-area-change", "nan"], "", "--max-area-change must be a percentage"),
        (["--max-area-change", "1", "--last-report", "{folder}/no.json"], "", "could not read"),
        (["--max-area-change", "1", "--last-report", "{folder}/last.json"], "{}", "tells no walkable ground"),
        (["--max-area-change", "1", "--last-report", "{folder}/last.json"], "[", "is not JSON"),
    ],
)
def test_gates_that_cannot_be_looked_at_are_refused(
    run: Run, level: Path, more: list[str], content: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (level.parent / "last.json").write_text(content)
    assert run(*more) == 1
    assert text in capsys.readouterr().err


def test_an_area_gate_needs_a_report(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(level), "--max-area-change", "1", "--dry-run"]) == 1
    assert "give --report or --last-report" in capsys.readouterr().err


# -------------------------------------------------------------------- unchanged


def test_nothing_changed_is_left_out(run: Run, level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--skip-unchanged") == 0
    first, content = report_of(level), (level.parent / "n.bin").read_bytes()
    shutil.move(level, level.parent / "moved.npz")  # new times, same content
    shutil.copy(level.parent / "moved.npz", level)
    assert run("--skip-unchanged", "--threads", "1") == 0
    assert "nothing has changed" in capsys.readouterr().out
    second = report_of(level)
    assert second["unchanged"] is True and second["counts"] == first["counts"] and second["ground"] == first["ground"]
    assert (level.parent / "n.bin").read_bytes() == content


@pytest.mark.parametrize(("output", "beside"), [("n.tilecache.bin", "n.tilecache.json"), ("n.gset", "n-level.obj")])
@pytest.mark.parametrize("change", ["edited", "gone"])
def test_the_second_file_of_an_output_counts_too(run: Run, level: Path, output: str, beside: str, change: str) -> None:
    words, second = ["-o", "{folder}/" + output, "--tile-size", "48", "--skip-unchanged"], level.parent / beside
    assert run(*words) == 0 == run(*words) and report_of(level)["unchanged"] is True
    content = second.read_bytes()
    if change == "edited":
        second.write_bytes(content[:-1] + b" ")
    else:
        second.unlink()
    assert run(*words) == 0
    assert "unchanged" not in report_of(level) and second.read_bytes() == content


@pytest.mark.parametrize(
    "change", ["level", "scene", "setting", "output", "stamp", "no stamp", "no output", "prune", "other output"]
)
def test_what_changed_is_built(run: Run, level: Path, change: str) -> None:
    assert run("--skip-unchanged") == 0
    output = level.parent / "n.bin"
    content = output.read_bytes()
    more: list[str] = []
    if change == "level":
        save(level, scenes.box(0, -1, 0, 12, 1, 20))
    elif change == "scene":
        (level.parent / "scene.json").write_text(json.dumps({"seeds": SEEDS, "area_types": {"0": 7}}))
    elif change == "setting":
        more = ["--agent-radius", "0.9"]
    elif change == "output":
        output.write_bytes(content[:-1] + b"?")
    elif change == "stamp":
        output.with_name(output.name + ENDING).write_text('{"fingerprint": 3}')
    elif change == "no stamp":
        output.with_name(output.name + ENDING).unlink()
    elif change == "no output":
        output.unlink()
    elif change == "prune":
        more = ["--prune"]
    else:
        more = ["-o", "{folder}/n.json"]
    assert run("--skip-unchanged", *more) == 0
    assert "unchanged" not in report_of(level)
    assert (output.read_bytes() == content) is (change not in ("level", "scene", "setting", "prune"))
    assert run("--skip-unchanged", *more) == 0
    assert report_of(level)["unchanged"]


def test_a_failed_gate_leaves_no_stamp(run: Run, level: Path) -> None:
    assert run("--skip-unchanged", "--max-islands", "2") == 3
    assert run("--skip-unchanged", "--max-islands", "2") == 3
    assert not list(level.parent.glob("*" + ENDING))


def test_gates_are_looked_at_when_nothing_is_built(run: Run, level: Path) -> None:
    gate = ["--skip-unchanged", "--max-area-change", "5", "--last-report", "{folder}/last.json"]
    last = level.parent / "last.json"
    last.write_text('{"reference_square_metres": 321}')
    assert run(*gate) == 0
    last.write_text('{"reference_square_metres": 500}')
    assert run(*gate) == 3
    assert report_of(level)["unchanged"]


def test_skipping_needs_an_output(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", str(level), "--skip-unchanged", "--dry-run"]) == 1
    assert "give one with -o" in capsys.readouterr().err


def test_fingerprints_tell_content_apart() -> None:
    a = np.arange(6, dtype=np.float32)
    kinds = [a, a.reshape(2, 3), a.astype(np.float64), a + 1, b"text", "text", {"b": 1, "a": 2}, [b"".decode(), ""]]
    assert len({fingerprint([kind]) for kind in kinds}) == len(kinds)
    assert fingerprint([{"a": 2, "b": 1}]) == fingerprint([{"b": 1, "a": 2}])
    assert fingerprint([b"ab", b"c"]) != fingerprint([b"a", b"bc"])
    assert fingerprint([np.arange(4)[::2]]) == fingerprint([np.array([0, 2])])


# ------------------------------------------------------------ several outputs


def test_outputs_appear_together_or_not_at_all(run: Run, level: Path) -> None:
    """The second cannot be written: a .gset holds 256 links, and the first was made by then."""
    link = {"start": [1, 0, 1], "end": [18, 0, 18]}
    (level.parent / "scene.json").write_text(json.dumps({"links": [link] * 257}))
    assert run("-o", "{folder}/case.gset") == 1
    assert "RECASTDEMO_LIMITS" in report_of(level)["error"]["code"]
    names = {path.name for path in level.parent.iterdir()}
    assert names == {"level.npz", "scene.json", "spawn.json", "r.json"}


def test_a_gate_on_a_warning_of_writing(run: Run, level: Path) -> None:
    """A three-pathfinding mesh has no links; one is lost."""
    (level.parent / "scene.json").write_text(json.dumps({"links": [{"start": [1, 0, 1], "end": [18, 0, 18]}]}))
    more = ["-o", "{folder}/n.glb", "--target", "pathfinding"]
    assert run(*more, "--fail-on", "LOST_IN_EXPORT") == 3
    assert not list(level.parent.glob("n.*"))
    assert run("-o", "{folder}/n.glb", "--fail-on", "LOST_IN_EXPORT") == 0, "glTF carries it"
    assert run(*more) == 0
    assert [warning["code"] for warning in report_of(level)["warnings"]].count("LOST_IN_EXPORT") == 1


def test_a_target_that_nobody_knows(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--target", "unity") == 1
    assert "UNKNOWN_TARGET" in capsys.readouterr().err
