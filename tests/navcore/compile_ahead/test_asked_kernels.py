"""Kernels of questions and links: which they are is found out without compiling, and other processes compile them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from navcore.compile_ahead import asked_kernels, starter
from navcore.compile_ahead.processes import ASKED as ASKED_TASKS
from navcore.compile_ahead.processes import LINKS, QUESTIONS, stamp, stamp_of, wanted

ROOT = Path(__file__).resolve().parents[3]
LISTED = """
    import json, sys
    from navcore.compile_ahead.asked_kernels import foreseen
    from navcore.kernels.kernel_store import STORE
    calls = foreseen(sys.argv[1])
    print(json.dumps([[call.kernel.__module__, call.kernel.__qualname__, call.name] for call in calls]))
    print(len(STORE.tally.compiled))
"""
ASKED = """
    import json
    from navcore import NavQuery, navmesh_from_polygons
    from navcore.kernels.kernel_store import STORE
    corners = [(0, 0, 0), (0, 0, 4), (4, 0, 4), (4, 0, 0)]
    NavQuery(navmesh_from_polygons(corners, [(0, 1, 2), (0, 2, 3)])).find_paths([(1, 0, 2)], [(3, 0, 2)])
    print(json.dumps([*STORE.tally.compiled, *STORE.tally.loaded]))
"""


def python(text: str, *words: str, **environment: str) -> list[Any]:
    """What a script prints line by line, in a process with the given surroundings."""
    env = {**os.environ, "NAVMESH_KERNEL_PROCESSES": "0", **environment}
    command = [sys.executable, "-c", textwrap.dedent(text), *words]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is Linux's")
@pytest.mark.parametrize(
    ("task", "last", "among"),
    [
        (QUESTIONS, "straight_rows", {"path_rows", "nearest_rows", "put_tile"}),
        (
            LINKS,
            "_failing_kernel",
            {"_lands_near_kernel", "links_along_walls", "_in_order", "_read_kernel", "rasterize_rows"},
        ),
    ],
)
def test_what_is_needed_is_found_without_compiling(task: str, last: str, among: set[str], tmp_path: Path) -> None:
    calls, compiled = python(LISTED, task, XDG_CACHE_HOME=str(tmp_path), NAVMESH_SHIPPED_KERNELS="0")
    names = [name for _, name, _ in calls]
    assert compiled == 0 and names[0] == last and among <= set(names)
    assert len({name for _, _, name in calls}) == len(calls)


def test_every_task_has_its_kernels() -> None:
    assert asked_kernels._STEPS.keys() == set(ASKED_TASKS)


def test_a_path_asks_for_the_kernels_that_were_foreseen(tmp_path: Path) -> None:
    """For the same types: others would be compiled in vain."""
    (calls, _), (asked,) = (
        python(LISTED, QUESTIONS, NAVMESH_SHIPPED_KERNELS="0", XDG_CACHE_HOME=str(tmp_path)),
        python(ASKED),
    )
    foreseen = {name for module, _, name in calls if ".navquery." in module}
    assert len(foreseen) >= 5 and foreseen <= set(asked)


def test_they_begin_where_nobody_compiles_and_something_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; print('0.5 1.0 compiling', flush=True); sys.stdin.read()")
    monkeypatch.setenv(starter.VARIABLE, "3")
    compiler = starter.begin_asked(tmp_path, QUESTIONS, spared=1)
    assert compiler is not None and compiler.running and len(compiler._helpers) == 1
    assert compiler.holds_up() and not compiler.is_whole
    assert starter.begin_asked(tmp_path, LINKS, spared=1) is None and starter.current() is compiler
    starter.stop()
    stamp_of(tmp_path, QUESTIONS).write_text(stamp(), encoding="utf-8")
    assert not wanted(tmp_path, QUESTIONS) and wanted(tmp_path, LINKS)
    assert starter.begin_asked(tmp_path, QUESTIONS, spared=1) is None


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is Linux's")
def test_a_process_compiles_them_and_says_when_all_are_there(tmp_path: Path) -> None:
    """All but few are there, so that it takes no minutes."""
    from navcore.compile_ahead import processes

    text = """
        import sys
        from pathlib import Path
        from navcore.compile_ahead import asked_kernels, processes
        foreseen = asked_kernels.foreseen
        asked_kernels.foreseen = lambda task: foreseen(task)[-1:]  # _bounds_kernel or the like
        sys.stdin.close()
        processes._end_with_starter = lambda: None
        folder, claims = Path(sys.argv[1]), Path(sys.argv[2])
        processes.main(processes.QUESTIONS, folder, claims)
    """
    folder, claims = tmp_path / "kernels", tmp_path / "claims"
    for made in (folder, claims):
        made.mkdir(mode=0o700)
    env = {**os.environ, "NAVMESH_SHIPPED_KERNELS": "0"}
    command = [sys.executable, "-c", textwrap.dedent(text), str(folder), str(claims)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.splitlines()[-1].endswith(processes.COMPILING), done.stderr
    assert len(list(folder.rglob("*.kernel"))) >= 1 and len(list(claims.glob("* begun"))) == 1
