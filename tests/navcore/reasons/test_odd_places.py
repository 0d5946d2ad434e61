"""Places that are walkable and odd: over ground that the navmesh leaves, and inside of closed bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from navcore import Reason, Settings, WhyHere, build_navmesh, why
from navcore.stages.detail import build_detail_mesh
from navcore.threads import Workers
from tests import scenes

FLAT = scenes.flat(12)
HOLLOW = scenes.box(3, -1, 3, 6, 5, 6)


def ridge() -> scenes.Mesh:
    """Ground that rises 3.6 m to a line in its middle."""
    vertices = np.float32([[x, 3.6 if x == 10 else 0, z] for x in (0, 10, 20) for z in (0, 10)])
    return vertices, np.int32([[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]])


def odd(reason: Reason) -> Reason | None:
    """What follows a place that is walkable."""
    assert reason.walkable and (reason.code, reason.stage) == ("WALKABLE", "navmesh")
    assert reason.next is None or reason.next.walkable
    return reason.next


@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        (Settings(edge_max_length=0, detail_mesh=False), "detail_mesh"),
        (Settings(edge_max_length=0, detail_sample_distance=0), "detail_sample_distance"),
        (Settings(edge_max_length=0, detail_sample_max_error=40), "detail_sample_max_error"),
        (Settings(edge_max_length=0, detail_sample_distance=80), "detail_sample_distance"),
        (Settings(edge_max_length=0, detail_sample_distance=0, tile_size=256), "detail_sample_distance"),
    ],
)
def test_a_navmesh_that_leaves_the_ground_hovers_and_the_suggestion_ends_it(settings: Settings, setting: str) -> None:
    mesh, at = ridge(), (10.05, 3.6, 5)
    reason = odd(why(*mesh, settings, at=at))
    assert reason is not None and (reason.code, reason.setting) == ("HOVERING", setting)
    assert reason.value is not None and reason.limit == pytest.approx(1.2) and reason.value > reason.limit
    assert "below the ground" in reason.sentence and reason.triangle is not None and reason.suggested is not None
    changed = replace(settings, **{setting: reason.suggested})
    assert odd(why(*mesh, changed, at=at)) is None


def test_the_gap_is_that_of_the_finished_navmesh() -> None:
    mesh, settings = ridge(), Settings(edge_max_length=0, detail_sample_distance=0)
    reason = odd(why(*mesh, settings, at=(10.05, 3.6, 5)))
    navmesh = build_navmesh(*mesh, settings)
    highest = float(navmesh.tiles[0].detail_mesh.vertices[:, 1].max())
    assert reason is not None and reason.value is not None
    assert 3.58 - highest - 1e-3 <= reason.value <= 3.58


def test_with_the_usual_settings_nothing_hovers() -> None:
    level = WhyHere(*ridge(), Settings())
    reasons = [level.ask((x, 3.6 - 0.36 * abs(x - 10), 5)) for x in np.linspace(2, 18, 17)]
    assert [reason.code for reason in reasons] == ["WALKABLE"] * 17 and {odd(reason) for reason in reasons} == {None}


def test_the_detail_of_one_polygon_is_what_it_is_among_all() -> None:
    stages = build_navmesh(*scenes.terrain(40, rise=0.2), Settings(), keep_stages=True).stages
    mesh, whole, voxels = stages["polygon_mesh"], stages["detail_mesh"], Settings().in_voxels()
    sampling = voxels.detail_sample_distance, voxels.detail_sample_max_error
    assert len(mesh.polygons) > 5
    for p, (vertex, vertices, triangle, triangles) in enumerate(whole.meshes.tolist()):
        one = mesh._replace(
            polygons=mesh.polygons[[p]], neighbors=mesh.neighbors[[p]], region=mesh.region[[p]], area=mesh.area[[p]]
        )
        with Workers(1) as workers:
            alone = build_detail_mesh(one, stages["eroded"], stages["regions"], *sampling, workers)
        assert np.array_equal(alone.vertices, whole.vertices[vertex : vertex + vertices])
        assert np.array_equal(alone.triangles, whole.triangles[triangle : triangle + triangles])


def test_the_inside_of_a_closed_body_is_told_with_the_face_above() -> None:
    vertices, triangles = scenes.join([FLAT, HOLLOW])
    reason = odd(why(vertices, triangles, at=(6, 0, 6)))
    assert reason is not None and (reason.code, reason.setting, reason.next) == ("INSIDE_SOLID", None, None)
    assert reason.triangle is not None and (vertices[triangles[reason.triangle], 1] == 4).all(), "its roof"


def test_what_stands_inside_of_a_body_and_what_surrounds_it_changes_nothing() -> None:
    crates = [
        scenes.box(3.5, 0.5, 6.2, 0.3, 2, 0.3),
        scenes.box(6, 3, 6, 0.5, 0.5, 0.5),
        scenes.box(11, -1, 0, 1, 9, 12),
    ]
    reason = odd(why(*scenes.join([FLAT, HOLLOW, *crates]), at=(6, 0, 6)))
    assert reason is not None and reason.code == "INSIDE_SOLID"


def upper_floor() -> scenes.Mesh:
    vertices, triangles = scenes.flat(12)
    return (vertices + np.float32([0, 4, 0])).astype(np.float32), triangles


NOT_INSIDE = {
    "open ground": [],
    "beside a body": [scenes.box(8, -1, 3, 3, 5, 6)],
    "under a roof": [scenes.box(2, 4, 2, 8, 0.5, 8)],
    "under a floor of one side": [upper_floor()],
    "a room of thick walls": [
        scenes.box(2, -1, 2, 0.5, 5, 8), scenes.box(10, -1, 2, 0.5, 5, 8), scenes.box(2, -1, 1.5, 8.5, 5, 0.5),
        scenes.box(2, -1, 10, 8.5, 5, 0.5), scenes.box(2, 4, 2, 8, 0.5, 8),
    ],
    "a body that is turned inside out": [(HOLLOW[0], np.ascontiguousarray(HOLLOW[1][:, ::-1]))],
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_INSIDE)
def test_other_places_are_not_inside(name: str) -> None:
    assert odd(why(*scenes.join([FLAT, *NOT_INSIDE[name]]), at=(6, 0, 6))) is None


def test_a_place_may_be_odd_twice() -> None:
    vertices, triangles = ridge()
    shell = scenes.box(2, -1, -1, 16, 9, 12)
    reason = odd(
        why(
            *scenes.join([(vertices, triangles), shell]),
            Settings(edge_max_length=0, detail_mesh=False),
            at=(10.05, 3.6, 5),
        )
    )
    assert reason is not None and reason.next is not None
    assert (reason.code, reason.next.code) == ("HOVERING", "INSIDE_SOLID")
