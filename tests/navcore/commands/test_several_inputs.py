"""`navcore build A B C -o "{file}.bin"`: one process, one line on all, one exit status."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.commands import build_command
from navcore.errors import Cancelled
from tests import scenes

FLAGS = ["--threads", "1", "--cell-size", "0.3"]


@pytest.fixture
def meshes(tmp_path: Path) -> list[str]:
    paths = []
    for name, height in (("a", 0.0), ("b", 1.0)):
        vertices, triangles = scenes.box(0, height - 1, 0, 6, 1, 6)[:2]
        np.savez(tmp_path / f"{name}.npz", verts=np.float32(vertices), tris=np.int32(triangles))
        paths.append(str(tmp_path / f"{name}.npz"))
    (tmp_path / "broken.npz").write_bytes(b"no mesh")
    return [*paths, str(tmp_path / "broken.npz")]


@pytest.mark.parametrize("placeholder", ["{file}", "{name}"])
def test_each_gets_what_it_gets_alone(
    meshes: list[str], tmp_path: Path, placeholder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, _ = meshes
    outputs = ["-o", str(tmp_path / f"n-{placeholder}.bin"), "--report", str(tmp_path / f"r-{placeholder}.json")]
    assert main(["build", a, b, *outputs, *FLAGS]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("a.npz: ") and lines[1].startswith("b.npz: ") and "2 files: 2 built in" in lines[2]
    for path, name in ((a, "a"), (b, "b")):
        assert main(["build", path, "-o", str(tmp_path / "alone.bin"), *FLAGS]) == 0
        assert (tmp_path / f"n-{name}.bin").read_bytes() == (tmp_path / "alone.bin").read_bytes()
        assert json.loads((tmp_path / f"r-{name}.json").read_text())["ok"]


def test_one_that_fails_stops_no_other(meshes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, broken = meshes
    report = tmp_path / "report.json"
    words = [a, broken, b, "-o", str(tmp_path / "n-{file}.bin"), "--report", str(report)]
    assert main(["build", *words, *FLAGS]) == 1
    said = capsys.readouterr()
    assert "3 files: 2 built, 1 refused in" in said.out and "navcore: broken.npz: " in said.err
    assert sorted(path.name for path in tmp_path.glob("n-*.bin")) == ["n-a.bin", "n-b.bin"]
    content = json.loads(report.read_text())
    assert not content["ok"] and [row["file"] for row in content["builds"]] == ["a", "broken", "b"]
    assert [row["ok"] for row in content["builds"]] == [True, False, True]
    assert main(["build", a, b, *words[3:], "--max-islands", "0", *FLAGS]) == 3
    assert [row["ok"] for row in json.loads(report.read_text())["builds"]] == [False, False]


def test_the_line_on_all_tells_what_was_left_out_and_what_was_cancelled(
    meshes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It called both built, and a file that was cancelled refused."""
    words = ["build", *meshes[:2], "-o", str(tmp_path / "n-{file}.bin"), "--skip-unchanged", *FLAGS]
    assert main(words) == 0
    np.savez(meshes[0], verts=np.float32(scenes.box(0, 0, 0, 9, 1, 9)[0]), tris=scenes.box(0, 0, 0, 9, 1, 9)[1])
    capsys.readouterr()
    assert main(words) == 0 and "2 files: 1 built, 1 unchanged in" in capsys.readouterr().out
    make = build_command.BuildCommand.make

    def cancelled(command: build_command.BuildCommand) -> None:
        if command.arguments.input.stem == "b":
            raise Cancelled
        make(command)

    monkeypatch.setattr(build_command.BuildCommand, "make", cancelled)
    assert main(["build", *meshes, *words[3:]]) == 130
    assert "3 files: 0 built, 1 unchanged, 2 cancelled in" in capsys.readouterr().out


def test_one_build_is_compared_with_its_own_row_of_a_report_on_several(
    meshes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not with the first one's ground, which is another level's."""
    vertices, triangles = scenes.box(0, 0, 0, 12, 1, 12)[:2]
    np.savez(tmp_path / "b.npz", verts=np.float32(vertices), tris=np.int32(triangles))
    a, b, broken = meshes
    report = str(tmp_path / "report.json")
    assert main(["build", a, b, "-o", str(tmp_path / "n-{file}.bin"), "--report", report, *FLAGS]) == 0
    gate = ["-o", str(tmp_path / "again.bin"), "--last-report", report, "--max-area-change", "1", *FLAGS]
    assert main(["build", b, *gate]) == 0 == main(["build", a, *gate])
    capsys.readouterr()
    np.savez(broken, verts=np.float32(vertices), tris=np.int32(triangles))
    assert main(["build", broken, *gate]) == 1
    assert "tells no walkable ground" in capsys.readouterr().err


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A level and all that commands read of it, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "level.obj").write_text(scenes.obj_text(scenes.box(0, -1, 0, 16, 1, 16)))
    (tmp_path / "l-level.obj").write_bytes((tmp_path / "level.obj").read_bytes())
    (tmp_path / "scene.json").write_text("{}")
    (tmp_path / "tests.json").write_text('{"tests": []}')
    (tmp_path / "obstacles.json").write_text("[]")
    np.savez("questions.npz", points=[[2, 0, 2, 9, 0, 9]])
    assert main(["build", "level.obj", "-o", "n.json", "-o", "n.tilecache.bin", "--tile-size", "48", "--quiet"]) == 0
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "build level.obj -o level.obj",
        "build l-level.obj -o l.gset",
        "build level.obj --scene scene.json -o scene.json",
        "build level.obj --scene scene.json -o b.bin --report scene.json",
        "build level.obj --test tests.json -o ./tests.json",
        "build level.obj l-level.obj -o {file}.bin --report level.obj",
        "build level.obj -o b.json --report b.json",
        "build level.obj -o b.bin -o b.bin",
        "build level.obj --tile-size 48 -o b.tilecache.bin -o b.tilecache.json",
        "build level.obj -o b.bin --max-area-change 1 --last-report b.bin",
        "convert level.obj -o level.obj",
        "convert level.obj -o b.bin --report level.obj",
        "obstacles n.tilecache.bin -o n.tilecache.json",
        "obstacles n.tilecache.bin --file obstacles.json -o obstacles.json",
        "cover n.json --level level.obj -o n.json",
        "walk n.json --from 2,0,2 --to 9,0,9 -o n.json",
        "walk n.json --from 2,0,2 --to 9,0,9 -o b.json --heat b.json",
        "query n.json questions.npz -o questions.npz",
    ],
)
def test_what_is_read_is_not_written_over(files: Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nor one output over another: a level was gone, and the command said that all went well."""
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    assert main(words.split()) == 1
    assert "navcore: SAME_NAME: " in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_names_that_two_would_write_are_refused(
    meshes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b, _ = meshes
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "A.npz"
    other.write_bytes(Path(a).read_bytes())
    for words in (
        [a, b, "-o", str(tmp_path / "n.bin")],
        [a, b, "-o", str(tmp_path / "{file}.bin"), "--page", str(tmp_path / "n.html")],
        [a, str(other), "-o", str(tmp_path / "{file}.bin")],
    ):
        assert main(["build", *words, *FLAGS]) == 1
        assert "SAME_NAME" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.bin")) and not list(tmp_path.glob("*.html"))


@pytest.mark.parametrize(
    "words", ["-o {fil}.bin", "-o {setup}.bin", "-o n.bin --report {files}.json", "-o n.bin --page a-{page}.html"]
)
def test_a_misspelt_placeholder_is_refused(files: Path, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A file called by it was written."""
    assert main(["build", "level.obj", *words.split()]) == 1
    assert "stands for nothing here. Write {file} or {name}." in capsys.readouterr().err
    assert not list(files.glob("*{*")) and not (files / "n.bin").exists()
