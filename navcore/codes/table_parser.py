"""Rows of codes, and the plain text that they are written in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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
