"""Preparing: what is compiled, by whom, what is said of it, and where nothing is to be done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from navcore.__main__ import main
from navcore.compile_ahead import every_kernel, prepare, processes, starter, usual_kernels
from navcore.compile_ahead.prepare import Prepared
from navcore.errors import NavmeshError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of kernels, and nobody who could help."""
    monkeypatch.setattr(prepare, "kernel_folder", lambda: tmp_path)
    monkeypatch.setattr(prepare, "has_shipped_kernels", lambda: False)
    monkeypatch.setenv(starter.VARIABLE, "0")
    return tmp_path


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was compiled here."""
    made: list[str] = []
    monkeypatch.setattr(usual_kernels, "pieces", lambda: [lambda: made.append("usual")])
    monkeypatch.setattr(every_kernel, "steps", lambda: [lambda: made.append("every")])
    return made


@pytest.mark.parametrize(("usual", "compiled"), [(True, ["usual"]), (False, ["usual", "every"])])
def test_without_other_processes_this_one_compiles(
    folder: Path, done: list[str], usual: bool, compiled: list[str]
) -> None:
    prepared = prepare.prepare(usual)
    assert (prepared.folder, done) == (folder, compiled) and prepared.seconds > 0
    assert prepare.prepare(usual) == Prepared(0, folder, 0.0) and done == compiled
    assert processes.wanted(folder) == usual


@pytest.mark.parametrize("ends_well", [True, False])
def test_other_processes_compile_and_this_one_what_they_leave(
    folder: Path, done: list[str], monkeypatch: pytest.MonkeyPatch, ends_well: bool
) -> None:
    class Compiler:
        looks = 0
        compiled = 31

        @property
        def running(self) -> bool:
            self.looks += 1
            return self.looks < 3

    def begin(where: Path, **how: Any) -> Compiler:
        assert (where, how["whole"], how["manner"].share_all) == (folder, False, True)
        if ends_well:
            processes.stamp_of(folder, processes.USUAL).write_text(processes.stamp())
        return Compiler()

    monkeypatch.setattr(starter, "begin", begin)
    told: list[tuple[int, int]] = []
    prepared = prepare.prepare(usual=True, progress=lambda *numbers: told.append(numbers))
    assert prepared[:2] == (31, folder) and told == [(31, prepare.OF_USUAL)] * 2
    assert done == ([] if ends_well else ["usual"])


def test_kernels_that_are_shipped_are_enough(folder: Path, done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "has_shipped_kernels", lambda: True)
    assert prepare.prepare() == Prepared(0, None, 0.0) and not done and not [*folder.iterdir()]


def test_a_folder_that_cannot_be_used_is_refused_with_a_way_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepare, "kernel_folder", lambda: None)
    monkeypatch.setattr(prepare, "why_no_kernel_folder", lambda: f"{folder}: it cannot be written to")
    with pytest.raises(NavmeshError, match=r"it cannot be written to.*XDG_CACHE_HOME") as refused:
        prepare.prepare()
    assert refused.value.code == "KERNELS_NOT_KEPT"


@pytest.mark.parametrize(
    ("prepared", "line"),
    [
        (Prepared(31, Path("cache"), 17.6), "31 kernels were compiled into cache in 18 s\n"),
        (Prepared(1, Path("cache"), 0.2), "1 kernel was compiled into cache in 0 s\n"),
        (Prepared(0, Path("cache"), 0.0), "nothing to do: the kernels are in cache\n"),
        (Prepared(0, None, 0.0), "nothing to do: the compiled kernels that come with navcore fit this computer\n"),
    ],
)
def test_the_command_says_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], prepared: Prepared, line: str
) -> None:
    from navcore.commands import prepare_command as command

    monkeypatch.setattr(command, "prepare", lambda *_: prepared)
    assert main(["prepare", "--usual"]) == 0 and capsys.readouterr() == (line, "")
    assert main(["prepare", "--quiet"]) == 0 and capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (NavmeshError("No.", "KERNELS_NOT_KEPT"), 1, "KERNELS_NOT_KEPT: No."),
        (KeyboardInterrupt(), 130, "kept"),
    ],
)
def test_the_command_fails_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], raised: BaseException, status: int, said: str
) -> None:
    from navcore.commands import prepare_command as command

    def fails(*_: object) -> Prepared:
        raise raised

    monkeypatch.setattr(command, "prepare", fails)
    assert main(["prepare"]) == status and said in capsys.readouterr().err
