"""The rules of regions once more, slow and step by step in plain Python; and random fields to compare on.

No list is compacted here, no neighbor is remembered, every merge visits every region.
"""

from __future__ import annotations

import random

import numpy as np

from navcore.types import BORDER_REGION, CompactHeightfield, DistanceField

DX, DZ = (-1, 0, 1, 0), (0, 1, 0, -1)
FAR = 65535
WALK_STEPS = 39999  # of an outline that does not come back to its start


def field(width, depth, columns, height_vx=3, climb_vx=1):
    """Open space from lists of (floor, clearance, area) per column, linked as Recast links it."""
    first = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int32)
    spans = [s for column in columns for s in column]
    neighbors = np.full((len(spans), 4), -1, np.int32)
    for c, column in enumerate(columns):
        for k, (y, h, _) in enumerate(column):
            for d in range(4):
                x, z = c % width + DX[d], c // width + DZ[d]
                if not (0 <= x < width and 0 <= z < depth):
                    continue
                for layer, (ny, nh, _) in enumerate(columns[x + z * width]):
                    if min(y + h, ny + nh) - max(y, ny) >= height_vx and abs(ny - y) <= climb_vx:
                        neighbors[first[c] + k, d] = first[x + z * width] + layer
                        break
    floor, clearance, area = (
        np.array([s[i] for s in spans], dtype) for i, dtype in enumerate((np.uint16, np.uint8, np.uint8))
    )
    return CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)


def drawn(text, storeys=1):
    """A field from a picture: `#` is a walkable column, a digit one of that area, `.` none; '/' ends a row."""
    rows = text.split("/")
    area = {"#": 63, **{str(i): i for i in range(10)}}
    columns = [[] if c == "." else [(10 * s, 9, area[c]) for s in range(storeys)] for row in rows for c in row]
    return field(len(rows[0]), len(rows), columns)


def random_field(rng: random.Random, width, depth, storeys=3, gap=0.2, areas=(63,), unwalkable=0.1):
    """Storeys that touch, cross and hide one another."""
    steps = rng.choice([(0,), (0, 0, 0, 1), (0, 1, 2)])
    slope = [[rng.choice([-1, 0, 0, 1]) for _ in range(2)] for _ in range(storeys)]
    columns = []
    for z in range(depth):
        for x in range(width):
            floors = set()
            for s in range(storeys):
                if rng.random() >= gap:
                    y = 40 + 3 * s + slope[s][0] * x + slope[s][1] * z + rng.choice(steps)
                    floors.add(max(y, 0))
            heights = sorted(floors)
            column = []
            for y, above in zip(heights, [*heights[1:], 999][: len(heights)], strict=True):
                area = 0 if rng.random() < unwalkable else rng.choice(areas)
                column.append((y, min(above - y, 255), area))
            columns.append(column)
    return field(width, depth, columns, rng.choice([1, 2, 3]), rng.choice([1, 1, 2, 4]))


def distance_field(compact):
    """Rules 8.1 to 8.4."""
    n, nb, area = len(compact.floor), compact.neighbors.tolist(), compact.area.tolist()
    s = [FAR] * n
    for i in range(n):
        if sum(nb[i][d] >= 0 and area[nb[i][d]] == area[i] for d in range(4)) != 4:
            s[i] = 0
    raster = range(n)
    columns = list(zip(compact.first[:-1].tolist(), compact.first[1:].tolist(), strict=True))
    backwards = [i for begin, end in reversed(columns) for i in range(begin, end)]
    for order, pairs in ((raster, ((0, 3), (3, 2))), (backwards, ((2, 1), (1, 0)))):
        for i in order:
            for straight, turn in pairs:
                a = nb[i][straight]
                if a >= 0:
                    s[i] = min(s[i], s[a] + 2)
                    b = nb[a][turn]
                    if b >= 0:
                        s[i] = min(s[i], s[b] + 3)
    blurred = []
    for i in range(n):
        if s[i] <= 2:
            blurred.append(s[i])
            continue
        total = s[i]
        for d in range(4):
            a = nb[i][d]
            if a < 0:
                total += 2 * s[i]
            else:
                b = nb[a][(d + 1) % 4]
                total += s[a] + (s[b] if b >= 0 else s[i])
        blurred.append((total + 5) // 9)
    return DistanceField(np.array(blurred, np.uint16), max(s, default=0))


class Literal:
    """One field on its way through a partitioner."""

    def __init__(self, compact, border):
        self.w, self.h, self.border = compact.width, compact.depth, border
        self.first = compact.first.tolist()
        self.nb = compact.neighbors.tolist()
        self.area = compact.area.tolist()
        self.n = len(self.area)
        self.R = [0] * self.n
        self.next_id = 1
        self.overlapping = []
        if border > 0:
            self.paint()

    def spans(self, x, z):
        return range(self.first[x + z * self.w], self.first[x + z * self.w + 1])

    def cells(self):
        return [(x, z) for z in range(self.h) for x in range(self.w)]

    # --- rule 9.1

    def paint(self):
        bw, bh = min(self.w, self.border), min(self.h, self.border)
        for k, (xs, zs) in enumerate(
            (
                (range(bw), range(self.h)),
                (range(self.w - bw, self.w), range(self.h)),
                (range(self.w), range(bh)),
                (range(self.w), range(self.h - bh, self.h)),
            )
        ):
            for z in zs:
                for x in xs:
                    for i in self.spans(x, z):
                        if self.area[i]:
                            self.R[i] = BORDER_REGION | (k + 1)
        self.next_id = 5

    # --- rules 9.2 to 9.9

    def watershed(self, distance, min_area, merge_area):
        dist = distance.distance.tolist()
        self.E = [0] * self.n
        level = (distance.maximum + 1) & ~1
        lists = [[] for _ in range(8)]
        k = -1
        while level > 0:
            level = level - 2 if level >= 2 else 0
            k = (k + 1) % 8
            if k == 0:
                lists = [[] for _ in range(8)]
                for i in range(self.n):
                    if self.area[i] and self.R[i] == 0:
                        b = level // 2 - dist[i] // 2
                        if b < 8:
                            lists[max(b, 0)].append(i)
            else:
                lists[k] += [i for i in lists[k - 1] if i is not None and self.R[i] == 0]
            self.expand(lists[k], 8, level)
            for i in lists[k]:
                if i is not None and self.R[i] == 0 and self.flood(i, level, self.next_id, dist):
                    self.next_id += 1
        rest = [i for i in range(self.n) if self.area[i] and self.R[i] == 0]
        self.expand(rest, 8, 0)
        return self.merge_and_filter(min_area, merge_area)

    def expand(self, entries, limit, level):
        for j, i in enumerate(entries):
            if i is not None and self.R[i]:
                entries[j] = None
        rounds = 0
        while entries:
            failed, found = 0, []
            for j, i in enumerate(entries):
                if i is None:
                    failed += 1
                    continue
                best, region = FAR, 0
                for d in range(4):
                    a = self.nb[i][d]
                    if a >= 0 and self.area[a] == self.area[i] and 0 < self.R[a] < BORDER_REGION:
                        if self.E[a] + 2 < best:
                            best, region = self.E[a] + 2, self.R[a]
                if region:
                    entries[j] = None
                    found.append((i, region, best))
                else:
                    failed += 1
            for i, region, best in found:
                self.R[i], self.E[i] = region, best
            if failed == len(entries):
                return
            if level > 0:
                rounds += 1
                if rounds >= limit:
                    return

    def conflict(self, c, r):
        area = self.area[c]
        for d in range(4):
            a = self.nb[c][d]
            if a < 0 or self.area[a] != area or self.R[a] & BORDER_REGION:
                continue
            if self.R[a] not in (0, r):
                return True
            b = self.nb[a][(d + 1) % 4]
            if b >= 0 and self.area[b] == area and self.R[b] not in (0, r):
                return True
        return False

    def flood(self, seed, level, r, dist):
        low = level - 2 if level >= 2 else 0
        count = 0
        self.R[seed], self.E[seed] = r, 0
        stack = [seed]
        while stack:
            c = stack.pop()
            if self.conflict(c, r):
                self.R[c] = 0
                continue
            count += 1
            for d in range(4):
                a = self.nb[c][d]
                if a >= 0 and self.area[a] == self.area[seed] and dist[a] >= low and not self.R[a]:
                    self.R[a], self.E[a] = r, 0
                    stack.append(a)
        return count > 0

    # --- rules 10.1 to 10.11

    def merge_and_filter(self, min_area, merge_area):
        self.records = [Record(g) for g in range(self.next_id + 1)]
        self.gather()
        self.remove_islands(min_area)
        while self.sweep(merge_area):
            pass
        region, count = self.compress()
        overlapping = {g for g, record in enumerate(self.records) if record.overlap}
        numbers = {int(new) for old, new in zip(self.R, region, strict=True) if old in overlapping}
        self.overlapping = sorted(numbers - {0})  # some are removed as islands
        return region, count

    def gather(self):
        nreg = len(self.records)
        for x, z in self.cells():
            for i in self.spans(x, z):
                r = self.R[i]
                if not 0 < r < nreg:
                    continue
                record = self.records[r]
                record.count += 1
                for j in self.spans(x, z):
                    f = self.R[j]
                    if j != i and 0 < f < nreg:
                        record.overlap |= f == r
                        record.floors.add(f)
                if not record.conns:
                    record.area = self.area[i]
                    for d in range(4):
                        if self.solid(i, d):
                            record.conns = self.walk(i, d)
                            break

    def across(self, i, d):
        return self.R[self.nb[i][d]] if self.nb[i][d] >= 0 else 0

    def solid(self, i, d):
        return self.across(i, d) != self.R[i]

    def walk(self, i, d):
        start = (i, d)
        cur = self.across(i, d)
        conns = [cur]
        for _ in range(WALK_STEPS):
            if self.solid(i, d):
                r = self.across(i, d)
                if r != cur:
                    cur = r
                    conns.append(r)
                d = (d + 1) % 4
            else:
                i, d = self.nb[i][d], (d + 3) % 4
            if (i, d) == start:
                break
        if len(conns) > 1:
            without_duplicates(conns, 0)
        return conns

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
                for e in self.records[q].conns:
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
            if record.count > merge_area and 0 in record.conns:
                continue
            best, target = 0xFFFFFFF, None
            for e in record.conns:
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
        if g.id not in t.conns or t.id not in g.conns:
            return 0
        old = g.id
        ia, ib = t.conns.index(g.id), g.conns.index(t.id)
        t.conns = t.conns[ia + 1 :] + t.conns[:ia] + g.conns[ib + 1 :] + g.conns[:ib]
        without_duplicates(t.conns, 1)
        t.floors |= g.floors
        t.count += g.count
        g.count, g.conns = 0, []
        for j in self.records:
            if j.id == 0 or j.id & BORDER_REGION:
                continue
            if j.id == old:
                j.id = t.id
            if old in j.conns:
                j.conns = [t.id if e == old else e for e in j.conns]
                without_duplicates(j.conns, 1)
            if old in j.floors:
                j.floors = j.floors - {old} | {t.id}
        return 1

    def compress(self):
        new = {}
        for record in self.records:
            if record.id and not record.id & BORDER_REGION:
                new.setdefault(record.id, len(new) + 1)
        region = [r if r & BORDER_REGION else new.get(self.records[r].id, 0) if r else 0 for r in self.R]
        return np.array(region, np.uint16), len(new)

    # --- rules 11.1 and 11.2

    def run_rows(self):
        for z in range(self.border, self.h - self.border):
            followers = [0] * self.next_id
            ns, nei = [0], [0]
            xs = range(self.border, self.w - self.border)
            for x in xs:
                for i in self.spans(x, z):
                    if not self.area[i]:
                        continue
                    run = 0
                    a = self.nb[i][0]
                    if a >= 0 and not self.R[a] & BORDER_REGION and self.area[a] == self.area[i]:
                        run = self.R[a]
                    if run == 0:
                        run = len(ns)
                        ns.append(0)
                        nei.append(0)
                    b = self.nb[i][3]
                    if b >= 0 and self.R[b] and not self.R[b] & BORDER_REGION:
                        if self.area[b] == self.area[i]:
                            if nei[run] in (0, self.R[b]):
                                nei[run] = self.R[b]
                                ns[run] += 1
                                followers[self.R[b]] += 1
                            else:
                                nei[run] = FAR
                    self.R[i] = run
            ids = [0]
            for run in range(1, len(ns)):
                if nei[run] not in (0, FAR) and followers[nei[run]] == ns[run]:
                    ids.append(nei[run])
                else:
                    ids.append(self.next_id)
                    self.next_id += 1
            for x in xs:
                for i in self.spans(x, z):
                    if 0 < self.R[i] < len(ids):
                        self.R[i] = ids[self.R[i]]

    def monotone(self, min_area, merge_area):
        self.run_rows()
        return self.merge_and_filter(min_area, merge_area)

    # --- rules 12.1 to 12.5

    def layers(self, min_area):
        self.run_rows()
        self.records = records = [Record(g) for g in range(self.next_id + 1)]
        self.gather_layers()
        layer_of = [0] * len(records)
        next_layer = 1
        for g in range(1, len(records)):
            if layer_of[g]:
                continue
            layer_of[g] = next_layer
            root, queue = records[g], [g]
            while queue:
                q = queue.pop(0)
                for e in records[q].conns:
                    other = records[e]
                    if layer_of[e] or other.area != records[q].area or e in root.floors:
                        continue
                    queue.append(e)
                    layer_of[e] = next_layer
                    root.floors |= other.floors
                    root.count += other.count
                    other.count = 0
                    root.touches |= other.touches
            next_layer += 1
        for g, record in enumerate(records):
            record.id = layer_of[g]
        for g, record in enumerate(records):
            if 0 < record.count < min_area and not record.touches:
                for other in records:
                    if other.id == layer_of[g]:
                        other.id = 0
        return self.compress()

    def gather_layers(self):
        nreg = len(self.records)
        for x, z in self.cells():
            here = []
            for i in self.spans(x, z):
                r = self.R[i]
                if not 0 < r < nreg:
                    continue
                record = self.records[r]
                record.count += 1
                record.area = self.area[i]
                here.append(r)
                for d in range(4):
                    if self.nb[i][d] < 0:
                        continue
                    q = self.R[self.nb[i][d]]
                    if 0 < q < nreg and q != r and q not in record.conns:
                        record.conns.append(q)
                    record.touches |= bool(q & BORDER_REGION)
            for r in here:
                self.records[r].floors |= {f for f in here if f != r}


class Record:
    """What is known about one region while merging."""

    def __init__(self, id_):
        self.id = id_
        self.count = self.area = 0
        self.overlap = self.visited = self.touches = False
        self.conns, self.floors = [], set()


def without_duplicates(conns, least):
    j = 0
    while j < len(conns) and len(conns) > least:
        if conns[j] == conns[(j + 1) % len(conns)]:
            del conns[j]
        else:
            j += 1


def mergeable(p, q):
    return p.area == q.area and q.id not in p.floors and not occurs_twice(q.id, p.conns)


def occurs_twice(value, values):
    return value in values and value in values[values.index(value) + 1 :]


def literal(compact, distance, partition, border, min_area, merge_area):
    """(region, count, overlapping), as build_regions should find them."""
    work = Literal(compact, border)
    if partition == "watershed":
        region, count = work.watershed(distance, min_area, merge_area)
    elif partition == "monotone":
        region, count = work.monotone(min_area, merge_area)
    else:
        region, count = work.layers(min_area)
    return region, count, work.overlapping
