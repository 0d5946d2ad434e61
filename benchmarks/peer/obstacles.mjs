// Times the peer's tile cache, Recast's as WebAssembly: building one, and obstacles that come and go in a file of one.
//
//   node obstacles.mjs JOB.json     prints {"build": [...], "put": [[...], ...], "taken": [[...], ...], "tiles": n} on one line; seconds
//
// JOB.json: cache (a .tilecache.bin), vertices and triangles (raw little-endian float32 / int32 files), config (of generateTileCache),
// obstacles ([x, y, z, radius, height], …), builds and rounds. put and taken have a row for each round: the time of each obstacle, until
// nothing waits.
import fs from 'node:fs';
import { importTileCache, init } from '@recast-navigation/core';
import { createDefaultTileCacheMeshProcess, generateTileCache } from '@recast-navigation/generators';

const slice = (file) => { const b = fs.readFileSync(file); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); };
const must = (ok, step) => { if (!ok) throw new Error(`the peer failed in ${step}`); };
const timed = (work) => { const began = performance.now(); work(); return (performance.now() - began) / 1000; };

await init();
const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8')), build = [], put = [], taken = [];
const vertices = new Float32Array(slice(job.vertices)), triangles = new Int32Array(slice(job.triangles));
for (let run = 0; run < job.builds; run++) {
  let made;
  build.push(timed(() => { made = generateTileCache(vertices, triangles, job.config); }));
  must(made.success, 'building');
  made.tileCache.destroy();
  made.navMesh.destroy();
}
const { tileCache, navMesh } = importTileCache(new Uint8Array(slice(job.cache)), createDefaultTileCacheMeshProcess());
let tiles = 0;
const settle = () => {
  for (;;) {
    const { success, upToDate } = tileCache.update(navMesh);
    must(success, 'an update');
    tiles += 1;
    if (upToDate) return;
  }
};
for (let round = 0; round < job.rounds; round++) {
  const standing = [];
  put.push(job.obstacles.map(([x, y, z, radius, height]) => timed(() => {
    const { success, obstacle } = tileCache.addCylinderObstacle({ x, y, z }, radius, height);
    must(success, 'adding an obstacle');
    standing.push(obstacle);
    settle();
  })));
  taken.push(standing.map((obstacle) => timed(() => {
    must(tileCache.removeObstacle(obstacle).success, 'removing an obstacle');
    settle();
  })));
}
process.stdout.write(JSON.stringify({ build, put, taken, tiles }) + '\n');
