"""What became of paths and places that must be there in the last build of a setup, as its `outcome` keeps it.

Plain Python, no bpy. Rows are those of a report: metres, y up. A row is that of a path while its ends are the same, and
that of a place while its name is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

ResultRow = Mapping[str, Any]
Ends = tuple[tuple[float, ...], tuple[float, ...]]


class AskedPath(NamedTuple):
    """What a path test asks for."""

    ends: Ends
    doors: tuple[tuple[str, str], ...] = ()  # names and states, of those that the test sets
    expect: str = "reachable"  # or "unreachable"

    @property
    def wants_a_way(self) -> bool:
        """Whether the test holds where a way leads from start to end."""
        return self.expect == "reachable"


class Results(NamedTuple):
    """Of one build."""

    build: str = ""
    tests: tuple[ResultRow, ...] = ()
    must_reach: tuple[ResultRow, ...] = ()

    def of_path(self, question: AskedPath) -> ResultRow | None:
        """What became of a path; None where it was not asked for like that."""
        return next((row for row in self.tests if _question_of(row) == question), None)

    def passed(self) -> frozenset[str]:
        """What was there, by keys: to see later what is there no longer."""
        rows = [(path_key(_question_of(row)), row) for row in self.tests]
        rows += [(place_key(str(row["name"])), row) for row in self.must_reach]
        return frozenset(key for key, row in rows if row["ok"])


def path_key(question: AskedPath) -> str:
    """The same for the same question, whatever it is called."""
    return f"path {json.dumps(question)}"


def place_key(name: str) -> str:
    """The same for the same object, wherever it stands."""
    return f"place {name}"


def results_json(build: str, tests: Sequence[ResultRow], must_reach: Sequence[ResultRow]) -> str:
    """What is stored."""
    return json.dumps({"build": build, "tests": list(tests), "must_reach": list(must_reach)})


@lru_cache(maxsize=16)  # panels ask for it whenever they are drawn
def read_results(text: str) -> Results:
    """What was stored; nothing where there is nothing, or where something else wrote it."""
    try:
        stored = json.loads(text)
        return Results(str(stored["build"]), tuple(stored["tests"]), tuple(stored["must_reach"]))
    except (KeyError, TypeError, ValueError):
        return Results()


def _question_of(row: ResultRow) -> AskedPath:
    doors = tuple((str(name), str(state)) for name, state in row.get("doors", {}).items())
    return AskedPath((tuple(row["from"]), tuple(row["to"])), doors, str(row.get("expect", "reachable")))
