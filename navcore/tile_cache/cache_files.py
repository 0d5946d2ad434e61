"""The two files of a tile cache, side by side: read, and written together or not at all."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..detour.file_checks import BadFile
from ..detour.reader import MOST_BYTES
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_together
from ..formats import TILE_CACHE, files_of, is_tile_cache
from .cache_sets import read_set


def read_bytes(path: str | PathLike[str]) -> tuple[bytes, bytes | None]:
    """What both files hold; None for a sidecar that is not there. Raises BadInput where they cannot be read."""
    if not isinstance(path, (str, PathLike)):
        raise BadInput(f"TileCache.read takes the path of a file, not {type(path).__name__}.", "WRONG_KIND")
    first = Path(path)
    beside = first.with_suffix(".json")
    return _content(first), _content(beside) if beside.exists() else None


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadFile(f"{path.name} has {path.stat().st_size:,} bytes (limit {MOST_BYTES:,}).", "FILE_TOO_LARGE")
        return path.read_bytes()
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None


def check_cache_path(path: Path) -> None:
    """Refuse a name or a folder that nothing can be written to."""
    if not is_tile_cache(path):
        raise BadInput(f"{path.name}: files of tile caches end in {TILE_CACHE}.", "WRONG_ENDING")
    check_folder(path)


def write_files(path: Path, files: tuple[bytes, bytes]) -> None:
    """Write both; the first one was read back and checked before."""
    check_cache_path(path)
    read_set(files[0])
    write_together(dict(zip(files_of(path), files, strict=True)))
