"""What is registered, in order. Unregistering is the exact reverse, and both may be called when only half was done."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import bpy

# Property groups before those that contain them; panels in the order in which they are drawn; handlers last, when
# everything they touch is there.
MODULES = (
    "stored.object_properties", "stored.area_types", "stored.path_tests", "stored.setups", "stored.preferences",
    "objects.materials", "objects.face_colors", "interface.build_operators", "interface.setup_operators",
    "interface.area_operators",
    "interface.fix_operators", "builds.compile_after_install", "interface.manual_pages",
    "files.import_operator",
    "files.export_operator", "stored.agent_presets",
    "views.viewport_overlay", "interface.checks_before_build", "interface.refused_build",
    "ask.drawn_answer", "ask.drawn_reason", "ask.walking.current_walk", "ask.walking.drawn_walk",
    "interface.questions.walk_operators", "interface.questions.test_tool", "interface.questions.why_operator",
    "interface.island_operators",
    "interface.links.link_operators", "interface.links.hand_made_links", "interface.links.move_link",
    "watch.out_of_date", "views.drawn_links", "interface.panels.build_panel",
    "interface.panels.settings_panels", "interface.panels.object_panel",
    "interface.panels.report_panel", "views.stage_view", "views.stage_text",
    "views.stage_scrubber", "interface.panels.view_panel", "interface.panels.ask_panel",
    "interface.path_test_operators", "interface.path_test_files",
    "interface.panels.tests_panel",
    "interface.panels.link_list", "interface.panels.links_panel", "interface.panels.islands_panel",
    "views.drawn_comparison", "interface.questions.compare_operators", "interface.panels.compare_panel",
    "command.blender_command", "live.live_mode", "live.drawn_tiles",
    "watch.blender_handlers",
)  # fmt: skip
_registered: list[type | ModuleType] = []  # classes and modules, in the order they were registered


def register() -> None:
    """Called by Blender when the extension is enabled."""
    unregister()
    try:
        for name in MODULES:
            module = import_module(f".{name}", __package__)
            for cls in getattr(module, "CLASSES", ()):
                bpy.utils.register_class(cls)
                _registered.append(cls)
            if hasattr(module, "register"):
                module.register()
                _registered.append(module)
    except BaseException:
        unregister()  # nothing may stay behind of an extension that could not be enabled
        raise


def unregister() -> None:
    """Called by Blender when the extension is disabled."""
    while _registered:
        last = _registered.pop()
        if isinstance(last, type):
            bpy.utils.unregister_class(last)
        else:
            last.unregister()
