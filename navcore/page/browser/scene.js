// What is drawn: the navmesh in colors that say something, its edges and links, the level beneath, what changed.
// Triangles and edges are in an order in which a part of them, from the first on, looks most like the whole.

import { channels, colorOfNumber } from "./data.js";

const CONNECTION = 1;
const ARC_STEPS = 10;

/** The places and owners of the triangles of a navmesh. */
export function groundOf(mesh) {
  const places = new Float32Array(3 * mesh.triangles.length), owners = new Uint32Array(mesh.triangles.length);
  for (let polygon = 0; polygon < mesh.area.length; polygon++) {
    for (let k = 3 * mesh.firstTriangle[polygon]; k < 3 * mesh.firstTriangle[polygon + 1]; k++) {
      const at = 3 * mesh.triangles[k];
      places[3 * k] = mesh.points[at]; places[3 * k + 1] = mesh.points[at + 1]; places[3 * k + 2] = mesh.points[at + 2];
      owners[k] = polygon;
    }
  }
  return largestFirst(places, owners);
}

/**
 * The same triangles (or, without owners, segments) in classes by size: those of each are about twice as large as of the next.
 * In a class neighbors lie far apart, so that no part of the level is left out before others.
 */
export function largestFirst(places, owners) {
  const width = owners ? 9 : 6, count = places.length / width, sizes = new Float32Array(count);
  for (let k = 0, at = 0; k < count; k++, at += width) {
    const ux = places[at + 3] - places[at], uy = places[at + 4] - places[at + 1], uz = places[at + 5] - places[at + 2];
    if (!owners) { sizes[k] = ux * ux + uy * uy + uz * uz; continue; }
    const vx = places[at + 6] - places[at], vy = places[at + 7] - places[at + 1], vz = places[at + 8] - places[at + 2];
    sizes[k] = (uy * vz - uz * vy) ** 2 + (uz * vx - ux * vz) ** 2 + (ux * vy - uy * vx) ** 2;
  }
  const bits = new Uint32Array(sizes.buffer), begins = new Uint32Array(129); // half of the exponents: sizes are squared
  for (let k = 0; k < count; k++) begins[128 - (bits[k] >>> 24)]++;
  for (let kind = 128, end = count; kind >= 0; kind--) begins[kind] = end -= begins[kind];
  const ordered = new Float32Array(places.length), ofOrdered = owners && new Uint32Array(owners.length);
  const stride = strideThrough(count);
  for (let turn = 0, k = 0; turn < count; turn++, k = (k + stride) % count) {
    const to = begins[128 - (bits[k] >>> 24)]++;
    for (let part = 0; part < width; part++) ordered[width * to + part] = places[width * k + part];
    if (owners) ofOrdered.fill(owners[3 * k], 3 * to, 3 * to + 3);
  }
  return { places: ordered, owners: ofOrdered };
}

/** A stride that comes by all of them before it comes by one again. */
function strideThrough(count) {
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  let stride = Math.max(1, Math.floor(count * 0.618));
  while (divisor(count, stride) > 1) stride++;
  return stride;
}

/** Edges of polygons: walls, borders between tiles, all others. */
export function edgesOf(mesh) {
  const kinds = ["walls", "inner", "borders"], counts = [0, 0, 0]; // as the numbers of edges are
  for (let k = 0; k < mesh.edges.length; k++) counts[mesh.edges[k]]++;
  const places = counts.map((count) => new Float32Array(6 * count)), ends = [0, 0, 0];
  for (let polygon = 0; polygon < mesh.area.length; polygon++) {
    if (mesh.kind[polygon] === CONNECTION) continue;
    const first = mesh.firstCorner[polygon], end = mesh.firstCorner[polygon + 1];
    for (let k = first; k < end; k++) {
      const from = 3 * k, to = 3 * (k + 1 < end ? k + 1 : first), kind = mesh.edges[k], own = places[kind];
      for (let axis = 0; axis < 3; axis++) {
        own[ends[kind] + axis] = mesh.corners[from + axis];
        own[ends[kind] + 3 + axis] = mesh.corners[to + axis];
      }
      ends[kind] += 6;
    }
  }
  return Object.fromEntries(kinds.map((name, kind) => [name, largestFirst(places[kind].subarray(0, ends[kind])).places]));
}

/** The ways of coloring that say something of this navmesh. */
export function waysToColor(mesh) {
  const ways = { area: "Area", island: "Island" };
  if (mesh.hasRegions) ways.region = "Region";
  if (mesh.tiles > 1) ways.tile = "Tile";
  return { ...ways, polygon: "Polygon" };
}

/** Four bytes for each polygon, and a legend of those that are few: [color, words]. */
export function colorsOf(mesh, way) {
  const colors = new Uint8Array(4 * mesh.area.length), legend = new Map();
  const values = { area: mesh.area, island: mesh.island, region: mesh.region, tile: mesh.tile }[way];
  for (let polygon = 0; polygon < mesh.area.length; polygon++) {
    if (mesh.kind[polygon] === CONNECTION) continue;
    const value = values ? values[polygon] : polygon;
    let color = legend.get(value);
    if (!color) legend.set(value, color = way === "area" ? channels(mesh.areas[value].color) : colorOfNumber(value));
    const at = 4 * polygon;
    colors[at] = color[0]; colors[at + 1] = color[1]; colors[at + 2] = color[2]; colors[at + 3] = 255;
  }
  return { colors, legend: [...legend].sort((a, b) => a[0] - b[0]).map(([value, color]) => [color, nameOf(mesh, way, value)]) };
}

function nameOf(mesh, way, value) {
  if (way === "area") {
    const { name, cost } = mesh.areas[value];
    return cost === 1 ? name : `${name}, cost ${cost}`;
  }
  if (way === "island") return `Island ${value + 1}: ${(mesh.islands[value] ?? 0).toLocaleString("en")} m²`;
  return `${way[0].toUpperCase()}${way.slice(1)} ${value}`;
}

/** Lines of links: arcs of those between points, with a tick at the end of those that lead one way. */
export function linksOf(mesh) {
  const lines = [];
  for (const link of mesh.links.points) arc(lines, link.start, link.end, link.bidirectional);
  for (const wide of mesh.links.wide) {
    const [startLeft, startRight, endLeft, endRight] = wide.corners;
    const middle = (a, b) => a.map((value, axis) => (value + b[axis]) / 2);
    arc(lines, middle(startLeft, startRight), middle(endLeft, endRight), wide.bidirectional);
  }
  return new Float32Array(lines);
}

function arc(lines, start, end, bothWays) {
  const length = Math.hypot(...start.map((value, axis) => end[axis] - value));
  const rise = 0.25 * length;
  const at = (part) => start.map((value, axis) => value + (end[axis] - value) * part + (axis === 1 ? rise * 4 * part * (1 - part) : 0));
  for (let k = 0; k < ARC_STEPS; k++) lines.push(...at(k / ARC_STEPS), ...at((k + 1) / ARC_STEPS));
  const size = Math.min(0.4, length / 4);
  for (const [tip, back] of bothWays ? [[end, at(0.85)], [start, at(0.15)]] : [[end, at(0.85)]]) {
    const along = back.map((value, axis) => value - tip[axis]);
    const long = Math.hypot(...along) || 1;
    const [x, y, z] = along.map((value) => (value / long) * size);
    lines.push(...tip, tip[0] + x + z * 0.5, tip[1] + y, tip[2] + z - x * 0.5);
    lines.push(...tip, tip[0] + x - z * 0.5, tip[1] + y, tip[2] + z + x * 0.5);
  }
}

/** Two triangles and an owner for each wide link, and their colors. */
export function ribbonsOf(mesh) {
  const wide = mesh.links.wide, places = new Float32Array(18 * wide.length), owners = new Uint32Array(6 * wide.length);
  const colors = new Uint8Array(4 * wide.length);
  wide.forEach((link, number) => {
    const [a, b, c, d] = link.corners;
    places.set([a, b, d, a, d, c].flat(), 18 * number);
    owners.fill(number, 6 * number, 6 * number + 6);
    colors.set([...channels(link.color), 200], 4 * number);
  });
  return { places, owners, colors, count: wide.length };
}

/** The triangles of the level beneath. */
export function levelOf(level) {
  const places = new Float32Array(3 * level.corners.length);
  for (let k = 0; k < level.corners.length; k++) {
    for (let axis = 0; axis < 3; axis++) {
      places[3 * k + axis] = level.low[axis] + level.places[3 * level.corners[k] + axis] * level.step[axis];
    }
  }
  return largestFirst(places, new Uint32Array(level.corners.length));
}

/** Faces with their own colors over what changed, where time was lost, or who hides: two triangles each. */
export function facesOf(difference) {
  const count = difference.faces.length / 12, places = new Float32Array(18 * count), owners = new Uint32Array(6 * count);
  for (let face = 0; face < count; face++) {
    [0, 1, 2, 0, 2, 3].forEach((corner, k) => {
      for (let axis = 0; axis < 3; axis++) {
        places[18 * face + 3 * k + axis] = difference.faces[12 * face + 3 * corner + axis] + (axis === 1 ? 0.03 : 0);
      }
    });
    owners.fill(face, 6 * face, 6 * face + 6);
  }
  return { places, owners, colors: difference.colors, count };
}

/** Where a ray first meets the ground: {polygon, point}, or null. */
export function hit(ground, { from, direction }) {
  const { places, owners } = ground;
  let nearest = Infinity, polygon = -1;
  const [dx, dy, dz] = direction;
  for (let k = 0; k < owners.length; k += 3) {
    const at = 3 * k;
    const ax = places[at], ay = places[at + 1], az = places[at + 2];
    const ux = places[at + 3] - ax, uy = places[at + 4] - ay, uz = places[at + 5] - az;
    const vx = places[at + 6] - ax, vy = places[at + 7] - ay, vz = places[at + 8] - az;
    const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
    const determinant = ux * px + uy * py + uz * pz;
    if (Math.abs(determinant) < 1e-12) continue;
    const sx = from[0] - ax, sy = from[1] - ay, sz = from[2] - az;
    const u = (sx * px + sy * py + sz * pz) / determinant;
    if (u < 0 || u > 1) continue;
    const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
    const v = (dx * qx + dy * qy + dz * qz) / determinant;
    if (v < 0 || u + v > 1) continue;
    const t = (vx * qx + vy * qy + vz * qz) / determinant;
    if (t > 0 && t < nearest) { nearest = t; polygon = owners[k]; }
  }
  if (polygon < 0) return null;
  return { polygon, point: from.map((value, axis) => value + direction[axis] * nearest) };
}
