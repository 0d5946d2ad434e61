"""Requests from setups, and from what an operator or a script asks for instead. Gathers the scene."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.settings import Settings
from ..blender_types import scene_of
from ..gather.scene_intent import wanted_of
from ..stored.area_types import runtime_area_types
from ..stored.links_mesh import stored_edits
from ..stored.setting_properties import SettingValue, read_values
from ..stored.setup_properties import SELECTED, VISIBLE, NavmeshSetup, Sources
from ..stored.setups import (
    check_setup,
    named_setup,
    new_uid,
    scene_properties,
    setup_sizes,
    setup_sources,
    shown_setup,
    usual_values,
)
from .level_gathering import Plan, gather_at_once
from .request_and_result import Request

if TYPE_CHECKING:
    from ..gather.gathered_level import Gathered


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
    return gather_at_once(context, make_plans(context, overrides))


def make_plans(context: bpy.types.Context, overrides: Overrides) -> list[Plan]:
    """What is to be built, and from what, before anything is gathered. Raises NavmeshError."""
    return [_plan(context, setup, overrides) for setup in _chosen_setups(scene_of(context), overrides)]


def without_selection(stored: Sources) -> Sources:
    """What happens to be selected in a file that no window shows is chance: all that is visible is meant."""
    return stored._replace(scope=VISIBLE) if stored.scope == SELECTED else stored


def _chosen_setups(scene: bpy.types.Scene, overrides: Overrides) -> list[NavmeshSetup]:
    setups = scene_properties(scene).setups
    check_setup(scene, overrides.setup)
    if overrides.all_setups and len(setups):
        return list(setups)
    return [named_setup(scene, overrides.setup) or shown_setup(scene)]


def _plan(context: bpy.types.Context, setup: NavmeshSetup, overrides: Overrides) -> Plan:
    said = _said(setup, overrides)
    settings = Settings.from_mapping({**said, **overrides.values})
    settings.in_voxels()  # what cannot be built with is said before gathering
    sources = overrides.sources(setup_sources(setup))
    # A draft has no identity yet: it becomes a setup when its navmesh is there.
    uid, name = (setup.uid, setup.name) if setup.uid else (new_uid(), setup.name or "Navmesh")
    types = runtime_area_types(scene_of(context))
    prune = bool(setup.prune) if overrides.prune is None else overrides.prune
    said["prune"] = bool(setup.prune)
    built = {**settings.to_mapping(), "prune": prune}
    # A draft becomes a setup that says what was built.
    instead_of = {n: v for n, v in said.items() if built[n] != v and n not in overrides.kept} if setup.uid else {}
    metres = scene_of(context).unit_settings.scale_length * sources.scale
    keep, wanted = bool(setup.keep_stages), wanted_of(context, scene_of(context), setup.uid, metres)
    from ...navcore.level_source import NavmeshEdits  # here: enabling does not wait for NumPy

    edits, sizes = (
        NavmeshEdits(stored_edits(scene_of(context), uid)) if settings.generate_links else None,
        setup_sizes(setup),
    )

    def request(level: Gathered) -> Request:
        return Request(
            uid, name, settings, level, types, keep, prune=prune, instead_of=instead_of, wanted=wanted,
            edits=edits, sizes=sizes,
        )  # fmt: skip

    return Plan(sources, settings, prune, request, uid)


def _said(setup: NavmeshSetup, overrides: Overrides) -> dict[str, SettingValue]:
    """What a setup says. Where nobody has set up the scene, a script that gives one setting gets navcore's own besides:
    so the operator's properties and navcore's command say, and what it made before there were humans it makes again."""
    said = read_values(setup, setup.id_data.unit_settings.scale_length)
    untouched = not setup.uid and said == usual_values()
    return Settings().to_mapping() if untouched and overrides.by_script else said
