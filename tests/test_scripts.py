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
