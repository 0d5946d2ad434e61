// Times Recast (as WebAssembly) from arrays in memory to polygon and detail mesh: the same span that navcore reports.
//
//   node peer.mjs JOB.json     prints {"seconds": [...], "polygons": n, "detail_triangles": n} on one line
//
// JOB.json: vertices and triangles (raw little-endian float32 / int32 files), voxels (navcore's own derived values, so that both
// sides are asked for exactly the same), partition, filters, warm_up and repeat.
import fs from 'node:fs';
import { init, Raw, RecastBuildContext, RecastPolyMesh, RecastPolyMeshDetail, TriangleAreasArray, TrianglesArray, VerticesArray } from '@recast-navigation/core';

const must = (ok, step) => { if (!ok) throw new Error(`the peer failed in ${step}`); };
const slice = (file) => { const b = fs.readFileSync(file); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); };

function load(job) {
  const vertices = new VerticesArray(), triangles = new TrianglesArray();
  vertices.copy(new Float32Array(slice(job.vertices)));
  triangles.copy(new Int32Array(slice(job.triangles)));
  return { vertices, triangles, vertexCount: fs.statSync(job.vertices).size / 12, triangleCount: fs.statSync(job.triangles).size / 12 };
}

function solid(R, log, mesh, job, v) {
  const field = R.allocHeightfield(), areas = new TriangleAreasArray();
  must(R.createHeightfield(log, field, job.grid.width, job.grid.depth, job.grid.low, job.grid.high, v.cell_size, v.cell_height), 'grid');
  areas.resize(mesh.triangleCount); // zeroed by the binding
  R.markWalkableTriangles(log, job.max_slope, mesh.vertices.raw, mesh.vertexCount, mesh.triangles.raw, mesh.triangleCount, areas.raw);
  must(R.rasterizeTriangles(log, mesh.vertices.raw, mesh.vertexCount, mesh.triangles.raw, areas.raw, mesh.triangleCount, field, v.climb_vx), 'rasterize');
  areas.destroy();
  R.filterLowHangingWalkableObstacles(log, v.climb_vx, field);
  R.filterLedgeSpans(log, v.height_vx, v.climb_vx, field);
  R.filterWalkableLowHeightSpans(log, v.height_vx, field);
  return field;
}

function divide(R, log, open, job, v) {
  if (job.partition === 'watershed') {
    must(R.buildDistanceField(log, open), 'distance');
    must(R.buildRegions(log, open, 0, v.region_min_area_vx, v.region_merge_area_vx), 'regions');
  } else if (job.partition === 'monotone') {
    must(R.buildRegionsMonotone(log, open, 0, v.region_min_area_vx, v.region_merge_area_vx), 'regions');
  } else must(R.buildLayerRegions(log, open, 0, v.region_min_area_vx), 'regions');
}

function build(job, mesh) {
  const R = Raw.Recast, v = job.voxels, context = new RecastBuildContext(false), log = context.raw;
  const field = solid(R, log, mesh, job, v), open = R.allocCompactHeightfield();
  must(R.buildCompactHeightfield(log, v.height_vx, v.climb_vx, field, open), 'compact');
  R.freeHeightfield(field);
  must(R.erodeWalkableArea(log, v.radius_vx, open), 'erosion');
  divide(R, log, open, job, v);
  const contours = R.allocContourSet(), polygons = R.allocPolyMesh(), detail = R.allocPolyMeshDetail();
  must(R.buildContours(log, open, v.edge_max_error_vx, v.edge_max_length_vx, contours, 1), 'contours');
  must(R.buildPolyMesh(log, contours, job.vertices_per_polygon, polygons), 'polygons');
  must(R.buildPolyMeshDetail(log, polygons, open, v.detail_sample_distance, v.detail_sample_max_error, detail), 'detail');
  const counts = { polygons: new RecastPolyMesh(polygons).npolys(), detail_triangles: new RecastPolyMeshDetail(detail).ntris() };
  R.freeCompactHeightfield(open);
  R.freeContourSet(contours);
  R.freePolyMesh(polygons);
  R.freePolyMeshDetail(detail);
  return counts;
}

await init();
const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8')), mesh = load(job), seconds = [];
let counts;
for (let run = 0; run < job.warm_up + job.repeat; run++) {
  const began = performance.now();
  counts = build(job, mesh);
  if (run >= job.warm_up) seconds.push((performance.now() - began) / 1000);
}
process.stdout.write(JSON.stringify({ seconds, ...counts }) + '\n');
