// Times Recast (as WebAssembly) from arrays in memory to polygon and detail mesh: the same span that navcore reports.
//
//   node peer.mjs JOB.json     prints {"seconds": [...], "polygons": n, "detail_triangles": n} on one line
//
// JOB.json: vertices and triangles (raw little-endian float32 / int32 files), pieces (a grid and a range of triangles each: one for the
// whole level, or tiles with their triangles sorted out beforehand, which is not timed), voxels (navcore's own derived values, so
// that both sides are asked for exactly the same), partition, warm_up and repeat.
import fs from 'node:fs';
import { init, Raw, RecastBuildContext, RecastPolyMesh, RecastPolyMeshDetail, TriangleAreasArray, TrianglesArray, VerticesArray } from '@recast-navigation/core';

const must = (ok, step) => { if (!ok) throw new Error(`the peer failed in ${step}`); };
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

function solid(R, log, mesh, job, v) {
  const field = R.allocHeightfield(), areas = new TriangleAreasArray();
  const g = mesh.grid;
  must(R.createHeightfield(log, field, g.width, g.depth, g.low, g.high, v.cell_size, v.cell_height), 'grid');
  areas.resize(mesh.triangleCount); // zeroed by the binding
  R.markWalkableTriangles(log, job.max_slope, mesh.vertices.raw, mesh.vertexCount, mesh.triangles.raw, mesh.triangleCount, areas.raw);
  must(R.rasterizeTriangles(log, mesh.vertices.raw, mesh.vertexCount, mesh.triangles.raw, areas.raw, mesh.triangleCount, field, v.climb_vx), 'rasterize');
  areas.destroy();
  R.filterLowHangingWalkableObstacles(log, v.climb_vx, field);
  R.filterLedgeSpans(log, v.height_vx, v.climb_vx, field);
  R.filterWalkableLowHeightSpans(log, v.height_vx, field);
  return field;
}

function divide(R, log, open, job, v, border) {
  if (job.partition === 'watershed') {
    must(R.buildDistanceField(log, open), 'distance');
    must(R.buildRegions(log, open, border, v.region_min_area_vx, v.region_merge_area_vx), 'regions');
  } else if (job.partition === 'monotone') {
    must(R.buildRegionsMonotone(log, open, border, v.region_min_area_vx, v.region_merge_area_vx), 'regions');
  } else must(R.buildLayerRegions(log, open, border, v.region_min_area_vx), 'regions');
}

function build(job, mesh) {
  const R = Raw.Recast, v = job.voxels, context = new RecastBuildContext(false), log = context.raw;
  const field = solid(R, log, mesh, job, v), open = R.allocCompactHeightfield();
  must(R.buildCompactHeightfield(log, v.height_vx, v.climb_vx, field, open), 'compact');
  R.freeHeightfield(field);
  must(R.erodeWalkableArea(log, v.radius_vx, open), 'erosion');
  divide(R, log, open, job, v, mesh.grid.border);
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
const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8')), pieces = load(job), seconds = [];
let counts;
for (let run = 0; run < job.warm_up + job.repeat; run++) {
  const began = performance.now();
  counts = { polygons: 0, detail_triangles: 0 };
  for (const piece of pieces) {
    const built = build(job, piece);
    for (const name in counts) counts[name] += built[name];
  }
  if (run >= job.warm_up) seconds.push((performance.now() - began) / 1000);
}
process.stdout.write(JSON.stringify({ seconds, ...counts }) + '\n');
