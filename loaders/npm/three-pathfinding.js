import { costOf, doorState, neighborsOf } from './ground.js';

const LEVEL = 'level', CORRIDOR = 'corridor'; // zones: all of the ground, and the polygons of a single leg
const HEURISTIC = 0.999;
const INWARDS = 0.01; // part of the way to the middle: the library does not find what lies on an edge

/**
 * For three-pathfinding: `{ pathfinding, zone, findPath, setDoor }`.
 *
 * `pathfinding` is the library's, with the zone 'level' of triangles. Its own search knows neither links nor costs, so
 * `findPath(from, to, { exclude })` looks for the way here and lets the library pull each leg of it tight.
 * `libraries` is `{ three, threePathfinding }` where they were imported already.
 */
export async function toThreePathfinding(navmesh, libraries = {}) {
  const three = libraries.three ?? (await import('three'));
  const imported = libraries.threePathfinding ?? (await import('three-pathfinding'));
  const { Pathfinding } = imported.Pathfinding ? imported : imported.default;
  const vertices = navmesh.vertices.map((vertex) => new three.Vector3(...vertex));
  const triangles = navmesh.polygons.flatMap((ring) => ring.slice(2).map((corner, k) => [ring[0], ring[k + 1], corner]));
  const zone = { vertices, groups: groupsOf(nodesOf(triangles, vertices, three)) };
  const pathfinding = new Pathfinding();
  pathfinding.setZoneData(LEVEL, zone);
  const ground = new Ground(navmesh, vertices, three);
  const findPath = (from, to, { exclude = 0 } = {}) => {
    const legs = ground.search(from, to, exclude);
    if (legs === null) return null;
    const points = [], links = [];
    for (const { polygons, start, end, link } of legs) {
      if (link) links.push(link);
      points.push(start, ...ground.pulled(pathfinding, polygons, start, end));
    }
    return { points, links };
  };
  const setDoor = (name, isOpen) => {
    for (const [polygon, flags] of doorState(navmesh, name, isOpen)) ground.flags[polygon] = flags;
  };
  return { pathfinding, zone, findPath, setDoor };
}

/** What the library keeps of polygons: who lies beside whom, and the edge between. */
function nodesOf(rings, vertices, { Vector3 }) {
  return neighborsOf(rings, vertices.length).map((across, id) => {
    const vertexIds = rings[id], neighbours = [], portals = [];
    across.forEach((polygon, k) => {
      if (polygon < 0 || polygon === id) return;
      neighbours.push(polygon);
      portals.push([vertexIds[k], vertexIds[(k + 1) % vertexIds.length]]);
    });
    const centroid = vertexIds.reduce((sum, vertex) => sum.add(vertices[vertex]), new Vector3()).divideScalar(vertexIds.length);
    return { id, neighbours, vertexIds, centroid, portals };
  });
}

/** Nodes that ground connects, each group numbered by itself. */
function groupsOf(nodes) {
  const groups = [], numbers = new Map();
  for (const first of nodes) {
    if (numbers.has(first)) continue;
    const group = [first];
    numbers.set(first, 0);
    for (const node of group) {
      for (const other of node.neighbours) {
        if (!numbers.has(nodes[other])) numbers.set(nodes[other], group.push(nodes[other]) - 1);
      }
    }
    groups.push(group);
  }
  for (const node of nodes) node.neighbours = node.neighbours.map((other) => numbers.get(nodes[other]));
  for (const node of nodes) node.id = numbers.get(node);
  return groups;
}

/** The polygons with areas and links: what ways are looked for in. */
class Ground {
  constructor(navmesh, vertices, three) {
    this.three = three;
    this.navmesh = navmesh;
    this.vertices = vertices;
    this.nodes = nodesOf(navmesh.polygons, vertices, three);
    this.flags = [...navmesh.flags];
    this.costs = navmesh.areas.map((area) => costOf(navmesh, area));
    this.jumps = navmesh.polygons.map(() => []); // those that begin in each polygon
    for (const link of navmesh.links) {
      const [a, b] = [link.start, link.end].map((point) => this.nearest(new three.Vector3(...point)));
      if (Math.max(a.away, b.away) > link.radius + (navmesh.settings?.agent_max_climb ?? 0.9)) continue; // attached to nothing
      this.jumps[a.polygon].push({ link, from: a, to: b });
      if (link.bidirectional) this.jumps[b.polygon].push({ link, from: b, to: a });
    }
  }

  /** The place nearest to a point, on ground that is admitted. */
  nearest(point, isAdmitted = () => true) {
    const { Vector3, Triangle } = this.three;
    const triangle = new Triangle(), place = new Vector3(), found = { polygon: -1, point: new Vector3(), away: Infinity };
    const { x, y, z } = point, asked = new Vector3(x, y, z);
    this.nodes.forEach(({ vertexIds }, polygon) => {
      if (!isAdmitted(polygon)) return;
      for (let k = 2; k < vertexIds.length; k++) {
        triangle.set(...[0, k - 1, k].map((corner) => this.vertices[vertexIds[corner]]));
        const away = triangle.closestPointToPoint(asked, place).distanceTo(asked);
        if (away < found.away) Object.assign(found, { polygon, away, point: found.point.copy(place) });
      }
    });
    return found;
  }

  admits(flags, exclude) {
    return flags !== 0 && (flags & exclude) === 0;
  }

  /** A*: legs on the ground, each after the first with the link that leads to it. Null where there is no way. */
  search(from, to, exclude) {
    const [start, goal] = [from, to].map((point) => this.nearest(point, (polygon) => this.admits(this.flags[polygon], exclude)));
    if (start.polygon < 0) return null; // no ground at all
    const open = new Queue(), best = new Map();
    const offer = (step) => {
      const left = step.place.distanceTo(goal.point);
      if (step.polygon === goal.polygon) step.cost += left * this.costs[goal.polygon]; // to the very end
      if (!(step.cost < (best.get(step.polygon)?.cost ?? Infinity))) return;
      best.set(step.polygon, step);
      open.push(step, step.cost + (step.polygon === goal.polygon ? 0 : left * HEURISTIC));
    };
    offer({ polygon: start.polygon, place: start.point, cost: 0, before: null, jump: null });
    for (let here = open.pop(); here; here = open.pop()) {
      if (here.polygon === goal.polygon) return this.legs(here, start, goal);
      if (best.get(here.polygon) !== here) continue;
      const price = this.costs[here.polygon];
      const node = this.nodes[here.polygon];
      node.neighbours.forEach((polygon, k) => {
        if (!this.admits(this.flags[polygon], exclude)) return;
        const [a, b] = node.portals[k].map((vertex) => this.vertices[vertex]);
        const place = a.clone().lerp(b, 0.5);
        offer({ polygon, place, cost: here.cost + here.place.distanceTo(place) * price, before: here, jump: null });
      });
      for (const jump of this.jumps[here.polygon]) {
        if (!this.admits(jump.link.flags, exclude) || !this.admits(this.flags[jump.to.polygon], exclude)) continue;
        const over = jump.from.point.distanceTo(jump.to.point) * costOf(this.navmesh, jump.link.area);
        const cost = here.cost + here.place.distanceTo(jump.from.point) * price + over;
        offer({ polygon: jump.to.polygon, place: jump.to.point, cost, before: here, jump });
      }
    }
    return null;
  }

  legs(last, start, goal) {
    const legs = [{ polygons: [], start: null, end: goal.point, link: null }];
    for (let step = last; step; step = step.before) {
      legs[0].polygons.unshift(step.polygon);
      if (step.jump === null) continue;
      Object.assign(legs[0], { start: step.jump.to.point, link: step.jump.link });
      legs.unshift({ polygons: [], start: null, end: step.jump.from.point, link: null });
    }
    legs[0].start = start.point;
    return legs;
  }

  /** The points after `start` of the shortest line through polygons. */
  pulled(pathfinding, polygons, start, end) {
    if (polygons.length === 1) return [end];
    const nodes = polygons.map((polygon) => this.nodes[polygon]);
    const chain = [nodes[0], ...nodes].map(({ vertexIds, centroid }, id) => ({ id, vertexIds, centroid, neighbours: [], portals: [] }));
    // The first stands there twice, because the library passes over the edge at which its first polygon is left.
    for (let id = 1; id < chain.length; id++) {
      const edge = id === 1 ? [nodes[0].vertexIds[0], nodes[0].vertexIds[1]] : nodes[id - 2].portals[nodes[id - 2].neighbours.indexOf(nodes[id - 1].id)];
      chain[id - 1].neighbours.push(id);
      chain[id - 1].portals.push(edge);
    }
    pathfinding.setZoneData(CORRIDOR, { vertices: this.vertices, groups: [chain] });
    const [a, b] = [[start, nodes[0]], [end, nodes.at(-1)]].map(([point, node]) => point.clone().lerp(node.centroid, INWARDS));
    const points = pathfinding.findPath(a, b, CORRIDOR, 0) ?? [b];
    return [...points.slice(0, -1), end];
  }
}

/** What waits, the cheapest first. */
class Queue {
  constructor() {
    this.heap = [];
  }

  push(step, total) {
    let at = this.heap.push({ step, total }) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.heap[above].total > this.heap[at].total; at = above, above = (at - 1) >> 1) {
      [this.heap[at], this.heap[above]] = [this.heap[above], this.heap[at]];
    }
  }

  pop() {
    const { heap } = this, first = heap[0], last = heap.pop();
    if (heap.length === 0) return first?.step;
    heap[0] = last;
    for (let at = 0, child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && heap[child + 1].total < heap[child].total) child++;
      if (heap[at].total <= heap[child].total) break;
      [heap[at], heap[child]] = [heap[child], heap[at]];
      at = child;
    }
    return first.step;
  }
}
