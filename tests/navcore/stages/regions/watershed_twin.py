"""Rules 9.2 to 9.9: watershed, level by level."""

from __future__ import annotations

from navcore.types import BORDER_REGION

from .merging_twin import MergingTwin
from .regions_twin import FAR


class WatershedTwin(MergingTwin):
    def divide(self, distance, min_area, merge_area):
        """The ids of all spans, and how many there are."""
        dist = distance.distance.tolist()
        self.expansion = [0] * self.n
        level = (distance.maximum + 1) & ~1
        lists = [[] for _ in range(8)]
        k = -1
        while level > 0:
            level = level - 2 if level >= 2 else 0
            k = (k + 1) % 8
            if k == 0:
                lists = [[] for _ in range(8)]
                for i in range(self.n):
                    if self.area[i] and self.region[i] == 0:
                        b = level // 2 - dist[i] // 2
                        if b < 8:
                            lists[max(b, 0)].append(i)
            else:
                lists[k] += [i for i in lists[k - 1] if i is not None and self.region[i] == 0]
            self.expand(lists[k], 8, level)
            for i in lists[k]:
                if i is not None and self.region[i] == 0 and self.flood(i, level, self.next_id, dist):
                    self.next_id += 1
        rest = [i for i in range(self.n) if self.area[i] and self.region[i] == 0]
        self.expand(rest, 8, 0)
        return self.merge_and_filter(min_area, merge_area)

    def expand(self, entries, limit, level):
        for j, i in enumerate(entries):
            if i is not None and self.region[i]:
                entries[j] = None
        rounds = 0
        while entries:
            failed, newcomers = 0, []
            for j, i in enumerate(entries):
                if i is None:
                    failed += 1
                    continue
                best, region = FAR, 0
                for d in range(4):
                    a = self.neighbors[i][d]
                    if a >= 0 and self.area[a] == self.area[i] and 0 < self.region[a] < BORDER_REGION:
                        if self.expansion[a] + 2 < best:
                            best, region = self.expansion[a] + 2, self.region[a]
                if region:
                    entries[j] = None
                    newcomers.append((i, region, best))
                else:
                    failed += 1
            for i, region, best in newcomers:
                self.region[i], self.expansion[i] = region, best
            if failed == len(entries):
                return
            if level > 0:
                rounds += 1
                if rounds >= limit:
                    return

    def conflict(self, c, r):
        area = self.area[c]
        for d in range(4):
            a = self.neighbors[c][d]
            if a < 0 or self.area[a] != area or self.region[a] & BORDER_REGION:
                continue
            if self.region[a] not in (0, r):
                return True
            b = self.neighbors[a][(d + 1) % 4]
            if b >= 0 and self.area[b] == area and self.region[b] not in (0, r):
                return True
        return False

    def flood(self, seed, level, r, dist):
        low = level - 2 if level >= 2 else 0
        count = 0
        self.region[seed], self.expansion[seed] = r, 0
        stack = [seed]
        while stack:
            c = stack.pop()
            if self.conflict(c, r):
                self.region[c] = 0
                continue
            count += 1
            for d in range(4):
                a = self.neighbors[c][d]
                if a >= 0 and self.area[a] == self.area[seed] and dist[a] >= low and not self.region[a]:
                    self.region[a], self.expansion[a] = r, 0
                    stack.append(a)
        return count > 0
