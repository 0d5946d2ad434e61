"""The rules of regions once more, slow and step by step in plain Python: one field on its way through a partitioner.

No list is compacted here, no neighbor is remembered, every merge visits every region. Each partition has a file of its
own (watershed_twin, monotone_twin, layers_twin); merging_twin is what watershed and monotone do in the end.
"""

from __future__ import annotations

import numpy as np

from navcore.types import BORDER_REGION

FAR = 65535


class RegionsTwin:
    """One field on its way through a partitioner."""

    def __init__(self, compact, border):
        self.width, self.depth, self.border = compact.width, compact.depth, border
        self.first = compact.first.tolist()
        self.neighbors = compact.neighbors.tolist()
        self.area = compact.area.tolist()
        self.n = len(self.area)
        self.region = [0] * self.n
        self.next_id = 1
        self.overlapping = []
        if border > 0:
            self.paint()

    def spans(self, x, z):
        return range(self.first[x + z * self.width], self.first[x + z * self.width + 1])

    def cells(self):
        return [(x, z) for z in range(self.depth) for x in range(self.width)]

    def paint(self):
        """Rule 9.1."""
        bw, bh = min(self.width, self.border), min(self.depth, self.border)
        for k, (xs, zs) in enumerate(
            (
                (range(bw), range(self.depth)),
                (range(self.width - bw, self.width), range(self.depth)),
                (range(self.width), range(bh)),
                (range(self.width), range(self.depth - bh, self.depth)),
            )
        ):
            for z in zs:
                for x in xs:
                    for i in self.spans(x, z):
                        if self.area[i]:
                            self.region[i] = BORDER_REGION | (k + 1)
        self.next_id = 5

    def compress(self):
        new = {}
        for record in self.records:
            if record.id and not record.id & BORDER_REGION:
                new.setdefault(record.id, len(new) + 1)
        region = [r if r & BORDER_REGION else new.get(self.records[r].id, 0) if r else 0 for r in self.region]
        return np.array(region, np.uint16), len(new)


class Record:
    """What is known about one region while merging."""

    def __init__(self, id_):
        self.id = id_
        self.count = self.area = 0
        self.overlap = self.visited = self.touches = False
        self.connections, self.floors = [], set()
