"""One build of a batch: its names, where its files go, and what came of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...navcore.commands.acceptance_gates import LastReport
from ...navcore.commands.one_build import OneBuild
from ...navcore.errors import BadInput, NavmeshError
from ..objects.build_report import JsonReport

if TYPE_CHECKING:
    from ...navcore.tile_cache.tile_cache import TileCache

FILE, SETUP = "{file}", "{setup}"
NAMELESS = "Navmesh"  # the setup of a file that has none
_FORBIDDEN = '/\\:*?"<>|'  # in names of files, on one system or another


class Names(NamedTuple):
    """What placeholders stand for."""

    file: str
    setup: str

    def fill(self, path: Path) -> Path:
        """Raises BadInput where the setup's name is none for a file."""
        odd = next((letter for letter in self.setup if letter in _FORBIDDEN or not letter.isprintable()), "")
        if SETUP in str(path) and (odd or self.setup.strip(" .") != self.setup):
            why = f" because of {odd!r}" if odd else ""
            raise BadInput(f"The setup “{self.setup}” cannot be part of a file's name{why}. Rename it.", "BAD_NAME")
        return Path(str(path).replace(FILE, self.file).replace(SETUP, self.setup))


def has_names(path: Path) -> bool:
    """Whether a path depends on the build."""
    return FILE in str(path) or SETUP in str(path)


class Outcome(OneBuild):
    """One file and setup: what came of it, for the report."""

    def __init__(self, names: Names, arguments: argparse.Namespace) -> None:
        self.names = names
        self.error: NavmeshError | None = None
        self.report: JsonReport | None = None
        self.make_cache: Callable[[], TileCache] | None = None  # where the level is at hand
        super().__init__(arguments, self._last_report(arguments))

    def write_cache(self, place: Path) -> None:
        """Write a tile cache of the level, with the obstacles of its scene. Raises NavmeshError."""
        from ...navcore.tile_cache.cache_files import write_files

        assert self.make_cache is not None, "the level is known before anything is written"
        write_files(place, self.make_cache().files())

    def __str__(self) -> str:
        return ", ".join(self.names)

    def named(self, setup: str) -> None:
        """The setup is known."""
        self.names = self.names._replace(setup=setup)
        self.know_last(self._last_report(self.arguments))

    def _last_report(self, arguments: argparse.Namespace) -> LastReport:
        report, last_report = (path and self.report_path(path) for path in (arguments.report, arguments.last_report))
        return LastReport(report, last_report, {"file": self.names.file, "setup": self.names.setup})

    def report_path(self, path: Path) -> Path:
        """Where a report goes: also one on a name that no file can have."""
        try:
            return self.names.fill(path)
        except BadInput:
            return self.names._replace(setup=NAMELESS).fill(path)

    def mapping(self) -> JsonReport:
        """The report of this build, also of one that never began."""
        from ...navcore.report import Report
        from ...navcore.settings import Settings

        report = dict(self.report) if self.report is not None else Report(Settings()).to_mapping(self.error)
        if self.error is not None:
            report |= {"ok": False, "error": {"code": self.error.code, "message": str(self.error)}}
        return {**self.with_gates(report), **self.names._asdict()}
