"""The distance field by its rules, slow and step by step."""

from __future__ import annotations

import numpy as np

from navcore.types import DistanceField

FAR = 65535


def distance_field_twin(compact):
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
