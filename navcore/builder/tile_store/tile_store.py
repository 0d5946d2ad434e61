"""The store as a build uses it: which tiles are there, tiles taken out and put in, and what went wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

import numpy as np

from ...errors import BadSettings
from ...report import Report
from ...settings import Settings
from ...types import U8
from .pack_files import BadTilePack, PackWriter, TilePack, numbers_of, read_body, read_pack
from .store_folder import packs_in, prepare
from .sweep import USED_LATELY, seconds_now, sweep
from .tile_records import BadRecord, StoredTile, TileList, packed, packed_list, unpacked, unpacked_list

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
