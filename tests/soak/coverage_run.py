"""Which lines of navcore the tests reach, kernels included: `python3 dev.py coverage`.

Every file of tests runs twice. Once with compiled kernels, as users have them: this reaches what calls, keeps and loads
kernels, but no line within one. And once with the kernels as plain Python, some of them a hundred times slower: a test
that takes too long so is stopped and what it reached until then counts. Two figures come of it: of both runs together,
where a line counts that either reached, and of plain Python alone. Whether tests pass is looked at elsewhere. Processes
that tests start are followed. Every file runs in a process of its own: a thread that waits for a test which was stopped
must not keep the others.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAST_LINES = 95.0  # percent, of both runs together and of plain Python alone
READERS = (
    "navcore/detour/file_checks.py", "navcore/detour/reader.py", "navcore/formats/godot/godot_mesh_reader.py",
    "navcore/formats/json_mesh.py", "navcore/files/npz.py", "navcore/formats/mesh_checks.py",
    "navcore/files/strict_json.py", "navcore/scene.py", "navcore/checked_fields.py",
    "navcore/formats/obj/line_kernel.py", "navcore/formats/obj/obj_reader.py", "navcore/formats/level_mesh.py",
    "navcore/formats/gltf/level_reader.py",
    "navcore/formats/gltf/placed_parts.py", "navcore/formats/trimesh_files.py",
)  # fmt: skip
"""Files that read what somebody else wrote: every branch of them must be taken."""
ONLY_COMPILED = ("test_plain_python", "test_jit", "test_shipped_pack", "test_remembered_types", "test_every_kernel")
"""Tests of how kernels are compiled and kept: with kernels as plain Python there is nothing to compile or to keep."""
ABOUT_COMPILING = ("navcore/kernels/", "navcore/compile_ahead/", "navcore/builder/sample_stages.py")
"""What compiles, keeps and prepares kernels. The figure of plain Python alone is told without it, as nothing calls it
there, and for comparison with it; that of both runs holds it.
"""
COMPILED, PLAIN = "compiled", "plain"
TOO_SLOW = 4.0  # seconds of CPU for one test with kernels as plain Python
TOO_LONG = 5  # times as many seconds, if it waits for other processes
FILE_SECONDS = 600  # for one file of tests; then what it reached is kept, and it is ended
ELSEWHERE = ("blender", "clients", "golden", "gui", "package", "peer")  # about other things than lines of navcore


class TooSlow(BaseException):
    """Raised in a test whose time is up; no Exception, so that hypothesis does not take it for a failing example."""


class Hurry:
    """Stops each test after a while, and leaves out the same test with other values; those are for compiled kernels."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.stopped: set[str] = set()
        self.failed = 0

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if item.nodeid.partition("[")[0] in self.stopped:
            pytest.skip("too slow without compiled kernels")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        signal.setitimer(signal.ITIMER_PROF, self.seconds, 1)
        signal.setitimer(signal.ITIMER_REAL, TOO_LONG * self.seconds, 1)
        try:
            return (yield)
        except TooSlow:
            self.stopped.add(item.nodeid.partition("[")[0])
            return None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.failed


def _stop(*_: Any) -> None:
    raise TooSlow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tests", nargs="*", type=Path, help="files of tests (default: all about navcore)")
    parser.add_argument("--seconds", type=float, default=TOO_SLOW, help="of CPU for one test, kernels not compiled")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)), help="at a time")
    parser.add_argument("--plain", action="store_true", help="only the runs with kernels as plain Python")
    parser.add_argument("--missing", action="store_true", help="list the lines and branches not reached")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.chdir(ROOT)
    if arguments.inside:
        reach(arguments.tests[0], arguments.seconds, arguments.inside)
    every = (path for path in Path("tests").rglob("test_*.py") if path.parts[1] not in ELSEWHERE)
    files = arguments.tests or sorted(every)
    jobs = [] if arguments.plain else [(path, COMPILED) for path in files]
    jobs += [(path, PLAIN) for path in files if path.stem not in ONLY_COMPILED]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(arguments.processes) as pool:
        folder = Path(name)
        for kind in (COMPILED, PLAIN):
            (folder / kind).mkdir()
            settings_in(folder / kind).write_text(SETTINGS.format(folder=folder / kind, package=ROOT / "navcore"))
        list(pool.map(lambda job: in_a_process(*job, folder, arguments.seconds), jobs))
        enough = True
        if not arguments.plain:
            enough = told("both runs", figures(folder, COMPILED, PLAIN), arguments.missing)
        alone = figures(folder, PLAIN)
        needed = {path: file for path, file in alone.items() if not path.startswith(ABOUT_COMPILING)}
        enough &= told("plain Python alone", needed, arguments.missing)
        print(f"plain Python alone, with what is about compiling: {lines_of(alone):.2f} % of lines")
        return 0 if enough else 1


SETTINGS = """
[run]
branch = true
data_file = {folder}/reached
parallel = true
include =
    {package}/*
    */toy/kernels/*
    */renamed/kernels/*
patch = _exit
sigterm = true
disable_warnings = no-data-collected, include-ignored
[paths]
package =
    {package}
    */toy
    */renamed
"""
"""For every process: each leaves a file. Tests of compiled kernels copy what keeps them into a package of their own."""


def settings_in(folder: Path) -> Path:
    return folder / "settings"


def in_a_process(tests: Path, kind: str, folder: Path, seconds: float) -> None:
    """Run one file of tests, and leave in the folder of its kind what it reached."""
    inside = str(settings_in(folder / kind))
    command = [sys.executable, "-m", "tests.soak.coverage_run", str(tests), "--inside", inside]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if kind == PLAIN else "0"}
    with subprocess.Popen(
        [*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            said, _ = process.communicate(timeout=FILE_SECONDS + 60)
        except subprocess.TimeoutExpired:  # not even its watch could run: what it reached is lost
            process.kill()
            said = ""
    print(f"{tests}, {kind}: {said.splitlines()[-1] if said else 'no answer'}", flush=True)


def reach(tests: Path, seconds: float, settings: Path) -> None:
    """In that process; ends it."""
    sys.path[:0] = [str(ROOT)]
    measured = coverage.Coverage(config_file=str(settings), source=["navcore"], data_suffix=True)
    measured.start()
    os.environ["COVERAGE_PROCESS_START"] = str(settings)  # for processes that tests start
    # A thread, not a signal: one that is ignored, or that a test swallows, would leave nothing of what was reached.
    watch = threading.Timer(FILE_SECONDS, lambda: _keep(measured, f"ended after {FILE_SECONDS} s"))
    watch.daemon = True
    watch.start()
    hurry = Hurry(seconds)
    plain = os.environ["NUMBA_DISABLE_JIT"] == "1"
    if plain:
        signal.signal(signal.SIGPROF, _stop)
        signal.signal(signal.SIGALRM, _stop)
        threads = importlib.import_module("navcore.threads")
        threads._cores = lambda: 1  # type: ignore[attr-defined]  # what runs on other threads can't be stopped
    options = ["-p", "no:cacheprovider", "--tb=line", "-r", "N", "-W", "ignore"]
    ended = pytest.ExitCode(pytest.main([*options, str(tests)], [hurry] if plain else [])).name
    watch.cancel()
    stopped = f"{len(hurry.stopped)} stopped after {seconds:g} s, {hurry.failed} failed"
    _keep(measured, stopped if plain else ended.lower().replace("_", " "))


def _keep(measured: coverage.Coverage, told: str) -> None:
    """Save what was reached, and end: threads that wait for a test which was stopped wait on."""
    measured.save()
    print(f"\n{told}", flush=True)
    os._exit(0)


def figures(folder: Path, *kinds: str) -> dict[str, Any]:
    """What the runs of these kinds reached together, by file."""
    together = folder / "-".join(("sum", *kinds))
    together.mkdir()
    measured = coverage.Coverage(data_file=str(together / "reached"), config_file=str(settings_in(folder / PLAIN)))
    measured.combine([str(folder / kind) for kind in kinds], keep=True)
    report = together / "coverage.json"
    measured.json_report(outfile=str(report))
    files: dict[str, Any] = json.loads(report.read_text())["files"]
    return files


def share(files: dict[str, Any], covered: str, every: str) -> float:
    summaries = [file["summary"] for file in files.values()]
    return 100 * sum(summary[covered] for summary in summaries) / sum(summary[every] for summary in summaries)


def lines_of(files: dict[str, Any]) -> float:
    return share(files, "covered_lines", "num_statements")


def told(runs: str, files: dict[str, Any], missing: bool) -> bool:
    """Print what was reached; False where it is too little."""
    if missing:
        for name, file in files.items():
            if file["missing_lines"] or file["missing_branches"]:
                print(f"{runs}, {name}: lines {file['missing_lines']}, branches {file['missing_branches']}")
    lines, branches = lines_of(files), share(files, "covered_branches", "num_branches")
    print(f"{runs}: {lines:.2f} % of lines (at least {LEAST_LINES:g}), {branches:.2f} % of branches")
    short = [name for name in READERS if files[name]["missing_lines"] or files[name]["missing_branches"]]
    for name in short:
        print(f"{runs}, {name}: not every branch is taken; not reached are {files[name]['missing_branches']}")
    print(f"{runs}: {len(READERS) - len(short)} of {len(READERS)} readers with every branch taken")
    return lines >= LEAST_LINES and not short


if __name__ == "__main__":
    raise SystemExit(main())
