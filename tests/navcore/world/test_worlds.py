"""A world in sections against one build of everything; only what changed; killed and resumed."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.build_warning import BuildWarning
from navcore.builder.checked_input import CheckedLevel
from navcore.errors import BadInput, Cancelled, NavmeshError, NothingWalkable, TooLarge
from navcore.progress import Progress
from navcore.world import on_workers, section_work
from navcore.world.build_world import AS_IT_WAS, build_world, plan_world
from navcore.world.check_world import check_world, world_facts
from navcore.world.world_file import read_world

from .small_worlds import (
    NAMES,
    crate,
    file_of,
    files_in,
    in_one_piece,
    links_after_loading,
    rewritten,
    tiles_in_one_piece,
    tiles_of,
    write_mesh,
    write_world,
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world and its navmesh, which nobody writes to."""
    folder = tmp_path_factory.mktemp("world")
    build_world(read_world(write_world(folder)), folder / "out", threads=1)
    return folder


@pytest.fixture
def mine(built: Path, tmp_path: Path) -> Path:
    """The same to change."""
    for place in ("", "out"):
        (tmp_path / place).mkdir(exist_ok=True)
        for path in (built / place).iterdir():
            if path.is_file():
                (tmp_path / place / path.name).write_bytes(path.read_bytes())
    return tmp_path


def built_names(folder: Path, **how: Any) -> list[str]:
    report = build_world(read_world(folder / "world.json"), folder / "out", threads=1, **how)
    return [row.name for row in report.sections if row.built]


def test_every_tile_is_that_of_one_build_of_everything(built: Path) -> None:
    whole = in_one_piece(read_world(built / "world.json"))
    assert whole.tile_grid is not None and len(whole.tiles) == 36
    tiles, wanted = tiles_of(built / "out"), tiles_in_one_piece(whole)
    assert tiles == wanted
    parameters = file_of(built / "out", "s00").parameters
    links = links_after_loading(tiles, parameters)  # section by section
    assert links == links_after_loading(wanted, parameters)  # row by row
    across = {(row[0][0] // 2, row[2][0] // 2) for row in links}
    assert {(0, 1), (1, 0), (1, 2)} <= across


def test_links_lie_with_the_tile_that_they_start_in(built: Path) -> None:
    counts = {name: sum(len(t.sections.connections) for t in file_of(built / "out", name).tiles) for name in NAMES}
    assert {name for name, count in counts.items() if count} == {"s00", "s11"}  # the scene is that of s22


def test_the_manifest(built: Path) -> None:
    manifest = json.loads((built / "out" / "world.manifest.json").read_text())
    parameters = file_of(built / "out", "s21").parameters
    assert manifest["format"] == 1
    assert manifest["grid"] == {
        "origin": [0.0, -2.0, 0.0], "tile": float(parameters.tile_width), "max_tiles": 64, "max_polygons": 1 << 16,
    }  # fmt: skip
    rows = {row["name"]: row for row in manifest["sections"]}
    assert list(rows) == NAMES
    assert rows["s20"]["tiles"] == [[4, 0, 0], [5, 0, 0], [4, 1, 0], [5, 1, 0]]
    assert rows["s20"]["neighbors"] == ["s10", "s11", "s21"] and len(rows["s11"]["neighbors"]) == 8
    assert set(rows["s20"]) == {"name", "file", "sha256", "box", "tiles", "neighbors"}


def test_nothing_is_built_again_where_nothing_changed(mine: Path) -> None:
    before = files_in(mine / "out")
    plans = plan_world(read_world(mine / "world.json"), mine / "out")
    assert [plan.name for plan in plans] == NAMES and {plan.why for plan in plans} == {AS_IT_WAS}
    assert built_names(mine) == []
    assert files_in(mine / "out") == before
    assert check_world(read_world(mine / "world.json"), mine / "out") == []


@pytest.mark.parametrize(("x", "expected"), [(22.0, ["s10"]), (36.5, ["s10", "s20"])])
def test_a_crate_that_moved_rewrites_who_sees_it(mine: Path, x: float, expected: list[str]) -> None:
    write_mesh(mine / "s10-crate.npz", crate(x, 8.5))
    plans = plan_world(read_world(mine / "world.json"), mine / "out")
    assert [plan.name for plan in plans if plan.build] == expected
    assert plans[1].why == "its meshes or its scene changed"
    before = files_in(mine / "out")
    assert built_names(mine) == expected
    after = files_in(mine / "out")
    assert [name for name in NAMES if after[f"{name}.bin"] != before[f"{name}.bin"]] == expected
    assert tiles_of(mine / "out") == tiles_in_one_piece(in_one_piece(read_world(mine / "world.json")))


def test_one_section_alone_and_what_its_border_says(mine: Path) -> None:
    write_mesh(mine / "s10-crate.npz", crate(36.5, 8.5))
    world = read_world(mine / "world.json")
    assert built_names(mine, only=["s10"]) == ["s10"]
    faults = check_world(world, mine / "out")
    assert [(fault.code, fault.section) for fault in faults] == [("SECTION_BORDER", "s10")]
    assert "“s20”" in faults[0].message
    assert built_names(mine) == ["s20"]
    assert check_world(world, mine / "out") == []


def test_what_was_built_before_comes_out_of_a_store(mine: Path) -> None:
    reports = []
    for folder in ("one", "two"):
        build_world(read_world(mine / "world.json"), mine / folder, store=mine / "store", threads=1)
        reports.append(files_in(mine / folder))
    assert reports[0] == reports[1] == files_in(mine / "out")
    assert any((mine / "store").glob("*pack*")) or len(list((mine / "store").iterdir())) > 1


def finer(at: tuple[float, float], to: tuple[float, float], scale: float) -> dict[str, Any]:
    return {"shape": "box", "min": [at[0], -5, at[1]], "max": [to[0], 5, to[1]], "resolution": scale}


def with_volumes(folder: Path, *volumes: dict[str, Any]) -> None:
    scene = json.loads((folder / "marks.json").read_text())
    scene["volumes"] = [*scene["volumes"][:2], *volumes]
    (folder / "marks.json").write_text(json.dumps(scene))


@pytest.mark.parametrize("sizes", [[], [["rat", 0.3, 1.0], ["ogre", 1.0, 2.5]]], ids=["", "with sizes"])
def test_finer_and_coarser_cells(mine: Path, sizes: list[Any]) -> None:
    """Inside of sections, across their borders and corners: tiles and links are those of one build."""
    rewritten(mine / "world.json", lambda content: content.update(sizes=sizes))
    spots = finer((17, 3), (21, 5), 0.5), finer((37, 37), (40, 40), 0.25), finer((1, 21), (18, 40), 2)
    with_volumes(mine, *spots)
    assert built_names(mine) == NAMES if sizes else {"s00", "s10", "s01", "s22"} <= set(built_names(mine))
    world = read_world(mine / "world.json")
    whole = in_one_piece(world)
    assert whole.tile_grid is not None and len(whole.tile_grid.scaled) == 3
    tiles, wanted = tiles_of(mine / "out"), tiles_in_one_piece(whole)
    assert tiles == wanted
    parameters = file_of(mine / "out", "s00").parameters
    assert links_after_loading(tiles, parameters) == links_after_loading(wanted, parameters)
    assert built_names(mine) == [] and check_world(world, mine / "out") == []
    before = files_in(mine / "out")
    with_volumes(mine, *spots[:2])
    assert set(built_names(mine)) <= {"s00", "s01", "s02", "s10", "s11", "s12"}
    assert tiles_of(mine / "out") == tiles_in_one_piece(in_one_piece(read_world(mine / "world.json")))
    assert check_world(read_world(mine / "world.json"), mine / "out") == []
    with_volumes(mine, *spots)
    build_world(read_world(mine / "world.json"), mine / "out", executor=ThreadPoolExecutor(2), reference_bits=32)
    after = files_in(mine / "out")
    assert {name: after[name] for name in after if name.endswith(".bin")} == {
        name: before[name] for name in before if name.endswith(".bin")
    }


class Killed(BaseException):
    """Not an error that anybody expects."""


def test_killed_at_any_write_and_resumed(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run is killed one write later than the one before, as often as there are writes."""
    replace, left, wanted = Path.replace, [0], files_in(mine / "out")
    out, killed = mine / "again", 0

    def counted(path: Path, target: Any) -> Path:
        if left[0] == 0:
            raise Killed
        left[0] -= 1
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", counted)
    while True:
        left[0] = killed % 3
        try:
            build_world(read_world(mine / "world.json"), out, threads=1)
            break
        except Killed:
            killed += 1
        for path in out.iterdir():  # whole, or not there
            assert path.name.startswith(".") or path.read_bytes() == wanted[path.name] or "manifest" in path.name
    assert killed > 9
    assert {name: content for name, content in files_in(out).items() if not name.startswith(".")} == wanted


@pytest.fixture
def handed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The sections that workers get, job by job."""
    names: list[list[str]] = []
    begin = on_workers.SectionJob.__init__

    def noted(job: Any, works: Any, store: Any) -> None:
        names.append([work.name for work in works])
        begin(job, works, store)

    monkeypatch.setattr(on_workers.SectionJob, "__init__", noted)
    return names


def test_an_executor_builds_the_same(mine: Path, handed: list[list[str]]) -> None:
    wanted = files_in(mine / "out")
    with ThreadPoolExecutor(2) as executor:
        build_world(read_world(mine / "world.json"), mine / "elsewhere", executor=executor)
    assert files_in(mine / "elsewhere") == wanted
    assert sorted(name for names in handed for name in names) == sorted(NAMES)


def test_processes_get_whole_sections(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is read, built and written by the process that has it: here is nothing of it but its hashes."""
    wanted, out = files_in(mine / "out"), Path("elsewhere")
    monkeypatch.chdir(mine)  # paths of a world may be short ones
    for name in ("level_of", "_built"):
        monkeypatch.setattr(section_work, name, None)
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        report = build_world(read_world("world.json"), out, executor=executor)
    assert files_in(out) == wanted and [row.name for row in report.sections] == NAMES and not report.warnings


def test_few_sections_are_handed_over_tile_by_tile(mine: Path, handed: list[list[str]]) -> None:
    write_mesh(mine / "s10-crate.npz", crate(22.0, 8.5))
    with ThreadPoolExecutor(2) as executor:
        assert built_names(mine, executor=executor) == ["s10"]
    assert handed == []


def test_workers_that_do_not_see_the_files(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_workers.SeenFile, "is_seen", property(lambda _: False))
    with (
        ThreadPoolExecutor(2) as executor,
        pytest.raises(BadInput, match=r"Section “s00”: the worker on .* not see") as no,
    ):
        build_world(read_world(mine / "world.json"), mine / "elsewhere", executor=executor)
    assert no.value.code == "WORLD_NOT_SHARED"
    assert not list((mine / "elsewhere").glob("*.bin"))


def test_what_a_worker_refuses_names_its_section(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = section_work._built

    def refusing(work: Any, *more: Any) -> Any:
        if work.name == "s22":
            raise TooLarge("Tile (5, 5) has too many polygons.", "DETOUR_POLYGONS")
        return built(work, *more)

    monkeypatch.setattr(section_work, "_built", refusing)
    with ThreadPoolExecutor(2) as executor, pytest.raises(TooLarge) as refused:
        build_world(read_world(mine / "world.json"), mine / "elsewhere", executor=executor)
    assert str(refused.value).startswith("Section “s22”: Tile (5, 5)")
    rows = json.loads((mine / "elsewhere" / "world.manifest.json").read_text())["sections"]
    assert {"s00", "s10"} <= {row["name"] for row in rows} <= {*NAMES} - {"s22"}


def test_a_mark_tells_files_apart(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(b"one")
    mark = on_workers.SeenFile.of(path)
    assert mark.is_seen
    path.write_bytes(b"other")
    assert not mark.is_seen
    path.unlink()
    assert not mark.is_seen


def test_what_is_cancelled_goes_on_where_it_was(mine: Path) -> None:
    wanted, out = files_in(mine / "out"), mine / "again"

    def report(*_: object) -> None:
        if (out / "s10.bin").exists():
            progress.cancel()

    progress = Progress(report)
    with pytest.raises(Cancelled):
        build_world(read_world(mine / "world.json"), out, threads=1, progress=progress)
    left = {name: content for name, content in files_in(out).items() if name != "world.manifest.json"}
    assert {"s00.bin", "s10.bin"} <= set(left) and "s20.bin" not in left
    assert all(wanted[name] == content for name, content in left.items())
    build_world(read_world(mine / "world.json"), out, threads=1)
    assert files_in(out) == wanted


def test_memory_holds_one_section_and_its_border(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is built from is never more than the triangles that reach into the section, or its border."""
    seen = []
    level_of = section_work.level_of

    def counted(work: section_work.SectionWork, progress: Progress) -> CheckedLevel:
        level = level_of(work, progress)
        seen.append(len(level.geometry.triangles))
        return level

    monkeypatch.setattr(section_work, "level_of", counted)
    build_world(read_world(mine / "world.json"), mine / "elsewhere", threads=1)
    assert len(seen) == 9 and max(seen) < 2 * 140 < sum(seen) / 2


def test_a_door_that_is_opened_is_written_where_it_stands(mine: Path) -> None:
    scene = json.loads((mine / "marks.json").read_text())
    scene["volumes"][1]["closed"] = False
    (mine / "marks.json").write_text(json.dumps(scene))
    assert built_names(mine) == ["s11", "s21"]  # on both sides of whose border it lies
    assert tiles_of(mine / "out") == tiles_in_one_piece(in_one_piece(read_world(mine / "world.json")))


def test_areas_of_one_mesh_count_in_all(mine: Path) -> None:
    vertices, triangles = crate(30, 30)
    write_mesh(mine / "s11-crate.npz", (vertices, triangles), np.full(len(triangles), 5, np.uint8))
    built_names(mine)
    assert tiles_of(mine / "out") == tiles_in_one_piece(in_one_piece(read_world(mine / "world.json")))


def test_a_section_without_ground_has_no_file(mine: Path) -> None:
    write_mesh(mine / "s22.npz", crate(50, 50))
    write_mesh(mine / "s22-crate.npz", crate(50, 50))
    world = read_world(mine / "world.json")
    built_names(mine)
    rows = {row["name"]: row for row in json.loads((mine / "out" / "world.manifest.json").read_text())["sections"]}
    tiles = tiles_in_one_piece(in_one_piece(world))
    assert tiles_of(mine / "out") == tiles
    has_ground = any(x > 3 and y > 3 for x, y in tiles)
    assert (mine / "out" / "s22.bin").exists() == has_ground == (rows["s22"]["file"] is not None)
    assert check_world(world, mine / "out") == [] and built_names(mine) == []


def test_sections_that_the_world_no_longer_has_are_removed(mine: Path) -> None:
    (mine / "out" / "other.bin").write_bytes(b"not ours")

    def without_row(content: Any) -> None:
        del content["sections"][6:]
        content["bounds"][5] = 38.4

    world = rewritten(mine / "world.json", without_row)
    faults = check_world(world, mine / "out")
    assert [fault.section for fault in faults if fault.code == "SECTION_NOT_BUILT"] == ["s02", "s12", "s22"]
    build_world(world, mine / "out", threads=1)
    left = {path.stem for path in (mine / "out").glob("*.bin")}
    assert left == {"other", *NAMES[:6]} == {path.name.split(".")[0] for path in (mine / "out").glob("[so]*")}
    assert check_world(world, mine / "out") == []


def test_a_section_that_is_called_otherwise_fits_its_neighbors(mine: Path) -> None:
    def renamed(content: Any) -> None:
        content["sections"][4]["name"] = "core"

    world = rewritten(mine / "world.json", renamed)
    assert built_names(mine) == ["core"]
    assert check_world(world, mine / "out") == []


def test_a_world_of_which_nothing_came_is_refused(mine: Path) -> None:
    world = rewritten(mine / "world.json", lambda content: content["settings"].update(agent_max_slope=0))
    for _ in range(2):  # built, then kept
        with pytest.raises(NothingWalkable, match="No section of the world has ground"):
            build_world(world, mine / "out", threads=1)
    assert not list((mine / "out").glob("*.bin")) and check_world(world, mine / "out") == []


def test_they_are_removed_also_where_another_build_came_between(mine: Path) -> None:
    """It wrote a manifest without them, and their files stayed for ever."""
    write_mesh(mine / "s22.npz", crate(50, 50))

    def without_last(content: Any) -> None:
        del content["sections"][8]

    world = rewritten(mine / "world.json", without_last)
    (mine / "s22.npz").unlink()
    build_world(world, mine / "out", only=["s00"], threads=1)
    assert (mine / "out" / "s22.bin").is_file(), "of one section alone it is not known"
    build_world(world, mine / "out", threads=1)
    assert not list((mine / "out").glob("s22*"))


def test_what_cannot_be_removed_is_told(mine: Path) -> None:
    def without_last(content: Any) -> None:
        del content["sections"][8]

    world = rewritten(mine / "world.json", without_last)
    (mine / "out" / "s22.bin").unlink()
    (mine / "out" / "s22.bin").mkdir()
    with pytest.raises(NavmeshError, match=r"Could not remove .*s22\.bin: .*\. Remove it by hand\."):
        build_world(world, mine / "out", threads=1)


def test_check_finds_what_is_wrong_with_files(mine: Path) -> None:
    world, out = read_world(mine / "world.json"), mine / "out"
    (out / "s00.bin").unlink()
    damaged = bytearray((out / "s10.bin").read_bytes())
    damaged[60] ^= 255
    (out / "s10.bin").write_bytes(damaged)
    (out / "s20.bin").write_bytes((out / "s21.bin").read_bytes())
    manifest = json.loads((out / "world.manifest.json").read_text())
    manifest["sections"][2]["sha256"] = manifest["sections"][5]["sha256"]  # as if it had been written so
    manifest["sections"][3]["tiles"][0] = [5, 5, 0]
    del manifest["sections"][8]
    (out / "world.manifest.json").write_text(json.dumps(manifest))
    found = {(fault.section, fault.code) for fault in check_world(world, out)}
    assert found == {
        ("s00", "SECTION_FILE"), ("s10", "SECTION_FILE"), ("s20", "SECTION_TILES"), ("s01", "SECTION_TILES"),
        ("s22", "SECTION_NOT_BUILT"),
    }  # fmt: skip
    assert world_facts(world, out).missing == ("s22",)
    assert set(built_names(mine)) == {"s00", "s10", "s20"}
    assert check_world(world, out) == []


def test_what_is_not_built_is_told(tmp_path: Path) -> None:
    world = read_world(write_world(tmp_path))
    for look in (check_world, world_facts):
        with pytest.raises(BadInput) as refused:
            look(world, tmp_path / "nowhere")
        assert refused.value.code == "NO_MANIFEST"


def test_references_of_64_bits(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same tiles in files of the other kind; which it is, the manifest says, and another kind is built anew."""
    world, narrow = read_world(mine / "world.json"), tiles_of(mine / "out")
    assert (
        main(["world", "build", str(world.path), "-o", str(mine / "out"), "--references", "64", "--threads", "1"]) == 0
    )
    assert "9 of 9 sections built" in capsys.readouterr().out
    file = file_of(mine / "out", "s11")
    assert file.wide is not None and file.wide.max_tiles == 64 and tiles_of(mine / "out") == narrow
    manifest = json.loads((mine / "out" / "world.manifest.json").read_text())
    assert manifest["grid"]["references"] == 64
    assert check_world(world, mine / "out") == []
    assert main(["world", "info", str(world.path), "-o", str(mine / "out")]) == 0
    assert "with 64-bit references" in capsys.readouterr().out
    plans = plan_world(world, mine / "out", reference_bits=64)
    assert not any(plan.build for plan in plans)
    assert built_names(mine) == NAMES and file_of(mine / "out", "s11").wide is None
    with pytest.raises(BadInput, match="48"):
        plan_world(world, mine / "out", reference_bits=48)


def test_processes_share_a_world(mine: Path) -> None:
    """Each builds sections of its own, at the same time; a build of all then finds nothing to do but the manifest."""
    out, wanted = mine / "shared", files_in(mine / "out")
    command = [sys.executable, "-m", "navcore", "world", "build", str(mine / "world.json"), "-o", str(out), "--quiet"]
    shares = [[word for name in NAMES[first::2] for word in ("--only", name)] for first in (0, 1)]
    processes = [subprocess.Popen([*command, "--threads", "1", *share]) for share in shares]
    assert [process.wait() for process in processes] == [0, 0]
    report = build_world(read_world(mine / "world.json"), out, threads=1)
    assert not any(row.built for row in report.sections) and files_in(out) == wanted


def test_warnings_of_sections_are_told_as_long_as_they_stay(
    mine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of sections that are kept: the world's report has them with the section and the place."""
    (mine / "out" / "s10.bin").unlink()
    warning = BuildWarning("REPAIRED", "A polygon was mended.", (22.0, 0.0, 3.0))
    built = section_work._built
    monkeypatch.setattr(section_work, "_built", lambda *asked: built(*asked)._replace(warnings=(warning,)))
    words = ["world", "build", str(mine / "world.json"), "-o", str(mine / "out"), "--threads", "1", "--json"]
    told = []
    for _ in range(2):
        assert main(words) == 0
        said = capsys.readouterr()
        assert "warning: REPAIRED: Section “s10”: A polygon was mended. At (22, 0, 3)." in said.err
        told.append(json.loads(said.out))
    assert [answer["built"] for answer in told] == [1, 0]
    row = {"code": "REPAIRED", "section": "s10", "message": "A polygon was mended.", "place": [22.0, 0.0, 3.0]}
    assert [answer["warnings"] for answer in told] == [[row], [row]]


# --- several sizes of agents

SIZES = [{"name": "rat", "radius": 0.2, "height": 0.6}, {"name": "ogre", "radius": 1.2, "height": 3.0}]


def test_what_lies_on_no_tile_of_a_section_is_told(mine: Path) -> None:
    """No file holds it, and nobody said so."""
    scene = json.loads((mine / "marks.json").read_text())
    scene["links"] += [{"start": [17, 0, 5], "end": [170, 0, 5]}, {"start": [-1, 0, 5], "end": [170, 0, 5]}]
    scene["volumes"] += [finer((4, 4), (5, 5), 0.5), finer((-20, 4), (-10, 5), 0.5)]
    (mine / "marks.json").write_text(json.dumps(scene))
    world = read_world(mine / "world.json")
    for _ in range(2):  # also of sections that are kept
        told = [
            (row.section, row.warning.code, row.warning.message, row.warning.place)
            for row in build_world(world, mine / "out", threads=1).told
            if row.section == "s22"
        ]
        volume, *links = told
        assert volume[:2] == ("s22", "VOLUME_UNUSED") and volume[2].startswith("Volume 4 changes no cells")
        assert links == [
            (
                "s22",
                "LINK_UNATTACHED",
                f"Link {text} on the tile of no section, so no agent takes it. Move it or delete it.",
                at,
            )
            for text, at in (("3 ends", (170, 0, 5)), ("4 starts", (-1, 0, 5)))
        ]
    assert not [row for row in build_world(world, mine / "out", only=["s00"]).told if row.section == "s22"]


def test_marks_that_mark_nothing_in_any_section_are_told(mine: Path) -> None:
    """Of a mark in one section no other section says that it is unused."""
    scene = json.loads((mine / "marks.json").read_text())
    air = {"min": [4, 50, 4], "max": [5, 51, 5]}
    outlines = [[[x, 4], [x + 2, 4], [x + 2, 6]] for x in (4, 200)]
    scene["volumes"].append({"shape": "box", "area": 1, **air})
    scene["links"] += [{"start": [17, 50, 5], "end": [22, 0, 5]}, {"start": [4, 0, 5], "end": [22, 50, 5]}]
    scene["edits"] = [
        {"kind": "block", "name": name, "outline": outline, "min_height": -5, "max_height": 5}
        for name, outline in zip(("near", "far"), outlines, strict=True)
    ]
    (mine / "marks.json").write_text(json.dumps(scene))
    world = read_world(mine / "world.json")
    for _ in range(2):  # also of sections that are kept
        told = [(row.section, row.warning.code, row.sentence) for row in build_world(world, mine / "out").told]
        assert [row[:2] for row in told] == [
            ("s22", code) for code in ("VOLUME_UNUSED", "EDIT_UNUSED", "LINK_UNATTACHED", "LINK_UNATTACHED")
        ]
        assert "Volume 3 (box) marks nothing" in told[0][2] and "“far” does nothing here" in told[1][2]
        assert "Link 3 is not attached at its start" in told[2][2] and "Link 4 is not attached at its end" in told[3][2]
    assert not build_world(world, mine / "out", only=["s22"]).told  # nobody looked at the others


def test_a_world_for_several_sizes(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each tile is that of one build of everything, flags included, which what is in one section alone decides."""
    scene = json.loads((mine / "marks.json").read_text())
    scene["links"][0]["flags"] = 0x8000
    (mine / "marks.json").write_text(json.dumps(scene))
    world = rewritten(mine / "world.json", lambda content: content.update(sizes=SIZES))
    assert {plan.build for plan in plan_world(world, mine / "out")} == {True}
    build_world(world, mine / "out", threads=1)
    whole = in_one_piece(world)
    assert [size.exclude for size in whole.sizes] == [0x4000, 0x2000]
    assert tiles_of(mine / "out") == tiles_in_one_piece(whole)
    manifest = json.loads((mine / "out" / "world.manifest.json").read_text())
    assert manifest["sizes"] == [size.to_mapping() for size in whole.sizes]
    assert check_world(world, mine / "out") == [] and built_names(mine) == []
    assert main(["world", "info", str(world.path), "-o", str(mine / "out")]) == 0
    assert "rat excludes 0x4000, ogre excludes 0x2000" in capsys.readouterr().out
    other = rewritten(mine / "world.json", lambda content: content.update(sizes=SIZES[:1]))
    assert "sizes" in check_world(other, mine / "out")[0].message
    assert len(built_names(mine)) == 9


@pytest.mark.parametrize(
    ("sizes", "code"),
    [
        ("ogre", "BAD_SIZES"), ([{"name": "a"}], "BAD_SIZES"), ([("giant", 1.0, 99.0)], "BAD_SETTINGS"),
        ([(f"size {i}", 0.2, 1.0) for i in range(12)], "NO_FLAG_FOR_SIZE"),
    ],
)  # fmt: skip
def test_sizes_that_a_world_cannot_have(sizes: Any, code: str, mine: Path) -> None:
    with pytest.raises(NavmeshError) as refused:
        rewritten(mine / "world.json", lambda content: content.update(sizes=sizes))
    assert refused.value.code == code
