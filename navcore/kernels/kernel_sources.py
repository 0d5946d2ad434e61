"""Which of our files decide what a kernel compiles to. (Numba's own cache looks at the kernel's file alone.)"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

from ..version import FOLDER, source_names

# Reads ten times faster than `ast`, and may see an import in a docstring: one file too many does no harm.
_IMPORT = re.compile(rb"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)

# Where kernels are kept, and found again, and what stands in for them, decides nothing of what they are: an edit there
# leaves them as they are. Nor does the package itself, which names everything there is to whoever imports it.
_KEEPING = {
    "__init__.py",
    *(f"kernels/{name}.py" for name in ("cache_folder", "kernel_store", "pack_file", "pack_recording", "shipped_pack")),
    "kernels/plain_python.py",
}


@cache
def source_of(file_name: str) -> Path:
    """The file that Python calls so, whatever links lead there."""
    return Path(file_name).resolve()


@cache
def is_ours(source: Path) -> bool:
    """Whether a file belongs to this package; what others import is not known well enough to see every edit."""
    return FOLDER in source.parents


@cache
def fingerprint(source: Path) -> str:
    """A hash of a file and of all our files that it imports, directly or not. How lines end does not matter."""
    whole = hashlib.sha256()
    for name in sorted(with_imports(name_of(source))):
        whole.update(f"{name} {_digest(name)}\0".encode())
    return whole.hexdigest()


@cache
def name_of(source: Path) -> str:
    """How a file of ours is called wherever it is installed."""
    return source.relative_to(FOLDER).as_posix()


def with_imports(name: str) -> set[str]:
    """A file of this package and those that it imports, directly or not.

    Names, not paths: asked for every kernel that is loaded, and paths are slow.
    """
    names: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in names and name not in _KEEPING:
            names.add(name)
            waiting += _imported_names(name)
    return names


@cache
def _content(name: str) -> bytes:
    return (FOLDER / name).read_bytes().replace(b"\r\n", b"\n")


@cache
def _digest(name: str) -> str:
    return hashlib.sha256(_content(name)).hexdigest()


@cache
def _imported_names(name: str) -> list[str]:
    modules: list[str] = []
    folders = name.split("/")
    for dots, module, imported in _IMPORT.findall(_content(name)):
        above = folders[: len(folders) - len(dots)] if len(dots) <= len(folders) else ["outside"]
        base = "/".join([*above, *module.decode().split(".")]).rstrip("/")
        modules += [base, *(f"{base}/{part}".lstrip("/") for part in re.findall(r"\w+", imported.decode()))]
    files = [f"{module}.py" for module in modules] + [f"{module}/__init__.py".lstrip("/") for module in modules]
    return [file for file in dict.fromkeys(files) if file in _all_names()]


@cache
def _all_names() -> frozenset[str]:
    return frozenset(source_names())
