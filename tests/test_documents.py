"""Documents that name tests, checked against the tests that there are."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
NAMED = re.compile(r"`(\w+)::(\w+)`")
CATALOGUE = ROOT / "docs/catalogue.md"


@cache
def functions_by_file() -> dict[str, set[str]]:
    """The functions of each file under tests/, by the file's name."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "tests").rglob("*.py"):
        tree = ast.parse(path.read_bytes())
        named = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        found[path.stem] = found.get(path.stem, set()) | named
    return found


@pytest.mark.parametrize(
    "path",
    [CATALOGUE, ROOT / "docs/reliability.md", ROOT / "docs/reviewers.md", ROOT / "SECURITY.md"],
    ids=lambda p: p.name,
)
def test_every_test_that_is_named_exists(path: Path) -> None:
    named = NAMED.findall(path.read_text(encoding="utf-8"))
    missing = [f"{file}::{test}" for file, test in named if test not in functions_by_file().get(file, ())]
    assert not missing


def test_every_row_of_the_catalogue_has_a_test_or_a_reason() -> None:
    rows = [line for line in CATALOGUE.read_text(encoding="utf-8").splitlines() if re.match(r"\| [A-Z]?\d", line)]
    numbers = {number for row in rows for number in re.findall(r"[A-Z]?[\d.]+", row.split("|")[1])}
    wanted = {
        f"{group}{n}"
        for group, most in (("G", 13), ("S", 12), ("R", 7), ("C", 12), ("D", 7))
        for n in range(1, most + 1)
    }
    wanted |= {str(n) for n in range(1, 41)} | {f"4.{n}" for n in range(1, 7)}
    assert numbers == wanted
    assert all(NAMED.search(row) or row.rstrip().endswith("| — |") for row in rows)


def test_every_test_of_the_catalogue_is_listed() -> None:
    listed = {test for file, test in NAMED.findall(CATALOGUE.read_text(encoding="utf-8")) if file == "test_catalogue"}
    there = {name for name in functions_by_file()["test_catalogue"] if name.startswith("test_")}
    assert listed == there
