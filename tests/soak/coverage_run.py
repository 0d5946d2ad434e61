"""Which lines of navcore the tests reach, kernels included: `python3 dev.py coverage`.

The kernels run as plain Python, some of them a hundred times slower. A test that takes too long so is stopped and what
it reached until then counts: it passes or fails elsewhere, here only lines are looked at. Every file of tests runs in a
process of its own: a thread that waits for a test which was stopped must not keep the others.
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
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"  # before anything imports Numba

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAST_LINES = 95.0  # percent of all of navcore
READERS = (
    "navcore/detour/checks.py", "navcore/detour/reader.py", "navcore/formats/godot_reader.py",
    "navcore/formats/json_mesh.py", "navcore/formats/npz.py", "navcore/formats/obj.py", "navcore/formats/sound.py",
    "navcore/formats/strict_json.py", "navcore/scene.py",
)  # fmt: skip
"""Files that read what somebody else wrote: every branch of them must be taken."""
TOO_SLOW = 4.0  # seconds of CPU for one test
TOO_LONG = 5  # times as many seconds, if it waits for other processes
FILE_SECONDS = 300  # for one file of tests; then it is interrupted
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
    parser.add_argument("--seconds", type=float, default=TOO_SLOW, help="of CPU for one test")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)), help="at a time")
    parser.add_argument("--missing", action="store_true", help="list the lines and branches not reached")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.chdir(ROOT)
    if arguments.inside:
        reach(arguments.tests[0], arguments.seconds, arguments.inside)
    every = (path for path in Path("tests").rglob("test_*.py") if path.parts[1] not in ELSEWHERE)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(arguments.processes) as pool:
        files = arguments.tests or sorted(every)
        parts = [Path(folder) / f"part-{number}" for number in range(len(files))]
        list(pool.map(lambda job: in_a_process(*job, arguments.seconds), zip(files, parts, strict=True)))
        measured = coverage.Coverage(branch=True, source=["navcore"], data_file=str(Path(folder) / "all"))
        measured.combine([str(part) for part in parts if part.exists()])
        return tell(measured, arguments.missing)


def in_a_process(tests: Path, data: Path, seconds: float) -> None:
    """Run one file of tests and leave in `data` what it reached."""
    command = [sys.executable, "-m", "tests.soak.coverage_run", str(tests), "--inside", str(data)]
    with subprocess.Popen([*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True) as process:
        try:
            said, _ = process.communicate(timeout=FILE_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # pytest ends, and what was reached is kept
            try:
                said, _ = process.communicate(timeout=FILE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                said = "hangs\n"
    print(f"{tests}: {said.splitlines()[-1] if said else 'no answer'}", flush=True)


def reach(tests: Path, seconds: float, data: Path) -> None:
    """In that process; ends it."""
    sys.path[:0] = [str(ROOT)]
    signal.signal(signal.SIGPROF, _stop)
    signal.signal(signal.SIGALRM, _stop)
    measured = coverage.Coverage(branch=True, source=["navcore"], data_file=str(data))
    measured.start()
    threads = importlib.import_module("navcore.threads")
    threads._cores = lambda: 1  # type: ignore[attr-defined]  # what runs on other threads can't be stopped
    hurry = Hurry(seconds)
    pytest.main(["-p", "no:cacheprovider", "--tb=line", "-r", "N", "-W", "ignore", str(tests)], [hurry])
    measured.stop()
    measured.save()
    print(f"{len(hurry.stopped)} tests stopped after {seconds:g} s, {hurry.failed} failed without compiled kernels")
    sys.stdout.flush()
    os._exit(0)  # threads that wait for a test which was stopped wait on


def tell(measured: coverage.Coverage, missing: bool) -> int:
    """Print what was reached; 1 where it is too little."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "coverage.json"
        measured.json_report(outfile=str(path))
        found = json.loads(path.read_text())
    totals, files = found["totals"], found["files"]
    if missing:
        for name, file in files.items():
            if file["missing_lines"] or file["missing_branches"]:
                print(f"{name}: lines {file['missing_lines']}, branches {file['missing_branches']}")
    lines = 100 * totals["covered_lines"] / totals["num_statements"]
    branches = 100 * totals["covered_branches"] / totals["num_branches"]
    print(f"navcore: {lines:.2f} % of lines (at least {LEAST_LINES:g}), {branches:.2f} % of branches")
    short = [name for name in READERS if files[name]["missing_lines"] or files[name]["missing_branches"]]
    for name in short:
        print(f"{name}: not every branch is taken; not reached are {files[name]['missing_branches']}")
    print(f"{len(READERS) - len(short)} of {len(READERS)} readers with every branch taken")
    return 0 if lines >= LEAST_LINES and not short else 1


if __name__ == "__main__":
    raise SystemExit(main())
