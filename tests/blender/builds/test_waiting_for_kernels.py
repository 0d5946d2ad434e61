"""Builds and files while kernels are still being compiled."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from navcore.settings import Settings
from tests.blender.builds.preparation import wait_for_its_first_line


def script(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


def test_a_build_waits_and_can_be_cancelled_meanwhile(preparation: Any, addon: Any, tmp_path: Path) -> None:
    BuildJob, Means = addon("builds.run_builds").BuildJob, addon("builds.request_and_result").Means  # noqa: N806
    wait_for_its_first_line(preparation.begin(tmp_path))
    level = SimpleNamespace(vertices=[], bounds=None, own=())
    waiting = BuildJob([SimpleNamespace(prune=False, settings=Settings(), gathered=level)], Means())
    thread = threading.Thread(target=waiting._run)
    thread.start()
    until = time.monotonic() + 30
    while waiting.stage != "compiling" and time.monotonic() < until:
        time.sleep(0.02)
    assert (waiting.stage, waiting.fraction) == ("compiling", 0.25)
    waiting.cancel()
    thread.join(5)
    assert not thread.is_alive()
    assert type(waiting.error).__name__ == "Cancelled"


class Build:
    """Stands in for one: what it was given, and whether Python itself would have run kernels that are not compiled."""

    def __init__(self, interpreting: Any, progress: Any = None) -> None:
        self.begun: list[Any] = []
        self.by_python: list[bool] = []
        self.fails: Exception | None = None
        self.until_stopped = False
        self._interpreting, self._progress = interpreting, progress

    def begin(self) -> Any:
        self.begun.append(self._progress.Progress() if self._progress else None)
        return self.begun[-1]

    def make(self, progress: Any) -> str:
        self.by_python.append(self._interpreting.is_standing_in())
        if self.fails and self.by_python[-1]:
            raise self.fails
        until = time.monotonic() + 30
        while self.until_stopped and self.by_python[-1] and time.monotonic() < until:
            progress.check()
            time.sleep(0.01)
        return "made"


@pytest.fixture
def built(addon: Any) -> Build:
    return Build(addon("plain_python", "navcore.kernels"), addon("progress", "navcore"))


def compiling(preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, then: str = "time.sleep(60)") -> Any:
    script = f"import sys, time; print('0.3 1.0 ground'); sys.stdout.flush(); {then}"
    monkeypatch.setattr(preparation, "_SCRIPT", script)
    started = preparation.begin(tmp_path)
    wait_for_its_first_line(started)
    return started


def test_a_small_level_is_built_while_the_compiler_goes_on(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(preparation, monkeypatch, tmp_path)
    interval = sys.getswitchinterval()
    assert addon("waiting", "navcore.compile_ahead").build(built.make, built.begin, True, None) == "made"
    assert built.by_python == [True] and len(built.begun) == 1
    assert not built._interpreting.is_standing_in() and sys.getswitchinterval() == interval


@pytest.mark.parametrize("fails", [False, True])
def test_the_compiler_may_be_first_and_its_numbers_may_be_needed(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: bool
) -> None:
    compiling(
        preparation, monkeypatch, tmp_path, "time.sleep(1); print('0.9 1.0 ready'); sys.stdout.flush(); time.sleep(60)"
    )
    built.fails, built.until_stopped = built._interpreting.NotByPython("overflow") if fails else None, not fails
    assert addon("waiting", "navcore.compile_ahead").build(built.make, built.begin, True, None) == "made"
    assert built.by_python == [True, False] and len(built.begun) == 2


def test_what_fails_for_its_own_reasons_is_not_tried_twice(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(preparation, monkeypatch, tmp_path)
    built.fails = ValueError("the level")
    with pytest.raises(ValueError, match="the level"):
        addon("waiting", "navcore.compile_ahead").build(built.make, built.begin, True, None)
    assert built.by_python == [True]


def test_cancelled_while_python_stands_in(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(preparation, monkeypatch, tmp_path)
    built.until_stopped = True
    thread = addon("builds.run_builds").BuildJob([None], None)
    threading.Timer(0.3, lambda: (thread.cancel(), built.begun[0].cancel())).start()
    with pytest.raises(addon("errors", "navcore").Cancelled):
        addon("waiting", "navcore.compile_ahead").build(built.make, built.begin, True, thread)
    assert built.by_python == [True]


def test_a_large_level_waits_for_everything(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(
        preparation, monkeypatch, tmp_path, "time.sleep(1); print('0.9 1.0 ready'); sys.stdout.flush(); time.sleep(60)"
    )
    began = time.monotonic()
    assert addon("waiting", "navcore.compile_ahead").build(built.make, built.begin, False, None) == "made"
    assert built.by_python == [False] and time.monotonic() - began > 0.5


def test_files_are_read_and_written_meanwhile(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The interface stands still until then: it must not be for as long as everything is compiled."""
    read_or_write = addon("waiting", "navcore.compile_ahead").read_or_write
    assert read_or_write(lambda: built.make(None)) == "made"
    compiling(preparation, monkeypatch, tmp_path)
    assert read_or_write(lambda: built.make(None)) == "made"
    assert built.by_python == [False, True]
