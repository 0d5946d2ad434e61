"""Levels of the soak through the peer: its sound results are ours without repair, its broken ones are mended here."""

from __future__ import annotations

import pytest

from tests.soak.peer import DIFFERENT, JOINED, SAME, soak


@pytest.mark.usefixtures("peer")
def test_sound_levels_of_the_peer_are_ours_to_the_last_bit() -> None:
    ends, codes = soak(range(10))
    assert ends[SAME] > 20 and ends[DIFFERENT] == 0
    assert set(ends) <= {SAME, JOINED, "breaks an invariant"}
    assert ends["breaks an invariant"] > 0 and codes["OVERLAP"] > 0, "or the checks see nothing"
