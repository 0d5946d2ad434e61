"""What a scene says its level is meant for: the list of path tests, and places that must be walkable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ..stored.intent_results import AskedPath, read_results
from ..stored.setups import find_setup, scene_properties
from .gathered_level import Wanted

if TYPE_CHECKING:
    from ...navcore.reasons.intent import Intent
    from ..stored.path_tests import NavmeshPathTest

Coordinates = tuple[float, float, float]


def in_metres(point: Sequence[float], metres: float) -> Coordinates:
    """A place of a scene in metres, y up: the same numbers whenever the same place is asked for."""
    x, y, z = (float(part) * metres for part in point)
    return x, z, 0.0 - y


def in_units(point: Sequence[float], metres: float) -> Coordinates:
    """And back."""
    x, y, z = (float(part) / metres for part in point)
    return x, 0.0 - z, y


def path_ends(start: Sequence[float], end: Sequence[float], metres: float) -> tuple[Coordinates, Coordinates]:
    """Both ends of a path of a scene in metres, y up; `metres` to a unit."""
    return in_metres(start, metres), in_metres(end, metres)


def question_of(test: NavmeshPathTest, metres: float) -> AskedPath:
    """What a test asks for, whatever it is called; `metres` to a unit of the navmesh that is asked."""
    doors = tuple((door.name, door.state.lower()) for door in test.doors)
    return AskedPath(path_ends(test.start, test.end, metres), doors, test.expect.lower())


def scene_intent(scene: bpy.types.Scene, metres: float) -> Intent:
    """The scene's paths, and where the objects of its collection of places stand; seeds are gathered with the level.
    `metres` to a unit."""
    from ...navcore.reasons.intent import Intent, MustReach, PathTest

    stored = scene_properties(scene)
    paths = tuple(
        PathTest(test.name, *path_ends(test.start, test.end, metres), doors=asked.doors, expect=asked.expect)
        for test in stored.tests
        for asked in [question_of(test, metres)]
    )
    places = ((place.name, place.matrix_world.to_translation()[:]) for place in places_of(scene))
    return Intent(paths, tuple(MustReach(name, in_metres(point, metres)) for name, point in places))


def places_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The objects of the scene's collection of places, but for those that are not in this scene."""
    home = scene_properties(scene).must_reach
    there = set() if home is None else set(scene.objects)  # once: asking each one for its scenes takes long
    return [] if home is None else [object_ for object_ in home.all_objects if object_ in there]


def wanted_of(context: bpy.types.Context, scene: bpy.types.Scene, setup: str, metres: float) -> Wanted:
    """What a build of a setup, by its identity, must have, where a unit is so many metres; and what of it the last one
    had."""
    if scene_properties(scene).must_reach is not None and context.view_layer is not None:
        context.view_layer.update()  # a script may have moved empties just now
    row = find_setup(scene, setup)
    passed = frozenset() if row is None else read_results(row.outcome).passed()
    return Wanted(scene_intent(scene, metres), passed)
