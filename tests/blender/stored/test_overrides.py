"""Marks on what is linked from a library and overridden: a file keeps them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.blender.scenes import add_empty, add_plane, new_collection, save


def overridden(bpy: Any) -> dict[str, Any]:
    """The overrides by the name of what they are of."""
    return {one.override_library.reference.name: one for one in bpy.data.objects if one.override_library is not None}


def test_marks_on_overrides_are_kept_in_files(bpy: Any, tmp_path: Path) -> None:
    """They were taken, and gone when the file was opened again."""
    kit = new_collection(bpy, "Kit")
    floor, start, end = add_plane(bpy, "Floor"), add_empty(bpy, "Start"), add_empty(bpy, "End", (3, 0, 0))
    for one in (floor, start, end):
        bpy.context.scene.collection.objects.unlink(one)
        kit.objects.link(one)
    library = save(bpy, tmp_path / "library.blend")
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["Kit"]
    own = wanted.collections[0].override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    there = overridden(bpy)
    own.navmesh.area, there["Floor"].navmesh.area = 4, 2
    there["Start"].navmesh.use, there["Start"].navmesh.link_end = "LINK", there["End"]
    there["Start"].navmesh.link_flags = 16
    path = tmp_path / "level.blend"
    for _ in range(2):  # also what was opened, and saved as it was
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.wm.open_mainfile(filepath=str(path))
        there = overridden(bpy)
        start = there["Start"].navmesh
        assert there["Floor"].navmesh.area == 2 and there["Floor"].users_collection[0].navmesh.area == 4
        assert (start.use, start.link_end, start.link_flags) == ("LINK", there["End"], 16)
        assert there["End"].navmesh.use == "AUTO"
