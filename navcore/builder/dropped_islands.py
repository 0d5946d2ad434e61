"""Islands that somebody dropped, left out of a finished navmesh: those, where they still are what was marked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..build_warning import BuildWarning, in_words
from ..errors import BadInput, TooLarge
from ..level_source import NavmeshEdits
from ..report import LeftOut
from ..result.navmesh import NavMesh
from ..scene import Drop, as_drops
from .running_build import RunningBuild

if TYPE_CHECKING:
    from ..detour.queries.left_out import NumberedIslands
    from ..detour.queries.walk_graph import WalkGraph
    from ..settings import Settings

_MOST_GROWN = 2.0  # times the size that an island had when it was marked: beyond it is another one


def refuse_drops(edits: NavmeshEdits) -> None:
    """For builds that hand their tiles over: none of them knows its islands."""
    if edits.drops:
        raise BadInput(
            "Islands are dropped from a finished navmesh, and with on_tile there is none. Leave out on_tile, or the "
            "drops.",
            "WRONG_KIND",
        )


def without_dropped(navmesh: NavMesh, edits: NavmeshEdits, build: RunningBuild) -> NavMesh:
    """The navmesh without the islands that its edits drop. The report tells them, and those that are not dropped.

    `before_drops` of it is what the next rebuild begins with. Links have to be found: they say what is an island.
    """
    drops = as_drops(edits.drops)
    if not drops:
        return navmesh
    # Here, so that only those who drop something wait for it.
    from ..detour.queries.checked_links import with_attached_links
    from ..detour.queries.left_out import island_ground
    from ..detour.queries.prune import counts_of, polygons_of, tiles_of_nodes
    from ..detour.queries.walk_graph import walk_graph

    report = build.report
    try:
        graph = walk_graph(navmesh)
    except TooLarge as reason:
        report.warn("EDIT_UNUSED", f"Which islands there are cannot be told, so none was left out: {reason}")
        return navmesh
    with build.progress.stage("links"):
        islands, dropped = island_ground(graph), dict[int, LeftOut]()
        for number, drop in enumerate(drops, 1):
            told = _applied(graph, islands, drop, _called(drop, number), navmesh.settings)
            if isinstance(told, BuildWarning):
                report.warnings.append(told)
            else:
                dropped.setdefault(*told)
        if not dropped:
            return navmesh
        stays = ~np.isin(islands.of_node, list(dropped))
        tiles = tiles_of_nodes(navmesh, graph, stays)
        report.left_out += sorted(dropped.values(), key=lambda row: (-row.square_metres, row.place))
        report.counts |= {
            **counts_of(tiles),
            "dropped_polygons": polygons_of(navmesh.tiles) - polygons_of(tiles),
        }
        left = replace(navmesh, tiles=tiles, stages={}, found_rows=None, known_ends=None, before_drops=navmesh)
        return with_attached_links(left, graph)


def _applied(
    graph: WalkGraph, islands: NumberedIslands, drop: Drop, name: str, settings: Settings
) -> BuildWarning | tuple[int, LeftOut]:
    """The island that a mark drops; or why it drops none."""
    from ..detour.queries.left_out import place_of_island
    from ..detour.queries.seeds import seed_reach
    from ..detour.queries.walk_graph import standing_on

    node = standing_on(graph, drop.at, *seed_reach(settings))
    if node < 0:
        text = f"{name} drops nothing: there is no navmesh at its place. Delete the mark, or move it onto an island."
        return BuildWarning("EDIT_UNUSED", text, drop.at, drop.name)
    island = int(islands.of_node[node])
    size = float(islands.square_metres[island])
    if size > _MOST_GROWN * drop.m2:
        text = (
            f"{name} is not applied: its island had {_metres(drop.m2)} when it was dropped and is part of one with "
            f"{_metres(size)} now. Delete the mark, or drop the island again."
        )
        return BuildWarning("EDIT_SHIFTED", text, drop.at, drop.name)
    if island == 0:
        text = (
            f"{name} is not applied: its island, {_metres(size)}, is the largest of the navmesh now. Delete the mark, "
            "or leave out what the island lies on."
        )
        return BuildWarning("EDIT_SHIFTED", text, drop.at, drop.name)
    return island, LeftOut("drop", round(size, 6), place_of_island(graph, islands, island), drop.name)


def _called(drop: Drop, number: int) -> str:
    return f"“{drop.name}”" if drop.name else f"Drop {number}"


def _metres(square: float) -> str:
    return f"{in_words(square, 1)} m²"
