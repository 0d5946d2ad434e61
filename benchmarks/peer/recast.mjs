// Recast (as WebAssembly), stage by stage: what the benchmark times and what the comparison of files builds with.
import { FloatArray, Raw, RecastBuildContext, RecastPolyMesh, RecastPolyMeshDetail, TriangleAreasArray } from '@recast-navigation/core';

export const must = (ok, step) => { if (!ok) throw new Error(`the peer failed in ${step}`); };

function solid(R, log, mesh, job, v) {
  const field = R.allocHeightfield(), areas = new TriangleAreasArray();
  const g = mesh.grid;
  must(R.createHeightfield(log, field, g.width, g.depth, g.low, g.high, v.cell_size, v.cell_height), 'grid');
  areas.resize(mesh.triangleCount); // zeroed by the binding
  R.markWalkableTriangles(log, job.max_slope, mesh.vertices.raw, mesh.vertexCount, mesh.triangles.raw, mesh.triangleCount, areas.raw);
  must(R.rasterizeTriangles(log, mesh.vertices.raw, mesh.vertexCount, mesh.triangles.raw, areas.raw, mesh.triangleCount, field, v.climb_vx), 'rasterize');
  areas.destroy();
  const { low_hanging = true, ledges = true, low_height = true } = job.filters ?? {};
  if (low_hanging) R.filterLowHangingWalkableObstacles(log, v.climb_vx, field);
  if (ledges) R.filterLedgeSpans(log, v.height_vx, v.climb_vx, field);
  if (low_height) R.filterWalkableLowHeightSpans(log, v.height_vx, field);
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

/** Give walkable spans inside a volume its area; `volume` as in a scene file. */
function mark(R, log, open, volume) {
  const { shape = 'box', area } = volume;
  if (shape === 'box') R.markBoxArea(log, volume.min, volume.max, area, open);
  else if (shape === 'cylinder') R.markCylinderArea(log, volume.base, volume.radius, volume.height, area, open);
  else {
    const corners = new FloatArray();
    corners.copy(Float32Array.from(volume.points.flatMap(([x, z]) => [x, 0, z])));
    R.markConvexPolyArea(log, corners.raw, volume.points.length, volume.min_height, volume.max_height, area, open);
    corners.destroy();
  }
}

/** Build one piece; returns the peer's polygon and detail mesh and a function that frees them. */
export function build(job, mesh) {
  const R = Raw.Recast, v = job.voxels, context = new RecastBuildContext(false), log = context.raw;
  const field = solid(R, log, mesh, job, v), open = R.allocCompactHeightfield();
  must(R.buildCompactHeightfield(log, v.height_vx, v.climb_vx, field, open), 'compact');
  R.freeHeightfield(field);
  must(R.erodeWalkableArea(log, v.radius_vx, open), 'erosion');
  if (job.median) R.medianFilterWalkableArea(log, open);
  for (const volume of [...(job.boxes ?? []), ...(job.volumes ?? [])]) mark(R, log, open, volume);
  divide(R, log, open, job, v, mesh.grid.border);
  const contours = R.allocContourSet(), polygons = R.allocPolyMesh(), detail = R.allocPolyMeshDetail();
  must(R.buildContours(log, open, v.edge_max_error_vx, v.edge_max_length_vx, contours, job.tessellation ?? 1), 'contours');
  must(R.buildPolyMesh(log, contours, job.vertices_per_polygon, polygons), 'polygons');
  if (job.detail ?? true) must(R.buildPolyMeshDetail(log, polygons, open, v.detail_sample_distance, v.detail_sample_max_error, detail), 'detail');
  R.freeCompactHeightfield(open);
  R.freeContourSet(contours);
  const free = () => { R.freePolyMesh(polygons); R.freePolyMeshDetail(detail); };
  return { polygons: new RecastPolyMesh(polygons), detail: new RecastPolyMeshDetail(detail), free };
}
