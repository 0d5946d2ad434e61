"""Where a compiled kernel is looked for: among the shipped ones, then in the user's folder; with a tally of both."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..files import locks
from . import cache_folder, kernel_sources, shipped_pack
from .entry_bytes import Entry, packed, unpacked
from .pack_file import BadPack, PackedEntry
from .versions_and_processor import environment, processor

_WANTED = "NAVMESH_SHIPPED_KERNELS"  # of the environment; 0: as if none were shipped
_DAMAGE = (ValueError, KeyError, IndexError, TypeError, ArithmeticError)  # what foreign bytes raise when they are read
_PATIENCE = 180.0  # seconds that one process waits for another that compiles what it needs: ten on a quiet machine
_KERNEL = "kernel"  # how the names of those begin that Python calls
_LOCKS = 256  # files for that; kernels that share one are compiled one after the other


class Kernel(NamedTuple):
    """One kernel for one list of argument types."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    part: bool  # only called by other kernels

    @property
    def source(self) -> Path:
        return kernel_sources.source_of(self.function.__code__.co_filename)

    @property
    def name(self) -> str:
        """The same wherever we are installed, and whatever the package is called there."""
        code = self.function.__code__
        place = f"{kernel_sources.name_of(self.source)}:{code.co_firstlineno} {self.function.__qualname__}"
        return f"{'part' if self.part else _KERNEL} {place} {self.arguments}"


def is_of_kernel(name: str) -> bool:
    """Whether an entry is one that Python can call."""
    return name.startswith(f"{_KERNEL} ")


class Tally:
    """What became of the kernels that were called so far."""

    def __init__(self) -> None:
        self.compiled: list[str] = []
        self.loaded: list[str] = []
        self.waited_for: list[str] = []  # of those, what another process had to compile first
        self.stood_in: list[str] = []  # calls, by plain Python
        self.not_kept: list[str] = []  # compiled, but nothing that can be stored
        self.known = 0  # kernels there are, also those that only kernels call
        self.seen: set[str] = set()  # of those, how many were asked for


class Store:
    """Both places. Nothing here raises: what can't be read is compiled, what can't be written is not kept."""

    def __init__(self) -> None:
        self.root: Path | None = None
        self.chosen = False  # whether somebody has said where kernels are kept
        self.shipped: Path | None = shipped_pack.SHIPPED
        self.recording: dict[str, PackedEntry] | None = None  # entries for a pack that is being made
        self.records_parts = False  # also what only kernels call: the processes that come later need not compile it
        self.tally = Tally()
        self.why_not_shipped = ""
        self.why_not_kept = ""  # which folder can't be written to, and why
        self.before_compiling: Callable[[], object] | None = None  # called by who holds Numba's lock
        self.at_compiling: Callable[[], object] | None = None  # likewise, whoever else listens
        self.at_missing: Callable[[str], object] | None = None  # likewise, with the kernel's module
        self.is_compiling = False  # a kernel, now
        self._pack: shipped_pack.Pack | None = None
        self._last: tuple[Kernel, Entry] | None = None  # what was loaded last
        self._missing = ""  # module of the last kernel that was not found
        self._lock: int | None = None  # on the kernel that this process compiles
        self._patience = _PATIENCE

    def keep_in(self, root: Path | None, shipped: Path | None = shipped_pack.SHIPPED) -> None:
        """Choose the user's folder and that of the shipped packs; None for neither."""
        reason = cache_folder.why_unusable(root) if root is not None else ""
        self.root = None if reason else root
        self.why_not_kept = f"{root}: {reason}" if reason else ""
        self.shipped, self._pack, self._last, self.chosen = shipped, None, None, True

    def load(self, kernel: Kernel) -> Entry | None:
        if not kernel_sources.is_ours(kernel.source):
            return None
        last, self._last = self._last, None
        if last is not None and last[0] == kernel:  # it was asked for to know whether it is there
            return last[1]
        entry = self._from_pack(kernel) or self._from_folder(kernel)
        self._last = None if entry is None else (kernel, entry)
        if entry is None and not kernel.part:
            self._missing = kernel.function.__module__
        return entry

    def load_for_linking(self, part: Kernel) -> Entry | None:
        """What a kernel that Python calls has for those that call it, where it was compiled as such before."""
        if not kernel_sources.is_ours(part.source):
            return None
        kernel = part._replace(part=False)
        entry = self._from_pack(kernel, called=False) or self._from_folder(kernel)
        return entry._replace(code=b"") if entry is not None and entry.bitcode else None

    def save(self, kernel: Kernel, entry: Entry) -> None:
        if not kernel_sources.is_ours(kernel.source):
            return
        if self.recording is not None and self._is_recorded(kernel):
            made_from = kernel_sources.fingerprint(kernel.source)
            data = packed(shipped_pack.pack_key(kernel.name, made_from), entry)
            self.recording[kernel.name] = PackedEntry(made_from, data)
        root = self._root()
        if root is not None:
            try:
                cache_folder.write(root, _group(kernel), _key(kernel), packed(_key(kernel), entry))
            except OSError as reason:
                self.root = None  # a full disk, or a folder that is gone: not to be tried for every kernel
                self.why_not_kept = f"{root}: {(reason.strerror or str(reason)).lower()}"

    def _is_recorded(self, kernel: Kernel) -> bool:
        return self.records_parts or not kernel.part

    def claim(self, kernel: Kernel) -> None:
        """Wait until no other process compiles this kernel; until `release` none begins to.

        Nobody waits in a circle: who holds a lock compiles one kernel, and waits for no other.
        """
        root = self._root()
        if root is None or self.recording is not None or not kernel_sources.is_ours(kernel.source):
            return
        number = int.from_bytes(sha256(_key(kernel).encode()).digest()[:4], "little") % _LOCKS
        try:
            self._lock = locks.wait_for(lock_file(root, f"kernel {number}"), self._patience)
        except locks.Held:
            self._patience = 0.0  # whoever holds it sleeps: compiled twice is better than never

    def release(self) -> None:
        """The kernel that was claimed is kept, or could not be compiled."""
        self.is_compiling = False
        locks.unlock(self._lock)
        self._lock = None

    def tell_compiling(self) -> None:
        """A kernel is about to be compiled that Python called."""
        self.is_compiling = True
        for listener in filter(None, (self.before_compiling, self.at_compiling)):
            listener()
        if self.at_missing is not None:
            self.at_missing(self._missing)

    def has_shipped(self) -> bool:
        """Whether all that was compiled ahead for these sources is there."""
        return self._shipped_pack().current

    def _shipped_pack(self) -> shipped_pack.Pack:
        if self._pack is None:
            self._pack = self._open_pack()
        return self._pack

    def _from_pack(self, kernel: Kernel, *, called: bool = True) -> Entry | None:
        pack = self._shipped_pack()
        if not len(pack):
            return None
        made_from = kernel_sources.fingerprint(kernel.source)
        data = pack.read(kernel.name, made_from)
        entry = _entry(data, shipped_pack.pack_key(kernel.name, made_from)) if data is not None else None
        if entry is None and data is not None:
            self.why_not_shipped = "some shipped kernels are damaged"
        elif data is None and not kernel.part and not pack.current:
            self.why_not_shipped = "some shipped kernels were made from other sources"
        elif data is not None and called and self.recording is not None and self._is_recorded(kernel):
            self.recording[kernel.name] = PackedEntry(made_from, data)
        return entry

    def _open_pack(self) -> shipped_pack.Pack:
        try:
            if self.shipped is None or os.environ.get(_WANTED) == "0":
                raise BadPack("shipped kernels are not wanted")
            opened = shipped_pack.open_pack(self.shipped / shipped_pack.pack_name())
        except BadPack as reason:
            self.why_not_shipped = str(reason)
        except _DAMAGE:
            self.why_not_shipped = "the shipped kernels are damaged"
        else:
            self.why_not_shipped = ""
            return opened
        return shipped_pack.Pack({})

    def _from_folder(self, kernel: Kernel) -> Entry | None:
        root = self._root()
        data = cache_folder.read(root, _group(kernel), _key(kernel)) if root is not None else None
        return _entry(data, _key(kernel)) if data is not None else None

    def folder(self) -> Path | None:
        """The user's folder; None where there is none that can be used."""
        return self._root()

    def _root(self) -> Path | None:
        if not self.chosen:
            self.keep_in(cache_folder.users_cache_folder() / "navmesh-kernels", self.shipped)
        return self.root


def lock_file(root: Path, name: str) -> Path:
    """What processes that share a folder of kernels lock, so that each does something else."""
    return root / "locks" / name


def _group(kernel: Kernel) -> str:
    """The folder of a kernel's source file as it is now."""
    return kernel_sources.fingerprint(kernel.source)[:24]


def _key(kernel: Kernel) -> str:
    return f"{kernel.name} {kernel_sources.fingerprint(kernel.source)} {environment()} {processor()}"


def _entry(data: bytes, key: str) -> Entry | None:
    try:
        return unpacked(data, key)
    except _DAMAGE:
        return None


STORE = Store()
