import { boundsOf, builtFor, costOf, detailOf, doorState } from './ground.js';

/**
 * For navcat: `{ navMesh, filter, setDoor, linkOf }`. `filter` knows what areas cost; `linkOf(id)` is the link of a connection.
 *
 * `navcat` is that module where it was imported already.
 */
export async function toNavcat(navmesh, navcat) {
  const library = navcat ?? (await import('navcat'));
  const agent = builtFor(navmesh), details = detailOf(navmesh);
  const { low, high } = boundsOf([...navmesh.vertices, ...details.flatMap(({ own }) => own)]);
  const bounds = [...low, ...high];
  const external = navmesh.polygons.map((ring, number) => ({ vertices: [...ring], flags: navmesh.flags[number], area: navmesh.areas[number] }));
  const navMesh = library.createNavMesh();
  navMesh.origin = [...low];
  navMesh.tileWidth = high[0] - low[0];
  navMesh.tileHeight = high[2] - low[2];
  const tile = library.buildTile({
    ...library.polygonsToNavMeshTilePolys(external, navmesh.vertices.flat(), 0, bounds), ...flatDetail(details),
    bounds, tileX: 0, tileY: 0, tileLayer: 0, cellSize: agent.cellSize, cellHeight: agent.cellHeight,
    walkableHeight: agent.height, walkableRadius: agent.radius, walkableClimb: agent.climb,
  });
  library.addTile(navMesh, tile);
  const links = new Map();
  for (const link of navmesh.links) {
    const direction = link.bidirectional ? library.OffMeshConnectionDirection.BIDIRECTIONAL : library.OffMeshConnectionDirection.START_TO_END;
    const radius = Math.max(link.radius, agent.climb); // ends may be as far above the ground as Detour lets them
    const { start, end, flags, area } = link;
    links.set(library.addOffMeshConnection(navMesh, { start: [...start], end: [...end], radius, direction, flags, area }), link);
  }
  const setDoor = (name, isOpen) => {
    for (const [polygon, flags] of doorState(navmesh, name, isOpen)) {
      tile.polys[polygon].flags = library.getNodeByTileAndPoly(navMesh, tile, polygon).flags = flags;
    }
  };
  return { navMesh, filter: withCosts(library, navmesh), setDoor, linkOf: (connection) => links.get(connection) ?? null };
}

function flatDetail(details) {
  const detailMeshes = [], detailVertices = [], detailTriangles = [];
  for (const { own, triangles } of details) {
    detailMeshes.push({
      verticesBase: detailVertices.length / 3, verticesCount: own.length,
      trianglesBase: detailTriangles.length / 4, trianglesCount: triangles.length,
    });
    detailVertices.push(...own.flat());
    detailTriangles.push(...triangles.flat());
  }
  return { detailMeshes, detailVertices, detailTriangles };
}

function withCosts(library, navmesh) {
  const filter = library.createDefaultQueryFilter();
  filter.getCost = (a, b, navMesh, _before, here) =>
    Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) * costOf(navmesh, library.getNodeByRef(navMesh, here).area);
  return filter;
}
