// `node damaged.mjs` beside level.json, .glb and .bin: what navmesh-loader says of files that are foreign or damaged.

import fs from 'node:fs';
import { loadNavmesh, NavmeshFileError } from 'navmesh-loader';
const json = fs.readFileSync('level.json'), glb = fs.readFileSync('level.glb'), file = JSON.parse(json);
const broken = (change) => { const copy = structuredClone(file); change(copy); return JSON.stringify(copy); };
const foreign = Buffer.from(glb);
for (const [from, to] of [['"Navmesh"', '"Nobody!"'], ['"navmesh":{', '"novmesh":{']]) foreign.write(to, foreign.indexOf(from));
const jsonSize = glb.readUInt32LE(12);
/** The change leaves fewer letters or as many, and spaces fill the chunk. */
const brokenGlb = (change) => {
  const copy = JSON.parse(glb.subarray(20, 20 + jsonSize)), whole = Buffer.from(glb);
  change(copy);
  whole.fill(' ', 20, 20 + jsonSize).write(JSON.stringify(copy), 20);
  return whole;
};
const cases = {
  empty: '', html: '<!DOCTYPE html>', other: '{"format": "gltf"}', number: '5', nothing: 'null', half: json.subarray(0, json.length / 2),
  halfGlb: glb.subarray(0, glb.length / 2), foreign, bin: fs.readFileSync('level.bin'), list: [1, 2],
  version: broken((copy) => { copy.version = 9; }), unit: broken((copy) => { copy.unit = 'foot'; }),
  corner: broken((copy) => { copy.polygon_mesh.polygons[3][0] = 1e6; }), point: broken((copy) => { copy.polygon_mesh.vertices[2] = [1, null, 2]; }),
  door: broken((copy) => { copy.doors = [{ name: 'gate' }]; }),
  numbers: broken((copy) => { copy.doors = [{ name: 'gate', polygons: [1], numbers: [1e6], open: 1, closed: 0 }]; }),
  cost: broken((copy) => { copy.area_types[1].cost = -1; }), wide: broken((copy) => { copy.wide_links = [null]; }),
  'half points': broken((copy) => { copy.wide_links = [{ points: 0.5 }]; }), detail: broken((copy) => { copy.detail_mesh = 'x'; }),
  'of no polygon': broken((copy) => { copy.detail_mesh.polygon[0] = 1e6; }),
  'no extras': brokenGlb((copy) => { copy.nodes[0].extras.navmesh = null; }),
  'no primitive': brokenGlb((copy) => { copy.meshes[0].primitives[0] = null; }),
  'half a number': brokenGlb((copy) => { copy.accessors[0].count = 1.5; }),
  areas: broken((copy) => { copy.polygon_mesh.areas.pop(); }), links: broken((copy) => { copy.links = [{}]; }),
};
const told = {};
for (const [name, bytes] of Object.entries(cases)) {
  try { loadNavmesh(bytes); told[name] = null; } catch (error) {
    if (!(error instanceof NavmeshFileError)) throw error;
    told[name] = [error.code, error.message];
  }
}
const same = [json, json.toString(), new Uint8Array(json), Uint8Array.from(json).buffer].map((bytes) => loadNavmesh(bytes).polygons.length);
console.log(JSON.stringify({ told, same, doors: loadNavmesh(broken((copy) => { copy.doors = [{ name: 'gate', polygons: [1], open: 1, closed: 0 }]; })).doors, none: loadNavmesh(glb).doors }));
