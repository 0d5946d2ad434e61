// Paths as Detour finds them: A* over the middles of what polygons share, then the funnel. Every number is rounded to
// 32 bits where navcore rounds it, so that a path found here is the one that `navcore path` finds.

import { nearestPolygon, closestOnBoundary, closestOnPolygon, distance, flatDistance2 } from "./ground.js";

const f = Math.fround;
const CONNECTION = 1;
const HEURISTIC = f(0.999);
const MAX_NODES = 2048, MAX_POLYGONS = 256;
const UNSEEN = 0, OPEN = 1, CLOSED = 2;
const TOUCHES = f(f(0.001) * f(0.001));
const NEAR = f(f(1 / 16384) * f(1 / 16384));
export const EVERYBODY = { include: 0xffff, exclude: 0, costs: new Float32Array(64).fill(1) };

/** The path from one place to another: {status, points, length, cost, polygons, links}, with the status of `navcore path`. */
export function findPath(mesh, start, end, rule = EVERYBODY) {
  const from = nearestPolygon(mesh, start, rule);
  if (from.polygon < 0) return nothing("no_start");
  const to = nearestPolygon(mesh, end, rule);
  if (to.polygon < 0) return nothing("no_end");
  const corridor = findCorridor(mesh, from, to, rule);
  const points = straightLine(mesh, corridor.polygons, from.point, corridor.aim);
  let length = 0;
  for (let i = 1; i < points.length; i++) length += distance(points[i - 1], points[i]);
  const links = corridor.polygons.filter((polygon) => mesh.kind[polygon] === CONNECTION);
  return { status: corridor.status, points, length, polygons: corridor.polygons, links };
}

function nothing(status) {
  return { status, points: [], length: 0, polygons: [], links: [] };
}

// --- A*

/** What polygons share across a link: its left and right end. */
function portalOf(mesh, here, link) {
  const there = mesh.linkTarget[link];
  const first = firstLinkTo(mesh, here, there);
  const edge = mesh.linkEdge[first];
  if (mesh.kind[here] === CONNECTION) return [cornerOf(mesh, here, edge), cornerOf(mesh, here, edge)];
  if (mesh.kind[there] === CONNECTION) {
    const back = firstLinkTo(mesh, there, here);
    if (back < 0) return null;
    const corner = cornerOf(mesh, there, mesh.linkEdge[back]);
    return [corner, corner];
  }
  const a = cornerOf(mesh, here, edge), b = cornerOf(mesh, here, edge + 1 < cornersOf(mesh, here) ? edge + 1 : 0);
  const low = mesh.linkLow[first], high = mesh.linkHigh[first];
  if (mesh.linkSide[first] === 255 || (low === 0 && high === 255)) return [a, b];
  const part = f(f(1) / f(255));
  return [along(a, b, f(low * part)), along(a, b, f(high * part))];
}

function along(a, b, t) {
  return [0, 1, 2].map((axis) => f(a[axis] + f(f(b[axis] - a[axis]) * t)));
}

function cornersOf(mesh, polygon) {
  return mesh.firstCorner[polygon + 1] - mesh.firstCorner[polygon];
}

function cornerOf(mesh, polygon, number) {
  const at = 3 * (mesh.firstCorner[polygon] + number);
  return [mesh.corners[at], mesh.corners[at + 1], mesh.corners[at + 2]];
}

function firstLinkTo(mesh, here, there) {
  for (let link = mesh.firstLink[here]; link < mesh.firstLink[here + 1]; link++) {
    if (mesh.linkTarget[link] === there) return link;
  }
  return -1;
}

function admits(flags, rule) {
  return (flags & rule.include) !== 0 && (flags & rule.exclude) === 0;
}

/** Polygons from one to the other, the status, and where the path goes to. */
function findCorridor(mesh, from, to, rule) {
  if (from.polygon === to.polygon) return { status: "complete", polygons: [from.polygon], aim: to.point };
  const { chain, full } = search(mesh, from, to, rule);
  let status = full ? "out_of_nodes" : "complete";
  const reached = chain[chain.length - 1] === to.polygon;
  if (!reached && !full) status = "partial";
  const polygons = chain.slice(0, MAX_POLYGONS);
  if (polygons.length < chain.length) status = "truncated";
  const last = polygons[polygons.length - 1];
  return { status, polygons, aim: last === to.polygon ? to.point : closestOnPolygon(mesh, last, to.point).point };
}

function search(mesh, from, to, rule) {
  const pool = new Pool();
  const goal = to.polygon, there = to.point;
  let smallest = f(distance32(from.point, there) * HEURISTIC);
  let best = pool.nodeOf(4 * from.polygon);
  pool.begin(best, from.point, smallest);
  let full = false;
  while (pool.heap.length) {
    const node = pool.pop();
    const polygon = pool.polygonOf(node);
    if (polygon === goal) return { chain: pool.chainTo(node), full };
    const cameFrom = pool.parents[node] >= 0 ? pool.polygonOf(pool.parents[node]) : -1;
    const price = rule.costs[mesh.area[polygon]];
    for (let link = mesh.firstLink[polygon]; link < mesh.firstLink[polygon + 1]; link++) {
      const target = mesh.linkTarget[link];
      if (target === cameFrom || !admits(mesh.flags[target], rule)) continue;
      const side = mesh.linkSide[link];
      const other = pool.nodeOf(4 * target + (side === 255 ? 0 : side >> 1));
      if (other < 0) { full = true; continue; }
      if (pool.states[other] === UNSEEN) {
        const portal = portalOf(mesh, polygon, link);
        pool.places[other] = portal ? portal[0].map((value, axis) => f(f(value + portal[1][axis]) * 0.5)) : [0, 0, 0];
        pool.leftOver[other] = f(distance32(pool.places[other], there) * HEURISTIC);
      }
      const entry = pool.places[other];
      let cost = f(pool.costs[node] + f(distance32(pool.places[node], entry) * price));
      let leftOver = pool.leftOver[other];
      if (target === goal) {
        cost = f(cost + f(distance32(entry, there) * rule.costs[mesh.area[target]]));
        leftOver = 0;
      }
      if (pool.offer(other, node, cost, f(cost + leftOver)) && leftOver < smallest) {
        smallest = leftOver;
        best = other;
      }
    }
  }
  return { chain: pool.chainTo(best), full };
}

function distance32(a, b) {
  const x = f(b[0] - a[0]), y = f(b[1] - a[1]), z = f(b[2] - a[2]);
  return f(Math.sqrt(f(f(f(x * x) + f(y * y)) + f(z * z))));
}

/** The nodes of one search, and the queue of those that wait; the order of equals is Detour's. */
class Pool {
  constructor() {
    this.byKey = new Map();
    this.keys = []; this.parents = []; this.states = []; this.places = [];
    this.costs = []; this.totals = []; this.leftOver = []; this.spots = [];
    this.heap = [];
  }

  nodeOf(key) {
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    if (this.keys.length >= MAX_NODES) return -1;
    const node = this.keys.length;
    this.byKey.set(key, node);
    this.keys.push(key); this.parents.push(-1); this.states.push(UNSEEN);
    return node;
  }

  polygonOf(node) {
    return this.keys[node] >> 2;
  }

  begin(node, place, leftOver) {
    this.places[node] = place;
    this.costs[node] = 0; this.leftOver[node] = leftOver; this.totals[node] = leftOver;
    this.states[node] = OPEN;
    this.push(node);
  }

  offer(node, parent, cost, total) {
    const state = this.states[node];
    if (state !== UNSEEN && !(total < this.totals[node])) return false;
    this.parents[node] = parent; this.states[node] = OPEN;
    this.costs[node] = cost; this.totals[node] = total;
    if (state === OPEN) this.rise(this.spots[node], node);
    else this.push(node);
    return true;
  }

  push(node) {
    this.heap.push(node);
    this.rise(this.heap.length - 1, node);
  }

  rise(spot, node) {
    const { heap, totals, spots } = this;
    while (spot > 0) {
      const above = (spot - 1) >> 1;
      if (!(totals[heap[above]] > totals[node])) break;
      heap[spot] = heap[above];
      spots[heap[spot]] = spot;
      spot = above;
    }
    heap[spot] = node;
    spots[node] = spot;
  }

  pop() {
    const { heap, totals, spots } = this;
    const nearest = heap[0];
    const last = heap.pop();
    const size = heap.length;
    let spot = 0, child = 1;
    while (child < size) {
      if (child + 1 < size && totals[heap[child]] > totals[heap[child + 1]]) child++;
      heap[spot] = heap[child];
      spots[heap[spot]] = spot;
      spot = child;
      child = 2 * spot + 1;
    }
    if (size > 0) this.rise(spot, last);
    this.states[nearest] = CLOSED;
    return nearest;
  }

  chainTo(node) {
    const chain = [];
    for (; node >= 0; node = this.parents[node]) chain.push(this.polygonOf(node));
    return chain.reverse();
  }
}

// --- the funnel

/** The shortest line through a corridor, as string pulling finds it. */
function straightLine(mesh, corridor, start, end) {
  const steps = corridor.length - 1;
  const points = [];
  let apex = closestOnBoundary(mesh, corridor[0], start);
  const goal = closestOnBoundary(mesh, corridor[steps], end);
  append(points, apex);
  const gates = [];
  for (let i = 0; i < steps; i++) {
    const link = firstLinkTo(mesh, corridor[i], corridor[i + 1]);
    const gate = link < 0 ? null : portalOf(mesh, corridor[i], link);
    if (!gate) break;
    gates.push(gate);
  }
  let left = apex, right = apex, atLeft = 0, atRight = 0, closes;
  let i = steps === 0 || (gates.length && flatDistance2(apex, gates[0][0], gates[0][1]) < TOUCHES) ? 1 : 0;
  while (i <= steps) {
    if (i < steps && i >= gates.length) {
      append(points, closestOnBoundary(mesh, corridor[i], end));
      return points;
    }
    const [newLeft, newRight] = i < steps ? gates[i] : [goal, goal];
    closes = "";
    if (turn(apex, right, newRight) <= 0) {
      if (samePlace(apex, right) || turn(apex, left, newRight) > 0) { right = newRight; atRight = i; }
      else closes = "left";
    }
    if (!closes && turn(apex, left, newLeft) >= 0) {
      if (samePlace(apex, left) || turn(apex, right, newLeft) < 0) { left = newLeft; atLeft = i; }
      else closes = "right";
    }
    i++;
    if (closes) {
      const at = closes === "left" ? atLeft : atRight;
      apex = closes === "left" ? left : right;
      append(points, apex);
      if (apex === goal) return points;
      left = right = apex;
      atLeft = atRight = at;
      i = at + 1;
    }
  }
  append(points, goal);
  return points;
}

function append(points, point) {
  if (!points.length || !samePlace(points[points.length - 1], point)) points.push(point);
}

function samePlace(a, b) {
  const x = f(b[0] - a[0]), y = f(b[1] - a[1]), z = f(b[2] - a[2]);
  return f(f(f(x * x) + f(y * y)) + f(z * z)) < NEAR;
}

function turn(a, b, c) {
  const bx = f(b[0] - a[0]), bz = f(b[2] - a[2]), cx = f(c[0] - a[0]), cz = f(c[2] - a[2]);
  return f(f(cx * bz) - f(bx * cz));
}
