"""Rules 12.1 to 12.5: regions of rows are joined to all they reach."""

from __future__ import annotations

from navcore.types import BORDER_REGION

from .monotone_twin import RowsTwin
from .regions_twin import Record


class LayersTwin(RowsTwin):
    def divide(self, min_area):
        self.run_rows()
        self.records = records = [Record(g) for g in range(self.next_id + 1)]
        self.gather()
        layer_of = [0] * len(records)
        next_layer = 1
        for g in range(1, len(records)):
            if layer_of[g]:
                continue
            layer_of[g] = next_layer
            root, queue = records[g], [g]
            while queue:
                q = queue.pop(0)
                for e in records[q].connections:
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

    def gather(self):
        nreg = len(self.records)
        for x, z in self.cells():
            here = []
            for i in self.spans(x, z):
                r = self.region[i]
                if not 0 < r < nreg:
                    continue
                record = self.records[r]
                record.count += 1
                record.area = self.area[i]
                here.append(r)
                for d in range(4):
                    if self.neighbors[i][d] < 0:
                        continue
                    q = self.region[self.neighbors[i][d]]
                    if 0 < q < nreg and q != r and q not in record.connections:
                        record.connections.append(q)
                    record.touches |= bool(q & BORDER_REGION)
            for r in here:
                self.records[r].floors |= {f for f in here if f != r}
