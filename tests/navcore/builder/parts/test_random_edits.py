"""Some of the soak's random edits: parts, areas, volumes, links, seeds, bounds, settings, cancelled updates."""

from __future__ import annotations

import pytest

from tests.soak import edits


@pytest.mark.parametrize("seed", range(1, 5))
def test_after_every_edit_the_navmesh_is_that_of_a_full_build(seed: int) -> None:
    kinds, wrong = edits.run(30, 10 * seed)
    assert not wrong
    assert sum(kinds.values()) == 30 and len(kinds) > 5
