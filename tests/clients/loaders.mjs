// `node loaders.mjs FILE PAIRS.json`, in a project that navmesh-loader was installed into from its archive: how long the
// ways between pairs of points are in each library, where they end, and over which kinds of links they lead.

import fs from 'node:fs';
import { loadNavmesh, toDetour, toNavcat, toRecast, toThreePathfinding } from 'navmesh-loader';
import * as core from '@recast-navigation/core';

const [file, rest] = process.argv.slice(2);
const pairs = JSON.parse(fs.readFileSync(rest));
const point = ([x, y, z]) => ({ x, y, z });
const list = ({ x, y, z }) => [x, y, z];
const told = (points, kinds) => points?.length
  ? { length: points.reduce((sum, p, k) => (k ? sum + Math.hypot(...p.map((v, axis) => v - points[k - 1][axis])) : 0), 0), end: points.at(-1), kinds }
  : null;

// A pair may open or close doors before it is asked for.
const doors = (setDoor, { doors = {} }) => Object.entries(doors).forEach(([name, isOpen]) => setDoor(name, isOpen));

async function recast(navmesh) {
  const { navMesh, query, setDoor, linkOf } = await toRecast(navmesh);
  return pairs.map(({ from, to, ...more }) => {
    doors(setDoor, more);
    const { path } = query.computePath(point(from), point(to));
    const [a, b] = [from, to].map((place) => query.findNearestPoly(point(place)));
    const { polys } = query.findPath(a.nearestRef, b.nearestRef, a.nearestPoint, b.nearestPoint);
    const connections = Array.from({ length: polys.size }, (_, k) => navMesh.getOffMeshConnectionByRef(polys.get(k)));
    const links = connections.map((one) => one && linkOf(one)).filter((link) => link !== null);
    const byId = links.map(({ id }) => linkOf(id)?.start ?? null);
    return { ...told(path.map(list), links.map(({ kind }) => kind)), starts: links.map(({ start }) => start), byId };
  });
}

/** The bytes alone, as Babylon and PlayCanvas take them. */
async function detour(navmesh) {
  const query = new core.NavMeshQuery(core.importNavMesh(toDetour(navmesh)).navMesh);
  return pairs.map(({ from, to }) => told(query.computePath(point(from), point(to)).path.map(list), []));
}

async function navcat(navmesh) {
  const library = await import('navcat');
  const { navMesh, filter, setDoor, linkOf } = await toNavcat(navmesh);
  return pairs.map(({ from, to, ...more }) => {
    doors(setDoor, more);
    const { path, nodePath } = library.findPath(navMesh, from, to, [1, 2, 1], filter);
    const nodes = (nodePath?.path ?? []).map((reference) => library.getNodeByRef(navMesh, reference));
    const kinds = nodes.filter(({ type }) => type === library.NodeType.OFFMESH).map((node) => linkOf(node.offMeshConnectionId).kind);
    return told(path.map(({ position }) => position), kinds);
  });
}

async function three(navmesh) {
  const { findPath, pathfinding, setDoor, zone } = await toThreePathfinding(navmesh);
  const { Vector3 } = await import('three');
  const groups = zone.groups.length;
  return pairs.map(({ from, to, ...more }) => {
    doors(setDoor, more);
    const way = findPath(point(from), point(to));
    const own = pathfinding.getGroup('level', new Vector3(...from), true); // the library's own question to the zone
    if (!(own >= 0 && own < groups)) throw new Error(`the zone has no group ${own}`);
    return way && told(way.points.map(list), way.links.map(({ kind }) => kind));
  });
}

const navmesh = loadNavmesh(fs.readFileSync(file));
const found = { navmesh };
for (const [name, client] of Object.entries({ recast, detour, navcat, three })) found[name] = await client(navmesh);
fs.writeSync(1, '\n' + JSON.stringify(found) + '\n');
process.exit(0);
