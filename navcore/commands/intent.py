"""What a level is meant for, as files say it: paths that must be there, and places that must be walkable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..build_warning import place_in_words
from ..errors import BadInput

if TYPE_CHECKING:
    from ..result.navmesh import NavMesh
    from ..types import Geometry

Point = tuple[float, float, float]


class PathTest(NamedTuple):
    """A way that agents must find; metres, y up."""

    name: str
    start: Point
    end: Point


class MustReach(NamedTuple):
    """A place on which agents must be able to stand."""

    name: str  # "" where nobody named it
    point: Point


class Intent(NamedTuple):
    """What must hold of a navmesh."""

    paths: tuple[PathTest, ...] = ()
    points: tuple[MustReach, ...] = ()


def read_path_tests(path: Path) -> tuple[PathTest, ...]:
    """`{"tests": [{"name": "spawn to exit", "from": [x, y, z], "to": [x, y, z]}]}`. Raises BadInput."""
    tests = []
    for number, row in enumerate(_rows(path, "path test", "tests"), 1):
        if not isinstance(row, Mapping) or set(row) - {"name", "from", "to"} or not {"from", "to"} <= set(row):
            raise _refused(path, f'test {number} must be {{"name": …, "from": [x, y, z], "to": [x, y, z]}}')
        ends = [_point(path, f"test {number}, {key!r}", row[key]) for key in ("from", "to")]
        tests.append(PathTest(_name(path, f"test {number}", row) or f"test {number}", *ends))
    return tuple(tests)


def read_must_reach(path: Path) -> tuple[MustReach, ...]:
    """`{"points": [[x, y, z], {"point": [x, y, z], "name": "Flag"}]}`. Raises BadInput."""
    points = []
    for number, row in enumerate(_rows(path, "must-reach", "points"), 1):
        if isinstance(row, Mapping):
            if set(row) - {"name", "point"} or "point" not in row:
                raise _refused(path, f'point {number} must be [x, y, z] or {{"point": [x, y, z], "name": …}}')
            name, row = _name(path, f"point {number}", row), row["point"]
        else:
            name = ""
        points.append(MustReach(name, _point(path, f"point {number}", row)))
    return tuple(points)


def _rows(path: Path, what: str, key: str) -> Sequence[object]:
    from ..files.strict_json import load_json  # here, because the flags must not wait for NumPy

    content = load_json(path, what)
    rows = content.get(key) if isinstance(content, Mapping) and set(content) == {key} else None
    if not isinstance(rows, list) or not rows:
        raise _refused(path, f'it must hold {{"{key}": […]}} with at least one row, and nothing else')
    return rows


def _point(path: Path, which: str, value: object) -> Point:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 3 or not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
        raise _refused(path, f"{which} must be three numbers, [x, y, z], not {value!r:.80}")
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def _name(path: Path, which: str, row: Mapping[Any, Any]) -> str:
    name = row.get("name", "")
    if not isinstance(name, str):
        raise _refused(path, f"the name of {which} must be a text, not {name!r:.80}")
    return name


def _refused(path: Path, why: str) -> BadInput:
    return BadInput(f"{path}: {why}.", "BAD_INTENT")


# --- what holds of it


def outcome_of(navmesh: NavMesh, intent: Intent, level: Geometry | None = None) -> dict[str, Any]:
    """What became of each, for the `tests` of a report; `level` is what was built from, for better reasons."""
    return {
        "paths": _tested_paths(navmesh, intent.paths) if intent.paths else [],
        "points": _tested_points(navmesh, intent.points, level) if intent.points else [],
    }


def _tested_paths(navmesh: NavMesh, tests: Sequence[PathTest]) -> list[dict[str, Any]]:
    from ..navquery.nav_query import NavQuery
    from ..navquery.status import PathStatus

    paths = NavQuery(navmesh).find_paths(
        [test.start for test in tests], [test.end for test in tests], partial="closest"
    )
    return [
        {
            "name": test.name,
            "ok": status == PathStatus.COMPLETE,
            "status": PathStatus(status).name.lower(),
            "length": None if length == 0 and status in (PathStatus.NO_START, PathStatus.NO_END) else length,
            "missing": None if missing != missing else missing,
        }
        for test, status, length, missing in zip(
            tests, paths.status.tolist(), paths.length.tolist(), paths.missing.tolist(), strict=True
        )
    ]


def _tested_points(navmesh: NavMesh, points: Sequence[MustReach], level: Geometry | None) -> list[dict[str, Any]]:
    """On the navmesh is what a seed there would stand on."""
    from ..detour.queries.seeds import place_seeds
    from ..detour.queries.walk_graph import walk_graph
    from ..detour.queries.why_off_navmesh import why_off_navmesh
    from ..scene import Seed

    seeds = [Seed(point=point.point, name=point.name) for point in points]
    lost = {id(seed) for _, seed in place_seeds(walk_graph(navmesh), seeds, navmesh.settings).lost}
    return [
        {
            "name": seed.name or place_in_words(seed.point),
            "ok": id(seed) not in lost,
            "why": why_off_navmesh(navmesh, seed.point, level) if id(seed) in lost else "",
        }
        for seed in seeds
    ]
