"""The file that many compiled kernels are shipped in: a header in JSON, then one entry after the other.

Read without Numba, so that who makes zips and wheels can ask what a pack is for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

_MAGIC = b"navpack2"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 4


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


def pack_bytes(pack: PackFile) -> bytes:
    """The same bytes for the same content."""
    entries = sorted(pack.entries.items())
    listed = [[name, entry.made_from, len(entry.data)] for name, entry in entries]
    text = json.dumps({**pack._asdict(), "entries": listed}, sort_keys=True).encode()
    start = _MAGIC + hashlib.sha256(text).digest() + len(text).to_bytes(_LENGTH, "little") + text
    return start + b"".join(entry.data for _, entry in entries)


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
    if data[:digest] != _MAGIC or data[digest:length] != hashlib.sha256(data[begin:end]).digest():
        raise BadPack("the shipped kernels are damaged")
    header: dict[str, Any] = json.loads(data[begin:end])
    entries, start = {}, end
    for name, made_from, size in header["entries"]:
        entries[name] = PackedEntry(made_from, data[start : start + size])
        start += size
    if start != len(data):
        raise BadPack("the shipped kernels are damaged: the file was cut off")
    return PackFile(header["environment"], header["sources"], header["processor"], tuple(header["needs"]), entries)
