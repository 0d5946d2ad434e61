"""Compile every kernel into the user's folder, in a process of its own: what the extension does after it was enabled.

On standard output it tells, a line each time, the fraction that is done and `loading`; `compiling` once something had
to be compiled; then `ready` as soon as a usual build need not wait any more. It ends by itself when standard input is
closed: whoever started it is gone.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from pathlib import Path

STAMP = "prepared"  # in the folder: which kernels are there
_NICE = 15
_LOOKS = 0.25  # seconds between lines


def wanted(folder: Path) -> bool:
    """Whether there is anything to prepare: not if it was done with these sources on this Python."""
    try:
        return (folder / STAMP).read_text(encoding="utf-8") != _stamp()
    except (OSError, UnicodeDecodeError):
        return True


def main(folder: Path) -> int:
    """Prepare, tell, and leave a stamp."""
    if hasattr(os, "nice"):  # on Windows the starter asks for it
        os.nice(_NICE)
    threading.Thread(target=_end_with_starter, daemon=True).start()
    from .jit import keep_kernels_in
    from .warm_up import warm_up

    keep_kernels_in(folder)
    told = _Told()
    with told:
        warm_up(told.step)
    with contextlib.suppress(OSError):  # prepared again next time
        (folder / STAMP).write_text(_stamp(), encoding="utf-8")
    return 0


class _Told:
    """Tells how many kernels have been asked for, while the compiler is at work."""

    def __init__(self) -> None:
        self._ended, self._ready = threading.Event(), False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def step(self, fraction: float) -> None:
        """The first step is a usual build."""
        self._ready = fraction > 0

    def _run(self) -> None:
        from .kernels.store import STORE

        while not self._ended.wait(_LOOKS):
            tally = STORE.tally
            state = "loading" if not tally.compiled else "ready" if self._ready else "compiling"
            sys.stdout.write(f"{len(tally.seen) / max(tally.known, 1):.3f} {state}\n")
            sys.stdout.flush()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


def _end_with_starter() -> None:
    while os.read(0, 1):  # not through sys.stdin, whose lock Python wants for itself when it ends
        pass
    os._exit(1)


def _stamp() -> str:
    from .version import code_fingerprint

    return f"{code_fingerprint()} {sys.version}"
