"""What a level is meant for, as files say it: paths that must be there, and places that must be walkable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..build_warning import Point
from ..errors import BadInput
from ..reasons.intent import CLOSED, OPEN, REACHABLE, UNREACHABLE, MustReach, PathTest

WIDEST = 1e7
"""Metres aside of the navmesh, at most, that something may lie."""


def read_path_tests(path: Path, within: float | None = None) -> tuple[PathTest, ...]:
    """`{"tests": [{"name": "spawn to exit", "from": [x, y, z], "to": [x, y, z], "within": m}]}`. Raises BadInput.

    A row may also have `"doors": {"gate": "closed"}` and `"expect": "unreachable"`.
    """
    tests = []
    for number, row in enumerate(_rows(path, "path test", "tests"), 1):
        if (
            not isinstance(row, Mapping)
            or set(row) - {"name", "from", "to", "within", "doors", "expect"}
            or not {"from", "to"} <= set(row)
        ):
            raise _refused(path, f'test {number} must be {{"name": …, "from": [x, y, z], "to": [x, y, z]}}')
        which = f"test {number}"
        start, end = (_point(path, f"{which}, {key!r}", row[key]) for key in ("from", "to"))
        limit, doors = _within(path, which, row, within), _doors(path, which, row)
        expect = row.get("expect", REACHABLE)
        if expect not in (REACHABLE, UNREACHABLE):
            raise _refused(path, f"{which}, 'expect' must be {REACHABLE} or {UNREACHABLE}, not {expect!r:.80}")
        tests.append(PathTest(_name(path, which, row) or which, start, end, limit, doors, expect))
    return tuple(tests)


def read_must_reach(path: Path, within: float | None = None) -> tuple[MustReach, ...]:
    """`{"points": [[x, y, z], {"point": [x, y, z], "name": "Flag", "within": m}]}`. Raises BadInput.

    `within`: of rows that do not say how far aside of the navmesh they may lie.
    """
    points = []
    for number, row in enumerate(_rows(path, "must-reach", "points"), 1):
        if isinstance(row, Mapping):
            if set(row) - {"name", "point", "within"} or "point" not in row:
                raise _refused(path, f'point {number} must be [x, y, z] or {{"point": [x, y, z], "name": …}}')
            name, limit = _name(path, f"point {number}", row), _within(path, f"point {number}", row, within)
            row = row["point"]
        else:
            name, limit = "", within
        points.append(MustReach(name, _point(path, f"point {number}", row), limit))
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


def _within(path: Path, which: str, row: Mapping[Any, Any], usual: float | None) -> float | None:
    value = row.get("within", usual)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= WIDEST):
        return None if value is None else float(value)
    raise _refused(path, f"{which}, 'within' must be metres from 0 to {WIDEST:,.0f}, not {value!r:.80}")


def _doors(path: Path, which: str, row: Mapping[Any, Any]) -> tuple[tuple[str, str], ...]:
    doors = row.get("doors", {})
    if not isinstance(doors, Mapping) or not all(state in (OPEN, CLOSED) for state in doors.values()):
        raise _refused(path, f'{which}, \'doors\' must be {{"NAME": "{OPEN}" or "{CLOSED}"}}, not {doors!r:.80}')
    return tuple(doors.items())


def _refused(path: Path, why: str) -> BadInput:
    return BadInput(f"{path}: {why}.", "BAD_INTENT")


# --- written


def path_tests_json(tests: Sequence[PathTest]) -> dict[str, Any]:
    """What `read_path_tests` reads."""
    rows = [{"name": t.name, "from": list(t.start), "to": list(t.end), **_limit(t.within), **t.states()} for t in tests]
    return {"tests": rows}


def must_reach_json(places: Sequence[MustReach]) -> dict[str, Any]:
    """What `read_must_reach` reads."""
    return {"points": [{"name": p.name, "point": list(p.point), **_limit(p.within)} for p in places]}


def _limit(within: float | None) -> dict[str, float]:
    return {} if within is None else {"within": within}
