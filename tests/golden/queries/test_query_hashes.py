"""Our own scenes: every answer is pinned by hash, with small pools and in tiles, too."""

from __future__ import annotations

import json

import pytest

from tests.golden.queries import query_hashes

PINNED = json.loads(query_hashes.FILE.read_text())


@pytest.mark.parametrize("case", query_hashes.CASES)
def test_every_answer_is_as_pinned(case: str) -> None:
    found = query_hashes.hashes(case)
    assert [name for name in PINNED[case] if found.get(name) != PINNED[case][name]] == []
    assert found.keys() == PINNED[case].keys()
