"""Found links while a level is followed: twenty edits, each at rest as a full build would have it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube

AWAY, BETWEEN = (-6.0, -3.0, 1.5), (0.0, -3.0, 1.5)  # where the pillar stands: on the floor, and in the gap
EXACT = {"cell_size": 0.25, "cell_height": 0.125}  # parts of a power of two, as corners of links are
FOUND, PINNED, MOVED = range(3)


@pytest.fixture
def gaps(bpy: Any) -> None:
    """Three floors with gaps of a metre between them, a terrace that agents drop from, and a pillar."""
    for name, place, half in (
        ("West", (-6, 0, -0.5), (5.5, 7, 0.5)), ("East", (6, 0, -0.5), (5.5, 7, 0.5)),
        ("Far", (-6, 11.5, -0.5), (5.5, 3.5, 0.5)), ("Terrace", (9, 0, 0.5), (2.5, 7, 1)),
        ("Pillar", AWAY, (0.4, 0.4, 1.5)),
    ):  # fmt: skip
        add_cube(bpy, name, place).scale = half


EDITS = (
    ("Pillar", BETWEEN), ("Far", (-6, 30, -0.5)), ("Terrace", (8, 0, 0.5)), ("Pillar", AWAY),
    ("Far", (-6, 11.5, -0.5)), ("Terrace", (9, 1, 0.5)), ("East", (6, 0, -0.25)), ("Pillar", (-3, 2, 1.5)),
    ("East", (6, 0, -0.5)), ("Pillar", AWAY),
)  # fmt: skip


@pytest.mark.parametrize("settings", [{}, {"tile_size": 32}], ids=["one piece", "tiles"])
def test_decisions_stay_over_twenty_edits(bpy: Any, addon: Any, gaps: None, follow: Any, settings: Any) -> None:  # noqa: ARG001
    followed = follow(generate_links=True, **EXACT, **settings)
    followed.settle()
    state = State(bpy, addon)
    first = state.links().shown
    both = decide(bpy, state)
    corners = {number: state.corners(number) for number in both.values()}
    codes, texts = set(), set()
    for name, place in (*EDITS, *EDITS):
        bpy.data.objects[name].location = place
        followed.settle()
        now = state.links()
        assert now.rejected.ids.tolist() == [both["rejected"]] and both["rejected"] not in now.shown.ids
        assert state.states() == {both["pinned"]: PINNED, both["moved"]: MOVED}
        assert {number: state.corners(number) for number in both.values() if number != both["rejected"]} == {
            number: where for number, where in corners.items() if number != both["rejected"]
        }
        live = followed.content(), state.all_of_it(), state.warnings()
        assert (followed.rebuilt(), state.all_of_it(), state.warnings()) == live
        codes |= {code for code, _ in state.warnings()}
        texts.add(str(live[1]))
    assert codes == {"LINK_BLOCKED", "LINK_ENDS_NOWHERE"} and len(texts) > 3, "or the edits test nothing"
    bpy.ops.navmesh.restore_links()
    for number in (both["pinned"], both["moved"]):
        row = state.links().shown.ids.tolist().index(number)
        (bpy.ops.navmesh.pin_link if number == both["pinned"] else bpy.ops.navmesh.put_link_back)(link=row)
    bpy.data.objects["Terrace"].location = (9, 0, 0.5)
    followed.settle()
    assert state.links().shown.ids.tolist() == first.ids.tolist(), "nothing decided is left behind"
    assert np.array_equal(state.links().shown.corners, first.corners)


def decide(bpy: Any, state: State) -> dict[str, int]:
    """A jump to the floor beyond is pinned, the one over the gap where the pillar will stand moved, a drop rejected."""
    shown = state.links().shown
    beyond = np.maximum(-shown.starts[:, 2], -shown.ends[:, 2]) > 7.5
    along = shown.corners[:, :2, 2] - -BETWEEN[1]
    over = (
        (shown.starts[:, 0] * shown.ends[:, 0] < 0)
        & (shown.kinds == 1)
        & (along.min(axis=1) < 0)
        & (along.max(axis=1) > 0)
    )
    rows = {name: int(np.flatnonzero(which)[0]) for name, which in (
        ("pinned", beyond & (shown.kinds == 1)), ("moved", over), ("rejected", shown.kinds == 0)
    )}  # fmt: skip
    bpy.ops.navmesh.pin_link(link=rows["pinned"])
    x, y, z = shown.ends[rows["moved"]].tolist()
    bpy.ops.navmesh.set_link_end(link=rows["moved"], which="END", place=(x + np.sign(x) * 0.375, -z, y))
    bpy.ops.navmesh.reject_link(link=rows["rejected"])
    return {name: int(shown.ids[row]) for name, row in rows.items()}


class State:
    """What the mesh of links, its ledger and the report say now."""

    def __init__(self, bpy: Any, addon: Any) -> None:
        self.bpy, self.mesh = bpy, addon("stored.links_mesh")

    def links(self) -> Any:
        return self.mesh.decisions_of(self.bpy.data.objects["Navmesh"])

    def corners(self, number: int) -> Any:
        shown = self.links().shown
        return [corners.tolist() for one, corners in zip(shown.ids, shown.corners, strict=True) if one == number]

    def states(self) -> dict[int, int]:
        shown = self.links().shown
        return {int(one): int(state) for one, state in zip(shown.ids, shown.states, strict=True) if state != FOUND}

    def all_of_it(self) -> Any:
        """Faces, the ledger, and what was left out."""
        object_ = self.bpy.data.objects["Navmesh Links"]
        faces = [column.tolist() for column in self.links().shown]
        left_out = json.loads(object_[self.mesh.LEFT_OUT])
        return faces, json.loads(object_.data[self.mesh.LEDGER]), left_out

    def warnings(self) -> list[tuple[str, str]]:
        warnings = json.loads(self.bpy.data.objects["Navmesh"]["navmesh_report"])["warnings"]
        return [(one["code"], one["message"]) for one in warnings]


@pytest.mark.usefixtures("gaps")
def test_links_are_drawn_as_they_were_found_before_they_are_written(bpy: Any, addon: Any, follow: Any) -> None:
    """Where the level is shown as it is now, no arc stays where it was; kept ones turn red and white again."""
    followed = follow(generate_links=True, tile_size=32, **EXACT)
    followed.settle()
    state, drawn, following = State(bpy, addon), addon("views.drawn_links"), followed.following
    both = decide(bpy, state)
    followed.settle()
    polygons, written = bpy.data.objects["Navmesh"], state.links()
    assert following.fresh_links is None
    unchanged = drawn._picture(polygons, "links", written)
    bpy.data.objects["Terrace"].location = (7, 0, 0.5)
    bpy.data.objects["Pillar"].location = BETWEEN
    bpy.context.view_layer.update()
    following._look_on(bpy.context, None)
    following._start_next(bpy.context, 0.0)
    following._job.wait()
    following._take_from_thread(0.0)
    assert following.fresh_links is not None and np.array_equal(state.links().shown.corners, written.shown.corners)
    wanted = int(written.shown.ids[bpy.context.scene.navmesh.active_link])
    drawn.show_fresh({following.setup: following.fresh_links})
    picture = drawn._picture(polygons, "links", written)
    active = drawn._picture(polygons, "active", written)
    drawn.show_fresh({})
    assert not same(picture, unchanged) and same(drawn._picture(polygons, "links", written), unchanged)
    followed.settle()
    assert following.fresh_links is None and state.warnings()[0][0] == "LINK_BLOCKED"
    assert state.links().shown.ids.tolist() != written.shown.ids.tolist() and both["pinned"] in state.states()
    assert same(drawn._picture(polygons, "links", state.links()), picture), "as it is drawn once it is written"
    assert bpy.context.scene.navmesh.active_link == state.links().shown.ids.tolist().index(wanted), "it follows"
    assert same(drawn._picture(polygons, "active", state.links()), active)


def test_what_is_drawn_before_it_is_written_ends_with_live_mode(bpy: Any, addon: Any) -> None:  # noqa: ARG001
    drawn, mode = addon("views.drawn_links"), addon("live.live_mode")
    drawn.show_fresh({"any": addon("views.fresh_links").FreshLinks(None, (), ())})
    assert drawn.instead.fresh
    mode.end()
    assert not drawn.instead.fresh


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one[:4], other[:4], strict=True))
