"""What a tile store refuses by name, and where the build goes on without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from navcore import NavmeshError, build_navmesh
from navcore.__main__ import main
from navcore.builder.tile_store.pack_files import PackWriter
from tests import scenes
from tests.navcore.builder.test_tile_store import CITY, TILED, everything, tally
from tests.navcore.builder.test_tiles import arrays


def test_a_build_in_one_piece_has_nothing_to_keep(tmp_path: Path) -> None:
    with pytest.raises(NavmeshError, match="Set it, to 64 say") as caught:
        build_navmesh(*scenes.flat(9), store=tmp_path / "store")
    assert caught.value.code == "STORE_WITHOUT_TILES" and not (tmp_path / "store").exists()


def test_builds_are_not_timed_with_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "m.npz", verts=CITY[0], tris=CITY[1])
    argv = ["build", f"{tmp_path}/m.npz", "--tile-size", "24", "--repeat", "2", "--store", f"{tmp_path}/s"]
    assert main(argv) == 1 and "--repeat" in capsys.readouterr().err and not (tmp_path / "s").exists()


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(NavmeshError, match=r"thesis\.txt") as caught:
        build_navmesh(*CITY, TILED, store=tmp_path)
    assert caught.value.code == "NOT_A_STORE"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_what_is_no_path_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(NavmeshError, match="store must be the path of a folder, not int"):
        build_navmesh(*CITY, TILED, store=7)  # type: ignore[arg-type]
    assert tally(build_navmesh(*scenes.flat(7), TILED, store=str(tmp_path))) == (0, 1)  # type: ignore[arg-type]


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("mine")
    with pytest.raises(NavmeshError, match="it is a file") as caught:
        build_navmesh(*CITY, TILED, store=tmp_path / "store")
    assert caught.value.code == "NOT_A_STORE" and (tmp_path / "store").read_text() == "mine"


def test_where_no_tile_has_triangles_the_bounds_are_named(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(NavmeshError, match="Check the bounds"):
            build_navmesh(*CITY, TILED, bounds=[900, 0, 900, 950, 1, 950], store=tmp_path)


@pytest.mark.parametrize(
    "content", ["", "{}", "[1]", '{"format": "navmesh tile store"}', '{"format": 1, "version": 1}']
)
def test_a_mark_that_says_something_else_is_no_mark(content: str, tmp_path: Path) -> None:
    (tmp_path / "navmesh-tile-store.json").write_text(content)
    with pytest.raises(NavmeshError) as caught:
        build_navmesh(*CITY, TILED, store=tmp_path)
    assert caught.value.code == "NOT_A_STORE"


def test_a_store_of_a_newer_version_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "navmesh-tile-store.json").write_text('{"format": "navmesh tile store", "version": 2}')
    with pytest.raises(NavmeshError, match="Choose another folder") as caught:
        build_navmesh(*CITY, TILED, store=tmp_path)
    assert caught.value.code == "STORE_NEWER"


def test_an_empty_folder_may_hold_what_other_tools_leave_there(tmp_path: Path) -> None:
    for name in (".gitignore", ".DS_Store"):
        (tmp_path / name).write_text("*")
    assert build_navmesh(*scenes.flat(9), TILED, store=tmp_path).report.warnings == []


def test_where_nothing_can_be_written_the_build_goes_on_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    navmesh = build_navmesh(*CITY, TILED, store=tmp_path / "file" / "store")
    assert [warning.code for warning in navmesh.report.warnings] == ["STORE_NOT_WRITTEN"]
    assert arrays(navmesh) == arrays(build_navmesh(*CITY, TILED))


def test_a_full_disk_is_told_and_what_fitted_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write, written = PackWriter._write, []

    def until_full(writer: PackWriter, data: bytes) -> None:
        if len(written) > 10:
            raise OSError(28, "No space left on device")
        written.append(data)
        write(writer, data)

    monkeypatch.setattr(PackWriter, "_write", until_full)
    navmesh = build_navmesh(*CITY, TILED, store=tmp_path, threads=1)
    (warning,) = navmesh.report.warnings
    assert warning.code == "STORE_NOT_WRITTEN" and "No space left" in warning.message
    monkeypatch.undo()
    again = build_navmesh(*CITY, TILED, store=tmp_path)
    assert tally(again)[0] == 10 and everything(again) == everything(build_navmesh(*CITY, TILED))
