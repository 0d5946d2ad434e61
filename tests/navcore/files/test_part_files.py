"""What is left beside outputs by processes that were killed while they wrote, and what of it is swept up when."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from navcore.files import atomic_write
from navcore.files.atomic_write import staged, write_whole

ROOT = Path(__file__).resolve().parents[3]
LONG_AGO = (1.7e9, 1.7e9)
WRITING = """
import sys, time
from pathlib import Path
from navcore.files.atomic_write import replaced_file, staged
home = Path(sys.argv[1])
with staged([home / "other.glb"]) as places, replaced_file(home / "n.bin") as file:
    places[0].write_bytes(b"half")
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(600)
"""
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody knows which processes are dead")


@contextmanager
def writer(home: Path) -> Iterator[subprocess.Popen[str]]:
    """A process in the middle of writing."""
    process = subprocess.Popen([sys.executable, "-c", WRITING, str(home)], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "writing\n"
        yield process
    finally:
        process.kill()
        process.wait()


def hidden(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir() if path.name.startswith("."))


@on_linux
def test_what_a_killed_process_left_is_swept_up_by_the_next_one(tmp_path: Path) -> None:
    """Files as well as folders, and whatever is written next."""
    with writer(tmp_path) as process:
        assert len(hidden(tmp_path)) == 2
        process.kill()
        process.wait()
        assert len(hidden(tmp_path)) == 2
        write_whole(tmp_path / "another.json", b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["another.json"]


@on_linux
@pytest.mark.parametrize("old", [False, True])
def test_what_a_running_process_writes_is_never_taken(tmp_path: Path, old: bool) -> None:
    """Not even when it has been at it for days."""
    with writer(tmp_path):
        before = hidden(tmp_path)
        for path in [*tmp_path.rglob("*"), *tmp_path.rglob(".*")]:
            if old:
                os.utime(path, LONG_AGO)
        write_whole(tmp_path / "n.bin", b"whole")
        with staged([tmp_path / "m.bin"]) as places:
            places[0].write_bytes(b"whole")
        assert hidden(tmp_path) == before and len(before) == 2


@pytest.mark.parametrize("mark", ["0123abcd", "00000000"], ids=["of another system", "without a lock"])
def test_what_nothing_is_known_of_is_swept_up_after_a_day(tmp_path: Path, mark: str) -> None:
    for name, times in (("0000000a", LONG_AGO), ("0000000b", None)):
        folder, file = tmp_path / f".navmesh-{name}.{mark}", tmp_path / f".n.bin.{name}.{mark}.part"
        folder.mkdir()
        (folder / "n.glb").write_bytes(b"half")
        file.write_bytes(b"half")
        for path in (folder / "n.glb", folder, file):
            os.utime(path, times)
    with staged([tmp_path / "m.bin"]) as places:
        places[0].write_bytes(b"whole")
    assert hidden(tmp_path) == [f".n.bin.0000000b.{mark}.part", f".navmesh-0000000b.{mark}"]


def test_a_folder_is_as_old_as_what_was_written_into_it_last(tmp_path: Path) -> None:
    folder = tmp_path / ".navmesh-0000000a.00000000"
    folder.mkdir()
    (folder / "n.glb").write_bytes(b"half")
    os.utime(folder, LONG_AGO)
    write_whole(tmp_path / "m.bin", b"whole")
    assert (folder / "n.glb").exists()


def test_what_others_hide_is_left_alone(tmp_path: Path) -> None:
    """Folders of the same beginning, links, and files with an ending of ours."""
    names = (".navmesh-settings", ".navmesh-cache", ".navmesh-0000000a.0123abcd.old", ".n.bin.part", ".n.0000000a.part")
    for name in names:
        (tmp_path / name).mkdir() if "navmesh" in name else (tmp_path / name).touch()
        os.utime(tmp_path / name, LONG_AGO)
    if os.name == "posix":
        (tmp_path / ".navmesh-0000000a.0123abcd").symlink_to(tmp_path / ".navmesh-cache")
    write_whole(tmp_path / "m.bin", b"whole")
    assert set(names) <= set(hidden(tmp_path)) and (tmp_path / ".navmesh-cache").is_dir()


def test_without_locks_files_are_written_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on network drives that know none."""
    monkeypatch.setattr("navcore.files.atomic_write.hold", lambda _part: None)
    with staged([tmp_path / "n.bin"]) as places:
        write_whole(places[0], b"whole")
        assert hidden(tmp_path)[0].endswith(".00000000")
    assert [path.name for path in tmp_path.iterdir()] == ["n.bin"] and (tmp_path / "n.bin").read_bytes() == b"whole"


@on_linux
def test_what_was_swept_up_before_it_was_locked_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hold, seen = atomic_write.hold, []

    def swept(part: Path) -> int | None:
        seen.append(part)
        if len(seen) == 1:
            part.unlink()
        return hold(part)

    monkeypatch.setattr(atomic_write, "hold", swept)
    write_whole(tmp_path / "n.bin", b"whole")
    assert len(seen) == 2 and hidden(tmp_path) == []
