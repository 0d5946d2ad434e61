"""Compile everything and keep it in memory: what a pack is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ..version import code_fingerprint
from .dispatcher import number_functions_from
from .entry_bytes import without_bitcode
from .kernel_store import STORE, is_of_kernel
from .pack_file import PackedEntry
from .shipped_pack import pack_key

_APART = 1 << 20  # more functions than one process compiles


class Recorder:
    """Keeps what is compiled and loaded in this process, in which nothing may have been called before."""

    def __init__(self, number: int = 0, *, parts: bool = False) -> None:
        """Processes whose entries come into one pack each have another `number`.

        With `parts` also what only kernels call is kept, and of kernels what those would need that call them: who
        compiles kernels later takes it from there.
        """
        if STORE.tally.compiled or STORE.tally.loaded:
            raise RuntimeError(
                "Some kernels are compiled already and would be missing from the pack. Use a new process."
            )
        # The same numbers for the same sources: they are part of the code, and equal sources shall give equal packs.
        number_functions_from(int(code_fingerprint()[:12], 16) + number * _APART)
        self._parts = parts

    def entries(self, work: Callable[[], object], earlier: Path | None = None) -> dict[str, PackedEntry]:
        """The entries of all kernels that `work` calls and that were not called before, by name.

        What a pack in the folder `earlier` holds is taken from there where its source is still the same.
        """
        STORE.keep_in(None, shipped=earlier)
        STORE.recording, STORE.records_parts = {}, self._parts
        try:
            work()
            return STORE.recording if self._parts else for_python_alone(STORE.recording)
        finally:
            STORE.recording = None


def recorded(work: Callable[[], object], earlier: Path | None = None) -> dict[str, PackedEntry]:
    """The entries of all kernels that `work` calls, as they are shipped."""
    return Recorder().entries(work, earlier)


def for_python_alone(entries: Mapping[str, PackedEntry]) -> dict[str, PackedEntry]:
    """The kernels among these, without what other kernels would need of them: a quarter of the bytes."""
    kernels = ((name, *entry) for name, entry in entries.items() if is_of_kernel(name))
    return {
        name: PackedEntry(made_from, without_bitcode(data, pack_key(name, made_from)))
        for name, made_from, data in kernels
    }
