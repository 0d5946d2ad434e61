"""Points of wide links where a format has only points: in Detour's files those that are joined, in RecastDemo's 256."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from navcore import NavMesh
from navcore.detour.queries.checked_links import joined_links
from navcore.detour.reader import read_navmesh
from navcore.errors import NavmeshError
from navcore.formats import write_navmesh
from navcore.formats.mset import mset_bytes, tile_blobs
from navcore.formats.recastdemo import MOST_LINKS, links_that_fit
from navcore.formats.target_catalog import ExportOptions
from navcore.level_source import LevelSource
from navcore.result.wide_link_records import wide_link_points
from navcore.wide_links import WideLink
from tests.wide_links import CLIMB, DROP, JUMP, OVER_THE_GAP, PLATFORMS, Corners, platforms, wide

IN_THE_AIR: Corners = ((5.0, 2.0, 1.0), (5.0, 2.0, 9.0), (5.0, 60.0, 1.0), (5.0, 60.0, 9.0))


def ids_in(content: bytes) -> list[int]:
    return [int(number) for tile in read_navmesh(content).tiles for number in tile.sections.connections["user_id"]]


@pytest.mark.parametrize("tile_size", [0, 32])
def test_a_bin_holds_every_point_that_detour_joins(tmp_path: Path, tile_size: int) -> None:
    navmesh = platforms(JUMP, DROP, CLIMB, tile_size=tile_size, links=1)
    assert not any(map(any, navmesh.failing_ends))
    assert write_navmesh(navmesh, tmp_path / "n.bin") == []
    assert sorted(ids_in((tmp_path / "n.bin").read_bytes())) == [1, *[101] * 5, *[102] * 5, 103]


def test_the_points_of_a_bin_are_as_wide_as_their_parts() -> None:
    [tile] = read_navmesh(mset_bytes(platforms(JUMP))).tiles
    records = tile.sections.connections
    assert records["radius"].tolist() == [1.0] * 5 and records["flags"].tolist() == [1] * 5
    assert records["points"][:, [0, 2, 3, 5]] == pytest.approx(np.array([[9.3, z, 12.3, z] for z in (2, 4, 6, 8, 10)]))
    [tile] = read_navmesh(mset_bytes(platforms(DROP))).tiles
    assert tile.sections.connections["flags"].tolist() == [0] * 5


def test_points_that_detour_would_not_join_are_left_out_with_their_number(tmp_path: Path) -> None:
    lost = wide("drop", IN_THE_AIR, 66)
    navmesh = platforms(JUMP, lost, links=1)
    warnings = write_navmesh(navmesh, tmp_path / "n.bin")
    assert [(w.code, w.message.split(":")[0]) for w in warnings] == [
        ("LINKS_LEFT_OUT", "4 of the 9 points of links that were found are left out of the .bin")
    ]
    content = (tmp_path / "n.bin").read_bytes()
    assert sorted(ids_in(content)) == [1, *[101] * 5]
    assert content == mset_bytes(navmesh)
    assert len(tile_blobs(navmesh)[0]) < len(tile_blobs(replace(navmesh, failing_ends=()))[0])


def test_links_that_were_given_are_never_left_out() -> None:
    """A report warns of them; who placed them decides."""
    navmesh = platforms(JUMP, links=1)
    fails = replace(navmesh, failing_ends=((True, True), *navmesh.failing_ends[1:]))
    assert joined_links(fails) == navmesh.links
    assert joined_links(replace(navmesh, failing_ends=())) == navmesh.links


# --------------------------------------------------------------------- RecastDemo


def many(count: int, points: int) -> list[WideLink]:
    values = {"bidirectional": True, "area": 5, "flags": 8}
    return [
        replace(wide("jump", OVER_THE_GAP, k), points=wide_link_points(OVER_THE_GAP, 10 / points, number=k, **values))
        for k in range(count)
    ]


def written_gset(navmesh: NavMesh, folder: Path) -> tuple[list[str], list[str]]:
    options = ExportOptions(level=LevelSource(*PLATFORMS))
    warnings = write_navmesh(navmesh, folder / "n.gset", options=options)
    lines = (folder / "n.gset").read_text().splitlines()
    return [line for line in lines if line.startswith("c ")], [
        w.message for w in warnings if w.code == "LINKS_LEFT_OUT"
    ]


def test_a_gset_holds_points(tmp_path: Path) -> None:
    connections, said = written_gset(platforms(JUMP, DROP, CLIMB, links=2), tmp_path)
    assert len(connections) == 13 and not said
    assert connections[2] == "c 9.3 2 2 12.3 2 2 1 1 5 8" and connections[7].endswith("1 0 5 8")


def test_a_gset_has_room_for_256_links_and_says_what_is_left_out(tmp_path: Path) -> None:
    connections, said = written_gset(platforms(*many(60, 5), links=3), tmp_path)
    assert len(connections) == MOST_LINKS
    [text] = said
    assert text.startswith("A .gset holds 256 links, so 47 points of links that were found are left out.")
    assert text.endswith("Raise link_spacing, so that wide links have fewer.")


def test_wide_links_keep_their_middles() -> None:
    navmesh = platforms(*many(100, 5), links=6)
    fitting = links_that_fit(navmesh.links, navmesh.wide_links)
    assert len(fitting) == MOST_LINKS and fitting[:6] == list(navmesh.given_links)
    kept = [[link.start[2] for link in fitting[6:] if link.id == number] for number in range(100)]
    assert kept == [[4.0, 6.0, 8.0]] * 50 + [[4.0, 6.0]] * 50
    few = platforms(JUMP, links=1)
    assert links_that_fit(few.links, few.wide_links) == list(few.links)


def test_more_links_that_were_given_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NavmeshError, match="257 links; RecastDemo holds 256"):
        written_gset(platforms(JUMP, links=257), tmp_path)
    assert list(tmp_path.iterdir()) == []
