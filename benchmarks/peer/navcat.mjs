// Times navcat, a port of Recast to JavaScript, on the same job as peer.mjs. Levels in one piece only.
//
//   node navcat.mjs JOB.json     prints {"seconds": [...], "polygons": n} on one line
//
// Its building block makes the runtime tile as well, which the others' figures leave out; that is a small part of the whole.
import fs from 'node:fs';
import { generateSoloNavMesh } from 'navcat/blocks';

const slice = (file) => { const b = fs.readFileSync(file); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); };
const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8')), v = job.voxels;
const input = { positions: new Float32Array(slice(job.vertices)), indices: new Uint32Array(slice(job.triangles)) };
const options = {
  cellSize: v.cell_size, cellHeight: v.cell_height, borderSize: 0,
  walkableRadiusVoxels: v.radius_vx, walkableRadiusWorld: v.radius_vx * v.cell_size,
  walkableClimbVoxels: v.climb_vx, walkableClimbWorld: v.climb_vx * v.cell_height,
  walkableHeightVoxels: v.height_vx, walkableHeightWorld: v.height_vx * v.cell_height,
  walkableSlopeAngleDegrees: job.max_slope,
  minRegionArea: v.region_min_area_vx, mergeRegionArea: v.region_merge_area_vx,
  maxSimplificationError: v.edge_max_error_vx, maxEdgeLength: v.edge_max_length_vx,
  maxVerticesPerPoly: job.vertices_per_polygon,
  detailSampleDistance: v.detail_sample_distance, detailSampleMaxError: v.detail_sample_max_error,
};
const seconds = [];
let polygons = 0;
for (let run = 0; run < job.warm_up + job.repeat; run++) {
  const began = performance.now();
  polygons = generateSoloNavMesh(input, options).intermediates.polyMesh.nPolys;
  if (run >= job.warm_up) seconds.push((performance.now() - began) / 1000);
}
process.stdout.write(JSON.stringify({ seconds, polygons }) + '\n');
