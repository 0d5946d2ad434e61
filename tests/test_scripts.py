"""Scripts that no other test runs: what they import of navcore, tools and tests is there."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

from tests.house import ROOT

SCRIPTS = [path for folder in ("benchmarks", "examples", "tools") for path in sorted((ROOT / folder).rglob("*.py"))]


@pytest.mark.parametrize("path", [p for p in SCRIPTS if "node_modules" not in p.parts], ids=lambda p: p.name)
def test_what_a_script_imports_is_there(path: Path) -> None:
    missing = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "navcore":
            home = import_module(node.module)
            for alias in node.names:
                try:
                    hasattr(home, alias.name) or import_module(f"{node.module}.{alias.name}")
                except ImportError:
                    missing.append(f"line {node.lineno}: {node.module}.{alias.name}")
    assert not missing


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_what_an_example_takes_of_the_level_is_there(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo asked `level` for a name that it had no longer: nothing else runs its picture."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    home = import_module("level")
    tree = ast.parse(path.read_bytes())
    imports = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    asked = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "level"
    }
    assert "level" not in imports or all(hasattr(home, name) for name in asked), asked
