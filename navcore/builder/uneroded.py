"""The ground of a level before it is eroded, as a navmesh: what clearances are measured on, given a level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy.typing as npt

from ..level_source import LevelSource, Links, Volumes
from ..result.navmesh import NavMesh
from ..settings import Settings
from .build_level import build_navmesh
from .checked_input import given_source
from .running_build import Watch


def uneroded(settings: Settings) -> Settings:
    """Settings for the same agent without its radius, whose outlines follow the cells of the field to the last one."""
    return replace(
        settings, agent_radius=0.0, edge_max_error=0.0, edge_max_length=0.0, region_min_size=0, region_merge_size=0,
        partition="monotone",
    )  # fmt: skip


def build_uneroded(
    vertices: npt.ArrayLike | LevelSource,
    triangles: npt.ArrayLike | None = None,
    settings: Settings | None = None,
    *,
    areas: npt.ArrayLike | None = None,
    volumes: Volumes = (),
    links: Links = (),
    bounds: Sequence[float] | None = None,
    threads: int | None = None,
    progress: Watch = None,
) -> NavMesh:
    """The ground of a level before erosion: ask a `NavQuery` of it how wide agents may be.

    Cells, the agent's height, climb and slope, and filters are those of `settings`; its radius is 0, and nothing is
    simplified or left out, so that walls are those of the field's own cells and distances to them are exact. What a
    volume marks as not walkable is a wall. The other parameters are those of `build_navmesh`.
    """
    source = given_source(vertices, triangles, areas=areas, volumes=volumes, links=links, bounds=bounds)
    return build_navmesh(source, settings=uneroded(settings or Settings()), threads=threads, progress=progress)
