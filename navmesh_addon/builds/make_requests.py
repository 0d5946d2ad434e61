"""Requests from setups, and from what an operator or a script asks for instead. Gathers the scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import bpy

from ...navcore.errors import BadInput
from ...navcore.settings import Settings
from ..blender_types import scene_of
from ..stored.area_types import runtime_area_types
from ..stored.setting_properties import SettingValue, read_values
from ..stored.setups import NavmeshSetup, new_uid, scene_properties, setup_sources, shown_setup, usual_values
from ..stored.source_objects import Sources
from .request_and_result import Request


class Overrides(NamedTuple):
    """What an operator or a script asks for instead of what the setup stores."""

    setup: str = ""  # a setup's name; "" for the active one
    all_setups: bool = False
    sources: Callable[[Sources], Sources] = lambda stored: stored
    values: Mapping[str, SettingValue] = {}
    prune: bool | None = None  # None: as the setup says
    kept: frozenset[str] = frozenset()  # what of this the setup is going to say
    by_script: bool = False  # whether a script or a command gives settings


def make_requests(context: bpy.types.Context, overrides: Overrides) -> list[Request]:
    """Gather for one setup, or for all. Raises NavmeshError; changes nothing."""
    return [_request(context, setup, overrides) for setup in _chosen_setups(scene_of(context), overrides)]


def _chosen_setups(scene: bpy.types.Scene, overrides: Overrides) -> list[NavmeshSetup]:
    if overrides.all_setups and len(scene_properties(scene).setups):
        return list(scene_properties(scene).setups)
    if not overrides.setup or not len(scene_properties(scene).setups):
        return [shown_setup(scene)]
    named = [setup for setup in scene_properties(scene).setups if setup.name == overrides.setup]
    if not named:
        known = ", ".join(setup.name for setup in scene_properties(scene).setups)
        raise BadInput(f"There is no setup named “{overrides.setup}”. There are: {known}.", "NO_SETUP")
    return named[:1]


def _request(context: bpy.types.Context, setup: NavmeshSetup, overrides: Overrides) -> Request:
    from ..gather.gather_scene import gather

    said = _said(setup, overrides)
    settings = Settings.from_mapping({**said, **overrides.values})
    settings.in_voxels()  # what cannot be built with is said before gathering
    sources = overrides.sources(setup_sources(setup))
    # A draft has no identity yet: it becomes a setup when its navmesh is there.
    uid, name = (setup.uid, setup.name) if setup.uid else (new_uid(), overrides.setup or setup.name or "Navmesh")
    types = runtime_area_types(scene_of(context))
    prune = bool(setup.prune) if overrides.prune is None else overrides.prune
    gathered = gather(context, sources, prune=prune)
    said["prune"] = bool(setup.prune)
    built = {**settings.to_mapping(), "prune": prune}
    # A draft becomes a setup that says what was built.
    instead_of = {n: v for n, v in said.items() if built[n] != v and n not in overrides.kept} if setup.uid else {}
    return Request(uid, name, settings, gathered, types, bool(setup.keep_stages), prune=prune, instead_of=instead_of)


def _said(setup: NavmeshSetup, overrides: Overrides) -> dict[str, SettingValue]:
    """What a setup says. Where nobody has set up the scene, a script that gives one setting gets navcore's own besides:
    so the operator's properties and navcore's command say, and what it made before there were humans it makes again."""
    said = read_values(setup, setup.id_data.unit_settings.scale_length)
    untouched = not setup.uid and said == usual_values()
    return Settings().to_mapping() if untouched and overrides.by_script else said
