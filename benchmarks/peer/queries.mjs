// Asks the peer's queries about a navmesh file and pairs of points, and times them: `node queries.mjs JOB.json`.
//
// JOB.json: navmesh (a .bin), points (a raw little-endian float32 file, six numbers a row), include, exclude, costs, max_nodes, max_path,
// seed, random (how many random points), repeat (how often to time; 0: not at all). Prints {"answers": {...}, "microseconds": {...}} on
// one line: answers under the names of `navcore query`, times for one row, with the peer's raw calls in a loop and buffers used again.
import fs from 'node:fs';
import { FloatArray, importNavMesh, init, NavMeshQuery, Raw, setRandomSeed, UnsignedCharArray, UnsignedIntArray } from '@recast-navigation/core';

await init();
const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8')), f = Math.fround;
const bytes = fs.readFileSync(job.points), all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const rows = all.length / 6, starts = [], ends = [];
for (let k = 0; k < rows; k++) { starts.push([...all.subarray(6 * k, 6 * k + 3)]); ends.push([...all.subarray(6 * k + 3, 6 * k + 6)]); }
const { navMesh } = importNavMesh(new Uint8Array(fs.readFileSync(job.navmesh)));
const query = new NavMeshQuery(navMesh, { maxNodes: job.max_nodes }), raw = query.raw, filter = query.defaultFilter;
filter.includeFlags = job.include; filter.excludeFlags = job.exclude;
job.costs.forEach((cost, area) => filter.setAreaCost(area, cost));

const unsigned = (size) => { const array = new UnsignedIntArray(); array.resize(size); return array; };
const floats = (size) => { const array = new FloatArray(); array.resize(size); return array; };
const half = [2, 4, 2], reference = new Raw.UnsignedIntRef(), point = new Raw.Vec3(), over = new Raw.BoolRef(), count = new Raw.IntRef(), real = new Raw.FloatRef();
const path = unsigned(job.max_path), corners = floats(3 * job.max_path), flags = new UnsignedCharArray(), entered = unsigned(job.max_path);
flags.resize(job.max_path);
const visited = unsigned(16), around = [unsigned(64), unsigned(64), floats(64)], box = unsigned(128), ray = new Raw.Module.dtRaycastHit();
const plain = (p) => [p.x, p.y, p.z], head = (array, n) => Array.from({ length: n }, (_, k) => array.raw.get(k));

// ---------------------------------------------------------------- answers

const out = { random_ref: [], random_pts: [], circle_point_ref: [], circle_point_pts: [] };
const put = (name, ...values) => { (out[name] ??= []).push(...values); };
const nearest = (p) => { raw.findNearestPoly(p, half, filter.raw, reference, point, over); const r = reference.value; return [r, r ? plain(point) : [0, 0, 0], r && over.value ? 1 : 0]; };
const pairs = [];

function way(first, last, here, there, goal) {
  const status = raw.findPath(first, last, here, there, filter.raw, path.raw, job.max_path), polygons = head(path, path.raw.size);
  put('path_status', status); put('path_count', polygons.length); put('path_refs', ...polygons);
  const aim = polygons.at(-1) === last ? there : plain(query.closestPointOnPoly(polygons.at(-1), { x: there[0], y: there[1], z: there[2] }).closestPoint);
  for (const options of [0, 1, 2]) {
    const said = raw.findStraightPath(here, aim, path.raw, corners.raw, flags.raw, entered.raw, count, job.max_path, options), n = count.value;
    put(`straight${options}_status`, said); put(`straight${options}_count`, n);
    put(`straight${options}_pts`, ...head(corners, 3 * n)); put(`straight${options}_flags`, ...head(flags, n)); put(`straight${options}_refs`, ...head(entered, n));
  }
}

for (let k = 0; k < rows; k++) {
  const [first, here, above] = nearest(starts[k]), [last, there, over_end] = nearest(ends[k]);
  put('start_ref', first); put('end_ref', last); put('start_nearest', ...here); put('end_nearest', ...there); put('start_over', above); put('end_over', over_end);
  pairs.push([first, last, here, there]);
  if (first && last) way(first, last, here, there); else for (const name of ['path', 'straight0', 'straight1', 'straight2']) { put(`${name}_status`, 0); put(`${name}_count`, 0); }
  raw.queryPolygons(starts[k], half, filter.raw, box.raw, count, 128);
  put('box_count', count.value); put('box_refs', ...head(box, count.value));
  if (!first) { put('ray_t', 0); put('ray_normal', 0, 0, 0); put('ray_cost', 0); put('move_status', 0); put('move_pos', 0, 0, 0); put('move_count', 0); put('height_status', 0); put('height', 0); put('circle_status', 0); put('circle_count', 0); continue; }
  ray.pathCost = 0; // this ray has no room for polygons, and so its status says that there are too many
  raw.raycast(first, here, ends[k], filter.raw, 1, ray, 0);
  put('ray_t', ray.t); put('ray_normal', ...[0, 1, 2].map((axis) => ray.get_hitNormal(axis))); put('ray_cost', ray.pathCost);
  visited.raw.resize(16);
  put('move_status', raw.moveAlongSurface(first, here, ends[k], filter.raw, point, visited.raw, 16));
  put('move_pos', ...plain(point)); put('move_count', visited.raw.size); put('move_refs', ...head(visited, visited.raw.size));
  real.value = 0;
  put('height_status', raw.getPolyHeight(first, here, real)); put('height', out.height_status.at(-1) >>> 0 === 0x40000000 ? real.value : 0);
  around.forEach((array) => array.raw.resize(64));
  put('circle_status', raw.findPolysAroundCircle(first, here, 5, filter.raw, ...around.map((a) => a.raw), count, 64));
  const n = count.value;
  put('circle_count', n); put('circle_refs', ...head(around[0], n)); put('circle_parents', ...head(around[1], n)); put('circle_cost', ...head(around[2], n));
}
setRandomSeed(job.seed);
for (let k = 0; k < job.random; k++) { raw.findRandomPoint(filter.raw, reference, point); put('random_ref', reference.value); put('random_pts', ...plain(point)); }
const from = pairs.find(([first]) => first);
setRandomSeed(job.seed);
for (let k = 0; from && k < job.random; k++) {
  raw.findRandomPointAroundCircle(from[0], from[2], 6, filter.raw, reference, point);
  put('circle_point_ref', reference.value); put('circle_point_pts', ...plain(point));
}

// ---------------------------------------------------------------- times

const whole = pairs.filter(([first, last]) => first && last), microseconds = {};
function time(name, list, call) {
  let best = Infinity;
  for (let run = 0; run < job.repeat; run++) {
    const began = performance.now();
    for (let k = 0; k < list.length; k++) call(list[k]);
    best = Math.min(best, performance.now() - began);
  }
  if (job.repeat) microseconds[name] = 1000 * best / list.length;
}
time('find and straight', whole, ([first, last, here, there]) => {
  raw.findPath(first, last, here, there, filter.raw, path.raw, job.max_path);
  raw.findStraightPath(here, there, path.raw, corners.raw, flags.raw, entered.raw, count, job.max_path, 0);
});
time('nearest', starts, (p) => raw.findNearestPoly(p, half, filter.raw, reference, point, over));
time('ray', whole, ([first, , here, there]) => raw.raycast(first, here, there, filter.raw, 1, ray, 0));
time('move', whole, ([first, , here, there]) => { visited.raw.resize(16); raw.moveAlongSurface(first, here, there, filter.raw, point, visited.raw, 16); });
process.stdout.write(JSON.stringify({ answers: out, microseconds }) + '\n');
