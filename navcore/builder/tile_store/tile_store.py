"""The store as a build uses it: tiles looked up, taken out and put in, its folder, and what is swept out."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np

from ...errors import BadInput, BadSettings
from ...files.atomic_write import CannotWrite, write_whole
from ...files.strict_json import json_text, load_json
from ...report import Report
from ...settings import Settings
from ...types import U8, Bools
from .pack_files import NAME, VERSION, BadTilePack, PackWriter, TilePack, numbers_of, read_body, read_pack, records
from .tile_records import BadRecord, StoredTile, TileList, packed, packed_list, unpacked, unpacked_list

# --- The folder of a tile store: known by a file in it, so that no other folder is ever filled or swept.

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


# --- What keeps a store small: packs that are mostly out of use, and small ones, become one; nothing old comes along.
#
# A tile is out of use where no build has used it for 30 days (builds write tiles anew that they use after 10), where a
# newer copy of it lies elsewhere, and where younger tiles fill the store.

UNUSED_FOR = 30 * 24 * 3600  # seconds after which a tile is dropped
USED_LATELY = 10 * 24 * 3600  # seconds for which a tile that is used need not be written anew
MAX_BYTES = 1 << 30  # of tiles, where the last build hasn't used more than a quarter of that
_MAX_SMALL = 8  # packs
_SMALL = 4 << 20  # bytes of a pack
_ABANDONED = 24 * 3600  # seconds after which nobody is still writing a pack that isn't whole


def sweep(folder: Path, packs: Sequence[TilePack], used_bytes: int, now: int) -> None:
    """Write what is still in use of some packs into a new one, and remove those. Raises OSError."""
    packs = [pack for pack in packs if _is_ended(pack, now)]
    kept = _in_use(packs, max(MAX_BYTES, 4 * used_bytes), now)
    small = [pack.size < _SMALL for pack in packs]
    merged = [
        (pack, flags)
        for pack, flags, is_small in zip(packs, kept, small, strict=True)
        if pack.damage or 2 * pack.lines["size"][flags].sum() < pack.size or (is_small and sum(small) > _MAX_SMALL)
    ]
    writer = PackWriter(folder)
    try:
        for pack, flags in merged:
            for key, body, written in records(pack, flags):
                writer.add(key, body, written)
        writer.finish()
    finally:
        writer.give_up()
    for pack, _ in merged:
        with suppress(OSError):  # Windows removes nothing that another build is reading: the next one will
            pack.path.unlink()


def _is_ended(pack: TilePack, now: int) -> bool:
    """Whether it is ours, and nobody writes to it any more."""
    if pack.whole or not pack.ours or pack.damage:
        return pack.ours
    with suppress(OSError):
        return now - pack.path.stat().st_mtime > _ABANDONED
    return False


def _in_use(packs: Sequence[TilePack], most_bytes: int, now: int) -> list[Bools]:
    """For each line of each pack, whether it stays."""
    if not packs:
        return []
    lines = np.concatenate([pack.lines for pack in packs])
    key, written = lines["key"][:, 0], lines["written"]
    damaged = np.repeat([bool(pack.damage) for pack in packs], [len(pack.lines) for pack in packs])
    by_age = np.lexsort((-written, damaged, key))  # of copies the soundest, then the newest
    copies = np.zeros(len(lines), bool)
    copies[by_age[1:]] = key[by_age[1:]] == key[by_age[:-1]]
    stays = ~copies & (np.abs(now - written) < UNUSED_FOR)
    youngest = np.argsort(-written, kind="stable")
    stays[youngest] &= np.cumsum(np.where(stays, lines["size"], 0)[youngest]) <= most_bytes
    return np.split(stays, np.cumsum([len(pack.lines) for pack in packs])[:-1])


def seconds_now() -> int:
    return int(time.time())


_Content = TypeVar("_Content")


class _Place(NamedTuple):
    """Where a record lies."""

    pack: Path
    offset: int
    size: int
    written: int


class TileStore:
    """One store during one build. Once it is open nothing here raises: what can't be read is built, and told."""

    def __init__(self, folder: Path, report: Report, read: bool = True) -> None:
        """Without `read` things are only put in. Raises BadInput where the folder is something else."""
        self._folder, self._report, self._now = folder, report, seconds_now()
        self._not_written = prepare(folder)
        self._writer = PackWriter(folder)
        self._files: dict[Path, BinaryIO] = {}
        self._places: dict[bytes, _Place] = {}
        self._damage: dict[Path, str] = {}  # what was found in which file
        self._used_bytes = 0
        self._packs = self._read_packs() if read else []

    def look_up(self, keys: Sequence[bytes]) -> int:
        """Find out which of these keys are there; how many."""
        numbers = numbers_of(keys)
        newest = np.full(len(keys), np.iinfo(np.int64).min)
        for pack in self._packs:
            at = pack.find(numbers)
            known = np.flatnonzero(at >= 0)
            better = known[pack.lines["written"][at[known]] > newest[known]]
            if len(better) and self._open(pack):
                lines = pack.lines[at[better]]
                newest[better] = lines["written"]
                columns = (lines[name].tolist() for name in ("offset", "size", "written"))
                for key, *line in zip(better.tolist(), *columns, strict=True):
                    self._places[keys[key]] = _Place(pack.path, *line)
        return sum(key in self._places for key in keys)

    def take(self, key: bytes) -> StoredTile | None:
        """A tile, if it was found and is sound."""
        return self._take(key, unpacked)

    def take_list(self, key: bytes) -> TileList | None:
        """The tiles of a level, likewise."""
        return self._take(key, unpacked_list)

    def put(self, key: bytes, tile: StoredTile) -> None:
        """Keep a tile that was built."""
        self._write(key, packed(tile))

    def put_list(self, key: bytes, tiles: TileList) -> None:
        """Keep which tiles a level has."""
        self._write(key, packed_list(tiles))

    def tidy(self) -> None:
        """After the last tile of a build: drop what nobody uses any more, and tell what was wrong."""
        self.close()
        packs = [pack._replace(damage=self._damage.get(pack.path, pack.damage)) for pack in self._read_packs()]
        if not self._not_written:
            try:
                sweep(self._folder, packs, self._used_bytes, self._now)
            except OSError as reason:
                self._not_written = _said(reason)
        self._tell()

    def close(self) -> None:
        """End the pack, also that of a build that failed: what it has built is there for the next one."""
        try:
            self._writer.finish()
        except OSError as reason:
            self._not_written = self._not_written or _said(reason)
        self._writer.give_up()
        while self._files:
            self._files.popitem()[1].close()

    def _take(self, key: bytes, unpack: Callable[[U8], _Content]) -> _Content | None:
        place = self._places.get(key)
        if place is None:
            return None
        try:
            body = read_body(self._files[place.pack], place.offset, place.size, key)
            content = unpack(body)
        except (BadTilePack, BadRecord, OSError) as reason:
            self._damage.setdefault(place.pack, str(reason))
            return None
        if abs(self._now - place.written) > USED_LATELY:
            self._write(key, body.tobytes())
        else:
            self._used_bytes += place.size
        return content

    def _read_packs(self) -> list[TilePack]:
        """All packs, damaged ones remembered."""
        packs = []
        with suppress(OSError):  # no folder, and why not was found out before
            for path in packs_in(self._folder):
                try:
                    packs.append(read_pack(path))
                except FileNotFoundError:
                    continue  # swept by another build
                except OSError as reason:
                    self._damage.setdefault(path, _said(reason))
        self._damage |= {pack.path: pack.damage for pack in packs if pack.damage and pack.path not in self._damage}
        return packs

    def _open(self, pack: TilePack) -> bool:
        """Whether the pack can be read; once it is open, another build may sweep it away."""
        if pack.path not in self._files:
            with suppress(OSError):
                self._files[pack.path] = pack.path.open("rb", buffering=0)
        return pack.path in self._files

    def _write(self, key: bytes, body: bytes) -> None:
        self._used_bytes += len(body)
        if not self._not_written:
            try:
                self._writer.add(key, body, self._now)
            except OSError as reason:
                self._not_written = _said(reason)
                self._writer.give_up()

    def _tell(self) -> None:
        if self._damage:
            path, reason = next(iter(sorted(self._damage.items())))
            more = f" and {len(self._damage) - 1} more" if len(self._damage) > 1 else ""
            self._report.warn(
                "STORE_DAMAGED",
                f"{path}{more} could not be used: {reason}. What is missing was built again. If this is told "
                "again, delete the file, and look whether the disk is sound.",
            )
        if self._not_written:
            self._report.warn(
                "STORE_NOT_WRITTEN",
                f"The tile store {self._folder} could not be written to ({self._not_written}): tiles that were built "
                "are not kept. Change its permissions, free some space, or choose another folder.",
            )


def _said(reason: OSError) -> str:
    return reason.strerror or str(reason)


@contextmanager
def opened_store(
    folder: Path | None, settings: Settings, report: Report, read: bool = True
) -> Iterator[TileStore | None]:
    """The store in `folder`, None where none is wanted. Raises BadSettings where there are no tiles to be kept."""
    if folder is None:
        yield None
        return
    if settings.tile_size == 0:
        raise BadSettings(
            "A store keeps tiles, and tile_size is 0. Set it, to 64 say, or build without a store.",
            "STORE_WITHOUT_TILES",
        )
    store = TileStore(Path(folder), report, read)
    try:
        yield store
    finally:
        store.close()
