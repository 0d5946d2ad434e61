"""The navmesh as a page: shown in a browser, written into a file, of what was built and of what was imported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane


def facts_of(page: Path) -> Any:
    found = re.search(r'id="facts">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
    assert found is not None
    return json.loads(found[1])


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses that a browser was asked for."""
    addresses: list[str] = []

    def open_(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", open_)
    return addresses


@pytest.fixture
def level(bpy: Any) -> Any:
    """Ground with a crate, built."""
    add_plane(bpy)
    crate = add_cube(bpy, "Crate")
    crate.location = (2, 2, 1)
    bpy.ops.navmesh.build(scope="VISIBLE")
    return bpy


def test_a_page_is_written_with_its_level(level: Any, tmp_path: Path, opened: list[str]) -> None:
    """In background nothing is opened, and nothing in the file changes."""
    before = [object_.name for object_ in level.data.objects]
    assert level.ops.navmesh.export_page(filepath=str(tmp_path / "level.html")) == {"FINISHED"}
    facts = facts_of(tmp_path / "level.html")
    triangles = 2 + 12
    assert facts["navmesh"]["polygons"] > 4 and facts["level"]["triangles"] == triangles and "before" not in facts
    assert facts["title"] == "Navmesh" and not opened and [object_.name for object_ in level.data.objects] == before
    assert not {"UNDO", "UNDO_GROUPED"} & level.types.NAVMESH_OT_show_page.bl_options
    assert not {"UNDO", "UNDO_GROUPED"} & level.types.NAVMESH_OT_export_page.bl_options


def test_the_button_writes_beside_blenders_own_files(level: Any, opened: list[str]) -> None:
    assert level.ops.navmesh.show_page() == {"FINISHED"} and not opened  # there is no window
    page = Path(level.app.tempdir) / "Navmesh.html"
    first = page.read_bytes()
    assert level.ops.navmesh.show_page() == {"FINISHED"} and page.read_bytes() == first  # a second time


def test_with_a_window_the_browser_opens_it(
    level: Any, addon: Any, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    operators = addon("files.page_operators")

    class App:
        background, tempdir = False, level.app.tempdir

    class Bpy:
        app, path, types = App, level.path, level.types

    monkeypatch.setattr(operators, "bpy", Bpy)
    assert level.ops.navmesh.show_page() == {"FINISHED"}
    assert opened == [(Path(level.app.tempdir) / "Navmesh.html").as_uri()]


def test_what_changed_is_shown(level: Any, tmp_path: Path) -> None:
    page = str(tmp_path / "changes.html")
    with pytest.raises(RuntimeError, match="There is no build of “Navmesh” before the last one"):
        level.ops.navmesh.export_page(filepath=page, before=True)
    assert not list(tmp_path.iterdir())
    level.data.objects["Crate"].location.x -= 4
    level.ops.navmesh.rebuild()
    assert level.ops.navmesh.export_page(filepath=page, before=True) == {"FINISHED"}
    found = facts_of(tmp_path / "changes.html")["difference"]
    assert found["added"] > 1 and found["removed"] > 1
    assert {place["kind"] for place in found["places"]} >= {"added", "removed"}


def test_seeds_tests_and_warnings_fly_to_their_places(level: Any, tmp_path: Path) -> None:
    seed = level.data.objects.new("Set out", None)
    seed.location, seed.navmesh.use = (-3, -3, 0), "SEED"
    level.context.collection.objects.link(seed)
    level.ops.navmesh.build(scope="VISIBLE", prune=True)
    level.ops.navmesh.export_page(filepath=str(tmp_path / "level.html"))
    facts = facts_of(tmp_path / "level.html")
    assert [(row["name"], row["at"]) for row in facts["seeds"]] == [("Set out", [-3.0, 0.0, 3.0])]
    assert [row["code"] for row in facts["warnings"]] == [
        row["code"] for row in json.loads(level.data.objects["Navmesh"]["navmesh_report"])["warnings"]
    ]


def test_after_the_file_was_opened_again(level: Any, tmp_path: Path) -> None:
    level.ops.navmesh.export_page(filepath=str(tmp_path / "before.html"))
    level.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    level.ops.navmesh.export_page(filepath="//after.html")
    assert facts_of(tmp_path / "after.html")["navmesh"] == facts_of(tmp_path / "before.html")["navmesh"]


@pytest.mark.parametrize("ending", [".bin", ".json"])
def test_what_was_imported_is_shown_too(level: Any, tmp_path: Path, ending: str) -> None:
    level.ops.navmesh.export(filepath=str(tmp_path / f"shipped{ending}"))
    level.ops.navmesh.export_page(filepath=str(tmp_path / "built.html"))
    level.ops.navmesh.import_file(filepath=str(tmp_path / f"shipped{ending}"))
    imported = next(o for o in level.data.objects if "shipped" in o.name)
    level.ops.navmesh.export_page(filepath=str(tmp_path / "imported.html"), setup=imported.name)
    ours, theirs = facts_of(tmp_path / "built.html"), facts_of(tmp_path / "imported.html")
    assert theirs["navmesh"]["polygons"] == ours["navmesh"]["polygons"] and "level" not in theirs


def test_what_cannot_be_a_page_is_refused(bpy: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="There is no navmesh yet"):
        bpy.ops.navmesh.show_page()
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    with pytest.raises(RuntimeError, match=r"a page is written as \.html"):
        bpy.ops.navmesh.export_page(filepath=str(tmp_path / "level.htm"))
    assert not list(tmp_path.iterdir())


def test_people_find_it(level: Any, addon: Any) -> None:
    """A button beside Export and Import, and the file in the menu of exports."""
    from tests.blender.drawn_panels import Layout, draw_panels

    assert "navmesh.show_page" in draw_panels(level, addon, "BUILD").operator_names()
    operators: list[tuple[str, Any]] = []

    class Menu:
        layout = Layout([], operators)

    addon("files.export_operator").NAVMESH_MT_export.draw(Menu(), level.context)
    assert operators[-1][0] == "navmesh.export_page"
