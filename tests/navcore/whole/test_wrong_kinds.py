"""Public functions given something else than they take: refused in a sentence that names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from navcore import (
    NavMesh,
    NavmeshError,
    Settings,
    build_navmesh,
    prune_navmesh,
    read_navmesh,
    rebuild_tiles,
    stitch_tiles,
    triangulated,
    write_navmesh,
)
from navcore.formats import read_navmesh_file
from navcore.formats.mset import mset_bytes
from tests import scenes

FLOOR = scenes.box(0, -1, 0, 9, 1, 9)
BOX = (0, -1, 0, 1, 1, 1)
TILED = Settings(tile_size=16)


@pytest.fixture(scope="module")
def navmesh() -> NavMesh:
    return build_navmesh(*FLOOR, TILED)


def read_back(navmesh: NavMesh, kind: str, folder: Path) -> Any:
    """What is no built navmesh."""
    path = folder / "level.bin"
    path.write_bytes(mset_bytes(navmesh))
    return {"file": read_navmesh(path), "plain": read_navmesh_file(path), "path": path, "nothing": None}[kind]


@pytest.mark.parametrize("kind", ["file", "plain", "path", "nothing"])
@pytest.mark.parametrize(
    "function",
    [
        lambda wrong: rebuild_tiles(wrong, BOX, *FLOOR),
        lambda wrong: prune_navmesh(wrong, [[1, 0, 1]]),
        lambda wrong: stitch_tiles(wrong),
    ],
    ids=["rebuild_tiles", "prune_navmesh", "stitch_tiles"],
)
def test_what_wants_a_built_navmesh_refuses_what_was_read(
    function: Callable[[Any], object], kind: str, navmesh: NavMesh, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    name = request.node.callspec.id.partition("-")[0]
    with pytest.raises(NavmeshError, match=r"takes a navmesh that was built, not .* build the level again") as refused:
        function(read_back(navmesh, kind, tmp_path))
    assert refused.value.code == "NOT_BUILT" and str(refused.value).startswith(f"{name} takes")


@pytest.mark.parametrize("ending", [".bin", ".json", ".glb"])
def test_a_navmesh_that_was_read_is_written_again(ending: str, navmesh: NavMesh, tmp_path: Path) -> None:
    """In whichever of the two ways it was read."""
    for number, kind in enumerate(("file", "plain")):
        write_navmesh(read_back(navmesh, kind, tmp_path), tmp_path / f"again{number}{ending}")
    first, second = ((tmp_path / f"again{number}{ending}").read_bytes() for number in range(2))
    assert first == second and (ending != ".bin" or first == mset_bytes(navmesh))


def test_files_are_read_by_their_path_too(navmesh: NavMesh, tmp_path: Path) -> None:
    path = tmp_path / "level.bin"
    path.write_bytes(mset_bytes(navmesh))
    for given in (path, str(path), path.read_bytes(), bytearray(path.read_bytes()), memoryview(path.read_bytes())):
        assert len(read_navmesh(given).tiles) == len(navmesh.tiles)
    with pytest.raises(NavmeshError, match=r"Could not read .*missing\.bin: No such file"):
        read_navmesh(tmp_path / "missing.bin")
    with pytest.raises(NavmeshError, match=r"The file has [\d,]{5,} bytes \(limit 16\)") as refused:
        read_navmesh(path, most_bytes=16)
    assert refused.value.code == "FILE_TOO_LARGE"


WRONG: dict[str, Callable[[NavMesh, Path], object]] = {
    "write_navmesh takes a navmesh that was built, not NoneType": lambda _, p: write_navmesh(None, p / "a.bin"),
    "write_navmesh takes a navmesh that was built, not str": lambda _, p: write_navmesh("a.bin", p / "b.json"),
    "write_navmesh takes the path of a file, not NoneType": lambda n, _: write_navmesh(n, None),
    "options must be ExportOptions, not dict": lambda n, p: write_navmesh(n, p / "a.glb", None, {"name": "a"}),
    "There is no target 7": lambda n, p: write_navmesh(n, p / "a.glb", 7),
    "triangulated takes what stitch_tiles returns, not NavMesh": lambda n, _: triangulated(n),
    "read_navmesh takes a file's bytes or its path, not NavMesh": lambda n, _: read_navmesh(n),
    "settings must be Settings; .* not dict": lambda *_: build_navmesh(*FLOOR, {"cell_size": 0.3}),
    "threads must be a whole number, not str": lambda *_: build_navmesh(*FLOOR, threads="2"),
    "executor must be an Executor .* not int": lambda *_: build_navmesh(*FLOOR, TILED, executor=2),
    "progress must be a Progress or a function, not str": lambda *_: build_navmesh(*FLOOR, progress="bar"),
    "failures must be the path of a folder, not int": lambda *_: build_navmesh(*FLOOR, failures=1),
    "on_tile must be a function .* not list": lambda *_: build_navmesh(*FLOOR, TILED, on_tile=[]),
    "area_types must be a mapping .* not NoneType": lambda *_: build_navmesh(*FLOOR, area_types=None),
    "areas must be one whole number per triangle": lambda *_: build_navmesh(*FLOOR, areas=[[1], [2, 3]]),
    "bounds must be six numbers .* not ndarray": lambda *_: build_navmesh(*FLOOR, bounds=FLOOR[0]),
    "changed_bounds must be six numbers .* not NoneType": lambda n, _: rebuild_tiles(n, None, *FLOOR),
    "changed_bounds must be six numbers .* not str": lambda n, _: rebuild_tiles(n, "all", *FLOOR),
    "threads must be a whole number, not float": lambda n, _: rebuild_tiles(n, BOX, *FLOOR, threads=1.5),
    "seeds must be a list, not 7": lambda n, _: prune_navmesh(n, 7),
}


@pytest.mark.parametrize("said", WRONG)
def test_other_wrong_kinds_are_refused_by_name(said: str, navmesh: NavMesh, tmp_path: Path) -> None:
    with pytest.raises(NavmeshError, match=said):
        WRONG[said](navmesh, tmp_path)
