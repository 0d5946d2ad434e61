"""Files and folders that are only there while something is written, and sweeping up after processes that were killed.

A name tells on which running system its process lives, and the process holds a lock on it. Where the lock on one of
this system is free, that process is dead. Of other systems nothing is known, nor where there are no such locks
(Windows, macOS, some network drives): what they have left is swept up a day later.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

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
