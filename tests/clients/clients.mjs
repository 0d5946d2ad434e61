// `node clients.mjs CLIENT FILE [PAIRS.json]`: load a file as a game would, say in JSON what came of it.
// PAIRS.json holds pairs of points; `pairs FILE.bin COUNT` makes them, with the length of the way that Detour finds.

import fs from 'node:fs';
import * as core from '@recast-navigation/core';

const [client, file, rest] = process.argv.slice(2);
const bytes = () => new Uint8Array(fs.readFileSync(file));
const buffer = () => bytes().buffer;
const pairs = () => JSON.parse(fs.readFileSync(rest));
const length = (path) =>
  path.reduce((sum, p, k) => (k ? sum + Math.hypot(p.x - path[k - 1].x, p.y - path[k - 1].y, p.z - path[k - 1].z) : 0), 0);
const point = ([x, y, z]) => ({ x, y, z });

async function query() {
  await core.init();
  const { navMesh } = core.importNavMesh(bytes());
  return { navMesh, query: new core.NavMeshQuery(navMesh) };
}

/** Random pairs of points between which Detour finds a whole way. */
async function makePairs() {
  const { query: q } = await query();
  core.setRandomSeed(5);
  const found = [];
  for (let tries = 0; tries < 40 * rest && found.length < rest; tries++) {
    const [a, b] = [q.findRandomPoint().randomPoint, q.findRandomPoint().randomPoint];
    const { success, path } = q.computePath(a, b);
    const end = path.at(-1);
    if (!success || length(path) < 1 || Math.hypot(end.x - b.x, end.y - b.y, end.z - b.z) > 0.01) continue;
    found.push({ from: [a.x, a.y, a.z], to: [b.x, b.y, b.z], length: length(path) });
  }
  return found;
}

/** Where a way ends whose doors a game opens and closes by the flags of the .json beside the .bin: as the .bin has them
 * first, then with the others. */
async function doors() {
  const { navMesh, query: q } = await query();
  const { doors: rows, from, to } = pairs();
  const reached = () => {
    const { path } = q.computePath(point(from), point(to));
    const end = path.at(-1);
    return end !== undefined && Math.hypot(end.x - to[0], end.z - to[2]) < 0.5;
  };
  const set = (state) => rows.forEach((row) => row.polygons.forEach((ref) => navMesh.setPolyFlags(ref, row[state])));
  const found = [reached()];
  for (const state of ['closed', 'open', 'closed']) {
    set(state);
    found.push(reached());
  }
  return { found, flags: rows.map((row) => row.polygons.map((ref) => navMesh.getPolyFlags(ref).flags)) };
}

/** Everything that Khronos' validator has to say. */
async function khronos() {
  const { default: validator } = await import('gltf-validator');
  const { issues } = await validator.validateBytes(bytes());
  return { errors: issues.numErrors, warnings: issues.numWarnings, infos: issues.numInfos, messages: issues.messages };
}

/** Lengths of paths by three-pathfinding on the first mesh, null where it finds none. */
async function three() {
  globalThis.self = globalThis;
  const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
  const { Vector3 } = await import('three');
  const { Pathfinding } = await import('three-pathfinding');
  const { scene } = await new GLTFLoader().parseAsync(buffer(), '');
  const meshes = [];
  scene.traverse((node) => node.isMesh && meshes.push(node));
  const pathfinding = new Pathfinding();
  const zone = Pathfinding.createZone(meshes[0].geometry);
  pathfinding.setZoneData('level', zone);
  const lengths = pairs().map(({ from, to }) => {
    const [a, b] = [new Vector3(...from), new Vector3(...to)];
    const path = pathfinding.findPath(a, b, 'level', pathfinding.getGroup('level', a, true));
    return path?.length ? length([a, ...path]) : null;
  });
  const attributes = Object.keys(meshes[0].geometry.attributes);
  return { meshes: meshes.map((mesh) => mesh.name), attributes, extras: scene.children[0].userData, groups: zone.groups.length, lengths };
}

/** The same by yuka. */
async function yuka() {
  const { NavMeshLoader, Vector3 } = await import('yuka');
  const mesh = await new NavMeshLoader().parse(buffer(), '', {});
  const lengths = pairs().map(({ from, to }) => {
    const path = mesh.findPath(new Vector3(...from), new Vector3(...to));
    return path.length ? length(path) : null;
  });
  return { regions: mesh.regions.length, lengths };
}

/** An agent of a crowd walks from the first pair's start to its end; where it is after a minute at most. */
function walk(crowd, update, position, goal) {
  let steps = 0;
  for (; steps < 3600 && Math.hypot(position().x - goal.x, position().z - goal.z) > 0.3; steps++) update(crowd);
  return { seconds: steps / 60, left: Math.hypot(position().x - goal.x, position().z - goal.z) };
}

const AGENT = { radius: 0.6, height: 2, maxSpeed: 5, maxAcceleration: 20 };

async function recast() {
  const { navMesh, query: q } = await query();
  const [{ from, to }] = pairs();
  const crowd = new core.Crowd(navMesh, { maxAgents: 4, maxAgentRadius: 0.6 });
  const agent = crowd.addAgent(point(from), AGENT);
  agent.requestMoveTarget(point(to));
  const lengths = pairs().map((pair) => length(q.computePath(point(pair.from), point(pair.to)).path));
  return { lengths, ...walk(crowd, () => crowd.update(1 / 60), () => agent.position(), point(to)) };
}

async function playcanvas() {
  const { Entity, Vec3 } = await import('playcanvas');
  const { navMesh } = await query();
  const [{ from, to }] = pairs();
  const crowd = new core.Crowd(navMesh, { maxAgents: 4, maxAgentRadius: 0.6 });
  const agent = crowd.addAgent(new Vec3(...from), AGENT);
  agent.requestMoveTarget(new Vec3(...to));
  const entity = new Entity('agent');
  const step = () => {
    crowd.update(1 / 60);
    const { x, y, z } = agent.position();
    entity.setPosition(x, y, z);
  };
  return walk(crowd, step, () => entity.getPosition(), point(to));
}

async function babylonScene() {
  const { NullEngine } = await import('@babylonjs/core/Engines/nullEngine.js');
  const { Scene } = await import('@babylonjs/core/scene.js');
  const { Vector3 } = await import('@babylonjs/core/Maths/math.vector.js');
  return { Vector3, scene: new Scene(new NullEngine()) };
}

/** Babylon with the plugin of its core, on the npm package recast-detour. */
async function babylon() {
  const { Vector3 } = await babylonScene();
  const { RecastJSPlugin } = await import('@babylonjs/core/Navigation/Plugins/recastJSPlugin.js');
  const { default: load } = await import('recast-detour');
  const plugin = new RecastJSPlugin(await load());
  plugin.buildFromNavmeshData(bytes());
  return { lengths: pairs().map(({ from, to }) => length(plugin.computePath(new Vector3(...from), new Vector3(...to)))) };
}

/** Babylon with the plugin of its addons, on recast-navigation-js. */
async function babylonAddon() {
  const { Vector3, scene } = await babylonScene();
  const { TransformNode } = await import('@babylonjs/core/Meshes/transformNode.js');
  const { CreateNavigationPluginAsync } = await import('@babylonjs/addons/navigation/index.js');
  const generators = await import('@recast-navigation/generators');
  await core.init();
  const plugin = await CreateNavigationPluginAsync({ instance: { ...core, ...generators } });
  plugin.buildFromNavmeshData(bytes());
  const lengths = pairs().map(({ from, to }) => length(plugin.computePath(new Vector3(...from), new Vector3(...to))));
  const [{ from, to }] = pairs();
  const crowd = plugin.createCrowd(4, 0.6, scene);
  const told = { collisionQueryRange: 1, pathOptimizationRange: 1, separationWeight: 1, ...AGENT };
  const agent = crowd.addAgent(new Vector3(...from), told, new TransformNode('agent', scene));
  crowd.agentGoto(agent, new Vector3(...to));
  return { lengths, ...walk(crowd, () => crowd.update(1 / 60), () => crowd.getAgentPosition(agent), point(to)) };
}

const clients = { pairs: makePairs, doors, khronos, three, yuka, recast, playcanvas, babylon, 'babylon-addon': babylonAddon };
const told = await clients[client]();
fs.writeSync(1, '\n' + JSON.stringify(told) + '\n');
process.exit(0);
