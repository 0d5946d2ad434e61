// `node loader-page.mjs PROJECT`: the project's level.json loaded by a page in Chromium without a build step, as its plain
// modules lie in node_modules. Says the ends of the ways that each library finds there.
import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const [project] = process.argv.slice(2);
const FROM = 'node_modules';
const imports = {
  'navmesh-loader': `/${FROM}/navmesh-loader/index.js`,
  '@recast-navigation/core': `/${FROM}/@recast-navigation/core/dist/index.mjs`,
  '@recast-navigation/wasm': `/${FROM}/@recast-navigation/wasm/dist/recast-navigation.wasm-compat.js`,
  navcat: `/${FROM}/navcat/dist/index.js`, mathcat: `/${FROM}/mathcat/dist/index.js`,
  three: `/${FROM}/three/build/three.module.js`, 'three-pathfinding': `/${FROM}/three-pathfinding/dist/three-pathfinding.module.js`,
};
const PAGE = `<!doctype html><meta charset="utf-8"><title>level</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
import { loadNavmesh, toNavcat, toRecast, toThreePathfinding } from 'navmesh-loader';
import { findPath } from 'navcat';
const navmesh = loadNavmesh(await (await fetch('level.json')).arrayBuffer());
const from = { x: 1.2, y: 0.2, z: 1.2 }, to = { x: 40, y: 0.2, z: 40 };
const list = ({ x, y, z }) => [x, y, z];
const { query } = await toRecast(navmesh), { navMesh, filter } = await toNavcat(navmesh), three = await toThreePathfinding(navmesh);
window.ends = {
  recast: list(query.computePath(from, to).path.at(-1)),
  navcat: findPath(navMesh, list(from), list(to), [1, 2, 1], filter).path.at(-1).position,
  three: list(three.findPath(from, to).points.at(-1)),
};
</script>`;
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.json': 'application/json' };

const server = createServer((request, answer) => {
  const path = join(project, new URL(request.url, 'http://localhost').pathname);
  if (request.url === '/') answer.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  else if (existsSync(path)) answer.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(readFileSync(path));
  else answer.writeHead(404).end();
}).listen(0, '127.0.0.1');
await new Promise((ready) => server.once('listening', ready));

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browser = await chromium.launch({ executablePath: PROGRAMS.find(existsSync), args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'] });
const tab = await browser.newPage();
const errors = [];
tab.on('pageerror', (error) => errors.push(String(error)));
tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
await tab.goto(`http://127.0.0.1:${server.address().port}/`);
const ends = await tab.waitForFunction(() => window.ends, null, { timeout: 30000 }).then((found) => found.jsonValue(), (error) => (errors.push(String(error)), null));
console.log(JSON.stringify({ ends, errors }));
await browser.close();
server.close();
process.exit(0);
