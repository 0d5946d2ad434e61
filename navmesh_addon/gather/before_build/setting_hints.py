"""What looks wrong about settings by themselves: what is refused, and sizes and steps that cells can't represent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ....navcore.errors import NavmeshError
from ....navcore.settings import Settings
from ...stored.setting_properties import SettingValue
from .hints_and_fixes import Hint, set_settings

_FINEST = 8  # cells in a climb: finer ones take long


def refused_settings(values: Mapping[str, SettingValue], error: NavmeshError) -> Hint:
    """Settings that nothing can be built with, and the fewest changes after which something can."""
    usual = Settings().to_mapping()
    refused = {name: usual[name] for name, value in values.items() if not _are_accepted({**usual, name: value})}
    both = {name: usual[name] for name in ("cell_size", "cell_height")}
    higher = {"cell_height": math.ceil(float(values["agent_height"]) / 255 * 1000) / 1000}
    for changes in (refused, {**refused, **higher}, {**refused, **both}, usual):
        if changes and _are_accepted({**values, **changes}):
            label = "Reset All Settings" if changes is usual else ""
            return Hint(error.code, str(error), "", (set_settings(changes, label),))
    raise AssertionError("the usual settings are refused") from error


def _are_accepted(values: Mapping[str, SettingValue]) -> bool:
    try:
        Settings.from_mapping(values).in_voxels()
    except NavmeshError:
        return False
    return True


def effective_sizes(settings: Settings) -> tuple[str, ...]:
    """What voxels make of the agent. Raises BadSettings."""
    vx = settings.in_voxels()
    rows = (
        ("Height", settings.agent_height, vx.height_vx, settings.cell_height),
        ("Radius", settings.agent_radius, vx.radius_vx, settings.cell_size),
        ("Climb", settings.agent_max_climb, vx.climb_vx, settings.cell_height),
    )
    return tuple(
        f"{name} {asked:g} m → {count * cell:.4g} m effective ({count} {'cell' if count == 1 else 'cells'})"
        for name, asked, count, cell in rows
    )


def setting_hints(settings: Settings) -> Iterator[Hint]:
    """Everything that looks wrong, whatever the level is."""
    steps = list(_steps_of_few_cells(settings))
    yield from _unrepresentable(settings, climbs=not steps)
    yield from steps


def _unrepresentable(settings: Settings, climbs: bool) -> Iterator[Hint]:
    """Sizes that voxels change by more than an eighth, a climb by a quarter: Recast's own 0.9 m become 0.8 m."""
    vx = settings.in_voxels()
    for name, asked, count, cell, finer, max_part in (
        ("Radius", settings.agent_radius, vx.radius_vx, "cell_size", "Cell Size", 0.125),
        ("Height", settings.agent_height, vx.height_vx, "cell_height", "Cell Height", 0.125),
        ("Climb", settings.agent_max_climb if climbs else 0.0, vx.climb_vx, "cell_height", "Cell Height", 0.25),
    ):
        size = float(getattr(settings, cell))
        if asked > 0 and abs(count * size - asked) > max_part * asked:
            # A climb is rounded down to cells, other sizes up: so must be what divides them.
            fitting = (rounded_down if name == "Climb" else rounded_up)(_fitting(asked, size))
            message = f"{name} {asked:g} m becomes {count * size:.4g} m. Lower {finer} to {fitting:g} m"
            yield Hint("UNREPRESENTABLE", message, "", (set_settings({cell: fitting}),))


def _fitting(asked: float, cell: float) -> float:
    """A smaller cell that divides a length."""
    return asked / math.ceil(asked / cell) if asked >= cell else asked


def _steps_of_few_cells(settings: Settings) -> Iterator[Hint]:
    """A climb of less than two cells: heights are rounded to cells, so a step of one may come out as none or as two.

    Exactly one cell is fine where the steepest slope rises by no more from cell to cell: Godot's own settings.
    """
    climb, cell, count = settings.agent_max_climb, settings.cell_height, settings.in_voxels().climb_vx
    if count >= 2:
        return
    rise = settings.cell_size * math.tan(math.radians(min(settings.agent_max_slope, 89.0)))
    if count == 1 and math.isclose(climb, cell, rel_tol=1e-4) and rise <= cell * 1.0001:
        return
    finer = _finer_cells(settings)
    if finer:
        way_out, changes = f"Lower Cell Height to {finer:g} m", {"cell_height": finer}
    else:
        higher = rounded_up(2 * cell)
        way_out, changes = f"Raise Max Climb to {higher:g} m", {"agent_max_climb": higher}
    cells = f"{climb / cell:.2g} cells" if count else "less than one cell"
    message = f"Max Climb {climb:g} m is {cells} of {cell:g} m: stairs and bumps may become walls. {way_out}"
    yield Hint("STEPS_OF_FEW_CELLS", message, "", (set_settings(changes),))


def _finer_cells(settings: Settings) -> float:
    """The largest cell height of which the climb has two or more, and that fits the agent's height; 0 for none."""
    usable = 0.0
    for count in range(2, _FINEST + 1) if settings.agent_max_climb > 0 else ():
        cell = rounded_down(settings.agent_max_climb / count)
        if not _are_accepted(changed := {**settings.to_mapping(), "cell_height": cell}):
            continue
        finer = Settings.from_mapping(changed)
        if finer.in_voxels().climb_vx < 2 or cell >= settings.cell_height:
            continue
        if not list(_unrepresentable(finer, climbs=True)):
            return cell
        usable = usable or cell
    return usable


def rounded_down(value: float) -> float:
    """To three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return float(f"{math.floor(value / unit + 1e-6) * unit:.3g}")


def rounded_up(value: float) -> float:
    """To three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return float(f"{math.ceil(value / unit - 1e-6) * unit:.3g}")
