"""The recipes of ARCHITECTURE.md are complete: each names every file that knows all things of its kind.

A file that names every view there is must be touched for a new one, whoever wrote the recipe. Likewise for stages
(whose modules are imported), commands, settings, targets and codes. What a recipe names is there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

from navcore.build_warning import WARNING_CODES
from navcore.formats.target_names import TARGET_NAMES
from navcore.settings import settings_fields
from tests.house import ADDON, NAVCORE, ROOT, arrows, name_of

STAGES = ROOT / "navcore/stages"
PRODUCT = [path for path in (*NAVCORE, *ADDON) if "presets" not in path.parts]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@cache
def recipes() -> dict[str, str]:
    """The text of each recipe by what it makes: "**A new stage**: …"."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    parts = re.split(r"^\*\*A new ([a-z ]+)\*\*", text.split("## Recipes")[1].split("\n## ")[0], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named_in(recipe: str) -> set[str]:
    """The files that a recipe names, below the repository root; names with a … are of files to be made."""
    return set(re.findall(r"`([\w./-]+\.(?:py|md|json|txt))`", recipes()[recipe]))


@cache
def words_of(path: Path) -> frozenset[str]:
    """The words in a source's strings and names; of a page, in its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return frozenset(word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"[\w.-]+", code))
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    strings = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    fields = {
        node.target.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return frozenset(
        {word for s in strings if isinstance(s, str) for word in re.findall(r"[\w.-]+", s)} | names | fields
    )


def files_that_say_all(words: Iterable[str], files: Iterable[Path]) -> set[str]:
    wanted = frozenset(words)
    assert len(wanted) > 3
    return {name_of(path) for path in files if wanted <= words_of(path)}


def files_that_call_every_stage() -> set[str]:
    """Or nearly: erosion and volumes are one stage, distance and regions may be asked for apart."""
    known: dict[str, set[str]] = {}
    for arrow in arrows():
        if "stages" in arrow.target.parts and "stages" not in arrow.source.parts:
            known.setdefault(name_of(arrow.source), set()).add(arrow.target.relative_to(STAGES).parts[0])
    every = set.union(*known.values())
    return {name for name, called in known.items() if len(called) > len(every) / 2}


def files_that_say_all_views() -> set[str]:
    """Of one table or of the other; the tables themselves among them."""
    from navcore.views.catalog import CELL_VIEWS, OUTLINE_VIEWS

    tables = [[view.name for view in table] for table in (CELL_VIEWS, OUTLINE_VIEWS)]
    return set.union(*(files_that_say_all(table, [*PRODUCT, *PAGES]) for table in tables))


def commands() -> list[str]:
    return re.findall(r'^    "([a-z-]+)": _Command\(', (ROOT / "navcore/__main__.py").read_text(), re.MULTILINE)


def texts_of_codes() -> set[str]:
    return {name_of(path) for path in (ROOT / "navcore/codes").glob("texts_of_*.txt")} - {
        "navcore/codes/texts_of_reasons.txt"  # those of reasons have a recipe of their own
    }


TOUCHED: dict[str, Callable[[], set[str]]] = {
    "stage": files_that_call_every_stage,
    "view": files_that_say_all_views,
    "command": lambda: files_that_say_all(commands(), [*PRODUCT, *PAGES]),
    "setting": lambda: files_that_say_all([field.name for field in settings_fields()], [*PRODUCT, *PAGES]),
    "target": lambda: files_that_say_all([target.name for target in TARGET_NAMES], [*PRODUCT, *PAGES]),
    "code": lambda: files_that_say_all(WARNING_CODES, PRODUCT) | texts_of_codes(),
}


@pytest.mark.parametrize("kind", sorted(TOUCHED))
def test_a_recipe_names_every_file_that_has_to_be_touched(kind: str) -> None:
    touched = TOUCHED[kind]()
    assert touched, f"nothing names all of a {kind}: this test has lost its way"
    assert touched <= named_in(kind)


@pytest.mark.parametrize("kind", sorted(recipes()))
def test_what_a_recipe_names_is_there(kind: str) -> None:
    assert not [name for name in named_in(kind) if not (ROOT / name).is_file()]
