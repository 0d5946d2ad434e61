"""Every code of an error, a warning, a hint or a reason: what it means, what to do, and where its page is.

The pages of the manual, `python -m navcore explain CODE` and the buttons beside hints in Blender are made of this
table. A test holds it to the codes that the sources give.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..help_pages import page_address

__all__ = ["CodeRow", "codes", "page_of"]

ARROW = "->"
PARTS = ("input", "builds", "invariants", "files", "detour_files", "reasons")


class CodeRow(NamedTuple):
    """What there is to say about a code. Texts are Markdown."""

    code: str
    title: str  # one sentence, without its full stop
    meaning: str
    way_out: str


def rows_of(part: str) -> Iterator[CodeRow]:
    """The rows of one file of texts; its first line says what is there."""
    text = (Path(__file__).parent / f"texts_of_{part}.txt").read_text(encoding="utf-8")
    return read_table(text.partition("\n")[2])


def read_table(text: str) -> Iterator[CodeRow]:
    """Rows from paragraphs: `CODE: title`, then lines of what it means, then `->` and lines of what to do.

    Where a paragraph has no arrow, one that is nothing but an arrow and what to do stands before, for all of them.
    """
    way_out = ""
    for paragraph in filter(None, map(str.strip, text.split("\n\n"))):
        if paragraph.startswith(ARROW):
            way_out = " ".join(paragraph.removeprefix(ARROW).split())
            continue
        head, _, body = paragraph.partition("\n")
        code, colon, title = head.partition(": ")
        meaning, arrow, instead = (" ".join(part.split()) for part in body.partition(ARROW))
        row = CodeRow(code, title, meaning, instead if arrow else way_out)
        if not (colon and all(row)):
            raise ValueError(f"The row of {code} is not complete.")
        yield row


@cache
def codes() -> dict[str, CodeRow]:
    """The whole table, in the order of the codes. Its texts are read with the first question, not before."""
    rows = [row for part in PARTS for row in rows_of(part)]
    if len({row.code for row in rows}) != len(rows):
        raise ValueError("A code has two rows.")
    return {row.code: row for row in sorted(rows)}


def page_of(code: str) -> str | None:
    """The address of a code's page; None for a code that this version does not know, or where no pages are."""
    return page_address(f"codes/{code}.html") if code in codes() else None
