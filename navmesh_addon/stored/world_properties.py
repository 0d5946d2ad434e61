"""The world in sections that a file belongs to: properties of `Scene.navmesh`, stored with the scene."""

from __future__ import annotations

from typing import Any

from bpy.props import BoolProperty, StringProperty

from ..blender_types import RELATIVE_PATH

WORLD_PROPERTIES: dict[str, Any] = {
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
