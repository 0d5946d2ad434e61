"""The panel of found links: what it lists, and what it says of each."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tests.blender.drawn_panels import Drawn, Layout
from tests.blender.found_links import Finder
from tests.blender.scenes import add_cube, add_empty, add_plane


@pytest.fixture
def listed(bpy: Any, addon: Any) -> Any:
    """listed(): the ids of the links that the list shows, line by line."""
    lists, mesh = addon("interface.panels.links_panel"), addon("stored.links_mesh")

    def read() -> list[int]:
        object_ = bpy.data.objects["Navmesh Links"]
        flags, order = lists.NAVMESH_UL_links.filter_items(None, bpy.context, object_.data, "polygons")
        ids = mesh.read_links(object_).shown.ids.tolist()
        lines = order or list(range(len(ids)))
        return [number for line, number, flag in sorted(zip(lines, ids, flags, strict=True)) if flag]

    return read


def test_sorted_and_filtered(bpy: Any, finder: Finder, listed: Any) -> None:  # noqa: ARG001
    stored = bpy.context.scene.navmesh
    assert listed() == [7, 8, 9, 10]
    stored.link_sort = "LENGTH"
    assert listed()[0] == 9
    stored.link_sort = "WIDTH"
    assert listed() == [8, 7, 9, 10]
    stored.link_sort = "KIND"
    assert listed() == [10, 7, 8, 9]
    bpy.ops.navmesh.pin_link(link=2)
    stored.link_sort = "STATE"
    assert listed()[0] == 9
    stored.link_states = {"PINNED"}
    assert listed() == [9]
    stored.link_states, stored.link_kinds = {"FOUND", "PINNED"}, {"DROP"}
    assert listed() == [10]


def test_a_line(bpy: Any, addon: Any, finder: Finder, listed: Any) -> None:  # noqa: ARG001
    listed()
    drawn, lists = Drawn(), addon("interface.panels.links_panel")
    layout = Layout(drawn.texts, drawn.operators)
    polygons = bpy.data.objects["Navmesh Links"].data.polygons
    for face in polygons:
        lists.NAVMESH_UL_links.draw_item(None, bpy.context, layout, None, face, 0, None, "")
    assert (
        "Jump 2.0 m" in drawn.texts
        and "4.0 m wide" in drawn.texts
        and any("Drop: falls" in text for text in drawn.texts)
    )
    assert drawn.operator_names() == ["navmesh.pin_link", "navmesh.reject_link"] * 4
    assert [properties.link for _, properties in drawn.operators] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_the_panel(bpy: Any, finder: Finder, draw: Any) -> None:  # noqa: ARG001
    text = draw().text
    assert "1 drop\n3 jumps\n0 climbs" in text and "rejected" not in text
    assert "No other way: 2.0 m by the link" in text.replace("\n", " ")
    for _ in range(2):
        bpy.ops.navmesh.reject_link(link=0)
    drawn = draw()
    assert "2 rejected" in drawn.text and "navmesh.restore_links" in drawn.operator_names()
    assert "Put Link Back" not in drawn.text
    bpy.ops.navmesh.set_link_end(link=0, which="END", place=(12, -5, 0))
    assert "navmesh.put_link_back" not in draw().operator_names(), "the one that was chosen is rejected"
    bpy.context.scene.navmesh.active_link = 0
    assert "navmesh.put_link_back" in draw().operator_names()


def test_what_the_panel_says_where_there_are_none(bpy: Any, finder: Finder, draw: Any) -> None:
    finder.links.clear()
    bpy.data.objects.remove(bpy.data.objects["Navmesh Links"])
    bpy.ops.navmesh.build()
    assert "None yet: build with Find Links" in draw().text.replace("\n", " ")
    bpy.context.scene.navmesh.setups[0].generate_links = False
    assert "None yet" not in draw().text


def test_links_of_a_build_before(bpy: Any, finder: Finder, draw: Any) -> None:  # noqa: ARG001
    bpy.context.scene.navmesh.setups[0].generate_links = False
    bpy.ops.navmesh.build()
    assert "Of a build before: the last one found no links" in draw().text.replace("\n", " ")


def test_what_a_link_saves(bpy: Any, addon: Any, finder: Finder) -> None:  # noqa: ARG001
    saved, scene = addon("ask.link_saving").saved_by_link, bpy.context.scene
    assert saved(scene, (8, 0, 0), (14, 0, 0)).startswith("No other way: 6.0 m by the link")
    assert saved(scene, (0, 0, 0), (8, 0, 0)) == "It saves nothing: walking there is 8.0 m"
    assert saved(scene, (0, 0, 0), (500, 0, 0)).startswith("It ends where there is no navmesh nearby")
    assert saved(scene, (0, 0, 90), (8, 0, 0)).startswith("It begins where there is no navmesh nearby")
    bpy.data.objects["Ground"].scale = (1, 2, 1)
    bridge = bpy.data.objects["Ground"].copy()
    bpy.context.scene.collection.objects.link(bridge)
    bridge.location, bridge.scale = (11, 18, 0), (1.1, 0.2, 1)
    other = bpy.data.objects["Other"]
    other.scale = (1, 2, 1)
    bpy.ops.navmesh.build()
    said = saved(scene, (9, 0, 0), (13, 0, 0))
    assert said.startswith("It saves ") and said.endswith("by the link 4.0 m")
    addon("builds.finished_navmeshes").clear()
    assert saved(scene, (9, 0, 0), (13, 0, 0)) == ""


def test_a_link_that_ends_beside_the_ground_saves_nothing(bpy: Any, addon: Any, finder: Finder) -> None:  # noqa: ARG001
    """Not a walk of no metres to the ground nearest to its end; a link of a larger radius does end there."""
    saved, scene = addon("ask.link_saving").saved_by_link, bpy.context.scene
    assert saved(scene, (8, 9, 0), (8, 11.5, 0)).startswith("It ends where there is no navmesh nearby")
    assert saved(scene, (8, 0, 0), (8, 0, 3)).startswith("It ends where there is no navmesh nearby")
    assert saved(scene, (8, 9, 0), (8, 11.5, 0), 2.0).startswith("It saves nothing")


def test_the_panel_says_why_nobody_takes_a_link(bpy: Any, addon: Any, finder: Finder, draw: Any) -> None:  # noqa: ARG001
    """In the words of the build; in the viewport it is red."""
    bpy.ops.navmesh.pin_link(link=1)
    place = addon("stored.links_mesh").read_links(bpy.data.objects["Navmesh Links"]).shown.corners[1, 0].tolist()
    polygons = bpy.data.objects["Navmesh"]
    report = json.loads(polygons["navmesh_report"])
    report["warnings"] = [{"code": "LINK_BLOCKED", "message": "The jump of 2.0 m is no good.", "place": place}]
    polygons["navmesh_report"] = json.dumps(report)
    panel = draw().text.replace("\n", " ")
    assert panel.count("is no good.") == 1 and "No other way" in panel, "in the report alone"
    bpy.context.scene.navmesh.active_link = 1
    panel = draw().text.replace("\n", " ")
    assert panel.count("The jump of 2.0 m is no good.") == 2 and "No other way" not in panel


def test_a_link_made_by_hand_says_it_too(bpy: Any, finder: Finder, draw: Any) -> None:  # noqa: ARG001
    bpy.ops.navmesh.link_to_object(link=1)
    bpy.context.view_layer.objects.active = bpy.data.objects["Jump Link"]
    drawn = draw()
    assert "navmesh.snap_link_ends" in drawn.operator_names()
    assert drawn.text.replace("\n", " ").count("No other way: 2.0 m") == 2, "of the active found one, and of this one"


def test_settings_below_find_links_wait_for_it(bpy: Any, addon: Any, finder: Finder) -> None:  # noqa: ARG001
    panels = addon("interface.panels.settings_panels")
    panel = next(one for one in panels.CLASSES if getattr(one, "group", "") == "Links")
    drawn = Drawn()
    panel.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), group="Links"), bpy.context)
    assert "generate_links" not in drawn.texts and "Jump Distance" in drawn.texts, "it stands in the panel above"
    setup = bpy.context.scene.navmesh.setups[0]
    side = f"{setup.region_min_size * setup.cell_size:.1f} m"
    assert f"Tops under {side} × {side} are removed before (Region Min Size)" in drawn.text.replace("\n", " ")
    setup.cell_size, setup.region_min_size = 0.5, 6
    assert panels.tops_without_links(setup, 2.0).startswith("Tops under 6.0 m × 6.0 m ")
    setup.region_min_size = 0
    assert panels.tops_without_links(setup, 1.0) == ""
    setup.region_min_size, setup.generate_links = 8, False
    assert panels.tops_without_links(setup, 1.0) == ""
    properties = addon("stored.setting_properties")
    assert properties.title("generate_links") == "Find Links" and properties.title("link_detour") == "Detour"


def test_a_link_made_by_hand_saves_what_agents_would_walk_through_areas(bpy: Any, addon: Any, draw: Any) -> None:
    """As far as they go around what is dear to them, whether or not the link leads back."""
    add_plane(bpy)
    swamp = add_cube(bpy, "Swamp", (0, 0, 0))
    swamp.scale, swamp.navmesh.use, swamp.navmesh.area = (1, 6, 1), "VOLUME", 1
    start, end = add_empty(bpy, "From", (-4, 0, 0)), add_empty(bpy, "To", (4, 0, 0))
    start.navmesh.use, start.navmesh.link_end = "LINK", end
    bpy.ops.navmesh.area_types_edit()
    row = bpy.context.scene.navmesh.area_types[1]
    assert row.area == 1
    row.cost = 1.0
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.context.view_layer.objects.active = start

    def said() -> str:
        addon("ask.link_saving").forget()
        lines = draw().text.replace("\n", " ")
        return next((one for one in ("It saves nothing", "It saves", "No other way") if one in lines), lines)

    assert said() == "It saves nothing", "straight through is as short as the link"
    row.cost = 20.0
    assert said() == "It saves"
    start.navmesh.link_bidirectional = False
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert said() == "It saves"
    swamp.scale.y = 20
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert said() == "It saves nothing", "there is no way around: agents walk through, and that is no longer"
    swamp.navmesh.area = 0
    swamp.navmesh.use = "EXCLUDE"
    cut = add_cube(bpy, "Wall", (0, 0, 1))
    cut.scale = (0.5, 12, 2)
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert said() == "No other way"


def test_the_report_says_which_tops_were_removed_before_links_were_looked_for(addon: Any) -> None:
    lines = addon("interface.panels.report_panel").report_lines
    counts = {"polygons": 3, "vertices": 9, "regions": 1, "islands_removed": 2}
    report = {"counts": {**counts, "links_jump": 0}, "seconds": {"total": 1.0}, "used_count": 1, "triangles": 4}
    assert "2 small tops removed before links were looked for" in lines(report)
    for others in (counts, {**counts, "islands_removed": 0, "links_jump": 1}):
        assert not [line for line in lines({**report, "counts": others}) if "removed" in line]
