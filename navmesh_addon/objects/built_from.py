"""What a navmesh's objects remember of the build that made them, and building it again from that."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import bpy

from ...navcore.errors import NavmeshError
from ...navcore.settings import Settings
from ..blender_types import has_property, mesh_of, scene_of
from ..builds import finished_navmeshes
from ..gather.scene_intent import wanted_of
from ..stored.area_types import area_table, runtime_area_types
from ..stored.links_mesh import decisions_of
from ..stored.object_properties import POLYGON_MESH, ROLE, names_in_lists
from ..stored.setting_properties import read_values
from ..stored.setup_properties import COLLECTION, LISTED, Sources
from ..stored.setups import find_setup, setup_settings, setup_sizes, setup_sources
from .hand_edits import remember_as_built
from .navmesh_objects import (
    AREA_TYPES,
    BUILD,
    BY_HAND,
    FILE,
    FINGERPRINT,
    INSTEAD_OF,
    METRES,
    PRUNED,
    REPORT,
    SCALE,
    SETTINGS,
    SETUP,
    SIZES,
    SOURCES,
    STAMP,
    build_of,
    navmesh_objects,
    navmesh_of,
    read_report,
)

Sizes: TypeAlias = tuple[tuple[str, float, float], ...]  # of agents: name, radius and height of each

if TYPE_CHECKING:
    from ..builds.level_gathering import Plan
    from ..builds.request_and_result import BuiltNavmesh, Request
    from ..gather.gathered_level import Gathered
    from ..stored.setting_properties import SettingValue
    from ..stored.setup_properties import NavmeshSetup


def remember(objects: Mapping[str, bpy.types.Object], built: BuiltNavmesh, build: str) -> None:
    """What the navmesh of these objects (by role) was built from, so that building it again is one click."""
    from .build_report import report_of

    request = built.request
    known_by_all: dict[str, object] = {
        SETUP: request.setup, BUILD: build, SETTINGS: json.dumps(request.settings.to_mapping()),
        PRUNED: request.prune, BY_HAND: request.by_hand, INSTEAD_OF: json.dumps(dict(request.instead_of)),
        SOURCES: json.dumps(request.gathered.sources._asdict()), REPORT: json.dumps(report_of(built)),
        AREA_TYPES: json.dumps(area_table(request.area_types)), FINGERPRINT: built.fingerprint,
        METRES: request.gathered.metres,
    }  # fmt: skip
    for role, object_ in objects.items():
        object_[ROLE] = role
        for name, value in known_by_all.items():
            object_[name] = value
        scale = request.gathered.sources.scale
        _remember_unusual(object_, SCALE, scale if scale != 1.0 else None)
        _remember_unusual(object_, SIZES, json.dumps(request.sizes) if request.sizes else None)
        mesh_of(object_)[STAMP] = build
        remember_as_built(object_)
    _whom[build] = request.gathered.listed


def _remember_unusual(object_: bpy.types.Object, name: str, value: object) -> None:
    """None: it is as usual, which is not said."""
    if value is not None:
        object_[name] = value
    elif has_property(object_, name):
        del object_[name]


def heights_of_sizes(object_: bpy.types.Object) -> list[tuple[str, float]]:
    """Name and height of each size of agents that a navmesh is for; nothing where it is for one."""
    return [(name, height) for name, _, height in _sizes_of(object_)]


def _sizes_of(object_: bpy.types.Object) -> Sizes:
    return tuple((name, radius, height) for name, radius, height in json.loads(str(object_.get(SIZES, "[]"))))


def are_sizes_of(object_: bpy.types.Object, sizes: Sizes) -> bool:
    """Whether a navmesh was built for these sizes of agents."""
    return str(object_.get(SIZES, "[]")) == json.dumps(sizes)


def remembered(object_: bpy.types.Object) -> tuple[Settings, Sources]:
    """Settings and sources that a navmesh's object was built from. Raises NavmeshError where they are damaged."""
    if has_property(object_, FILE):
        raise NavmeshError(
            f"“{object_.name}” was imported from {object_[FILE]}: it does not know the level that it was built from. "
            "Select the level and build.",
            "IMPORTED",
        )
    try:
        settings = json.loads(object_[SETTINGS])
        stored = json.loads(object_[SOURCES])
        sources = Sources.from_mapping(stored)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise NavmeshError(
            f"“{object_.name}” no longer knows what it was built from. Build it anew.", "FORGOTTEN"
        ) from None
    return Settings.from_mapping(settings), sources


# --- Objects are listed by name, and followed where they get other names.

_whom: dict[str, tuple[int, ...]] = {}  # the session_uids of whom a build's names mean


def sources_now(object_: bpy.types.Object) -> Sources:
    """The sources that a navmesh remembers, with what their objects are called by now. Raises NavmeshError where they
    are damaged."""
    sources, whom = remembered(object_)[1], _whom.get(build_of(object_), ())
    if sources.scope != LISTED or len(whom) != len(sources.names):
        return sources
    listed_as = names_in_lists()
    called = {one.session_uid: listed_as(one) for one in bpy.data.objects}
    return sources._replace(names=tuple(called.get(uid, n) for n, uid in zip(sources.names, whom, strict=True)))


def follow_names(scene: bpy.types.Scene, *_: object) -> None:
    """Navmeshes, and setups that are built of what was built before, list it by the names that it has by now."""
    for object_ in _built(scene):
        before, now = remembered(object_)[1], sources_now(object_)
        setup = find_setup(scene, str(object_[SETUP]))
        if setup is not None and setup.listed == "\n".join(before.names):
            setup.listed = "\n".join(now.names)
        if now != before:
            object_[SOURCES] = json.dumps(now._asdict())


def follow_all_names(*_: object) -> None:
    """Before a file is saved: the next session knows objects by name."""
    for scene in bpy.data.scenes:
        if scene.library is None:
            follow_names(scene)


def learn_names(*_: object) -> None:
    """After a file was loaded: whom the names in it mean."""
    names = {build_of(one): remembered(one)[1].names for scene in bpy.data.scenes for one in _built(scene)}
    if not any(names.values()):
        return
    listed_as = names_in_lists()
    named = {listed_as(one): one.session_uid for one in bpy.data.objects}
    _whom.update({build: tuple(named.get(name, 0) for name in listed) for build, listed in names.items()})


def forget_names(*_: object) -> None:
    """Another file is loaded, or the extension is disabled."""
    _whom.clear()


def _built(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    """The navmeshes of a scene that know what they were built from."""
    for (_, role), object_ in navmesh_objects(scene).items():
        if role == POLYGON_MESH:
            try:
                remembered(object_)
            except NavmeshError:  # it was imported, or is damaged
                continue
            yield object_


def instead_of(object_: bpy.types.Object) -> dict[str, SettingValue]:
    """What the setup said where a navmesh was built with something else that a script or a command gave."""
    try:
        return dict(json.loads(str(object_.get(INSTEAD_OF, "{}"))))
    except (TypeError, ValueError):
        return {}


def values_beside_setup(object_: bpy.types.Object, setup: NavmeshSetup) -> dict[str, SettingValue]:
    """What a navmesh was built with where its setup, now as then, says something else; prune among it. Raises
    NavmeshError where the navmesh's memory is damaged."""
    said = instead_of(object_)
    if not said:
        return {}
    values = {**remembered(object_)[0].to_mapping(), "prune": bool(object_.get(PRUNED, False))}
    now = {**read_values(setup, setup.id_data.unit_settings.scale_length), "prune": bool(setup.prune)}
    return {n: values[n] for n in said if n in values and now.get(n) == said[n] != values[n]}


def rebuilt_from(object_: bpy.types.Object, setup: NavmeshSetup) -> tuple[dict[str, SettingValue], Sources]:
    """What Rebuild takes: values that a script gave beside the setup, and the same objects by the setup's rules now.

    Raises NavmeshError where the navmesh's memory is damaged, or where it was imported.
    """
    rules, sources = setup_sources(setup), sources_now(object_)
    sources = sources._replace(
        skip_names=rules.skip_names, only_names=rules.only_names, kinds=rules.kinds, scale=rules.scale
    )
    return values_beside_setup(object_, setup), sources


def warnings_of(object_: bpy.types.Object) -> int:
    """How many the last build gave."""
    return len(read_report(object_).get("warnings", ()))


def built_from_what(object_: bpy.types.Object) -> str:
    """What a navmesh was built from, for people."""
    return _sources_in_words(str(object_.get(SOURCES, "")))


@lru_cache(maxsize=16)  # panels ask for it whenever they are drawn, and there may be thousands of names
def _sources_in_words(sources: str) -> str:
    try:
        stored = json.loads(sources)
        scope, collection, count = stored["scope"], stored["collection"], len(stored["names"])
    except (KeyError, TypeError, ValueError):
        return "objects that it has forgotten"
    if scope == LISTED:
        return f"{count:,} chosen object{'s' * (count != 1)}"
    return f"the collection “{collection}”" if scope == COLLECTION else "everything visible"


def plans_again(context: bpy.types.Context, name: str = "") -> list[Plan]:
    """The navmesh of a setup from the same objects, with what its setup says now. Raises NavmeshError."""
    object_ = navmesh_of(scene_of(context), name)
    setup = find_setup(scene_of(context), str(object_[SETUP]))
    if setup is None:  # it was removed, its navmesh stayed
        return [_plan(context, object_, remembered(object_)[0], sources_now(object_))]
    given, sources = rebuilt_from(object_, setup)
    said = {name: value for name, value in instead_of(object_).items() if name in given}
    prune, keep = bool(given.pop("prune", setup.prune)), bool(setup.keep_stages)
    settings = Settings.from_mapping({**setup_settings(setup).to_mapping(), **given})
    plan = _plan(context, object_, settings, sources, prune)
    metres = scene_of(context).unit_settings.scale_length * sources.scale
    wanted, sizes = wanted_of(context, scene_of(context), setup.uid, metres), setup_sizes(setup)

    def request(level: Gathered) -> Request:
        return plan.request(level)._replace(keep_stages=keep, instead_of=said, wanted=wanted, sizes=sizes)

    return [plan._replace(request=request)]


def _plan(
    context: bpy.types.Context,
    object_: bpy.types.Object,
    settings: Settings,
    sources: Sources,
    prune: bool | None = None,
) -> Plan:
    """Pruned as it is, unless somebody says otherwise, and for the sizes of agents that it is for."""
    from ...navcore.level_source import NavmeshEdits
    from ..builds.level_gathering import Plan
    from ..builds.request_and_result import Request

    as_it_is = bool(object_.get(PRUNED, False)) if prune is None else prune
    by_hand = prune is None and bool(object_.get(BY_HAND, False))
    uid, types = str(object_[SETUP]), runtime_area_types(scene_of(context))
    setup = find_setup(scene_of(context), uid)
    name, said = "Navmesh" if setup is None else setup.name, instead_of(object_)
    edits = NavmeshEdits(decisions_of(object_).edits()) if settings.generate_links else None

    def request(level: Gathered) -> Request:
        return Request(
            uid, name, settings, level, types, prune=as_it_is, by_hand=by_hand, instead_of=said, edits=edits,
            sizes=_sizes_of(object_),
        )  # fmt: skip

    return Plan(sources, settings, as_it_is, request, uid)


def finished_navmesh(context: bpy.types.Context, name: str = "", detour_data: bool = False) -> BuiltNavmesh:
    """The navmesh of a setup: from memory, else built again from what it remembers (for Detour files: within their
    limits). Raises NavmeshError."""
    object_ = navmesh_of(scene_of(context), name)
    built = finished_navmeshes.find(str(object_.get(BUILD, "")))
    if built is not None:
        return built
    from ..builds.run_builds import build_all  # here: Blender's start does not wait for it
    from ..builds.threads_and_kernel_folder import usual_means

    request = request_again(context, object_)._replace(detour_data=detour_data)
    built = build_all([request], usual_means())[0]
    if is_as_shown(object_, built):
        finished_navmeshes.recall(str(object_[BUILD]), built)
    return built


def is_as_shown(object_: bpy.types.Object, built: BuiltNavmesh) -> bool:
    """Whether what was built again is what its object shows: of the same level."""
    from ..gather.gathered_level import is_level_of

    known = object_.get(FINGERPRINT)
    return known in (None, built.fingerprint) or is_level_of(built.request.gathered, built.request.prune, known)


def request_again(context: bpy.types.Context, object_: bpy.types.Object) -> Request:
    """What builds a navmesh again as it is, of the level as it is now. Raises NavmeshError."""
    from ..builds.level_gathering import gather_at_once

    return gather_at_once(context, [_plan(context, object_, *remembered(object_))])[0]
