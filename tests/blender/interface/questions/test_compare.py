"""Comparing in Blender: before and after a build, two setups, and files; what is said, and what is refused."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane

CRATE = 2.0  # metres along a side
RADIUS, CELL = 0.5, 0.25


@pytest.fixture
def crate(bpy: Any) -> Any:
    """A floor with a crate, built."""
    add_plane(bpy)
    crate = add_cube(bpy, "Crate", (-5, -5, 1))
    build(bpy)
    return crate


def build(bpy: Any) -> None:
    bpy.ops.navmesh.build(
        scope="VISIBLE", cell_size=CELL, cell_height=0.1, agent_radius=RADIUS, agent_max_climb=0.5, edge_max_error=0.5
    )


def answer(bpy: Any) -> Any:
    return json.loads(bpy.context.scene.navmesh.compare_answer)


def places(bpy: Any, kind: str) -> list[list[float]]:
    found = answer(bpy)
    return [place for place, which in zip(found["places"], found["kinds"], strict=True) if which == kind]


def test_a_moved_crate_is_the_crates_ground(bpy: Any, crate: Any) -> None:
    """Its own square and a ring as wide as the agent, there and here; its top moves with it."""
    crate.location = (4, 5, 1)
    build(bpy)
    assert bpy.ops.navmesh.compare(a="BEFORE", b="LAST") == {"FINISHED"}
    found = answer(bpy)
    around = (CRATE + 2 * RADIUS) ** 2
    assert found["added"] == pytest.approx(found["removed"], abs=1.0) and found["moved"] == 0
    assert around - 1 < found["removed"] < (CRATE + 2 * RADIUS + 2 * CELL) ** 2 + CRATE**2
    ground = [place for place in places(bpy, "removed") if place[2] < 0.5]
    assert len(ground) == 1 and ground[0][:2] == pytest.approx((4, 5), abs=0.5)
    ground = [place for place in places(bpy, "added") if place[2] < 0.5]
    assert len(ground) == 1 and ground[0][:2] == pytest.approx((-5, -5), abs=0.5)


def test_the_panel_s_own_choice_is_before_and_after(bpy: Any, crate: Any) -> None:
    crate.location.x += 3
    build(bpy)
    assert (bpy.context.scene.navmesh.compare_a, bpy.context.scene.navmesh.compare_b) == ("BEFORE", "LAST")
    bpy.ops.navmesh.compare()
    assert answer(bpy)["removed"] > 0


def test_places_are_in_blender_s_units(bpy: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=2000)
    crate = add_cube(bpy, "Crate", (-500, -500, 0))
    crate.scale = (100, 100, 100)
    bpy.ops.navmesh.build(scope="VISIBLE")
    crate.location = (400, 500, 0)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.compare()
    assert places(bpy, "removed")[0][:2] == pytest.approx((400, 500), abs=60)
    assert 5 < answer(bpy)["removed"] < 25, "square metres"


def test_equal_navmeshes_differ_in_nothing(bpy: Any, crate: Any, tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("a.bin", "b.bin")]
    for file in files:
        bpy.ops.navmesh.export(filepath=file)
    bpy.ops.navmesh.compare(file_a=files[0], file_b=files[1])
    found = answer(bpy)
    assert (found["added"], found["removed"], found["moved"], found["places"]) == (0, 0, 0, [])
    bpy.ops.navmesh.compare(file_a=files[0], b="LAST")
    assert answer(bpy)["places"] == []
    crate.location.x += 4
    build(bpy)
    bpy.context.scene.navmesh.compare_a, bpy.context.scene.navmesh.compare_file_a = "FILE", files[0]
    bpy.ops.navmesh.compare()
    assert answer(bpy)["removed"] > 0, "the panel's file beside the last build"


def test_two_setups(bpy: Any, crate: Any) -> None:
    stored = bpy.context.scene.navmesh
    bpy.ops.navmesh.setup_add()
    stored.setups[1].name, stored.setups[1].agent_radius, stored.setups[1].scope = "Giant", 1.5, "VISIBLE"
    bpy.ops.navmesh.build(setup="Giant")
    bpy.ops.navmesh.compare(a=stored.setups[0].name, b="Giant")
    assert answer(bpy)["added"] == 0 and answer(bpy)["removed"] > 20, "a giant has less room"
    stored.compare_a, stored.compare_b = stored.setups[1].uid, stored.setups[0].uid
    bpy.ops.navmesh.compare()
    assert answer(bpy)["added"] > 20
    crate.location.x += 4
    bpy.ops.navmesh.build(setup="Giant")
    stored.active = 0
    bpy.ops.navmesh.compare(a="BEFORE", b="Giant")
    assert answer(bpy)["removed"] > 0, "before the giant's last build"
    bpy.ops.navmesh.setup_remove()
    assert stored.compare_a == stored.setups[0].uid, "removing another one changes no choice"


@pytest.mark.usefixtures("crate")
@pytest.mark.parametrize("name", ["LAST", "BEFORE", "FILE"])
def test_a_setup_may_be_called_as_what_is_no_setup(bpy: Any, name: str) -> None:
    """It was never found: the active one, or no file, was compared in its place."""
    stored = bpy.context.scene.navmesh
    bpy.ops.navmesh.setup_add()
    stored.setups[1].name, stored.setups[1].agent_radius, stored.setups[1].scope = name, 1.5, "VISIBLE"
    bpy.ops.navmesh.build(setup=name)
    stored.active = 0
    bpy.ops.navmesh.compare(a=stored.setups[0].name, b=name)
    assert answer(bpy)["added"] == 0 and answer(bpy)["removed"] > 20


@pytest.mark.usefixtures("crate")
def test_a_navmesh_that_is_no_longer_in_memory_is_built_again(bpy: Any, addon: Any, tmp_path: Path) -> None:
    bpy.ops.navmesh.export(filepath=str(tmp_path / "a.bin"))
    addon("builds.finished_navmeshes").clear()
    bpy.ops.navmesh.compare(file_a=str(tmp_path / "a.bin"), b="LAST")
    assert answer(bpy)["places"] == []


@pytest.mark.usefixtures("crate")
def test_what_cannot_be_compared_is_refused_with_a_way_out(bpy: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.bin").write_bytes(b"no navmesh")
    wrong = {
        "built once since .* build again, or compare with": {},
        "Both are “Navmesh”. Choose another": {"a": "LAST", "b": "LAST"},
        "no setup named “Nobody”": {"a": "Nobody"},
        "No file was chosen": {"a": "FILE"},
        "broken.bin": {"file_a": str(tmp_path / "broken.bin")},
        "missing.bin": {"file_a": str(tmp_path / "missing.bin")},
    }
    for said, asked in wrong.items():
        with pytest.raises(RuntimeError, match=said):
            bpy.ops.navmesh.compare(**asked)
    assert bpy.context.scene.navmesh.compare_answer == ""
    bpy.data.objects.remove(bpy.data.objects["Navmesh"])
    with pytest.raises(RuntimeError, match="Build it first"):
        bpy.ops.navmesh.compare()


def test_what_is_out_of_date_gone_or_built_again_is_said(bpy: Any, addon: Any, crate: Any, draw: Any) -> None:
    latest, sides = addon("views.latest_comparison"), addon("views.compared_sides")

    def state() -> Any:
        return sides.state_of(bpy.context.scene, latest.shown(bpy.context.scene.session_uid))

    crate.location.x += 4
    build(bpy)
    bpy.ops.navmesh.compare()
    assert state() == (True, "")
    drawn = draw()
    assert "From “Navmesh” before its last build to “Navmesh”" in drawn.text and "Removed " in drawn.text
    assert drawn.operator_names().count("navmesh.compare_look") == len(answer(bpy)["places"])
    crate.location.x -= 2
    bpy.context.view_layer.update()
    assert "Out of date: the level changed" in draw().text
    assert state().is_shown and "build it and compare again" in state().why_not
    assert "build it and compare again" in draw().text
    build(bpy)
    assert not state().is_shown and "another build by now: compare again" in draw().text
    bpy.data.objects.remove(bpy.data.objects["Navmesh"])
    assert not state().is_shown and "is gone" in draw().text
    assert bpy.ops.navmesh.compare_clear() == {"FINISHED"}
    assert not bpy.ops.navmesh.compare_clear.poll() and bpy.context.scene.navmesh.compare_answer == ""


def test_undo_and_redo_change_what_is_before_and_after(bpy: Any, addon: Any) -> None:
    """Of the build that undo brought back, the one before is compared; a build that is gone is not shown."""
    latest, sides = addon("views.latest_comparison"), addon("views.compared_sides")

    def is_shown() -> bool:
        return bool(sides.state_of(bpy.context.scene, latest.shown(bpy.context.scene.session_uid)).is_shown)

    add_plane(bpy)
    add_cube(bpy, "Crate", (-5, -5, 1))
    bpy.ops.ed.undo_push(message="Level")
    for x in (-5, 0, 5):
        bpy.data.objects["Crate"].location.x = x
        build(bpy)
        bpy.ops.ed.undo_push(message=f"Built {x}")
    bpy.ops.navmesh.compare()
    assert is_shown() and places(bpy, "removed")[0][0] == pytest.approx(5, abs=1)
    bpy.ops.ed.undo()
    assert not is_shown()
    bpy.ops.navmesh.compare()
    assert is_shown() and places(bpy, "removed")[0][0] == pytest.approx(0, abs=1)
    bpy.data.objects["Crate"].location.x = 5
    build(bpy)
    bpy.ops.navmesh.compare()
    assert places(bpy, "added")[0][0] == pytest.approx(0, abs=1), "the one that was undone counts no more"


def test_another_file_forgets_what_was_compared(bpy: Any, addon: Any, crate: Any) -> None:
    crate.location.x += 4
    build(bpy)
    bpy.ops.navmesh.compare()
    assert addon("views.latest_comparison")._shown
    bpy.ops.wm.read_homefile(use_empty=True)
    assert not addon("views.latest_comparison")._shown


def test_a_place_fills_the_view(bpy: Any, addon: Any, crate: Any) -> None:
    crate.location = (4, 5, 1)
    build(bpy)
    bpy.ops.navmesh.compare()
    compared = addon("views.latest_comparison").shown(bpy.context.scene.session_uid)
    operators = addon("interface.questions.compare_operators")
    where, distance = operators.where_to_look(compared, 0, 1.0)
    assert list(where) == pytest.approx(answer(bpy)["places"][0][:3]) and 4 < distance < 20


# --- on a thread


class Stepped:
    """The operator in a window, with Blender's part played by the test: in background mode no operator is modal."""

    def __init__(self, bpy: Any, addon: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        operators = addon("interface.questions.compare_operators")
        self.reports: list[str] = []
        stepped = self

        job_operator = addon("interface.job_operator")

        class Operator(job_operator.RunsJob):  # type: ignore[misc,name-defined]
            a = b = file_a = file_b = ""

            def report(self, _kinds: set[str], text: str) -> None:
                stepped.reports.append(text)

        for name in ("stopped", "begin", "is_wanted", "let_go", "new_job", "_asked", "show"):
            setattr(Operator, name, vars(operators.NAVMESH_OT_compare)[name])
        wm = SimpleNamespace(
            event_timer_add=lambda *_, **__: object(),
            event_timer_remove=lambda _: None,
            modal_handler_add=lambda _: None,
        )
        self.context = SimpleNamespace(window_manager=wm, window=object(), scene=bpy.context.scene)
        self.operator = Operator()
        fake = SimpleNamespace(**{name: getattr(bpy, name) for name in ("types", "data", "ops")})
        monkeypatch.setattr(job_operator, "bpy", SimpleNamespace(**vars(fake), app=SimpleNamespace(background=False)))
        self.answer = self.operator.invoke(self.context, None)

    def event(self, kind: str = "TIMER", value: str = "NOTHING") -> set[str]:
        self.answer = self.operator.modal(self.context, SimpleNamespace(type=kind, value=value))
        return self.answer

    def run(self) -> set[str]:
        until = time.monotonic() + 300
        while self.event() == {"PASS_THROUGH"}:
            assert time.monotonic() < until, "the comparison does not end"
            time.sleep(0.005)
        return self.answer


def test_on_a_thread(bpy: Any, addon: Any, crate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    crate.location.x += 4
    build(bpy)
    stepped = Stepped(bpy, addon, monkeypatch)
    assert stepped.answer == {"RUNNING_MODAL"} and stepped.run() == {"FINISHED"}
    assert "Added" in stepped.reports[-1] and answer(bpy)["removed"] > 0
    assert addon("views.latest_comparison").running() is None


def test_escape_ends_it(bpy: Any, addon: Any, crate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    crate.location.x += 4
    build(bpy)
    stepped = Stepped(bpy, addon, monkeypatch)
    assert stepped.event("ESC", "PRESS") == {"CANCELLED"}
    assert addon("views.latest_comparison").running() is None and bpy.context.scene.navmesh.compare_answer == ""


def test_a_second_one_takes_the_place_of_the_first(bpy: Any, addon: Any, crate: Any, monkeypatch: Any) -> None:
    crate.location.x += 4
    build(bpy)
    first = Stepped(bpy, addon, monkeypatch)
    second = Stepped(bpy, addon, monkeypatch)
    assert first.event() == {"CANCELLED"} and second.run() == {"FINISHED"}


@pytest.mark.usefixtures("crate")
def test_what_goes_wrong_on_the_thread_is_said(bpy: Any, addon: Any, monkeypatch: Any, tmp_path: Path) -> None:
    stored = bpy.context.scene.navmesh
    stored.compare_a, stored.compare_file_a = "FILE", str(tmp_path / "missing.bin")
    stepped = Stepped(bpy, addon, monkeypatch)
    assert stepped.run() == {"CANCELLED"} and "missing.bin" in stepped.reports[-1]
