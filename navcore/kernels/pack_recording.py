"""Compile everything and keep it in memory: what a pack is made from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..version import code_fingerprint
from .dispatcher import number_functions_from
from .kernel_store import STORE
from .pack_file import PackedEntry

_APART = 1 << 20  # more functions than one process compiles


def recorded(
    work: Callable[[], object], earlier: Path | None = None, group: int = 0, *, parts: bool = False
) -> dict[str, PackedEntry]:
    """The entries of all kernels that `work` calls, by name. Nothing may have been called before.

    What a pack in the folder `earlier` holds is taken from there where its source is still the same. Processes whose
    entries come into one pack are each another `group`. With `parts` also what only kernels call: those who compile
    kernels later take it from there.
    """
    if STORE.tally.compiled or STORE.tally.loaded:
        raise RuntimeError("Some kernels are compiled already and would be missing from the pack. Use a new process.")
    # The same numbers for the same sources: they are part of the code, and equal sources shall give equal packs.
    number_functions_from(int(code_fingerprint()[:12], 16) + group * _APART)
    STORE.keep_in(None, shipped=earlier)
    STORE.recording, STORE.records_parts = {}, parts
    try:
        work()
        return STORE.recording
    finally:
        STORE.recording = None
