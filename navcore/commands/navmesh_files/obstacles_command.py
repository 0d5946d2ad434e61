"""`navcore obstacles`: a tile cache and obstacles in, the navmesh without what they cover out."""

from __future__ import annotations

import argparse
import time

from ...build_warning import counted
from ...errors import NothingWalkable
from ...files.atomic_write import check_apart
from ...files.strict_json import load_json
from ...formats import check_output, files_of, write_navmesh
from ...tile_cache.obstacle_files import as_obstacles
from ...tile_cache.obstacle_queue import ObstacleRefused
from ...tile_cache.obstacles import Obstacle
from ...tile_cache.tile_cache import TileCache
from ..console import write_error, write_out
from ..exit_status import DONE
from ..one_build import Said, warning_lines


def run(arguments: argparse.Namespace) -> int:
    """Add them one after the other, each updated to its end; write the navmesh. Raises NavmeshError."""
    check_output(arguments.output)
    check_apart([arguments.output], [*files_of(arguments.file), arguments.obstacle_file])
    obstacles = _obstacles(arguments)
    cache = TileCache.read(arguments.file, exact=arguments.exact)
    began = time.perf_counter()
    for number, obstacle in enumerate(obstacles, 1):
        try:
            cache.add(obstacle.to_mapping())
        except ObstacleRefused as refused:
            raise ObstacleRefused(f"Obstacle {number}: {refused}", refused.status) from None
        cache.update()
    seconds = time.perf_counter() - began
    navmesh = cache.navmesh
    if not navmesh.tiles:
        raise NothingWalkable("Nothing of the navmesh is left: the obstacles cover all of it. Leave some of them out.")
    warnings = [*cache.warnings, *write_navmesh(navmesh, arguments.output)]
    for line in warning_lines(Said(warning.code, warning.sentence) for warning in warnings):
        write_error(f"navcore: {line}")
    if not arguments.quiet:
        polygons = navmesh.report.counts["polygons"]
        what = f"{counted(len(obstacles), 'obstacle')} in {seconds * 1000:,.1f} ms"
        left = f"{counted(polygons, 'polygon')} {'is' if polygons == 1 else 'are'} left"
        write_out(f"{arguments.file.name}: {what}; {left}\n")
    return DONE


def _obstacles(arguments: argparse.Namespace) -> list[Obstacle]:
    """Those of the file first, then those of the flags in the order given."""
    listed = [] if arguments.obstacle_file is None else load_json(arguments.obstacle_file, "obstacles")
    return [*as_obstacles(listed), *as_obstacles(arguments.obstacles)]
