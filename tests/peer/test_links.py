"""Links that Detour itself attaches when it loads a file: the same ones that a build's report calls attached."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.answers import HERE, levels
from navcore import NavMesh, Settings, build_navmesh
from navcore.detour.byte_layout import NO_LINK, SET_HEADER, TILE_ENTRY
from navcore.detour.reader import read_navmesh
from navcore.formats.mset import mset_bytes, tile_blobs
from navcore.result.navmesh import world_vertices
from tests import scenes

LEVELS = levels(14, 5)


def random_links(navmesh: NavMesh, seed: int) -> list[dict[str, Any]]:
    """Between corners of polygons, moved a little or much: some attached, some at one end, some at none."""
    rng = np.random.default_rng(seed)
    corners = np.concatenate([world_vertices(tile.polygon_mesh) for tile in navmesh.tiles])
    made = []
    for number in range(1, 61):
        ends = corners[rng.integers(len(corners), size=2)] + rng.normal(0, 1, (2, 3)) * rng.choice([0.1, 0.5, 2, 8])
        if number % 4 == 0:  # short ones, which stay within a tile or lead to the next
            ends[1] = ends[0] + rng.normal(0, 1.5, 3)
        radius, both = float(rng.choice([0.2, 0.6, 3.0])), bool(rng.integers(2))
        start, end = np.round(ends.astype(float), 3).tolist()
        made.append({"start": start, "end": end, "radius": radius, "bidirectional": both, "id": number})
    return made


def unlinked_file(navmesh: NavMesh) -> bytes:
    """The navmesh as a file whose tiles have no links at all, so that none of ours can be mistaken for Detour's."""
    whole = mset_bytes(navmesh)
    parts = [whole[: SET_HEADER.itemsize]]
    for record, blob in zip(read_navmesh(whole).tiles, tile_blobs(navmesh), strict=True):
        parts += [np.array((record.reference, len(blob)), TILE_ENTRY).tobytes(), blob]
    return b"".join(parts)


def attached_by_detour(content: bytes) -> dict[int, set[int]]:
    """The ends (0 start, 1 end) at which each link, by its id, has a link in the file."""
    found: dict[int, set[int]] = {}
    for tile in read_navmesh(content).tiles:
        parts = tile.sections
        for record in parts.connections:
            ends = found.setdefault(int(record["user_id"]), set())
            k = int(parts.polygons["first_link"][record["polygon"]])
            while k != NO_LINK:
                ends.add(int(parts.links["edge"][k]))
                k = int(parts.links["next"][k])
    return found


@pytest.mark.usefixtures("peer")
def test_a_report_tells_of_the_links_that_detour_does_not_attach_and_of_no_others(tmp_path: Path) -> None:
    seen = []
    for number, (mesh, settings, _) in enumerate(LEVELS.values()):
        links = random_links(build_navmesh(*mesh, settings), number)
        navmesh = build_navmesh(*mesh, settings, links=links)
        (tmp_path / "given.bin").write_bytes(unlinked_file(navmesh))
        subprocess.run(["node", HERE / "peer" / "relinked.mjs", "given.bin", "written.bin"], cwd=tmp_path, check=True)
        theirs = attached_by_detour((tmp_path / "written.bin").read_bytes())
        expected = [tuple(end in theirs.get(link["id"], ()) for end in (0, 1)) for link in links]
        assert [not start for start, _ in navmesh.failing_ends] == [start for start, _ in expected]
        assert [not any(ends) for ends in navmesh.failing_ends] == [all(ends) for ends in expected]
        told = {int(w.message.split()[1]) for w in navmesh.report.warnings if w.code == "LINK_UNATTACHED"}
        assert told == {link["id"] for link, ends in zip(links, expected, strict=True) if not all(ends)}
        seen += expected
    counts = {ends: seen.count(ends) for ends in set(seen)}
    assert counts[True, True] > 60 and counts[True, False] > 60 and counts[False, False] > 60, counts


def test_links_are_read_as_they_lie_in_a_file() -> None:
    links = [{"start": [2, 0, 2], "end": [4, 0, 4], "id": 1}, {"start": [2, 0, 2], "end": [4, 9, 4], "id": 2}]
    navmesh = build_navmesh(*scenes.box(0, -1, 0, 10, 1, 10), Settings(), links=links)
    assert attached_by_detour(mset_bytes(navmesh)) == {1: {0, 1}, 2: {0}}
