"""What is shown of a place that was asked about, and what a changed setting would do around it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.difference.compare import navmesh_difference
from navcore.errors import BadInput, BadSettings
from navcore.reasons.place_picture import CULPRIT, GONE, THERE
from navcore.reasons.why import WhyHere
from tests.scenes import box, flat, join

STEP = join([box(0, -1, 0, 20, 1, 20), box(5, 0, 5, 7, 0.6, 7)])
SETTINGS = Settings(agent_max_climb=0.3)
ON_LEDGE, AMONG = (5.1, 0.6, 8.0), (1.5, 0.0, 1.5)


@pytest.fixture(scope="module")
def step() -> WhyHere:
    """A floor of 20 m with a block on it that is too high to step on."""
    return WhyHere(*STEP, SETTINGS)


def lines_of(picture: object, color: tuple[int, ...]) -> np.ndarray:
    return picture.lines[(picture.line_colors == color).all(axis=1)]  # type: ignore[attr-defined]


def test_a_ledge_shows_its_column_the_triangle_and_the_way_down(step: WhyHere) -> None:
    reason = step.ask(ON_LEDGE)
    picture = step.picture(ON_LEDGE, reason)
    assert reason.code == "LEDGE" and (picture.face_colors == GONE).all()
    low, high = picture.corners.min(axis=(0, 1)), picture.corners.max(axis=(0, 1))
    assert (low <= np.array(ON_LEDGE) + 1e-4).all() and (high >= np.array(ON_LEDGE) - 1e-4).all()
    assert np.allclose((high - low)[[0, 2]], SETTINGS.cell_size, atol=1e-4), "one cell"
    red = lines_of(picture, CULPRIT)
    triangle, arrow = red[:3], red[3:]
    assert np.allclose(triangle[:, 0, 1], 0.02) and len(arrow) == 4
    assert arrow[1, 1, 1] < arrow[1, 0, 1] - 0.3 and arrow[0, 1, 0] < arrow[0, 0, 0], "west, and down"


def test_walkable_ground_is_another_color_and_names_nobody(step: WhyHere) -> None:
    picture = step.picture(AMONG, step.ask(AMONG))
    assert (picture.face_colors == THERE).all() and len(lines_of(picture, CULPRIT)) == 0


def test_beside_the_level_there_is_nothing_to_show(step: WhyHere) -> None:
    place = (90.0, 0.0, 0.0)
    assert len(step.picture(place, step.ask(place)).lines) == 0


def test_a_preview_is_what_whole_builds_with_both_settings_differ_by(step: WhyHere) -> None:
    before, after = (build_navmesh(*STEP, one) for one in (SETTINGS, replace(SETTINGS, agent_max_climb=0.6)))
    whole = navmesh_difference(before, after)
    found = step.preview(ON_LEDGE, {"agent_max_climb": 0.6})
    assert 0 < found.added <= whole.added and found.removed <= whole.removed
    assert found.added > 0.3 * whole.added, "the window holds much of it"


def test_a_preview_of_what_changes_nothing_is_empty(step: WhyHere) -> None:
    found = step.preview(AMONG, {"agent_max_slope": 44.0})
    assert found.added == found.removed == 0


def test_from_nothing_walkable_to_something() -> None:
    small = WhyHere(*flat(4), Settings(agent_radius=2.5, region_min_size=0))
    found = small.preview((2, 0, 2), {"agent_radius": 0.3})
    assert found.added > 5 and found.removed == 0
    with pytest.raises(BadInput, match="With or without"):
        small.preview((2, 0, 2), {"agent_radius": 2.4})


def test_what_cannot_be_built_is_refused_by_name(step: WhyHere) -> None:
    with pytest.raises(BadSettings, match="cell_size"):
        step.preview(AMONG, {"cell_size": -1})
    with pytest.raises(BadInput, match="three numbers"):
        step.preview((1, 2), {"agent_radius": 0.1})  # type: ignore[arg-type]
