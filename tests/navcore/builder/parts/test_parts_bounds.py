"""What lies around all parts of a level, whatever came and went."""

from __future__ import annotations

import random

import numpy as np

from navcore.builder.parts.dirty_tiles import PartsBounds
from navcore.builder.parts.part import NO_BOX, Part, part_of
from tests import scenes


def part_at(chance: random.Random) -> Part:
    low = [chance.uniform(-50, 50) for _ in range(3)]
    return part_of("Crate", *scenes.box(*low, *(value + chance.uniform(0.1, 5) for value in low)), None, None)


def around(parts: dict[str, Part]) -> list[float]:
    boxes = np.array([part.box for part in parts.values()] or [NO_BOX])
    return [*boxes[:, :3].min(axis=0).tolist(), *boxes[:, 3:].max(axis=0).tolist()]


def test_random_changes() -> None:
    chance, boxes, parts = random.Random(3), PartsBounds(), dict[str, Part]()
    for _ in range(300):
        names = chance.sample([f"part {k}" for k in range(60)], chance.randint(0, 9))
        changed = {name: part_at(chance) if chance.random() < 0.6 else None for name in names}
        after = {name: part for name, part in {**parts, **changed}.items() if part is not None}
        assert boxes.around_all(changed).tolist() == around(after)
        if chance.random() < 0.8:  # else it was refused
            boxes.follow(changed)
            parts = after
    assert len(parts) > 16, "more than there was room for in the beginning"
