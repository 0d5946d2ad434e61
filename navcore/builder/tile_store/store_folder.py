"""The folder of a tile store: known by a file in it, so that no other folder is ever filled or swept."""

from __future__ import annotations

import re
from pathlib import Path

from ...errors import BadInput
from ...files.atomic_write import CannotWrite, write_whole
from ...files.json_text import json_text
from ...files.strict_json import load_json
from .pack_files import NAME, VERSION

MARK = "navmesh-tile-store.json"
_FORMAT = "navmesh tile store"
# What may lie in a folder that is still empty: what other tools leave there, and our own mark while it is written.
_HARMLESS = re.compile(r"\.gitignore|\.gitkeep|\.DS_Store|\.navmesh-tile-store\.json\..*")


def prepare(folder: Path) -> str:
    """Make sure that `folder` is a store, making one of an empty one; what stands against writing to it, or "".

    Raises BadInput where it is none, or one of a newer version.
    """
    try:
        if not (folder / MARK).exists():
            _begin(folder)
        _check(folder)
    except CannotWrite:
        return f"{MARK} could not be made there"
    except OSError as reason:
        return reason.strerror or str(reason)
    return ""


def _begin(folder: Path) -> None:
    if folder.is_file():
        raise _no_store(folder, "it is a file")
    folder.mkdir(parents=True, exist_ok=True)
    others = sorted(path.name for path in folder.iterdir() if not _HARMLESS.fullmatch(path.name) and path.name != MARK)
    if others:
        raise _no_store(folder, f"it holds {others[0]!r}, and no file {MARK}")
    write_whole(folder / MARK, json_text({"format": _FORMAT, "version": VERSION}))


def _check(folder: Path) -> None:
    try:
        content = load_json(folder / MARK, "tile store")
    except BadInput as reason:
        if reason.code == "CANNOT_READ":
            raise OSError(str(reason)) from None
        raise _no_store(folder, str(reason)) from None
    version = content.get("version") if isinstance(content, dict) and content.get("format") == _FORMAT else None
    if not isinstance(version, int):
        raise _no_store(folder, f"{MARK} in it says something else")
    if version > VERSION:
        raise BadInput(
            f"{folder} is a tile store of version {version}, and this navcore knows version {VERSION}. Choose another "
            "folder, or build with the navcore that made it.",
            "STORE_NEWER",
        )


def _no_store(folder: Path, why: str) -> BadInput:
    return BadInput(
        f"{folder} is no tile store: {why.rstrip('.')}. Choose a folder that is empty or not there yet.", "NOT_A_STORE"
    )


def packs_in(folder: Path) -> list[Path]:
    """The packs of a store; links and whatever else lies there are left alone. Raises OSError."""
    return sorted(p for p in folder.iterdir() if NAME.fullmatch(p.name) and p.is_file() and not p.is_symlink())
