// What several libraries need of the ground: which polygon lies across each edge, what a metre costs, where doors are.

import { NavmeshFileError } from './load.js';

/** For each polygon, and each edge from a corner to the next, the polygon across; -1 for none. */
export function neighborsOf(polygons, vertexCount) {
  const edges = new Map();
  const key = (a, b) => a * vertexCount + b;
  polygons.forEach((ring, polygon) => ring.forEach((corner, k) => {
    const edge = key(corner, ring[(k + 1) % ring.length]);
    if (!edges.has(edge)) edges.set(edge, polygon);
  }));
  return polygons.map((ring) => ring.map((corner, k) => edges.get(key(ring[(k + 1) % ring.length], corner)) ?? -1));
}

export function boundsOf(vertices) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const vertex of vertices) {
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], vertex[axis]);
      high[axis] = Math.max(high[axis], vertex[axis]);
    }
  }
  return { low, high };
}

/** What a metre of an area costs; 1 where nobody said. */
export function costOf(navmesh, area) {
  return navmesh.areaTypes[area]?.cost ?? 1;
}

/** Whom it was built for, and its cells, in metres; Recast's usual ones where the file does not say. */
export function builtFor(navmesh) {
  const settings = navmesh.settings ?? {};
  return {
    height: settings.agent_height ?? 2, radius: settings.agent_radius ?? 0.6, climb: settings.agent_max_climb ?? 0.9,
    cellSize: settings.cell_size ?? 0.3, cellHeight: settings.cell_height ?? 0.2,
  };
}

/** Triangles that follow the heights, by polygon: corner numbers of the polygon first, then of `own` points. */
export function detailOf(navmesh) {
  const { polygons, vertices, detail } = navmesh;
  const found = polygons.map(() => ({ triangles: [], own: [] }));
  if (detail !== null) {
    const numbers = polygons.map(() => new Map());
    detail.polygon.forEach((polygon, t) => found[polygon].triangles.push(detail.triangles[t].map((vertex) => {
      const known = numbers[polygon], ring = polygons[polygon];
      if (!known.has(vertex)) {
        const [x, , z] = detail.vertices[vertex];
        const corner = ring.findIndex((v) => Math.hypot(vertices[v][0] - x, vertices[v][2] - z) < 1e-4);
        known.set(vertex, corner >= 0 ? corner : ring.length + found[polygon].own.push(detail.vertices[vertex]) - 1);
      }
      return known.get(vertex);
    })));
  }
  return found.map((mesh, polygon) => outlined(mesh, polygons[polygon].length));
}

/** The same with a fourth number for each triangle: which of its edges are on the outline. A fan where it is no use. */
function outlined({ triangles, own }, corners) {
  if (triangles.length === 0 || triangles.length > 255 || own.length > 255 - corners) {
    return outlined({ triangles: Array.from({ length: corners - 2 }, (_, k) => [0, k + 1, k + 2]), own: [] }, corners);
  }
  const edges = new Set(triangles.flatMap(([a, b, c]) => [`${a} ${b}`, `${b} ${c}`, `${c} ${a}`]));
  const bit = (a, b, value) => (edges.has(`${b} ${a}`) ? 0 : value);
  return { own, triangles: triangles.map(([a, b, c]) => [a, b, c, bit(a, b, 1) | bit(b, c, 4) | bit(c, a, 16)]) };
}

/** `[polygon, flags]` of all that changes when a door is opened or closed, by its name. */
export function doorState(navmesh, name, isOpen) {
  const parts = navmesh.doors.filter((door) => door.name === name);
  const refuse = (message) => { throw new NavmeshFileError('NO_DOOR', message); };
  if (parts.length === 0) refuse(`There is no door "${name}"; there are: ${navmesh.doors.map((door) => door.name).join(', ') || 'none'}.`);
  return parts.flatMap(({ numbers, polygons, open, closed }) => (numbers ?? polygons).map((told) => {
    const polygon = polygonOf(navmesh, told);
    if (!(polygon < navmesh.polygons.length)) refuse(`The file does not say which polygons "${name}" has as it counts them: export it again with Navmesh.`);
    return [polygon, isOpen ? open : closed];
  }));
}

/** Numbers of polygons stand for themselves. A file that has none has references: those into the only tile have one more bit. */
function polygonOf({ polygons, settings }, reference) {
  if (reference < polygons.length) return reference;
  return settings?.tile_size > 0 ? Infinity : reference - 2 ** Math.floor(Math.log2(reference));
}
