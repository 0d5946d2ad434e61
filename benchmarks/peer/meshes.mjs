// Builds pieces of levels and prints what came out: a job a line on standard input, an answer a line on standard output.
//
// A job is what recast.mjs takes, with vertices and triangles (flat arrays) and grid. The answer is {"mesh": {...}, "detail": {...}} with
// flat arrays, or {"failed": text}. After a trap of WebAssembly the process ends: nothing that it holds can be trusted any more.
import readline from 'node:readline';
import { init, TrianglesArray, VerticesArray } from '@recast-navigation/core';
import { build } from './recast.mjs';

const flat = (count, value) => Array.from({ length: count }, (_, i) => value(i));

function answer(job) {
  const vertices = new VerticesArray(), triangles = new TrianglesArray();
  vertices.copy(Float32Array.from(job.vertices));
  triangles.copy(Int32Array.from(job.triangles));
  const { polygons: p, detail: d, free } = build(job, {
    vertices, vertexCount: job.vertices.length / 3, triangles, triangleCount: job.triangles.length / 3, grid: job.grid,
  });
  const count = p.npolys(), corners = 2 * job.vertices_per_polygon;
  const told = {
    mesh: {
      vertices: flat(3 * p.nverts(), (i) => p.verts(i)), polygons: flat(count * corners, (i) => p.polys(i)),
      region: flat(count, (i) => p.regs(i)), area: flat(count, (i) => p.areas(i)),
    },
    detail: (job.detail ?? true) && {
      meshes: flat(4 * d.nmeshes(), (i) => d.meshes(i)), vertices: flat(3 * d.nverts(), (i) => d.verts(i)),
      triangles: flat(4 * d.ntris(), (i) => d.tris(i)),
    },
  };
  free();
  vertices.destroy();
  triangles.destroy();
  return told;
}

await init();
for await (const line of readline.createInterface({ input: process.stdin })) {
  try {
    process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n');
  } catch (error) {
    process.stdout.write(JSON.stringify({ failed: String(error) }) + '\n');
    if (error instanceof WebAssembly.RuntimeError) process.exit(3);
  }
}
