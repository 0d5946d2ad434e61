"""A slow, obvious twin of stage 9: the specification rule by rule, on Python lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from navcore.types import BORDER_VERTEX, NO_INDEX, PORTAL

Point = tuple[int, int]
Polygon = list[int]


def area2(a: Point, b: Point, c: Point) -> int:
    return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])


def left(a: Point, b: Point, c: Point) -> bool:
    return area2(a, b, c) < 0


def left_on(a: Point, b: Point, c: Point) -> bool:
    return area2(a, b, c) <= 0


def crosses(a: Point, b: Point, c: Point, d: Point) -> bool:
    if 0 in (area2(a, b, c), area2(a, b, d), area2(c, d, a), area2(c, d, b)):
        return False
    return left(a, b, c) != left(a, b, d) and left(c, d, a) != left(c, d, b)


def between(a: Point, b: Point, c: Point) -> bool:
    axis = 0 if a[0] != b[0] else 1
    return area2(a, b, c) == 0 and min(a[axis], b[axis]) <= c[axis] <= max(a[axis], b[axis])


@lru_cache(maxsize=1_000_000)
def meets(a: Point, b: Point, c: Point, d: Point) -> bool:
    return crosses(a, b, c, d) or between(a, b, c) or between(a, b, d) or between(c, d, a) or between(c, d, b)


class Ring:
    """The corners that are not clipped yet."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = list(points)
        self.numbers = list(range(len(points)))

    def __len__(self) -> int:
        return len(self.numbers)

    def at(self, i: int) -> Point:
        return self.points[self.numbers[i % len(self)]]

    def length2(self, i: int, j: int) -> int:
        return (self.at(i)[0] - self.at(j)[0]) ** 2 + (self.at(i)[1] - self.at(j)[1]) ** 2

    def in_cone(self, i: int, j: int, loose: bool) -> bool:
        before, corner, after, p = self.at(i - 1), self.at(i), self.at(i + 1), self.at(j)
        if left_on(before, corner, after):
            test = left_on if loose else left
            return test(corner, p, before) and test(p, corner, after)
        return not (left_on(corner, p, after) and left_on(p, corner, before))

    def clear(self, i: int, j: int, loose: bool) -> bool:
        n = len(self)
        ends = {i % n, j % n}
        for k in range(n):
            if k in ends or (k + 1) % n in ends:
                continue
            c, d = self.at(k), self.at(k + 1)
            if {c, d} & {self.at(i), self.at(j)}:
                continue
            if (crosses if loose else meets)(self.at(i), self.at(j), c, d):
                return False
        return True

    def diagonal(self, i: int, loose: bool = False) -> bool:
        return self.in_cone(i, i + 2, loose) and self.clear(i, i + 2, loose)


def triangulate(points: Sequence[Point]) -> tuple[list[tuple[int, int, int]], bool]:
    """Triangles, and whether all went well."""
    ring, triangles = Ring(points), []
    removable = {ring.numbers[(i + 1) % len(ring)]: ring.diagonal(i) for i in range(len(ring))}
    while len(ring) > 3:
        n = len(ring)
        ears = [i for i in range(n) if removable[ring.numbers[(i + 1) % n]]]
        if ears:
            i = min(ears, key=lambda i: ring.length2(i, i + 2))
        else:
            ears = [i for i in range(n) if ring.diagonal(i, loose=True)]
            if not ears:
                return triangles, False
            i = min(ears, key=lambda i: ring.length2(i, i + 3))
        cut = (i + 1) % n
        triangles.append((ring.numbers[i], ring.numbers[cut], ring.numbers[(i + 2) % n]))
        del ring.numbers[cut]
        n -= 1
        cut = 0 if cut >= n else cut
        i = (cut - 1) % n
        removable[ring.numbers[i]] = ring.diagonal(i - 1)
        removable[ring.numbers[cut]] = ring.diagonal(i)
    return [*triangles, (ring.numbers[0], ring.numbers[1], ring.numbers[2])], True


def place(vertices: Sequence[Sequence[int]], vertex: int) -> Point:
    return vertices[vertex][0], vertices[vertex][2]


def merge_value(a: Polygon, b: Polygon, vertices: Sequence[Sequence[int]], most: int) -> tuple[int, int, int]:
    na, nb = len(a), len(b)
    if na + nb - 2 > most:
        return -1, 0, 0
    found = None
    for i in range(na):
        for j in range(nb):
            if sorted((a[i], a[(i + 1) % na])) == sorted((b[j], b[(j + 1) % nb])):
                found = i, j
                break
    if found is None:
        return -1, 0, 0
    i, j = found
    p, q, r = (place(vertices, v) for v in (a[i - 1], a[i], b[(j + 2) % nb]))
    s, t, u = (place(vertices, v) for v in (b[j - 1], b[j], a[(i + 2) % na]))
    if not left(p, q, r) or not left(s, t, u):
        return -1, 0, 0
    p, q = place(vertices, a[i]), place(vertices, a[(i + 1) % na])
    return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2, i, j


def merge(rows: list[list], vertices: Sequence[Sequence[int]], most: int) -> None:
    """Merge rows of [polygon, region, area] in place."""
    memo: dict = {}

    def value(a: Polygon, b: Polygon) -> tuple[int, int, int]:
        key = tuple(a), tuple(b)
        if key not in memo:
            memo[key] = merge_value(a, b, vertices, most)
        return memo[key]

    while most > 3:
        best, chosen = 0, None
        for j in range(len(rows)):
            for k in range(j + 1, len(rows)):
                v = value(rows[j][0], rows[k][0])[0]
                if v > best:
                    best, chosen = v, (j, k)
        if chosen is None:
            return
        j, k = chosen
        a, b = rows[j][0], rows[k][0]
        _, i, m = value(a, b)
        rows[j][0] = [a[(i + s) % len(a)] for s in range(1, len(a))] + [b[(m + s) % len(b)] for s in range(1, len(b))]
        if rows[j][1] != rows[k][1]:
            rows[j][1] = 0
        rows[k] = rows[-1]
        rows.pop()


def weld(vertices: list[list[int]], x: int, y: int, z: int) -> int:
    for v in reversed(range(len(vertices))):
        if vertices[v][0] == x and vertices[v][2] == z and abs(vertices[v][1] - y) <= 2:
            return v
    vertices.append([x, y, z])
    return len(vertices) - 1


def can_remove(v: int, rows: list[list]) -> bool:
    remaining, ends = 0, Counter()
    for polygon, _, _ in rows:
        if v in polygon:
            remaining += len(polygon) - (polygon.count(v) + 1)
        for j in range(len(polygon)):
            a, b = polygon[j], polygon[j - 1]
            if v in (a, b):
                ends[a if b == v else b] += 1
    return remaining > 2 and sum(count == 1 for count in ends.values()) <= 2


def remove(v: int, rows: list[list], vertices: list[list[int]], most: int, capacity: int) -> bool:
    """Remove one vertex; True if the hole was filled well."""
    edges, i = [], 0
    while i < len(rows):
        polygon, region, area = rows[i]
        if v not in polygon:
            i += 1
            continue
        for j in range(len(polygon)):
            if v not in (polygon[j], polygon[j - 1]):
                edges.append([polygon[j - 1], polygon[j], region, area])
        rows[i] = rows[-1]
        rows.pop()
    del vertices[v]
    for row in rows:
        row[0] = [w - (w > v) for w in row[0]]
    edges = [[a - (a > v), b - (b > v), region, area] for a, b, region, area in edges]
    if not edges:
        return True
    rim = [(edges[0][0], edges[0][2], edges[0][3])]
    added = True
    while edges and added:
        added, i = False, 0
        while i < len(edges):
            a, b, region, area = edges[i]
            if rim[0][0] == b:
                rim.insert(0, (a, region, area))
            elif rim[-1][0] == a:
                rim.append((b, region, area))
            else:
                i += 1
                continue
            added = True
            edges[i] = edges[-1]
            edges.pop()
    if len(rim) < 3:
        return True
    triangles, good = triangulate([place(vertices, vertex) for vertex, _, _ in rim])
    new = []
    for t in triangles:
        regions = {rim[c][1] for c in t}
        new.append([[rim[c][0] for c in t], regions.pop() if len(regions) == 1 else 0, rim[t[0]][2]])
    merge(new, vertices, most)
    rows += new[: capacity - len(rows)]
    return good and bool(triangles)


def adjacency(polygons: list[Polygon]) -> list[list[int]]:
    records, chains = [], {}
    neighbors = [[NO_INDEX] * len(p) for p in polygons]
    for i, p in enumerate(polygons):
        for j in range(len(p)):
            a, b = p[j], p[(j + 1) % len(p)]
            if a < b:
                chains.setdefault(a, []).insert(0, len(records))
                records.append([b, i, j, i, 0])
    for i, p in enumerate(polygons):
        for j in range(len(p)):
            a, b = p[j], p[(j + 1) % len(p)]
            if a > b:
                for e in chains.get(b, []):
                    if records[e][0] == a and records[e][1] == records[e][3]:
                        records[e][3:] = [i, j]
                        break
    for _, i, j, k, m in records:
        if i != k:
            neighbors[i][j], neighbors[k][m] = k, i
    return neighbors


def portals(vertices: list[list[int]], rows: list[list], neighbors: list[list[int]], width: int, depth: int) -> None:
    for (polygon, _, _), links in zip(rows, neighbors, strict=True):
        for j in range(len(polygon)):
            if links[j] == NO_INDEX:
                a, b = vertices[polygon[j]], vertices[polygon[(j + 1) % len(polygon)]]
                sides = [a[0] == b[0] == 0, a[2] == b[2] == depth, a[0] == b[0] == width, a[2] == b[2] == 0]
                if True in sides:
                    links[j] = PORTAL | sides.index(True)


def build(contours, most: int, border: int, width: int, depth: int):
    """([x, y, z] of each vertex, [polygon, region, area] rows, neighbors, bad contours, bad holes).

    Contours are (points, region, area); width and depth are without the border.
    """
    vertices, marks, rows, bad, bad_holes = [], [], [], [], 0
    capacity = sum(len(points) - 2 for points, _, _ in contours if len(points) >= 3)
    for number, (points, region, area) in enumerate(contours):
        if len(points) < 3:
            continue
        triangles, good = triangulate([(p[0], p[2]) for p in points])
        if not good or not triangles:
            bad.append(number)
        ids = [weld(vertices, *p[:3]) for p in points]
        marks += [False] * (len(vertices) - len(marks))
        for vertex, p in zip(ids, points, strict=True):
            marks[vertex] |= bool(p[3] & BORDER_VERTEX)
        new = [[[ids[c] for c in t], region, area] for t in triangles]
        merge(new, vertices, most)
        rows += new
    i = 0
    while i < len(vertices):
        if marks[i] and can_remove(i, rows):
            bad_holes += not remove(i, rows, vertices, most, capacity)
            del marks[i]
        else:
            i += 1
    neighbors = adjacency([row[0] for row in rows])
    if border > 0:
        portals(vertices, rows, neighbors, width, depth)
    return vertices, rows, neighbors, bad, bad_holes
