"""Which of our files decide what a kernel compiles to. (Numba's own cache looks at the kernel's file alone.)"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from ..version import FOLDER

# Reads ten times faster than `ast`, and may see an import in a docstring: one file too many does no harm.
_IMPORT = re.compile(rb"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)


def is_ours(source: Path) -> bool:
    """Whether a file belongs to this package; what others import is not known well enough to see every edit."""
    return FOLDER in source.parents


@cache
def fingerprint(source: Path) -> str:
    """A hash of a file and of all our files that it imports, directly or not. How lines end does not matter."""
    whole = hashlib.sha256()
    for file in sorted(with_imports(source), key=name_of):
        whole.update(name_of(file).encode() + b"\0" + _content(file) + b"\0")
    return whole.hexdigest()


def name_of(source: Path) -> str:
    """How a file of ours is called wherever it is installed."""
    return source.relative_to(FOLDER).as_posix()


def with_imports(source: Path) -> set[Path]:
    """`source` and every file of this package that it imports, directly or not."""
    files: set[Path] = set()
    waiting = [source]
    while waiting:
        file = waiting.pop()
        if file not in files:
            files.add(file)
            waiting += _imported_files(file)
    return files


@cache
def _content(file: Path) -> bytes:
    return file.read_bytes().replace(b"\r\n", b"\n")


@cache
def _imported_files(file: Path) -> list[Path]:
    modules: list[Path] = []
    for dots, module, names in _IMPORT.findall(_content(file)):
        base = file.parents[len(dots) - 1].joinpath(*module.decode().split("."))
        modules += [base, *(base / name for name in re.findall(r"\w+", names.decode()))]
    files = [m.with_suffix(".py") for m in modules] + [m / "__init__.py" for m in modules]
    return [file for file in dict.fromkeys(files) if file in _all_files()]


@cache
def _all_files() -> frozenset[Path]:
    return frozenset(FOLDER.rglob("*.py"))
