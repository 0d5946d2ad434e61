// Points on the ground: the nearest polygon, the closest point of one, heights. Rounded to 32 bits as navcore does it.

const f = Math.fround;
const CONNECTION = 1;
const FLAT = f(1e-6);
export const EXTENTS = [2, 4, 2]; // metres around a place in which ground is looked for

/** The ground polygon nearest to a place, of those a rule admits, and the place on it; polygon -1 where there is none. */
export function nearestPolygon(mesh, place, rule) {
  const center = place.map(f);
  let nearest = { polygon: -1, point: center }, smallest = Infinity;
  for (const polygon of mesh.order) {
    if (!touches(mesh.boxes, 6 * polygon, center)) continue;
    const flags = mesh.flags[polygon];
    if ((flags & rule.include) === 0 || (flags & rule.exclude) !== 0) continue;
    const { point, over } = closestOnPolygon(mesh, polygon, center);
    const away = awayFrom(center, point, over, f(mesh.climb));
    if (away < smallest) { smallest = away; nearest = { polygon, point }; }
  }
  return nearest;
}

function touches(boxes, at, center) {
  for (let axis = 0; axis < 3; axis++) {
    if (boxes[at + axis] > center[axis] + EXTENTS[axis] || boxes[at + 3 + axis] < center[axis] - EXTENTS[axis]) return false;
  }
  return true;
}

/** How far away a polygon counts, squared; above and below it what an agent climbs is nothing. */
function awayFrom(center, point, over, climb) {
  const x = f(center[0] - point[0]), y = f(center[1] - point[1]), z = f(center[2] - point[2]);
  if (!over) return f(f(f(x * x) + f(y * y)) + f(z * z));
  const beyond = f(Math.abs(y) - climb);
  return beyond > 0 ? f(beyond * beyond) : 0;
}

/** The point of a ground polygon closest to another, and whether that lies above or below it. */
export function closestOnPolygon(mesh, polygon, point) {
  const height = heightAt(mesh, polygon, point);
  if (height !== null) return { point: [point[0], height, point[2]], over: true };
  if (mesh.kind[polygon] === CONNECTION) {
    const [a, b] = [corner(mesh, polygon, 0), corner(mesh, polygon, 1)];
    return { point: between(a, b, partAlong(point, a, b)), over: false };
  }
  return { point: closestOnEdges(mesh, polygon, point, true), over: false };
}

function heightAt(mesh, polygon, point) {
  if (mesh.kind[polygon] === CONNECTION || !isInside(mesh, polygon, point)) return null;
  for (let t = mesh.firstTriangle[polygon]; t < mesh.firstTriangle[polygon + 1]; t++) {
    const height = heightIn(triangleCorner(mesh, t, 0), triangleCorner(mesh, t, 1), triangleCorner(mesh, t, 2), point);
    if (height !== null) return height;
  }
  return closestOnEdges(mesh, polygon, point, false)[1];
}

function heightIn(a, b, c, point) {
  const cx = f(c[0] - a[0]), cz = f(c[2] - a[2]), bx = f(b[0] - a[0]), bz = f(b[2] - a[2]);
  const px = f(point[0] - a[0]), pz = f(point[2] - a[2]);
  let denominator = f(f(cx * bz) - f(cz * bx));
  if (Math.abs(denominator) < FLAT) return null;
  let u = f(f(bz * px) - f(bx * pz)), v = f(f(cx * pz) - f(cz * px));
  if (denominator < 0) [denominator, u, v] = [-denominator, -u, -v];
  if (!(u >= 0 && v >= 0 && f(u + v) <= denominator)) return null;
  return f(a[1] + f(f(f(f(c[1] - a[1]) * u) + f(f(b[1] - a[1]) * v)) / denominator));
}

function closestOnEdges(mesh, polygon, point, outlineOnly) {
  let smallest = Infinity, closest = point;
  for (let t = mesh.firstTriangle[polygon]; t < mesh.firstTriangle[polygon + 1]; t++) {
    const flags = mesh.triangleFlags[t];
    for (let k = 0; k < 3; k++) {
      const a = (k + 2) % 3;
      if (outlineOnly && ((flags >> (2 * a)) & 1) === 0) continue;
      const start = triangleCorner(mesh, t, a), end = triangleCorner(mesh, t, k);
      const part = partAlong(point, start, end);
      const away = flatDistance2(point, start, end);
      if (away < smallest) { smallest = away; closest = between(start, end, part); }
    }
  }
  return closest;
}

/** The point itself where the polygon's outline goes around it, else the nearest one on the outline. */
export function closestOnBoundary(mesh, polygon, point) {
  if (isInside(mesh, polygon, point)) return point;
  const count = mesh.firstCorner[polygon + 1] - mesh.firstCorner[polygon];
  let smallest = Infinity, closest = point;
  for (let k = 0; k < count; k++) {
    const a = corner(mesh, polygon, k), b = corner(mesh, polygon, k + 1 < count ? k + 1 : 0);
    const away = flatDistance2(point, a, b);
    if (away < smallest) { smallest = away; closest = between(a, b, partAlong(point, a, b)); }
  }
  return closest;
}

function isInside(mesh, polygon, point) {
  const count = mesh.firstCorner[polygon + 1] - mesh.firstCorner[polygon];
  let inside = false;
  for (let i = 0; i < count; i++) {
    const a = corner(mesh, polygon, i), b = corner(mesh, polygon, i > 0 ? i - 1 : count - 1);
    if (a[2] > point[2] === b[2] > point[2]) continue;
    if (point[0] < f(f(f(f(b[0] - a[0]) * f(point[2] - a[2])) / f(b[2] - a[2])) + a[0])) inside = !inside;
  }
  return inside;
}

/** Squared distance on the ground from a point to a segment. */
export function flatDistance2(point, a, b) {
  const t = partAlong(point, a, b);
  const dx = f(f(a[0] + f(t * f(b[0] - a[0]))) - point[0]), dz = f(f(a[2] + f(t * f(b[2] - a[2]))) - point[2]);
  return f(f(dx * dx) + f(dz * dz));
}

function partAlong(point, a, b) {
  const ex = f(b[0] - a[0]), ez = f(b[2] - a[2]);
  let part = f(f(ex * f(point[0] - a[0])) + f(ez * f(point[2] - a[2])));
  const length2 = f(f(ex * ex) + f(ez * ez));
  if (length2 > 0) part = f(part / length2);
  return part < 0 ? 0 : part > 1 ? 1 : part;
}

function between(a, b, t) {
  return [0, 1, 2].map((axis) => f(a[axis] + f(f(b[axis] - a[axis]) * t)));
}

export function distance(a, b) {
  return Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
}

function corner(mesh, polygon, number) {
  const at = 3 * (mesh.firstCorner[polygon] + number);
  return [mesh.corners[at], mesh.corners[at + 1], mesh.corners[at + 2]];
}

function triangleCorner(mesh, triangle, number) {
  const at = 3 * mesh.triangles[3 * triangle + number];
  return [mesh.points[at], mesh.points[at + 1], mesh.points[at + 2]];
}
