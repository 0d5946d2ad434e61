"""Rules 10.1 to 10.11: small regions are joined to a neighbor, small islands are given up."""

from __future__ import annotations

from navcore.types import BORDER_REGION

from .regions_twin import Record, RegionsTwin

WALK_STEPS = 39999  # of an outline that does not come back to its start


class MergingTwin(RegionsTwin):
    def merge_and_filter(self, min_area, merge_area):
        self.records = [Record(g) for g in range(self.next_id + 1)]
        self.gather()
        self.remove_islands(min_area)
        while self.sweep(merge_area):
            pass
        region, count = self.compress()
        overlapping = {g for g, record in enumerate(self.records) if record.overlap}
        numbers = {int(new) for old, new in zip(self.region, region, strict=True) if old in overlapping}
        self.overlapping = sorted(numbers - {0})  # some are removed as islands
        return region, count

    def gather(self):
        nreg = len(self.records)
        for x, z in self.cells():
            for i in self.spans(x, z):
                r = self.region[i]
                if not 0 < r < nreg:
                    continue
                record = self.records[r]
                record.count += 1
                for j in self.spans(x, z):
                    f = self.region[j]
                    if j != i and 0 < f < nreg:
                        record.overlap |= f == r
                        record.floors.add(f)
                if not record.connections:
                    record.area = self.area[i]
                    for d in range(4):
                        if self.solid(i, d):
                            record.connections = self.walk(i, d)
                            break

    def across(self, i, d):
        return self.region[self.neighbors[i][d]] if self.neighbors[i][d] >= 0 else 0

    def solid(self, i, d):
        return self.across(i, d) != self.region[i]

    def walk(self, i, d):
        start = (i, d)
        cur = self.across(i, d)
        connections = [cur]
        for _ in range(WALK_STEPS):
            if self.solid(i, d):
                r = self.across(i, d)
                if r != cur:
                    cur = r
                    connections.append(r)
                d = (d + 1) % 4
            else:
                i, d = self.neighbors[i][d], (d + 3) % 4
            if (i, d) == start:
                break
        if len(connections) > 1:
            without_duplicates(connections, 0)
        return connections

    def remove_islands(self, min_area):
        for g, record in enumerate(self.records):
            if record.id == 0 or record.id & BORDER_REGION or not record.count or record.visited:
                continue
            record.visited = True
            stack, trace, total, touches = [g], [], 0, False
            while stack:
                q = stack.pop()
                total += self.records[q].count
                trace.append(q)
                for e in self.records[q].connections:
                    if e & BORDER_REGION:
                        touches = True
                        continue
                    neighbor = self.records[e]
                    if neighbor.visited or neighbor.id == 0 or neighbor.id & BORDER_REGION:
                        continue
                    stack.append(e)
                    neighbor.visited = True
            if total < min_area and not touches:
                for q in trace:
                    self.records[q].count = self.records[q].id = 0

    def sweep(self, merge_area):
        merges = 0
        for record in self.records:
            if record.id == 0 or record.id & BORDER_REGION or record.overlap or not record.count:
                continue
            if record.count > merge_area and 0 in record.connections:
                continue
            best, target = 0xFFFFFFF, None
            for e in record.connections:
                if e & BORDER_REGION:
                    continue
                m = self.records[e]
                if m.id == 0 or m.id & BORDER_REGION or m.overlap:
                    continue
                if m.count < best and mergeable(record, m) and mergeable(m, record):
                    best, target = m.count, m
            if target is not None:
                merges += self.merge(record, target)
        return merges

    def merge(self, g, t):
        if g.id not in t.connections or t.id not in g.connections:
            return 0
        old = g.id
        ia, ib = t.connections.index(g.id), g.connections.index(t.id)
        t.connections = t.connections[ia + 1 :] + t.connections[:ia] + g.connections[ib + 1 :] + g.connections[:ib]
        without_duplicates(t.connections, 1)
        t.floors |= g.floors
        t.count += g.count
        g.count, g.connections = 0, []
        for j in self.records:
            if j.id == 0 or j.id & BORDER_REGION:
                continue
            if j.id == old:
                j.id = t.id
            if old in j.connections:
                j.connections = [t.id if e == old else e for e in j.connections]
                without_duplicates(j.connections, 1)
            if old in j.floors:
                j.floors = j.floors - {old} | {t.id}
        return 1


def without_duplicates(connections, least):
    j = 0
    while j < len(connections) and len(connections) > least:
        if connections[j] == connections[(j + 1) % len(connections)]:
            del connections[j]
        else:
            j += 1


def mergeable(p, q):
    return p.area == q.area and q.id not in p.floors and not occurs_twice(q.id, p.connections)


def occurs_twice(value, values):
    return value in values and value in values[values.index(value) + 1 :]
