"""The builds of a soak, one after another: `python -m tests.soak.builds FIRST END`, watched over by run.py.

A line is printed before each build and after it, so that whoever reads knows which one crashed or hangs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from navcore import NavmeshError, Settings, build_navmesh
from navcore.report import peak_memory_mb

from .invariants import violations
from .levels import PARTITIONS, Level, level_of

TILES = (16, 24, 32, 48)
BUILDS = 2 * len(PARTITIONS)  # of one level: three partitions, each in one piece and in tiles


class Outcome(NamedTuple):
    """How one build ended."""

    kind: str  # built, repaired, refused, broken (it says so itself), violates, unnamed
    what: str = ""  # the code of a refusal, or what was found
    seconds: float = 0.0


def settings_of(level: Level, seed: int, build: int) -> dict[str, Any]:
    """The settings of one of a level's builds, by name."""
    tile_size = TILES[seed % len(TILES)] if build % 2 else 0
    return level.settings | {"partition": PARTITIONS[build // 2], "tile_size": tile_size}


def build(level: Level, settings: dict[str, Any], failures: Path | None = None) -> Outcome:
    """Build and look at everything that came out. Whatever is raised without a name is an outcome too."""
    began = time.process_time()
    try:
        navmesh = build_navmesh(
            level.vertices, level.triangles, Settings.from_mapping(settings),
            volumes=level.volumes, threads=1, keep_stages=True, failures=failures,
        )  # fmt: skip
    except NavmeshError as reason:
        kind = "broken" if reason.code == "BROKEN_MESH" else "refused"
        return Outcome(kind, reason.code, time.process_time() - began)
    except Exception as surprise:  # noqa: BLE001 - the very thing that is looked for
        return Outcome("unnamed", f"{type(surprise).__name__}: {surprise}", time.process_time() - began)
    seconds = time.process_time() - began
    found = sorted(set(violations(navmesh)))
    if found:
        return Outcome("violates", ", ".join(found), seconds)
    codes = {warning.code for warning in (*navmesh.report.warnings, *navmesh.report.notes)}
    if "REPAIRED" in codes:
        return Outcome("repaired", "GROUND_LEFT_OUT" if "GROUND_LEFT_OUT" in codes else "", seconds)
    return Outcome("built", "", seconds)


def numbered(first: int, end: int) -> Iterator[tuple[int, int]]:
    """(seed, build) of the builds with these numbers."""
    return (divmod(number, BUILDS) for number in range(first, end))


def main(first: int, end: int, failures: Path) -> None:
    level = None
    for seed, number in numbered(first, end):
        if level is None or number == 0:
            level = level_of(seed)
        _say(["begins", seed, number])
        outcome = build(level, settings_of(level, seed, number), failures)
        _say(["ends", *outcome, peak_memory_mb()])


def _say(values: list[Any]) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
