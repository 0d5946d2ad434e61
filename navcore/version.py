"""Which navcore this is: its version, and a hash of its own sources, equal on every machine that has the same ones."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

__version__ = "0.1.0"  # the packages take it from here; blender_manifest.toml must say the same
DOCS = "https://navmesh.readthedocs.io/en/latest/"  # as in blender_manifest.toml
FOLDER = Path(__file__).resolve().parent


@cache
def code_fingerprint() -> str:
    """Computed once: what runs here is what was loaded, not what lies there later. How lines end does not matter."""
    whole = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*.py"), key=lambda path: path.relative_to(FOLDER).as_posix()):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        whole.update(path.relative_to(FOLDER).as_posix().encode() + b"\0" + content + b"\0")
    return whole.hexdigest()
