"""What the comparison hands to the viewport. (Its pixels are looked at in tests/gui.)"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def compared(bpy: Any, addon: Any) -> Any:
    """A crate that was moved between two builds."""
    add_plane(bpy)
    crate = add_cube(bpy, "Crate", (-5, -5, 1))
    bpy.ops.navmesh.build(scope="VISIBLE")
    crate.location.x += 4
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.compare()
    return addon("views.latest_comparison").shown(bpy.context.scene.session_uid)


def test_its_faces_lie_above_the_navmeshes_that_are_shown(bpy: Any, compared: Any) -> None:
    lift = bpy.data.objects["Navmesh"].modifiers["Above Ground"].strength
    ground = 0.2  # metres: where the detail of a floor at 0 lies
    assert compared.picture.corners[:, :, 1].min() > ground + lift - 1e-3
    corners = compared.picture.corners.astype(np.float64)
    across = np.abs((corners[:, 2] - corners[:, 0])[:, [0, 2]])
    covered = across.prod(axis=1).sum()
    assert covered == pytest.approx(compared.found.added + compared.found.removed + compared.found.moved, rel=1e-3)


def test_it_keeps_no_navmesh_alive(compared: Any) -> None:
    assert all(side.navmesh is None and side.request is None for side in compared.sides)
    assert len(compared.found.columns) == 0 and compared.found.columns.base is None and compared.found.places


@pytest.mark.parametrize(("few", "python"), [(1e9, 2), (0.0, 0)])
def test_what_is_large_waits_for_its_kernels(
    bpy: Any, addon: Any, monkeypatch: pytest.MonkeyPatch, few: float, python: int
) -> None:
    """Plain Python stands in for a small ground only."""
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.build(scope="VISIBLE")
    module, waited, stood_in = addon("views.compare_job"), [], []
    monkeypatch.setattr(module, "_FEW_CELLS", few)
    monkeypatch.setattr(module.waiting, "wait", waited.append)
    monkeypatch.setattr(module.waiting, "read_or_write", lambda work: (stood_in.append(work), work())[1])
    assert bpy.ops.navmesh.compare() == {"FINISHED"}
    assert len(stood_in) == 2 + python and len(waited) == 2 - python, "beside making plain arrays of both"


def test_in_background_nothing_is_drawn(addon: Any) -> None:
    assert addon("views.drawn_comparison").OVERLAY._handles == []


def test_a_fault_while_drawing_is_said_once(addon: Any, capsys: pytest.CaptureFixture[str]) -> None:
    module = addon("views.overlay")

    def fails() -> None:
        raise ValueError("no such shader")

    drawn = module.said_once(fails)
    try:
        for _ in range(3):
            drawn()
        assert capsys.readouterr().out.count("no such shader") == 2, "the line of the source, and what it raised"
    finally:
        module._said.clear()
