"""Migrations: setups of older files are brought up to date, a version at a time."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from ...navcore.settings import Settings
from ..blender_types import not_none
from . import setups
from .setting_properties import write_values
from .setup_properties import NavmeshSetup
from .setups import active_setup, scene_properties


def _as_recast(setup: NavmeshSetup) -> None:
    """What a setup of the first version did not say was as Recast has it."""
    values = {n: v for n, v in Settings().to_mapping().items() if not setup.is_property_set(n)}
    write_values(setup, values, setup.id_data.unit_settings.scale_length)


def _color_by_of_active(setup: NavmeshSetup) -> None:
    """Colors are no longer those of a setup but of the scene: it has those of the setup that is chosen."""
    if setup.uid == not_none(active_setup(setup.id_data)).uid and setup.is_property_set("color_by"):
        scene_properties(setup.id_data).color_by = setup.color_by


MIGRATIONS: dict[int, Callable[[NavmeshSetup], None]] = {
    0: lambda _: None,
    1: _as_recast,
    2: _color_by_of_active,
}  # from this version to the next


def migrate(scene: bpy.types.Scene) -> None:
    """Bring setups of older files up to date."""
    for setup in scene_properties(scene).setups:
        while setup.version < setups.VERSION:
            MIGRATIONS[setup.version](setup)
            setup.version += 1
