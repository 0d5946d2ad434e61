"""The user's own compiled kernels: a file each, in a folder that nobody else can write to.

A file is replaced whole, so any number of processes may read and write at the same time.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

_UNUSED_FOR = 30 * 24 * 3600.0  # seconds after which kernels of other sources are thrown away
_USED_LATELY = 24 * 3600.0  # seconds for which a folder need not be marked again


def users_cache_folder() -> Path:
    """Where this user's programs keep what they can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def why_unusable(folder: Path) -> str:
    """Make `folder` for this user alone; why it can't be used, or nothing.

    What lies there is machine code: a folder that somebody else can write to, or put another one in the place of, must
    never be read.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        above = [parent.stat().st_mode for parent in folder.absolute().parents]
    except OSError as reason:
        return (reason.strerror or str(reason)).lower()
    if not stat.S_ISDIR(status.st_mode):
        return "it is a link to another folder"
    if not os.access(folder, os.W_OK):
        return "it cannot be written to"
    if hasattr(os, "getuid"):
        if status.st_uid != os.getuid():
            return "it belongs to another user"
        if status.st_mode & 0o022:
            return "others can write to it"
        # In a sticky folder, as /tmp is, others can't rename what isn't theirs.
        if any(mode & stat.S_IWOTH and not mode & stat.S_ISVTX for mode in above):
            return "others can write to a folder above it"
    _prune(folder)
    return ""


def read(root: Path, group: str, key: str) -> bytes | None:
    """The bytes stored under a key, None where there are none."""
    folder = root / group
    try:
        data = (folder / _file_name(key)).read_bytes()
    except OSError:
        return None
    with contextlib.suppress(OSError):
        if time.time() - folder.stat().st_mtime > _USED_LATELY:
            os.utime(folder)  # marks the folder as used, for _prune
    return data


def write(root: Path, group: str, key: str, data: bytes) -> None:
    """Store bytes under a key, whatever is there. Raises OSError."""
    folder = root / group
    folder.mkdir(mode=0o700, exist_ok=True)
    handle, aside = tempfile.mkstemp(dir=folder)  # for this user alone
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(aside).replace(folder / _file_name(key))
    except OSError:
        Path(aside).unlink(missing_ok=True)
        raise


def _file_name(key: str) -> str:
    return sha256(key.encode()).hexdigest()[:32] + ".kernel"


def _prune(root: Path) -> None:
    """Throw away the kernels of sources that nobody has loaded for a month."""
    try:
        old = [d for d in root.iterdir() if d.is_dir() and time.time() - d.stat().st_mtime > _UNUSED_FOR]
    except OSError:
        return
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
