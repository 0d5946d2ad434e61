// `node resolution.mjs FILE.bin PAIRS.json EXPORTED.bin`: a navmesh whose tiles have cells of several sizes. PAIRS.json
// holds rows of six numbers, the ends of a way. Says how long each way is, null where its end is not reached, and leaves
// what Detour has in memory, links included, in EXPORTED.bin.

import fs from 'node:fs';
import * as core from '@recast-navigation/core';

const [file, pairsFile, exported] = process.argv.slice(2);
await core.init();
const { navMesh } = core.importNavMesh(new Uint8Array(fs.readFileSync(file)));
const query = new core.NavMeshQuery(navMesh, { maxNodes: 65535 });
const limits = { halfExtents: { x: 2, y: 4, z: 2 }, maxPathPolys: 4096, maxStraightPathPoints: 4096 };
const lengths = JSON.parse(fs.readFileSync(pairsFile)).map(([x0, y0, z0, x, y, z]) => {
  const { success, path } = query.computePath({ x: x0, y: y0, z: z0 }, { x, y, z }, limits);
  const end = path.at(-1);
  if (!success || Math.hypot(end.x - x, end.z - z) > 0.05 || Math.abs(end.y - y) > 0.5) return null;
  return path.reduce((sum, p, k) => (k ? sum + Math.hypot(p.x - path[k - 1].x, p.y - path[k - 1].y, p.z - path[k - 1].z) : 0), 0);
});
fs.writeFileSync(exported, core.exportNavMesh(navMesh));
fs.writeSync(1, `\n${JSON.stringify({ lengths })}\n`);
process.exit(0);
