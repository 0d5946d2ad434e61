"""Locks on small files, which the system opens again however the process that holds them ends."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_LOOKS = 0.03  # seconds between looks at a lock that another process holds
_HELD = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}  # what systems say of a lock that another process holds
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)  # what a system has of them


class Held(Exception):
    """Another process holds the lock."""


def lock(path: Path) -> int | None:
    """Hold the lock on a file, which is made, until `unlock`; None where there are no locks. Raises Held."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | _FLAGS, 0o600)
    except OSError:
        return None
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as reason:
        os.close(descriptor)
        if reason.errno in _HELD:
            raise Held from None
        return None  # not on this file system
    return descriptor


def wait_for(path: Path, patience: float) -> int | None:
    """The same as soon as nobody else holds it. Raises Held where that takes longer than so many seconds."""
    until = time.monotonic() + patience
    while True:
        try:
            return lock(path)
        except Held:
            if time.monotonic() > until:
                raise
        time.sleep(_LOOKS)


def unlock(descriptor: int | None) -> None:
    """Let others have what `lock` returned. (A process that was forked meanwhile would hold what is only closed.)"""
    if descriptor is None:
        return
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)
