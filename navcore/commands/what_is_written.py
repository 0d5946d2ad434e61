"""What a build writes, whether that is anything, and where. Light: neither NumPy nor Numba is imported."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def add_saying_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that every command has which builds."""
    dry = "build and check the gates, and write nothing: neither outputs nor reports"
    parser.add_argument("--dry-run", action="store_true", help=dry)
    quiet = "no progress and no line about what was built; warnings and errors are told all the same"
    parser.add_argument("--quiet", action="store_true", help=quiet)


def nothing_to_write(arguments: argparse.Namespace) -> str:
    """A sentence where a build would leave nothing behind, and nobody said that this is meant."""
    kinds = ("outputs", "report", "dump_stages", "store", "repeat", "dry_run")  # not every command has all of them
    if any(getattr(arguments, kind, None) not in (None, False, []) for kind in kinds):
        return ""
    return (
        "This build would write nothing. Name a file with -o OUTPUT or --report FILE.json, or give --dry-run to build "
        "and check the gates alone."
    )


def not_written(arguments: argparse.Namespace) -> str:
    """What the line about a build says of a dry run."""
    return "; nothing was written (--dry-run)" if arguments.dry_run else ""


@contextmanager
def thrown_away(outputs: Sequence[Path]) -> Iterator[list[Path]]:
    """Places with the names of `outputs` that are gone when the block ends: a dry run tells what their formats say."""
    with tempfile.TemporaryDirectory(prefix="navmesh-dry-run-") as folder:
        places = [Path(folder) / str(number) / output.name for number, output in enumerate(outputs)]
        for place in places:
            place.parent.mkdir()
        yield places
