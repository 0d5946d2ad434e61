"""`navcore explain CODE`: what a code of an error, a warning or a hint means, and what to do."""

from __future__ import annotations

import argparse
import difflib
import textwrap

from ..codes import codes, page_of
from ..errors import BadInput
from .console import write_out
from .exit_status import DONE

_WIDTH = 100


def run(arguments: argparse.Namespace) -> int:
    """Say what a code means."""
    write_out(explanation(arguments.code))
    return DONE


def explanation(code: str) -> str:
    """The row of a code as text for a terminal. Raises BadInput for a code that there is not."""
    row = codes().get(code.upper())
    if row is None:
        near = difflib.get_close_matches(code.upper(), codes(), 1)
        hint = f"Did you mean {near[0]}?" if near else "Codes stand first in what the command prints."
        raise BadInput(f"There is no code {code!r:.60}. {hint}", "UNKNOWN_CODE")
    parts = (f"{row.code}: {row.title}.", row.meaning, f"What to do: {row.way_out}", page_of(row.code) or "")
    return "\n".join(textwrap.fill(part, _WIDTH, break_long_words=False) for part in parts) + "\n"
