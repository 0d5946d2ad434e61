"""The plan of the house as the sources have it: files, rooms, and who imports whom."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import navcore

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


# --- functions, names and results

_TYPE_NAME = re.compile(r"_?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")  # not FACES, not a
_JSON = re.compile(r"(dict|Mapping)\[str, Any\]")


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef, *, keywords: bool) -> list[str]:
    """The names of its parameters, with those that are keywords only or without them."""
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *(given.kwonlyargs if keywords else ())]
    return [argument.arg for argument in arguments if argument.arg not in ("self", "cls")]


@cache
def public_functions() -> frozenset[tuple[Path, str]]:
    """File and name of the functions behind the public names, and of the methods of public classes."""
    found = set()
    for name in navcore.__all__:
        public = getattr(navcore, name)
        methods = inspect.getmembers(public, inspect.isfunction) if inspect.isclass(public) else [(name, public)]
        for called, function in methods:
            if not called.startswith("_") or called == "__init__":
                code = inspect.unwrap(function).__code__
                found.add((Path(code.co_filename).resolve(), code.co_name))
    return frozenset(found)


def class_names(path: Path) -> set[str]:
    """Classes of a file, and what stands for a type in it: aliases, and tuples that are made by a call."""
    tree = ast.parse(path.read_bytes())
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).endswith("TypeAlias"):
            names.add(ast.unparse(node.target))
        elif isinstance(node, ast.Assign) and node in tree.body and _TYPE_NAME.fullmatch(ast.unparse(node.targets[0])):
            made = node.value.func if isinstance(node.value, ast.Call) else None
            if isinstance(node.value, ast.Subscript | ast.BinOp) or ast.unparse(made or node) in _TYPE_MAKERS:
                names.add(ast.unparse(node.targets[0]))
    return names


_TYPE_MAKERS = ("NamedTuple", "TypedDict", "NewType", "namedtuple", "Enum")


def any_in_results() -> Iterator[str]:
    """`Class.field` and `function` where an annotation of what the public functions return says `Any`, of arrays, too.

    Followed from the public names through fields and results of public methods, by the names in annotations.
    """
    known = {
        node.name: node
        for path in NAVCORE
        for node in ast.parse(path.read_bytes()).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    waiting, seen = list(navcore.__all__), set(navcore.__all__)
    while waiting:
        name = waiting.pop()
        for what, annotation in _results_of(known[name]) if name in known else ():
            words = set(re.findall(r"\w+", annotation))
            if {"Any", "AnyArray"} & set(re.findall(r"\w+", _JSON.sub("", annotation))):
                yield what
            waiting += words - seen
            seen |= words


def _results_of(node: ast.ClassDef | ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Names and annotations: of a function its result, of a class its bases, its fields and its methods' results."""
    if isinstance(node, ast.FunctionDef):
        yield node.name, ast.unparse(node.returns) if node.returns else ""
        return
    yield from ((node.name, ast.unparse(base)) for base in node.bases)
    for part in ast.walk(node):
        if isinstance(part, ast.AnnAssign):
            name = ast.unparse(part.target).removeprefix("self.")
            if not name.startswith("_"):
                yield f"{node.name}.{name}", ast.unparse(part.annotation)
        elif isinstance(part, ast.FunctionDef) and part.returns and not part.name.startswith("_"):
            yield f"{node.name}.{part.name}", ast.unparse(part.returns)
