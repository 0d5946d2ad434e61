"""Write a file completely or not at all."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import NavmeshError
from .part_files import hold, part_of, staging_folder, sweep


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
    """Refuse, before anything is built, a file whose folder does not exist or cannot be written to."""
    if not path.parent.is_dir():
        raise CannotWrite(f"{path}: the folder does not exist. Make it first or choose another.")
    if not os.access(path.parent, os.W_OK):
        raise CannotWrite(f"{path}: the folder cannot be written to. Change its permissions or choose another.")


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
