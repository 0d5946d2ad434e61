"""Our own scenes: every array after every stage is pinned by hash, for several numbers of threads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.golden import scene_builds

PINNED = json.loads(scene_builds.FILE.read_text())
BUILDS = dict(scene_builds.builds())


@pytest.mark.parametrize("name", BUILDS)
def test_every_array_is_as_pinned(name: str) -> None:
    found: dict[str, Any] = scene_builds.hashes(BUILDS[name], threads=1 + len(name) % 3)
    assert [a for a in PINNED[name] if found.get(a) != PINNED[name][a]] == []
    assert found.keys() == PINNED[name].keys()
