// A navmesh as the bytes of a Detour .bin (one tile): recast-navigation-js, Babylon and PlayCanvas load these.

import { boundsOf, builtFor, detailOf, neighborsOf } from './ground.js';
import { NavmeshFileError } from './load.js';

const MOST_CORNERS = 6;
const MOST = 0x7fff; // polygons of a tile; a neighbor has one bit less than sixteen
const SIZES = { vertex: 12, polygon: 32, link: 12, detailMesh: 12, triangle: 4, node: 16, connection: 36 };
const SET_HEADER = 40, TILE_ENTRY = 8, TILE_HEADER = 100;
const NO_LINK = 0xffffffff, INSIDE = 0xff, CONNECTION = 1 << 6;

/** The bytes of a .bin, links, areas and flags included. What areas cost is no part of such a file. */
export function toDetour(navmesh) {
  const level = withSmallPolygons(navmesh);
  const { polygons, links } = level;
  const vertexCount = level.vertices.length + 2 * links.length;
  if (polygons.length + links.length > MOST || vertexCount > 0xffff) {
    throw new NavmeshFileError('TOO_LARGE', `${polygons.length} polygons, ${vertexCount} vertices and ${links.length} links are more than one tile of Detour holds. Export a .bin with a Tile Size and load it with importNavMesh.`);
  }
  const details = detailOf(level);
  const agent = builtFor(navmesh);
  const { low, high } = boundsOf([...level.vertices, ...details.flatMap(({ own }) => own)]);
  const cell = Math.max(agent.cellSize, ...high.map((value, axis) => (value - low[axis]) / 65000));
  const edges = polygons.reduce((sum, ring) => sum + ring.length, 0);
  const count = {
    vertices: vertexCount, polygons: polygons.length + links.length, links: edges + 4 * links.length,
    ownVertices: details.reduce((sum, { own }) => sum + own.length, 0),
    triangles: details.reduce((sum, { triangles }) => sum + triangles.length, 0),
    nodes: 2 * polygons.length - 1,
  };
  const size = TILE_HEADER + SIZES.vertex * (count.vertices + count.ownVertices) + SIZES.polygon * count.polygons
    + SIZES.link * count.links + SIZES.detailMesh * polygons.length + SIZES.triangle * count.triangles
    + SIZES.node * count.nodes + SIZES.connection * links.length;
  const to = new Writer(SET_HEADER + TILE_ENTRY + size);
  to.text('TESM').ints(1, 1).floats(...low).floats(high[0] - low[0], high[2] - low[2]).ints(1, polygons.length + links.length);
  to.ints(firstReference(polygons.length + links.length), size);
  to.text('VAND').ints(7, 0, 0, 0, 0, count.polygons, count.vertices, count.links, polygons.length, count.ownVertices);
  to.ints(count.triangles, count.nodes, links.length, polygons.length);
  to.floats(agent.height, agent.radius, agent.climb, ...low, ...high, 1 / cell);
  for (const vertex of level.vertices) to.floats(...vertex);
  for (const { start, end } of links) to.floats(...start, ...end);
  writePolygons(to, level);
  to.skip(SIZES.link * count.links); // linked by whoever loads it
  writeDetails(to, details);
  writeTree(to, level, details, low, cell);
  links.forEach(({ start, end, radius, bidirectional, id }, number) => {
    to.floats(...start, ...end, radius).shorts(polygons.length + number).bytes(bidirectional ? 1 : 0, INSIDE).ints(id ?? 0);
  });
  return to.content;
}

/** For each polygon its references in those bytes: several where it had to be cut. */
export function referencesOf({ polygons, links }) {
  const pieces = polygons.map(({ length }) => Math.ceil((length - 2) / (MOST_CORNERS - 2)));
  let next = firstReference(pieces.reduce((sum, count) => sum + count, 0) + links.length);
  return pieces.map((count) => Array.from({ length: count }, () => next++));
}

/** The link that a connection of those bytes is, by the number of its polygon there. */
export function linkOfPolygon(navmesh, polygon) {
  return navmesh.links[polygon - withSmallPolygons(navmesh).polygons.length] ?? null;
}

function firstReference(count) {
  return 2 ** Math.ceil(Math.log2(count));
}

/** Polygons of more than six corners in pieces; each piece follows the last in the list. */
function withSmallPolygons(navmesh) {
  if (navmesh.polygons.every((ring) => ring.length <= MOST_CORNERS)) return navmesh;
  const polygons = [], areas = [], flags = [];
  navmesh.polygons.forEach((ring, number) => {
    for (let first = 1; first < ring.length - 1; first += MOST_CORNERS - 2) {
      polygons.push([ring[0], ...ring.slice(first, first + MOST_CORNERS - 1)]);
      areas.push(navmesh.areas[number]);
      flags.push(navmesh.flags[number]);
    }
  });
  return { ...navmesh, polygons, areas, flags, detail: null };
}

function writePolygons(to, { polygons, vertices, areas, flags, links }) {
  const padded = (values) => [...values, ...Array(MOST_CORNERS - values.length).fill(0)];
  neighborsOf(polygons, vertices.length).forEach((across, number) => {
    const ring = polygons[number];
    to.ints(NO_LINK).shorts(...padded(ring), ...padded(across.map((polygon) => polygon + 1)), flags[number]);
    to.bytes(ring.length, areas[number]);
  });
  links.forEach((link, number) => {
    const first = vertices.length + 2 * number;
    to.ints(NO_LINK).shorts(...padded([first, first + 1]), ...padded([]), link.flags).bytes(2, link.area | CONNECTION);
  });
}

function writeDetails(to, details) {
  let vertex = 0, triangle = 0;
  for (const { own, triangles } of details) {
    to.ints(vertex, triangle).bytes(own.length, triangles.length).shorts(0);
    vertex += own.length;
    triangle += triangles.length;
  }
  for (const { own } of details) for (const point of own) to.floats(...point);
  for (const { triangles } of details) for (const corners of triangles) to.bytes(...corners);
}

/** Boxes in boxes, each before those within it: queries find polygons by them. */
function writeTree(to, { polygons, vertices }, details, low, cell) {
  const boxes = polygons.map((ring, number) => {
    const box = boundsOf([...ring.map((vertex) => vertices[vertex]), ...details[number].own]);
    const cells = (point, round) => point.map((value, axis) => Math.max(0, round((value - low[axis]) / cell)));
    return { low: cells(box.low, Math.floor), high: cells(box.high, Math.ceil), number };
  });
  const add = (some) => {
    const box = { low: [0, 1, 2].map((axis) => some.reduce((least, one) => Math.min(least, one.low[axis]), Infinity)) };
    box.high = [0, 1, 2].map((axis) => some.reduce((most, one) => Math.max(most, one.high[axis]), 0));
    to.shorts(...box.low, ...box.high).ints(some.length === 1 ? some[0].number : 1 - 2 * some.length);
    if (some.length === 1) return;
    const extent = (axis) => box.high[axis] - box.low[axis];
    const axis = [0, 1, 2].reduce((longest, other) => (extent(other) > extent(longest) ? other : longest));
    some.sort((a, b) => a.low[axis] - b.low[axis]);
    add(some.slice(0, some.length >> 1));
    add(some.slice(some.length >> 1));
  };
  add(boxes);
}

class Writer {
  constructor(size) {
    this.content = new Uint8Array(size);
    this.view = new DataView(this.content.buffer);
    this.at = 0;
  }

  ints(...values) { // signed and unsigned ones are the same bytes
    for (const value of values) this.view.setUint32((this.at += 4) - 4, value, true);
    return this;
  }

  floats(...values) {
    for (const value of values) this.view.setFloat32((this.at += 4) - 4, value, true);
    return this;
  }

  shorts(...values) {
    for (const value of values) this.view.setUint16((this.at += 2) - 2, value, true);
    return this;
  }

  bytes(...values) {
    for (const value of values) this.content[this.at++] = value;
    return this;
  }

  text(letters) {
    return this.bytes(...new TextEncoder().encode(letters));
  }

  skip(size) {
    this.at += size;
    return this;
  }
}
