// Builds a level's navmesh file as Recast's demo does, asks it and the file under test the same questions, tells where answers differ.
//
//   node answers.mjs JOB.json     prints {"asked": n, "ties": n, "different": [...]} on one line, and writes the peer's own file
//
// JOB.json: vertices and triangles (raw little-endian float32 / int32 files), tile_size (0: one piece), voxels, agent, boxes, links,
// flags (of each area), partition, max_slope, vertices_per_polygon; ours (the file under test), theirs (the one to write), questions
// (how many of each kind), seed. Tiles and the triangles of each are worked out here, by the demo's rules and nothing of navcore's.
import fs from 'node:fs';
import {
  createNavMeshData, exportNavMesh, importNavMesh, init, NavMesh, NavMeshCreateParams, NavMeshParams, NavMeshQuery, Raw, setRandomSeed,
  TrianglesArray, VerticesArray,
} from '@recast-navigation/core';
import { build, must } from './recast.mjs';

const f = Math.fround, WALKABLE = 63;
const numbers = (Type, file) => { const b = fs.readFileSync(file); return new Type(b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength)); };
const vector = ([x, y, z]) => ({ x, y, z }), plain = ({ x, y, z }) => [x, y, z];

// ---------------------------------------------------------------- the peer's own file

function boundsOf(vertices) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((value, i) => { low[i % 3] = Math.min(low[i % 3], value); high[i % 3] = Math.max(high[i % 3], value); });
  return [low, high];
}

/** Grids of the pieces, in the order in which the demo builds them. */
function pieces(job, low, high) {
  const cs = f(job.voxels.cell_size), whole = Raw.Recast.calcGridSize(low, high, cs), size = job.tile_size;
  if (size === 0) return { columns: 1, rows: 1, grids: [{ x: 0, y: 0, width: whole.width, depth: whole.height, border: 0, low, high }] };
  const columns = Math.floor((whole.width + size - 1) / size), rows = Math.floor((whole.height + size - 1) / size), grids = [];
  const border = job.voxels.radius_vx + 3, side = f(size * cs), pad = f(border * cs);
  const edge = (axis, k) => f(low[axis] + f(k * side));
  for (let y = 0; y < rows; y++) for (let x = 0; x < columns; x++) grids.push({
    x, y, border, width: size + 2 * border, depth: size + 2 * border,
    low: [f(edge(0, x) - pad), low[1], f(edge(2, y) - pad)], high: [f(edge(0, x + 1) + pad), high[1], f(edge(2, y + 1) + pad)],
  });
  return { columns, rows, grids };
}

/** The triangles whose box touches a grid's, seen from above, in the order given. */
function touching(vertices, triangles, { low, high }) {
  const chosen = [];
  for (let t = 0; t < triangles.length; t += 3) {
    const [x, z] = [0, 2].map((axis) => [0, 1, 2].map((corner) => vertices[3 * triangles[t + corner] + axis]));
    if (Math.min(...x) <= high[0] && Math.max(...x) >= low[0] && Math.min(...z) <= high[2] && Math.max(...z) >= low[2]) chosen.push(...triangles.subarray(t, t + 3));
  }
  return Int32Array.from(chosen);
}

function tileData(job, grid, polygons, detail) {
  for (let p = 0; p < polygons.npolys(); p++) {
    if (polygons.areas(p) === WALKABLE) polygons.setAreas(p, 0);
    polygons.setFlags(p, job.flags[polygons.areas(p)] ?? 0);
  }
  const params = new NavMeshCreateParams();
  params.setPolyMeshCreateParams(polygons);
  params.setPolyMeshDetailCreateParams(detail);
  params.setWalkableHeight(job.agent[0]); params.setWalkableRadius(job.agent[1]); params.setWalkableClimb(job.agent[2]);
  params.setCellSize(job.voxels.cell_size); params.setCellHeight(job.voxels.cell_height); params.setBuildBvTree(true);
  params.setOffMeshConnections(job.links.map((link) => ({ ...link, startPosition: vector(link.start), endPosition: vector(link.end), userId: link.id })));
  params.setTileX(grid.x); params.setTileY(grid.y);
  const made = createNavMeshData(params);
  must(made.success, `tile (${grid.x}, ${grid.y})`);
  return made.navMeshData;
}

function theirNavMesh(job) {
  const vertices = numbers(Float32Array, job.vertices), all = numbers(Int32Array, job.triangles), [low, high] = boundsOf(vertices);
  const points = new VerticesArray(), navMesh = new NavMesh(), { columns, rows, grids } = pieces(job, low, high);
  points.copy(vertices);
  if (job.tile_size) {
    const bits = Math.min(Math.ceil(Math.log2(columns * rows)), 14), side = f(job.tile_size * f(job.voxels.cell_size));
    must(navMesh.initTiled(NavMeshParams.create({ orig: vector(low), tileWidth: side, tileHeight: side, maxTiles: 1 << bits, maxPolys: 1 << (22 - bits) })), 'init');
  }
  for (const grid of grids) {
    const own = job.tile_size ? touching(vertices, all, grid) : all, triangles = new TrianglesArray();
    if (own.length === 0) continue;
    triangles.copy(own);
    const { polygons, detail, free } = build(job, { vertices: points, vertexCount: vertices.length / 3, triangles, triangleCount: own.length / 3, grid });
    if (polygons.npolys() > 0) {
      const data = tileData(job, grid, polygons, detail);
      if (job.tile_size) must(navMesh.addTile(data, Raw.Detour.DT_TILE_FREE_DATA ?? 1, 0).status === 0x40000000, 'adding a tile');
      else must(navMesh.initSolo(data), 'init');
    }
    free();
    triangles.destroy();
  }
  return { navMesh, low, high };
}

// ---------------------------------------------------------------- questions

const list = (array) => { const all = Array.from({ length: array.size }, (_, i) => array.get(i)); array.destroy(); return all; };

/** Every answer of one navmesh: kind -> list, as plain values. Ends of ways are the peer's random points, which both are given. */
function answers(query, job, ends, places) {
  const out = { random: [], nearest: [], path: [], straight: [], ray: [], along: [] };
  setRandomSeed(job.seed);
  for (let k = 0; k < job.questions; k++) {
    const { randomPolyRef, randomPoint } = query.findRandomPoint();
    out.random.push([randomPolyRef, plain(randomPoint)]);
  }
  for (const place of places) {
    const found = query.findNearestPoly(place, { halfExtents: { x: 2, y: 4, z: 2 } });
    out.nearest.push(found.nearestRef ? [found.nearestRef, plain(found.nearestPoint), found.isOverPoly] : [0]); // the rest is not set
  }
  const between = ends ?? out.random;
  for (let k = 0; k + 1 < between.length; k++) {
    const [[from, a], [to, b]] = [between[k], between[k + 1]].map(([ref, point]) => [ref, vector(point)]);
    const path = query.findPath(from, to, a, b), polygons = list(path.polys);
    out.path.push([path.status, polygons]);
    const straight = query.findStraightPath(a, b, polygons);
    out.straight.push([straight.status, straight.straightPathCount, list(straight.straightPath), list(straight.straightPathFlags), list(straight.straightPathRefs)]);
    const ray = query.raycast(from, a, b);
    out.ray.push([ray.status, ray.t, plain(ray.hitNormal), ray.path.slice?.(0, ray.pathCount)]);
    const along = query.moveAlongSurface(from, a, b);
    out.along.push([along.status, plain(along.resultPosition), [...along.visited]]);
  }
  return out;
}

/** Two polygons equally near to a place: which one is found first depends on how the peer's C library sorts equal boxes. */
function isTie(query, climb, place, [one], [other]) {
  if (!one || !other) return false;
  const [a, b] = [one, other].map((ref) => {
    const p = query.closestPointOnPoly(ref, place), [dx, dy, dz] = ['x', 'y', 'z'].map((axis) => f(place[axis] - p.closestPoint[axis]));
    return p.isPointOverPoly ? f(Math.max(f(Math.abs(dy) - f(climb)), 0) ** 2) : f(f(f(dx * dx) + f(dy * dy)) + f(dz * dz));
  });
  return a === b;
}

function placesWithin(job, low, high) {
  let state = job.seed >>> 0;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
  return Array.from({ length: job.questions }, () => vector([0, 1, 2].map((a) => f(low[a] - 1 + random() * (high[a] - low[a] + 2)))));
}

await init();
const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const { navMesh, low, high } = theirNavMesh(job);
fs.writeFileSync(job.theirs, exportNavMesh(navMesh));
const ours = importNavMesh(new Uint8Array(fs.readFileSync(job.ours))).navMesh;
const places = placesWithin(job, low, high), theirQuery = new NavMeshQuery(navMesh, { maxNodes: 2048 }), ourQuery = new NavMeshQuery(ours, { maxNodes: 2048 });
const right = answers(theirQuery, job, null, places), given = answers(ourQuery, job, right.random, places);
let asked = 0, ties = 0;
const different = [];
for (const kind in right) right[kind].forEach((answer, k) => {
  asked++;
  if (JSON.stringify(answer) === JSON.stringify(given[kind][k])) return;
  if (kind === 'nearest' && isTie(theirQuery, job.agent[2], places[k], answer, given[kind][k])) ties++;
  else different.push({ kind, k, place: kind === 'nearest' ? plain(places[k]) : undefined, theirs: answer, ours: given[kind][k] });
});
const found = right.nearest.filter(([ref]) => ref).length, whole = right.path.filter(([status]) => (status & 64) === 0).length;
process.stdout.write(JSON.stringify({ asked, ties, found, whole_paths: whole, different: different.slice(0, 20), count: different.length }) + '\n');
