"""Packs: files of many tiles, each tile behind a head that says its length, its key, its age and its hash.

    a word that names the format
    a record for each tile        head, body
    the record of the index       head, one line for each tile, sorted by key
    where that record begins, and a word that says that the pack is whole

A pack is written by one process, from its beginning to its end, and never changed. What is there when that process is
killed can be read: only the last record may be cut short. All numbers are little-endian.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...types import I64, U8

VERSION = 1
NAME = re.compile(r"tiles-[0-9a-f]{16}\.pack")
_MAGIC = b"navmesh tiles %d\n" % VERSION
_HEAD = struct.Struct("<4sIQQ32s32s")  # tag, checksum of the rest, length of the body, written, key, hash of the body
_TILE, _INDEX = b"TILE", b"ENDS"
_END = struct.Struct("<Q8s")
_WHOLE = b"whole.\r\n"
_LINE = np.dtype([("key", "<u8", (4,)), ("offset", "<i8"), ("size", "<i8"), ("written", "<i8")])
PackLines: TypeAlias = npt.NDArray[np.void]
Keys: TypeAlias = npt.NDArray[np.uint64]  # (keys, 4): as numbers they compare faster
PackRow: TypeAlias = tuple[bytes, int, int, int]  # key, offset, size of the record, written


class BadTilePack(ValueError):
    """A file, or a part of it, that is not what a pack holds."""


class TilePack(NamedTuple):
    """What a pack holds; its lines are sorted by the first number of their keys."""

    path: Path
    size: int  # bytes
    lines: PackLines
    whole: bool  # its writer has ended it
    damage: str = ""  # what was found wrong with it; the tiles in `lines` may be sound all the same
    ours: bool = True  # whether it begins as a pack does

    def find(self, keys: Keys) -> I64:
        """Where each of the keys is among the lines, -1 where it isn't."""
        if len(self.lines) == 0:
            return np.full(len(keys), -1, np.int64)
        at = np.searchsorted(self.lines["key"][:, 0], keys[:, 0])
        at[at == len(self.lines)] = 0
        return np.where((self.lines["key"][at] == keys).all(axis=1), at, -1)


# --- reading


def read_pack(path: Path) -> TilePack:
    """What lies where in a pack. Damage is told, not raised; raises OSError where the file can't be read at all."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        begin = file.read(len(_MAGIC))
        if begin != _MAGIC:
            ours = _MAGIC.startswith(begin)  # cut short, where its writer was killed at once
            return TilePack(path, size, _sorted([]), False, "" if ours else "it is no file of a tile store", ours)
        lines = _read_index(file, size)
        if lines is not None:
            return TilePack(path, size, lines, True)
        rows, damage = _scan(file, size)
        return TilePack(path, size, _sorted(rows), False, damage)


def _read_index(file: BinaryIO, size: int) -> PackLines | None:
    """The lines of a pack that is whole and sound."""
    if size < len(_MAGIC) + _HEAD.size + _END.size:
        return None
    file.seek(size - _END.size)
    begin, word = _END.unpack(file.read(_END.size))
    length = size - _END.size - begin - _HEAD.size
    if word != _WHOLE or begin < len(_MAGIC) or length < 0:
        return None
    file.seek(begin)
    head, body = file.read(_HEAD.size), file.read(length)
    try:
        told, _, _, digest = _opened(head, _INDEX)
    except BadTilePack:
        return None
    if told != length or length % _LINE.itemsize or hashlib.sha256(body).digest() != digest:
        return None
    lines = np.frombuffer(body, _LINE)
    ends = lines["offset"] + lines["size"]
    sound = (lines["offset"] >= len(_MAGIC)) & (lines["size"] >= _HEAD.size) & (ends <= begin)
    return lines if sound.all() else None


def _scan(file: BinaryIO, size: int) -> tuple[list[PackRow], str]:
    """The records of a pack without an index, one after the other; and what was wrong with the first that was."""
    rows: list[PackRow] = []
    offset = len(_MAGIC)
    while offset + _HEAD.size <= size:
        file.seek(offset)
        head = file.read(_HEAD.size)
        if head[: len(_INDEX)] == _INDEX:
            return rows, "" if _is_cut_short(head, offset, size) else "its end is damaged"
        try:
            length, written, key, _ = _opened(head, _TILE)
        except BadTilePack as reason:
            return rows, str(reason)
        end = offset + _HEAD.size + length
        if end > size:
            break
        rows.append((key, offset, end - offset, written))
        offset = end
    return rows, ""


def _is_cut_short(head: bytes, offset: int, size: int) -> bool:
    """Whether an index ends before it says that it does, as where its writer was killed."""
    try:
        length = _opened(head, _INDEX)[0]
    except BadTilePack:
        return False
    return offset + _HEAD.size + length + _END.size > size


def _opened(head: bytes, tag: bytes) -> tuple[int, int, bytes, bytes]:
    """Length of the body, when it was written, key and hash of the body."""
    if len(head) != _HEAD.size:
        raise BadTilePack("a record is cut short")
    found, checksum, length, written, key, digest = _HEAD.unpack(head)
    if found != tag or checksum != zlib.crc32(head[8:]):
        raise BadTilePack("a record is damaged")
    return length, written, key, digest


def read_body(file: BinaryIO, offset: int, size: int, key: bytes) -> U8:
    """The body of the record of a tile. Raises BadTilePack where it isn't the one that was written, and OSError."""
    data = np.empty(size, np.uint8)
    file.seek(offset)
    if file.readinto(data) != size:  # type: ignore[attr-defined]
        raise BadTilePack("a record is cut short")
    _, _, found, digest = _opened(data[: _HEAD.size].tobytes(), _TILE)
    body = data[_HEAD.size :]
    if found != key or hashlib.sha256(body.data).digest() != digest:
        raise BadTilePack("a tile is damaged")
    return body


# --- writing


class PackWriter:
    """One new pack; the file is made with the first tile. Methods raise OSError."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"tiles-{secrets.token_hex(8)}.pack"
        self._rows: list[PackRow] = []
        self._file: BinaryIO | None = None
        self._offset = 0

    def add(self, key: bytes, body: bytes, written: int) -> None:
        """One tile. It is the system's once this returns, and outlives this process."""
        if self._file is None:
            self._file = self.path.open("xb", buffering=0)
            self._write(_MAGIC)
        record = _record(_TILE, key, body, written)
        self._write(record)
        self._rows.append((key, self._offset - len(record), len(record), written))

    def finish(self) -> None:
        """End the pack, if there is one."""
        if self._file is not None:
            begin = self._offset
            self._write(_record(_INDEX, bytes(32), _sorted(self._rows).tobytes(), 0) + _END.pack(begin, _WHOLE))
            self.give_up()

    def give_up(self) -> None:
        """Leave the pack as it is: what it holds so far can be read."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):
                file.close()

    def _write(self, data: bytes) -> None:
        assert self._file is not None
        written = self._file.write(data)
        if written != len(data):
            raise OSError("no space left on the device")
        self._offset += len(data)


def _record(tag: bytes, key: bytes, body: bytes, written: int) -> bytes:
    rest = _HEAD.pack(tag, 0, len(body), written, key, hashlib.sha256(body).digest())[8:]
    return tag + zlib.crc32(rest).to_bytes(4, "little") + rest + body


def _sorted(rows: list[PackRow]) -> PackLines:
    lines = np.empty(len(rows), _LINE)
    lines["key"] = numbers_of([key for key, *_ in rows])
    for column, name in enumerate(("offset", "size", "written"), 1):
        lines[name] = [row[column] for row in rows]
    return lines[np.argsort(lines["key"][:, 0], kind="stable")]


def numbers_of(keys: Sequence[bytes]) -> Keys:
    """Keys of 32 bytes, as packs compare them."""
    return np.frombuffer(b"".join(keys), "<u8").reshape(-1, 4)


def records(pack: TilePack, chosen: npt.NDArray[np.bool_]) -> Iterator[tuple[bytes, bytes, int]]:
    """Key, body and age of some of a pack's tiles; those that are damaged are left out. Raises OSError."""
    with pack.path.open("rb", buffering=0) as file:
        for line in pack.lines[chosen]:
            key = line["key"].tobytes()
            with suppress(BadTilePack):
                yield key, read_body(file, int(line["offset"]), int(line["size"]), key).tobytes(), int(line["written"])
