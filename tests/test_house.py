"""Rules of the house that no other tool checks: who may import whom, and that the border is typed."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAVCORE = sorted((ROOT / "navcore").rglob("*.py"))
ADDON = sorted((ROOT / "navmesh_addon").rglob("*.py"))
BLENDER = {"bpy", "bmesh", "gpu", "mathutils", "bl_ext"}
OURS = {"navcore", "navmesh_addon"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def absolute_imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, (node.module or "").split(".")[0]


@pytest.mark.parametrize("path", NAVCORE, ids=name_of)
def test_navcore_never_sees_blender(path: Path) -> None:
    wrong = [f"line {line}: {name}" for line, name in absolute_imports(path) if name in BLENDER]
    assert not wrong


@pytest.mark.parametrize("path", NAVCORE + ADDON, ids=name_of)
def test_imports_inside_the_extension_are_relative(path: Path) -> None:
    """Blender loads us as bl_ext.<repository>.navmesh: an absolute import would find nothing, or a second copy."""
    wrong = [f"line {line}: {name}" for line, name in absolute_imports(path) if name in OURS]
    assert not wrong


def is_kernel(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator) in ("kernel", "inlined") for decorator in function.decorator_list)


def is_typed(function: ast.FunctionDef) -> bool:
    given = function.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    named = [argument for argument in arguments if argument.arg not in ("self", "cls")]
    return function.returns is not None and all(argument.annotation for argument in named)


@pytest.mark.parametrize("path", NAVCORE + ADDON, ids=name_of)
def test_functions_outside_kernels_are_typed(path: Path) -> None:
    functions = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.FunctionDef)]
    nested = {inner for outer in functions for inner in ast.walk(outer) if inner is not outer}
    wrong = [f.name for f in functions if f not in nested and not is_kernel(f) and not is_typed(f)]
    assert not wrong, "annotate these, or make them kernels"


def test_the_root_of_the_extension_imports_nothing() -> None:
    """pytest imports it while collecting, and Blender at start-up: bpy and Numba must wait for register()."""
    body = ast.parse((ROOT / "__init__.py").read_bytes()).body
    assert not [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
