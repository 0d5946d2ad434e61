"""The reference of navcore's public names: signatures, docstrings and comments of fields, read from the sources alone.

A small reader of our own and no autodoc: that would import navcore, and Numba with it, and would not see what the
sources say of a field in the comment behind it.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .codes_in_sources import ROOT
from .parameters_and_examples import example_lines, examples, parameter_lines

_BESIDE: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("What a navmesh holds", "navcore.result.navmesh", ("Tile",)),
    ("What a navmesh holds", "navcore.types", ("PolygonMesh", "DetailMesh", "StitchedMesh", "Grid")),
    ("What changed", "navcore.difference.compare", ("Difference", "Place")),
    ("Searches in slices", "navcore.navquery.sliced_search", ("SlicedSearch",)),
    ("Reports", "navcore.report", ("Report", "BuildWarning")),
    (
        "How wide agents may be",
        "navcore.clearance.clearance_answers",
        ("Clearances", "Portals", "Chokepoints", "Widths", "WidestWays"),
    ),
    ("Pictures of stages", "navcore.views.picture", ("Picture", "Label", "LegendRow")),
    ("Clusters", "navcore.cluster", ("dask_executor",)),
    ("Formats", "navcore.formats", ("targets", "read_navmesh_file", "check_output")),
)
"""Other documented imports: a heading, the module, the names."""
_ANSWERS = "navcore.navquery.answers"  # every class of it
_GROUPS = (
    (
        "Building",
        (
            "build_navmesh",
            "rebuild_tiles",
            "LevelSource",
            "NavmeshEdits",
            "Level",
            "prune_navmesh",
            "navmesh_difference",
            "stitch_tiles",
            "triangulated",
            "Progress",
        ),
    ),
    ("Files", ("read_mesh", "write_navmesh", "read_navmesh")),
    ("Settings", ("Settings",)),
    ("Scenes", ("Scene", "BoxVolume", "CylinderVolume", "ConvexVolume", "Link", "Seed")),
    ("Results", ("NavMesh",)),
    ("Views of stages", ("stage_picture", "Shown")),
    ("Questions", ("NavQuery", "QueryFilter", "PathStatus", "NarrowestAt", "build_uneroded")),
    ("Crowds", ("Crowd", "AgentState", "walk", "Track")),
    ("Why not here", ("why", "WhyHere", "Reason")),
)
_LEFT_OUT = ("ClassVar",)

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Field(NamedTuple):
    """A field of a bundle or a dataclass."""

    name: str
    type: str
    default: str  # empty where it must be given
    said: str


class Found(NamedTuple):
    """Where a name is declared."""

    path: Path
    node: ast.AST


@cache
def _source(path: Path) -> tuple[ast.Module, tuple[str, ...]]:
    text = path.read_text(encoding="utf-8")
    return ast.parse(text), tuple(text.splitlines())


def public_names() -> list[str]:
    """`__all__` of navcore."""
    for node in _source(ROOT / "navcore/__init__.py")[0].body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return sorted(ast.literal_eval(node.value))
    raise ValueError("navcore/__init__.py has no __all__.")


def _module_file(module: str) -> Path:
    base = ROOT.joinpath(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def find(module: str, name: str) -> Found:
    """The declaration of a name, through any number of re-exports."""
    path = _module_file(module)
    for node in ast.walk(_source(path)[0]):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return Found(path, node)
    for node in ast.walk(_source(path)[0]):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue  # of what is not ours
        if name in [alias.asname or alias.name for alias in node.names]:
            package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
            above = package[: len(package) - node.level + 1]
            return find(".".join([*above, *filter(None, [node.module])]), name)
    raise ValueError(f"{module} has no {name}.")


def api_page() -> str:
    """The whole page."""
    lines = [
        "# Python reference", "",
        "The names of `navcore`, as in `from navcore import build_navmesh`. Everything is typed; what is refused is a "
        "`NavmeshError` with a [code](codes/index.md) and a sentence. Metres, y up.", "",
        "Examples go on from here:", "",
        "```python", examples()[""], "```", "",
    ]  # fmt: skip
    names = public_names()
    grouped = {name for _, group in _GROUPS for name in group}
    errors = [name for name in names if name not in grouped and _is_error(name)]
    others = [name for name in names if name not in grouped and name not in errors]
    for heading, group in (*_GROUPS, ("Errors", tuple(errors)), ("More", tuple(others))):
        chosen = [name for name in group if name in names]
        if chosen:
            lines += [f"## {heading}", "", *(line for name in chosen for line in _entry("navcore", name))]
    done = ""
    answers = tuple(n.name for n in _source(_module_file(_ANSWERS))[0].body if isinstance(n, ast.ClassDef))
    for heading, module, group in (*_BESIDE, ("What questions are answered with", _ANSWERS, answers)):
        lines += [] if heading == done else [f"## {heading}", ""]
        lines += [f"From `{module}`:", "", *(line for name in group for line in _entry(module, name))]
        done = heading
    return "\n".join(lines) + "\n"


def _is_error(name: str) -> bool:
    node = find("navcore", name).node
    return isinstance(node, ast.ClassDef) and any(
        "Error" in ast.unparse(base) for base in (*node.bases, ast.Name(name))
    )


def _entry(module: str, name: str) -> Iterator[str]:
    """One public name with all that belongs to it, as directives of Sphinx."""
    found = find(module, name)
    full = f"{module}.{name}"
    if isinstance(found.node, ast.FunctionDef):
        text = "\n".join([_doc(found.node), *parameter_lines(name, found.node)])
        yield from _directive("function", full + _signature(found.node), text, 3, example_lines(name))
        return
    assert isinstance(found.node, ast.ClassDef)
    fields = list(_fields(found))
    inner = [line for field in fields for line in _field_lines(field)]
    family, told = [found.node, *_bases(_module_of(found.path), found.node)], {field.name for field in fields}
    for method in (method for node in family for method in _methods(node)):
        if method.name not in told:  # a property's setter, or what a class has in place of its base's
            inner += _method_lines(name, method)
        told.add(method.name)
    signature = _constructor(family, fields)
    yield from _directive("class", full + signature, _doc(found.node), 5, inner)


def _directive(kind: str, signature: str, text: str, colons: int, inner: list[str] | None = None) -> list[str]:
    fence = ":" * colons
    return [f"{fence}{{py:{kind}}} {signature}", "", text, "", *(inner or []), fence, ""]


def _field_lines(field: Field) -> list[str]:
    options = [f":type: {field.type}", *([f":value: {field.default}"] if field.default else [])]
    return [f"::::{{py:attribute}} {field.name}", *options, "", field.said, "", "::::", ""]


def _method_lines(owner: str, method: ast.FunctionDef) -> list[str]:
    decorators, more = {ast.unparse(d).split(".")[-1] for d in method.decorator_list}, list[str]()
    if decorators & {"property", "cached_property"}:
        kind, signature = "property", method.name
        options = [f":type: {ast.unparse(method.returns)}"] if method.returns else []
    else:
        kind, signature = "method", method.name + _signature(method, without_first=True)
        options = [":classmethod:"] if "classmethod" in decorators else []
        more = parameter_lines(f"{owner}.{method.name}", method, of_class=True)
        more += example_lines(f"{owner}.{method.name}")
    return [f"::::{{py:{kind}}} {signature}", *options, "", _doc(method), "", *more, "::::", ""]


def _bases(module: str, node: ast.ClassDef) -> Iterator[ast.ClassDef]:
    """The classes of ours that a class is made of and whose methods are thus its own."""
    for base in node.bases:
        try:
            above = find(module, ast.unparse(base))
        except ValueError:
            continue  # a class of Python's own
        if isinstance(above.node, ast.ClassDef):
            yield above.node
            yield from _bases(_module_of(above.path), above.node)


def _module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _methods(node: ast.ClassDef) -> Iterator[ast.FunctionDef]:
    yield from (n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_"))


def _fields(found: Found) -> Iterator[Field]:
    """The fields of a class, those of its bases in the same file first."""
    assert isinstance(found.node, ast.ClassDef)
    tree, lines = _source(found.path)
    for base in found.node.bases:
        above = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == ast.unparse(base)), None)
        if above is not None:
            yield from _fields(Found(found.path, above))
    for node in found.node.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            kind = ast.unparse(node.annotation)
            if not node.target.id.startswith("_") and not kind.startswith(_LEFT_OUT):
                default, said = _default(node.value)
                yield Field(node.target.id, kind, default, said or _comment(lines, node))


def _default(value: ast.expr | None) -> tuple[str, str]:
    """The default of a field, and the description that its declaration holds."""
    if value is None:
        return "", ""
    if not isinstance(value, ast.Call):
        return ast.unparse(value), ""
    maker, named = ast.unparse(value.func), {keyword.arg: keyword.value for keyword in value.keywords}
    if maker == "setting":
        unit = f" In {ast.unparse(named['unit']).lower()}." if "unit" in named else ""
        return ast.unparse(value.args[0]), str(ast.literal_eval(value.args[1])).replace("In metre", "In metres") + unit
    if maker == "_checked":
        return (ast.unparse(value.args[1]) if len(value.args) > 1 else ""), ""
    return ("…", "") if "default_factory" in named else (ast.unparse(value), "")


def _comment(lines: tuple[str, ...], node: ast.AnnAssign) -> str:
    """What stands behind a declaration, or in whole lines of comment above it."""
    assert node.end_lineno is not None
    behind = lines[node.end_lineno - 1][node.end_col_offset or 0 :].strip()
    if behind.startswith("#"):
        return _as_sentence(behind.lstrip("# "))
    above: list[str] = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.strip().startswith("# ") or "fmt:" in line:
            break
        above.insert(0, line.strip().lstrip("# "))
    return _as_sentence(" ".join(above))


def _as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith(".") else ".")


def _constructor(family: list[ast.ClassDef], fields: list[Field]) -> str:
    node = family[0]
    made = next(
        (n for above in family for n in above.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None
    )
    if made is not None:
        return _signature(made, without_first=True, with_result=False)
    if not fields:
        return ""
    by_name = any("kw_only" in ast.unparse(d) for d in node.decorator_list)
    given = [f"{f.name}: {f.type}" + (f" = {f.default}" if f.default else "") for f in fields]
    return f"({', '.join([*(['*'] if by_name else []), *given])})"


def _signature(node: Function, without_first: bool = False, with_result: bool = True) -> str:
    arguments = ast.parse(ast.unparse(node)).body[0].args  # type: ignore[attr-defined]
    if without_first and not any(ast.unparse(d) == "staticmethod" for d in node.decorator_list):
        (arguments.posonlyargs or arguments.args).pop(0)
    result = f" -> {ast.unparse(node.returns)}" if with_result and node.returns is not None else ""
    return f"({ast.unparse(arguments)}){result}"


def _doc(node: Function | ast.ClassDef) -> str:
    """A docstring as Markdown: paragraphs stay, and indented blocks are code."""
    return textwrap.dedent(ast.get_docstring(node) or "")
