"""Files that the peer builds itself and ours: the same bytes, and the same answers to the same questions."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.answers import compare, differences, levels
from navcore import Settings, build_navmesh
from navcore.formats.mset import mset_bytes
from tests import scenes

LEVELS = levels(7, 1)


@pytest.mark.usefixtures("peer")
@pytest.mark.parametrize("name", LEVELS)
def test_the_peer_s_own_file_holds_the_same_and_answers_the_same(name: str) -> None:
    mesh, settings, more = LEVELS[name]
    told = compare(mesh, settings, **more, questions=100)
    assert told["sections"] == [] and told["different"] == []
    assert told["asked"] > 590 and told["found"] > 10 and told["whole_paths"] > 10 and told["ties"] < 20


def test_the_levels_are_in_one_piece_and_in_tiles() -> None:
    sizes = {settings.tile_size for _, settings, _ in LEVELS.values()}
    assert 0 in sizes and len(sizes) > 2


def test_a_difference_is_seen() -> None:
    """What compares bytes sees one bit in any section but for the order of equal boxes."""
    navmesh = build_navmesh(*scenes.stairs(), Settings(tile_size=32))
    sound = mset_bytes(navmesh)
    size = int(np.frombuffer(sound, "<i4", 1, 44)[0])
    flags = bytearray(sound)
    flags[48 + 100 + 12 * int(np.frombuffer(sound, "<i4", 1, 48 + 28)[0]) + 28] ^= 1
    assert differences(bytes(flags), sound) == ["tile (0, 0): polygons"]
    boxes = bytearray(sound)
    boxes[48 + size - 16 * int(np.frombuffer(sound, "<i4", 1, 48 + 48)[0])] ^= 1
    assert differences(bytes(boxes), sound) == ["tile (0, 0): nodes"]
    assert differences(sound, sound) == []
