"""No picture of README and docs is older than what it shows, and each is made by the one command."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from tests.house import ROOT

sys.path.append(str(ROOT / "examples"))
import pictures

DOCS = ROOT / "docs"
AGAIN = "make it anew with `python3 dev.py pictures`, and look at it"


def test_drawn_pictures_are_what_is_drawn_now(tmp_path: Path) -> None:
    made = pictures.draw(tmp_path)
    older = [p.name for p in made if p.read_bytes() != (DOCS / "guide/pictures" / p.relative_to(tmp_path)).read_bytes()]
    assert len(made) > 10 and not older, AGAIN


@pytest.mark.parametrize("name", sorted(pictures.SHOWN))
def test_what_a_picture_shows_is_as_it_was(name: str) -> None:
    kept = json.loads(pictures.KEPT.read_text(encoding="utf-8"))
    assert (DOCS / name).is_file() and kept.get(name) == pictures.what_is_shown(pictures.SHOWN[name]), AGAIN


def test_another_word_or_color_makes_a_picture_old(tmp_path: Path) -> None:
    """And another way to write the same doesn't."""
    source = tmp_path / "panel.py"

    def shown(text: str) -> str:
        source.write_text(text, encoding="utf-8")
        return pictures.what_is_shown((str(source),))

    before = shown('"""Docstring."""\nrow.label(text="Up to date")\nBLUE = (0.1, 0.2, 0.9, 1.0)\n')
    assert shown('"""Other words."""\nBLUE = (0.1, 0.2, 0.9, 1.0)\nrow.label(text="Up to date")  # why\n') == before
    assert shown('row.label(text="Up to date.")\nBLUE = (0.1, 0.2, 0.9, 1.0)\n') != before
    assert shown('row.label(text="Up to date")\nBLUE = (0.1, 0.3, 0.9, 1.0)\n') != before


def test_every_picture_of_a_page_is_made_by_the_one_command() -> None:
    """But for those of benchmarks, which are measured."""
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    used = {
        (page.parent / link).resolve().relative_to(DOCS).as_posix()
        for page in pages
        for link in re.findall(r"(?:\]\(|src=\")([^)\"#:]+\.(?:jpg|png|svg))", page.read_text(encoding="utf-8"))
    }
    drawn = {path.relative_to(DOCS).as_posix() for path in (DOCS / "guide/pictures").rglob("*") if path.is_file()}
    measured = {"growth-time.svg", "growth-memory.svg"}
    assert used - measured == {*pictures.SHOWN, *(drawn - pictures.SHOWN.keys())}
