"""Every code of an error, a warning, a hint or a reason: what it means, what to do, and where its page is.

The pages of the site, `python -m navcore explain CODE` and the buttons beside hints in Blender are made of this table.
A test holds it to the codes that the sources give.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..version import DOCS

__all__ = ["CodeRow", "codes", "page_of"]

ARROW = "->"


class CodeRow(NamedTuple):
    """What there is to say about a code. Texts are Markdown."""

    code: str
    title: str  # one sentence, without its full stop
    meaning: str
    way_out: str


def read_table(text: str, way_out: str = "") -> Iterator[CodeRow]:
    """Rows from paragraphs: `CODE: title`, then lines of what it means, then `->` and lines of what to do.

    Where a paragraph has no arrow, `way_out` stands for all of them.
    """
    for paragraph in filter(None, map(str.strip, text.split("\n\n"))):
        head, _, body = paragraph.partition("\n")
        code, colon, title = head.partition(": ")
        meaning, arrow, instead = (" ".join(part.split()) for part in body.partition(ARROW))
        row = CodeRow(code, title, meaning, instead if arrow else way_out)
        if not (colon and all(row)):
            raise ValueError(f"The row of {code} is not complete.")
        yield row


@cache
def codes() -> dict[str, CodeRow]:
    """The whole table, in the order of the codes. Its texts are loaded with the first question, not before."""
    from . import (
        texts_of_builds,
        texts_of_detour_files,
        texts_of_files,
        texts_of_input,
        texts_of_invariants,
        texts_of_reasons,
    )

    parts = (
        texts_of_input, texts_of_builds, texts_of_invariants, texts_of_files, texts_of_detour_files, texts_of_reasons,
    )  # fmt: skip
    rows = [row for part in parts for row in read_table(part.TABLE, part.WAY_OUT)]
    if len({row.code for row in rows}) != len(rows):
        raise ValueError("A code has two rows.")
    return {row.code: row for row in sorted(rows)}


def page_of(code: str) -> str | None:
    """The address of a code's page; None for a code that this version does not know."""
    return f"{DOCS}codes/{code}.html" if code in codes() else None
