"""Every code of an error, a warning, a hint or a reason: what it means, what to do, and where its page is.

The pages of the site, `python -m navcore explain CODE` and the buttons beside hints in Blender are made of this table.
A test holds it to the codes that the sources give.
"""

from __future__ import annotations

from functools import cache

from ..version import DOCS
from .table_parser import CodeRow, read_table

__all__ = ["CodeRow", "codes", "page_of"]


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
