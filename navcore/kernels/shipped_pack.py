"""The compiled kernels that are shipped: a pack for each platform, Python and Numba, for processors of 2011."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numba

from ..version import FOLDER, code_fingerprint
from .pack_file import BadPack, PackedEntry, PackFile, read_pack
from .versions_and_processor import environment, host_features

SHIPPED = FOLDER / "compiled"
ENDING = ".kernels"


class Baseline(NamedTuple):
    """The processor that a pack is made for: its name and what it must be able to do, in LLVM's words."""

    name: str
    needs: tuple[str, ...]
    beyond: str = ""  # what is used of it beyond that name

    @property
    def in_words(self) -> str:
        return f"{self.name} {self.beyond}".strip()


# Without AVX the loops over height samples take twice as long, and a level of hills half as long again.
_X86_64 = Baseline("x86-64-v2", ("avx", "cx16", "popcnt", "sahf", "sse3", "ssse3", "sse4.1", "sse4.2"), "+avx")
_ARM = Baseline("generic", ())
BASELINES = {"x86_64": _X86_64, "amd64": _X86_64, "arm64": _ARM, "aarch64": _ARM}  # by platform.machine()


class Pack:
    """An open pack: entries by name and by what they were made from."""

    def __init__(self, entries: Mapping[str, PackedEntry], sources: str = "") -> None:
        self._entries, self._sources = entries, sources

    @property
    def current(self) -> bool:
        """Whether it was made from all sources as they are: nothing is missing. (Reading all takes a while.)"""
        return self._sources == code_fingerprint()

    def read(self, name: str, made_from: str) -> bytes | None:
        """The bytes of an entry; None where there is none, or one from another source."""
        entry = self._entries.get(name)
        return entry.data if entry is not None and entry.made_from == made_from else None

    def __len__(self) -> int:
        return len(self._entries)


def pack_name() -> str:
    """The file that this Python looks for."""
    return (
        f"{sys.implementation.cache_tag}-numba{numba.__version__}-{sys.platform}-{platform.machine().lower()}{ENDING}"
    )


def pack_key(name: str, made_from: str) -> str:
    """The key of an entry in a pack."""
    return f"shipped {name} {made_from}"


def pack_for_here(entries: Mapping[str, PackedEntry], baseline: Baseline) -> PackFile:
    """A pack of entries made from these sources, in this environment, for `baseline`."""
    return PackFile(environment(), code_fingerprint(), baseline.in_words, baseline.needs, entries)


def open_pack(path: Path) -> Pack:
    """The pack in a file. Raises BadPack where it is missing, damaged, or made for something else than runs here."""
    if not path.exists():
        raise BadPack(f"no kernels are shipped for {pack_name().removesuffix(ENDING)}")
    pack = read_pack(path)
    if pack.environment != environment():
        raise BadPack(f"the shipped kernels are for {pack.environment}, and this is {environment()}")
    missing = set(pack.needs) - host_features()
    if missing:
        raise BadPack(f"the shipped kernels are for {pack.processor}, and this processor has no {min(missing)}")
    return Pack(pack.entries, pack.sources)
