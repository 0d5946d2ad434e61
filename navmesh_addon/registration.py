"""What is registered, in order. Unregistering is the exact reverse, and both may be called when only half was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

import bpy
from bpy.app.handlers import persistent
from bpy.props import PointerProperty

from .blender_types import not_none

# Property groups before those that contain them; panels in the order in which they are drawn; handlers last, when
# everything they touch is there.
MODULES = (
    "long_lived",
    "stored.object_properties", "stored.area_types", "stored.path_tests", "stored.setup_properties", "stored.setups",
    "stored.preferences",
    "objects.materials", "objects.face_colors", "interface.build_operators", "interface.setup_operators",
    "interface.area_operators",
    "interface.fix_operators", "builds.compile_after_install", "interface.manual_pages",
    "files.import_operator",
    "files.export_operator", "files.page_operators", "stored.agent_presets",
    "views.viewport_overlay", "interface.checks_before_build", "interface.refused_build",
    "ask.drawn_answer", "ask.drawn_reason", "ask.walking.current_walk", "ask.walking.drawn_walk",
    "ask.hiding.current_cover", "interface.questions.cover_operators",
    "interface.questions.walk_operators", "interface.questions.test_tool", "interface.questions.why_operator",
    "picking.drawn_picks", "interface.by_hand.pick_operators", "interface.by_hand.polygon_operators",
    "interface.by_hand.brush_operator", "interface.by_hand.edit_tool",
    "interface.island_operators", "interface.edit_operators", "interface.own_mesh_operators",
    "interface.links.link_operators", "interface.links.hand_made_links", "interface.links.move_link",
    "watch.out_of_date", "views.drawn_links", "views.drawn_marks",
    "interface.panels.tabs_panel", "interface.panels.notice",
    "interface.panels.build_panel", "interface.panels.settings_panels", "interface.panels.report_panel",
    "interface.area_icons", "interface.helpers.add_menu", "interface.helpers.pie_menu",
    "interface.helpers.box_handles", "interface.example_level.example_operator",
    "interface.panels.object_panel",
    "interface.panels.edits_panel", "interface.panels.links_panel", "interface.panels.islands_panel",
    "views.stage_view", "views.stage_text", "views.stage_scrubber", "interface.panels.ask_panel",
    "interface.path_test_operators", "interface.panels.tests_panel",
    "views.drawn_sections", "interface.section_operators", "interface.panels.world_panel",
    "views.drawn_comparison", "interface.questions.compare_operators", "interface.panels.compare_panel",
    "interface.panels.view_panel",
    "command.blender_command", "live.live_mode", "live.drawn_tiles",
    "live.with_obstacles",
    "watch.blender_handlers",
)  # fmt: skip
_KINDS = (
    bpy.types.Operator, bpy.types.Panel, bpy.types.Menu, bpy.types.UIList, bpy.types.Gizmo, bpy.types.GizmoGroup,
    bpy.types.PropertyGroup, bpy.types.AddonPreferences,
)  # fmt: skip
_undo: list[Callable[[], object]] = []  # what takes back each thing that was registered, in the order of registering


def register() -> None:
    """Called by Blender when the extension is enabled."""
    unregister()
    try:
        for name in MODULES:
            _register_module(import_module(f".{name}", __package__))
    except BaseException:
        unregister()  # nothing may stay behind of an extension that could not be enabled
        raise


def unregister() -> None:
    """Called by Blender when the extension is disabled."""
    while _undo:
        _undo.pop()()


def classes_of(module: ModuleType) -> Iterable[type]:
    """All of its own that Blender knows, as they stand there; those of `CLASSES` where panels have another order."""
    if hasattr(module, "CLASSES"):
        return tuple(module.CLASSES)
    own = [cls for cls in vars(module).values() if isinstance(cls, type) and cls.__module__ == module.__name__]
    return [cls for cls in own if issubclass(cls, _KINDS)]


def _register_module(module: ModuleType) -> None:
    """What a module has: its classes, then whatever calls its functions, and at last what it does by itself."""
    for cls in classes_of(module):
        bpy.utils.register_class(cls)
        _undo.append(partial(bpy.utils.unregister_class, cls))
    for name, cls in getattr(module, "POINTERS", {}).items():  # what Blender's own types have of ours
        getattr(bpy.types, name).navmesh = PointerProperty(type=cls, override={"LIBRARY_OVERRIDABLE"})
        _undo.append(partial(delattr, getattr(bpy.types, name), "navmesh"))
    for name, handler in getattr(module, "HANDLERS", ()):  # by the names of `bpy.app.handlers`
        handlers = getattr(bpy.app.handlers, name)
        handlers.append(persistent(handler))  # another file is loaded, and it stays
        _undo.append(partial(_remove, handlers, handler))
    for event, subscriber in getattr(module, "SUBSCRIBERS", ()):
        event.subscribe(subscriber)
        _undo.append(partial(event.unsubscribe, subscriber))
    for name, draw in getattr(module, "DRAWN_IN", {}).items():  # menus, headers and panels of Blender's
        place = getattr(bpy.types, name)
        place.append(draw)
        _undo.append(partial(place.remove, draw))
    _add_keys(getattr(module, "KEYS", ()))
    for tool, place in () if bpy.app.background else getattr(module, "TOOLS", ()):
        bpy.utils.register_tool(tool, **place)
        _undo.append(partial(bpy.utils.unregister_tool, tool))
    if (overlay := getattr(module, "OVERLAY", None)) is not None:
        overlay.register()
        _undo.append(overlay.unregister)
    getattr(module, "register", _nothing)()
    _undo.append(getattr(module, "unregister", _nothing))


def _nothing() -> None:
    """What a module does that only names things."""


def _add_keys(keys: Iterable[tuple[str, Any, Mapping[str, Any], tuple[str, str] | None]]) -> None:
    """Keys in the 3D view: operator, key, what is held with it, and a property with its value, if any."""
    configs = None if bpy.app.background else not_none(bpy.context.window_manager).keyconfigs
    if configs is None or configs.addon is None:
        return
    for operator, kind, held, given in keys:
        keymap = configs.addon.keymaps.new(name="3D View", space_type="VIEW_3D")
        item = keymap.keymap_items.new(operator, kind, "PRESS", **held)
        if given is not None:
            setattr(item.properties, *given)
        _undo.append(partial(keymap.keymap_items.remove, item))


def _remove(handlers: list[object], handler: object) -> None:
    """Somebody else may have emptied the list."""
    if handler in handlers:
        handlers.remove(handler)
