"""F1: Blender finds a page of ours for whatever is ours."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.drawn_panels import Drawn, Layout


def page_for(bpy: Any, rna_id: str) -> str | None:
    """What Blender opens for F1: its own way of looking it up."""
    return bpy.types.WM_OT_doc_view_manual._lookup_rna_url(rna_id, verbose=False)


def test_every_operator_has_a_page(bpy: Any, addon: Any) -> None:
    site = addon("interface.manual_pages").manual_map()[0]
    ours = [name for name in dir(bpy.ops.navmesh) if not name.startswith("_")]
    assert "build" in ours
    found = {name: page_for(bpy, f"bpy.ops.navmesh.{name}") for name in ours}
    assert not {name: page for name, page in found.items() if not str(page).startswith(f"{site}docs/")}
    assert found["export"] == f"{site}docs/guide/blender.html#export"


def test_every_field_has_a_page(bpy: Any, addon: Any) -> None:
    site = addon("interface.manual_pages").manual_map()[0]
    modules = [addon(name) for name in addon("registration").MODULES]
    classes = [cls for module in modules for cls in addon("registration").classes_of(module)]
    groups = [cls for cls in classes if issubclass(cls, bpy.types.PropertyGroup)]
    assert len(groups) >= 6
    fields = [f"bpy.types.{cls.__name__}.{field.identifier}" for cls in groups for field in cls.bl_rna.properties]
    assert not [field for field in fields if not str(page_for(bpy, field)).startswith(f"{site}docs/")]
    assert page_for(bpy, "bpy.types.NavmeshSetup.agent_radius") == f"{site}docs/guide/which-setting-when.html"
    assert page_for(bpy, "bpy.types.NavmeshObject.link_area") == f"{site}docs/guide/blender.html#areas"


def test_pages_leave_with_the_extension(bpy: Any, addon: Any) -> None:
    pages = addon("interface.manual_pages")
    site = pages.manual_map()[0]
    pages.unregister()
    try:
        assert not str(page_for(bpy, "bpy.ops.navmesh.build")).startswith(site)
    finally:
        pages.register()
    assert str(page_for(bpy, "bpy.ops.navmesh.build")).startswith(site)


@pytest.mark.parametrize(("code", "there"), [("NOT_FINITE", True), ("OF_ANOTHER_VERSION", False)])
def test_a_hint_has_a_button_for_its_page(addon: Any, code: str, there: bool) -> None:
    drawn, hint = Drawn(), addon("gather.before_build.hints_and_fixes").Hint(code, "Something is odd.")
    layout = Layout(drawn.texts, drawn.operators)
    addon("interface.panels.sidebar_panel").draw_hints(layout, [hint], 400.0)
    assert ("wm.url_open" in drawn.operator_names()) == there
    if there:
        assert drawn.operators[0][1].url.endswith(f"/codes/{code}.html")
