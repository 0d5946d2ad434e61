"""What somebody changes by hand in the redo panel of a build, told apart from what a script gave and what a setup says.

Blender undoes the build and executes the operator again with all of its properties set, so that these tell nothing;
what they began with is kept in one more of them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, Protocol

import bpy

from ..blender_types import scene_of
from ..stored.setting_properties import NAMES, SettingValue, from_blender, write_values
from ..stored.setup_properties import COLLECTION
from ..stored.setups import find_setup

if TYPE_CHECKING:
    from ..builds.level_gathering import Plan
    from ..builds.request_and_result import Request

GivenValues = dict[str, SettingValue]
_SOURCES = ("scope", "collection")


class Build(Protocol):
    """The operator that builds, as far as it is looked at here."""

    begun: str

    @property
    def properties(self) -> bpy.types.OperatorProperties: ...


class Asked(NamedTuple):
    """What an operator is asked for instead of what the setup says."""

    given: GivenValues  # settings, prune, scope and collection: by a script or by hand
    by_hand: GivenValues  # those of them that were changed in the redo panel
    by_script: bool  # whether settings were given before that


def asked(operator: Build, metres_per_unit: float) -> Asked:
    """Read the operator's properties."""
    chosen = [name for name in (*NAMES, "prune") if operator.properties.is_property_set(name)]
    now = {name: from_blender(name, getattr(operator, name), metres_per_unit) for name in chosen if name in NAMES}
    now |= {name: getattr(operator, name) for name in (*chosen, *_SOURCES) if name not in NAMES}
    given, filled = json.loads(operator.begun) if operator.begun else (now, {})
    before = {**filled, **given}
    by_hand = {name: value for name, value in now.items() if name not in before or before[name] != value}
    asked_for = {name: value for name, value in now.items() if name in given or name in by_hand}
    return Asked(asked_for, by_hand, any(name in NAMES for name in given))


def begun(what: Asked, plans: list[Plan]) -> str:
    """What the redo panel begins with: what was given, and the values that are used besides, of one navmesh."""
    filled: GivenValues = {}
    if len(plans) == 1:
        used = {**plans[0].settings.to_mapping(), "prune": plans[0].prune}
        filled = {name: value for name, value in used.items() if name not in what.given}
    return json.dumps([what.given, filled])


def keep(context: bpy.types.Context, requests: list[Request], by_hand: GivenValues) -> None:
    """What was changed by hand is what the setups say from now on. Nothing where the build failed: call it after."""
    from ..gather.object_filter import chosen_collection  # here: Blender's start does not wait for NumPy

    scene = scene_of(context)
    settings = {name: value for name, value in by_hand.items() if name in NAMES}
    for setup in filter(None, (find_setup(scene, request.setup) for request in requests)):
        write_values(setup, settings, scene.unit_settings.scale_length)
        if "prune" in by_hand:
            setup.prune = bool(by_hand["prune"])
        if by_hand.get("scope", "SETUP") != "SETUP":
            setup.scope = str(by_hand["scope"])
        if setup.scope == COLLECTION and by_hand.get("collection"):
            setup.collection = chosen_collection(scene, str(by_hand["collection"]))
