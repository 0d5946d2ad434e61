"""Settings and marks that are accepted and hardly meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...build_warning import BuildWarning, in_words
from ...level_source import AreaTypes, nothing_passes
from ...scene import Link
from ...settings import Settings

_DEFAULTS = Settings()
_RADIANS = 1.6  # a right angle has 1.57 of them
_FEWEST_CELLS = 3  # Recast's own least height


def odd_settings(settings: Settings) -> Iterator[BuildWarning]:
    """What is odd about settings, whatever the level."""
    cell, tall = settings.cell_size, settings.cell_height
    climb, height = settings.agent_max_climb, settings.agent_height
    error, limit = settings.edge_max_error * cell, settings.agent_radius + cell
    if error > limit and settings.edge_max_error > _DEFAULTS.edge_max_error:
        yield BuildWarning(
            "EDGE_ERROR_TOO_LARGE",
            f"Edge Max Error {settings.edge_max_error:g} lets polygons reach {in_words(error)} m beyond walkable "
            f"ground, and the agent keeps only {in_words(settings.agent_radius)} m away from walls: they may lead "
            f"through walls. Lower Edge Max Error to {in_words(max(limit / cell, _DEFAULTS.edge_max_error), 1)} cells.",
        )  # fmt: skip
    if climb > height:
        yield BuildWarning(
            "CLIMB_ABOVE_HEIGHT",
            f"Max Climb {in_words(climb)} m is more than the agent's height of {in_words(height)} m: it steps up onto "
            f"ceilings. Lower Max Climb below {in_words(height)} m.",
        )
    voxels = settings.in_voxels()
    if climb > 0 and voxels.climb_vx == 0:
        yield BuildWarning(
            "CLIMB_BELOW_CELL",
            f"Max Climb {in_words(climb)} m is less than one cell of {in_words(tall)} m, so that no step at all is "
            f"climbed and slopes are cut. Lower Cell Height to {in_words(climb / 2)} m.",
        )
    if voxels.height_vx < _FEWEST_CELLS:
        yield BuildWarning(
            "HEIGHT_BELOW_CELLS",
            f"Agent Height {in_words(height)} m is {voxels.height_vx} {'cell' if voxels.height_vx == 1 else 'cells'} "
            f"of {in_words(tall)} m: whether there is room above a floor is known to a cell, and {_FEWEST_CELLS} are "
            f"the fewest that tell. Lower Cell Height to {in_words(height / _FEWEST_CELLS)} m, or raise Agent Height.",
        )  # fmt: skip
    if 0 < settings.agent_max_slope < _RADIANS:
        degrees = settings.agent_max_slope * 57.29577951308232
        yield BuildWarning(
            "SLOPE_IN_RADIANS",
            f"Max Slope is {settings.agent_max_slope:g}°, on which hardly anything is flat enough. Give degrees: "
            f"{in_words(degrees, 1)} if these were radians.",
        )


def without_flags(links: Sequence[Link], types: AreaTypes, settings: Settings) -> Iterator[BuildWarning]:
    """Links and areas with flags 0, and links that are to be found with them."""
    yield from nothing_passes(links, types)
    if settings.generate_links:
        found = {
            "jumps": settings.link_jump_distance and not settings.link_jump_flags,
            "drops": settings.link_drop_height and not settings.link_drop_flags,
            "climbs": settings.link_climb_height and not settings.link_climb_flags,
        }
        for kind_of_link in [name for name, wrong in found.items() if wrong]:
            yield BuildWarning(
                "NO_FLAGS",
                f"Flags of {kind_of_link} that are found are 0: filters look for flags, so that no agent takes them. "
                f"Set link_{kind_of_link[:-1]}_flags, to 8 for one.",
            )
