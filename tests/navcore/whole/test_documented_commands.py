"""Every command of README and docs runs as it is printed, in a folder with a level, line after line of each page.

A page may name what its reader has: a level, a mesh of one's own, a scene. All else is made by its earlier lines.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from navcore.__main__ import main
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["README.md", *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))]
NOT_RUN = {"prepare": "takes minutes", "--dask": "needs a cluster at that address"}
SAVED = re.compile(r"Save this as `([\w.]+)`[^`]*^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
LEVEL = scenes.join([scenes.box(0, -1, 0, 24, 1, 20), scenes.box(8, 0, 13, 3, 3, 3)])


def commands_of(page: str) -> list[list[str]]:
    """The words of navcore's commands, and of Python's between them, as they stand in fenced blocks."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.split("\n")]
    words = [
        shlex.split(line, comments=True)
        for line in lines
        if re.match(r"(python3? -m navcore|navcore|python -c) ", line)
    ]
    return [line[1:] if line[0] == "navcore" else line[3:] if line[1] == "-m" else line[1:] for line in words]


RUN = [page for page in PAGES if commands_of(page)]
# Their kernels are needed by little else: compiling them takes minutes where none are kept.
LONG = ("docs/guide/clearance.md", "docs/guide/crowd.md", "docs/guide/queries.md")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a reader has."""
    np.savez(tmp_path / "level.npz", verts=LEVEL[0], tris=LEVEL[1])
    (tmp_path / "level.obj").write_text(scenes.obj_text(LEVEL))
    (tmp_path / "own.obj").write_text("v 0 0 0\nv 0 0 20\nv 20 0 20\nv 20 0 0\nf 1 2 3 4\n")
    (tmp_path / "scene.json").write_text(json.dumps({"seeds": [[2, 0, 2]]}))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", RUN)
def test_commands_of_a_page_run_as_printed(page: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if page in LONG and not os.environ.get("NAVMESH_EVERY_COMMAND"):
        pytest.skip("compiles for minutes: NAVMESH_EVERY_COMMAND=1 runs it, too")
    for name, content in SAVED.findall((ROOT / page).read_text(encoding="utf-8")):
        (folder / name).write_text(content)
    for words in commands_of(page):
        if NOT_RUN.keys() & set(words):
            continue
        if "--up" in words:  # a level of another kind; the ones here lie flat
            (folder / "other.obj").write_text(
                scenes.obj_text((np.asarray(LEVEL[0])[:, [0, 2, 1]] * (100, -100, 100), LEVEL[1]))
            )
            words = [word.replace("level.obj", "other.obj") for word in words]
        if words[0] == "-c":
            exec(words[1], {})
            continue
        status = main(words)
        assert status == 0, f"{page}: {shlex.join(words)}\n{capsys.readouterr().err}"


def test_the_pages_with_commands_are_looked_at() -> None:
    assert {"README.md", "docs/pipeline.md", "docs/guide/queries.md", "docs/guide/islands.md"} <= set(RUN)
    assert sum(len(commands_of(page)) for page in RUN) > 30
