"""One build as all commands make it: may it be left out, are its gates passed, where do its files go, what is told.

`navcore build` makes one, Blender's command one for each file and setup. Light: NumPy waits for what needs it.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..build_warning import counted, place_in_words
from ..errors import BadInput
from ..formats import check_output, holds_detour_data, holds_references, is_tile_cache, target_for, write_navmesh
from .acceptance_gates import Gates, LastReport, Verdict, check_gates, gates_in_report, refuse_failed

if TYPE_CHECKING:
    from ..agent_sizes import GivenSizes
    from ..formats.target_catalog import ExportOptions
    from ..result.navmesh import NavMesh
    from ..settings import Settings

JsonReport: TypeAlias = Mapping[str, Any]  # a build's report, as JSON has it
_IN_BRACES = re.compile(r"\{[a-z]+\}")
_TOLD = 3  # warnings of one code that are told; a report holds all of them


def at_once(work: Callable[[], Any]) -> Any:
    """How work is done where nothing has to be thought of."""
    return work()


class OneBuild:
    """One build: its gates and what they say, whether it can be left out, and the way to its files."""

    def __init__(self, arguments: argparse.Namespace, last_report: LastReport) -> None:
        self.arguments = arguments
        self.gates = Gates()
        self.verdicts: list[Verdict] = []
        self.know_last(last_report)

    def know_last(self, last_report: LastReport) -> None:
        """Where the last build's report lies is known."""
        self.last_report = last_report
        self.last = last_report.remembered()  # ground of the last build that passed

    def ask_gates(self, gates: Gates) -> None:
        """These gates have to be passed. Raises NavmeshError where what they compare with is not there."""
        self.gates = gates
        self.last = self.last_report.area(gates)

    def check_outputs(
        self, outputs: Iterable[Path], settings: Settings, sizes: GivenSizes = (), prune: bool = False
    ) -> None:
        """What a format cannot hold is said before the build. Raises NavmeshError."""
        written = self.arguments.outputs
        if self.arguments.references == 64 and written and not any(map(holds_detour_data, written)):
            raise BadInput("--references is for a .bin, and no output is one. Leave it out.")
        for output in outputs:
            if is_tile_cache(output):
                from ..tile_cache.cache_content import check_cache_settings  # here, as it waits for NumPy and Numba

                check_cache_settings(settings, sizes, prune)
            else:
                check_output(output, settings, target_for(output, self.arguments.target))

    def still_holds(self, outputs: Sequence[Path], made_from: str) -> JsonReport | None:
        """The report of the build that made `outputs`, where this one would make the same and may be left out."""
        if not self.arguments.skip_unchanged or not outputs:
            return None
        from .unchanged_stamps import unchanged

        return unchanged(outputs, made_from)

    def places(self, outputs: Sequence[Path]) -> AbstractContextManager[list[Path]]:
        """Where outputs are written to before they are what they are called."""
        from ..files.atomic_write import staged

        return _thrown_away(outputs) if self.arguments.dry_run else staged(outputs)

    def write(
        self, navmesh: NavMesh, outputs: Sequence[Path], options: ExportOptions,
        report: Callable[[], JsonReport], work: Callable[[Callable[[], Any]], Any] = at_once,
    ) -> None:  # fmt: skip
        """Write all outputs, which may warn, then ask the gates of the `report`; files appear when all are passed."""
        with self.places(outputs) as places:
            for place in places:
                if is_tile_cache(place):
                    self.write_cache(place)
                    continue
                target = target_for(place, self.arguments.target)
                bits = self.arguments.references if holds_references(place, target) else None
                work(partial(write_navmesh, navmesh, place, target, options, reference_bits=bits))
            self.pass_gates(report())

    def write_cache(self, place: Path) -> None:
        """Write a tile cache of the level. Raises NavmeshError."""
        raise BadInput(
            f"{place.name}: tile caches are written by `navcore build`, of a level that was exported. Leave this "
            "output out here.",
            "NEEDS_THE_LEVEL",
        )

    def pass_gates(self, report: JsonReport) -> None:
        """Raises GateFailed."""
        self.verdicts = check_gates(self.gates, report, self.last)
        refuse_failed(self.verdicts)

    def stamp(self, outputs: Sequence[Path], made_from: str, report: JsonReport) -> None:
        """Leave beside the outputs what they were made from, so that the next build can be left out."""
        if self.arguments.skip_unchanged and not self.arguments.dry_run:
            from .unchanged_stamps import write_stamps

            write_stamps(outputs, made_from, report)

    def with_gates(self, report: JsonReport) -> dict[str, Any]:
        """The report with what the gates said, for the next build, too."""
        return {**report, **gates_in_report(report, self.verdicts, self.last)}


@contextmanager
def _thrown_away(outputs: Sequence[Path]) -> Iterator[list[Path]]:
    """Places with the names of `outputs` that are gone when the block ends: a dry run tells what their formats say."""
    with tempfile.TemporaryDirectory(prefix="navmesh-dry-run-") as folder:
        places = [Path(folder) / str(number) / output.name for number, output in enumerate(outputs)]
        for place in places:
            place.parent.mkdir()
        yield places


# --- what is told


class Said(NamedTuple):
    """A warning as it is told."""

    code: str
    sentence: str


def where_all_are(report: Path | None) -> str:
    """What is said where not all warnings are told, by a command that writes reports."""
    return " Give --report FILE.json to see them all." if report is None else " The report has them all."


def warning_lines(warnings: Iterable[Said], where: str = "") -> list[str]:
    """The first warnings of each code, and how many more there are; `where` says where all are told."""
    by_code: dict[str, list[str]] = {}
    for warning in warnings:
        by_code.setdefault(warning.code, []).append(warning.sentence)
    lines = []
    for code, sentences in by_code.items():
        lines += [f"warning: {code}: {sentence}" for sentence in sentences[:_TOLD]]
        if len(sentences) > _TOLD:
            lines.append(f"warning: {code}: and {len(sentences) - _TOLD:,} more.{where}")
    return lines


def check_placeholders(paths: Iterable[Path | None], known: Sequence[str]) -> None:
    """Refuse a word in braces in a file's name that stands for nothing: the file would be called by it."""
    for path in filter(None, paths):
        for word in _IN_BRACES.findall(path.name):
            if word not in known:
                raise BadInput(f"{word} in {path} stands for nothing here. Write {' or '.join(known)}.", "BAD_NAME")


def not_kept(why: str, variable: str) -> list[str]:
    """A line where compiled kernels cannot be kept; `variable` is where another folder can be named."""
    if not why:
        return []
    return [
        f"warning: KERNELS_NOT_KEPT: Compiled kernels cannot be kept in {why}. So every run compiles them again, which "
        f"takes up to a minute. Make it a folder that this user alone can write to, or name another in {variable}."
    ]


def result_line(name: str, report: JsonReport, *, dry_run: bool = False) -> str:
    """One line about a build: what it made, in what time, and how many warnings there are; or that it was left out.

    Only what is known is told: islands of a level that is not held in memory as a whole are not.
    """
    written = "; nothing was written (--dry-run)" if dry_run else ""
    if report.get("unchanged"):
        return f"{name}: nothing has changed, nothing is built: {_facts(report)}{_warnings(report)}{written}"
    return f"{name}: {_facts(report)} in {_seconds(report['seconds'])}{_warnings(report)}{written}"


def _facts(report: JsonReport) -> str:
    ground = report.get("ground") or {}
    parts = [counted(report["counts"].get("polygons", 0), "polygon")]
    if ground.get("square_metres") is not None:
        parts.append(f"{ground['square_metres']:,.1f} m²")
    if ground.get("islands") is not None:
        parts.append(counted(ground["islands"], "island"))
    if rows := report.get("left_out"):
        parts.append(left_out_in_words(rows))
    counts = report["counts"]
    if "links_jump" in counts and counts.get("islands_removed"):
        parts.append(f"{counted(counts['islands_removed'], 'small island')} removed before links were looked for")
    return ", ".join(parts)


def left_out_in_words(rows: Sequence[JsonReport]) -> str:
    """What a build left out, in a few words: `left_out` of a report that has any."""
    count, size = sum(row["islands"] for row in rows), sum(row["m2"] for row in rows)
    largest = max(rows, key=lambda row: row["m2"] / row["islands"])
    where = largest.get("where") or place_in_words(largest["at"])  # in Blender's coordinates, where it builds
    return f"left out {counted(count, 'island')} of {size:,.1f} m², {'the largest ' * (count > 1)}at {where}"


def _seconds(seconds: Mapping[str, Any]) -> str:
    repeat = seconds.get("repeat")
    if repeat is None:
        return f"{seconds['total']:,.2f} s"
    return f"{repeat['best']:,.2f} s at best, {repeat['median']:,.2f} s in the middle"


def _warnings(report: JsonReport) -> str:
    """How many warnings there are, and notes, which are in the report alone."""
    said = ""
    for noun in ("warning", "note"):
        codes = [warning["code"] for warning in report.get(f"{noun}s", [])]
        if codes:
            counts = ", ".join(f"{code} {count:,}" for code, count in sorted(Counter(codes).items()))
            said += f"; {counted(len(codes), noun)} ({counts})"
    return said
