"""Many compiled kernels in one file, as they are shipped: for one platform, one Python, and a processor of 2009 on."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..version import FOLDER, code_fingerprint
from .versions_and_processor import environment, host_features

SHIPPED = FOLDER / "compiled"
ENDING = ".kernels"
_MAGIC = b"navpack1"
_DIGEST = hashlib.sha256().digest_size
_LENGTH = 4


class BadPack(ValueError):
    """A pack that cannot be used here; its message says why, for the report."""


class Baseline(NamedTuple):
    """The processor that a pack is made for: its name and what it must be able to do, in LLVM's words."""

    name: str
    needs: tuple[str, ...]


_X86_64_V2 = Baseline("x86-64-v2", ("cx16", "popcnt", "sahf", "sse3", "ssse3", "sse4.1", "sse4.2"))
_ARM = Baseline("generic", ())
BASELINES = {"x86_64": _X86_64_V2, "amd64": _X86_64_V2, "arm64": _ARM, "aarch64": _ARM}  # by platform.machine()


class Pack:
    """An open pack: entries by name."""

    def __init__(self, entries: Mapping[str, bytes]) -> None:
        self._entries = entries

    def read(self, name: str) -> bytes | None:
        return self._entries.get(name)

    def __len__(self) -> int:
        return len(self._entries)


def pack_name() -> str:
    """The file that this Python looks for."""
    return f"{sys.implementation.cache_tag}-{sys.platform}-{platform.machine().lower()}{ENDING}"


def pack_key(name: str) -> str:
    """The key of an entry in a pack."""
    return f"shipped {name} {code_fingerprint()}"


def pack_bytes(entries: Mapping[str, bytes], baseline: Baseline) -> bytes:
    """A pack of entries made for these sources, in this environment, for `baseline`."""
    header = _expected() | {
        "processor": baseline.name,
        "needs": baseline.needs,
        "entries": [[name, len(data)] for name, data in sorted(entries.items())],
    }
    text = json.dumps(header, sort_keys=True).encode()
    start = _MAGIC + hashlib.sha256(text).digest() + len(text).to_bytes(_LENGTH, "little") + text
    return start + b"".join(data for _, data in sorted(entries.items()))


def open_pack(path: Path) -> Pack:
    """The pack in a file. Raises BadPack where it is missing, damaged, or made for something else than what runs here.

    Each entry has a digest of its own, which is looked at when it is loaded.
    """
    header, entries = _read(path)
    here = _expected()
    if header["environment"] != here["environment"]:
        raise BadPack(f"the shipped kernels are for {header['environment']}, and this is {here['environment']}")
    if header["sources"] != here["sources"]:
        raise BadPack("the shipped kernels were made from other sources")
    missing = set(header["needs"]) - host_features()
    if missing:
        raise BadPack(f"the shipped kernels are for {header['processor']}, and this processor has no {min(missing)}")
    by_name, start = {}, 0
    for name, length in header["entries"]:
        by_name[name] = entries[start : start + length]
        start += length
    return Pack(by_name)


def made_from(path: Path) -> str:
    """The sources that a pack was made from, as `code_fingerprint` names them. Raises BadPack."""
    return str(_read(path)[0]["sources"])


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    try:
        data = path.read_bytes()
    except OSError:
        raise BadPack(f"no kernels are shipped for {pack_name().removesuffix(ENDING)}") from None
    digest, length = len(_MAGIC), len(_MAGIC) + _DIGEST
    begin = length + _LENGTH
    end = begin + int.from_bytes(data[length:begin], "little")
    if data[:digest] != _MAGIC or data[digest:length] != hashlib.sha256(data[begin:end]).digest():
        raise BadPack("the shipped kernels are damaged")
    return json.loads(data[begin:end]), data[end:]


def _expected() -> dict[str, str]:
    return {"environment": environment(), "sources": code_fingerprint()}
