"""The tool keeps its start and end while navmesh, level or scene go away under them: sentences, no errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane

START, END = (-8, -8, 0), (8, 8, 0)


@pytest.fixture
def asked(bpy: Any, addon: Any) -> Any:
    """A navmesh, and a way on it that the tool shows."""
    add_plane(bpy)
    add_cube(bpy, "Block", (0, 0, 1))
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.context.scene.navmesh.test_start, bpy.context.scene.navmesh.test_end = START, END
    assert said(bpy, addon).endswith("searched)")
    return bpy


def said(bpy: Any, addon: Any) -> str:
    """What the status bar says."""
    sentence: str = addon("ask.drawn_answer").status(bpy.context.scene)
    return sentence


def deleted(bpy: Any) -> None:
    for name in ("Navmesh", "Navmesh Detail"):
        bpy.data.objects.remove(bpy.data.objects[name])


def mesh_deleted(bpy: Any) -> None:
    bpy.data.meshes.remove(bpy.data.objects["Navmesh"].data)


def renamed(bpy: Any) -> None:
    bpy.data.objects["Navmesh"].name = "Walkable Ground"
    bpy.context.scene.navmesh.setups[0].name = "Somebody"


def setup_removed(bpy: Any) -> None:
    assert bpy.ops.navmesh.setup_remove() == {"FINISHED"}


def another_scene(bpy: Any) -> None:
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    other.navmesh.test_start, other.navmesh.test_end = START, END


def session_forgotten(bpy: Any) -> None:
    bpy.data.objects["Navmesh"]["navmesh_build"] = "of yesterday"


def level_changed(bpy: Any) -> None:
    bpy.data.objects["Block"].location = (8, 8, 1)
    bpy.context.view_layer.update()


def level_deleted(bpy: Any) -> None:
    for name in ("Ground", "Block"):
        bpy.data.objects.remove(bpy.data.objects[name])
    bpy.context.view_layer.update()


def in_the_sky(bpy: Any) -> None:
    bpy.context.scene.navmesh.test_end = (0, 0, 300)


def out_of_the_world(bpy: Any) -> None:
    bpy.context.scene.navmesh.test_start = (1e30, 0, 0)


WAYS: dict[Callable[[Any], None], str] = {
    deleted: "no navmesh to ask yet",
    mesh_deleted: "no navmesh to ask yet",
    renamed: "searched",
    setup_removed: "no navmesh to ask yet",
    another_scene: "no navmesh to ask yet",
    session_forgotten: "searched",
    level_changed: "searched) (",
    level_deleted: "searched) (",
    in_the_sky: "no navmesh near the end",
    out_of_the_world: "too far away",
}
QUESTIONS: dict[str, Callable[[Any], Any]] = {
    "find_path": lambda bpy: bpy.ops.navmesh.find_path(start=START, end=END),
    "why": lambda bpy: bpy.ops.navmesh.why(location=START),
    "test_add": lambda bpy: bpy.ops.navmesh.test_add(),
    "bake_walk": lambda bpy: bpy.ops.navmesh.bake_walk(agents=1, seconds=0.2),
    "forget_reason": lambda bpy: bpy.ops.navmesh.forget_reason(),
}


@pytest.mark.parametrize("happens", WAYS, ids=lambda way: way.__name__)
def test_the_status_bar_has_a_sentence(asked: Any, addon: Any, happens: Callable[[Any], None]) -> None:
    happens(asked)
    assert WAYS[happens] in said(asked, addon)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("happens", WAYS, ids=lambda way: way.__name__)
def test_no_question_is_a_traceback(
    asked: Any, draw: Any, happens: Callable[[Any], None], question: str, capfd: pytest.CaptureFixture[str]
) -> None:
    QUESTIONS["why"](asked)
    happens(asked)
    refused = "."
    try:
        QUESTIONS[question](asked)
    except RuntimeError as error:  # what is reported as an error is raised in scripts
        refused = str(error)
    draw()
    assert refused.rstrip().endswith(".") and "Traceback" not in refused + "".join(capfd.readouterr())


def test_undo_takes_the_navmesh_away_and_redo_brings_it_back(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    bpy.ops.ed.undo_push(message="Level")
    bpy.context.scene.navmesh.test_start, bpy.context.scene.navmesh.test_end = START, END
    bpy.ops.ed.undo_push(message="Ends")
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.ed.undo_push(message="Build")
    assert said(bpy, addon).endswith("searched)")
    bpy.ops.ed.undo()
    assert "no navmesh to ask yet" in said(bpy, addon) or "searched" in said(bpy, addon)
    while "Navmesh" in bpy.data.objects:
        assert bpy.ops.ed.undo() == {"FINISHED"}
    bpy.context.scene.navmesh.test_start, bpy.context.scene.navmesh.test_end = START, END
    assert "no navmesh to ask yet" in said(bpy, addon)


def test_a_changed_level_is_told_by_why(asked: Any) -> None:
    level_changed(asked)
    asked.ops.navmesh.why(location=START)
    assert json.loads(asked.context.scene.navmesh.why_answer)["code"] == "STALE"
