// `node sections.mjs FOLDER WHOLE.bin WALK.json`: a world in sections, added to and removed from one navmesh as its
// player walks. WALK.json: {"points": [[x, y, z], …], "most": sections in memory}. Says lengths of legs, there and in
// WHOLE.bin, and leaves what Detour has in memory beside it: *.exported.bin, with all sections.

import fs from 'node:fs';
import path from 'node:path';
import * as core from '@recast-navigation/core';

const [folder, whole, walkFile] = process.argv.slice(2);
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'world.manifest.json')));
const { points, most } = JSON.parse(fs.readFileSync(walkFile));
const point = ([x, y, z]) => ({ x, y, z });
const length = (way) =>
  way.reduce((sum, p, k) => (k ? sum + Math.hypot(p.x - way[k - 1].x, p.y - way[k - 1].y, p.z - way[k - 1].z) : 0), 0);

await core.init();

/** A navmesh without tiles, for all sections of the world. */
function emptyNavMesh({ origin, tile, max_tiles, max_polygons }) {
  const navMesh = new core.NavMesh();
  const shared = { orig: point(origin), tileWidth: tile, tileHeight: tile, maxTiles: max_tiles, maxPolys: max_polygons };
  if (!navMesh.initTiled(core.NavMeshParams.create(shared))) throw new Error('the grid of the manifest is refused');
  return navMesh;
}

/** The tiles of a file: behind 40 bytes of header each has a reference, its size, and its data. */
function* tilesOf(file) {
  const bytes = fs.readFileSync(path.join(folder, file));
  for (let at = 40; at < bytes.length; ) {
    const size = bytes.readInt32LE(at + 4);
    yield bytes.subarray(at + 8, at + 8 + size);
    at += 8 + size;
  }
}

const FREE_DATA = 1; // Detour frees a tile's data when the tile goes

function addSection(navMesh, section) {
  if (section.file === null) return;
  for (const bytes of tilesOf(section.file)) {
    const data = new core.UnsignedCharArray();
    data.copy(bytes);
    const { status } = navMesh.addTile(data, FREE_DATA, 0);
    if (!core.statusSucceed(status)) throw new Error(`a tile of ${section.name} is refused: ${status}`);
  }
}

function removeSection(navMesh, section) {
  for (const [x, y, layer] of section.tiles) navMesh.removeTile(navMesh.getTileRefAt(x, y, layer));
}

/** Keep in memory what is wanted, and nothing else. */
function bring(navMesh, loaded, wanted) {
  for (const section of loaded) if (!wanted.has(section)) (removeSection(navMesh, section), loaded.delete(section));
  for (const section of wanted) if (!loaded.has(section)) (addSection(navMesh, section), loaded.add(section));
}

const inside = ([x0, z0, x1, z1], [x, , z]) => x0 <= x && x < x1 && z0 <= z && z < z1;

/** The sections that hold both ends of a leg, and those around the middle of it: the nearest, `most` in all. */
function around(from, to) {
  const [x, z] = [(from[0] + to[0]) / 2, (from[2] + to[2]) / 2];
  const far = ({ box: [x0, z0, x1, z1] }) => Math.max(Math.abs((x0 + x1) / 2 - x), Math.abs((z0 + z1) / 2 - z));
  const nearest = [...manifest.sections].sort((a, b) => far(a) - far(b)).slice(0, most);
  for (const end of [from, to])
    if (!nearest.some(({ box }) => inside(box, end))) throw new Error(`${end} is beyond ${most} sections`);
  return new Set(nearest);
}

function leg(navMesh, from, to) {
  const query = new core.NavMeshQuery(navMesh, { maxNodes: 65535 });
  const limits = { halfExtents: { x: 2, y: 1, z: 2 }, maxPathPolys: 4096, maxStraightPathPoints: 4096 };
  const { success, path: way } = query.computePath(point(from), point(to), limits);
  const end = way.at(-1);
  const found = success && Math.hypot(end.x - to[0], end.y - to[1], end.z - to[2]) < 1;
  query.destroy();
  return found ? length(way) : null;
}

const walked = emptyNavMesh(manifest.grid);
const loaded = new Set();
let inMemory = 0;
const legs = points.slice(1).map((to, k) => {
  bring(walked, loaded, around(points[k], to));
  inMemory = Math.max(inMemory, loaded.size);
  return leg(walked, points[k], to);
});
const { navMesh: one } = core.importNavMesh(new Uint8Array(fs.readFileSync(whole)));
const wanted = points.slice(1).map((to, k) => leg(one, points[k], to));
bring(walked, loaded, new Set(manifest.sections));
for (const [navMesh, name] of [[walked, 'walked'], [one, 'one']])
  fs.writeFileSync(path.join(path.dirname(whole), `${name}.exported.bin`), core.exportNavMesh(navMesh));
fs.writeSync(1, `\n${JSON.stringify({ legs, wanted, inMemory })}\n`);
process.exit(0);
