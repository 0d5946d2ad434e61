"""Questions to our own scenes whose answers are pinned by hash in queries.json.

    python -m tests.golden.queries.query_hashes            compare, and list what differs
    python -m tests.golden.queries.query_hashes --write    write the hashes (after an independent comparison)

When the hashes were written, the same program gave the answers of the C++ library in every array of seven other sets of
500 to 800 questions each, in one piece and in tiles.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from navcore import NavQuery, QueryFilter, Settings, build_navmesh
from navcore.questions.question_files import Questions, answers_to
from tests import scenes
from tests.golden.scene_builds import SCENES, VOLUMES, compared, digests

FILE = Path(__file__).with_name("queries.json")
LINKS = [{"start": [2, 0, 2], "end": [10, 0, 10], "radius": 3.0, "area": 5, "flags": 8, "id": 1}]
CASES = [f"{scene}/{size}/{nodes}" for scene in SCENES for size, nodes in ((0, 2048), (24, 2048), (24, 12))]
_ROWS = 300


def hashes(case: str) -> dict[str, str]:
    """The start of the SHA-256 of every array of answers."""
    scene, size, nodes = case.split("/")
    mesh: scenes.Mesh = SCENES[scene]()
    navmesh = build_navmesh(*mesh, Settings(tile_size=int(size)), volumes=VOLUMES, links=LINKS)
    low, high = mesh[0].min(0), mesh[0].max(0)
    points = np.random.default_rng(len(mesh[1])).uniform(low - 1, high + 1, (2 * _ROWS, 3)).astype(np.float32)
    costs = QueryFilter({1: 10.0, 4: 2.0, 5: 1.5}, include=0xFFEF)
    asked = Questions(points[:_ROWS], points[_ROWS:], np.array([2, 4, 2]), costs, int(nodes), 256)
    return digests(answers_to(NavQuery(navmesh), asked))


if __name__ == "__main__":
    sys.exit(compared({case: hashes(case) for case in CASES}, FILE))
