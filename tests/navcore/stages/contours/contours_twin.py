"""Contours by the letter of the specification, in plain Python: the slow, obvious twin of stage 8."""

from __future__ import annotations

import numpy as np

from navcore.types import CompactHeightfield

DX, DZ = (-1, 0, 1, 0), (0, 1, 0, -1)
REGION, BORDER, VERTEX, AREA = 0xFFFF, 0x8000, 0x10000, 0x20000
F = np.float32


class Contour:
    def __init__(self, raw: list, points: list, region: int, area: int) -> None:
        self.raw, self.points, self.region, self.area = raw, points, region, area


def contours(
    compact: CompactHeightfield,
    region: np.ndarray,
    error: float,
    length: int,
    walls: bool,
    areas: bool,
    border: int = 0,
) -> tuple[list[Contour], dict[str, int]]:
    """All contours, holes merged, and how often something went wrong."""
    found = []
    for raw, start in walks(compact, region):
        points = simplified(raw, F(error), length, walls, areas)
        if len(points) >= 3:
            raw, points = ([(p[0] - border, p[1], p[2] - border, p[3]) for p in ring] for ring in (raw, points))
            found.append(Contour(raw, points, int(region[start]), int(compact.area[start])))
    return found, merge_holes(found)


def walks(
    compact: CompactHeightfield, region: np.ndarray, cap: int = 1 << 60, taken: list[int] | None = None
) -> list[tuple[list, int]]:
    """(points, first span) of every walk; `cap` as in Recast; `taken` receives the steps and turns of each."""
    links, area, floor = compact.neighbors.tolist(), compact.area.tolist(), compact.floor.tolist()
    reg = region.tolist()
    flags = []
    for i, own in enumerate(reg):
        other = [reg[n] if n >= 0 else 0 for n in links[i]]
        flags.append(0 if own == 0 or own & BORDER else sum(1 << d for d in range(4) if other[d] != own))
    found = []
    for column in range(compact.width * compact.depth):
        for i in range(compact.first[column], compact.first[column + 1]):
            if flags[i] in (0, 15):
                flags[i] = 0
                continue
            x, z = column % compact.width, column // compact.width
            raw, steps = _walk(links, reg, area, floor, flags, x, z, i, cap)
            found.append((raw, i))
            if taken is not None:
                taken.append(steps)
    return found


def _walk(links, reg, area, floor, flags, x, z, i, cap):
    d = next(d for d in range(4) if flags[i] >> d & 1)
    i0, d0, own_area, raw, steps = i, d, area[i], [], 0
    while steps + 1 < cap:
        steps += 1
        if flags[i] >> d & 1:
            y, is_border = _corner(links, reg, area, floor, i, d)
            px, pz = ((x, z + 1), (x + 1, z + 1), (x + 1, z), (x, z))[d]
            n = links[i][d]
            r = 0 if n < 0 else reg[n] | (AREA if area[n] != own_area else 0)
            raw.append((px, y, pz, r | (VERTEX if is_border else 0)))
            flags[i] ^= 1 << d
            d = (d + 1) % 4
        else:
            n = links[i][d]
            if n < 0:
                break
            x, z, i, d = x + DX[d], z + DZ[d], n, (d + 3) % 4
        if (i, d) == (i0, d0):
            break
    return raw, steps


def _corner(links, reg, area, floor, i, d):
    e = (d + 1) % 4
    y, q = floor[i], [reg[i] | area[i] << 16, 0, 0, 0]
    for first, second, slot in ((d, e, 1), (e, d, 3)):
        a = links[i][first]
        if a >= 0:
            y, q[slot] = max(y, floor[a]), reg[a] | area[a] << 16
            b = links[a][second]
            if b >= 0:
                y, q[2] = max(y, floor[b]), reg[b] | area[b] << 16
    for j in range(4):
        s, t, u, v = (q[(j + k) % 4] for k in range(4))
        if s == t and s & t & BORDER and not (u & BORDER) and not (v & BORDER) and u >> 16 == v >> 16 and 0 not in q:
            return y, True
    return y, False


def simplified(raw, error, length, walls, areas):
    n = len(raw)
    corners = []
    if any(p[3] & REGION for p in raw):
        for i in range(n):
            a, b = raw[i][3], raw[(i + 1) % n][3]
            if a & REGION != b & REGION or a & AREA != b & AREA:
                corners.append(i)
    if not corners:
        low = min(range(n), key=lambda i: (raw[i][0], raw[i][2], i))
        high = max(range(n), key=lambda i: (raw[i][0], raw[i][2], -i))
        corners = [low, high]
    i = 0
    while i < len(corners):
        a, b = corners[i], corners[(i + 1) % len(corners)]
        new = _farthest(raw, a, b, error)
        if new is None:
            i += 1
        else:
            corners.insert(i + 1, new)
    i = 0
    while length > 0 and (walls or areas) and i < len(corners):
        a, b = corners[i], corners[(i + 1) % len(corners)]
        (ax, _, az, _), (bx, _, bz, _) = raw[a], raw[b]
        link = raw[(a + 1) % n][3]
        if (walls and not link & REGION) or (areas and link & AREA):
            m = b - a if b >= a else b - a + n
            if (bx - ax) ** 2 + (bz - az) ** 2 > length**2 and m > 1:
                up = bx > ax or (bx == ax and bz > az)
                corners.insert(i + 1, (a + (m // 2 if up else (m + 1) // 2)) % n)
                continue
        i += 1
    points = [(*raw[s][:3], raw[(s + 1) % n][3] & (REGION | AREA) | raw[s][3] & VERTEX) for s in corners]
    i = 0
    while i < len(points):
        j = i + 1 if i + 1 < len(points) else 0
        if points[i][0] == points[j][0] and points[i][2] == points[j][2]:
            del points[i]
        i += 1
    return points


def _farthest(raw, a, b, error):
    n = len(raw)
    (ax, _, az, _), (bx, _, bz, _) = raw[a], raw[b]
    if bx > ax or (bx == ax and bz > az):
        step, k, end, p, q = 1, (a + 1) % n, b, (ax, az), (bx, bz)
    else:
        step, k, end, p, q = n - 1, (b + n - 1) % n, a, (bx, bz), (ax, az)
    if raw[k][3] & REGION and not raw[k][3] & AREA:
        return None
    most, found = F(0), None
    while k != end:
        d = distance2((raw[k][0], raw[k][2]), p, q)
        if d > most:
            most, found = d, k
        k = (k + step) % n
    return found if found is not None and most > error * error else None


def distance2(point, p, q):
    u, v, dx, dz = F(q[0] - p[0]), F(q[1] - p[1]), F(point[0] - p[0]), F(point[1] - p[1])
    total, t = F(F(u * u) + F(v * v)), F(F(u * dx) + F(v * dz))
    if total > 0:
        t = F(t / total)
    t = F(0) if t < 0 else F(1) if t > 1 else t
    ex = F(F(F(p[0]) + F(t * u)) - F(point[0]))
    ez = F(F(F(p[1]) + F(t * v)) - F(point[1]))
    return F(F(ex * ex) + F(ez * ez))


# --- holes


def merge_holes(found: list[Contour]) -> dict[str, int]:
    log = {"several": 0, "alone": 0, "stuck": 0}
    is_hole = [int((_winding(c.points) + 1) / 2) < 0 for c in found]  # int() of a float: toward zero
    if not any(is_hole):
        return log
    for region in sorted({c.region for c in found}):
        outlines = [c for c, hole in zip(found, is_hole, strict=True) if c.region == region and not hole]
        holes = [c for c, hole in zip(found, is_hole, strict=True) if c.region == region and hole]
        log["several"] += len(outlines) > 1
        if holes and not outlines:
            log["alone"] += len(holes)
        elif holes:
            log["stuck"] += _merge(outlines[-1], holes)
    return log


def _winding(points):
    return sum(points[i][0] * points[i - 1][2] - points[i - 1][0] * points[i][2] for i in range(len(points)))


def _merge(outline, holes):
    def leftmost(hole):
        return min((p[0], p[2], i) for i, p in enumerate(hole.points))

    holes = sorted(holes, key=lambda h: leftmost(h)[:2])
    diagonals: list[tuple[int, int]] = []  # keeps what longer lists left behind
    stuck = 0
    for i, hole in enumerate(holes):
        v, size = leftmost(hole)[2], len(hole.points)
        found = None
        for _ in range(size):
            c = _xz(hole.points[v])
            ring = [_xz(p) for p in outline.points]
            inside = [j for j in range(len(ring)) if in_cone(ring[j - 1], ring[j], ring[(j + 1) % len(ring)], c)]
            pairs = sorted(((ring[j][0] - c[0]) ** 2 + (ring[j][1] - c[1]) ** 2, j) for j in inside)
            diagonals[: len(pairs)] = pairs
            for _, j in pairs:
                skip = diagonals[i][1] if i < len(diagonals) else -1
                if hits(ring[j], c, skip, ring):
                    continue
                if any(hits(ring[j], c, -1, [_xz(p) for p in other.points]) for other in holes[i:]):
                    continue
                found = j
                break
            if found is not None:
                break
            v = (v + 1) % size
        if found is None:
            stuck += 1
            continue
        ring, inner = outline.points, hole.points
        outline.points = [*ring[found:], *ring[: found + 1], *inner[v:], *inner[: v + 1]]
        hole.points = []
    return stuck


def _xz(p):
    return p[0], p[2]


def area2(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])


def proper(a, b, c, d):
    if 0 in (area2(a, b, c), area2(a, b, d), area2(c, d, a), area2(c, d, b)):
        return False
    return (area2(a, b, c) < 0) != (area2(a, b, d) < 0) and (area2(c, d, a) < 0) != (area2(c, d, b) < 0)


def between(a, b, c):
    if area2(a, b, c) != 0:
        return False
    axis = 0 if a[0] != b[0] else 1
    return min(a[axis], b[axis]) <= c[axis] <= max(a[axis], b[axis])


def meets(a, b, c, d):
    return proper(a, b, c, d) or between(a, b, c) or between(a, b, d) or between(c, d, a) or between(c, d, b)


def hits(d0, d1, skip, ring):
    for k in range(len(ring)):
        j = (k + 1) % len(ring)
        if skip in (k, j) or ring[k] in (d0, d1) or ring[j] in (d0, d1):
            continue
        if meets(d0, d1, ring[k], ring[j]):
            return True
    return False


def in_cone(before, vertex, after, p, strict=True):
    def left(a, b, c):
        return area2(a, b, c) < 0 if strict else area2(a, b, c) <= 0

    if area2(before, vertex, after) <= 0:
        return left(vertex, p, before) and left(p, vertex, after)
    return not (area2(vertex, p, after) <= 0 and area2(p, vertex, before) <= 0)
