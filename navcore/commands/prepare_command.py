"""`navcore prepare`: kernels are compiled before a build needs them."""

from __future__ import annotations

import argparse

from ..compile_ahead.prepare import Prepared, prepare
from ..errors import Cancelled
from .console import write_out
from .exit_status import DONE
from .progress_line import line_on_terminal


def run(arguments: argparse.Namespace) -> int:
    """Compile, and say how it went. Returns the exit status."""
    line = line_on_terminal(arguments.quiet)
    try:
        prepared = prepare(arguments.usual, None if line is None else line.compiled)
    except KeyboardInterrupt:
        raise Cancelled("Compiling was cancelled. What was compiled until then is kept.") from None
    finally:
        if line is not None:
            line("done", 1.0)
    if not arguments.quiet:
        write_out(f"{said(prepared)}\n")
    return DONE


def said(prepared: Prepared) -> str:
    """One line about what was done."""
    if prepared.folder is None:
        return "nothing to do: the compiled kernels that come with navcore fit this computer"
    if prepared.seconds == 0:
        return f"nothing to do: the kernels are in {prepared.folder}"
    kernels = f"{prepared.compiled:,} kernel{' was' if prepared.compiled == 1 else 's were'}"
    return f"{kernels} compiled into {prepared.folder} in {prepared.seconds:,.0f} s"
