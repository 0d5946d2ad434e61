"""Python's search for garbage does not look through what stays for good. No bpy.

Numba and our kernels are a quarter of a million objects. Blender's Python looked through all of them whenever a quarter
as many had been added: 0.2 s, in the middle of whatever somebody did. So they are set aside once they are loaded.
"""

from __future__ import annotations

import gc
import sys

from .kept_value import KeptValue
from .package_names import EXTENSION

_loaded: KeptValue[int] = KeptValue(0)  # kernels, when it was done last


def set_aside() -> None:
    """Called after work that may have loaded kernels. Quick where it has not, and on any thread."""
    store = sys.modules.get(f"{EXTENSION}.navcore.kernels.kernel_store")
    if store is None:
        return
    tally = store.STORE.tally
    loaded = len(tally.loaded) + len(tally.compiled)
    if loaded > _loaded.value:
        _loaded.value = loaded
        gc.collect(1)  # what is young and garbage already need not stay
        gc.freeze()


def unregister() -> None:
    """What was set aside is looked through again: the extension is disabled, and may go."""
    if _loaded.value:
        _loaded.forget()
        gc.unfreeze()
