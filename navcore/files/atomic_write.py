"""Write a file completely or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import BadInput, NavmeshError

# --- Files and folders that are only there while something is written, and sweeping up after processes that were
# killed.
#
# A name tells on which running system its process lives, and the process holds a lock on it. Where the lock on one of
# this system is free, that process is dead. Of other systems nothing is known, nor where there are no such locks
# (Windows, macOS, some network drives): what they have left is swept up a day later.

if sys.platform == "linux":
    import fcntl

_ABANDONED = 24 * 3600.0  # seconds after which nobody is still writing: not even a build on a slow network drive
_NOWHERE = "0" * 8  # in names of folders whose process holds no lock
_FILE = re.compile(r"\..*\.[0-9a-f]{8}\.([0-9a-f]{8})\.part", re.DOTALL)
_FOLDER = re.compile(r"\.navmesh-[0-9a-f]{8}\.([0-9a-f]{8})")


def part_of(path: Path, locked: bool = True) -> Path:
    """A new name beside `path` for what is going to take its place."""
    mark = f"{secrets.token_hex(4)}.{_this_system()}" if locked else secrets.token_hex(4)
    return path.with_name(f".{path.name[:40]}.{mark}.part")


def staging_folder(folder: Path, locked: bool = True) -> Path:
    """A new name in `folder` for a folder of files that are going to lie in it."""
    return folder / f".navmesh-{secrets.token_hex(4)}.{_this_system() if locked else _NOWHERE}"


def hold(part: Path) -> int | None:
    """Lock a new part until what is returned is closed; None where that cannot be done.

    Raises FileNotFoundError where it was swept up before it could be locked.
    """
    if sys.platform != "linux" or _this_system() == _NOWHERE:
        return None
    descriptor = _opened(part)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.stat(part).st_ino == os.fstat(descriptor).st_ino:  # noqa: PTH116 - as the line above has it
            return descriptor
    except FileNotFoundError:
        os.close(descriptor)
        raise
    except OSError:  # not on this file system
        os.close(descriptor)
        return None
    os.close(descriptor)
    raise FileNotFoundError(part)


def sweep(path: Path) -> None:
    """Remove what killed processes have left beside `path`: of any file under a lock, of this one also without."""
    without_lock = re.compile(re.escape(f".{path.name[:40]}.") + r"[0-9a-f]{8}\.part")
    with contextlib.suppress(OSError):  # whoever may write a file need not be able to list or clean its folder
        with os.scandir(path.parent) as entries:
            hidden = [entry for entry in entries if entry.name.startswith(".")]
        for entry in hidden:
            if entry.is_file(follow_symlinks=False) and without_lock.fullmatch(entry.name):
                _sweep_one(Path(entry.path), _NOWHERE)
            is_folder = entry.is_dir(follow_symlinks=False)
            match = (_FOLDER if is_folder else _FILE).fullmatch(entry.name)
            if match is not None and not entry.is_symlink():
                _sweep_one(Path(entry.path), match[1])


def _sweep_one(part: Path, system: str) -> None:
    with contextlib.suppress(OSError), _unlocked(part, system) as is_dead:
        if is_dead or (is_dead is None and time.time() - _last_written(part) > _ABANDONED):
            if part.is_dir():
                shutil.rmtree(part, ignore_errors=True)
            else:
                part.unlink(missing_ok=True)


@contextlib.contextmanager
def _unlocked(part: Path, system: str) -> Iterator[bool | None]:
    """Whether the process that writes a part is dead, None where nobody can tell; it stays so for a while."""
    if sys.platform != "linux" or system == _NOWHERE or system != _this_system():
        yield None
        return
    descriptor = _opened(part)
    try:
        is_dead: bool | None = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_dead = False
        except OSError:  # not on this file system
            is_dead = None
        yield is_dead
    finally:
        os.close(descriptor)


def _opened(part: Path) -> int:
    return os.open(part, (os.O_RDONLY if part.is_dir() else os.O_RDWR) | os.O_CLOEXEC | os.O_NOFOLLOW)


def _last_written(part: Path) -> float:
    """When a file, or anything in a folder, was written last."""
    within = part.rglob("*") if part.is_dir() else ()
    return max(path.lstat().st_mtime for path in (part, *within))


@cache
def _this_system() -> str:
    """Changes when the system is started, and is another one on every machine that may share a drive with this one."""
    with contextlib.suppress(OSError):
        started = Path("/proc/sys/kernel/random/boot_id").read_bytes()
        return hashlib.sha256(started).hexdigest()[:8]
    return _NOWHERE


class CannotWrite(NavmeshError):
    """The file system did not take the file."""

    code = "CANNOT_WRITE"


@contextmanager
def replaced_file(path: Path, check: Callable[[BinaryIO], None] | None = None) -> Iterator[BinaryIO]:
    """A new file to write to, which replaces `path` in one step when the block ends and `check` has read it back.

    On any error, also one raised in the block or by `check`, the file that was there stays as it was, and the new one
    is gone.
    """
    path = Path(path)
    sweep(path)
    with _named(path):
        temporary, raw, lock = _new_part(path)
    try:
        with io.BufferedWriter(raw) as file:
            yield file
            file.flush()
            with _named(path):
                os.fsync(file.fileno())
        if check is not None:
            with temporary.open("rb") as written:
                check(written)
        with _named(path):
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
        _release(lock)


def _new_part(path: Path) -> tuple[Path, _File, int | None]:
    """A new file for what is going to be at `path`, and its lock where there are locks."""
    while True:
        part = part_of(path)
        raw = _File(part, path)
        try:
            lock = hold(part)
        except FileNotFoundError:  # somebody has swept it up in between
            raw.close()
            continue
        if lock is not None:
            return part, raw, lock
        raw.close()
        part.unlink()
        part = part_of(path, locked=False)
        return part, _File(part, path), None


def _release(lock: int | None) -> None:
    if lock is not None:
        os.close(lock)


def check_folder(path: Path) -> None:
    """Refuse, before anything is built, a file whose folder does not exist or cannot be written to, and a folder."""
    if not path.parent.is_dir():
        raise CannotWrite(f"{path}: the folder does not exist. Make it first or choose another.")
    if not os.access(path.parent, os.W_OK):
        raise CannotWrite(f"{path}: the folder cannot be written to. Change its permissions or choose another.")
    if path.is_dir():
        raise CannotWrite(f"{path}: it is a folder. Choose another name for the file.")


def check_apart(written: Iterable[Path], read: Iterable[Path | None]) -> None:
    """Refuse, before anything is written, a file that is named twice, or that would replace one that is read."""
    given, seen = {path.resolve() for path in read if path is not None}, set[Path]()
    for path in written:
        place = path.resolve()
        if place in given:
            raise BadInput(
                f"{path} is read, and would be replaced by what is written. Give that another name.", "SAME_NAME"
            )
        if place in seen:
            raise BadInput(
                f"{path} would be written twice, one over the other. Give both names of their own.", "SAME_NAME"
            )
        seen.add(place)


def check_no_file(folder: Path) -> None:
    """Refuse, before anything is built, a file where a folder for outputs is named."""
    if folder.exists() and not folder.is_dir():
        raise CannotWrite(f"{folder}: it is a file. Choose another folder with -o.")


def make_folder(folder: Path) -> None:
    """Make a folder for outputs, and those around it, unless it is there. Raises CannotWrite."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as reason:
        raise CannotWrite(f"{folder}: {reason.strerror or reason}. Choose another folder with -o.") from None


def remove(path: Path) -> None:
    """Remove a file, if it is there. Raises CannotWrite."""
    try:
        path.unlink(missing_ok=True)
    except OSError as reason:
        raise CannotWrite(f"Could not remove {path}: {reason.strerror or reason}. Remove it by hand.") from None


def write_whole(path: Path, content: bytes) -> None:
    """Replace `path` by `content` in one step; on any error the file that was there stays as it was."""
    with replaced_file(path) as file:
        file.write(content)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Replace several files; nothing is replaced before the disk has taken all of them."""
    with ExitStack() as opened:
        for path, content in files.items():
            file = opened.enter_context(replaced_file(path))
            file.write(content)
            file.flush()


@contextmanager
def staged(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Places to write files to that take the place of `paths` when the block ends, and are gone where it raises.

    They have the names of `paths`, in folders beside them; files that a format adds to a path's own come along.
    """
    names = {path.name for path in paths}
    folders: dict[Path, Path] = {}
    locks: list[int | None] = []
    try:
        for path in paths:
            if path.parent not in folders:
                sweep(path)
                with _named(path):
                    folders[path.parent], lock = _new_folder(path.parent)
                locks.append(lock)
        yield [folders[path.parent] / path.name for path in paths]
        for home, folder in folders.items():
            for file in sorted(folder.iterdir(), key=lambda file: file.name in names):  # those that name others last
                with _named(home / file.name):
                    file.replace(home / file.name)
    except CannotWrite as refused:
        message = str(refused)
        for home, folder in folders.items():
            message = message.replace(str(folder), str(home))
        raise CannotWrite(message, refused.code) from None
    finally:
        for folder in folders.values():
            shutil.rmtree(folder, ignore_errors=True)
        for lock in locks:
            _release(lock)


def _new_folder(home: Path) -> tuple[Path, int | None]:
    """A new folder in `home` for this user alone, and its lock where there are locks."""
    while True:
        folder = staging_folder(home)
        folder.mkdir(mode=0o700)
        try:
            lock = hold(folder)
        except FileNotFoundError:  # somebody has swept it up in between
            continue
        if lock is None:
            folder = folder.rename(staging_folder(home, locked=False))
        return folder, lock


class _File(io.FileIO):
    """A new file that says whose part it is when the disk is full."""

    def __init__(self, temporary: Path, path: Path) -> None:
        super().__init__(temporary, "xb")
        self._path = path

    def write(self, content: Any) -> int:
        with _named(self._path):
            return super().write(content)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn what the file system says into a sentence. Other errors of a block are not its doing and pass."""
    try:
        yield
    except OSError as reason:
        raise CannotWrite(
            f"Could not write {path}: {reason.strerror or reason}. Choose another place or free some space."
        ) from None
