"""Parcels: jobs that are opened where they arrive, by the same version only."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from navcore import NavmeshError
from navcore.builder.tiles.tile_jobs import not_opened, opened_there, unpacked
from navcore.version import code_fingerprint


def test_a_parcel_does_what_it_holds() -> None:
    work, content = opened_there(divmod, 17, 5)
    assert work is pickle.loads and unpacked(work(content)) == (3, 2)
    work, content = opened_there(sorted, [1, 3, 2], reverse=True)
    assert unpacked(work(content)) == [3, 2, 1]


def test_errors_are_those_of_the_work() -> None:
    work, content = opened_there(divmod, 1, 0)
    with pytest.raises(ZeroDivisionError):
        work(content)


def test_another_version_is_refused_before_it_sees_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.builder.tiles.tile_jobs.code_fingerprint", lambda: "another")
    work, content = opened_there(pytest.fail, "the job was done")
    monkeypatch.undo()
    with pytest.raises(NavmeshError, match=r"worker on \S+ has another version of navcore, in .*navcore\.") as caught:
        work(content)
    assert caught.value.code == "WORKER_VERSION"


def test_a_version_is_the_same_whatever_ends_its_lines(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hashes = []
    for name, content in (("unix", b"a\nb\n"), ("windows", b"a\r\nb\r\n"), ("changed", b"a\nc\n")):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner/a.py").write_bytes(content)
        (tmp_path / name / "notes.txt").write_text(name)
        monkeypatch.setattr("navcore.version.FOLDER", tmp_path / name)
        hashes.append(code_fingerprint.__wrapped__())
    assert hashes[0] == hashes[1] != hashes[2]


def test_what_is_said_of_jobs_that_no_worker_could_open() -> None:
    said = not_opened(ModuleNotFoundError("No module named 'numba'"))
    assert said is not None and said.code == "WORKER_WITHOUT_NAVCORE" and "No module named 'numba'" in str(said)
    assert not_opened(None) is None and not_opened(ValueError("x")) is None
