"""The plan of the house as the sources have it: files, rooms, and who imports whom."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("navcore", "navmesh_addon")
NAVCORE = sorted((ROOT / "navcore").rglob("*.py"))
ADDON = sorted((ROOT / "navmesh_addon").rglob("*.py"))
HALL = "hall"  # the files in a package's own folder


class Arrow(NamedTuple):
    """One file imports another, wherever in the file and for whatever reason."""

    source: Path
    target: Path

    def __str__(self) -> str:
        return f"{name_of(self.source)} → {name_of(self.target)}"


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(path: Path) -> tuple[str, str]:
    """Package and room: the first folder below the package, or the hall."""
    parts = path.relative_to(ROOT).parts
    return parts[0], parts[1] if len(parts) > 2 else HALL


def absolute_imports(path: Path) -> Iterator[tuple[int, str]]:
    """Line and top-level name of everything that is imported by its full name."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, (node.module or "").split(".")[0]


def relative_imports(path: Path) -> set[Path]:
    """The files of ours that a file imports, inside functions and under TYPE_CHECKING as well."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            modules = [base / alias.name for alias in node.names]
            found |= {file for file in map(_file_of, modules) if file is not None}
            if any(_file_of(module) is None for module in modules) and (own := _file_of(base)) is not None:
                found.add(own)
    return found - {path}


def _file_of(module: Path) -> Path | None:
    """The file of a module or of a package's face."""
    return next((file for file in (module.with_suffix(".py"), module / "__init__.py") if file.is_file()), None)


@cache
def arrows() -> tuple[Arrow, ...]:
    """Every import of both packages."""
    return tuple(Arrow(path, target) for path in (*NAVCORE, *ADDON) for target in sorted(relative_imports(path)))


def circle_in(links: Iterable[tuple[str, str]]) -> list[str]:
    """Names that lead back to the first of them, or nothing."""
    after: dict[str, set[str]] = {}
    for source, target in links:
        after.setdefault(source, set()).add(target)
    done: set[str] = set()

    def walk(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        found = next(filter(None, (walk(following, [*way, name]) for following in sorted(after.get(name, ())))), [])
        done.add(name)
        return found

    return next(filter(None, (walk(name, []) for name in sorted(after))), [])
