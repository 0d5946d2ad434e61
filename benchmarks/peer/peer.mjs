// Times Recast (as WebAssembly) from arrays in memory to polygon and detail mesh: the same span that navcore reports.
//
//   node peer.mjs JOB.json     prints {"seconds": [...], "polygons": n, "detail_triangles": n} on one line
//
// JOB.json: vertices and triangles (raw little-endian float32 / int32 files), pieces (a grid and a range of triangles each: one for the
// whole level, or tiles with their triangles sorted out beforehand, which is not timed), voxels (navcore's own derived values, so
// that both sides are asked for exactly the same), partition, warm_up and repeat.
import fs from 'node:fs';
import { init, TrianglesArray, VerticesArray } from '@recast-navigation/core';
import { build } from './recast.mjs';

const slice = (file) => { const b = fs.readFileSync(file); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); };

function load(job) {
  const vertices = new VerticesArray();
  vertices.copy(new Float32Array(slice(job.vertices)));
  const vertexCount = fs.statSync(job.vertices).size / 12, all = new Int32Array(slice(job.triangles));
  return job.pieces.map(({ grid, first, end }) => { // one piece, or tiles, each with its own triangles
    const triangles = new TrianglesArray();
    triangles.copy(all.subarray(3 * first, 3 * end));
    return { vertices, vertexCount, triangles, triangleCount: end - first, grid };
  });
}

await init();
const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8')), pieces = load(job), seconds = [];
let counts;
for (let run = 0; run < job.warm_up + job.repeat; run++) {
  const began = performance.now();
  counts = { polygons: 0, detail_triangles: 0 };
  for (const piece of pieces) {
    const { polygons, detail, free } = build(job, piece);
    counts.polygons += polygons.npolys();
    counts.detail_triangles += detail.ntris();
    free();
  }
  if (run >= job.warm_up) seconds.push((performance.now() - began) / 1000);
}
process.stdout.write(JSON.stringify({ seconds, ...counts }) + '\n');
