"""The eye and the solo of setups: what they hide, and that they show what the objects are."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from tests.blender.drawn_panels import Layout
from tests.blender.scenes import add_plane

NAMES = ("Human", "Giant", "Dog")


@pytest.fixture
def setups(bpy: Any) -> Any:
    """Three setups, of which the first two are built."""
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    for name in NAMES:
        bpy.ops.navmesh.setup_add(name=name)
    for name in NAMES[:2]:
        bpy.ops.navmesh.build(setup=name, cell_size=0.5)
    return bpy.context.scene.navmesh.setups


@pytest.fixture
def shown(bpy: Any) -> Callable[[], list[str]]:
    """shown(): names of the navmesh objects that the viewport shows."""

    def look() -> list[str]:
        bpy.context.view_layer.update()
        return [o.name for o in bpy.data.objects if o.name.startswith("Navmesh") and o.visible_get()]

    return look


class Rows(Layout):
    """Also writes down the icons of operators."""

    icons: dict[str, str]

    def _inner(self, *_: Any, **__: Any) -> Rows:
        return self

    row = column = _inner

    def operator(self, idname: str, text: str = "", icon: str = "", **_: Any) -> Any:
        self.icons[idname] = icon
        return super().operator(idname, text)


def row(bpy: Any, addon: Any, draw: Any, setup: Any) -> dict[str, str]:
    """Operators of a setup's row in the list and their icons, as they are drawn."""
    draw()
    layout = Rows([], [])
    layout.icons = {}
    cls = addon("interface.panels.build_panel").NAVMESH_UL_setups
    cls.draw_row(SimpleNamespace(), bpy.context, layout, setup)
    return layout.icons


EYE, SOLO = "navmesh.setup_show", "navmesh.setup_solo"
HUMAN, GIANT = ["Navmesh Human", "Navmesh Human Detail"], ["Navmesh Giant", "Navmesh Giant Detail"]


def test_the_eye_hides_and_shows(bpy: Any, addon: Any, draw: Any, setups: Any, shown: Any) -> None:
    both = shown()
    assert sorted(both) == sorted(HUMAN + GIANT)
    counts = [len(kind) for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.collections)]
    assert row(bpy, addon, draw, setups["Human"])[EYE] == "HIDE_OFF"
    assert bpy.ops.navmesh.setup_show(setup=setups["Human"].uid) == {"FINISHED"}
    assert sorted(shown()) == sorted(GIANT)
    assert row(bpy, addon, draw, setups["Human"])[EYE] == "HIDE_ON"
    assert row(bpy, addon, draw, setups["Giant"])[EYE] == "HIDE_OFF"
    bpy.ops.navmesh.setup_show(setup=setups["Human"].uid)
    assert shown() == both
    now = [len(kind) for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.materials, bpy.data.collections)]
    assert now == counts, "nothing was made or removed"
    for name in ("show", "solo"):
        cls = getattr(addon("interface.setup_operators"), f"NAVMESH_OT_setup_{name}")
        assert "UNDO" in cls.bl_options


@pytest.mark.parametrize("how", ["hide_set", "hide_viewport", "collection"])
def test_the_eye_shows_what_was_hidden_by_hand(
    bpy: Any, addon: Any, draw: Any, setups: Any, shown: Any, how: str
) -> None:
    """And shows it again; a collection that is hidden is named."""
    home = bpy.context.scene.navmesh.collection
    if how == "collection":
        home.hide_viewport = True
    for name in HUMAN:
        if how == "hide_set":
            bpy.data.objects[name].hide_set(True)
        elif how == "hide_viewport":
            bpy.data.objects[name].hide_viewport = True
    bpy.context.view_layer.update()
    assert row(bpy, addon, draw, setups["Human"])[EYE] == "HIDE_ON"
    bpy.ops.navmesh.setup_show(setup=setups["Human"].uid)
    assert (set(HUMAN) <= set(shown())) == (how != "collection")


def test_solo_shows_one_alone_and_then_all(bpy: Any, addon: Any, draw: Any, setups: Any, shown: Any) -> None:
    assert row(bpy, addon, draw, setups["Giant"])[SOLO] == "SOLO_OFF"
    bpy.ops.navmesh.setup_show(setup=setups["Giant"].uid)
    assert bpy.ops.navmesh.setup_solo(setup=setups["Giant"].uid) == {"FINISHED"}
    assert sorted(shown()) == sorted(GIANT)
    assert row(bpy, addon, draw, setups["Giant"])[SOLO] == "SOLO_ON"
    assert row(bpy, addon, draw, setups["Human"])[SOLO] == "SOLO_OFF"
    bpy.ops.navmesh.setup_solo(setup=setups["Human"].uid)
    assert sorted(shown()) == sorted(HUMAN)
    bpy.ops.navmesh.setup_solo(setup=setups["Human"].uid)
    assert sorted(shown()) == sorted(HUMAN + GIANT)


def test_a_setup_without_a_navmesh_has_no_eye(bpy: Any, addon: Any, draw: Any, setups: Any, shown: Any) -> None:
    assert row(bpy, addon, draw, setups["Dog"]) == {}
    before = shown()
    for operator in (bpy.ops.navmesh.setup_show, bpy.ops.navmesh.setup_solo):
        with pytest.raises(RuntimeError, match="no navmesh of the setup “Dog” yet"):
            operator(setup=setups["Dog"].uid)
    assert shown() == before


def test_a_hidden_navmesh_stays_hidden_when_it_is_built_again(bpy: Any, setups: Any, shown: Any) -> None:
    bpy.ops.navmesh.setup_show(setup=setups["Giant"].uid)
    bpy.ops.navmesh.build(setup="Giant", cell_size=0.5)
    assert sorted(shown()) == sorted(HUMAN)


def test_one_setup_has_neither_solo_nor_tint(bpy: Any, addon: Any, draw: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    (only,) = bpy.context.scene.navmesh.setups
    assert row(bpy, addon, draw, only) == {EYE: "HIDE_OFF"}
