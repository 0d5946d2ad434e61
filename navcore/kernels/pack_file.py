"""The file that many compiled kernels are shipped in: a header in JSON, then one entry after the other, all compressed.

What is long in an entry, its code, is compressed in itself; what it says of itself is text, and was a fifth of a pack.
Read without Numba, so that who makes zips and wheels can ask what a pack is for.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

_MAGIC = b"navpack3"
_EARLIER = b"navpack2"  # the same, nothing compressed: who bakes takes over from it what did not change
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 4
_LEVEL = 9  # of compression


class BadPack(ValueError):
    """A pack that cannot be used here; its message says why, for the report."""


class PackedEntry(NamedTuple):
    """A compiled kernel in a pack."""

    made_from: str  # the fingerprint of its source file and all that this imports
    data: bytes


class PackFile(NamedTuple):
    """What a pack is for, and its entries by name."""

    environment: str  # Numba, Python, NumPy and flags
    sources: str  # all of navcore's, see `version.code_fingerprint`; an entry may outlive them
    processor: str
    needs: tuple[str, ...]  # what the processor must be able to do, in LLVM's words
    entries: Mapping[str, PackedEntry]


class _Entries(Mapping[str, PackedEntry]):
    """As they lie in a file, each unpacked when somebody asks for it: a build needs one in five."""

    def __init__(self, found: Mapping[str, PackedEntry]) -> None:
        self._found = found

    def __getitem__(self, name: str) -> PackedEntry:
        made_from, data = self._found[name]
        try:
            return PackedEntry(made_from, zlib.decompress(data))
        except zlib.error:
            return PackedEntry(made_from, b"")  # whoever wants to load it sees that it is damaged

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def pack_bytes(pack: PackFile, level: int = _LEVEL) -> bytes:
    """The same bytes for the same content, compressed at this level."""
    entries = [
        (name, entry.made_from, zlib.compress(entry.data, level)) for name, entry in sorted(pack.entries.items())
    ]
    listed = [[name, made_from, len(data)] for name, made_from, data in entries]
    text = zlib.compress(json.dumps({**pack._asdict(), "entries": listed}, sort_keys=True).encode(), _LEVEL)
    start = _MAGIC + hashlib.sha256(text).digest() + len(text).to_bytes(_LENGTH, "little") + text
    return start + b"".join(data for _, _, data in entries)


def read_pack(path: Path) -> PackFile:
    """The pack in a file. Raises BadPack where it is missing or damaged.

    Each entry has a digest of its own, which is looked at when it is loaded.
    """
    try:
        data = path.read_bytes()
    except OSError as reason:
        raise BadPack(f"{path.name} cannot be read ({(reason.strerror or str(reason)).lower()})") from None
    digest, length = len(_MAGIC), len(_MAGIC) + _DIGEST
    begin = length + _LENGTH
    end = begin + int.from_bytes(data[length:begin], "little")
    kind, text = data[:digest], data[begin:end]
    if kind not in (_MAGIC, _EARLIER) or data[digest:length] != hashlib.sha256(text).digest():
        raise BadPack("the shipped kernels are damaged")
    header: dict[str, Any] = json.loads(zlib.decompress(text) if kind == _MAGIC else text)
    entries, start = {}, end
    for name, made_from, size in header["entries"]:
        entries[name] = PackedEntry(made_from, data[start : start + size])
        start += size
    if start != len(data):
        raise BadPack("the shipped kernels are damaged: the file was cut off")
    whole = _Entries(entries) if kind == _MAGIC else entries
    return PackFile(header["environment"], header["sources"], header["processor"], tuple(header["needs"]), whole)
