"""Links that somebody rejected, pinned or moved, in builds that find links again."""

from dataclasses import replace

import pytest

from navcore import BadInput, LinkEdits, NavMesh, Settings, WideLink, build_navmesh
from tests import scenes
from tests.navcore.link_finder.link_scenes import floors

LINKED = Settings(generate_links=True)


def rebuilt(edits: LinkEdits, *more: scenes.Mesh) -> NavMesh:
    return build_navmesh(*scenes.join([floors(1.5), *more]), LINKED, link_edits=edits)


def found() -> WideLink:
    (wide,) = rebuilt(LinkEdits()).wide_links
    return wide


def warnings(navmesh: NavMesh) -> list[tuple[str, bool]]:
    return [(warning.code, warning.place is not None) for warning in navmesh.report.warnings]


def test_ids_stay() -> None:
    assert found() == found() and found().id > 0
    assert found().id in {wide.id for wide in rebuilt(LinkEdits(), scenes.box(30, 0, 0, 6, 1, 6)).wide_links}


def test_what_was_rejected_stays_away() -> None:
    assert rebuilt(LinkEdits(rejected=(found(),))).wide_links == ()
    other = replace(found(), kind="drop", bidirectional=False)
    assert rebuilt(LinkEdits(rejected=(other,))).wide_links == (found(),)


def test_what_is_kept_takes_the_place_of_what_is_found() -> None:
    left, _, far_left, _ = found().corners
    middle, far_middle = (12 - 0.7, 9.2, 6.0), (12 + 1.5 + 1.0, 9.2, 6.0)
    moved = replace(found(), corners=(left, middle, far_left, far_middle), id=77, points=(), area=9)
    navmesh = rebuilt(LinkEdits(kept=(moved,)))
    (wide,) = navmesh.wide_links
    assert (wide.corners, wide.id, wide.area) == (moved.corners, 77, 9) and len(wide.points) == 2
    assert warnings(navmesh) == [] and {link.id for link in navmesh.links} == {77}


def test_what_is_kept_is_looked_at() -> None:
    pinned = LinkEdits(kept=(found(),))
    assert rebuilt(pinned).wide_links == (found(),)
    blocked = rebuilt(pinned, scenes.box(12.7, 0, 6, 0.1, 14, 0.1))
    assert warnings(blocked) == [("LINK_BLOCKED", True)] and blocked.wide_links == (found(),)
    away = replace(found(), corners=tuple((x + 1, y, z) for x, y, z in found().corners), points=())
    nowhere = rebuilt(LinkEdits(kept=(away,)))
    assert ("LINK_ENDS_NOWHERE", True) in warnings(nowhere)
    assert [wide.points for wide in nowhere.wide_links if wide.corners == away.corners] == [()]


@pytest.mark.parametrize("cell_size", [0.2, 0.25, 0.3, 0.37])
@pytest.mark.parametrize("shift", [0.0, 0.11, 0.2])
def test_what_is_pinned_has_its_ground_again(cell_size: float, shift: float) -> None:
    """In the same level, and where something else on its floors moves: outlines are simplified anew then."""
    settings = Settings(generate_links=True, cell_size=cell_size)

    def level(x: float, z: float) -> scenes.Mesh:
        boxes = [scenes.box(-11.5 + shift, -1, -7, 11, 1, 14), scenes.box(0.5, -1, -7, 11, 1, 14)]
        boxes += [scenes.box(-11.5, -1, -15, 11, 1, 7), scenes.box(x - 0.4, 0, z - 0.4, 0.8, 3, 0.8)]
        return scenes.join(boxes)

    before = build_navmesh(*level(-6, 3), settings).wide_links
    assert len(before) >= 2
    for place in ((-6, 3), (-4, 2), (6, 3), (-8, -2)):
        again = build_navmesh(*level(*place), settings, link_edits=LinkEdits(kept=before))
        assert warnings(again) == [] and all(wide.points for wide in again.wide_links), place


def test_what_are_no_edits_is_refused() -> None:
    with pytest.raises(BadInput, match="link_edits must be LinkEdits"):
        build_navmesh(*scenes.flat(9), LINKED, link_edits=[])  # type: ignore[arg-type]
