"""@kernel and @inlined: the only place that knows Numba's flags and where compiled kernels are kept.

Numba's own cache does not notice an edit in a *callee's file* and stores entries by the path of the source, so this
module owns the cache: a private, per-user folder whose subfolders are named by a hash of the kernel's source file,
every project file it imports (directly or not), the package name and the versions of Python, NumPy, Numba and llvmlite
(Numba itself adds the CPU). A cache that can't be read or written is a slower start, never a failed build.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from .llvm_clash import refuse_llvm_clash

refuse_llvm_clash()  # first: where it refuses, importing Numba would end the process

import llvmlite  # noqa: E402
import numba  # noqa: E402
import numpy as np  # noqa: E402
from numba.core import caching, config  # noqa: E402

_PACKAGE_FOLDER = Path(__file__).resolve().parent
_UNUSED_FOR = 30 * 24 * 3600.0  # seconds after which another version's kernels are thrown away
_Function = TypeVar("_Function", bound=Callable[..., Any])

_folder: list[Path | None] = []  # the one decision where kernels are kept; empty until the first kernel asks


def keep_kernels_in(folder: Path | None) -> None:
    """Choose the cache folder (None: keep nothing on disk). Call before the first import of a kernel module."""
    _folder[:] = [_private_folder(folder) if folder is not None else None]


def kernel(function: _Function) -> _Function:
    """Compile `function` on first call: no GIL, IEEE division, no fast-math, and remembered on disk.

    Only kernels of this package are remembered: what others import is not known well enough to see every edit.
    """
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if config.DISABLE_JIT:
        return function
    if _cache_root() is not None and _PACKAGE_FOLDER in Path(function.__code__.co_filename).resolve().parents:
        with contextlib.suppress(RuntimeError, OSError):  # no place to keep it: compiled anew in each process
            dispatcher._cache = _KernelCache(function)
    return dispatcher


def inlined(function: _Function) -> _Function:
    """Compile a kernel's helper as a part of every caller; it needs no cache of its own.

    For helpers that are called once a triangle, row or span with a dozen arguments: as calls they cost 1.5 times the
    whole of rasterization. (Numba's own `inline="always"` works before optimization and made such loops slower.)
    """
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)


def _cache_root() -> Path | None:
    if not _folder:
        keep_kernels_in(users_cache_folder() / "navmesh-kernels")
    return _folder[0]


def users_cache_folder() -> Path:
    """Where programs may keep what they can make again."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _private_folder(folder: Path) -> Path | None:
    """Make `folder` for this user alone; None where it can't be made or others could write to it.

    Cache entries are machine code: a folder that somebody else can write to must never be read.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return None
    if not stat.S_ISDIR(found.st_mode) or not os.access(folder, os.W_OK):
        return None
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
        return None
    _prune(folder)
    return folder


def _prune(root: Path) -> None:
    """Throw away the kernels of sources that nobody has loaded for a month."""
    try:
        old = [d for d in root.iterdir() if d.is_dir() and time.time() - d.stat().st_mtime > _UNUSED_FOR]
    except OSError:
        return
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _fingerprint(source: Path) -> str:
    """A hash of everything that decides what the kernels of `source` compile to, but for the CPU."""
    versions = (sys.version, np.__version__, numba.__version__, llvmlite.__version__, __package__)
    digest = hashlib.sha256(repr(versions).encode())
    for file in sorted(_with_imports(source)):
        digest.update(file.name.encode())
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:24]


def _with_imports(source: Path) -> set[Path]:
    """`source` and every project file that it imports, directly or not."""
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imported_files(file)
    return found


def _imported_files(file: Path) -> list[Path]:
    modules: list[Path] = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1]
            base = base.joinpath(*node.module.split(".")) if node.module else base
            modules += [base, *(base / name.name for name in node.names)]
    files = [m.with_suffix(".py") for m in modules] + [m / "__init__.py" for m in modules]
    return [f for f in files if f.is_file() and _PACKAGE_FOLDER in f.parents]


class _Locator(caching._CacheLocator):  # type: ignore[misc]
    """Tells Numba's cache which folder and name stand for one kernel."""

    def __init__(self, function: Callable[..., Any], source: Path, root: Path) -> None:
        self._folder = root / _fingerprint(source)
        self._line = function.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        super().ensure_cache_path()
        os.utime(self._folder)  # marks the folder as used, for _prune

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name  # the content hash; a file's time means nothing after a copy

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Callable[..., Any], source: str) -> _Locator | None:
        root = _cache_root()
        path = Path(source).resolve()
        return cls(function, path, root) if root is not None and path.is_file() else None


class _CacheFiles(caching.CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar[list[type]] = [_Locator]


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """Numba's function cache in our folder; a damaged entry counts as absent and is replaced."""

    _impl_class = _CacheFiles

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(signature, target_context)
        except Exception:  # noqa: BLE001 - foreign bytes can raise anything; the answer is always to compile
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except Exception:  # noqa: BLE001 - a full disk or a damaged index must not stop the build
            shutil.rmtree(self.cache_path, ignore_errors=True)
            with contextlib.suppress(Exception):
                super().save_overload(signature, data)
