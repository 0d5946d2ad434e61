"""Rules 11.1 and 11.2: runs along x, each continuing the region it alone follows."""

from __future__ import annotations

from navcore.types import BORDER_REGION

from .merging_twin import MergingTwin
from .regions_twin import FAR, RegionsTwin


class RowsTwin(RegionsTwin):
    def run_rows(self):
        for z in range(self.border, self.depth - self.border):
            followers = [0] * self.next_id
            ns, nei = [0], [0]
            xs = range(self.border, self.width - self.border)
            for x in xs:
                for i in self.spans(x, z):
                    if not self.area[i]:
                        continue
                    run = 0
                    a = self.neighbors[i][0]
                    if a >= 0 and not self.region[a] & BORDER_REGION and self.area[a] == self.area[i]:
                        run = self.region[a]
                    if run == 0:
                        run = len(ns)
                        ns.append(0)
                        nei.append(0)
                    b = self.neighbors[i][3]
                    if b >= 0 and self.region[b] and not self.region[b] & BORDER_REGION:
                        if self.area[b] == self.area[i]:
                            if nei[run] in (0, self.region[b]):
                                nei[run] = self.region[b]
                                ns[run] += 1
                                followers[self.region[b]] += 1
                            else:
                                nei[run] = FAR
                    self.region[i] = run
            ids = [0]
            for run in range(1, len(ns)):
                if nei[run] not in (0, FAR) and followers[nei[run]] == ns[run]:
                    ids.append(nei[run])
                else:
                    ids.append(self.next_id)
                    self.next_id += 1
            for x in xs:
                for i in self.spans(x, z):
                    if 0 < self.region[i] < len(ids):
                        self.region[i] = ids[self.region[i]]


class MonotoneTwin(RowsTwin, MergingTwin):
    def divide(self, min_area, merge_area):
        self.run_rows()
        return self.merge_and_filter(min_area, merge_area)
