"""What `navcore build` says: one line about what was built, warnings with their places, and that nothing is written."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.commands.one_build import Said, result_line, warning_lines, where_all_are
from tests import scenes

LINE = re.compile(r"(.+): [\d,]+ polygons?, [\d,]+\.\d m², [\d,]+ islands? in \d+\.\d\d s(; .*)?\n")
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def plaza(tmp_path: Path) -> Path:
    return save(tmp_path / "plaza.npz", scenes.plaza(3))


def save(path: Path, mesh: scenes.Mesh) -> Path:
    np.savez(path, verts=mesh[0], tris=mesh[1])
    return path


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """The command's status, and what it says on standard output and standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        status = main(["build", *map(str, words)])
        return status, *capsys.readouterr()

    return run


def test_a_success_is_one_line_on_standard_output(plaza: Path, tmp_path: Path, say: Say) -> None:
    status, out, err = say(plaza, "-o", tmp_path / "n.bin")
    assert status == 0 and err == ""
    found = LINE.fullmatch(out)
    assert found is not None and found[1] == "plaza.npz" and found[2] is None
    assert say(plaza, "-o", tmp_path / "n.bin", "--quiet") == (0, "", "")


def test_the_line_tells_what_the_report_tells(plaza: Path, tmp_path: Path, say: Say) -> None:
    _, out, _ = say(plaza, "-o", tmp_path / "n.bin", "--report", tmp_path / "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    ground = report["ground"]
    assert f"{report['counts']['polygons']} polygons, {ground['square_metres']:,.1f} m², 1 island in" in out
    assert say(plaza, "-o", tmp_path / "n.json")[1].partition(" in ")[0] == out.partition(" in ")[0], "without a report"


@pytest.mark.parametrize("output", ["n.bin", "n.json"])
def test_islands_of_many_tiles_are_told_where_they_are_counted(
    plaza: Path, tmp_path: Path, say: Say, output: str
) -> None:
    """Counting them takes long: they are where a report or a gate asks for them."""
    words = [plaza, "--tile-size", 32, "-o", tmp_path / output]
    assert re.fullmatch(r"plaza.npz: \d+ polygons, [\d.]+ m² in [\d.]+ s\n", say(*words)[1])
    assert "1 island in" in say(*words, "--max-islands", 1)[1]


def test_what_was_mended_is_counted_in_the_line_and_told_in_the_report(tmp_path: Path, say: Say) -> None:
    level = save(tmp_path / "spiral.npz", scenes.spiral())
    status, out, err = say(level, "-o", tmp_path / "n.json", "--fail-on", "ANY", "--report", tmp_path / "r.json")
    assert (status, err) == (0, "") and out.endswith("; 2 notes (REPAIRED 2)\n")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["warnings"] == [] and [note["code"] for note in report["notes"]] == ["REPAIRED"] * 2
    assert say(level, "-o", tmp_path / "m.json", "--fail-on", "REPAIRED")[0] == 3, "who names it means it"


def test_warnings_are_printed_without_a_report(tmp_path: Path, say: Say) -> None:
    level = save(tmp_path / "spiral.npz", scenes.spiral())
    words = [level, "-o", tmp_path / "n.json", "--no-repair"]
    status, out, err = say(*words)
    assert status == 0 and re.search(r"; \d+ warnings \(BROKEN \d+", out)
    lines = [line for line in err.splitlines() if ": BROKEN: " in line]
    assert lines and all(line.startswith("navcore: warning: BROKEN: ") for line in lines)
    assert all(re.search(r" At \(-?[\d.]+, -?[\d.]+, -?[\d.]+\)\.$", line) for line in lines)
    assert say(*words, "--quiet") == (0, "", err)


def test_warnings_are_printed_beside_an_error(tmp_path: Path, say: Say) -> None:
    level = save(tmp_path / "spiral.npz", scenes.spiral())
    status, out, err = say(level, "-o", tmp_path / "n.json", "--max-islands", 0, "--edge-max-error", 9)
    assert status == 3 and out == "" and not (tmp_path / "n.json").exists()
    assert [line.split(": ")[1] for line in err.splitlines()] == ["warning", "GATE_FAILED"]


def test_what_is_odd_about_a_level_is_told_before_it_is_refused(tmp_path: Path, say: Say) -> None:
    points, triangles = scenes.flat(20)
    level = save(tmp_path / "flat.npz", (points, triangles[:, [0, 2, 1]]))
    status, out, err = say(level, "-o", tmp_path / "n.json", "--report", tmp_path / "r.json")
    assert status != 0 and out == ""
    assert err.startswith("navcore: warning: FACES_DOWN: ")
    assert err.splitlines()[-1].startswith("navcore: NOTHING_WALKABLE: About 400 m² of ground")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["error"]["code"] == "NOTHING_WALKABLE"
    assert [warning["code"] for warning in report["warnings"]] == ["FACES_DOWN"]


def test_many_warnings_of_one_code_are_shortened() -> None:
    said = [*(Said("REPAIRED", f"{n}.") for n in range(1003)), Said("DETAIL", "Here.")]
    lines = warning_lines(said, where_all_are(None))
    assert lines[:3] == [f"warning: REPAIRED: {n}." for n in range(3)]
    assert lines[3:] == [
        "warning: REPAIRED: and 1,000 more. Give --report FILE.json to see them all.", "warning: DETAIL: Here.",
    ]  # fmt: skip
    assert warning_lines(said)[3] == "warning: REPAIRED: and 1,000 more.", "a command without --report"
    with_report = warning_lines(said, where_all_are(Path("r.json")))
    assert with_report[3] == "warning: REPAIRED: and 1,000 more. The report has them all."


def test_the_line_counts_warnings_by_code() -> None:
    report = {
        "counts": {"polygons": 1234}, "seconds": {"total": 0.841}, "ground": {"square_metres": 5678.94, "islands": 3},
        "warnings": [{"code": code} for code in ("OUTLIER", "LINK_UNATTACHED", "OUTLIER")],
        "notes": [{"code": "REPAIRED"}],
    }  # fmt: skip
    assert result_line("level.obj", report) == (
        "level.obj: 1,234 polygons, 5,678.9 m², 3 islands in 0.84 s; 3 warnings (LINK_UNATTACHED 1, OUTLIER 2)"
        "; 1 note (REPAIRED 1)"
    )


def test_the_line_says_what_was_removed_before_links_were_looked_for() -> None:
    counts = {"polygons": 12, "islands_removed": 3}
    said = "l.obj: 12 polygons, 3 small islands removed before links were looked for in 1.00 s"
    report = {"counts": {**counts, "links_jump": 0}, "seconds": {"total": 1.0}, "warnings": [], "notes": []}
    assert result_line("l.obj", report) == said
    assert "removed" not in result_line("l.obj", {**report, "counts": counts}), "nobody looked for links"
    none = {"polygons": 12, "islands_removed": 0, "links_jump": 1}
    assert "removed" not in result_line("l.obj", {**report, "counts": none})


def test_repeated_builds_tell_the_best_and_the_middle(plaza: Path, say: Say) -> None:
    status, out, err = say(plaza, "--repeat", 2)
    assert status == 0 and err == "" and re.search(r" in [\d.]+ s at best, [\d.]+ s in the middle\n$", out)


# --- builds that write nothing


def test_a_build_that_would_write_nothing_is_refused_as_wrong_usage(
    plaza: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    from navcore.commands import build_command

    monkeypatch.setattr(build_command, "build_navmesh", None)  # it is not called
    for words in ([], ["--connected-seeds"], ["--quiet"], ["--skip-unchanged"]):
        status, out, err = say(plaza, *words)
        assert status == 2 and out == "" and err.count("\n") == 1
        assert "would write nothing" in err and all(way in err for way in ("-o ", "--report ", "--dry-run"))


@pytest.mark.parametrize("tiles", [0, 32])
def test_a_dry_run_builds_and_writes_nothing(plaza: Path, tmp_path: Path, say: Say, tiles: int) -> None:
    old = tmp_path / "n.bin"
    old.write_bytes(b"as it was")
    words = ["--dry-run", "--skip-unchanged", "--report", tmp_path / "r.json", "--dump-stages", tmp_path / "s.npz"]
    for more in ([], ["-o", old, *words], ["-o", old, "--dry-run", "--store", tmp_path / "kept"]):
        status, out, err = say(plaza, "--tile-size", tiles, *(more or ["--dry-run"]))
        assert status == 0 and err == ""
        assert out.endswith("; nothing was written (--dry-run)\n") and "polygons" in out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["n.bin", "plaza.npz"]
    assert old.read_bytes() == b"as it was"


def test_a_dry_run_passes_the_gates_and_hears_the_formats(plaza: Path, tmp_path: Path, say: Say) -> None:
    assert say(plaza, "--dry-run", "--max-islands", 0)[0] == 3
    (tmp_path / "scene.json").write_text(
        json.dumps({"volumes": [{"shape": "box", "area": 2, "min": [0, -1, 0], "max": [6, 2, 4]}]})
    )
    words = [plaza, "--dry-run", "--scene", tmp_path / "scene.json", "-o", tmp_path / "n.pathfinding.glb"]
    status, out, err = say(*words)
    assert status == 0 and err.startswith("navcore: warning: LOST_IN_EXPORT: ") and "LOST_IN_EXPORT 1" in out
    assert say(*words, "--fail-on", "any")[0] == 3
    assert say(plaza, "--dry-run", "-o", tmp_path / "nowhere" / "n.bin")[0] == 1


def test_a_build_that_is_left_out_says_so_and_tells_its_warnings_again(tmp_path: Path, say: Say) -> None:
    level = save(tmp_path / "spiral.npz", scenes.spiral())
    words = [level, "-o", tmp_path / "n.json", "--skip-unchanged", "--edge-max-error", 9]
    _, _, warnings = say(*words)
    status, out, err = say(*words)
    assert status == 0 and err == warnings != ""
    assert re.fullmatch(r"spiral.npz: nothing has changed, nothing is built: \d+ polygons, .* islands?; 1 .*\n", out)


# --- seeds


@pytest.mark.parametrize(
    ("one_way", "said"),
    [
        ((True, False), "Seed “Roof” can be reached from “Ground”, but there is no way back."),
        ((False, True), "“Ground” can be reached from “Roof”, but there is no way back."),
        ((False, False), "Seed “Roof” is cut off from “Ground”: there is no way there, and none back."),
    ],
)
def test_seeds_that_reach_each_other_one_way_are_told_with_the_direction(
    tmp_path: Path, say: Say, one_way: tuple[bool, bool], said: str
) -> None:
    level = save(tmp_path / "level.npz", scenes.join([scenes.flat(20.0), scenes.box(8, 0, 8, 5, 3, 5)]))
    ends = [[2, 0, 2], [10, 3, 10]]
    links = [
        {"start": start, "end": end, "bidirectional": False}
        for start, end, wanted in ((*ends, one_way[0]), (*ends[::-1], one_way[1]))
        if wanted
    ]
    seeds = [{"point": point, "name": name} for point, name in zip(ends, ("Ground", "Roof"), strict=True)]
    (tmp_path / "scene.json").write_text(json.dumps({"links": links, "seeds": seeds}))
    status, _, err = say(level, "--dry-run", "--connected-seeds", "--scene", tmp_path / "scene.json")
    assert status == 3 and said in err and "links that lead both ways" in err


@pytest.mark.parametrize(
    ("outputs", "flag"),
    [
        (["n.tilecache.bin"], ["--store", "tiles"]),
        (["n.tilecache.bin"], ["--dask", "tcp://localhost:1"]),
        (["n.tilecache.bin"], ["--references", "64"]),
        (["n.json", "n.glb"], ["--references", "64"]),
    ],
)
def test_a_flag_that_no_output_heeds_is_refused(
    plaza: Path, tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch, outputs: list[str], flag: list[str]
) -> None:
    """They did nothing, and nobody said so."""
    monkeypatch.chdir(tmp_path)
    words = [word for output in outputs for word in ("-o", output)]
    status, _, err = say(plaza, *words, "--tile-size", 48, *flag)
    assert status == 1 and f"BAD_INPUT: {flag[0]} is for " in err and "Leave it out" in err
    assert list(tmp_path.iterdir()) == [plaza]


def test_beside_an_output_that_heeds_them_the_same_flags_are_used(plaza: Path, tmp_path: Path, say: Say) -> None:
    words = ["-o", tmp_path / "n.tilecache.bin", "-o", tmp_path / "n.bin", "--store", tmp_path / "tiles"]
    assert say(plaza, *words, "--tile-size", 48, "--references", 64)[::2] == (0, "")
    assert any((tmp_path / "tiles").iterdir())


@pytest.mark.parametrize("flag", ["-o", "--report", "--page", "--dump-stages"])
def test_a_folder_that_is_called_as_a_file_is_refused_before_anything_is_written(
    plaza: Path, tmp_path: Path, say: Say, flag: str
) -> None:
    """The outputs before it were replaced by then."""
    ending = {"-o": "bin", "--report": "json", "--page": "html", "--dump-stages": "npz"}[flag]
    folder = tmp_path / f"folder.{ending}"
    folder.mkdir()
    status, _, err = say(plaza, "-o", tmp_path / "n.json", "-o", tmp_path / "n.glb", flag, folder)
    assert status == 1 and f"folder.{ending}: it is a folder. Choose another name for the file." in err
    assert sorted(tmp_path.iterdir()) == [folder, plaza]


@pytest.mark.parametrize("outputs", [["n.tilecache.bin"], ["n.tilecache.bin", "n.bin"]], ids=["alone", "beside"])
def test_a_tile_cache_says_what_a_build_says_and_both_say_it_once(
    plaza: Path, tmp_path: Path, say: Say, outputs: list[str]
) -> None:
    far = {"outline": [[90, 90], [99, 90], [99, 99]], "min_height": 0, "max_height": 1, "name": "Far"}
    lost = {"shape": "box", "door": "lost", "min": [4, 40, 4], "max": [6, 42, 6]}
    (tmp_path / "scene.json").write_text(json.dumps({"edits": [{"kind": "block", **far}], "volumes": [lost]}))
    words = [word for output in outputs for word in ("-o", tmp_path / output)]
    status, _, err = say(plaza, *words, "--tile-size", 48, "--scene", tmp_path / "scene.json")
    assert status == 0 and err.count("“Far”") == 1 == err.count("“lost”") and err.count("warning: ") == 2
