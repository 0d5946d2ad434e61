"""Setups stored on the scene: one per agent, each with its settings, its sources and how its navmesh is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, EnumProperty, IntProperty, PointerProperty, StringProperty

from ...navcore.settings import Settings
from .area_types import NavmeshAreaType
from .setting_properties import NAMES, read_settings, read_values, setting_properties, write_values
from .source_objects import COLLECTION, KINDS, LISTED, SKIP_NAMES, Sources

if TYPE_CHECKING:
    from ..blender_types import Rows
    from .setting_properties import SettingValue

VERSION = 1  # of what is stored; a change that old files must follow gets a step in MIGRATIONS
MIGRATIONS: dict[int, Callable[[NavmeshSetup], None]] = {0: lambda _: None}  # from this version to the next

SCOPES = (
    ("SELECTED", "Selected Objects", "Build from the selected objects"),
    ("COLLECTION", "Collection", "Build from what a collection and those in it show"),
    ("VISIBLE", "Everything Visible", "Build from all that the viewport shows"),
    ("LISTED", "Same as Last Time", "Build from the objects that the last build used"),
)
OFF, MESHES, GODOT, HUBS = "OFF", "MESHES", "GODOT", "HUBS"
GLTF_WAYS = (
    (MESHES, "Polygons and Detail", "Both meshes, with settings and area types in their extras"),
    (GODOT, "For Godot", "The polygons under a name that ends in -navmesh: Godot makes a NavigationRegion3D of it"),
    (HUBS, "For Hubs", "The polygons as a nav-mesh component, not visible, without materials"),
    (OFF, "Leave Out", "The level's glTF holds no navmesh"),
)
COLORS = (
    ("AREA", "Area", "Each area type in its color"),
    ("REGION", "Region", "Neighboring regions in different colors"),
    ("ISLAND", "Island", "Parts that no path joins in different colors"),
)


_BESIDE_SETTINGS = ("scope", "collection", "skip_names", "only_names", "kinds", "color_by", "prune", "keep_stages")


class NavmeshSetup(bpy.types.PropertyGroup):
    """One row of `Scene.navmesh.setups`"""

    if TYPE_CHECKING:  # beside all settings
        uid: str
        version: int
        scope: str
        collection: bpy.types.Collection | None
        listed: str
        skip_names: str
        only_names: str
        kinds: set[str]
        prune: bool
        color_by: str
        keep_stages: bool
    __annotations__ = {
        "name": StringProperty(name="Name", description="Name of the agent, and of its navmesh", default="Navmesh"),
        "uid": StringProperty(options={"HIDDEN"}),
        "version": IntProperty(options={"HIDDEN"}),
        "scope": EnumProperty(name="From", description="What the navmesh is built from", items=SCOPES),
        "collection": PointerProperty(name="Collection", type=bpy.types.Collection),
        "listed": StringProperty(options={"HIDDEN"}),  # names, one on a line
        "skip_names": StringProperty(
            name="Leave Out Names",
            description="Patterns separated by commas: such objects are not used",
            default=SKIP_NAMES,
        ),
        "only_names": StringProperty(
            name="Only Names", description="Patterns separated by commas: where given, only such objects are used"
        ),
        "kinds": EnumProperty(
            name="Types",
            description="Types of objects that are used",
            items=[(kind, "Text" if kind == "FONT" else kind.title(), "") for kind in KINDS],
            options={"ENUM_FLAG"},
            default=set(KINDS),
        ),
        "prune": BoolProperty(
            name="Only What Seeds Reach",
            description="Leave out ground that no seed can reach: roofs, the inside of closed props. "
            "Mark empties where agents set out as Seed",
        ),
        "color_by": EnumProperty(name="Color By", description="What the colors of the navmesh show", items=COLORS),
        "keep_stages": BoolProperty(
            name="Keep Stages",
            description="Keep what every stage made, to look at it in the viewport. Takes much memory",
        ),
        **setting_properties(),
    }

    def set_metres(self, **values: SettingValue) -> None:
        """Set some settings, in metres and degrees whatever the scene's unit scale is. For presets and scripts."""
        write_values(self, values, self.id_data.unit_settings.scale_length)


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
        overlay: str
    __annotations__ = {
        "setups": CollectionProperty(type=NavmeshSetup),
        "draft": PointerProperty(type=NavmeshSetup),  # what the panel shows before the first setup is stored
        "active": IntProperty(name="Setup", min=0),
        "area_types": CollectionProperty(type=NavmeshAreaType),
        "active_area_type": IntProperty(name="Area Type", min=0),
        "collection": PointerProperty(type=bpy.types.Collection),
        "gltf": EnumProperty(
            name="Navmesh",
            description="How the navmesh takes part in File > Export > glTF 2.0",
            items=GLTF_WAYS,
        ),
        "overlay": EnumProperty(
            name="Show",
            description="What is drawn over the viewport",
            items=(
                ("NONE", "Nothing", ""),
                ("OUTLINES", "Outlines", "Polygon edges of the finished navmesh, and its links"),
                ("LINKS", "Links", "Links of the finished navmesh; red where one is attached to nothing"),
                ("WALKABLE", "Walkable Cells", "Needs Keep Stages: where an agent's center can be"),
                ("REGIONS", "Regions", "Needs Keep Stages: the cells of every region"),
                ("CONTOURS", "Contours", "Needs Keep Stages: simplified outlines of regions"),
            ),
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


def active_setup(scene: bpy.types.Scene) -> NavmeshSetup | None:
    """The setup chosen in the panel, None where the scene has none."""
    setups = scene_properties(scene).setups
    return setups[min(scene_properties(scene).active, len(setups) - 1)] if len(setups) else None


def shown_setup(scene: bpy.types.Scene) -> NavmeshSetup:
    """The setup chosen in the panel; in a new scene a draft, so that there is something to set at once."""
    return active_setup(scene) or scene_properties(scene).draft


def find_setup(scene: bpy.types.Scene, uid: str) -> NavmeshSetup | None:
    """A setup by its identity, which renaming does not change."""
    return next((setup for setup in scene_properties(scene).setups if setup.uid == uid), None)


def add_setup(scene: bpy.types.Scene, name: str = "", uid: str = "") -> NavmeshSetup:
    """A new setup, made the active one: the first is what the draft was, others have the usual settings."""
    taken = {setup.name for setup in scene_properties(scene).setups}
    draft, metres = scene_properties(scene).draft, scene.unit_settings.scale_length
    wanted = name or ("Agent" if taken else draft.name or "Navmesh")
    setup = scene_properties(scene).setups.add()
    setup.uid, setup.version = uid or new_uid(), VERSION
    setup.name = next(n for n in (wanted, *(f"{wanted} {i}" for i in range(2, len(taken) + 3))) if n not in taken)
    write_values(setup, Settings().to_mapping() if taken else read_values(draft, metres), metres)
    for key in () if taken else _BESIDE_SETTINGS:
        setattr(setup, key, getattr(draft, key))
    scene_properties(scene).active = len(scene_properties(scene).setups) - 1
    return setup


def fill_draft(scene: bpy.types.Scene) -> None:
    """Where the scene does not count metres, what the draft shows must be said in its units. Not while drawing."""
    draft, metres = scene_properties(scene).draft, scene.unit_settings.scale_length
    if metres != 1 and scene.library is None:
        usual = Settings().to_mapping()
        write_values(draft, {name: usual[name] for name in NAMES if not draft.is_property_set(name)}, metres)


def new_uid() -> str:
    import uuid  # here, so that Blender's start does not wait for it

    return uuid.uuid4().hex


def setup_settings(setup: NavmeshSetup) -> Settings:
    """The settings of a setup. Raises BadSettings."""
    return read_settings(setup, setup.id_data.unit_settings.scale_length)


def setup_sources(setup: NavmeshSetup) -> Sources:
    """What a setup builds from."""
    names = tuple(setup.listed.split("\n")) if setup.scope == LISTED else ()
    collection = setup.collection.name if setup.scope == COLLECTION and setup.collection else ""
    return Sources(setup.scope, collection, names, setup.skip_names, setup.only_names, tuple(sorted(setup.kinds)))


def migrate(scene: bpy.types.Scene) -> None:
    """Bring setups of older files up to date."""
    for setup in scene_properties(scene).setups:
        while setup.version < VERSION:
            MIGRATIONS[setup.version](setup)
            setup.version += 1


CLASSES = (NavmeshSetup, NavmeshScene)


_types: Any = bpy.types  # the stubs know no properties of ours


def register() -> None:
    _types.Scene.navmesh = PointerProperty(type=NavmeshScene)


def unregister() -> None:
    del _types.Scene.navmesh
