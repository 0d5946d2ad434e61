"""Places with finer or coarser cells than the rest of their level: which there may be, and the settings that they get.

A tile keeps its size in metres, and all that is a length keeps its own. What is counted in cells is counted in the
cells of the tile. No Recast ancestor.
"""

from __future__ import annotations

import math
from dataclasses import replace

from .errors import BadSettings
from .settings import DETAIL_FROM, Settings, setting_info

RESOLUTIONS = (0.25, 0.5, 2.0)  # powers of two: sides of tiles are the same numbers in float32
_IN_CELLS = ("region_min_size", "region_merge_size", "edge_max_error", "detail_sample_distance")  # of the ground


def settings_at_resolution(settings: Settings, scale: float) -> Settings:
    """The settings of a build all of whose tiles have cells `scale` times as wide: a tile of this resolution is what it
    would be there, byte for byte.

    `cell_size` is multiplied; what is counted in cells on the ground is divided: `tile_size`, `region_min_size`,
    `region_merge_size`, `edge_max_error`, `detail_sample_distance`. Raises BadSettings that names what has no room.
    """
    if scale == 1:
        return settings
    changes = {name: getattr(settings, name) / scale for name in _IN_CELLS}
    if settings.detail_sample_distance < DETAIL_FROM:
        changes["detail_sample_distance"] = 0.0  # no samples are taken there either
    for name, value in {**changes, "tile_size": _tile_size(settings, scale)}.items():
        info = setting_info(name)
        if not info.low <= value <= info.high:
            raise BadSettings(
                f"Resolution {scale:g}: {name} would be {value:g} cells there (at most {info.high:g}). Lower {name}, "
                "or leave the resolution out.",
                "BAD_RESOLUTION",
            )
    try:
        finer = replace(
            settings, **changes, cell_size=settings.cell_size * scale, tile_size=_tile_size(settings, scale)
        )
        finer.in_voxels()
    except BadSettings as reason:
        raise BadSettings(f"Resolution {scale:g}: {reason}", "BAD_RESOLUTION") from None
    return finer


def _tile_size(settings: Settings, scale: float) -> int:
    """How many of its cells a tile is wide."""
    if settings.tile_size == 0:
        raise BadSettings(
            "Resolutions are those of tiles, and tile_size is 0. Set it, to 64 say, or leave them out.",
            "BAD_RESOLUTION",
        )
    size, least = settings.tile_size / scale, setting_info("tile_size").gap
    if size != int(size):
        raise BadSettings(
            f"Resolution {scale:g} needs a tile_size that can be halved, and it is {settings.tile_size}. Set it to "
            f"{settings.tile_size + 1}.",
            "BAD_RESOLUTION",
        )
    if least is not None and size < least[1]:
        raise BadSettings(
            f"Resolution {scale:g} needs a tile_size of at least {math.ceil(least[1] * scale)}, and it is "
            f"{settings.tile_size}: its tiles would be {size:g} cells wide (at least {least[1]:g}).",
            "BAD_RESOLUTION",
        )
    return int(size)


def in_level_cells(name: str | None, value: float, scale: float) -> float:
    """The level's value of a setting that is `value` in a tile of a resolution."""
    if name == "cell_size":
        return value / scale
    return value * scale if name in _IN_CELLS else value
