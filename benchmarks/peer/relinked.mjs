// Lets Recast's runtime load a navmesh file and writes what it then holds, with the links that it has made: `node relinked.mjs IN.bin OUT.bin`
import fs from 'node:fs';
import { exportNavMesh, importNavMesh, init } from '@recast-navigation/core';

const [given, written] = process.argv.slice(2);
await init();
fs.writeFileSync(written, exportNavMesh(importNavMesh(new Uint8Array(fs.readFileSync(given))).navMesh));
