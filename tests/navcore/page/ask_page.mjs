// The page's own search, asked outside of a browser: ask_page.mjs PAGE.html QUESTIONS.json → answers on standard output.
import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { pathToFileURL } from "node:url";

const [page, questions, modules] = process.argv.slice(2);
const text = readFileSync(page, "utf8");
const part = (id) => text.match(new RegExp(`id="${id}">([^<]*)</script>`))[1];
const { arraysOf } = await import(pathToFileURL(`${modules}/data.js`));
const { findPath } = await import(pathToFileURL(`${modules}/paths.js`));
const facts = JSON.parse(part("facts"));
const bytes = new Uint8Array(inflateSync(Buffer.from(part("arrays"), "base64"))).buffer;
const mesh = { ...facts.navmesh, ...arraysOf(facts.navmesh.arrays, bytes) };
const answers = JSON.parse(readFileSync(questions, "utf8")).map(([start, end]) => {
  const { status, length, points, polygons } = findPath(mesh, start, end);
  return { status, length, points, polygons: polygons.length };
});
process.stdout.write(JSON.stringify(answers));
