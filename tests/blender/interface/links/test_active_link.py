"""Whoever has chosen a found link goes on with that one, whatever becomes of the list."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.found_links import Finder, quad


def chosen(bpy: Any, decisions: Any) -> int | None:
    """The id of the active link, None for none."""
    return dict(enumerate(decisions().shown.ids.tolist())).get(bpy.context.scene.navmesh.active_link)


@pytest.fixture
def framed(addon: Any, monkeypatch: Any) -> list[None]:
    """One for each time that views would go to the active link."""
    told: list[None] = []
    monkeypatch.setattr(addon("events").link_chosen, "_subscribers", [lambda: told.append(None)])
    return told


def test_a_rebuild_finds_one_more(bpy: Any, finder: Finder, decisions: Any, framed: list[None]) -> None:
    stored = bpy.context.scene.navmesh
    stored.active_link, stored.move_links = 2, True
    framed.clear()
    for first, row in (({3: quad(9, 7)}, 3), ({3: quad(9, 7), 4: quad(9, 8)}, 4), ({}, 2)):
        finder.links = {**first, 7: quad(9, 0), 8: quad(9, 5, width=4.0), 9: quad(9, -5, length=2.5)}
        bpy.ops.navmesh.build()
        assert chosen(bpy, decisions) == 9 and stored.active_link == row and stored.move_links
    assert framed == [], "nobody clicked: no view moves"


def test_one_that_is_gone_leaves_nobody_in_its_place(bpy: Any, finder: Finder, decisions: Any) -> None:
    stored = bpy.context.scene.navmesh
    stored.active_link, stored.move_links = 1, True
    del finder.links[8]
    bpy.ops.navmesh.build()
    assert chosen(bpy, decisions) is None and not stored.move_links
    finder.links |= {k: quad(9, k / 4) for k in range(20, 40)}
    bpy.ops.navmesh.build()
    assert chosen(bpy, decisions) is None, "however many there are"
    assert bpy.ops.navmesh.pin_link(link=0) == {"FINISHED"}
    with pytest.raises(RuntimeError, match="No found link is chosen"):
        bpy.ops.navmesh.pin_link()


def test_rejecting_another_and_putting_it_back(bpy: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    bpy.context.scene.navmesh.active_link = 2
    bpy.ops.navmesh.reject_link(link=0)
    assert chosen(bpy, decisions) == 9
    bpy.ops.navmesh.restore_links()
    assert chosen(bpy, decisions) == 9
    bpy.ops.navmesh.reject_link()
    assert chosen(bpy, decisions) is None


def test_a_build_that_fails_puts_back_the_choice(
    bpy: Any, addon: Any, finder: Finder, decisions: Any, monkeypatch: Any
) -> None:
    stored = bpy.context.scene.navmesh
    stored.active_link, stored.move_links = 3, True
    del finder.links[10], finder.links[7]
    monkeypatch.setattr(addon("objects.write_links"), "keep_ledger", lambda *_: 1 / 0)
    with pytest.raises(Exception, match="division by zero"):
        bpy.ops.navmesh.build()
    assert chosen(bpy, decisions) == 10 and stored.move_links


def test_another_setup_has_links_of_its_own(bpy: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    stored = bpy.context.scene.navmesh
    stored.active_link, stored.move_links = 2, True
    bpy.ops.navmesh.setup_add()
    assert chosen(bpy, decisions) is None and not stored.move_links
    stored.active = 0
    stored.active_link = 2
    assert chosen(bpy, decisions) == 9


def test_a_mesh_that_somebody_deleted(bpy: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    bpy.context.scene.navmesh.active_link = 2
    bpy.data.objects.remove(bpy.data.objects["Navmesh Links"])
    bpy.ops.navmesh.build()
    assert len(decisions().shown.ids) == 4 and chosen(bpy, decisions) is None
