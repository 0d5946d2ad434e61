"""Found links through builds: what was decided stays, whatever the level becomes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.found_links import Finder, quad
from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def finder(bpy: Any, addon: Any, monkeypatch: Any) -> Finder:
    """Two floors with a gap between them, and three links over it."""
    one = Finder(addon, monkeypatch)
    one.links = {7: quad(9, 0), 8: quad(9, 5), 0xF0000000: quad(9, -5)}
    add_plane(bpy)
    add_plane(bpy, "Other", at=(22, 0, 0))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.context.scene.navmesh.draft.generate_links = True
    return one


@pytest.fixture
def decisions(bpy: Any, addon: Any) -> Any:
    """decisions(): as the mesh tells them now."""
    mesh = addon("stored.links_mesh")
    return lambda: mesh.decisions_of(bpy.data.objects["Navmesh"])


def why_of(bpy: Any, addon: Any) -> str:
    """Why it is out of date."""
    setup = bpy.context.scene.navmesh.setups[0]
    return str(addon("watch.out_of_date").out_of_date(bpy.data.objects["Navmesh"], setup))


def test_one_object_for_all_links(bpy: Any, finder: Finder) -> None:
    finder.kinds[8] = "drop"
    bpy.ops.navmesh.build()
    home = bpy.data.collections["Navmesh"]
    assert sorted(one.name for one in home.objects) == ["Navmesh", "Navmesh Detail", "Navmesh Links"]
    object_ = bpy.data.objects["Navmesh Links"]
    assert object_.hide_render and object_.hide_viewport
    mesh = object_.data
    assert len(mesh.polygons) == 3 and all(len(face.vertices) == 4 for face in mesh.polygons)
    kinds = {"link_id": "INT", "link_kind": "INT", "link_two_way": "BOOLEAN", "link_area": "INT"}
    kinds |= {"link_flags": "INT", "link_state": "INT"}
    for name, kind in kinds.items():
        assert (mesh.attributes[name].data_type, mesh.attributes[name].domain) == (kind, "FACE")
    values = {name: [one.value for one in mesh.attributes[name].data] for name in kinds}
    assert [number % 2**32 for number in values["link_id"]] == [7, 8, 0xF0000000]
    assert values["link_kind"] == [1, 0, 1] and values["link_area"] == [5] * 3 and values["link_flags"] == [8] * 3
    assert np.allclose([vertex.co for vertex in mesh.vertices][:4], quad(9, 0))


def test_builds_take_no_link_for_level(bpy: Any, finder: Finder) -> None:  # noqa: ARG001
    bpy.ops.navmesh.build()
    bpy.data.objects["Navmesh Links"].hide_viewport = False
    bpy.ops.navmesh.build()
    report = bpy.data.objects["Navmesh"]["navmesh_report"]
    assert '"triangles": 4,' in report


def test_without_find_links_there_are_none_and_decisions_wait(bpy: Any, finder: Finder, decisions: Any) -> None:
    setup = bpy.context.scene.navmesh.draft
    setup.generate_links = False
    bpy.ops.navmesh.build()
    assert "Navmesh Links" not in bpy.data.objects and finder.asked == [None]
    setup = bpy.context.scene.navmesh.setups[0]
    setup.generate_links = True
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.reject_link(link=1)
    setup.generate_links = False
    bpy.ops.navmesh.build()
    setup.generate_links = True
    bpy.ops.navmesh.build()
    assert decisions().shown.ids.tolist() == [7, 0xF0000000] and decisions().rejected.ids.tolist() == [8]


def test_twenty_builds_with_a_level_that_changes(bpy: Any, addon: Any, finder: Finder, decisions: Any) -> None:
    """Deleted stays deleted, moved and pinned stay where they are, and ids name the same links."""
    finder.links |= {20 + k: quad(9, 8 - 1.5 * k, width=1.0) for k in range(4)}
    bpy.ops.navmesh.build()
    assert bpy.ops.navmesh.reject_link(link=1) == {"FINISHED"}  # 8
    bpy.ops.navmesh.pin_link(link=0)  # 7
    bpy.ops.navmesh.set_link_end(link=2, which="END", place=(11.5, 6.0, 0.0))  # 20
    moved = decisions().shown.corners[2].copy()
    for number in range(20):
        add_cube(bpy, f"Box {number}", (-8 + 0.8 * number, 3, 1)).scale = (0.2, 0.2, 1)
        finder.links[100 + number] = quad(9, -9 + 0.1 * number, width=0.1)  # what only this level has
        finder.links.pop(99 + number, None)
        if number == 10:
            del finder.links[7]  # no longer found, but pinned
        bpy.ops.navmesh.build() if number % 2 else bpy.ops.navmesh.rebuild()
        now = decisions()
        by_id = dict(zip(now.shown.ids.tolist(), range(100), strict=False))
        assert 8 not in by_id and now.rejected.ids.tolist() == [8]
        assert now.shown.states[by_id[7]] == 1 and now.shown.states[by_id[20]] == 2
        assert np.array_equal(now.shown.corners[by_id[20]], moved)
        assert {7, 20, 21, 22, 23, 0xF0000000, 100 + number} == set(by_id)
        assert why_of(bpy, addon) == ""
    assert [o.name for o in bpy.data.objects if o.name.startswith("Navmesh")] == [
        "Navmesh", "Navmesh Detail", "Navmesh Links",
    ]  # fmt: skip
    kept = finder.asked[-1].kept
    assert sorted(one.id for one in kept) == [7, 20] and [one.id for one in finder.asked[-1].rejected] == [8, 20]


def test_faces_deleted_copied_and_moved_by_hand(bpy: Any, addon: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    """As in Edit Mode."""
    import bmesh

    bpy.ops.navmesh.build()
    mesh = bpy.data.objects["Navmesh Links"].data
    whole = bmesh.new()
    whole.from_mesh(mesh)
    whole.faces.ensure_lookup_table()
    copy = bmesh.ops.duplicate(whole, geom=[whole.faces[2]])["geom"]
    for one in copy:
        if isinstance(one, bmesh.types.BMVert):
            one.co.y += 3
    whole.faces.ensure_lookup_table()
    for vertex in whole.faces[0].verts:
        vertex.co.x += 0.25
    bmesh.ops.delete(whole, geom=[whole.faces[1]], context="FACES")
    whole.to_mesh(mesh)
    whole.free()
    mesh.update()
    assert why_of(bpy, addon) == "Out of date: a found link was changed"
    bpy.ops.navmesh.build()
    now = decisions()
    assert now.rejected.ids.tolist() == [8] and len(set(now.shown.ids.tolist())) == 3
    by_id = {int(number): row for row, number in enumerate(now.shown.ids)}
    assert now.shown.states[by_id[7]] == 2 and now.shown.states[by_id[0xF0000000]] == 0
    (new,) = set(by_id) - {7, 0xF0000000}
    assert now.shown.states[by_id[new]] == 1 and np.allclose(now.shown.starts[by_id[new]], (9, 0, 2))
    assert why_of(bpy, addon) == ""
    bpy.ops.navmesh.build()
    assert set(decisions().shown.ids.tolist()) == set(by_id)


def test_what_is_decided_while_it_builds_holds(bpy: Any, addon: Any, finder: Finder, decisions: Any) -> None:
    bpy.ops.navmesh.build()
    requests = addon("builds.make_requests")
    asked = requests.make_requests(bpy.context, requests.Overrides())
    bpy.ops.navmesh.reject_link(link=1)
    bpy.ops.navmesh.pin_link(link=0)
    built = addon("builds.run_builds").build_all(asked, addon("builds.threads_and_kernel_folder").usual_means())
    addon("objects.write_navmeshes").write_back(bpy.context.scene, built)
    assert finder.asked[-1].rejected == ()
    assert decisions().rejected.ids.tolist() == [8] and decisions().shown.states.tolist() == [0, 1]
    assert why_of(bpy, addon) == "Out of date: a found link was changed", "the navmesh still has the rejected one"
    bpy.ops.navmesh.build()
    assert why_of(bpy, addon) == ""


def test_several_setups_keep_their_links_apart(bpy: Any, finder: Finder) -> None:
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.setup_add(name="Giant")
    finder.links = {30: quad(9, 2)}
    bpy.ops.navmesh.build()
    assert len(bpy.data.objects["Navmesh Links"].data.polygons) == 3
    assert len(bpy.data.objects["Navmesh Giant Links"].data.polygons) == 1


def test_undo(bpy: Any, finder: Finder) -> None:  # noqa: ARG001
    """A step back and forth, builds among them: nothing dangles."""
    bpy.ops.ed.undo_push(message="Level")
    bpy.ops.navmesh.build()
    bpy.ops.ed.undo_push(message="Build")
    bpy.ops.navmesh.reject_link(link=0)
    bpy.ops.ed.undo_push(message="Reject")
    bpy.ops.ed.undo()
    assert len(bpy.data.objects["Navmesh Links"].data.polygons) == 3
    bpy.ops.ed.redo()
    assert len(bpy.data.objects["Navmesh Links"].data.polygons) == 2
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert "Navmesh Links" not in bpy.data.objects
    bpy.ops.navmesh.build()
    assert len(bpy.data.objects["Navmesh Links"].data.polygons) == 3


@pytest.mark.parametrize("link", [False, True], ids=["append", "link"])
def test_the_collection_in_another_file(bpy: Any, addon: Any, finder: Finder, tmp_path: Path, link: bool) -> None:
    """Appended it goes on with its decisions; linked it can be looked at, and is left alone."""
    path = str(tmp_path / "level.blend")
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.reject_link(link=1)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(path, link=link) as (_, wanted):
        wanted.collections = ["Navmesh"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    mesh = addon("stored.links_mesh")
    polygons = next(one for one in bpy.context.scene.objects if one.get("navmesh_role") == "polygon_mesh")
    if link:
        assert mesh.links_object(polygons) is None
        return
    assert mesh.decisions_of(polygons).rejected.ids.tolist() == [8]
    add_plane(bpy)
    add_plane(bpy, "Other", at=(22, 0, 0))
    bpy.ops.navmesh.rebuild()
    assert [one.id for one in finder.asked[-1].rejected] == [8]
    assert mesh.decisions_of(polygons).shown.ids.tolist() == [7, 0xF0000000]


def test_ten_thousand_links_cost_no_object_each(bpy: Any, addon: Any, finder: Finder) -> None:
    bpy.ops.navmesh.build()
    rows, write = addon("stored.link_rows"), addon("objects.write_links")
    mesh, object_ = addon("stored.links_mesh"), bpy.data.objects["Navmesh Links"]
    finder.links = {1 + k: quad(9, 0.01 * k, width=0.5) for k in range(10_000)}
    built = rows.rows_of([finder._made(number) for number in finder.links])
    steps: dict[str, float] = {}
    for name, work in (
        ("write", lambda: write.write_decisions(object_, rows.Decisions(built, built, rows.no_rows()), 1.0)),
        ("read", lambda: mesh.read_links(object_)),
        ("read again", lambda: mesh.read_links(object_)),
    ):
        begin = time.process_time()
        work()
        steps[name] = time.process_time() - begin
    print({name: f"{1000 * seconds:.1f} ms" for name, seconds in steps.items()})
    assert len(object_.data.polygons) == 10_000 and len(bpy.data.objects) == 5
    assert mesh.read_links(object_) is mesh.read_links(object_), "what did not change is not compared again"


def test_a_refused_write_changes_nothing(bpy: Any, addon: Any, finder: Finder, monkeypatch: Any) -> None:
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.reject_link(link=1)
    before = bpy.data.objects["Navmesh Links"].data["navmesh_link_ledger"]

    def fail(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(addon("objects.write_links"), "keep_ledger", fail)
    finder.links.pop(7)
    with pytest.raises(RuntimeError, match="not enough memory"):
        bpy.ops.navmesh.build()
    object_ = bpy.data.objects["Navmesh Links"]
    assert object_.data["navmesh_link_ledger"] == before and len(object_.data.polygons) == 2
    assert bpy.data.objects["Navmesh"]["navmesh_links"] == object_


def test_settings_of_files_that_do_not_know_links(bpy: Any, addon: Any, finder: Finder) -> None:  # noqa: ARG001
    """What a navmesh of an older version does not remember was as it is where nobody says anything."""
    import json

    bpy.context.scene.navmesh.draft.generate_links = False
    bpy.ops.navmesh.build()
    object_ = bpy.data.objects["Navmesh"]
    older = {n: v for n, v in json.loads(object_["navmesh_settings"]).items() if "link" not in n}
    assert len(older) < len(json.loads(object_["navmesh_settings"]))
    object_["navmesh_settings"] = json.dumps(older)
    assert why_of(bpy, addon) == ""
    bpy.context.scene.navmesh.setups[0].generate_links = True
    assert why_of(bpy, addon) == "Out of date: a setting changed"


def test_with_links_that_navcore_finds(bpy: Any, addon: Any, decisions: Any) -> None:
    """A gap and a terrace: nothing is found where something was rejected, and what ends nowhere is told."""
    for name, place, half in (
        ("West", (-6, 0, -0.5), (5.5, 7, 0.5)), ("East", (6, 0, -0.5), (5.5, 7, 0.5)),
        ("Terrace", (9, 0, 0.5), (2.5, 7, 1)),
    ):  # fmt: skip
        add_cube(bpy, name, place).scale = half
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.context.scene.navmesh.draft.generate_links = True
    bpy.ops.navmesh.build()
    found = decisions().shown
    assert set(found.kinds.tolist()) == {0, 1}, "drops from the terrace, jumps over the gap"
    drops = found.ids[found.kinds == 0].tolist()
    for _ in drops:
        bpy.ops.navmesh.reject_link(link=int(np.flatnonzero(decisions().shown.kinds == 0)[0]))
    bpy.ops.navmesh.build()
    assert set(decisions().shown.kinds.tolist()) == {1} and decisions().rejected.ids.tolist() == drops
    bpy.ops.navmesh.set_link_end(link=0, which="END", place=(100, 0, 0))
    number = decisions().shown.ids[0]
    bpy.ops.navmesh.build()
    row = decisions().shown.ids.tolist().index(number)
    assert decisions().shown.ends[row][0] == pytest.approx(100)
    assert '"LINK_ENDS_NOWHERE"' in bpy.data.objects["Navmesh"]["navmesh_report"]
    blocked = addon("views.drawn_links").blocked_rows
    assert np.flatnonzero(blocked(bpy.data.objects["Navmesh"], decisions().shown)).tolist() == [row]
    why = addon("views.drawn_links").why_blocked(bpy.data.objects["Navmesh"], decisions().shown, row)
    assert why.startswith("The jump of ") and "m has an end without walkable ground." in why
    assert str(number) not in why
    bpy.ops.navmesh.restore_links()
    bpy.ops.navmesh.put_link_back(link=row)
    bpy.ops.navmesh.build()
    assert decisions().shown.ids.tolist() == found.ids.tolist() and not decisions().shown.states.any()
    assert why_of(bpy, addon) == ""
