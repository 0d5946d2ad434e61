"""Which navcore this is: its version, and a hash of its own sources, equal on every machine that has the same ones."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

__version__ = "0.3.0"  # the packages take it from here; blender_manifest.toml must say the same
FOLDER = Path(__file__).resolve().parent


def source_names() -> tuple[str, ...]:
    """Our own files, as they are called wherever we are installed, in order. (Paths would take ten times as long.)"""
    names = []
    for folder, _, files in os.walk(FOLDER):
        below = folder[len(str(FOLDER)) + 1 :].replace(os.sep, "/")
        names += [f"{below}/{file}" if below else file for file in files if file.endswith(".py")]
    return tuple(sorted(names))


@cache
def code_fingerprint() -> str:
    """Computed once: what runs here is what was loaded, not what lies there later. How lines end does not matter."""
    whole = hashlib.sha256()
    for name in source_names():
        content = (FOLDER / name).read_bytes().replace(b"\r\n", b"\n")
        whole.update(name.encode() + b"\0" + content + b"\0")
    return whole.hexdigest()
