"""Parts of levels, against the same cut with sorting."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from navcore.geometry.level_parts import LevelParts
from navcore.types import I32, Geometry


def level(rng: np.random.Generator) -> Geometry:
    vertices = rng.uniform(-9, 9, (700, 3)).astype(np.float32)
    triangles = rng.integers(0, 700, (900, 3), dtype=np.int32)
    return Geometry(vertices, triangles, rng.integers(0, 64, 900, dtype=np.uint8))


def lists(rng: np.random.Generator) -> list[I32]:
    """Of triangles, ascending; some are in several."""
    return [
        np.sort(rng.choice(900, rng.integers(0, 40), replace=False)).astype(np.int32) for _ in range(rng.integers(1, 6))
    ]


def expected(whole: Geometry, chosen: list[I32]) -> tuple[bytes, bytes, int]:
    triangles = np.unique(np.concatenate(chosen))
    used = np.unique(whole.triangles[triangles])
    return whole.vertices[whole.triangles[triangles]].tobytes(), whole.area[triangles].tobytes(), len(used)


def found(part: Geometry) -> tuple[bytes, bytes, int]:
    assert part.triangles.dtype == np.int32 and part.vertices.dtype == np.float32 and part.area.dtype == np.uint8
    return part.vertices[part.triangles].tobytes(), part.area.tobytes(), len(part.vertices)


def test_a_part_has_its_triangles_once_in_order_and_no_other_vertex() -> None:
    rng = np.random.default_rng(3)
    whole = level(rng)
    parts = LevelParts(whole)
    for _ in range(50):
        chosen = lists(rng)
        assert found(parts.cut(chosen)) == expected(whole, chosen)


def test_several_threads_may_cut_at_the_same_time() -> None:
    rng = np.random.default_rng(4)
    whole = level(rng)
    parts, choices = LevelParts(whole), [lists(rng) for _ in range(300)]
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(parts.cut, choices))
    assert [found(part) for part in made] == [expected(whole, chosen) for chosen in choices]


def test_nothing_chosen_is_an_empty_part() -> None:
    part = LevelParts(level(np.random.default_rng(5))).cut([np.empty(0, np.int32)])
    assert len(part.vertices) == len(part.triangles) == len(part.area) == 0
