"""Gates: what a build's report must fulfil for a pipeline to go on. Plain Python, so that flags wait for nothing."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..build_warning import WARNING_CODES
from ..errors import BadInput, BadSettings, NavmeshError
from ..reasons.intent import OF_FILE, OF_SCENE, Intent
from .intent_files import WIDEST, read_must_reach, read_path_tests
from .settings_flags import AnyParser, add_file, add_switch

ANY = "ANY"  # in place of a warning's code
_MOST_TOLD = 3  # of what one gate does not let pass
_SEEDS_WAY_OUT = "Move them, or join their ground with ramps, stairs or links that lead both ways."


class GateFailed(NavmeshError):
    """The build went through, and is not what its gates ask for."""

    code = "GATE_FAILED"


class Gates(NamedTuple):
    """What the report must fulfil; the default asks for nothing."""

    most_islands: int | None = None
    connected_seeds: bool = False
    most_area_change: float | None = None  # percent of the last report's ground, up or down
    fail_on: tuple[str, ...] = ()  # codes of warnings
    intent: Intent = Intent()  # paths and places that must be there
    scene_tests: bool = False  # those that a .blend file's scene holds, too

    @property
    def need_the_navmesh(self) -> bool:
        """Whether the report must hold islands, seeds or tests, which takes the whole navmesh."""
        return self.most_islands is not None or self.connected_seeds or self.intent != Intent()


class Verdict(NamedTuple):
    """What one gate says."""

    gate: str
    ok: bool
    message: str


def add_gate_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that every command has which builds."""
    group = parser.add_argument_group("gates (exit status 3 and no output where one fails)")
    islands = "at most N pieces of ground that no ways join, there and back"
    group.add_argument("--max-islands", type=int, metavar="N", help=islands)
    add_switch(group, "--connected-seeds", "every seed must reach every other one")
    change = "walkable ground may not grow or shrink by more since the last report"
    group.add_argument("--max-area-change", type=float, metavar="PERCENT", help=change)
    last = "the report to compare with (default: the one that --report replaces)"
    add_file(group, "--last-report", "FILE.json", last)
    add_fail_on_flag(group)
    add_file(group, "--test", "FILE.json", "paths that agents must find, from here to there")
    add_file(group, "--must-reach", "FILE.json", "places that agents must reach")
    within = (
        "how far aside of the navmesh these places and the ends of these paths may lie (default: radius and a cell)"
    )
    group.add_argument("--within", type=float, metavar="METRES", help=within)


def add_fail_on_flag(parser: AnyParser) -> None:
    """The one gate that commands have, too, which ask."""
    text = f"warnings that may not occur; {ANY} for all of them"
    parser.add_argument("--fail-on", action="append", default=[], metavar="CODE[,CODE]", help=text)


def given_gates(arguments: argparse.Namespace) -> Gates:
    """The gates that flags and their files ask for. Raises BadInput."""
    islands, change = arguments.max_islands, arguments.max_area_change
    if islands is not None and islands < 0:
        raise BadSettings(f"--max-islands must be at least 0, not {islands}.")
    if change is not None and not (math.isfinite(change) and change >= 0):
        raise BadSettings(f"--max-area-change must be a percentage of at least 0, not {change:g}.")
    if change is not None and arguments.last_report is None and arguments.report is None:
        raise BadSettings("--max-area-change compares with the last report: give --report or --last-report.")
    within = arguments.within
    if within is not None and not 0 <= within <= WIDEST:
        raise BadSettings(f"--within must be metres from 0 to {WIDEST:,.0f}, not {within:g}.")
    if within is not None and arguments.test is None and arguments.must_reach is None:
        raise BadSettings("--within is for --test and --must-reach: give one of them, or leave it out.")
    intent = Intent(
        () if arguments.test is None else read_path_tests(arguments.test, within),
        () if arguments.must_reach is None else read_must_reach(arguments.must_reach, within),
    )
    scene_tests = getattr(arguments, "check_tests", False)  # a flag of Blender's command
    return Gates(islands, arguments.connected_seeds, change, given_codes(arguments.fail_on), intent, scene_tests)


def given_codes(words: Sequence[str]) -> tuple[str, ...]:
    """Codes of warnings. One that does not exist is refused: its gate would never close."""
    codes = [code.strip().upper() for word in words for code in word.split(",")]
    if words and not any(codes):
        raise BadSettings(
            f"--fail-on names no warning: its gate would never close. Give codes, or {ANY} for all of them."
        )
    for code in filter(None, codes):
        if code != ANY and code not in WARNING_CODES:
            alike = difflib.get_close_matches(code, WARNING_CODES, 1)
            meant = f"Did you mean {alike[0]}? " if alike else ""
            raise BadSettings(
                f"--fail-on {code}: there is no such warning. {meant}"
                f"There are {', '.join(sorted(WARNING_CODES))}, and {ANY} for all of them."
            )
    return tuple(code for code in codes if code)


class LastReport(NamedTuple):
    """Where to look for the ground of the last build that passed."""

    report: Path | None  # the file that is going to be replaced
    given: Path | None = None  # by --last-report
    build: Mapping[str, str] = {}  # which build of a report on several: `file` and `setup`

    def remembered(self) -> float | None:
        """What the report to be replaced remembers, for the next one; it may hold anything, or not be there."""
        with contextlib.suppress(BadInput):
            return None if self.report is None else self._area(self.report)
        return None

    def area(self, gates: Gates) -> float | None:
        """What the area gate compares with, None where no build has passed so far. Raises NavmeshError."""
        path = self.given or self.report
        if path is None or gates.most_area_change is None or not (self.given or path.is_file()):
            return self.remembered()
        area = self._area(path)
        if area is None and (self.given or not self._is_report(path)):
            raise BadSettings(f"{path} tells no walkable ground to compare with. Choose another report.")
        return area

    @staticmethod
    def _is_report(path: Path) -> bool:
        """Whether a build wrote it: the report of one that never passed has no ground yet, another file never has."""
        from ..files.strict_json import load_json

        content = load_json(path, "last report")
        return isinstance(content, Mapping) and ("reference_square_metres" in content or "builds" in content)

    def _area(self, path: Path) -> float | None:
        from ..files.strict_json import load_json  # here, because the flags must not wait for NumPy

        content = load_json(path, "last report")
        builds = content.get("builds", [content]) if isinstance(content, Mapping) else []
        for report in builds if isinstance(builds, list) else []:
            if isinstance(report, Mapping) and all(report.get(key, name) == name for key, name in self.build.items()):
                area = report.get("reference_square_metres")
                if isinstance(area, int | float) and not isinstance(area, bool) and area >= 0:
                    return float(area)
        return None


def check_gates(gates: Gates, report: Mapping[str, Any], last: float | None) -> list[Verdict]:
    """What each gate says of a report's mapping; `last` is the ground of the last report that passed."""
    ground, verdicts = report["ground"] or {}, []
    if gates.most_islands is not None:
        verdicts.append(_islands(ground.get("islands"), gates.most_islands))
    if gates.connected_seeds:
        verdicts.append(_seeds(ground.get("seeds")))
    if gates.most_area_change is not None:
        verdicts.append(_area(float(ground["square_metres"]), last, gates.most_area_change))
    if gates.fail_on:
        named = [note for note in report.get("notes", ()) if note["code"] in gates.fail_on]
        verdicts.append(_warnings([*report["warnings"], *named], gates.fail_on))
    if gates.intent.paths:
        verdicts.append(_paths(_rows(report, "tests", OF_FILE), len(gates.intent.paths)))
    if gates.intent.points:
        verdicts.append(_places(_rows(report, "must_reach", OF_FILE), len(gates.intent.points)))
    if gates.scene_tests:
        verdicts += _of_scene(_rows(report, "tests", OF_SCENE), _rows(report, "must_reach", OF_SCENE))
    return verdicts


def _rows(report: Mapping[str, Any], key: str, origin: str) -> list[Mapping[str, Any]]:
    return [row for row in report.get(key) or () if row["origin"] == origin]


def refuse_failed(verdicts: Sequence[Verdict]) -> None:
    """Raise GateFailed with everything that failed."""
    failed = [verdict.message for verdict in verdicts if not verdict.ok]
    if failed:
        raise GateFailed(" ".join(failed))


def gates_in_report(report: Mapping[str, Any], verdicts: Sequence[Verdict], last: float | None) -> dict[str, Any]:
    """The verdicts of gates as a report holds them, and the ground that the next one is compared with.

    After a failure that is what this one was compared with: a level that lost half its ground must not pass when it is
    built once more.
    """
    area = report["ground"]["square_metres"] if report["ok"] and report["ground"] else last
    return {"gates": [verdict._asdict() for verdict in verdicts], "reference_square_metres": area}


def _islands(count: int | None, most: int) -> Verdict:
    if count is None:
        return Verdict("islands", False, "Islands cannot be counted: a tile is too large. Set tile_size, or lower it.")
    text = f"The navmesh has {count:,} {'island' if count == 1 else 'islands'} (limit {most:,})."
    if count <= most:
        return Verdict("islands", True, text)
    return Verdict("islands", False, f"{text} Join them, link them, or leave out with --prune what no seed reaches.")


def _seeds(seeds: Mapping[str, Any] | None) -> Verdict:
    if not seeds or not seeds["count"]:
        return Verdict("seeds", False, "No seed is marked, so none can be checked. Mark spawn points as Seed.")
    back, there = seeds["no_way_back"], seeds["no_way_there"]
    first = seeds["first"] if seeds["first"].startswith("“") else f"seed {seeds['first']}"
    apart = [name for name in seeds["cut_off"] if name not in (*back, *there)]
    problems = [f"{_named(seeds['off_navmesh'], 'stands')} on no navmesh."] if seeds["off_navmesh"] else []
    if apart:
        problems.append(f"{_named(apart, 'is')} cut off from {first}: there is no way there, and none back.")
    if back:
        problems.append(f"{_named(back, 'can')} be reached from {first}, but there is no way back.")
    if there:
        problems.append(
            f"{first[:1].upper()}{first[1:]} can be reached from {_listed(there)}, but there is no way back."
        )
    if problems:
        return Verdict("seeds", False, " ".join([*problems, _SEEDS_WAY_OUT]))
    return Verdict("seeds", True, f"All {seeds['count']:,} seeds reach each other.")


def _area(now: float, last: float | None, most: float) -> Verdict:
    if last is None:
        return Verdict("area", True, f"{now:,.2f} m² are walkable; there is no last report to compare with.")
    change = 100 * (now - last) / last if last else (0.0 if now == 0 else math.inf)
    text = f"{now:,.2f} m² are walkable, {change:+.2f} % of the last report's {last:,.2f} m² (limit {most:g} %)."
    if abs(change) <= most:
        return Verdict("area", True, text)
    return Verdict("area", False, f"{text} Look at the level, or delete the last report to accept it.")


def _warnings(warnings: Sequence[Mapping[str, Any]], codes: Sequence[str]) -> Verdict:
    forbidden = [warning for warning in warnings if ANY in codes or warning["code"] in codes]
    if not forbidden:
        return Verdict("warnings", True, f"No warning of {', '.join(codes)}.")
    said = _some([f"{warning['code']}: {warning['message']}" for warning in forbidden])
    return Verdict("warnings", False, f"Warnings that may not occur: {said}")


def _of_scene(tests: Sequence[Mapping[str, Any]], places: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    if not tests and not places:
        said = "The scene holds no path test and no place that must be walkable. Add some in the tab Test in Blender."
        return [Verdict("tests", False, said)]
    paths = [_paths(tests, len(tests))] if tests else []
    return [*paths, _places(places, len(places))] if places else paths


def _paths(tests: Sequence[Mapping[str, Any]], asked: int) -> Verdict:
    if len(tests) != asked:
        return Verdict(
            "tests", False, f"Of {asked:,} paths {len(tests):,} were tested. Build without --skip-unchanged."
        )
    failed = [f"“{test['name']}”: {test['why']}" for test in tests if not test["ok"]]
    if any("expect" in test for test in tests):
        counted = (
            f"{len(failed):,} of {len(tests):,} path tests fail." if failed else f"All {len(tests):,} path tests hold."
        )
        return Verdict("tests", not failed, f"{counted} {_some(failed)}".rstrip())
    if not failed:
        return Verdict("tests", True, f"All {len(tests):,} tested paths are there.")
    return Verdict("tests", False, f"{len(failed):,} of {len(tests):,} tested paths are not there. {_some(failed)}")


def _places(points: Sequence[Mapping[str, Any]], asked: int) -> Verdict:
    if len(points) != asked:
        said = f"Of {asked:,} places {len(points):,} were looked for. Build without --skip-unchanged."
        return Verdict("must_reach", False, said)
    failed = [f"{point['name']}: {point['why']}" for point in points if not point["ok"]]
    if not failed:
        farthest = max(points, key=lambda point: point.get("aside") or 0.0)
        far = farthest.get("aside") or 0.0
        said = f" The farthest lies {far:.2f} m aside of the navmesh: {farthest['name']}." if far >= 0.01 else ""
        return Verdict("must_reach", True, f"All {len(points):,} places can be reached.{said}")
    counted = f"{len(failed):,} of {len(points):,} places that must be walkable are not."
    return Verdict("must_reach", False, f"{counted} {_some(failed)}")


def _some(sentences: Sequence[str]) -> str:
    """The first ones, and how many more there are."""
    more = [f"And {len(sentences) - _MOST_TOLD} more."] if len(sentences) > _MOST_TOLD else []
    return " ".join([*sentences[:_MOST_TOLD], *more])


def _named(names: Sequence[str], verb: str) -> str:
    """Seeds as the subject of a sentence."""
    if len(names) == 1:
        return f"Seed {names[0]} {verb}"
    return f"Seeds {_listed(names)} {({'is': 'are', 'stands': 'stand'}).get(verb, verb)}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
