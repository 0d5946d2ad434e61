"""Setups stored on the scene: one per agent, each with its settings, its sources and how its navmesh is shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, PointerProperty, StringProperty

from ...navcore.errors import BadInput
from ...navcore.settings import Settings
from ..blender_types import RELATIVE_PATH, not_none
from .area_types import DEFAULT_ROWS, NavmeshAreaType
from .link_properties import LINK_PROPERTIES, another_setup
from .path_tests import TEST_PROPERTIES, NavmeshPathTest
from .preset_files import usual_agent
from .setting_properties import read_settings, read_values, write_values
from .setup_properties import COLLECTION, FIRST_NAME, LISTED, NavmeshSetup, Sources
from .view_properties import EDIT_PROPERTIES, VIEW_PROPERTIES, WALK_PROPERTIES

if TYPE_CHECKING:
    from ..blender_types import Rows
    from .setting_properties import SettingValue

# --- What a new setup is called, and its tint: the color by which its navmesh is told apart.

_NEXT_NAME = "Agent"  # of a setup that nobody named, where there is one already
Tint = tuple[float, float, float]
# Of setups beside the first, so that their navmeshes can be told apart. Where two lie over each other, both shine
# through: hence yellow first, which makes green with the blue of plain ground. (Orange would make gray.)
TINTS = ((0.9, 0.6, 0.0), (0.75, 0.03, 0.4), (0.15, 0.55, 0.04), (0.7, 0.04, 0.04), (0.35, 0.1, 0.8), (0.9, 0.25, 0.02))


def free_name(given: str, model: str, taken: Collection[str]) -> str:
    """What a new setup is called that was given a name, or is a copy of a model."""
    wanted = given or (_name_of_copy(model) if taken else model or FIRST_NAME)
    return next(n for n in (wanted, *(f"{wanted} {i}" for i in range(2, len(taken) + 3))) if n not in taken)


def _name_of_copy(name: str) -> str:
    """What to number: “Giant” for a copy of “Giant 2”; but of what nobody named, no copy is called Navmesh."""
    plain = re.sub(r" \d+$", "", name)
    return _NEXT_NAME if plain in ("", FIRST_NAME) else plain


def free_tint(setups: Iterable[NavmeshSetup]) -> Tint:
    """The first tint that none of these has; where all are taken, they begin again."""
    tints = [tint_of(setup) for setup in setups]
    taken = {tuple(round(part, 3) for part in tint) for tint in tints if tint}
    return next((tint for tint in TINTS if tint not in taken), TINTS[len(tints) % len(TINTS)])


def tint_of(setup: NavmeshSetup) -> Tint | None:
    """The setup's own color; None where its navmesh has the colors of the area types, as the first one's has."""
    return (setup.tint[0], setup.tint[1], setup.tint[2]) if setup.is_property_set("tint") else None


# --- Migrations: setups of older files are brought up to date, a version at a time.


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
        while setup.version < VERSION:
            MIGRATIONS[setup.version](setup)
            setup.version += 1


VERSION = 3  # of what is stored; a change that old files must follow gets a step in `MIGRATIONS`
OFF, MESHES, GODOT, HUBS = "OFF", "MESHES", "GODOT", "HUBS"
GLTF_WAYS = (
    (MESHES, "Polygons and Detail", "Both meshes, with settings and area types in their extras"),
    (GODOT, "For Godot", "The polygons under a name that ends in -navmesh: Godot makes a NavigationRegion3D of it"),
    (HUBS, "For Hubs", "The polygons as a nav-mesh component, not visible, without materials"),
    (OFF, "Leave Out", "The level's glTF holds no navmesh"),
)
_BESIDE_SETTINGS = (
    "scope", "collection", "listed", "skip_names", "only_names", "kinds", "scale", "prune", "keep_stages",
)  # fmt: skip


class NavmeshScene(bpy.types.PropertyGroup):
    """`Scene.navmesh`"""

    if TYPE_CHECKING:
        setups: Rows[NavmeshSetup]
        draft: NavmeshSetup
        active: int
        area_types: Rows[NavmeshAreaType]
        active_area_type: int
        collection: bpy.types.Collection | None
        gltf: str
        test_mode: str
        test_start: Sequence[float]
        test_end: Sequence[float]
        test_size: str
        tests: Rows[NavmeshPathTest]
        active_test: int
        must_reach: bpy.types.Collection | None
        path_answer: str
        why_answer: str
        walk_agents: int
        walk_speed: float
        walk_seconds: float
        walk_seed: int
        edit_brush: str
        edit_radius: float
        edit_area: int
        walk_heat: str
        tab: str
        view: str
        live: bool
        live_paused: bool
        show_navmesh: bool
        draw_hidden: bool
        draw_x_ray: bool
        draw_fade: float
        isolated_island: int
        hidden_for_island: str
        with_obstacles: bool
        hidden_for_obstacles: str
        compare_a: str
        compare_b: str
        compare_file_a: str
        compare_file_b: str
        compare_x_ray: bool
        compare_answer: str
        color_by: str
        view_level: float
        view_tile_only: bool
        view_cut_below: bool
        view_lowest: float
        view_cut_above: bool
        view_highest: float
        active_link: int
        move_links: bool
        draw_links: bool
        draw_rejected: bool
        link_sort: str
        link_kinds: set[str]
        link_states: set[str]
        world_file: str
        world_folder: str
        world_neighbors: bool
    __annotations__ = {
        "setups": CollectionProperty(type=NavmeshSetup),
        "draft": PointerProperty(type=NavmeshSetup),  # what the panel shows before the first setup is stored
        "active": IntProperty(name="Setup", min=0, update=another_setup),
        "area_types": CollectionProperty(type=NavmeshAreaType),
        "usual_area": EnumProperty(
            items=[(row.name.upper(), row.name, "", n) for n, row in enumerate(DEFAULT_ROWS)], options={"HIDDEN"}
        ),  # what the list of areas shows before the scene has one of its own
        "active_area_type": IntProperty(name="Area Type", min=0),
        "collection": PointerProperty(type=bpy.types.Collection),
        "gltf": EnumProperty(
            name="Navmesh",
            description="How the navmesh takes part in File > Export > glTF 2.0",
            items=GLTF_WAYS,
        ),
        **VIEW_PROPERTIES,
        **TEST_PROPERTIES,
        **WALK_PROPERTIES,
        **EDIT_PROPERTIES,
        **LINK_PROPERTIES,
        # the world in sections that a file belongs to
        "world_file": StringProperty(
            name="World",
            description="The WORLD.json of a world in sections, of which this file is one, or links some",
            subtype="FILE_PATH",
            options=RELATIVE_PATH,
        ),
        "world_folder": StringProperty(
            name="Folder",
            description="Where the navmeshes of its sections are. Empty: beside WORLD.json",
            subtype="DIR_PATH",
            options=RELATIVE_PATH,
        ),
        "world_neighbors": BoolProperty(
            name="Show Neighbors",
            description="Draw the outlines of what is built of this section and of those around it",
            default=True,
        ),
    }

    def active_setup(self) -> NavmeshSetup:
        """The setup chosen in the panel, made where there is none. For presets and scripts."""
        return active_setup(self.id_data) or add_setup(self.id_data)

    def apply(self, **values: SettingValue) -> None:
        """Set some settings of the active setup, in metres and degrees. For presets and scripts."""
        self.active_setup().set_metres(**values)


def scene_properties(scene: bpy.types.Scene) -> NavmeshScene:
    """What a scene stores: its property `navmesh`."""
    stored: NavmeshScene = scene.navmesh  # type: ignore[attr-defined] # the stubs know no properties of ours
    return stored


def is_shown_in(scene: bpy.types.Scene, collection: bpy.types.Collection) -> bool:
    """Whether a collection is one of a scene's, at any depth."""
    return collection in not_none(scene.collection).children_recursive


def home_of_navmeshes(scene: bpy.types.Scene) -> bpy.types.Collection | None:
    """The collection of a scene's navmeshes, also where it was unlinked; None before the first build. A scene that was
    made with the settings of another names that one's, and what is built in it must not take the place of what is
    there."""
    home = scene_properties(scene).collection
    if home is None or (not is_shown_in(scene, home) and any(is_shown_in(one, home) for one in bpy.data.scenes)):
        return None
    return home


def active_setup(scene: bpy.types.Scene) -> NavmeshSetup | None:
    """The setup chosen in the panel, None where the scene has none."""
    setups = scene_properties(scene).setups
    return setups[min(scene_properties(scene).active, len(setups) - 1)] if len(setups) else None


def shown_setup(scene: bpy.types.Scene) -> NavmeshSetup:
    """The setup chosen in the panel; in a new scene a draft, so that there is something to set at once."""
    return active_setup(scene) or scene_properties(scene).draft


def named_setup(scene: bpy.types.Scene, name: str) -> NavmeshSetup | None:
    """The setup that a script names, or a button by its identity; the active one for "", None where there is none of
    that name. Raises BadInput where several have it."""
    if not name:
        return active_setup(scene)
    found = [setup for setup in scene_properties(scene).setups if name in (setup.name, setup.uid)]
    if len(found) > 1:
        raise BadInput(f"{len(found)} setups are named “{name}”. Give each a name of its own.", "NO_SETUP")
    return found[0] if found else None


def check_setup(scene: bpy.types.Scene, name: str) -> None:
    """Refuse the name of a setup that is not there; "" for the active one is fine. Raises BadInput."""
    if name and named_setup(scene, name) is None:
        names = [setup.name for setup in scene_properties(scene).setups]
        there = f"There are: {', '.join(names)}." if names else f"The scene “{scene.name}” has none: give no name."
        raise BadInput(f"There is no setup named “{name}”. {there}", "NO_SETUP")


def find_setup(scene: bpy.types.Scene, uid: str) -> NavmeshSetup | None:
    """A setup by its identity, which renaming does not change."""
    return next((setup for setup in scene_properties(scene).setups if setup.uid == uid), None)


def add_setup(scene: bpy.types.Scene, name: str = "", uid: str = "") -> NavmeshSetup:
    """A new setup, made the active one: a copy of the one that was, and the first is what the draft was."""
    stored, metres = scene_properties(scene), scene.unit_settings.scale_length
    taken, tint = {setup.name for setup in stored.setups}, free_tint(stored.setups)
    model = shown_setup(scene)  # read before the list grows: that moves its rows
    values, beside = read_values(model, metres), {key: getattr(model, key) for key in _BESIDE_SETTINGS}
    name = free_name(name, model.name, taken)
    setup = stored.setups.add()
    setup.uid, setup.version, setup.name = uid or new_uid(), VERSION, name
    write_values(setup, values, metres)
    for key, value in beside.items():
        setattr(setup, key, value)
    if taken:
        setup.tint = tint
    stored.active = len(stored.setups) - 1
    return setup


def usual_values() -> dict[str, SettingValue]:
    """What a scene's settings are before anybody has set one, in metres."""
    return {**Settings().to_mapping(), **usual_agent()}


def fill_draft(scene: bpy.types.Scene) -> None:
    """Where the scene does not count metres, what the draft shows must be said in its units. Not while drawing."""
    draft, metres = scene_properties(scene).draft, scene.unit_settings.scale_length
    if metres != 1 and scene.library is None:
        values = read_values(draft, metres)
        write_values(draft, {n: v for n, v in values.items() if not draft.is_property_set(n)}, metres)


def new_uid() -> str:
    import uuid  # here, so that Blender's start does not wait for it

    return uuid.uuid4().hex


def setup_settings(setup: NavmeshSetup) -> Settings:
    """The settings of a setup. Raises BadSettings."""
    return read_settings(setup, setup.id_data.unit_settings.scale_length)


def setup_sizes(setup: NavmeshSetup) -> tuple[tuple[str, float, float], ...]:
    """Name, radius and height in metres of each setup whose agents the navmesh of this one is for; nothing where it is
    for its own alone. Raises BadSettings."""
    others = scene_properties(setup.id_data).setups
    if not setup.as_one or len(others) < 2:
        return ()
    rows = [(other.name, setup_settings(other)) for other in others]
    return tuple((name, settings.agent_radius, settings.agent_height) for name, settings in rows)


def _told_apart(collection: bpy.types.Collection, scene: bpy.types.Scene) -> str:
    """Its name; in full, with its file, where one of the scene that is not linked is called the same."""
    if collection.library is None:
        return collection.name
    there = not_none(scene.collection).children_recursive
    return collection.name_full if [one.name for one in there].count(collection.name) > 1 else collection.name


def setup_sources(setup: NavmeshSetup) -> Sources:
    """What a setup builds from."""
    names = tuple(setup.listed.split("\n")) if setup.scope == LISTED else ()
    collection = _told_apart(setup.collection, setup.id_data) if setup.scope == COLLECTION and setup.collection else ""
    kinds = tuple(sorted(setup.kinds))
    scale = float(f"{setup.scale:.6g}")  # Blender keeps 0.01 as the nearest of its numbers
    return Sources(setup.scope, collection, names, setup.skip_names, setup.only_names, kinds, scale)


POINTERS = {"Scene": NavmeshScene}
