"""`navcore compare-paths`: the same paths in every way, as a table, as JSON, as a picture."""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from ..errors import BadInput
from ..formats.plain_from_detour import plain_of
from ..formats.read_any import read_navmesh
from ..navquery.batches import as_points
from ..path_comparison.meadow import MeadowStatus
from ..pictures.colors import INK, SEVERAL
from ..pictures.drawing import Dots, Drawing, LegendEntry, Lines, line_sample
from ..pictures.plan_view import plan_view
from ..questions.nav_query import NavQuery
from ..questions.side_by_side import SideBySide, side_by_side
from ..types import F32
from .console import write_out
from .exit_status import DONE, GATE_FAILED
from .picture_command import check_picture, plan_of, write_picture

SAID = {
    "middle": "middle of each portal",
    "edges": "A* over middles of edges",
    "greedy": "the better of middle, left, right",
    "choice": "the best of them all together",
    "funnel": "string pulling, as Detour",
    "exact": "the truly shortest",
}
_WIDEST, _NARROWER = 6.0, 1.0  # points: lines that lie on each other show as stripes
_PERCENT, _P95 = 100, 95


def run(arguments: argparse.Namespace) -> int:
    """Compare and say it. Exit status 3 where not one pair is joined by a path."""
    if arguments.output is not None:
        check_picture(arguments.output)
    file = read_navmesh(arguments.file)
    query = NavQuery(file)
    found = side_by_side(query, *_pairs(query, arguments))
    answer = {**_figures(found), "meadow": _meadow(query)}
    write_out(json.dumps(answer) + "\n" if arguments.json else _table(answer))
    if arguments.output is not None:
        plan = plan_view(arguments.file.name, plan_of(plain_of(file)))
        write_picture(drawn(plan, found) if len(found.starts) else plan, arguments.output)
    return DONE if len(found.starts) else GATE_FAILED


def _pairs(query: NavQuery, arguments: argparse.Namespace) -> tuple[F32, F32]:
    given = [point for point in (arguments.start, arguments.end) if point is not None]
    if len(given) == 1:
        raise BadInput("A pair has two points. Give both --from and --to, or neither.", "WRONG_QUESTION")
    if given:
        return as_points("--from", given[0]), as_points("--to", given[1])
    points = query.random_points(2 * arguments.pairs, seed=arguments.seed).points
    return points[: arguments.pairs], points[arguments.pairs :]


def _figures(found: SideBySide) -> dict[str, Any]:
    """What the table says, as plain numbers by name."""
    rows = []
    for way in found.ways:
        known = ~np.isnan(way.length)
        some, length, longer = known.any(), way.length[known], found.longer(way)[known] * _PERCENT
        rows.append(
            {
                "way": way.name,
                "length": round(float(length.mean()), 3) if some else None,
                "longer_percent": round(float(longer.mean()), 2) if some else None,
                "longer_percent_p95": round(float(np.percentile(longer, _P95)), 2) if some else None,
                "points": round(float(np.diff(way.offsets).mean()), 1) if some else None,
                "microseconds": round(way.microseconds, 2) if some else None,
            }
        )
    return {"pairs": found.asked, "compared": len(found.starts), "ways": rows}


def _meadow(query: NavQuery) -> dict[str, Any]:
    """Pieces beside the navmesh's own polygons, on the islands that could be divided."""
    query.meadow()  # kernels are loaded
    began = time.perf_counter()
    ground = query.meadow(threads=1)
    milliseconds = (time.perf_counter() - began) * 1e3
    divided = ground.meadow.status == MeadowStatus.DIVIDED
    return {
        "pieces": len(ground.meadow.offsets) - 1,
        "polygons": int(ground.polygons[divided].sum()),
        "islands": int(divided.sum()),
        "not_divided": {
            MeadowStatus(status).name: int(count)
            for status, count in zip(*np.unique(ground.meadow.status[~divided], return_counts=True), strict=True)
        },
        "milliseconds": round(milliseconds, 2),
    }


def _table(answer: dict[str, Any]) -> str:
    lines = [f"{answer['compared']:,} of {answer['pairs']:,} pairs are joined by a path; lengths are seen from above"]
    if answer["compared"]:
        lines.append(f"{'':<8}{'':<34}{'metres':>9}{'longer':>10}{'p95':>9}{'points':>8}{'µs':>9}")
        for row in answer["ways"]:
            longer = f"{row['longer_percent']:>8.2f} %{row['longer_percent_p95']:>7.1f} %"
            rest = f"{row['points']:>8.1f}{row['microseconds']:>9.2f}"
            lines.append(f"{row['way']:<8}{SAID[row['way']]:<34}{row['length']:>9.2f}{longer}{rest}")
    meadow = answer["meadow"]
    lines.append(
        f"Meadow mapping: {meadow['pieces']:,} pieces where the navmesh has {meadow['polygons']:,} polygons "
        f"({meadow['islands']:,} islands, {meadow['milliseconds']:.2f} ms)"
    )
    for name, count in meadow["not_divided"].items():
        lines.append(f"  {count:,} more could not be divided: {name}")
    return "\n".join(lines) + "\n"


def drawn(plan: Drawing, found: SideBySide) -> Drawing:
    """The plan with the path whose middles are the longest way round, in every way."""
    everywhere = ~np.isnan([way.length for way in found.ways]).any(axis=0)
    row = int(np.argmax(np.where(everywhere, found.longer(found.ways[0]) * found.ways[0].length, -1)))
    shapes, legend = [], []
    for number, way in enumerate(found.ways):
        line = way.points[way.offsets[row] : way.offsets[row + 1], ::2]
        look = line_sample(SEVERAL[number], _WIDEST - _NARROWER * number)
        shapes.append(Lines(line, np.array([0, len(line)]), look.color, look.width))
        legend.append(LegendEntry(look, f"{way.name}: {way.length[row]:.1f} m"))
    ends = np.stack([found.starts[row], found.ends[row]])[:, ::2].astype(np.float64)
    return plan.over((*shapes, Dots(ends, INK, 5)), tuple(legend))
