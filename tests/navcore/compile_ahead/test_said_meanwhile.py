"""Who waits for kernels is told: at once, and every ten seconds; on standard error, with a terminal or without."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from navcore.__main__ import main
from navcore.compile_ahead import cold_start, said_meanwhile, starter
from navcore.compile_ahead.said_meanwhile import SaidMeanwhile, say_meanwhile
from navcore.kernels.kernel_store import STORE

PATH = ["path", "x.bin", "--from", "0,0,0", "--to", "1,0,0"]


@pytest.fixture(autouse=True)
def nobody_yet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(said_meanwhile, "_FIRST", 1.0)
    monkeypatch.setattr(said_meanwhile._WHO, "said", None)
    monkeypatch.setattr(said_meanwhile._WHO, "chosen", False)
    monkeypatch.setattr(STORE, "at_compiling", None)
    monkeypatch.setattr(STORE, "is_compiling", False)
    yield
    say_meanwhile(None)


class Waiting:
    """Looks every half second while something is compiled."""

    def __init__(self) -> None:
        self.now, self.lines = 100.0, list[tuple[float, str]]()
        self.said = SaidMeanwhile(lambda text: self.lines.append((self.now - 100, text)), "; x", lambda: self.now)

    def for_seconds(self, seconds: float) -> bool:
        until, goes_on = self.now + seconds, True
        while self.now < until:
            self.now += 0.5
            goes_on = self.said.look()
        return goes_on


def test_a_line_at_once_and_one_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = Waiting()
    STORE.is_compiling = True
    monkeypatch.setattr(STORE.tally, "compiled", [*STORE.tally.compiled, "a", "b"])
    assert waiting.for_seconds(35)
    assert [at for at, _ in waiting.lines] == [1, 11, 21, 31]
    assert waiting.lines[0][1] == "compiling kernels, once on this machine; x"
    assert {text for _, text in waiting.lines[1:]} == {"still compiling kernels, 2 so far"}


def test_what_takes_less_than_a_second_is_not_worth_a_line() -> None:
    waiting = Waiting()
    STORE.is_compiling = True
    waiting.for_seconds(0.5)
    STORE.is_compiling = False
    assert waiting.for_seconds(20) and not waiting.lines
    assert not waiting.for_seconds(20), "nobody looks for ever"


def test_what_other_processes_compile_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting, others = Waiting(), SimpleNamespace(compiles=True, compiled=30)
    monkeypatch.setattr(starter, "current", lambda: others)
    waiting.for_seconds(12)
    assert [text for _, text in waiting.lines][1:] == ["still compiling kernels, 30 so far"]
    others.compiles = False  # they have ended: what they did stays counted
    assert waiting.for_seconds(5) and len(waiting.lines) == 2


def compile_for(seconds: float) -> None:
    STORE.tell_compiling()
    time.sleep(seconds)
    STORE.release()


def test_programs_hear_it_from_the_logger_of_navcore(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "navcore"):
        cold_start.watch_builds()
        compile_for(1.5)
    assert [record.name for record in caplog.records] == ["navcore"]
    assert caplog.records[0].getMessage().startswith("compiling kernels, once on this machine")


@pytest.mark.parametrize(("words", "lines"), [(["prepare"], 1), (["prepare", "--quiet"], 0)])
def test_commands_write_it_to_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], lines: int
) -> None:
    from navcore.commands import prepare_command

    def run(_: object) -> int:
        compile_for(1.5)
        return 0

    monkeypatch.setattr(prepare_command, "run", run)
    assert main(words) == 0
    told = capsys.readouterr().err.splitlines()
    assert len(told) == lines and all(line.startswith("navcore: compiling kernels, once") for line in told)


def test_a_terminal_with_a_line_of_its_own_is_told_by_that(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from navcore.commands import path_command, prepare_command

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    for module, words in ((prepare_command, ["prepare"]), (path_command, PATH)):
        monkeypatch.setattr(module, "run", lambda _: compile_for(1.5) or 0)
        assert main(words) == 0
        told = capsys.readouterr().err
        assert ("compiling kernels, once" in told) == (words is PATH)
