"""Whoever waits while kernels are compiled is told so: a line at once, and one every ten seconds.

Commands write it to standard error, a terminal or not; for programs that use the library it is a warning of the logger
`navcore`, which Python writes there, too, unless the program wants something else. The extension shows it in its panel.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from ..kernels.kernel_store import STORE
from . import starter

_FIRST = 1.0  # seconds of compiling after which it is worth a line: most kernels take less
_BETWEEN = 10.0  # seconds between two lines
_PREPARE = "; `navcore prepare` does all of it ahead"
_LOOKS = 0.2  # seconds between looks
_OVER = 30.0  # seconds without compiling after which nobody looks any more, until it begins again


class SaidMeanwhile:
    """Says how many kernels were compiled, by this process and by those that it has started."""

    def __init__(
        self, say: Callable[[str], object], cure: str = "", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say, self._cure, self._clock = say, cure, clock
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None
        self._before, self._by_others, self._lines = len(STORE.tally.compiled), 0, 0
        self._since = self._busy_at = self._said_at = clock()

    def begin(self) -> None:
        """Something is about to be compiled: look from now on. Quick, and may be called again and again."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._since = self._busy_at = self._clock()
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()

    def end(self) -> None:
        """Nothing more is said."""
        self._ended.set()

    def look(self) -> bool:
        """Say what there is to say now. Whether to go on looking."""
        now, compiler = self._clock(), starter.current()
        others = compiler is not None and compiler.compiles
        if compiler is not None and others:
            self._by_others = max(self._by_others, compiler.compiled)
        if not (STORE.is_compiling or others):
            return now - self._busy_at < _OVER
        self._busy_at = now
        if self._lines == 0 and now - self._since >= _FIRST:
            self._tell(now, f"compiling kernels, once on this machine{self._cure}")
        elif self._lines and now - self._said_at >= _BETWEEN:
            count = len(STORE.tally.compiled) - self._before + self._by_others
            self._tell(now, f"still compiling kernels, {count:,} so far")
        return True

    def _tell(self, now: float, text: str) -> None:
        self._said_at, self._lines = now, self._lines + 1
        self._say(text)

    def _run(self) -> None:
        while not self._ended.wait(_LOOKS) and self.look():
            pass


class _WhoSays:
    """What tells whoever uses this process; nobody has chosen yet."""

    said: SaidMeanwhile | None = None
    chosen = False


_WHO = _WhoSays()


def say_meanwhile(say: Callable[[str], object] | None, cure: str = _PREPARE) -> None:
    """Choose how whoever waits is told; None: not at all. `cure` is what to do against waiting."""
    if _WHO.said is not None:
        _WHO.said.end()
    _WHO.said, _WHO.chosen = None if say is None else SaidMeanwhile(say, cure), True
    STORE.at_compiling = begin_saying


def log_meanwhile() -> None:
    """As programs that use the library hear it, unless somebody has chosen."""
    if not _WHO.chosen:
        say_meanwhile(logging.getLogger("navcore").warning)


def begin_saying() -> None:
    """Kernels are about to be compiled, here or elsewhere."""
    if _WHO.said is not None:
        _WHO.said.begin()
