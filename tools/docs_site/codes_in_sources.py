"""Every code that the sources give to an error, a warning or a hint, and the sentences that go with it.

Read from the syntax alone: nothing of ours is imported. One convention carries it: what takes a code calls it `code`,
be it a field, a parameter or an attribute, and an error takes its message first and its code second.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("navcore", "navmesh_addon")
CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
ERROR, WARNING, HINT, RULE, REASON = "error", "warning", "hint", "rule", "reason"
_BASE_ERROR = "NavmeshError"
_KINDS = {"Hint": HINT, "Invariant": RULE, "Reason": REASON, "FaceFault": ERROR, "WorldFault": ERROR}


class Given(NamedTuple):
    """One place in the sources that gives a code."""

    code: str
    kind: str  # ERROR, WARNING, HINT, RULE or REASON
    file: str  # below the repository root
    line: int
    sentence: str  # as the source has it, … for what is filled in; empty where it is made elsewhere


class _Maker(NamedTuple):
    kind: str
    place: int  # of `code` among the positional arguments


@cache
def codes_in_sources(root: Path = ROOT) -> tuple[Given, ...]:
    """All places that give a code, in the order of files and lines; read once in a process."""
    trees = {
        path.relative_to(root).as_posix(): ast.parse(path.read_bytes())
        for package in PACKAGES
        for path in sorted((root / package).rglob("*.py"))
    }
    errors = _error_classes(trees.values())
    makers = {name: _Maker(ERROR, 1) for name in errors}
    for tree in trees.values():
        makers |= {name: maker for name, maker in _makers_in(tree, errors) if name not in makers}
    return tuple(given for file, tree in trees.items() for given in _given_in(file, tree, makers, errors))


def _error_classes(trees: Iterable[ast.Module]) -> set[str]:
    """NavmeshError and whatever is derived from it."""
    bases = {
        node.name: {ast.unparse(base).split(".")[-1] for base in node.bases}
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {_BASE_ERROR}
    while more := {name for name, above in bases.items() if above & found} - found:
        found |= more
    return found


def _makers_in(tree: ast.Module, errors: set[str]) -> Iterator[tuple[str, _Maker]]:
    """Functions with a parameter `code` and classes with a field of that name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name not in errors:
            fields = [n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
            if "code" in fields:
                yield node.name, _Maker(_KINDS.get(node.name, WARNING), fields.index("code"))
        elif isinstance(node, ast.FunctionDef):
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args) if a.arg not in ("self", "cls")]
            if "code" in names:
                used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
                kind = ERROR if errors & used else next((_KINDS[name] for name in _KINDS if name in used), WARNING)
                yield node.name, _Maker(kind, names.index("code"))


def _given_in(file: str, tree: ast.Module, makers: dict[str, _Maker], errors: set[str]) -> Iterator[Given]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in errors:
            for part in node.body:
                if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "code":
                    said = (ast.get_docstring(node) or "").split("\n")[0]
                    yield from (Given(code, ERROR, file, part.lineno, said) for code in _codes(part.value))
        elif isinstance(node, ast.Call):
            yield from _given_by_call(file, node, makers)


def _given_by_call(file: str, call: ast.Call, makers: dict[str, _Maker]) -> Iterator[Given]:
    name, arguments = ast.unparse(call.func), list(call.args)
    maker = makers.get(name.split(".")[-1])
    if maker is None:
        return
    by_name = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    value = by_name[0] if by_name else arguments[maker.place] if len(arguments) > maker.place else None
    for code in _codes(value):
        yield Given(code, maker.kind, file, call.lineno, _sentence([a for a in arguments if a is not value]))


def _codes(value: ast.expr | None) -> Iterator[str]:
    """The codes that an expression may be: a constant, or either side of a choice."""
    if isinstance(value, ast.IfExp):
        yield from (*_codes(value.body), *_codes(value.orelse))
    elif isinstance(value, ast.Constant) and isinstance(value.value, str) and CODE.fullmatch(value.value):
        yield value.value


def _sentence(arguments: list[ast.expr]) -> str:
    """The longest text among the arguments."""
    return max((_text(argument) for argument in arguments), key=len, default="")


def _text(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return value.value if isinstance(value.value, str) else ""
    if isinstance(value, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "…" for part in value.values)
    return ""
