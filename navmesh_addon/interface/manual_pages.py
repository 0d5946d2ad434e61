"""F1 on a button or a field of ours opens its part of the manual."""

from __future__ import annotations

import bpy

# What Blender calls the thing, in small letters and with * and ?, and its page. The first that fits counts.
PAGES = (
    ("bpy.ops.navmesh.setup_*", "docs/guide/blender.html#setups"),
    ("bpy.ops.navmesh.preset_*", "docs/guide/blender.html#setups"),
    ("bpy.ops.navmesh.area_type*", "docs/guide/blender.html#areas"),
    ("bpy.ops.navmesh.set_area*", "docs/guide/blender.html#areas"),
    ("bpy.ops.navmesh.assign_area*", "docs/guide/blender.html#areas"),
    ("bpy.ops.navmesh.check_tests*", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.ops.navmesh.check*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.select_object*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.set_settings*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.leave_out*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.show_object*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.apply_scale*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.flip_normals*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.convert_area_attribute*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.add_ground*", "docs/guide/blender.html#before-the-build"),
    ("bpy.ops.navmesh.pick_*", "docs/guide/by-hand.html#the-tool-navmesh-edit"),
    ("bpy.ops.navmesh.edit_polygons*", "docs/guide/by-hand.html#the-tool-navmesh-edit"),
    ("bpy.ops.navmesh.paint*", "docs/guide/by-hand.html#the-tool-navmesh-edit"),
    ("bpy.types.navmeshscene.edit_*", "docs/guide/by-hand.html#the-tool-navmesh-edit"),
    ("bpy.ops.navmesh.*island*", "docs/guide/islands.html#the-list"),
    ("bpy.ops.navmesh.*link_end*", "docs/guide/links_in_blender.html#move"),
    ("bpy.ops.navmesh.move_link*", "docs/guide/links_in_blender.html#move"),
    ("bpy.ops.navmesh.add_link*", "docs/guide/islands.html#what-is-missing"),
    ("bpy.ops.navmesh.*link*", "docs/guide/links_in_blender.html#the-list"),
    ("bpy.ops.navmesh.prune*", "docs/guide/blender.html#leave-out-what-nobody-reaches"),
    ("bpy.ops.navmesh.with_obstacles*", "docs/guide/obstacles.html#in-blender"),
    ("bpy.ops.navmesh.test_door*", "docs/guide/doors.html#in-blender"),
    ("bpy.ops.navmesh.build_section*", "docs/guide/worlds.html#sections-in-blender"),
    ("bpy.ops.navmesh.*cover*", "docs/guide/cover.html#in-blender"),
    ("bpy.ops.navmesh.*page*", "docs/guide/page.html#in-blender"),
    ("bpy.ops.navmesh.export*", "docs/guide/blender.html#export"),
    ("bpy.ops.navmesh.import*", "docs/guide/blender.html#import"),
    ("bpy.ops.navmesh.test*", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.ops.navmesh.place*", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.ops.navmesh.look_at*", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.ops.navmesh.compare*", "docs/guide/blender.html#compare"),
    ("bpy.ops.navmesh.forget_kernels*", "docs/guide/blender.html#compiled-kernels"),
    ("bpy.ops.navmesh.walk*", "docs/guide/blender.html#walk-the-way"),
    ("bpy.ops.navmesh.bake_walk*", "docs/guide/blender.html#walk-the-way"),
    ("bpy.ops.navmesh.live*", "docs/guide/live.html#live-the-navmesh-follows-the-level"),
    ("bpy.ops.navmesh.*", "docs/guide/blender.html#build"),
    ("bpy.types.navmeshsetup.scope", "docs/guide/blender.html#what-to-build-from"),
    ("bpy.types.navmeshsetup.collection", "docs/guide/blender.html#what-to-build-from"),
    ("bpy.types.navmeshsetup.*_names", "docs/guide/blender.html#what-to-build-from"),
    ("bpy.types.navmeshsetup.kinds", "docs/guide/blender.html#what-to-build-from"),
    ("bpy.types.navmeshsetup.prune", "docs/guide/blender.html#leave-out-what-nobody-reaches"),
    ("bpy.types.navmeshscene.color_by", "docs/guide/islands.html#color-by"),
    ("bpy.types.navmeshsetup.keep_stages", "docs/guide/blender.html#views"),
    ("bpy.types.navmeshsetup.name", "docs/guide/blender.html#setups"),
    ("bpy.types.navmeshsetup.*link*", "docs/guide/links_in_blender.html"),
    ("bpy.types.navmeshsetup.*", "docs/guide/which-setting-when.html"),
    ("bpy.types.navmeshscene.draw_links", "docs/guide/blender.html#views"),
    ("bpy.types.navmeshscene.draw_rejected", "docs/guide/links_in_blender.html#the-list"),
    ("bpy.types.navmeshscene.*link*", "docs/guide/links_in_blender.html#the-list"),
    ("bpy.types.navmeshscene.*draw*", "docs/guide/blender.html#views"),
    ("bpy.types.navmeshscene.show_navmesh", "docs/guide/blender.html#views"),
    ("bpy.types.navmeshscene.must_reach", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.types.navmeshscene.tests", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.types.navmeshscene.active_test", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.types.navmeshpathtest.*", "docs/guide/blender.html#what-must-be-there"),
    ("bpy.types.navmeshscene.*test*", "docs/guide/blender.html#ask-the-navmesh"),
    ("bpy.types.navmeshscene.walk_*", "docs/guide/blender.html#walk-the-way"),
    ("bpy.types.navmeshscene.*answer", "docs/guide/blender.html#ask-the-navmesh"),
    ("bpy.types.navmeshscene.compare*", "docs/guide/blender.html#compare"),
    ("bpy.types.navmeshscene.live*", "docs/guide/live.html#live-the-navmesh-follows-the-level"),
    ("bpy.types.navmeshscene.gltf", "docs/guide/blender.html#export"),
    ("bpy.types.navmeshscene.*", "docs/guide/blender.html#setups"),
    ("bpy.types.navmeshareatype.*", "docs/guide/blender.html#areas"),
    ("bpy.types.navmeshmaterial.*", "docs/guide/blender.html#areas"),
    ("bpy.types.navmeshcollection.*", "docs/guide/blender.html#objects"),
    ("bpy.types.navmeshtestdoor.*", "docs/guide/doors.html#in-blender"),
    ("bpy.types.navmeshobject.door_*", "docs/guide/doors.html#in-blender"),
    ("bpy.types.navmeshobject.obstacle_*", "docs/guide/obstacles.html#in-blender"),
    ("bpy.types.navmeshobject.resolution", "docs/guide/resolution.html#in-blender"),
    ("bpy.types.navmeshobject.*area*", "docs/guide/blender.html#areas"),
    ("bpy.types.navmeshobject.*", "docs/guide/blender.html#objects"),
)


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """As Blender asks for it: where the manual is, and what is where in it."""
    from ...navcore.help_pages import has_help, help_address  # here: Blender's start does not wait for it

    return help_address(), PAGES if has_help() else ()


def register() -> None:
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    bpy.utils.unregister_manual_map(manual_map)
