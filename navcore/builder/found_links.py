"""The links of a finished navmesh: those that it was given, and those that are found on it where they are wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Cancelled, NavmeshError
from ..geometry.tile_key import TileKey
from ..level_source import NavmeshEdits
from ..result.navmesh import NavMesh, with_same_tiles
from ..wide_links import KINDS, LinkEdits
from .checked_input import NO_EDITS
from .level_spans import GeometryAround, SpansAround
from .running_build import RunningBuild

if TYPE_CHECKING:
    from ..detour.queries.landed_ends import LinkedGround
    from ..link_finder.find_links import FoundLinks
    from ..link_finder.links_of_sizes import LinksOfSizes
    from ..surroundings.solid_matter import Field

_NO_LINK_EDITS = LinkEdits()


class LinkSources(NamedTuple):
    """What links are found from, beside the navmesh itself."""

    geometry: GeometryAround  # where spans of a tile are unknown
    edits: NavmeshEdits = NO_EDITS
    touched: Iterable[TileKey] = ()  # tiles that were built since those were found that `NavMesh.found_rows` has
    is_edited_on: bool = False  # the same spans are wanted again


def with_links(navmesh: NavMesh, sources: LinkSources, build: RunningBuild) -> NavMesh:
    """The finished navmesh with the links that are found on it, its report told which ones are not attached.

    A link never fails a build: where none can be found, the report says why.
    """
    wanted = build.recipe.keeps_solid
    if not navmesh.links and not wanted:
        return navmesh
    # Here, so that only those with links wait for it.
    from ..detour.queries.checked_links import with_attached_links

    with build.progress.stage("links"):
        ground = None
        if wanted:
            navmesh, ground = _with_found(navmesh, sources, build)
        navmesh = with_attached_links(navmesh, ground=ground)
    if wanted:
        counts = Counter([wide.kind for wide in navmesh.wide_links])
        build.report.counts |= {f"links_{kind}": counts[kind] for kind in KINDS}
    return navmesh


def _with_found(
    navmesh: NavMesh, sources: LinkSources, build: RunningBuild
) -> tuple[NavMesh, LinkedGround | None]:  # fmt: skip
    """The navmesh with what was found, and the ground that was looked at."""
    edits = sources.edits.links or _NO_LINK_EDITS
    try:
        found = _found(navmesh, sources, edits, build)
    except Cancelled:
        raise
    except NavmeshError as reason:
        build.report.warn("LINKS_NOT_FOUND", f"No links were looked for: {reason}")
        return replace(navmesh, found_rows=None), None
    build.report.warnings += found.warnings
    build.solid = None
    wide_links = found.links
    points = chain.from_iterable([wide.points for wide in wide_links])
    rows = None if navmesh.tile_grid is None else found.rows
    kept = frozenset(wide.id for wide in edits.kept)
    links = (*navmesh.links, *points)
    changed = {"wide_links": wide_links, "links": links, "kept_links": kept, "found_rows": rows}
    return with_same_tiles(navmesh, **changed), found.ground


def _found(
    navmesh: NavMesh, sources: LinkSources, edits: LinkEdits, build: RunningBuild
) -> FoundLinks | LinksOfSizes:  # fmt: skip
    """Links for the agent, or for each size of agents on its own ground."""
    from ..link_finder.find_links import find_links
    from ..link_finder.found_rows import FoundRows

    before = navmesh.found_rows
    if not navmesh.sizes:
        field = _field(navmesh, sources, build)
        had = before if isinstance(before, FoundRows) else None
        return find_links(navmesh, field, edits, build.workers, had, sources.touched)
    from ..link_finder.links_of_sizes import RowsOfSizes, find_links_of_sizes

    known = before if isinstance(before, RowsOfSizes) else None
    return find_links_of_sizes(
        navmesh, lambda is_last: _field(navmesh, sources, build, not is_last), edits, build.workers, known,
        tuple(sources.touched),
    )  # fmt: skip


def _field(navmesh: NavMesh, sources: LinkSources, build: RunningBuild, is_asked_again: bool = False) -> Field:
    from ..surroundings.solid_matter import TileField, WholeField

    tile_grid, grid = navmesh.tile_grid, navmesh.tiles[0].polygon_mesh.grid
    if tile_grid is None:
        assert build.solid is not None, "a level in one piece was rasterized as one"
        return WholeField(build.solid, grid)
    assert build.spans is not None, "whoever wants links keeps spans"
    climb_vx, workers, stay = build.recipe.voxels.climb_vx, build.workers, sources.is_edited_on or is_asked_again
    return TileField(tile_grid, SpansAround(build.spans, tile_grid, climb_vx, sources.geometry, workers, stay), grid)
