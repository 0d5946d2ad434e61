// The page in Chromium: browser.mjs PAGE.html PICTURES WIDTH HEIGHT [dark]. Real clicks and keys; what was seen goes to standard output.
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [page, pictures, width, height, scheme] = process.argv.slice(2);
const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const browser = await chromium.launch({
  executablePath: PROGRAMS.find(existsSync),
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
});
const context = await browser.newContext({ viewport: { width: +width, height: +height }, colorScheme: scheme === "dark" ? "dark" : "light", hasTouch: +width < 700 });
const tab = await context.newPage();
const seen = { requests: [], errors: [] };
tab.on("request", (request) => seen.requests.push(request.url().slice(0, 60)));
tab.on("pageerror", (error) => seen.errors.push(String(error)));
tab.on("console", (message) => message.type() === "error" && seen.errors.push(message.text()));
const began = performance.now();
await tab.goto(pathToFileURL(page).href);
await tab.waitForFunction(() => window.navmesh?.page.frames > 0, null, { timeout: 60000 });
seen.firstPicture = performance.now() - began;
seen.picture = await shown("first");
seen.corners = await tab.evaluate(cornersInView);

// Two clicks where ground is in view: the path of the page, and that of its function.
const places = await tab.evaluate(groundInView);
seen.places = places.map(({ point }) => point);
for (const { x, y } of places) await tab.mouse.click(x, y);
seen.answer = await tab.textContent("#answer");
seen.length = await tab.evaluate(() => document.getElementById("path-length")?.textContent ?? "");
seen.asked = await tab.evaluate(() => window.navmesh.page.asked);
seen.path = await tab.evaluate(([a, b]) => window.navmesh.path(a, b), seen.asked);
seen.pathPicture = await shown("path");

// Keys, the panel, other colors.
for (const key of ["c", "c", "ArrowLeft", "ArrowUp", "+", "t", "l"]) await tab.keyboard.press(key);
seen.way = await tab.evaluate(() => window.navmesh.page.state.way);
seen.theme = await tab.evaluate(() => document.documentElement.dataset.theme);
await tab.evaluate(() => document.querySelector("#panel li button")?.click());
seen.otherPicture = await shown("other");
await tab.keyboard.press("Escape");
seen.cleared = await tab.textContent("#answer");
seen.panelBefore = await tab.isVisible("#panel");
await tab.click("#menu");
seen.panelAfter = await tab.isVisible("#panel");
if (await tab.locator("#before").count()) {
  await tab.keyboard.press("b");
  seen.set = await tab.evaluate(() => window.navmesh.page.shownSet);
}
seen.framesPerSecond = await tab.evaluate(orbit);
seen.parts = await tab.evaluate(partsWhileMoving);
seen.wide = await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
await browser.close();
process.stdout.write(`${JSON.stringify(seen)}\n`);

async function shown(name) {
  await tab.waitForTimeout(300);
  const bytes = await tab.screenshot({ path: `${pictures}-${name}.png` });
  return bytes.length;
}

/** Two places of the view that lie on ground, as far apart as a coarse look finds them. */
function groundInView() {
  const { page } = window.navmesh, canvas = document.getElementById("view");
  const found = [];
  for (let x = 40; x < innerWidth; x += 40) {
    for (let y = 70; y < innerHeight - 60; y += 40) {
      if (document.elementFromPoint(x, y) !== canvas) continue;
      const place = page.groundAt(x, y);
      if (place) found.push({ x, y, point: place.point, island: page.current.mesh.island[place.polygon] });
    }
  }
  const own = found.filter(({ island }) => island === found[0].island);
  let best = [own[0], own[0]], far = -1;
  for (const a of own) {
    for (const b of own) {
      const apart = Math.hypot(a.x - b.x, a.y - b.y);
      if (apart > far) [best, far] = [[a, b], apart];
    }
  }
  return best;
}

/** Where the corners of the box around everything lie, from -1 to 1 across the view and up. */
function cornersInView() {
  const { page } = window.navmesh, { camera, canvas } = page;
  const m = camera.matrix(canvas.clientWidth / canvas.clientHeight, page.aside());
  return [0, 1, 2, 3, 4, 5, 6, 7].map((number) => {
    const [x, y, z] = [0, 1, 2].map((axis) => camera.bounds[(number >> axis) & 1][axis]);
    const row = (k) => m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k];
    return [row(0) / row(3), row(1) / row(3)];
  });
}

/** How much is drawn: in motion after a picture that is quick, after two that are slow, and at rest. */
async function partsWhileMoving() {
  const { page } = window.navmesh, parts = [];
  const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  page.move();
  await drawn();
  page.moving = true;
  page.pace = 1;
  for (const late of [0, 400, 400]) { // milliseconds after the picture before: told, as a busy machine has its own
    page.keepPace(page.before + late);
    parts.push(page.part);
  }
  page.move();
  while (page.moving) await new Promise((resolve) => setTimeout(resolve, 20));
  await drawn();
  parts.push(page.part);
  return parts;
}

/** Frames a second while the camera turns for two seconds. */
async function orbit() {
  const { page } = window.navmesh;
  const began = performance.now();
  let frames = 0;
  while (performance.now() - began < 2000) {
    page.camera.turn(0.02, 0);
    page.move();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    page.drawing.gl.finish();
    frames += 1;
  }
  return (frames * 1000) / (performance.now() - began);
}
