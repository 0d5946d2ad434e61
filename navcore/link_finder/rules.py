"""What an agent can do, as plain numbers that kernels take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning, in_words
from ..geometry.tile_grid import TileGrid
from ..settings import Settings

DROP, JUMP, CLIMB = 0, 1, 2  # in kernels; their places in KINDS
_LEDGE_CELLS = 3  # beyond the agent's radius, in which the floor must end
_LEVEL_CELLS = 2  # past the wall, in which an agent goes level and then straight down
_STEPS_PER_CELL = 2


class LinkRules(NamedTuple):
    """Metres, but for `detour` (times the link's length)."""

    cell: float
    voxel: float
    radius: float
    height: float
    climb: float
    jump_distance: float  # 0: no jumps
    jump_height: float
    drop_height: float  # 0: no drops
    climb_height: float  # 0: no climbs
    detour: float
    step: float  # along arcs, and between the places of a wide link that are looked at
    spacing: float  # between samples of wall edges
    ledge_reach: float  # in which the floor must end
    level_reach: float  # past the wall: nearer than this, what lies below is dropped to straight down
    landing_reach: float  # past the wall: landings lie no farther

    @property
    def reach_cells(self) -> int:
        """How far from a wall edge anything is looked at."""
        reach = self.ledge_reach + self.landing_reach + 2 * self.radius + self.spacing
        return int(np.ceil(reach / self.cell)) + 3


def rules_of(settings: Settings, tile_grid: TileGrid | None) -> tuple[LinkRules, list[BuildWarning]]:
    """The rules of a build, and what had to be made smaller for them."""
    voxels = settings.in_voxels()
    cell, voxel = float(voxels.cell_size), float(voxels.cell_height)
    radius, warnings = settings.agent_radius, []
    widest = cell * max([1.0, *(some.scale for some in tile_grid.scaled)]) if tile_grid is not None else cell
    ledge = radius + _LEDGE_CELLS * widest  # ground ends a cell of its own tile before the ledge
    jump = settings.link_jump_distance
    if tile_grid is not None:
        side = tile_grid.size * cell
        longest = max(side - ledge - radius - (_LEVEL_CELLS + 1) * widest, 0.0)
        if jump > longest:
            text = (
                f"A link_jump_distance of {in_words(jump)} m is more than Detour joins between tiles of "
                f"{in_words(side)} m: links were found across {in_words(longest)} m at most. "
                "Raise tile_size to find longer ones."
            )
            warnings.append(BuildWarning("LINK_DISTANCE_SHORTENED", text))
            jump = longest
    level = radius + _LEVEL_CELLS * widest
    rules = LinkRules(
        cell, voxel, radius, settings.agent_height, settings.agent_max_climb, jump,
        settings.link_jump_height if jump > 0 else 0.0, settings.link_drop_height, settings.link_climb_height,
        settings.link_detour, cell / _STEPS_PER_CELL, max(cell, radius / 2), ledge, level,
        max(radius + jump + cell, level),
    )  # fmt: skip
    return rules, warnings
